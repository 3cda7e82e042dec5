//! The owner of the partition: the one task that writes it. It takes one message at a time; reads run beside it.
//!
//! - [`polls`]: planning, opening, completing and parking reads.
//! - [`commits`]: arrival, order, queue, promotion and commit of operations.
//! - [`purge`]: applying decrees, emptying the partition, step by step or at once.
//! - [`recovery`]: restart, power loss, and what is loaded.

pub mod commits;
pub mod polls;
pub mod purge;
pub mod recovery;

use std::collections::{BTreeMap, VecDeque};

use fencepost_spec::event::EventKind;
use fencepost_spec::identity::{Assignment, Context, History, Origin};
use fencepost_spec::reply::NOT_ACCEPTED;
use serde::{Deserialize, Serialize};

use super::disk::{BookmarkFile, Disk};
use super::gateway::assignment_number;
use super::log::Log;
use super::marks::Mark;
use super::messages::{Answer, CommitAction, Decree, Envelope, Inner, Key, OPERATOR, Placed, RequestId, Strategy};
use super::producer::address;
use super::system::{Address, Reaction, Setup};

/// Whether the owner serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Status {
    /// It serves.
    Serving,
    /// It is emptying the partition, and takes nothing else until that is done.
    Purging(purge::Step),
    /// A purge failed half-way; it refuses everything until it recovers.
    Fenced,
}

/// How far a read is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Planned: cursor and ceiling are fixed, the file is not open yet.
    Planned,
    /// The file is open: this is what the read will find.
    Opened(Vec<Placed>),
    /// A poll that waits for messages.
    Parked,
}

/// A read under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Read {
    /// The poll.
    pub id: RequestId,
    /// Whose progress.
    pub key: Key,
    /// Where the poll starts.
    pub strategy: Strategy,
    /// Most messages.
    pub count: u8,
    /// Whether the server commits.
    pub automatic: bool,
    /// The first offset that it looks at.
    pub cursor: u8,
    /// The last offset that it looks at.
    pub ceiling: u8,
    /// Identities captured at dispatch.
    pub captured: Context,
    /// The purge generation when it was planned.
    pub purge_generation: u8,
    /// The history in which it was planned.
    pub history: History,
    /// For the referee: the assignment under which it was dispatched.
    pub assignment: Assignment,
    /// Whether the gateway still waits for it.
    pub caller_waits: bool,
    /// How far it is.
    pub phase: Phase,
}

/// What an ordered operation does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Work {
    /// Appends messages.
    Append(u8),
    /// Stores or deletes a bookmark.
    Commit {
        /// Whose.
        key: Key,
        /// What.
        action: CommitAction,
        /// Whether it is an automatic store, which nobody waits for.
        automatic: bool,
        /// For the referee: what it came from.
        origin: Origin,
    },
}

/// An operation that is prepared or queued.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Operation {
    /// The request that asked for it.
    pub request: RequestId,
    /// What it does.
    pub work: Work,
    /// Identities that it carries.
    pub context: Context,
    /// The history that was current when it arrived.
    pub history: History,
    /// Whether a purge ran since it got its place.
    pub purged_since: bool,
}

/// For the referee: what no broker keeps, but the clauses need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ghost {
    /// How many histories there have been in this incarnation, less one.
    pub restarts: u8,
    /// How many messages the current history has accepted.
    pub accepted: u8,
    /// By key: a bit for each offset of the current history that was served to it, or that it moved past by a poll.
    pub accounted: BTreeMap<Key, u64>,
    /// Deliberate positions that took effect in the current history: whose, by which request, which offset.
    pub positions: Vec<(Key, RequestId, u8)>,
    /// By key: the last acknowledged manual commit of this history, where commits are promised to be durable.
    pub acknowledged: BTreeMap<Key, Option<u8>>,
    /// The highest offset granted to the group in this history, where a join may have to wait for it.
    pub granted: Option<u8>,
}

/// What the owner knows. Everything but `disk`, `applied`, the budgets and the referee's notes is lost with the process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Owner {
    /// Whether it serves.
    pub status: Status,
    /// What it has applied of the metadata.
    pub applied: Decree,
    /// The purge generation that it has recorded as done.
    pub purge_generation: u8,
    /// The history that it serves.
    pub history: History,
    /// Committed messages.
    pub log: Log,
    /// Bookmarks in memory.
    pub bookmarks: BTreeMap<Key, BookmarkFile>,
    /// Highest offset served to the group, and the history it was read in.
    pub last_polled: Option<(u8, History)>,
    /// Reads under way, by name.
    pub reads: Vec<Read>,
    /// Prepared operations, oldest first.
    pub pipeline: VecDeque<Operation>,
    /// Queued operations, oldest first.
    pub queue: VecDeque<Operation>,
    /// Files.
    pub disk: Disk,
    /// Gateway time-outs left.
    pub gateway_time_outs_left: u8,
    /// Restarts left.
    pub restarts_left: u8,
    /// Power losses left.
    pub power_losses_left: u8,
    /// Failures of the disk left.
    pub disk_failures_left: u8,
    /// The group generation for which the end of a revocation was reported.
    pub reported_drained: Option<u8>,
    /// The referee's notes.
    pub ghost: Ghost,
}

impl Owner {
    /// The identities that the owner has applied, as a request would name them.
    pub fn applied_context(&self, setup: &Setup) -> Context {
        Context {
            incarnation: Some(self.applied.incarnation),
            purge_generation: Some(self.purge_generation),
            assignment: Some(self.assignment_number(setup)),
        }
    }

    /// The number that names the current assignment.
    pub fn assignment_number(&self, setup: &Setup) -> u8 {
        assignment_number(setup, &self.applied)
    }

    /// The current assignment for a key: none for individual consumers.
    pub fn assignment(&self, key: Key) -> Assignment {
        if key == Key::Group { self.applied.group.owner_generation } else { 0 }
    }

    fn stored(&self, key: Key) -> Option<u8> {
        self.bookmarks.get(&key).map(|bookmark| bookmark.offset)
    }

    fn group_last_polled(&self) -> Option<u8> {
        self.last_polled.map(|(offset, _)| offset)
    }
}

/// The reaction of the owner, if there is one.
pub fn react(setup: &Setup, state: &Owner, message: &Envelope) -> Option<Reaction<Owner>> {
    let mut reaction = Reaction::new(state.clone());
    match message {
        Envelope::Inner(inner) => {
            inner_step(setup, &mut reaction, *inner)?;
            reaction.send(Address::Owner, message.clone());
        }
        _ if matches!(state.status, Status::Purging(_)) => return None,
        Envelope::Apply(decree) => purge::apply(setup, &mut reaction, decree)?,
        Envelope::Poll(poll) if !refuses_all(&mut reaction, poll.id) => polls::arrive(setup, &mut reaction, poll)?,
        Envelope::Commit(commit) if !refuses_all(&mut reaction, commit.id) => {
            commits::arrive(setup, &mut reaction, commit);
        }
        Envelope::Produce(produce) if !refuses_all(&mut reaction, produce.id) => {
            commits::arrive_produce(setup, &mut reaction, produce);
        }
        Envelope::Poll(_) | Envelope::Commit(_) | Envelope::Produce(_) => {}
        Envelope::Gather(number, command) => {
            let in_flight = !reaction.drained(setup);
            reaction.send(Address::Gateway, Envelope::Gathered(*number, *command, in_flight));
        }
        Envelope::Command { number, command: super::messages::Command::Retain(count), .. } => {
            retain(setup, &mut reaction, *number, *count);
        }
        _ => return None,
    }
    Some(reaction)
}

/// A fenced owner refuses every request.
fn refuses_all(reaction: &mut Reaction<Owner>, id: RequestId) -> bool {
    let fenced = reaction.state.status == Status::Fenced;
    if fenced {
        reaction.refuse(id, Answer::Code(NOT_ACCEPTED));
    }
    fenced
}

fn inner_step(setup: &Setup, reaction: &mut Reaction<Owner>, inner: Inner) -> Option<()> {
    let purging = matches!(reaction.state.status, Status::Purging(_));
    match inner {
        Inner::Open(slot) => polls::open(setup, reaction, slot, false),
        Inner::OpenNewBytes(slot) => polls::open(setup, reaction, slot, true),
        Inner::GatewayGivesUp(slot) => polls::gateway_gives_up(setup, reaction, slot),
        Inner::PurgeStep { fails } => purge::step(setup, reaction, fails),
        Inner::Restart => recovery::restart(setup, reaction),
        Inner::PowerLoss(survivors) => recovery::power_loss(setup, reaction, survivors),
        Inner::ResurrectBookmarks => recovery::resurrect_bookmarks(reaction),
        // The pump does one thing at a time: what follows waits until a purge is through.
        _ if purging => None,
        Inner::Complete(slot) => polls::complete(setup, reaction, slot, false),
        Inner::Expire(slot) => polls::complete(setup, reaction, slot, true),
        Inner::CommitOldest => commits::commit_oldest(setup, reaction),
        Inner::ResumePurge => purge::resume(setup, reaction),
        Inner::ReportDrained => report_drained(setup, reaction),
    }
}

impl Reaction<Owner> {
    /// Answers a request with a refusal.
    pub(super) fn refuse(&mut self, id: RequestId, answer: Answer) {
        self.mark(Mark::Denied(id));
        self.answer(id, answer);
    }

    /// Answers a request.
    pub(super) fn answer(&mut self, id: RequestId, answer: Answer) {
        self.send(address(id), Envelope::Reply(id, answer));
    }

    /// Whether everything served to the group is committed, as the fence sees it.
    fn drained(&mut self, setup: &Setup) -> bool {
        let stored = self.state.stored(Key::Group);
        let outcome = fencepost_spec::fence::revocation_drained_before_move(
            &setup.choices,
            self.state.group_last_polled(),
            stored,
        );
        let fence = fencepost_spec::fence::Fence::RevocationDrainedBeforeMove;
        self.fence(fence, outcome, None, None).is_none()
    }
}

fn report_drained(setup: &Setup, reaction: &mut Reaction<Owner>) -> Option<()> {
    let group = &reaction.state.applied.group;
    group.revoked_for?;
    let generation = group.generation;
    if reaction.state.reported_drained == Some(generation) {
        return None;
    }
    if !reaction.drained(setup) {
        return None;
    }
    reaction.state.reported_drained = Some(generation);
    reaction.send(Address::Metadata, Envelope::Drained(generation));
    Some(())
}

fn retain(setup: &Setup, reaction: &mut Reaction<Owner>, number: u8, count: u8) {
    let start = reaction.state.log.start.saturating_add(count).min(reaction.state.log.next_offset());
    reaction.state.log.advance_start(start);
    let durable = setup.bounds.power_losses == 0;
    reaction.state.disk.perform(super::disk::Operation::AdvanceStart(start), durable);
    let request = RequestId { client: OPERATOR, number };
    reaction.mark(Mark::Event(EventKind::Retained, Some(request)));
    reaction.send(Address::Operator, Envelope::Acknowledged(number, None));
}
