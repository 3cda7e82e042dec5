//! The vocabulary at the boundary `server`: requests over a connection, and the server's answers.

use fencepost_spec::diagnostic::Problem;
use serde::Deserialize;
use serde_json::Value;

use super::Row;
use super::answers::present;
use super::line::{problem, typed};
use super::partition::{Name, StrategyWord, who};

/// The partition that a server names in the empty reply to a member that may not poll.
pub const SENTINEL_PARTITION: u64 = u32::MAX as u64;

/// A request, named by `op`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "docs/recordings.md describes every field")]
pub enum ServerRequest {
    /// Sends messages.
    Produce { count: u8, payload: String },
    /// Polls.
    Poll {
        consumer: Option<Name>,
        group: Option<Name>,
        member: Option<Name>,
        strategy: StrategyWord,
        value: Option<u64>,
        count: u8,
        #[serde(default)]
        auto_commit: bool,
    },
    /// Stores a bookmark.
    Store { consumer: Option<Name>, group: Option<Name>, member: Option<Name>, offset: u64 },
    /// Deletes a bookmark.
    Delete { consumer: Option<Name>, group: Option<Name>, member: Option<Name> },
    /// Looks at a bookmark.
    GetOffset { consumer: Option<Name>, group: Option<Name>, member: Option<Name> },
    /// Purges the topic.
    PurgeTopic {},
    /// Joins the group.
    Join { group: Name, member: Name },
    /// Leaves the group.
    Leave { group: Name, member: Name },
}

/// An answer. An error has a code and perhaps a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerAnswer {
    /// Whether it worked.
    pub ok: Option<bool>,
    /// Name of an error (a note only).
    pub error: Option<String>,
    /// Code of an error.
    pub code: Option<u16>,
    /// Offset and payload of each message.
    pub messages: Option<Vec<(u64, String)>>,
    /// The partition.
    pub partition: Option<u64>,
    /// The partition's last offset.
    pub current_offset: Option<u64>,
    /// The bookmark; null: none.
    #[serde(default, deserialize_with = "present")]
    pub stored_offset: Option<Option<u64>>,
}

/// A request with its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerStep {
    /// What was asked.
    pub request: ServerRequest,
    /// What was answered.
    pub answer: ServerAnswer,
}

/// Reads the answer to a request.
pub(super) fn answer(
    file: &str,
    text: &str,
    row: &Row,
    request: ServerRequest,
    value: Value,
) -> Result<ServerStep, Problem> {
    let answer: ServerAnswer = typed(file, text, row, value)?;
    let says_something = answer.ok.is_some()
        || answer.code.is_some()
        || answer.messages.is_some()
        || matches!(request, ServerRequest::GetOffset { .. });
    if !says_something {
        return Err(problem(file, text, row, "answer", "the answer has neither `ok`, `code` nor `messages`"));
    }
    let step = ServerStep { request, answer };
    let asks =
        matches!(step.request, ServerRequest::Poll { .. } | ServerRequest::Store { .. } | ServerRequest::Delete { .. });
    if asks && step.who().is_none() {
        return Err(problem(file, text, row, "request", "the request names neither `consumer` nor `group`"));
    }
    Ok(step)
}

impl ServerStep {
    /// How many messages it sends.
    pub(super) fn count(&self) -> u64 {
        match self.request {
            ServerRequest::Produce { count, .. } => u64::from(count),
            _ => 0,
        }
    }

    /// The offsets of its answer.
    pub(super) fn offsets(&self) -> Vec<u64> {
        self.answer.messages.iter().flatten().map(|(offset, _)| *offset).collect()
    }

    /// Group and name of the client that asks.
    pub(crate) fn who(&self) -> Option<(Option<String>, String)> {
        use ServerRequest as Ask;
        match &self.request {
            Ask::Poll { consumer, group, member, .. }
            | Ask::Store { consumer, group, member, .. }
            | Ask::Delete { consumer, group, member, .. }
            | Ask::GetOffset { consumer, group, member, .. } => who(consumer.as_ref(), group.as_ref(), member.as_ref()),
            Ask::Join { group, member } | Ask::Leave { group, member } => who(None, Some(group), Some(member)),
            Ask::Produce { .. } | Ask::PurgeTopic {} => None,
        }
    }
}
