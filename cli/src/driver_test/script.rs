//! What a driver is asked for.

use fencepost_conformance::child::ChildOptions;
use fencepost_driver::{Call, Capabilities, Client, CrashKind, Settings, Start, World};

/// The two worlds of the tours: one in which everything happens as soon as it can, one in which everything can wait.
pub(super) fn worlds(settings: &Settings, capabilities: &Capabilities) -> Vec<World> {
    let has_group = has(capabilities, "join") || has(capabilities, "leave") || has(capabilities, "disconnect");
    let prompt = World { members: members(has_group), ..world(settings, has_group) };
    let patient = World {
        partitions: if has_group { 2 } else { 1 },
        prepare_slots: Some(1),
        queue_slots: 2,
        is_resident: false,
        purges_in_steps: true,
        loses_power: capabilities.crashes.contains(&CrashKind::Power),
        ..prompt.clone()
    };
    vec![prompt, patient]
}

/// A world with one individual consumer, A, where nothing surprising can happen.
pub(super) fn plain_world(settings: &Settings) -> World {
    world(settings, false)
}

fn world(settings: &Settings, has_group: bool) -> World {
    let client = |name: &str| Client { name: name.to_owned(), is_of_group: has_group, is_old: false };
    World {
        settings: settings.clone(),
        clients: vec![client("A"), client("B")],
        partitions: 1,
        messages: ["m-1", "m-2", "m-3"].map(str::to_owned).to_vec(),
        read_slots: 8,
        is_resident: true,
        ..World::default()
    }
}

fn members(has_group: bool) -> Vec<String> {
    if has_group { vec!["A".to_owned()] } else { Vec::new() }
}

fn has(capabilities: &Capabilities, kind: &str) -> bool {
    capabilities.calls.iter().any(|call| call == kind)
}

/// A poll of messages.
pub(super) fn poll(consumer: &str, start: Start, automatic_commit: bool, may_wait: bool) -> Call {
    Call::Poll { consumer: consumer.to_owned(), start, count: 2, automatic_commit, may_wait }
}

/// Calls of every kind that the driver declares, with the names of their operations.
pub(super) fn calls(capabilities: &Capabilities) -> Vec<(String, Call)> {
    let (a, b) = ("A".to_owned(), "B".to_owned());
    let store =
        |batch_of: Option<&str>| Call::Store { consumer: a.clone(), offset: 0, batch_of: batch_of.map(str::to_owned) };
    let all = [
        ("A.1", poll("A", Start::Next, true, false)),
        ("A.2", store(Some("A.1"))),
        ("A.3", store(None)),
        ("A.4", Call::Delete { consumer: a.clone() }),
        ("producer.1", Call::Send { payloads: vec!["p-1".to_owned(), "p-2".to_owned()] }),
        ("operator.1", Call::Join { consumer: b.clone() }),
        ("B.1", poll("B", Start::First, false, false)),
        ("operator.2", Call::Leave { consumer: b.clone() }),
        ("A.5", poll("A", Start::Offset { offset: 1 }, false, false)),
        ("A.6", poll("A", Start::Last, true, false)),
        ("A.7", poll("A", Start::Next, true, true)),
        ("operator.3", Call::Expire { count: 1 }),
        ("operator.4", Call::Empty {}),
        ("producer.2", Call::Send { payloads: vec!["p-3".to_owned()] }),
        ("operator.5", Call::Recreate {}),
        ("A.8", poll("A", Start::Next, true, false)),
        ("operator.6", Call::Disconnect { consumer: a.clone() }),
    ];
    let is_declared = |(_, call): &(&str, Call)| has(capabilities, call.kind());
    all.into_iter().filter(is_declared).map(|(name, call)| (name.to_owned(), call)).collect()
}

/// The limit of an answer in words.
pub(super) fn limit(options: &ChildOptions) -> String {
    format!("{} s", options.step_limit.as_secs_f64())
}
