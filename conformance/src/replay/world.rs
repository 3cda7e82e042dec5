//! The world at the start of a trace, as a driver is told.

use std::collections::BTreeMap;

use fencepost_driver::{Client, Settings, World};
use fencepost_models::iggy::bounds::{Bounds, Pipeline};
use fencepost_spec::contract::{Choices, FenceAnswer};

use super::names;

/// The world that bounds describe, under a contract.
pub(super) fn world(contract: &str, choices: &Choices, bounds: &Bounds) -> World {
    let clients = bounds.consumers.iter().map(|consumer| Client {
        name: consumer.name.clone(),
        is_of_group: consumer.member,
        is_old: consumer.old_client,
    });
    let (prepare_slots, queue_slots) = match bounds.pipeline {
        Pipeline::Immediate => (None, 0),
        Pipeline::Held { prepared, queued } => (Some(prepared as u64), queued as u64),
    };
    World {
        settings: settings(contract, choices),
        clients: clients.collect(),
        members: bounds.members.iter().map(|index| names::consumer(bounds, *index).to_owned()).collect(),
        partitions: u64::from(bounds.partitions),
        messages: (0..bounds.initial_messages).map(names::initial_payload).collect(),
        bookmarks: bounds
            .initial_bookmarks
            .iter()
            .map(|(key, offset)| (names::key(bounds, *key), u64::from(*offset)))
            .collect(),
        prepare_slots,
        queue_slots,
        read_slots: u64::from(bounds.reads),
        is_resident: !bounds.disk_reads,
        purges_in_steps: bounds.purge_in_steps,
        loses_power: bounds.power_losses > 0,
        holds_inner_steps: false,
    }
}

/// A contract as a driver is told.
pub fn settings(contract: &str, choices: &Choices) -> Settings {
    let answer = |answer: &FenceAnswer| match answer {
        FenceAnswer::Code(code) => code.0.to_string(),
        FenceAnswer::Sentinel => "sentinel".to_owned(),
        FenceAnswer::Silent => "silent".to_owned(),
    };
    let fences: BTreeMap<String, String> =
        choices.fences.iter().map(|(fence, refuses)| (fence.to_string(), answer(refuses))).collect();
    let choices = choices.words().into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Settings { contract: contract.to_owned(), choices, fences }
}
