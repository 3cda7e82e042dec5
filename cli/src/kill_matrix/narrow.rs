//! Narrow views: a few budgets each, so small that a trace comes by every transition.
//!
//! The covers of the shipped views come by every abstract transition, and not by every combination of what the abstraction leaves out.
//! Each view here brings together what one fault needs and no shipped view has, or only behind many other steps, and is tried on that
//! fault only.

use fencepost_models::iggy::bounds::{Bounds, ConsumerBounds, Pipeline};
use fencepost_models::iggy::messages::{Act, Command, Strategy};
use fencepost_models::iggy::views::View;
use fencepost_reference::{Fault, Planted};

/// Name of each narrow view, and the fault that it is for.
const FAULTS: &[(&str, Planted)] = &[
    ("narrow-read-slots", Planted::SlotKeptOnRefusal),
    ("narrow-revocation-and-leave", Planted::RevocationSurvivesLeave),
    ("narrow-operations-after-restart", Planted::CutOffOutlivesItsSequence),
    ("narrow-batch-of-older-assignment", Planted::CommitStampedWhenSent),
    ("narrow-poll-beside-a-prepared-send", Planted::UncommittedServed),
];

/// All narrow views.
pub(super) fn views() -> Vec<View> {
    let bounds = [
        read_slots(),
        revocation_and_leave(),
        operations_after_restart(),
        batch_of_older_assignment(),
        poll_beside_a_prepared_send(),
    ];
    FAULTS.iter().zip(bounds).map(|((name, _), bounds)| View { name, bounds, liveness: false }).collect()
}

/// Whether a view is tried on a fault: a narrow one on its own fault only.
pub(super) fn is_for(view: &str, fault: Fault) -> bool {
    FAULTS.iter().find(|(name, _)| *name == view).is_none_or(|(_, planted)| fault == Fault::Planted(*planted))
}

const fn poll(automatic: bool) -> Act {
    Act::Poll { strategy: Strategy::Next, count: 1, automatic, may_wait: false }
}

fn consumer(name: &str, member: bool, acts: Vec<Act>, polls: u8, commits: u8) -> ConsumerBounds {
    let name = name.to_owned();
    ConsumerBounds { name, member, acts, polls: Some(polls), commits: Some(commits), give_ups: 0, old_client: false }
}

/// One slot for reads, a read that a purge makes stale, and a second read: a slot that was lost is missed.
fn read_slots() -> Bounds {
    Bounds {
        consumers: vec![consumer("C", false, vec![poll(false)], 2, 0)],
        initial_messages: 1,
        sends: vec![1],
        scripts: vec![vec![Command::Empty]],
        reads: 1,
        ..Bounds::default()
    }
}

/// A join waits for a batch, and the member that has the batch leaves: the revocation is over.
fn revocation_and_leave() -> Bounds {
    Bounds {
        consumers: vec![consumer("A", true, vec![poll(false)], 1, 0), consumer("B", true, vec![poll(false)], 1, 0)],
        members: vec![0],
        partitions: 2,
        initial_messages: 1,
        scripts: vec![vec![Command::Join(1), Command::Leave(0)]],
        disk_reads: false,
        reads: 1,
        revocation_time_outs: 1,
        ..Bounds::default()
    }
}

/// Operations before a purge, a restart after it, and operations that are numbered anew.
fn operations_after_restart() -> Bounds {
    Bounds {
        consumers: vec![consumer("C", false, vec![poll(true)], 1, 0)],
        sends: vec![1, 1],
        scripts: vec![vec![Command::Empty]],
        disk_reads: false,
        reads: 1,
        restarts: 1,
        ..Bounds::default()
    }
}

/// A member reads, loses the partition and gets it again, learns that by an empty answer, and only then commits what it read first.
fn batch_of_older_assignment() -> Bounds {
    Bounds {
        consumers: vec![
            consumer("A", true, vec![poll(true), Act::StoreLast], 2, 1),
            consumer("B", true, Vec::new(), 0, 0),
        ],
        members: vec![0, 1],
        initial_messages: 1,
        scripts: vec![vec![Command::Leave(0), Command::Join(0), Command::Leave(1)]],
        disk_reads: false,
        reads: 1,
        ..Bounds::default()
    }
}

/// A send has its place and is not committed when a poll comes.
fn poll_beside_a_prepared_send() -> Bounds {
    Bounds {
        consumers: vec![consumer("C", false, vec![poll(false)], 1, 0)],
        sends: vec![1],
        pipeline: Pipeline::Held { prepared: 1, queued: 0 },
        disk_reads: false,
        reads: 1,
        ..Bounds::default()
    }
}
