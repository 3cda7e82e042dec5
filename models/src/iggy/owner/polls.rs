//! Reads: planned when the poll arrives, opened, and completed; or parked until there are messages.

use fencepost_spec::contract::{AutomaticStoreOrder, Capture, GatewayTimeOut, JoinTakes, ReadEffect, WireIdentity};
use fencepost_spec::event::EventKind;
use fencepost_spec::fence::{self, Fence, Refusal};
use fencepost_spec::identity::{Context, Origin};
use fencepost_spec::reply::{NOT_ACCEPTED, OUTCOME_UNKNOWN};

use super::commits::{self, Place};
use super::{Operation, Owner, Phase, Read, Work};
use crate::iggy::disk::BookmarkFile;
use crate::iggy::gateway::answer_of;
use crate::iggy::marks::{Granted, Mark};
use crate::iggy::messages::{Answer, Batch, CommitAction, Key, Placed, Poll, RequestId, Strategy};
use crate::iggy::system::{Reaction, Setup};

/// A poll arrives: it is refused, or a read is planned; `None` while there is no room for another read.
pub fn arrive(setup: &Setup, reaction: &mut Reaction<Owner>, poll: &Poll) -> Option<()> {
    let running = reaction.state.reads.iter().filter(|read| read.phase != Phase::Parked).count();
    let capacity = usize::from(setup.bounds.reads);
    if running >= capacity && !setup.choices.has(Fence::CompletionCapacityBeforeRead) {
        return None;
    }
    reaction.mark(Mark::Event(EventKind::Arrived, Some(poll.id)));
    if let Some(refusal) = admission(setup, reaction, poll, running, capacity) {
        reaction.refuse(poll.id, answer_of(refusal.answer));
        return Some(());
    }
    let read = plan(&reaction.state, poll);
    let nothing = read.cursor > read.ceiling || reaction.state.log.last_offset().is_none();
    if nothing && poll.may_wait && setup.choices.parked_polls {
        insert(&mut reaction.state, Read { phase: Phase::Parked, ..read });
        return Some(());
    }
    let found = if nothing { Vec::new() } else { reaction.state.log.read(read.cursor, read.ceiling, read.count) };
    if nothing || !setup.bounds.disk_reads {
        if setup.bounds.hold_plans {
            insert(&mut reaction.state, Read { phase: Phase::Opened(found), ..read });
        } else {
            finish(setup, reaction, &read, found);
        }
    } else {
        insert(&mut reaction.state, read);
    }
    Some(())
}

fn admission(
    setup: &Setup,
    reaction: &mut Reaction<Owner>,
    poll: &Poll,
    running: usize,
    capacity: usize,
) -> Option<Refusal> {
    let choices = &setup.choices;
    if choices.poll_identity_on_wire != WireIdentity::Nothing {
        let applied = reaction.state.applied_context(setup);
        let outcome = fence::metadata_floor_on_arrival(choices, &poll.context, &applied);
        let refusal = reaction.fence(Fence::MetadataFloorOnArrival, outcome, Some(poll.id), None);
        if refusal.is_some() {
            return refusal;
        }
        let outcome = fence::poll_incarnation_on_arrival(choices, &poll.context, reaction.state.applied.incarnation);
        let refusal = reaction.fence(Fence::PollIncarnationOnArrival, outcome, Some(poll.id), None);
        if refusal.is_some() {
            return refusal;
        }
    }
    let outcome = fence::completion_capacity_before_read(choices, running, capacity);
    reaction.fence(Fence::CompletionCapacityBeforeRead, outcome, Some(poll.id), None)
}

/// Fixes cursor and ceiling. `First` means offset 0, and an offset below the start falls forward to the start.
fn plan(state: &Owner, poll: &Poll) -> Read {
    let log = &state.log;
    let cursor = match poll.strategy {
        Strategy::First => 0,
        Strategy::Next => state.stored(poll.key).map_or(0, |stored| stored.saturating_add(1)),
        Strategy::Offset(offset) => offset,
        Strategy::Last => log.next_offset().saturating_sub(poll.count),
    };
    Read {
        id: poll.id,
        key: poll.key,
        strategy: poll.strategy,
        count: poll.count,
        automatic: poll.automatic,
        cursor: cursor.max(log.start),
        ceiling: log.next_offset().saturating_sub(1),
        captured: poll.context,
        purge_generation: state.purge_generation,
        history: state.history,
        assignment: poll.assignment,
        caller_waits: true,
        phase: Phase::Planned,
    }
}

fn insert(state: &mut Owner, read: Read) {
    let position = state.reads.partition_point(|other| other.id < read.id);
    state.reads.insert(position, read);
}

/// The index of the read that a slot names: the slots are the first reads of all consumers, then their second ones, and so on.
///
/// A slot belongs to a consumer, so that weak fairness cannot starve one consumer's read by another's.
pub fn read_in(setup: &Setup, state: &Owner, slot: u8) -> Option<usize> {
    let consumers = setup.bounds.consumers.len();
    let (client, nth) = (usize::from(slot) % consumers, usize::from(slot) / consumers);
    let of_client = |(_, read): &(usize, &Read)| usize::from(read.id.client) == client;
    state.reads.iter().enumerate().filter(of_client).nth(nth).map(|(index, _)| index)
}

/// Opens the file of a planned read. If it was replaced since, the read finds nothing in it, or the new bytes.
pub fn open(setup: &Setup, reaction: &mut Reaction<Owner>, slot: u8, new_bytes: bool) -> Option<()> {
    let (history, log) = (reaction.state.history, reaction.state.log.clone());
    let index = read_in(setup, &reaction.state, slot)?;
    let read = reaction.state.reads.get_mut(index).filter(|read| read.phase == Phase::Planned)?;
    let replaced = read.history != history;
    if new_bytes && !replaced {
        return None;
    }
    let found = if replaced && !new_bytes { Vec::new() } else { log.read(read.cursor, read.ceiling, read.count) };
    if new_bytes && found.is_empty() {
        return None;
    }
    read.phase = Phase::Opened(found);
    let id = read.id;
    reaction.mark(Mark::Event(EventKind::Opened, Some(id)));
    Some(())
}

/// Completes an opened read, or wakes a parked poll; with `expired`, ends the wait of a parked poll.
pub fn complete(setup: &Setup, reaction: &mut Reaction<Owner>, slot: u8, expired: bool) -> Option<()> {
    let index = read_in(setup, &reaction.state, slot)?;
    let read = reaction.state.reads[index].clone();
    let found = match &read.phase {
        Phase::Planned => return None,
        Phase::Opened(_) if expired => return None,
        Phase::Opened(found) => found.clone(),
        Phase::Parked if expired => Vec::new(),
        Phase::Parked => {
            let last = reaction.state.log.last_offset();
            let wakes = last.is_some_and(|last| last >= read.cursor);
            let stale = read.history != reaction.state.history
                || read.key == Key::Group && read.assignment != reaction.state.assignment(Key::Group);
            if !wakes && !stale {
                return None;
            }
            last.map_or_else(Vec::new, |last| reaction.state.log.read(read.cursor, last, read.count))
        }
    };
    reaction.state.reads.remove(index);
    finish(setup, reaction, &read, found);
    Some(())
}

/// The end of a read: it is granted, with its effects on progress, or refused without any.
fn finish(setup: &Setup, reaction: &mut Reaction<Owner>, read: &Read, found: Vec<Placed>) {
    reaction.mark(Mark::Event(EventKind::Completed, Some(read.id)));
    if read.key == Key::Group && is_withheld(setup, &reaction.state) {
        return answer_poll(reaction, read, Answer::Code(NOT_ACCEPTED), true);
    }
    if setup.choices.effect_of_read == ReadEffect::WhenCompleted {
        let refusal = completion_fences(setup, reaction, read);
        match refusal {
            None => {}
            Some(refusal) if refusal.fence == Fence::CallerPresentAtCompletion => return,
            Some(refusal) => {
                return answer_poll(reaction, read, answer_of(refusal.answer), true);
            }
        }
    }
    if !found.is_empty() && read.automatic {
        let admitted = automatic_store(setup, reaction, read, &found);
        if let Err(answer) = admitted {
            return answer_poll(reaction, read, answer, true);
        }
    }
    if !found.is_empty() && read.key == Key::Group {
        move_last_polled(reaction, read, &found);
    }
    grant(setup, reaction, read, found);
}

/// Whether the owner grants the group nothing more because it has reported that the revoked partition is drained.
fn is_withheld(setup: &Setup, state: &Owner) -> bool {
    let drains = setup.choices.join_takes_partition == JoinTakes::WhenReportedDrained;
    drains && state.reported_drained == Some(state.applied.group.generation)
}

fn completion_fences(setup: &Setup, reaction: &mut Reaction<Owner>, read: &Read) -> Option<Refusal> {
    let choices = &setup.choices;
    let id = Some(read.id);
    let origin = Some(Origin::Read { history: read.history, assignment: read.assignment });
    let outcome = fence::caller_present_at_completion(choices, read.caller_waits);
    let refusal = reaction.fence(Fence::CallerPresentAtCompletion, outcome, id, None);
    if refusal.is_some() {
        return refusal;
    }
    let outcome = fence::poll_history_at_completion(choices, read.history, reaction.state.history);
    let refusal = reaction.fence(Fence::PollHistoryAtCompletion, outcome, id, origin);
    if refusal.is_some() || read.key != Key::Group {
        return refusal;
    }
    let current = reaction.state.assignment_number(setup);
    // A request that knows more than the owner has applied is not refused as stale: "not applied here yet".
    let origin = origin.filter(|_| read.captured.assignment.is_none_or(|captured| captured <= current));
    let outcome = fence::poll_assignment_at_completion(choices, &read.captured, current);
    let refusal = reaction.fence(Fence::PollAssignmentAtCompletion, outcome, id, origin);
    if refusal.is_some() || !read.automatic {
        return refusal;
    }
    let outcome = fence::automatic_store_assignment_at_completion(choices, &read.captured, current);
    reaction.fence(Fence::AutomaticStoreAssignmentAtCompletion, outcome, id, origin)
}

fn answer_poll(reaction: &mut Reaction<Owner>, read: &Read, answer: Answer, denied: bool) {
    if denied {
        reaction.mark(Mark::Denied(read.id));
    }
    if read.caller_waits {
        reaction.answer(read.id, answer);
    }
}

fn move_last_polled(reaction: &mut Reaction<Owner>, read: &Read, found: &[Placed]) {
    let highest = found.iter().map(|placed| placed.offset).max().unwrap_or_default();
    if reaction.state.last_polled.is_none_or(|(offset, _)| highest > offset) {
        reaction.state.last_polled = Some((highest, read.history));
        reaction.mark(Mark::LastPolledMoved(read.id));
    }
}

/// The automatic store of a poll: admitted to the order (or not), with the bookmark in memory moved before or after that.
fn automatic_store(setup: &Setup, reaction: &mut Reaction<Owner>, read: &Read, found: &[Placed]) -> Result<(), Answer> {
    let offset = found.last().map(|placed| placed.offset).unwrap_or_default();
    let origin = Origin::Read { history: read.history, assignment: read.assignment };
    let work = Work::Commit { key: read.key, action: CommitAction::Store(offset), automatic: true, origin };
    let operation = Operation {
        request: read.id,
        work,
        context: read.captured,
        history: reaction.state.history,
        purged_since: false,
    };
    let takes_effect = Mark::TakesEffect { key: read.key, origin, automatic: true };
    match setup.choices.bookmark_of_automatic_store {
        AutomaticStoreOrder::BeforeAdmission => {
            eager_bookmark(setup, reaction, read, offset, origin);
            // The store goes the way of every request: it must be in range. Nobody hears of its refusal.
            let last = reaction.state.log.last_offset();
            let outcome = fence::store_in_range_on_arrival(&setup.choices, offset, last);
            let refused = reaction.fence(Fence::StoreInRangeOnArrival, outcome, Some(read.id), None).is_some();
            if refused || commits::order(setup, reaction, operation) == Place::None {
                reaction.mark(Mark::Denied(read.id));
            } else {
                reaction.mark(takes_effect);
            }
        }
        AutomaticStoreOrder::AfterAdmission => {
            if commits::order(setup, reaction, operation) == Place::None {
                return Err(Answer::Code(NOT_ACCEPTED));
            }
            reaction.mark(takes_effect);
            eager_bookmark(setup, reaction, read, offset, origin);
        }
    }
    Ok(())
}

/// Moves the bookmark in memory, forward only, before the store is durable.
fn eager_bookmark(setup: &Setup, reaction: &mut Reaction<Owner>, read: &Read, offset: u8, origin: Origin) {
    let outcome = fence::automatic_store_forward_only(&setup.choices, offset, reaction.state.stored(read.key));
    if reaction.fence(Fence::AutomaticStoreForwardOnly, outcome, None, None).is_some() {
        return;
    }
    let file = BookmarkFile {
        offset,
        generation: reaction.state.purge_generation,
        origin,
        written_in: reaction.state.history,
        automatic: true,
    };
    let before = reaction.state.bookmarks.insert(read.key, file);
    reaction.mark(Mark::BookmarkMoved {
        key: read.key,
        before,
        after: Some(file),
        origin,
        automatic: true,
        request: Some(read.id),
    });
}

fn grant(setup: &Setup, reaction: &mut Reaction<Owner>, read: &Read, found: Vec<Placed>) {
    reaction.mark(Mark::Granted(Granted {
        id: read.id,
        key: read.key,
        strategy: read.strategy,
        cursor: read.cursor,
        batch: found.clone(),
        history: read.history,
        assignment: read.assignment,
        incarnation: read.captured.incarnation,
        caller_waits: read.caller_waits,
    }));
    account(setup, reaction, read, &found);
    if found.is_empty() {
        return answer_poll(reaction, read, Answer::Empty, false);
    }
    let at_completion = setup.choices.batch_identity_captured == Capture::WhenCompleted;
    let context = if at_completion {
        reaction.state.applied_context(setup)
    } else {
        Context { purge_generation: Some(read.purge_generation), ..read.captured }
    };
    let batch = Batch { messages: found, context, history: read.history, assignment: read.assignment };
    answer_poll(reaction, read, Answer::Batch(batch), false);
}

/// The referee's notes on what was served. A poll by a position of the client's own choice moves past what lies before.
fn account(setup: &Setup, reaction: &mut Reaction<Owner>, read: &Read, found: &[Placed]) {
    let history = reaction.state.history;
    let served = found.iter().filter(|placed| placed.message.history == history);
    let mut bits = served.fold(0_u64, |bits, placed| bits | bit(placed.offset));
    if let Some(first) = found.first().filter(|_| read.strategy != Strategy::Next && read.history == history) {
        bits |= bit(first.offset) - 1;
    }
    if bits != 0 {
        *reaction.state.ghost.accounted.entry(read.key).or_default() |= bits;
    }
    if read.key == Key::Group && setup.bounds.partitions > 1 {
        let highest = found.iter().filter(|placed| placed.message.history == history).map(|placed| placed.offset).max();
        reaction.state.ghost.granted = reaction.state.ghost.granted.max(highest);
    }
}

/// The bit of an offset; offsets from 63 on share one (recordings are limited to less).
pub fn bit(offset: u8) -> u64 {
    1 << offset.min(63)
}

/// The gateway stops waiting for a poll and answers in place of the owner; the read goes on.
pub fn gateway_gives_up(setup: &Setup, reaction: &mut Reaction<Owner>, slot: u8) -> Option<()> {
    reaction.state.gateway_time_outs_left = reaction.state.gateway_time_outs_left.checked_sub(1)?;
    let index = read_in(setup, &reaction.state, slot)?;
    let read = reaction.state.reads.get_mut(index).filter(|read| read.caller_waits)?;
    read.caller_waits = false;
    let id: RequestId = read.id;
    reaction.mark(Mark::Event(EventKind::GatewayGaveUp, Some(id)));
    match setup.choices.gateway_time_out {
        GatewayTimeOut::EmptyBatch => {
            reaction.mark(Mark::AnsweredEmptyInPlace(id));
            reaction.answer(id, Answer::Empty);
        }
        GatewayTimeOut::OutcomeUnknown => reaction.answer(id, Answer::Code(OUTCOME_UNKNOWN)),
    }
    Some(())
}
