//! Applying decrees, and emptying the partition.

use fencepost_spec::contract::{Acknowledged, Numbering};
use fencepost_spec::event::EventKind;
use fencepost_spec::fence::{self, Fence};
use fencepost_spec::identity::History;
use fencepost_spec::reply::NOT_ACCEPTED;
use serde::{Deserialize, Serialize};

use super::{Owner, Status, Work};
use crate::iggy::disk::{Directory, Disk, Marker, Operation};
use crate::iggy::log::Log;
use crate::iggy::marks::Mark;
use crate::iggy::messages::{Answer, Decree, Envelope, Key, Message, OPERATOR, RequestId};
use crate::iggy::system::{Address, Reaction, Setup};

/// The next thing that a purge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// Records the new start (kept numbering only).
    RecordStart,
    /// Removes the segment and plants an empty one; memory starts anew.
    ReplaceSegment,
    /// Syncs the directory of the partition.
    SyncPartition,
    /// Unlinks all bookmarks.
    RemoveBookmarks,
    /// Syncs the directory of bookmarks.
    SyncBookmarks,
    /// Records the purge as done.
    WriteMarker,
}

/// The owner applies a decree, in the order of the decrees.
pub fn apply(setup: &Setup, reaction: &mut Reaction<Owner>, decree: &Decree) -> Option<()> {
    if decree.operation != reaction.state.applied.operation + 1 {
        return None;
    }
    let before = std::mem::replace(&mut reaction.state.applied, decree.clone());
    if decree.incarnation != before.incarnation {
        recreate(reaction);
        applied(setup, reaction);
    } else if decree.purge_generation != before.purge_generation {
        if reaction.state.status == Status::Fenced {
            return None;
        }
        begin(setup, reaction);
    } else {
        mark_applied(reaction);
    }
    Some(())
}

fn mark_applied(reaction: &mut Reaction<Owner>) {
    let cause = reaction.state.applied.cause;
    let request = (cause > 0).then_some(RequestId { client: OPERATOR, number: cause });
    reaction.mark(Mark::Event(EventKind::Applied, request));
}

fn applied(setup: &Setup, reaction: &mut Reaction<Owner>) {
    mark_applied(reaction);
    if setup.choices.emptying_acknowledged == Acknowledged::WhenApplied {
        reaction.send(Address::Metadata, Envelope::Applied(reaction.state.applied.emptyings));
    }
}

/// A new incarnation: nothing of the old one is left but reads under way, which hold its files open.
fn recreate(reaction: &mut Reaction<Owner>) {
    removed(reaction);
    let operations: Vec<_> = reaction.state.pipeline.drain(..).collect();
    let operations = operations.into_iter().chain(std::mem::take(&mut reaction.state.queue));
    for operation in operations.collect::<Vec<_>>() {
        if !matches!(operation.work, Work::Commit { automatic: true, .. }) {
            reaction.refuse(operation.request, Answer::Code(NOT_ACCEPTED));
        }
    }
    let state = &mut reaction.state;
    let history = History { incarnation: state.applied.incarnation, restarts: 0, losses: 0 };
    state.status = Status::Serving;
    state.purge_generation = 0;
    state.ghost.restarts = 0;
    state.disk = Disk::new(history);
    start_history(state, history, 0);
}

fn removed(reaction: &mut Reaction<Owner>) {
    let messages: Vec<Message> = reaction.state.log.messages.clone();
    reaction.mark(Mark::Removed(reaction.state.applied.emptyings, messages));
}

/// Memory of a new history: empty.
fn start_history(state: &mut Owner, history: History, start: u8) {
    state.history = history;
    state.log = Log { start, messages: Vec::new() };
    state.bookmarks.clear();
    state.last_polled = None;
    state.ghost.accepted = 0;
    forget_progress(state);
}

/// The referee's notes that belong to one history.
pub fn forget_progress(state: &mut Owner) {
    state.ghost.accounted.clear();
    state.ghost.positions.clear();
    state.ghost.acknowledged.clear();
    state.ghost.granted = None;
}

/// The steps of a purge under a contract, in order.
fn steps(setup: &Setup) -> Vec<Step> {
    match setup.choices.numbering_at_purge {
        Numbering::Restart => {
            vec![
                Step::ReplaceSegment,
                Step::SyncPartition,
                Step::RemoveBookmarks,
                Step::SyncBookmarks,
                Step::WriteMarker,
            ]
        }
        Numbering::Continue if setup.choices.has(Fence::NewStartRecordedFirst) => {
            vec![Step::RecordStart, Step::ReplaceSegment]
        }
        Numbering::Continue => vec![Step::ReplaceSegment, Step::RecordStart],
    }
}

fn begin(setup: &Setup, reaction: &mut Reaction<Owner>) {
    reaction.state.status = Status::Purging(steps(setup)[0]);
    if !setup.bounds.purge_in_steps {
        while matches!(reaction.state.status, Status::Purging(_)) {
            perform(setup, reaction, false);
        }
    }
}

/// The recovered owner finds that a purge which it knows of was not recorded as done, and begins it again.
pub fn resume(setup: &Setup, reaction: &mut Reaction<Owner>) -> Option<()> {
    let unfinished = reaction.state.purge_generation < reaction.state.applied.purge_generation;
    if !unfinished || reaction.state.status != Status::Serving {
        return None;
    }
    begin(setup, reaction);
    Some(())
}

/// One step of a purge that goes step by step.
pub fn step(setup: &Setup, reaction: &mut Reaction<Owner>, fails: bool) -> Option<()> {
    let Status::Purging(step) = reaction.state.status else { return None };
    if fails {
        let can_fail = match step {
            Step::SyncPartition | Step::SyncBookmarks => true,
            Step::RemoveBookmarks => !reaction.state.disk.current().bookmarks.is_empty(),
            Step::RecordStart | Step::ReplaceSegment | Step::WriteMarker => false,
        };
        if !can_fail {
            return None;
        }
        reaction.state.disk_failures_left = reaction.state.disk_failures_left.checked_sub(1)?;
    }
    perform(setup, reaction, fails);
    Some(())
}

fn perform(setup: &Setup, reaction: &mut Reaction<Owner>, fails: bool) {
    let Status::Purging(step) = reaction.state.status else { return };
    let choices = &setup.choices;
    let fenced = match step {
        Step::RecordStart => {
            record_marker(setup, reaction);
            false
        }
        Step::ReplaceSegment => {
            replace_segment(setup, reaction);
            false
        }
        Step::SyncPartition => {
            if !fails {
                reaction.state.disk.sync(Directory::Partition);
            }
            let outcome = fence::partition_directory_synced(choices, !fails);
            reaction.fence(Fence::PartitionDirectorySynced, outcome, None, None).is_some()
        }
        Step::RemoveBookmarks => {
            remove_bookmarks(setup, reaction, fails);
            let outcome = fence::bookmarks_unlinked(choices, !fails);
            reaction.fence(Fence::BookmarksUnlinked, outcome, None, None).is_some()
        }
        Step::SyncBookmarks => {
            if !fails {
                reaction.state.disk.sync(Directory::Bookmarks);
            }
            let outcome = fence::bookmark_directory_synced(choices, !fails);
            reaction.fence(Fence::BookmarkDirectorySynced, outcome, None, None).is_some()
        }
        Step::WriteMarker => {
            record_marker(setup, reaction);
            false
        }
    };
    let order = steps(setup);
    let next = order.iter().position(|other| *other == step).and_then(|position| order.get(position + 1));
    match next {
        _ if fenced => reaction.state.status = Status::Fenced,
        Some(next) => reaction.state.status = Status::Purging(*next),
        None => {
            reaction.state.status = Status::Serving;
            applied(setup, reaction);
        }
    }
}

/// The start that a purge leaves, with kept numbering: everything committed so far goes.
fn new_start(state: &Owner) -> u8 {
    state.log.next_offset()
}

fn record_marker(setup: &Setup, reaction: &mut Reaction<Owner>) {
    let state = &mut reaction.state;
    let keeps = setup.choices.numbering_at_purge == Numbering::Continue;
    let start = if keeps { new_start(state) } else { 0 };
    let generation = state.applied.purge_generation;
    state.disk.durable.marker = Marker { generation, start, history: state.history };
    state.purge_generation = generation;
}

fn replace_segment(setup: &Setup, reaction: &mut Reaction<Owner>) {
    removed(reaction);
    let keeps = setup.choices.numbering_at_purge == Numbering::Continue;
    if keeps {
        let recorded = reaction.state.disk.durable.marker.generation == reaction.state.applied.purge_generation;
        let outcome = fence::new_start_recorded_first(&setup.choices, recorded);
        reaction.fence(Fence::NewStartRecordedFirst, outcome, None, None);
    }
    let state = &mut reaction.state;
    state.pipeline.iter_mut().for_each(|operation| operation.purged_since = true);
    let start = if keeps { new_start(state) } else { 0 };
    if keeps {
        state.log = Log { start, messages: Vec::new() };
    } else {
        state.ghost.restarts += 1;
        let history = History { restarts: state.ghost.restarts, ..state.history };
        start_history(state, history, start);
    }
    let durable = setup.bounds.power_losses == 0;
    state.disk.perform(Operation::RemoveSegment, durable);
    state.disk.perform(Operation::CreateSegment(state.history, start), durable);
}

fn remove_bookmarks(setup: &Setup, reaction: &mut Reaction<Owner>, fails: bool) {
    let durable = setup.bounds.power_losses == 0;
    let keys: Vec<Key> = reaction.state.disk.current().bookmarks.keys().copied().collect();
    for key in keys.into_iter().filter(|_| !fails) {
        reaction.state.disk.perform(Operation::RemoveBookmark(key), durable);
    }
}
