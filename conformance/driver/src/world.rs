//! The world at the start of a trace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A contract as an implementation may be configured by it. Implementations that have one behaviour only ignore it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the contract.
    pub contract: String,
    /// Key and value of every choice, in the words of the contract's file.
    pub choices: BTreeMap<String, String>,
    /// Every fence that exists, with the answer it refuses with: a code, `sentinel` or `silent`.
    pub fences: BTreeMap<String, String>,
}

/// A consumer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// Whether it polls and commits as a member of the group; else as an individual consumer.
    pub is_of_group: bool,
    /// Whether it is an old client that sends no identities.
    pub is_old: bool,
}

/// The world at the start of a trace. Everybody is connected, nothing is under way, and metadata is applied everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct World {
    /// The contract.
    pub settings: Settings,
    /// The consumers.
    pub clients: Vec<Client>,
    /// The members of the group, in the order of their joining. The first owns the partition.
    pub members: Vec<String>,
    /// Partitions of the topic, dealt out to the members in turn; the first is the one that is tried.
    pub partitions: u64,
    /// Payloads of the messages in the partition, durable and committed.
    pub messages: Vec<String>,
    /// Bookmarks that exist, by key, durable; automatic stores wrote them.
    pub bookmarks: BTreeMap<String, u64>,
    /// How many operations may be prepared at once; none: an operation commits in the step that orders it.
    pub prepare_slots: Option<u64>,
    /// How many operations may wait for a place in the order.
    pub queue_slots: u64,
    /// How many reads may be under way at once.
    pub read_slots: u64,
    /// Whether messages are in memory, so that a read needs no file and is complete in the step in which it is planned.
    pub is_resident: bool,
    /// Whether a purge goes step by step, each parked at [`crate::ParkKind::Purge`]; else it is done in the step that applies it.
    pub purges_in_steps: bool,
    /// Whether power can be lost, so that what is not synced has to be known.
    pub loses_power: bool,
    /// Whether the implementation parks at its inner places ([`crate::ParkKind::Inner`]), too.
    pub holds_inner_steps: bool,
}
