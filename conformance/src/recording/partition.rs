//! The vocabulary at the boundary `partition`: requests to the partition's owner, and its answers.

use fencepost_spec::diagnostic::Problem;
use serde::Deserialize;
use serde_json::Value;

use super::Row;
use super::line::{problem, typed};

pub use super::answers::{
    BatchAnswer, BookmarkSeen, CommitAnswer, Observation, PartitionAnswer, PlainAnswer, PlanAnswer, PurgeAnswer, Reply,
    StepAnswer, Tier, WriteAnswer,
};

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

const fn once() -> u32 {
    1
}

/// A request, named by `op`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "docs/recordings.md describes every field")]
pub enum PartitionRequest {
    /// Begins with a fresh partition.
    Open {
        save_every: Option<u64>,
        segment_size: Option<u64>,
        prepare_queue: Option<usize>,
        request_queue: Option<usize>,
    },
    /// Sends messages.
    Produce {
        count: u8,
        #[serde(default)]
        hold_commit: bool,
    },
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
    StepPoll {
        poll: String,
        #[serde(default = "once")]
        times: u32,
    },
    /// Runs a read to its end.
    FinishPoll {
        poll: String,
        #[serde(default)]
        hold_auto_commit: bool,
    },
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
    Delete {
        consumer: Option<Name>,
        group: Option<Name>,
        member: Option<Name>,
        #[serde(default)]
        hold_commit: bool,
    },
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
    PurgeStep {
        #[serde(default = "once")]
        times: u32,
    },
    /// The process dies and recovers.
    Restart {},
    /// The harness copies the files of bookmarks aside.
    SaveBookmarks {},
    /// The harness copies them back.
    ResurrectBookmarks {},
    /// Looks at the state.
    Observe {},
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
        Ask::FinishPoll { .. } | Ask::SubmitAutoCommit { .. } => {
            return Err(unsupported(file, text, row, "a held automatic store"));
        }
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
pub(crate) fn who(
    consumer: Option<&Name>,
    group: Option<&Name>,
    member: Option<&Name>,
) -> Option<(Option<String>, String)> {
    match (consumer, group, member) {
        (Some(consumer), _, _) => Some((None, consumer.to_string())),
        (None, Some(group), Some(member)) => Some((Some(group.to_string()), member.to_string())),
        (None, Some(group), None) => Some((Some(group.to_string()), String::new())),
        (None, None, _) => None,
    }
}
