//! Operations: they arrive, get a place in the order or in the queue, and commit in that order.

use fencepost_spec::contract::{CommitsDurable, FullQueue, WireIdentity};
use fencepost_spec::event::EventKind;
use fencepost_spec::fence::{self, Fence, Refusal};
use fencepost_spec::identity::Origin;
use fencepost_spec::reply::NOT_ACCEPTED;

use super::polls::bit;
use super::{Operation, Owner, Work};
use crate::iggy::bounds::Pipeline;
use crate::iggy::disk::{self, BookmarkFile};
use crate::iggy::gateway::answer_of;
use crate::iggy::marks::Mark;
use crate::iggy::messages::{Answer, Commit, CommitAction, Key, Message, Produce, RequestId};
use crate::iggy::system::{Reaction, Setup};

/// Where an operation got to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It has its place in the order.
    Ordered,
    /// It waits for a place.
    Queued,
    /// There is no room for it.
    None,
}

/// A manual commit arrives.
pub fn arrive(setup: &Setup, reaction: &mut Reaction<Owner>, commit: &Commit) {
    reaction.mark(Mark::Event(EventKind::Arrived, Some(commit.id)));
    if let Some(refusal) = admission(setup, reaction, commit) {
        return reaction.refuse(commit.id, answer_of(refusal.answer));
    }
    let work = Work::Commit { key: commit.key, action: commit.action, automatic: false, origin: commit.origin };
    admit(setup, reaction, commit.id, work, commit.context);
}

fn admission(setup: &Setup, reaction: &mut Reaction<Owner>, commit: &Commit) -> Option<Refusal> {
    let choices = &setup.choices;
    let id = Some(commit.id);
    let origin = Some(commit.origin);
    if choices.commit_identity_on_wire != WireIdentity::Nothing {
        let applied = reaction.state.applied_context(setup);
        let outcome = fence::metadata_floor_on_arrival(choices, &commit.context, &applied);
        let refusal = reaction.fence(Fence::MetadataFloorOnArrival, outcome, id, None);
        if refusal.is_some() {
            return refusal;
        }
    }
    let incarnation = reaction.state.applied.incarnation;
    let outcome = fence::write_incarnation_on_arrival(choices, &commit.context, incarnation);
    let refusal = reaction.fence(Fence::WriteIncarnationOnArrival, outcome, id, None);
    if refusal.is_some() {
        return refusal;
    }
    let generation = reaction.state.purge_generation;
    let outcome = fence::commit_purge_generation_on_arrival(choices, &commit.context, generation);
    let refusal = reaction.fence(Fence::CommitPurgeGenerationOnArrival, outcome, id, origin);
    if refusal.is_some() {
        return refusal;
    }
    if commit.key == Key::Group {
        let outcome =
            fence::commit_assignment_on_arrival(choices, &commit.context, reaction.state.assignment_number(setup));
        let refusal = reaction.fence(Fence::CommitAssignmentOnArrival, outcome, id, origin);
        if refusal.is_some() {
            return refusal;
        }
    }
    match commit.action {
        CommitAction::Store(offset) => {
            let last = reaction.state.log.last_offset();
            let outcome = fence::store_in_range_on_arrival(choices, offset, last);
            reaction.fence(Fence::StoreInRangeOnArrival, outcome, id, None)
        }
        CommitAction::Delete => {
            let exists = reaction.state.bookmarks.contains_key(&commit.key);
            let outcome = fence::bookmark_exists_on_delete(choices, exists);
            reaction.fence(Fence::BookmarkExistsOnDelete, outcome, id, None)
        }
    }
}

/// A send arrives.
pub fn arrive_produce(setup: &Setup, reaction: &mut Reaction<Owner>, produce: &Produce) {
    let choices = &setup.choices;
    let id = Some(produce.id);
    reaction.mark(Mark::Event(EventKind::Arrived, id));
    let mut refusal = None;
    if choices.poll_identity_on_wire != WireIdentity::Nothing {
        let applied = reaction.state.applied_context(setup);
        let outcome = fence::metadata_floor_on_arrival(choices, &produce.context, &applied);
        refusal = reaction.fence(Fence::MetadataFloorOnArrival, outcome, id, None);
    }
    if refusal.is_none() {
        let incarnation = reaction.state.applied.incarnation;
        let outcome = fence::write_incarnation_on_arrival(choices, &produce.context, incarnation);
        refusal = reaction.fence(Fence::WriteIncarnationOnArrival, outcome, id, None);
    }
    match refusal {
        Some(refusal) => reaction.refuse(produce.id, answer_of(refusal.answer)),
        None => admit(setup, reaction, produce.id, Work::Append(produce.count), produce.context),
    }
}

fn admit(
    setup: &Setup,
    reaction: &mut Reaction<Owner>,
    request: RequestId,
    work: Work,
    context: fencepost_spec::identity::Context,
) {
    let operation =
        Operation { request, work: work.clone(), context, history: reaction.state.history, purged_since: false };
    match order(setup, reaction, operation) {
        // Only a place in the order is an effect: a queued commit takes effect when it is promoted.
        Place::Ordered => takes_effect(reaction, &work),
        Place::Queued => {}
        Place::None => match setup.choices.full_queue {
            FullQueue::Refused => reaction.refuse(request, Answer::Code(NOT_ACCEPTED)),
            FullQueue::Dropped => reaction.mark(Mark::Denied(request)),
        },
    }
}

fn takes_effect(reaction: &mut Reaction<Owner>, work: &Work) {
    if let Work::Commit { key, origin, automatic: false, .. } = work {
        reaction.mark(Mark::TakesEffect { key: *key, origin: *origin, automatic: false });
    }
}

/// Gives an operation its place in the order, or in the queue.
pub fn order(setup: &Setup, reaction: &mut Reaction<Owner>, operation: Operation) -> Place {
    match setup.bounds.pipeline {
        Pipeline::Immediate => {
            commit(setup, reaction, &operation);
            Place::Ordered
        }
        Pipeline::Held { prepared, .. } if reaction.state.pipeline.len() < prepared => {
            reaction.state.pipeline.push_back(operation);
            Place::Ordered
        }
        Pipeline::Held { queued, .. } if reaction.state.queue.len() < queued => {
            reaction.state.queue.push_back(operation);
            Place::Queued
        }
        Pipeline::Held { .. } => Place::None,
    }
}

/// Commits the oldest prepared operation, then promotes queued ones.
pub fn commit_oldest(setup: &Setup, reaction: &mut Reaction<Owner>) -> Option<()> {
    let operation = reaction.state.pipeline.pop_front()?;
    commit(setup, reaction, &operation);
    promote(setup, reaction);
    Some(())
}

fn promote(setup: &Setup, reaction: &mut Reaction<Owner>) {
    let Pipeline::Held { prepared, .. } = setup.bounds.pipeline else { return };
    while reaction.state.pipeline.len() < prepared {
        let Some(operation) = reaction.state.queue.pop_front() else { return };
        match promotion_refusal(setup, reaction, &operation) {
            None => {
                takes_effect(reaction, &operation.work);
                reaction.state.pipeline.push_back(operation);
            }
            Some(refusal) => {
                reaction.mark(Mark::Denied(operation.request));
                if !matches!(operation.work, Work::Commit { automatic: true, .. }) {
                    reaction.answer(operation.request, answer_of(refusal.answer));
                }
            }
        }
    }
}

fn promotion_refusal(setup: &Setup, reaction: &mut Reaction<Owner>, operation: &Operation) -> Option<Refusal> {
    let choices = &setup.choices;
    let Work::Commit { key, automatic, origin, .. } = operation.work else { return None };
    let id = Some(operation.request);
    let current = reaction.state.history;
    if automatic {
        let outcome = fence::automatic_store_history_on_promotion(choices, operation.history, current);
        return reaction.fence(Fence::AutomaticStoreHistoryOnPromotion, outcome, id, Some(origin));
    }
    let outcome = fence::commit_history_on_promotion(choices, operation.history, current);
    let refusal = reaction.fence(Fence::CommitHistoryOnPromotion, outcome, id, Some(origin));
    if refusal.is_some() || key != Key::Group {
        return refusal;
    }
    let assignment = reaction.state.assignment_number(setup);
    let outcome = fence::commit_assignment_on_promotion(choices, &operation.context, assignment);
    reaction.fence(Fence::CommitAssignmentOnPromotion, outcome, id, Some(origin))
}

/// Commits an operation: its effect, then its acknowledgement.
fn commit(setup: &Setup, reaction: &mut Reaction<Owner>, operation: &Operation) {
    let outcome = fence::operation_after_purge_at_commit(&setup.choices, operation.purged_since);
    let dead = reaction.fence(Fence::OperationAfterPurgeAtCommit, outcome, None, None).is_some();
    reaction.mark(Mark::Event(EventKind::Committed, Some(operation.request)));
    match &operation.work {
        Work::Append(count) => {
            if !dead {
                append(setup, reaction, *count, operation.request.number);
            }
            reaction.answer(operation.request, Answer::Done);
        }
        Work::Commit { key, action, automatic, origin } => {
            if !dead {
                commit_bookmark(setup, reaction, operation.request, *key, *action, *automatic, *origin);
            }
            if !automatic {
                reaction.answer(operation.request, Answer::Done);
            }
        }
    }
}

fn append(setup: &Setup, reaction: &mut Reaction<Owner>, count: u8, sent: u8) {
    let state = &mut reaction.state;
    let first = state.ghost.accepted;
    let messages: Vec<Message> =
        (first..first + count).map(|number| Message { history: state.history, number, sent }).collect();
    state.ghost.accepted += count;
    let offset = state.log.next_offset();
    state.log.messages.extend(&messages);
    let durable = setup.bounds.power_losses == 0 || setup.choices.messages_survive_power_loss;
    state.disk.perform(disk::Operation::Append(state.history, offset, messages), durable);
}

fn commit_bookmark(
    setup: &Setup,
    reaction: &mut Reaction<Owner>,
    request: RequestId,
    key: Key,
    action: CommitAction,
    automatic: bool,
    origin: Origin,
) {
    let durable = setup.bounds.power_losses == 0 || setup.choices.commits_durable == CommitsDurable::WhenAcknowledged;
    let before = reaction.state.bookmarks.get(&key).copied();
    let after = match action {
        CommitAction::Store(offset) => {
            if automatic {
                // The file follows the same rule as memory: forward only. Memory may be ahead of it already.
                let filed = reaction.state.disk.current().bookmarks.get(&key).map(|file| file.offset);
                let outcome = fence::automatic_store_forward_only(&setup.choices, offset, filed);
                if reaction.fence(Fence::AutomaticStoreForwardOnly, outcome, None, None).is_some() {
                    return;
                }
            }
            let state = &reaction.state;
            let generation = state.purge_generation;
            Some(BookmarkFile { offset, generation, origin, written_in: state.history, automatic })
        }
        CommitAction::Delete => None,
    };
    let state = &mut reaction.state;
    match after {
        Some(file) => {
            state.disk.perform(disk::Operation::WriteBookmark(key, file), durable);
            let ahead = automatic && setup.choices.has(Fence::AutomaticStoreForwardOnly);
            if !(ahead && before.is_some_and(|before| before.offset >= file.offset)) {
                state.bookmarks.insert(key, file);
            }
        }
        None => {
            state.disk.perform(disk::Operation::RemoveBookmark(key), durable);
            state.bookmarks.remove(&key);
        }
    }
    note(setup, reaction, request, key, after, automatic, origin);
    let now = reaction.state.bookmarks.get(&key).copied();
    if now != before {
        reaction.mark(Mark::BookmarkMoved { key, before, after: now, origin, automatic, request: Some(request) });
    }
}

/// The referee's notes on a commit.
fn note(
    setup: &Setup,
    reaction: &mut Reaction<Owner>,
    request: RequestId,
    key: Key,
    after: Option<BookmarkFile>,
    automatic: bool,
    origin: Origin,
) {
    let ghost = &mut reaction.state.ghost;
    if let (Origin::Deliberate { .. }, Some(file)) = (origin, after) {
        ghost.positions.push((key, request, file.offset));
    }
    if !automatic && setup.choices.commits_durable == CommitsDurable::WhenAcknowledged {
        let crashes = setup.bounds.restarts > 0 || setup.bounds.power_losses > 0;
        if crashes {
            ghost.acknowledged.insert(key, after.map(|file| file.offset));
        }
    }
}

/// The bits of all offsets up to and including one.
pub fn bits_up_to(offset: u8) -> u64 {
    bit(offset) | (bit(offset) - 1)
}
