//! The process dies and recovers: memory is lost, files are loaded, and the partition serves again, in one step.

use std::collections::BTreeMap;

use fencepost_spec::contract::{AboveHead, BookmarkCarries, Numbering};
use fencepost_spec::event::EventKind;
use fencepost_spec::fence::{self, Fence};
use fencepost_spec::identity::History;

use super::purge::{self, forget_progress};
use super::{Owner, Status, Work};
use crate::iggy::disk::{BookmarkFile, Image, Operation, Segment};
use crate::iggy::log::Log;
use crate::iggy::marks::Mark;
use crate::iggy::messages::{Answer, Key};
use crate::iggy::system::{Reaction, Setup};

/// The process restarts; the page cache survives.
pub fn restart(setup: &Setup, reaction: &mut Reaction<Owner>) -> Option<()> {
    reaction.state.restarts_left = reaction.state.restarts_left.checked_sub(1)?;
    reaction.mark(Mark::Event(EventKind::Crashed, None));
    let image = reaction.state.disk.current();
    if setup.bounds.power_losses == 0 {
        reaction.state.disk.keep(image.clone());
    }
    recover(setup, reaction, image);
    Some(())
}

/// Power is lost: the unsynced operations with a bit in `survivors` are found again, no others.
pub fn power_loss(setup: &Setup, reaction: &mut Reaction<Owner>, survivors: u8) -> Option<()> {
    let meaningful = reaction.state.disk.unsynced.len().min(8);
    if meaningful < 8 && u32::from(survivors) >= 1 << meaningful {
        return None;
    }
    reaction.state.power_losses_left = reaction.state.power_losses_left.checked_sub(1)?;
    reaction.mark(Mark::Event(EventKind::PowerLost, None));
    let image = reaction.state.disk.surviving(u64::from(survivors));
    reaction.state.disk.keep(image.clone());
    recover(setup, reaction, image);
    Some(())
}

/// The harness puts the bookmarks back that it saved: unlinks that a power loss would have undone.
pub fn resurrect_bookmarks(reaction: &mut Reaction<Owner>) -> Option<()> {
    let saved = reaction.state.disk.saved_bookmarks.clone();
    reaction.state.disk.durable.bookmarks.extend(saved);
    Some(())
}

fn recover(setup: &Setup, reaction: &mut Reaction<Owner>, image: Image) {
    lose_memory(reaction);
    let before = reaction.state.history;
    let (history, log) = recovered_log(setup, &reaction.state, &image);
    let generation = image.marker.generation;
    let bookmarks = recovered_bookmarks(setup, reaction, &image, &log);
    let state = &mut reaction.state;
    // A lost segment is planted anew before anything else happens.
    let segment = Segment { history, log: Log { start: log.start, messages: Vec::new() } };
    state.disk.durable.segment.get_or_insert(segment);
    state.history = history;
    state.log = log;
    state.purge_generation = generation;
    state.bookmarks = bookmarks.clone();
    state.status = Status::Serving;
    if history != before {
        state.ghost.restarts = state.ghost.restarts.max(history.restarts);
        state.ghost.accepted = count_accepted(&state.log);
        forget_progress(state);
    }
    forget_lost(state);
    reaction.mark(Mark::Event(EventKind::Restarted, None));
    let decided = reaction.state.applied.purge_generation;
    let outcome = fence::purge_finished_before_serving(&setup.choices, generation, decided);
    if reaction.fence(Fence::PurgeFinishedBeforeServing, outcome, None, None).is_some() {
        purge::resume(setup, reaction);
        return;
    }
    let serves = Image { bookmarks, segment: image.segment, marker: image.marker };
    reaction.mark(Mark::Recovered(Box::new(serves)));
}

fn count_accepted(log: &Log) -> u8 {
    log.messages.iter().map(|message| message.number + 1).max().unwrap_or(0)
}

/// Everything in memory is gone; whoever waited is told that the connection ended.
fn lose_memory(reaction: &mut Reaction<Owner>) {
    let state = &mut reaction.state;
    let reads = std::mem::take(&mut state.reads);
    let operations: Vec<_> = state.pipeline.drain(..).collect();
    let operations: Vec<_> = operations.into_iter().chain(std::mem::take(&mut state.queue)).collect();
    state.last_polled = None;
    state.reported_drained = None;
    state.ghost.granted = None;
    for read in reads.into_iter().filter(|read| read.caller_waits) {
        reaction.answer(read.id, Answer::Disconnected);
    }
    for operation in operations {
        if !matches!(operation.work, Work::Commit { automatic: true, .. }) {
            reaction.answer(operation.request, Answer::Disconnected);
        }
    }
}

/// The log as found. Without a segment an empty one is begun, at the recorded start; if that is not where the lost one
/// ended, or if numbering restarts at a purge, that is another history.
fn recovered_log(setup: &Setup, state: &Owner, image: &Image) -> (History, Log) {
    let keeps = setup.choices.numbering_at_purge == Numbering::Continue;
    match &image.segment {
        Some(segment) => {
            let mut log = segment.log.clone();
            if keeps {
                log.advance_start(image.marker.start);
            }
            (segment.history, log)
        }
        None => {
            let start = if keeps { image.marker.start } else { 0 };
            let continues = keeps && start == state.log.next_offset();
            let history = match (continues, keeps) {
                (true, _) => state.history,
                (false, true) => History { losses: state.history.losses + 1, ..state.history },
                (false, false) => History { restarts: state.ghost.restarts + 1, ..state.history },
            };
            (history, Log { start, messages: Vec::new() })
        }
    }
}

fn recovered_bookmarks(
    setup: &Setup,
    reaction: &mut Reaction<Owner>,
    image: &Image,
    log: &Log,
) -> BTreeMap<Key, BookmarkFile> {
    let mut bookmarks = BTreeMap::new();
    for (key, file) in &image.bookmarks {
        if setup.choices.bookmark_carries == BookmarkCarries::PurgeGeneration {
            let outcome = fence::bookmark_generation_at_load(&setup.choices, file.generation, image.marker.generation);
            if reaction.fence(Fence::BookmarkGenerationAtLoad, outcome, None, None).is_some() {
                let durable = setup.bounds.power_losses == 0;
                reaction.state.disk.perform(Operation::RemoveBookmark(*key), durable);
                continue;
            }
        }
        if file.offset < log.next_offset() {
            bookmarks.insert(*key, *file);
            continue;
        }
        let head = log.next_offset().checked_sub(1);
        let clamped = match setup.choices.bookmark_above_head_at_boot {
            AboveHead::ClampedToHead => Some(head.unwrap_or(0)),
            AboveHead::Absent => head,
        };
        if let Some(offset) = clamped {
            bookmarks.insert(*key, BookmarkFile { offset, ..*file });
        }
    }
    bookmarks
}

/// Messages that were lost are not served any more: their offsets will name other messages.
fn forget_lost(state: &mut Owner) {
    let next = state.log.next_offset();
    let kept = if next >= 63 { u64::MAX } else { (1_u64 << next) - 1 };
    state.ghost.accounted.values_mut().for_each(|bits| *bits &= kept);
    state.ghost.accounted.retain(|_, bits| *bits != 0);
    state.ghost.positions.iter_mut().for_each(|(_, _, offset)| *offset = (*offset).min(next.saturating_sub(1)));
    if next == 0 {
        state.ghost.positions.clear();
    }
}
