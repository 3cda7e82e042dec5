//! The vocabulary at the boundary `partition`: requests to the partition's owner, and its answers.

use std::collections::BTreeMap;

use fencepost_spec::diagnostic::Problem;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::Row;
use super::line::{problem, typed};

/// The name of a consumer, group or member: text or a number.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Name {
    /// Text.
    Text(String),
    /// A number.
    Number(u64),
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => formatter.write_str(text),
            Self::Number(number) => write!(formatter, "{number}"),
        }
    }
}

/// Where a poll starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StrategyWord {
    /// After the bookmark.
    Next,
    /// At the first message.
    First,
    /// At the last messages.
    Last,
    /// At the offset `value`.
    Offset,
}

/// Tells a field that is `null` from one that is absent.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

const fn once() -> u32 {
    1
}

/// A request, named by `op`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "docs/recordings.md describes every field")]
pub enum PartitionRequest {
    /// Begins with a fresh partition.
    Open { save_every: Option<u64>, segment_size: Option<u64>, prepare_queue: Option<usize>, request_queue: Option<usize> },
    /// Sends messages.
    Produce { count: u8, #[serde(default)] hold_commit: bool },
    /// Plans a read.
    BeginPoll {
        consumer: Option<Name>,
        group: Option<Name>,
        member: Option<Name>,
        strategy: StrategyWord,
        value: Option<u64>,
        count: Option<u8>,
        #[serde(default)]
        auto_commit: bool,
        #[serde(rename = "as")]
        name: String,
    },
    /// Runs some steps of a disk read.
    StepPoll { poll: String, #[serde(default = "once")] times: u32 },
    /// Runs a read to its end.
    FinishPoll { poll: String, #[serde(default)] hold_auto_commit: bool },
    /// Submits a held automatic store.
    SubmitAutoCommit { poll: String },
    /// A manual store.
    Store {
        consumer: Option<Name>,
        group: Option<Name>,
        member: Option<Name>,
        offset: u64,
        #[serde(default)]
        hold_commit: bool,
    },
    /// Deletes a bookmark.
    Delete { consumer: Option<Name>, group: Option<Name>, member: Option<Name>, #[serde(default)] hold_commit: bool },
    /// Lets prepared operations commit.
    Commit { rounds: Option<u32> },
    /// Commits a purge in the metadata and applies it.
    Purge {},
    /// Commits a purge in the metadata.
    PurgeCommit {},
    /// Applies a committed purge.
    PurgeApply {},
    /// Begins to apply a purge step by step.
    PurgeBegin {},
    /// Runs some steps of a purge.
    PurgeStep { #[serde(default = "once")] times: u32 },
    /// The process dies and recovers.
    Restart {},
    /// The harness copies the files of bookmarks aside.
    SaveBookmarks {},
    /// The harness copies them back.
    ResurrectBookmarks {},
    /// Looks at the state.
    Observe {},
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

/// A request with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionStep {
    /// What was asked.
    pub request: PartitionRequest,
    /// What was answered.
    pub answer: PartitionAnswer,
}

/// Reads the answer to a request.
pub(super) fn answer(
    file: &str,
    text: &str,
    row: &Row,
    request: PartitionRequest,
    value: Value,
) -> Result<PartitionStep, Problem> {
    use PartitionRequest as Ask;
    let answer = match &request {
        Ask::Produce { .. } | Ask::Store { .. } | Ask::Delete { .. } => {
            PartitionAnswer::Write(typed(file, text, row, value)?)
        }
        Ask::BeginPoll { .. } => PartitionAnswer::Plan(typed(file, text, row, value)?),
        Ask::StepPoll { .. } => PartitionAnswer::Step(typed(file, text, row, value)?),
        Ask::FinishPoll { hold_auto_commit: false, .. } => PartitionAnswer::Batch(typed(file, text, row, value)?),
        Ask::Commit { .. } => PartitionAnswer::Commit(typed(file, text, row, value)?),
        Ask::Purge {} | Ask::PurgeCommit {} | Ask::PurgeApply {} => {
            PartitionAnswer::Purge(typed(file, text, row, value)?)
        }
        Ask::Observe {} => PartitionAnswer::Observation(typed(file, text, row, value)?),
        Ask::Open { .. } | Ask::Restart {} | Ask::SaveBookmarks {} | Ask::ResurrectBookmarks {} => {
            PartitionAnswer::Plain(typed(file, text, row, value)?)
        }
        Ask::FinishPoll { .. } | Ask::SubmitAutoCommit { .. } => return Err(unsupported(file, text, row, "a held automatic store")),
        Ask::PurgeBegin {} | Ask::PurgeStep { .. } => return Err(unsupported(file, text, row, "a purge in steps")),
    };
    let step = PartitionStep { request, answer };
    let asks = matches!(step.request, Ask::BeginPoll { .. } | Ask::Store { .. } | Ask::Delete { .. });
    if asks && step.who().is_none() {
        return Err(problem(file, text, row, "request", "the request names neither `consumer` nor `group`"));
    }
    Ok(step)
}

fn unsupported(file: &str, text: &str, row: &Row, what: &str) -> Problem {
    Problem::at(file, text, row.span.clone(), format!("following {what} is not supported"))
        .with_help("docs/recordings.md lists what can be followed")
}

impl PartitionStep {
    /// How many messages it sends.
    pub(super) fn count(&self) -> u64 {
        match self.request {
            PartitionRequest::Produce { count, .. } => u64::from(count),
            _ => 0,
        }
    }

    /// The offsets of its answer.
    pub(super) fn offsets(&self) -> Vec<u64> {
        match &self.answer {
            PartitionAnswer::Batch(batch) => batch.messages.iter().flatten().map(|(offset, _)| *offset).collect(),
            _ => Vec::new(),
        }
    }

    /// Group and name of the client that asks; a member that is not named has the name of its group.
    pub(crate) fn who(&self) -> Option<(Option<String>, String)> {
        use PartitionRequest as Ask;
        let (Ask::BeginPoll { consumer, group, member, .. }
        | Ask::Store { consumer, group, member, .. }
        | Ask::Delete { consumer, group, member, .. }) = &self.request
        else {
            return None;
        };
        who(consumer.as_ref(), group.as_ref(), member.as_ref())
    }
}

/// Group and name of a client.
pub(crate) fn who(consumer: Option<&Name>, group: Option<&Name>, member: Option<&Name>) -> Option<(Option<String>, String)> {
    match (consumer, group, member) {
        (Some(consumer), _, _) => Some((None, consumer.to_string())),
        (None, Some(group), Some(member)) => Some((Some(group.to_string()), member.to_string())),
        (None, Some(group), None) => Some((Some(group.to_string()), String::new())),
        (None, None, _) => None,
    }
}
