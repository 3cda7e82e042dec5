//! A consumer: polls, commits what it read (or a position of its own choice), gives up waiting, tries again.

use fencepost_spec::contract::{ClientCommits, RouteAfterRefusal, WireIdentity};
use fencepost_spec::event::EventKind;
use fencepost_spec::identity::{Assignment, Context, Origin};
use fencepost_spec::reply::{HISTORY_UNAVAILABLE, PARTITION_NOT_OWNED};
use serde::{Deserialize, Serialize};

use super::gateway::assignment_number;
use super::marks::Mark;
use super::messages::{Act, Answer, Batch, Commit, CommitAction, Decree, Envelope, Poll, RequestId};
use super::system::{Address, Reaction, Setup};

/// Number of every poll of a consumer without a budget of polls.
pub const REUSED_POLL: u8 = 1;
/// Number of every commit of such a consumer.
pub const REUSED_COMMIT: u8 = 2;

/// What a consumer knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Consumer {
    /// Number of its next request.
    pub next_request: u8,
    /// The poll that it waits for.
    pub poll: Option<u8>,
    /// The commit that it waits for.
    pub commit: Option<u8>,
    /// Batches that it remembers, the last one last. Scenarios and recordings remember all, other explorations the last.
    pub batches: Vec<Batch>,
    /// Its cached route: the identities with which it stamps requests, and (for the referee) the assignment they name.
    pub route: Option<(Context, Assignment)>,
    /// Polls left, if they are counted.
    pub polls_left: Option<u8>,
    /// Commits left, if they are counted.
    pub commits_left: Option<u8>,
    /// How often it may still give up.
    pub give_ups_left: u8,
}

impl Consumer {
    /// A consumer that has done nothing yet but connect: it knows the identities of that moment, its own assignment included.
    pub fn new(setup: &Setup, index: u8, decree: &Decree) -> Self {
        let bounds = &setup.bounds.consumers[usize::from(index)];
        let owns = bounds.member && decree.group.owners.first() == Some(&Some(index));
        let assignment = owns.then(|| assignment_number(setup, decree));
        let known = Context {
            incarnation: Some(decree.incarnation),
            purge_generation: Some(decree.purge_generation),
            assignment,
        };
        let has_identity = setup.choices.commit_identity_on_wire != WireIdentity::Nothing;
        let knows = has_identity && !bounds.old_client && (owns || !bounds.member);
        let owner_generation = if owns { decree.group.owner_generation } else { 0 };
        Self {
            route: knows.then(|| (on_the_wire(setup, known), owner_generation)),
            next_request: 1,
            poll: None,
            commit: None,
            batches: Vec::new(),
            polls_left: bounds.polls,
            commits_left: bounds.commits,
            give_ups_left: bounds.give_ups,
        }
    }
}

/// The reaction of the consumer with this index, if there is one.
pub fn react(setup: &Setup, index: u8, state: &Consumer, message: &Envelope) -> Option<Reaction<Consumer>> {
    let mut reaction = Reaction::new(state.clone());
    match message {
        Envelope::Act(step, act) => {
            do_act(setup, index, &mut reaction, *step, *act)?;
            if step.is_none() {
                reaction.send(Address::Consumer(index), message.clone());
            }
        }
        Envelope::Reply(id, answer) => {
            if state.poll != Some(id.number) && state.commit != Some(id.number) {
                return Some(reaction.discarding());
            }
            receive(setup, index, &mut reaction, *id, answer);
        }
        _ => return None,
    }
    Some(reaction)
}

fn do_act(setup: &Setup, index: u8, reaction: &mut Reaction<Consumer>, step: Option<u8>, act: Act) -> Option<()> {
    match act {
        Act::Poll { strategy, count, automatic, may_wait } => {
            if reaction.state.poll.is_some() {
                return None;
            }
            spend(&mut reaction.state.polls_left, step)?;
            let id = next_id(setup, index, reaction, step, REUSED_POLL);
            reaction.state.poll = Some(id.number);
            let key = setup.bounds.consumers[usize::from(index)].key(index);
            let (context, assignment) = poll_context(setup, index, &reaction.state);
            let poll = Poll { id, key, strategy, count, automatic, may_wait, context, assignment };
            reaction.send(Address::Gateway, Envelope::Poll(poll));
        }
        Act::StoreLast => {
            let offset = reaction.state.batches.last()?.messages.last()?.offset;
            commit(setup, index, reaction, step, CommitAction::Store(offset), false)?;
        }
        Act::Store(offset) => commit(setup, index, reaction, step, CommitAction::Store(offset), false)?,
        Act::Seek(offset) => commit(setup, index, reaction, step, CommitAction::Store(offset), true)?,
        Act::Delete => commit(setup, index, reaction, step, CommitAction::Delete, true)?,
        Act::GiveUpPoll | Act::GiveUpCommit => give_up(index, reaction, step, act == Act::GiveUpPoll)?,
    }
    Some(())
}

/// Takes one from a budget; a one-shot step of a scenario has no budget.
fn spend(left: &mut Option<u8>, step: Option<u8>) -> Option<()> {
    if let (Some(count), None) = (left.as_mut(), step) {
        *count = count.checked_sub(1)?;
    }
    Some(())
}

/// The name of the next request. Without a budget of polls the same numbers are used again: one for polls, one for commits.
fn next_id(setup: &Setup, index: u8, reaction: &mut Reaction<Consumer>, step: Option<u8>, reused: u8) -> RequestId {
    let state = &mut reaction.state;
    let unlimited = setup.bounds.consumers[usize::from(index)].polls.is_none();
    let number = match step {
        Some(step) => step,
        None if unlimited => reused,
        None => state.next_request,
    };
    if step.is_none() && !unlimited {
        state.next_request += 1;
    }
    let id = RequestId { client: index, number };
    reaction.mark(Mark::Event(EventKind::Sent, Some(id)));
    id
}

fn poll_context(setup: &Setup, index: u8, state: &Consumer) -> (Context, Assignment) {
    let old = setup.bounds.consumers[usize::from(index)].old_client;
    match state.route {
        Some(route) if setup.choices.poll_identity_on_wire != WireIdentity::Nothing && !old => route,
        _ => (Context::default(), 0),
    }
}

fn commit(
    setup: &Setup,
    index: u8,
    reaction: &mut Reaction<Consumer>,
    step: Option<u8>,
    action: CommitAction,
    deliberate: bool,
) -> Option<()> {
    if reaction.state.commit.is_some() {
        return None;
    }
    let bounds = &setup.bounds.consumers[usize::from(index)];
    let on_wire = setup.choices.commit_identity_on_wire != WireIdentity::Nothing && !bounds.old_client;
    let bare = setup.choices.client_commits == ClientCommits::BareOffset;
    // A position of the client's own choice is stamped with what the client knows; if it knows nothing it polls first.
    let batch = batch_of(&reaction.state, action).filter(|_| !deliberate).cloned();
    if on_wire && !bare && batch.is_none() && reaction.state.route.is_none() {
        return None;
    }
    spend(&mut reaction.state.commits_left, step)?;
    let id = next_id(setup, index, reaction, step, REUSED_COMMIT);
    reaction.state.commit = Some(id.number);
    let origin = match &batch {
        Some(batch) => Origin::Read { history: batch.history, assignment: batch.assignment },
        None => Origin::Deliberate { client: index, request: id.number },
    };
    let route = reaction.state.route.map(|(context, _)| context).unwrap_or_default();
    let context = match &batch {
        _ if !on_wire => Context::default(),
        Some(batch) if !bare => on_the_wire(setup, batch.context),
        _ => route,
    };
    let bind = on_wire && context == Context::default();
    let commit = Commit { id, key: bounds.key(index), action, context, bind, origin };
    reaction.send(Address::Gateway, Envelope::Commit(commit));
    Some(())
}

/// The last batch that contains the offset of a store.
fn batch_of(state: &Consumer, action: CommitAction) -> Option<&Batch> {
    let CommitAction::Store(offset) = action else { return None };
    state.batches.iter().rev().find(|batch| batch.messages.iter().any(|placed| placed.offset == offset))
}

/// Only the identities that the contract's requests have a field for.
fn on_the_wire(setup: &Setup, context: Context) -> Context {
    match setup.choices.commit_identity_on_wire {
        WireIdentity::Nothing => Context::default(),
        WireIdentity::PurgeGeneration => Context { purge_generation: context.purge_generation, ..Context::default() },
        WireIdentity::PurgeAndGroupGeneration => Context { incarnation: None, ..context },
        WireIdentity::PartitionContext => Context { purge_generation: None, ..context },
    }
}

fn give_up(index: u8, reaction: &mut Reaction<Consumer>, step: Option<u8>, poll: bool) -> Option<()> {
    let waiting = if poll { reaction.state.poll.take()? } else { reaction.state.commit.take()? };
    if step.is_none() {
        reaction.state.give_ups_left = reaction.state.give_ups_left.checked_sub(1)?;
    }
    reaction.mark(Mark::Event(EventKind::GivenUp, Some(RequestId { client: index, number: waiting })));
    if let Some(step) = step {
        reaction.mark(Mark::Event(EventKind::Sent, Some(RequestId { client: index, number: step })));
        reaction.mark(Mark::Event(EventKind::Answered, Some(RequestId { client: index, number: step })));
    }
    Some(())
}

fn receive(setup: &Setup, index: u8, reaction: &mut Reaction<Consumer>, id: RequestId, answer: &Answer) {
    reaction.mark(Mark::Event(EventKind::Answered, Some(id)));
    let state = &mut reaction.state;
    if state.poll == Some(id.number) {
        state.poll = None;
    } else {
        state.commit = None;
    }
    match answer {
        Answer::Batch(batch) => {
            let bounds = &setup.bounds.consumers[usize::from(index)];
            let remembers_all = bounds.acts.is_empty();
            if !remembers_all {
                state.batches.clear();
            }
            // A consumer that can never commit has no use for a batch: remembering it would only multiply states.
            if remembers_all || bounds.commits != Some(0) {
                state.batches.push(batch.clone());
            }
            if setup.choices.commit_identity_on_wire != WireIdentity::Nothing && !bounds.old_client {
                state.route = Some((on_the_wire(setup, batch.context), batch.assignment));
            }
        }
        Answer::Code(code) if [HISTORY_UNAVAILABLE, PARTITION_NOT_OWNED].contains(code) => {
            if setup.choices.route_after_refusal == RouteAfterRefusal::Dropped {
                state.route = None;
            }
            // A checkpoint of a history that is gone is of no more use; a bare offset is only a number to its client.
            if *code == HISTORY_UNAVAILABLE && setup.choices.client_commits == ClientCommits::Checkpoint {
                state.batches.clear();
            }
        }
        Answer::Empty | Answer::Sentinel | Answer::Done | Answer::Code(_) | Answer::Disconnected => {}
    }
}
