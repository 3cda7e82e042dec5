//! The model that a recording is followed in, and single steps of it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fencepost_checker::describe::{Described, Transition};
use fencepost_models::iggy::bounds::{Bounds, ConsumerBounds, Pipeline};
use fencepost_models::iggy::consumer::Consumer;
use fencepost_models::iggy::gateway::Gateway;
use fencepost_models::iggy::marks::Mark;
use fencepost_models::iggy::messages::{
    Act, Answer, CommitAction, Decree, Envelope, Inner, Key, Placed, RequestId, Strategy,
};
use fencepost_models::iggy::producer::address;
use fencepost_models::iggy::system::{Address, GATEWAY_INDEX, IggyModel, NodeState, Setup, consumer_of, model};
use fencepost_spec::contract::{Choices, Numbering, WireIdentity};
use fencepost_spec::fence::Fence;
use stateright::Model;
use stateright::actor::{ActorModelAction, Envelope as Travelling};

use super::belief::Belief;
use crate::recording::partition::{PartitionRequest, StrategyWord};
use crate::recording::{Boundary, Recording, Step};

/// Reads that may be under way at once; recordings are not limited by it.
const READS: u8 = 200;

/// Capacity of the pipeline where a recording states none.
const PREPARED: usize = 32;
/// Capacity of the queue where a recording states none.
const QUEUED: usize = 64;

/// A consumer or member, as a recording names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Client {
    pub(super) group: Option<String>,
    pub(super) name: String,
}

/// The model of a contract, for the clients of a recording.
pub(super) struct World {
    /// Reads go to the disk.
    disk: IggyModel,
    /// Reads find their messages in memory.
    resident: IggyModel,
    pub(super) clients: Vec<Client>,
    /// Text and number of the first message of each send.
    pub(super) labels: BTreeMap<u8, (String, u64)>,
    /// The last line at which each fence refused something, on any of the ways that were tried.
    pub(super) refusals: RefCell<BTreeMap<Fence, usize>>,
}

impl World {
    pub(super) fn new(recording: &Recording, choices: &Choices) -> Self {
        let clients = clients(recording);
        let mut choices = choices.clone();
        let is_behind_the_gateway = recording.boundary == Boundary::Partition;
        if is_behind_the_gateway {
            choices.fences.retain(|fence, _| !is_at_the_gateway(*fence));
        }
        let members: Vec<u8> =
            (0..).zip(&clients).filter(|(_, client)| client.group.is_some()).map(|(index, _)| index).collect();
        let bounds = Bounds {
            consumers: clients.iter().map(consumer_bounds).collect(),
            members: if is_behind_the_gateway { members.into_iter().take(1).collect() } else { Vec::new() },
            pipeline: pipeline(recording),
            hold_plans: is_behind_the_gateway,
            new_bytes: true,
            reads: READS,
            restarts: 1,
            ..Bounds::default()
        };
        Self {
            resident: model(&choices, &Bounds { disk_reads: false, ..bounds.clone() }),
            disk: model(&choices, &bounds),
            clients,
            labels: BTreeMap::new(),
            refusals: RefCell::new(BTreeMap::new()),
        }
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.disk.cfg
    }

    /// The model in which reads go to the disk, or find their messages in memory.
    pub(super) fn model(&self, disk: bool) -> &IggyModel {
        if disk { &self.disk } else { &self.resident }
    }

    /// Whether requests carry identities, so that it matters which ones a client knows.
    pub(super) fn carries_identities(&self) -> bool {
        let choices = &self.setup().choices;
        choices.poll_identity_on_wire != WireIdentity::Nothing
            || choices.commit_identity_on_wire != WireIdentity::Nothing
    }

    /// Whether it makes no difference when an automatic store commits, as long as nobody looks at files: a purge either
    /// keeps the numbers, or makes void what it overtook.
    pub(super) fn commits_automatic_stores_at_once(&self) -> bool {
        let choices = &self.setup().choices;
        choices.numbering_at_purge == Numbering::Continue || choices.has(Fence::OperationAfterPurgeAtCommit)
    }

    /// Whether it makes no difference when the owner applies a change of the group: it compares no assignment.
    pub(super) fn applies_membership_at_once(&self) -> bool {
        const COMPARE: [Fence; 5] = [
            Fence::MetadataFloorOnArrival,
            Fence::CommitAssignmentOnArrival,
            Fence::CommitAssignmentOnPromotion,
            Fence::PollAssignmentAtCompletion,
            Fence::AutomaticStoreAssignmentAtCompletion,
        ];
        !COMPARE.iter().any(|fence| self.setup().choices.has(*fence))
    }

    /// The start, with nothing under way.
    pub(super) fn start(&self) -> Vec<Belief> {
        let begin = |state| {
            let mut belief = Belief::new(state);
            for envelope in belief.under_way() {
                belief.take_away(&envelope);
            }
            belief
        };
        self.disk.init_states().into_iter().map(begin).collect()
    }

    /// The clients that a request may come from: the one that it names, or any member of the group.
    pub(super) fn clients_of(&self, group: Option<&str>, name: &str) -> Vec<u8> {
        let is_named = |client: &Client| {
            client.group.as_deref() == group && (client.name == name || group.is_some() && name.is_empty())
        };
        (0..).zip(&self.clients).filter(|(_, client)| is_named(client)).map(|(index, _)| index).collect()
    }

    /// Delivers a message of those under way; `None` if it cannot be taken now.
    pub(super) fn deliver(&self, belief: &Belief, line: usize, envelope: &Travelling<Envelope>) -> Option<Belief> {
        self.deliver_in(&self.disk, belief, line, envelope)
    }

    /// Delivers a message in one of the two models.
    pub(super) fn deliver_in(
        &self,
        model: &IggyModel,
        belief: &Belief,
        line: usize,
        envelope: &Travelling<Envelope>,
    ) -> Option<Belief> {
        let action = ActorModelAction::Deliver { src: envelope.src, dst: envelope.dst, msg: envelope.msg.clone() };
        let after = model.next_state(&belief.state, action.clone())?;
        let facts = model.facts(&belief.state, &action, &after);
        for mark in &facts {
            if let Mark::Refused { refusal, .. } = mark {
                self.refusals.borrow_mut().insert(refusal.fence, line);
            }
        }
        let telling = model.tell(&Transition { before: &belief.state, action: &action, after: &after, facts: &facts });
        let mut next = belief.clone();
        next.state = after;
        next.note_firsts();
        next.tell(line, telling);
        Some(next)
    }

    /// Lets an actor find a token of its own, and takes what is left of it away.
    pub(super) fn act(&self, belief: &Belief, line: usize, who: Address, msg: Envelope) -> Option<Belief> {
        let token = Travelling { src: who.id(), dst: who.id(), msg };
        let mut before = belief.clone();
        before.put(token.clone());
        let mut after = self.deliver(&before, line, &token)?;
        if matches!(token.msg, Envelope::Inner(_)) {
            after.take_away(&token);
        }
        Some(after)
    }

    /// An inner step of the owner.
    pub(super) fn inner(&self, belief: &Belief, line: usize, inner: Inner) -> Option<Belief> {
        self.act(belief, line, Address::Owner, Envelope::Inner(inner))
    }

    /// Delivers whatever is wanted among what is under way, until nothing of it is left that can be taken.
    pub(super) fn run(&self, belief: Belief, line: usize, is_wanted: impl Fn(&Travelling<Envelope>) -> bool) -> Belief {
        let mut belief = belief;
        loop {
            let wanted: Vec<_> = belief.under_way().into_iter().filter(|envelope| is_wanted(envelope)).collect();
            let Some(next) = wanted.iter().find_map(|envelope| self.deliver(&belief, line, envelope)) else {
                return belief;
            };
            belief = next;
        }
    }

    /// The slot that names a read of the owner.
    pub(super) fn slot_of(&self, belief: &Belief, id: RequestId) -> Option<u8> {
        let of_client = belief.owner().reads.iter().filter(|read| read.id.client == id.client);
        let nth = of_client.map(|read| read.id).position(|other| other == id)?;
        u8::try_from(nth * self.clients.len() + usize::from(id.client)).ok()
    }

    /// The answer to a request, if it is under way.
    pub(super) fn answer_to(&self, belief: &Belief, id: RequestId) -> Option<Answer> {
        belief.under_way().into_iter().find_map(|envelope| match envelope.msg {
            Envelope::Reply(other, answer) if other == id => Some(answer),
            _ => None,
        })
    }

    /// Lets the client have the answer to a request.
    pub(super) fn receive(&self, belief: &Belief, line: usize, id: RequestId, is_poll: bool) -> Belief {
        let reply = belief
            .under_way()
            .into_iter()
            .find(|envelope| matches!(envelope.msg, Envelope::Reply(other, _) if other == id));
        let Some(reply) = reply else { return belief.clone() };
        let mut before = belief.clone();
        if let Address::Consumer(index) = address(id) {
            let consumer = before.consumer_mut(index);
            consumer.poll = is_poll.then_some(id.number);
            consumer.commit = (!is_poll).then_some(id.number);
        }
        let mut after = self.deliver(&before, line, &reply).unwrap_or(before);
        if let Address::Consumer(index) = address(id) {
            forget_covered(after.consumer_mut(index));
        }
        after
    }

    /// Lets a client send a request. What it knows is not recorded, so it may know what it learnt, or (unless its request
    /// comes from a read, whose identities it then carries) what the gateway knows.
    pub(super) fn send(&self, belief: &Belief, line: usize, client: u8, number: u8, act: Act) -> Vec<Belief> {
        let mut as_it_is = belief.clone();
        let consumer = as_it_is.consumer_mut(client);
        consumer.poll = None;
        consumer.commit = None;
        let mut befores = vec![as_it_is];
        if !comes_from_a_read(consumer_of(&belief.state, usize::from(client)), act) {
            befores.extend(self.refreshed(&befores[0], client));
        }
        let message = Envelope::Act(Some(number), act);
        befores.iter().filter_map(|before| self.act(before, line, Address::Consumer(client), message.clone())).collect()
    }

    /// The same, but the client knows what the gateway knows; `None` if that is the same.
    pub(super) fn refreshed(&self, belief: &Belief, client: u8) -> Option<Belief> {
        let route = Consumer::new(self.setup(), client, &mirror(belief)).route;
        let mut after = belief.clone();
        let consumer = after.consumer_mut(client);
        if route.is_none() || consumer.route.map(|(context, _)| context) == route.map(|(context, _)| context) {
            return None;
        }
        consumer.route = route;
        Some(after)
    }

    /// The payload of a message, as the recording would write it.
    pub(super) fn payload(&self, belief: &Belief, placed: &Placed) -> String {
        let message = placed.message;
        let first = belief.firsts.get(&message.sent).copied().unwrap_or(message.number);
        let index = u64::from(message.number.saturating_sub(first));
        match self.labels.get(&message.sent) {
            Some((prefix, start)) => format!("{prefix}{}", start + index),
            None => format!("message {} of {}", message.number, message.history),
        }
    }
}

fn mirror(belief: &Belief) -> Decree {
    match &*belief.state.actor_states[GATEWAY_INDEX] {
        NodeState::Gateway(Gateway { mirror }) => mirror.clone(),
        other => unreachable!("the gateway is not {other:?}"),
    }
}

/// A batch is of no more use when later ones hold all of its offsets.
fn forget_covered(consumer: &mut Consumer) {
    let mut later = 0_u64;
    let mut kept = Vec::new();
    for batch in std::mem::take(&mut consumer.batches).into_iter().rev() {
        let bits = batch.messages.iter().fold(0_u64, |bits, placed| bits | 1 << placed.offset.min(63));
        if bits & !later != 0 {
            kept.push(batch);
        }
        later |= bits;
    }
    kept.reverse();
    consumer.batches = kept;
}

fn comes_from_a_read(consumer: &Consumer, act: Act) -> bool {
    let Act::Store(offset) = act else { return false };
    consumer.batches.iter().any(|batch| batch.messages.iter().any(|placed| placed.offset == offset))
}

fn is_at_the_gateway(fence: Fence) -> bool {
    fence.description().checkpoint == fencepost_spec::fence::Checkpoint::GatewayAtDispatch
}

fn consumer_bounds(client: &Client) -> ConsumerBounds {
    let name = match (&client.group, client.name.as_str()) {
        (Some(group), "") => format!("member of {group}"),
        (Some(group), name) => format!("{group}/{name}"),
        (None, name) => name.to_owned(),
    };
    let member = client.group.is_some();
    ConsumerBounds { name, member, acts: Vec::new(), polls: Some(0), commits: None, give_ups: 0, old_client: false }
}

/// The clients in the order in which they appear. A member without a name is one of the others, if there are others.
fn clients(recording: &Recording) -> Vec<Client> {
    let mut clients: Vec<Client> = Vec::new();
    for line in &recording.lines {
        let who = match &line.step {
            Step::Partition(step) => step.who(),
            Step::Server(step) => step.who(),
        };
        let Some((group, name)) = who else { continue };
        let client = Client { group, name };
        if !clients.contains(&client) {
            clients.push(client);
        }
    }
    let has_named_member = clients.iter().any(|client| client.group.is_some() && !client.name.is_empty());
    clients.retain(|client| !(has_named_member && client.group.is_some() && client.name.is_empty()));
    clients
}

fn pipeline(recording: &Recording) -> Pipeline {
    let stated = recording.lines.iter().find_map(|line| match &line.step {
        Step::Partition(step) => match step.request {
            PartitionRequest::Open { prepare_queue, request_queue, .. } => Some((prepare_queue, request_queue)),
            _ => None,
        },
        Step::Server(_) => None,
    });
    let (prepared, queued) = stated.unwrap_or((None, None));
    Pipeline::Held { prepared: prepared.unwrap_or(PREPARED), queued: queued.unwrap_or(QUEUED) }
}

/// A poll as an act of the model. Without a count it reads all there is.
pub(super) fn poll_act(strategy: StrategyWord, value: Option<u64>, count: Option<u8>, automatic: bool) -> Act {
    let strategy = match strategy {
        StrategyWord::Next => Strategy::Next,
        StrategyWord::First => Strategy::First,
        StrategyWord::Last => Strategy::Last,
        StrategyWord::Offset => Strategy::Offset(position(value.unwrap_or(0))),
    };
    Act::Poll { strategy, count: count.unwrap_or(u8::MAX), automatic, may_wait: false }
}

/// A position that a client states, as the model counts; what is too large for it is beyond every log.
pub(super) fn position(offset: u64) -> u8 {
    u8::try_from(offset.min(250)).unwrap_or(250)
}

/// A store, or without an offset a delete.
pub(super) fn commit_act(offset: Option<u64>) -> Act {
    offset.map_or(Act::Delete, |offset| Act::Store(position(offset)))
}

/// Whose progress a name in an observation means.
pub(super) fn key_of(clients: &[Client], name: &str) -> Option<Key> {
    if name.starts_with("group:") {
        return Some(Key::Group);
    }
    let index = clients.iter().position(|client| client.group.is_none() && client.name == name)?;
    u8::try_from(index).ok().map(Key::Consumer)
}

/// Whether an operation waits for an answer that somebody gets.
pub(super) fn action_is_automatic(work: &fencepost_models::iggy::owner::Work) -> bool {
    use fencepost_models::iggy::owner::Work;
    matches!(work, Work::Commit { automatic: true, action: CommitAction::Store(_), .. })
}
