//! The views: each a set of budgets over the same actors, which explores a few aspects together.

use fencepost_spec::kafkajs::VIEWS;

use super::bounds::{Bounds, LogBounds, OtherCommit, ResetTo, RoundCovers, UserAct};
use crate::family::{BoundsSet, View};

/// All views in a size, in the order of the reports.
pub fn views(set: BoundsSet) -> Vec<View<Bounds>> {
    let size = match set {
        BoundsSet::Quick => 1,
        BoundsSet::Ci => 2,
        BoundsSet::Deep => 3,
    };
    views_of_size(size)
}

/// All views in a size by number.
pub fn views_of_size(size: u8) -> Vec<View<Bounds>> {
    VIEWS.iter().map(|name| View { name, bounds: bounds(name, size), liveness: false }).collect()
}

fn bounds(name: &str, size: u8) -> Bounds {
    match name {
        "overlapping-rounds" => overlapping_rounds(size),
        "seek-with-commits" => seek_with_commits(size),
        "reordered-answers" => reordered_answers(size),
        "lost-and-regained" => lost_and_regained(size),
        "reset-after-loss" => reset_after_loss(size),
        "kept-partition" => kept_partition(size),
        "pause-and-manual-commits" => pause_and_manual_commits(size),
        _ => empty_assignment(size),
    }
}

/// Retention has removed what both partitions would read next. Each round asks for the offsets of both.
fn overlapping_rounds(size: u8) -> Bounds {
    let log = LogBounds { start: 3, ..LogBounds::default() };
    Bounds {
        logs: [log, log],
        round_covers: RoundCovers::AllPartitions,
        rounds: [3 + size, 2 + size],
        ..Bounds::default()
    }
}

/// The application seeks back while another partition's handler commits everything that is processed.
fn seek_with_commits(size: u8) -> Bounds {
    let with_control = LogBounds { control: Some(1), ..LogBounds::default() };
    Bounds {
        logs: [with_control, LogBounds::default()],
        rounds: [3 + size, 2 + size],
        user: vec![UserAct::Seek { partition: 0, offset: 0 }],
        concurrency: 2,
        ..Bounds::default()
    }
}

/// The coordinator moves: what it answered on the old connection may arrive after what it answers on the new one, which may be that
/// nothing is assigned.
fn reordered_answers(size: u8) -> Bounds {
    Bounds {
        rounds: [1 + size, 2 + size / 2],
        user: vec![UserAct::Seek { partition: 0, offset: 0 }],
        not_leader: [size / 2, 1],
        assignments: vec![[false, false], [true, true]],
        other_commits: vec![OtherCommit { partition: 0, offset: 3 }],
        concurrency: 2,
        in_order: false,
        ..Bounds::default()
    }
}

/// A partition goes to another member, who commits, and comes back, while what was fetched before is under way.
fn lost_and_regained(size: u8) -> Bounds {
    let without_commit = LogBounds { committed: None, ..LogBounds::default() };
    Bounds {
        logs: [without_commit, LogBounds::default()],
        reset_to: ResetTo::Earliest,
        rounds: [2 + size, 3 + size],
        not_leader: [0, 2],
        assignments: vec![[false, true], [true, true]],
        other_commits: vec![OtherCommit { partition: 0, offset: 3 }],
        concurrency: 1 + size.min(1),
        ..Bounds::default()
    }
}

/// The offset of a partition is out of range, and the answer arrives after the partition was lost.
fn reset_after_loss(size: u8) -> Bounds {
    let log = LogBounds { start: 2, ..LogBounds::default() };
    Bounds {
        logs: [log, LogBounds::default()],
        rounds: [2 + size, 3 + size],
        not_leader: [0, 2],
        assignments: vec![[false, true], [true, true]],
        other_commits: vec![OtherCommit { partition: 0, offset: 3 }],
        ..Bounds::default()
    }
}

/// Joins that leave everything where it was, while something fetched is under way.
fn kept_partition(size: u8) -> Bounds {
    Bounds {
        rounds: [2 + size, 2 + size],
        not_leader: [1, size.min(1)],
        assignments: vec![[true, true], [true, true]],
        ..Bounds::default()
    }
}

/// The application pauses, resumes, seeks and commits by itself.
fn pause_and_manual_commits(size: u8) -> Bounds {
    Bounds {
        rounds: [1 + size, 1],
        user: vec![
            UserAct::Pause { partition: 0 },
            UserAct::Resume { partition: 0 },
            UserAct::Seek { partition: 0, offset: 0 },
            UserAct::Commit { partition: 0, offset: 2 },
        ],
        automatic: false,
        ..Bounds::default()
    }
}

/// The consumer gets no partition at all (#567) while a handler runs and a round is under way.
fn empty_assignment(size: u8) -> Bounds {
    let log = LogBounds { retained_from: Some(2), ..LogBounds::default() };
    Bounds {
        logs: [log, LogBounds::default()],
        rounds: [2 + size, 3 + size],
        not_leader: [0, 2],
        assignments: vec![[false, false], [true, true]],
        concurrency: 2,
        ..Bounds::default()
    }
}
