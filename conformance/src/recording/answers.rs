//! The answers of the vocabulary at the boundary `partition`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// Tells a field that is `null` from one that is absent.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// An answer that says no more than whether it worked.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlainAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
}

/// The reply to an operation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Number of the operation (ignored).
    pub committed_op: Option<u64>,
    /// 0, or the code of a refusal.
    pub status: u16,
}

/// The answer to a send, store or delete.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// The reply; null while there is none.
    pub reply: Option<Reply>,
}

/// The answer to the planning of a read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// `disk`, or `resident_or_empty`.
    pub tier: Option<Tier>,
    /// The code of a refusal.
    pub status: Option<u16>,
}

/// From where a read takes its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// From files.
    Disk,
    /// From memory, or nothing is to be read.
    ResidentOrEmpty,
}

/// The answer to some steps of a read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// Whether the read ended.
    pub done: bool,
}

/// The answer of a finished read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// Offset and payload of each message.
    pub messages: Option<Vec<(u64, String)>>,
    /// The offset that the server commits; null: none.
    #[serde(default, deserialize_with = "present")]
    pub auto_commit: Option<Option<u64>>,
    /// The ceiling of the plan.
    pub commit_offset: Option<u64>,
    /// What became of the automatic store (ignored).
    pub store: Option<String>,
    /// The code of a refusal.
    pub status: Option<u16>,
}

/// The answer to a `commit`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// Number of acknowledged operations (ignored).
    pub acks: Option<u64>,
    /// Number of the operation (ignored) and status.
    pub replies: Option<Vec<(u64, u16)>>,
}

/// The answer to a purge or one of its halves.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PurgeAnswer {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// Whether there was anything to apply.
    pub applied: Option<bool>,
    /// The committed purge generation.
    pub committed_generation: Option<u64>,
}

/// What is seen of a bookmark.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookmarkSeen {
    /// In memory.
    #[serde(default, deserialize_with = "present")]
    pub stored: Option<Option<u64>>,
    /// On file.
    #[serde(default, deserialize_with = "present")]
    pub file: Option<Option<u64>>,
    /// Highest offset served to the group.
    #[serde(default, deserialize_with = "present")]
    pub last_polled: Option<Option<u64>>,
}

/// What is seen of the state. Absent fields are unconstrained.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Whether it worked.
    pub ok: bool,
    /// Why not.
    pub error: Option<String>,
    /// By consumer, or `group:` and group.
    pub bookmarks: Option<BTreeMap<String, BookmarkSeen>>,
    /// Whether there is no message.
    pub empty: Option<bool>,
    /// Highest assigned offset; 0 when empty.
    pub write_offset: Option<u64>,
    /// Highest committed offset; 0 when empty.
    pub commit_offset: Option<u64>,
    /// The purge generation of the metadata.
    pub committed_generation: Option<u64>,
    /// The purge generation that the partition recorded.
    pub applied_generation: Option<u64>,
    /// Length of the prepare pipeline.
    pub pipeline: Option<usize>,
    /// Length of the request queue.
    pub queued: Option<usize>,
    /// Number of the last committed operation (ignored).
    pub commit_op: Option<u64>,
    /// Number of the operation up to which a purge made operations void (ignored).
    pub purge_floor_op: Option<u64>,
    /// Files and sizes (ignored).
    pub files: Option<Vec<String>>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartitionAnswer {
    /// Of `open`, `restart`, `save_bookmarks`, `resurrect_bookmarks`, and of what is not supported.
    Plain(PlainAnswer),
    /// Of `produce`, `store`, `delete`.
    Write(WriteAnswer),
    /// Of `begin_poll`.
    Plan(PlanAnswer),
    /// Of `step_poll`.
    Step(StepAnswer),
    /// Of `finish_poll`.
    Batch(BatchAnswer),
    /// Of `commit`.
    Commit(CommitAnswer),
    /// Of `purge`, `purge_commit`, `purge_apply`.
    Purge(PurgeAnswer),
    /// Of `observe`.
    Observation(Box<Observation>),
}
