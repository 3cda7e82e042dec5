//! The actors put together: one enumeration of all of them, and the actor model that an engine explores.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use fencepost_checker::describe::{DescribedActor, Telling, Transition};
use fencepost_spec::contract::Choices;
use fencepost_spec::fence::{Fence, Outcome, Refusal};
use fencepost_spec::identity::{History, Origin};
use stateright::actor::{Actor, ActorModel, ActorModelState, Envelope as Travelling, Id, Network, Out};

use super::bounds::{Bounds, Once};
use super::consumer::{self, Consumer};
use super::disk::{self, BookmarkFile, Disk};
use super::gateway::{self, Gateway};
use super::ledger::{self, Ledger};
use super::log::Log;
use super::marks::Mark;
use super::messages::{Decree, Envelope, Group, Inner, Message, RequestId};
use super::metadata::{self, Metadata};
use super::operator::{self, Operator};
use super::owner::{self, Owner, Status};
use super::producer::{self, Producer};
use super::telling;
use super::vocabulary;

/// Index of the metadata actor.
pub const METADATA_INDEX: usize = 0;
/// Index of the gateway actor.
pub const GATEWAY_INDEX: usize = 1;
/// Index of the owner actor.
pub const OWNER_INDEX: usize = 2;
/// Index of the producer actor.
pub const PRODUCER_INDEX: usize = 3;
/// Index of the operator actor.
pub const OPERATOR_INDEX: usize = 4;
/// Index of the first consumer actor.
pub const FIRST_CONSUMER_INDEX: usize = 5;

/// Whom a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// The metadata.
    Metadata,
    /// The gateway.
    Gateway,
    /// The owner.
    Owner,
    /// The producer.
    Producer,
    /// The operator.
    Operator,
    /// The consumer with this index.
    Consumer(u8),
}

impl Address {
    /// The actor's identity in the actor model.
    pub fn id(self) -> Id {
        Id::from(match self {
            Self::Metadata => METADATA_INDEX,
            Self::Gateway => GATEWAY_INDEX,
            Self::Owner => OWNER_INDEX,
            Self::Producer => PRODUCER_INDEX,
            Self::Operator => OPERATOR_INDEX,
            Self::Consumer(index) => FIRST_CONSUMER_INDEX + usize::from(index),
        })
    }

    /// The address with this identity.
    pub fn of(id: Id) -> Self {
        match usize::from(id) {
            METADATA_INDEX => Self::Metadata,
            GATEWAY_INDEX => Self::Gateway,
            OWNER_INDEX => Self::Owner,
            PRODUCER_INDEX => Self::Producer,
            OPERATOR_INDEX => Self::Operator,
            index => Self::Consumer(u8::try_from(index - FIRST_CONSUMER_INDEX).unwrap_or(u8::MAX)),
        }
    }
}

/// A contract's choices and the bounds of a view: the configuration of the actor model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The choices.
    pub choices: Choices,
    /// The bounds.
    pub bounds: Bounds,
}

/// What an actor does about a message.
pub struct Reaction<S> {
    /// Its state afterwards.
    pub state: S,
    /// What it sends.
    pub sends: Vec<(Address, Envelope)>,
    /// What it says of itself.
    pub marks: Vec<Mark>,
}

impl<S> Reaction<S> {
    /// A reaction that has done nothing yet.
    pub fn new(state: S) -> Self {
        Self { state, sends: Vec::new(), marks: Vec::new() }
    }

    /// Sends a message.
    pub fn send(&mut self, to: Address, message: Envelope) {
        self.sends.push((to, message));
    }

    /// States a fact.
    pub fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// States what a fence said, and gives its refusal back.
    pub fn fence(
        &mut self,
        fence: Fence,
        outcome: Outcome,
        request: Option<RequestId>,
        origin: Option<Origin>,
    ) -> Option<Refusal> {
        Mark::fence(&mut self.marks, fence, outcome, request, origin)
    }

    /// The message was of no use any more and is removed from the network without effect.
    pub fn discarding(self) -> Self {
        self
    }

    fn map<T>(self, wrap: impl FnOnce(S) -> T) -> Reaction<T> {
        Reaction { state: wrap(self.state), sends: self.sends, marks: self.marks }
    }
}

/// One actor of the system.
#[derive(Clone, Debug)]
pub struct Node {
    /// What everybody knows.
    pub setup: Arc<Setup>,
}

/// The state of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// The metadata.
    Metadata(Metadata),
    /// The gateway.
    Gateway(Gateway),
    /// The owner.
    Owner(Box<Owner>),
    /// The producer.
    Producer(Producer),
    /// The operator.
    Operator(Operator),
    /// A consumer.
    Consumer(Consumer),
}

/// The actor model of the Iggy family.
pub type IggyModel = ActorModel<Node, Arc<Setup>, Ledger>;
/// A state of the system.
pub type IggyState = ActorModelState<Node, Ledger>;

impl Node {
    /// The reaction of the actor with address `id` to a message, or `None` if it cannot react to it now.
    pub fn react(&self, id: Id, state: &NodeState, message: &Envelope) -> Option<Reaction<NodeState>> {
        let setup = &*self.setup;
        match state {
            NodeState::Metadata(state) => {
                Some(metadata::react(setup, state, message)?.map(NodeState::Metadata))
            }
            NodeState::Gateway(state) => {
                Some(gateway::react(setup, state, message)?.map(NodeState::Gateway))
            }
            NodeState::Owner(state) => {
                Some(owner::react(setup, state, message)?.map(|state| NodeState::Owner(Box::new(state))))
            }
            NodeState::Producer(state) => {
                Some(producer::react(setup, state, message)?.map(NodeState::Producer))
            }
            NodeState::Operator(state) => {
                Some(operator::react(setup, state, message)?.map(NodeState::Operator))
            }
            NodeState::Consumer(state) => {
                let index = u8::try_from(usize::from(id) - FIRST_CONSUMER_INDEX).unwrap_or(u8::MAX);
                Some(consumer::react(setup, index, state, message)?.map(NodeState::Consumer))
            }
        }
    }
}

impl Actor for Node {
    type Msg = Envelope;
    type State = NodeState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, id: Id, _storage: &Option<()>, _out: &mut Out<Self>) -> NodeState {
        initial_state(&self.setup, usize::from(id))
    }

    fn on_msg(&self, id: Id, state: &mut Cow<'_, NodeState>, _source: Id, message: Envelope, out: &mut Out<Self>) {
        if let Some(reaction) = self.react(id, state, &message) {
            *state = Cow::Owned(reaction.state);
            for (to, message) in reaction.sends {
                out.send(to.id(), message);
            }
        }
    }
}

impl DescribedActor<Arc<Setup>, Ledger> for Node {
    type Mark = Mark;

    fn marks(&self, receiver: Id, state: &NodeState, _source: Id, message: &Envelope) -> Vec<Mark> {
        self.react(receiver, state, message).map(|reaction| reaction.marks).unwrap_or_default()
    }

    fn vocabulary(configuration: &Arc<Setup>) -> Vec<String> {
        vocabulary::vocabulary(configuration)
    }

    fn action_term(configuration: &Arc<Setup>, receiver: Id, _source: Id, message: &Envelope) -> usize {
        vocabulary::action_term(configuration, receiver, message)
    }

    fn outcome_terms(configuration: &Arc<Setup>, marks: &[Mark], terms: &mut Vec<usize>) {
        vocabulary::outcome_terms(configuration, marks, terms);
    }

    fn is_fair(configuration: &Arc<Setup>, action_term: usize) -> bool {
        vocabulary::is_fair(configuration, action_term)
    }

    fn tell(
        model: &IggyModel,
        receiver: Id,
        source: Id,
        message: &Envelope,
        transition: &Transition<'_, IggyModel>,
    ) -> Telling {
        telling::tell(model, receiver, source, message, transition)
    }
}

/// The owner in a state of the system.
pub fn owner_of(state: &IggyState) -> &Owner {
    match &*state.actor_states[OWNER_INDEX] {
        NodeState::Owner(owner) => owner,
        other => unreachable!("the owner is not {other:?}"),
    }
}

/// The metadata in a state of the system.
pub fn metadata_of(state: &IggyState) -> &Metadata {
    match &*state.actor_states[METADATA_INDEX] {
        NodeState::Metadata(metadata) => metadata,
        other => unreachable!("the metadata is not {other:?}"),
    }
}

/// The consumer with an index in a state of the system.
pub fn consumer_of(state: &IggyState, index: usize) -> &Consumer {
    match &*state.actor_states[FIRST_CONSUMER_INDEX + index] {
        NodeState::Consumer(consumer) => consumer,
        other => unreachable!("consumer {index} is not {other:?}"),
    }
}

/// The producer in a state of the system.
pub fn producer_of(state: &IggyState) -> &Producer {
    match &*state.actor_states[PRODUCER_INDEX] {
        NodeState::Producer(producer) => producer,
        other => unreachable!("the producer is not {other:?}"),
    }
}

fn initial_decree(bounds: &Bounds) -> Decree {
    let owners = (0..usize::from(bounds.partitions))
        .map(|index| bounds.members.get(index % bounds.members.len().max(1)).copied())
        .collect();
    let has_members = u8::from(!bounds.members.is_empty());
    let group = Group {
        generation: has_members,
        members: bounds.members.clone(),
        owners,
        owner_generation: has_members,
        revoked_for: None,
    };
    Decree { operation: 1, group, ..Decree::default() }
}

fn initial_state(setup: &Setup, index: usize) -> NodeState {
    let bounds = &setup.bounds;
    let decree = initial_decree(bounds);
    match index {
        METADATA_INDEX => NodeState::Metadata(Metadata {
            decree,
            unacknowledged: Vec::new(),
            time_outs_left: bounds.revocation_time_outs,
        }),
        GATEWAY_INDEX => NodeState::Gateway(Gateway { mirror: decree }),
        OWNER_INDEX => NodeState::Owner(Box::new(initial_owner(setup, decree))),
        PRODUCER_INDEX => NodeState::Producer(Producer { begun: 0, waiting: 0 }),
        OPERATOR_INDEX => NodeState::Operator(Operator {
            begun: vec![0; bounds.scripts.len()],
            acknowledged: vec![0; bounds.scripts.len()],
        }),
        consumer => {
            let index = u8::try_from(consumer - FIRST_CONSUMER_INDEX).unwrap_or(u8::MAX);
            NodeState::Consumer(Consumer::new(setup, index, &decree))
        }
    }
}

fn initial_owner(setup: &Setup, decree: Decree) -> Owner {
    let bounds = &setup.bounds;
    let history = History::default();
    let messages: Vec<Message> =
        (0..bounds.initial_messages).map(|number| Message { history, number, sent: 0 }).collect();
    let mut disk = Disk::new(history);
    disk.perform(disk::Operation::Append(history, messages.clone()), true);
    let mut bookmarks = BTreeMap::new();
    let mut accounted = BTreeMap::new();
    for (key, offset) in &bounds.initial_bookmarks {
        let origin = Origin::Read { history, assignment: initial_decree(bounds).group.owner_generation };
        let file = BookmarkFile { offset: *offset, generation: 0, origin, written_in: history, automatic: true };
        disk.perform(disk::Operation::WriteBookmark(*key, file), true);
        bookmarks.insert(*key, file);
        accounted.insert(*key, owner::commits::bits_up_to(*offset));
    }
    Owner {
        status: Status::Serving,
        applied: decree,
        purge_generation: 0,
        history,
        log: Log { start: 0, messages },
        bookmarks,
        last_polled: None,
        reads: Vec::new(),
        pipeline: Default::default(),
        queue: Default::default(),
        disk,
        gateway_time_outs_left: bounds.gateway_time_outs,
        restarts_left: bounds.restarts,
        power_losses_left: bounds.power_losses,
        disk_failures_left: bounds.disk_failures,
        reported_drained: None,
        ghost: owner::Ghost { accepted: bounds.initial_messages, accounted, ..Default::default() },
    }
}

/// The tokens that stand in the network at the start.
fn tokens(setup: &Setup) -> Vec<Travelling<Envelope>> {
    let bounds = &setup.bounds;
    let mut tokens = Vec::new();
    let mut to_itself = |to: Address, msg: Envelope| tokens.push(Travelling { src: to.id(), dst: to.id(), msg });
    for (index, consumer) in (0..).zip(&bounds.consumers) {
        for act in &consumer.acts {
            to_itself(Address::Consumer(index), Envelope::Act(None, *act));
        }
    }
    if !bounds.sends.is_empty() {
        to_itself(Address::Producer, Envelope::Send(None, 0));
    }
    for script in (0..).zip(&bounds.scripts).map(|(script, _)| script) {
        to_itself(Address::Operator, Envelope::Next(script));
    }
    for once in &bounds.once {
        match *once {
            Once::Consumer { consumer, step, act } => {
                to_itself(Address::Consumer(consumer), Envelope::Act(Some(step), act));
            }
            Once::Producer { step, count } => to_itself(Address::Producer, Envelope::Send(Some(step), count)),
            Once::Operator { step, command } => to_itself(Address::Operator, Envelope::Once(step, command)),
        }
    }
    if bounds.revocation_time_outs > 0 {
        to_itself(Address::Metadata, Envelope::RevocationTimesOut);
    }
    for inner in inner_tokens(setup) {
        to_itself(Address::Owner, Envelope::Inner(inner));
    }
    tokens
}

fn inner_tokens(setup: &Setup) -> Vec<Inner> {
    let bounds = &setup.bounds;
    let mut inner = Vec::new();
    for slot in 0..bounds.slots() {
        inner.push(Inner::Complete(slot));
        if bounds.disk_reads {
            inner.push(Inner::Open(slot));
        }
        if bounds.new_bytes {
            inner.push(Inner::OpenNewBytes(slot));
        }
        if setup.choices.parked_polls {
            inner.push(Inner::Expire(slot));
        }
        if bounds.gateway_time_outs > 0 {
            inner.push(Inner::GatewayGivesUp(slot));
        }
    }
    if bounds.pipeline != super::bounds::Pipeline::Immediate {
        inner.push(Inner::CommitOldest);
    }
    if bounds.purge_in_steps {
        inner.push(Inner::PurgeStep { fails: false });
    }
    if bounds.disk_failures > 0 {
        inner.push(Inner::PurgeStep { fails: true });
    }
    if bounds.restarts > 0 {
        inner.push(Inner::Restart);
    }
    if bounds.restarts > 0 || bounds.power_losses > 0 {
        inner.push(Inner::ResumePurge);
    }
    if bounds.power_losses > 0 {
        inner.extend((0..1_u16 << bounds.unsynced_operations.min(8)).filter_map(|mask| u8::try_from(mask).ok()).map(Inner::PowerLoss));
    }
    if bounds.partitions > 1 {
        inner.push(Inner::ReportDrained);
    }
    inner
}

/// The actor model of a contract's choices within bounds.
pub fn model(choices: &Choices, bounds: &Bounds) -> IggyModel {
    let setup = Arc::new(Setup { choices: choices.clone(), bounds: bounds.clone() });
    let nodes = FIRST_CONSUMER_INDEX + bounds.consumers.len();
    let ledger = Ledger { current: (History::default(), initial_decree(bounds).group.owner_generation), ..Ledger::default() };
    let mut model = ActorModel::new(setup.clone(), ledger)
        .actors((0..nodes).map(|_| Node { setup: setup.clone() }))
        .init_network(Network::new_unordered_nonduplicating(tokens(&setup)));
    model = model.record_msg_in(ledger::delivered).record_msg_out(ledger::sent);
    model
}
