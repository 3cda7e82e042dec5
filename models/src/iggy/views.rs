//! The views: each a set of budgets over the same actors, which explores a few aspects together.

use fencepost_spec::contract::{Choices, ClientCommits, WireIdentity};

use super::bounds::{Bounds, ConsumerBounds, Pipeline};
use super::messages::{Act, Command, Key, Strategy};

pub use crate::family::{BoundsSet, View};

/// All views in a size, in the order of the reports. They depend on the contract only where its clients can do more.
pub fn views(set: BoundsSet, choices: &Choices) -> Vec<View> {
    of_sizes(|name| size(name, set), choices)
}

/// All views in a size by number, and after them those for scale.
pub fn views_of_size(size: u8, choices: &Choices) -> Vec<View> {
    let mut views = of_sizes(|_| size, choices);
    views.extend(scale_views_of_sizes(|_| size));
    views
}

fn of_sizes(size: impl Fn(&str) -> u8, choices: &Choices) -> Vec<View> {
    fencepost_spec::library::VIEWS
        .iter()
        .map(|name| View { name, bounds: bounds(name, size(name), choices), liveness: *name == "liveness" })
        .collect()
}

/// The views for scale, in the order of the reports.
pub fn scale_views(set: BoundsSet) -> Vec<View> {
    scale_views_of_sizes(|name| size(name, set))
}

fn scale_views_of_sizes(size: impl Fn(&str) -> u8) -> Vec<View> {
    let view = |name: &&'static str| View { name, bounds: two_like_consumers(size(name)), liveness: false };
    fencepost_spec::library::SCALE_VIEWS.iter().map(view).collect()
}

/// The size of a view, on which its budgets depend. The views do not grow alike: `queued-operations-with-purge` has forty times
/// as many states in size 1 as in size 0, and `three-aspects` more than twenty-five times as many in size 2 as in size 1. These
/// two stay behind the others where they would take more time than all others together.
fn size(view: &str, set: BoundsSet) -> u8 {
    match (view, set) {
        ("queued-operations-with-purge", BoundsSet::Quick) => 0,
        (_, BoundsSet::Quick) | ("queued-operations-with-purge" | "three-aspects", BoundsSet::Ci) => 1,
        (_, BoundsSet::Ci) | ("queued-operations-with-purge" | "three-aspects", BoundsSet::Deep) => 2,
        (_, BoundsSet::Deep) => 3,
    }
}

fn bounds(name: &str, size: u8, choices: &Choices) -> Bounds {
    match name {
        "purge-with-pending-polls" => purge_with_pending_polls(size),
        "queued-operations-with-purge" => queued_operations_with_purge(size),
        "polls-with-reassignment" => polls_with_reassignment(size, choices.parked_polls),
        "commits-with-reassignment" => commits_with_reassignment(size),
        "join-with-drain" => join_with_drain(size),
        "power-loss-during-purge" => power_loss_during_purge(size),
        "restart" => restart(size),
        "delete-and-recreate" => delete_and_recreate(size, choices),
        "three-aspects" => three_aspects(size),
        _ => liveness(size, choices.parked_polls),
    }
}

/// What grows only from the second step of a size on: 0, 0, 1, 2.
const fn late(size: u8) -> u8 {
    size.saturating_sub(1)
}

const fn poll(strategy: Strategy, count: u8, automatic: bool) -> Act {
    Act::Poll { strategy, count, automatic, may_wait: false }
}

fn consumer(name: &str, member: bool, acts: Vec<Act>, polls: u8, commits: u8) -> ConsumerBounds {
    ConsumerBounds {
        name: name.to_owned(),
        member,
        acts,
        polls: Some(polls),
        commits: Some(commits),
        give_ups: 0,
        old_client: false,
    }
}

/// One individual consumer polls, with and without automatic commits, and commits what it read, while the topic is emptied.
fn purge_with_pending_polls(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 3, true), poll(Strategy::Next, 3, false), Act::StoreLast];
    Bounds {
        consumers: vec![consumer("C", false, acts, 2 + size, 1)],
        initial_messages: 2,
        sends: vec![3; usize::from(1 + size / 2)],
        scripts: vec![vec![Command::Empty]],
        new_bytes: true,
        ..Bounds::default()
    }
}

/// Two individual consumers with the same budgets poll and commit what they read, while the topic is emptied.
fn two_like_consumers(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 1, true), poll(Strategy::Next, 1, false), Act::StoreLast];
    let like = |name: &str| consumer(name, false, acts.clone(), size.min(2), 1);
    Bounds {
        consumers: vec![like("C"), like("D")],
        initial_messages: 1,
        sends: vec![1; usize::from(1 + size / 3)],
        scripts: vec![vec![Command::Empty]],
        ..Bounds::default()
    }
}

/// Operations that are prepared and queued while the topic is emptied; the pipeline holds one, the queue one or two.
fn queued_operations_with_purge(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 1, true), Act::Store(0), Act::GiveUpPoll];
    let consumer = consumer("C", false, acts, 1 + size.min(1), 1 + size / 2);
    Bounds {
        consumers: vec![ConsumerBounds { give_ups: 1, ..consumer }],
        initial_messages: 1,
        sends: vec![1; usize::from(1 + size)],
        scripts: vec![vec![Command::Empty]],
        pipeline: Pipeline::Held { prepared: 1, queued: 2 },
        disk_reads: false,
        reads: 1,
        ..Bounds::default()
    }
}

/// Two members poll while the partition moves from one to the other and back.
fn polls_with_reassignment(size: u8, parked: bool) -> Bounds {
    let longer = Act::Poll { strategy: Strategy::Next, count: 2, automatic: true, may_wait: parked };
    let acts_of_a = vec![poll(Strategy::Next, 1, true), longer, Act::GiveUpPoll];
    let acts_of_b = vec![poll(Strategy::Next, 2, true)];
    Bounds {
        consumers: vec![
            ConsumerBounds { give_ups: 1, ..consumer("A", true, acts_of_a, 2 + size / 2, 0) },
            consumer("B", true, acts_of_b, size, 0),
        ],
        members: vec![0],
        initial_messages: 2,
        scripts: vec![vec![Command::Join(1), Command::Leave(0)]],
        reads: 2,
        gateway_time_outs: size / 2,
        ..Bounds::default()
    }
}

/// Two members read and commit while the partition moves from one to the other and back.
fn commits_with_reassignment(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 1, false), Act::StoreLast];
    let acts_of_b = vec![poll(Strategy::Next, 2, false), Act::StoreLast];
    Bounds {
        consumers: vec![
            ConsumerBounds { give_ups: late(size), ..consumer("A", true, acts, 1 + late(size), 2) },
            consumer("B", true, acts_of_b, 1, 1),
        ],
        members: vec![0, 1],
        initial_messages: 2,
        scripts: vec![vec![Command::Leave(0), Command::Join(0), Command::Leave(1)]],
        pipeline: Pipeline::Held { prepared: 1, queued: 1 },
        disk_reads: false,
        reads: 1,
        ..Bounds::default()
    }
}

/// A join takes a partition from a live member; with two partitions, one of which has a log.
fn join_with_drain(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 1, false), Act::StoreLast, Act::GiveUpCommit];
    let acts_of_b = vec![poll(Strategy::Next, 1, true)];
    Bounds {
        consumers: vec![
            ConsumerBounds { give_ups: 1, ..consumer("A", true, acts, 2, 1) },
            consumer("B", true, acts_of_b, 1 + late(size), 0),
        ],
        members: vec![0],
        partitions: 2,
        initial_messages: 2,
        scripts: vec![vec![Command::Join(1)]],
        disk_reads: false,
        revocation_time_outs: 1,
        ..Bounds::default()
    }
}

/// A purge step by step, with failing syncs, a restart and a power loss that keeps any subset of what was not synced.
fn power_loss_during_purge(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 3, false)];
    Bounds {
        consumers: vec![consumer("C", false, acts, 1, 0)],
        initial_messages: 2,
        initial_bookmarks: vec![(Key::Consumer(0), 1)],
        sends: vec![2],
        scripts: vec![vec![Command::Empty]],
        disk_reads: false,
        reads: 1,
        restarts: size.min(1),
        power_losses: 1,
        unsynced_operations: 4 + size,
        purge_in_steps: true,
        disk_failures: 1,
        ..Bounds::default()
    }
}

/// Restarts and power losses without a purge: bookmarks above the head.
fn restart(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 2, true), Act::StoreLast, Act::Delete, Act::Seek(0)];
    Bounds {
        consumers: vec![consumer("C", false, acts, 2 + size / 2, 1)],
        sends: vec![1; usize::from(2 + size / 2)],
        disk_reads: false,
        reads: 1,
        restarts: size.min(1),
        power_losses: 1,
        unsynced_operations: 4 + size,
        ..Bounds::default()
    }
}

/// The topic is deleted and created again under the same name.
fn delete_and_recreate(size: u8, choices: &Choices) -> Bounds {
    let acts = vec![poll(Strategy::Next, 3, true), Act::StoreLast];
    // A client that commits bare offsets tries again with a new stamp after a refusal.
    let stamps = choices.commit_identity_on_wire != WireIdentity::Nothing;
    let retries = u8::from(stamps && choices.client_commits == ClientCommits::BareOffset);
    Bounds {
        consumers: vec![consumer("C", false, acts, 2, 1 + retries.max(late(size)))],
        initial_messages: 1,
        sends: vec![3; usize::from(1 + late(size))],
        scripts: vec![vec![Command::Recreate]],
        new_bytes: true,
        reads: 1,
        gateway_time_outs: 1,
        ..Bounds::default()
    }
}

/// A purge, a reassignment and a restart together.
fn three_aspects(size: u8) -> Bounds {
    let acts = vec![poll(Strategy::Next, 1, false), Act::StoreLast];
    let acts_of_b = vec![poll(Strategy::Next, 1, true)];
    Bounds {
        consumers: vec![consumer("A", true, acts, 1 + size / 2, 1), consumer("B", true, acts_of_b, size.min(1), 0)],
        members: vec![0, 1],
        initial_messages: 1,
        sends: vec![1],
        scripts: vec![
            [Command::Leave(0), Command::Join(0)].into_iter().take(1 + usize::from(size / 2)).collect(),
            vec![Command::Retain(1), Command::Empty],
        ],
        disk_reads: false,
        reads: 1,
        restarts: 1,
        ..Bounds::default()
    }
}

/// Polls without a budget: what must happen at last.
fn liveness(size: u8, parked: bool) -> Bounds {
    let acts = vec![Act::Poll { strategy: Strategy::Next, count: 1, automatic: true, may_wait: parked }];
    Bounds {
        consumers: vec![
            ConsumerBounds { polls: None, ..consumer("A", true, acts, 0, 0) },
            consumer("B", true, Vec::new(), 0, 0),
        ],
        members: vec![0, 1],
        initial_messages: 1,
        sends: vec![1; usize::from(1 + late(size))],
        scripts: vec![vec![Command::Leave(0), Command::Join(0), Command::Leave(1)]],
        pipeline: Pipeline::Held { prepared: 1, queued: 0 },
        disk_reads: false,
        reads: 2,
        ..Bounds::default()
    }
}
