//! What the broker answers, and what a client may conclude from it.
//!
//! Codes and names are those of Apache Iggy (published crates `iggy` 0.11.1-edge.9 and the tree of 2026-08-21).

use serde::{Deserialize, Serialize};

crate::words! {
    /// What an answer says of the request.
    pub enum ReplyClass {
        /// The request was accepted.
        Accepted = "accepted",
        /// Nothing happened, and the same request will never be accepted.
        RefusedForGood = "refused-for-good",
        /// Nothing happened, and a new request with fresh identities may succeed.
        RefusedMayRetry = "refused-may-retry",
        /// It may or may not have happened.
        Unknown = "unknown",
    }
}

/// An error code of the wire protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Code(pub u16);

/// One row of the table of codes.
pub struct CodeMeaning {
    /// The code.
    pub code: Code,
    /// Name in the protocol.
    pub name: &'static str,
    /// Class of the answer to a poll.
    pub to_a_poll: ReplyClass,
    /// Class of the answer to a store, a delete or a send.
    pub to_a_write: ReplyClass,
    /// What a client may conclude.
    pub conclusion: &'static str,
}

/// The code of an unknown outcome.
pub const OUTCOME_UNKNOWN: Code = Code(57);
/// The code of a request that was never admitted.
pub const NOT_ACCEPTED: Code = Code(58);
/// The code of an offset that does not exist.
pub const INVALID_OFFSET: Code = Code(4100);
/// The code of a bookmark that does not exist.
pub const BOOKMARK_NOT_FOUND: Code = Code(3021);
/// The code of an incarnation that is not the current one.
pub const HISTORY_UNAVAILABLE: Code = Code(87);
/// The code of a partition that the member does not own.
pub const PARTITION_NOT_OWNED: Code = Code(5009);
/// The catch-all code of requests that do not resolve or are fenced at the gateway.
pub const RESOURCE_NOT_FOUND: Code = Code(20);

use ReplyClass::{RefusedForGood, RefusedMayRetry, Unknown};

const fn meaning(
    code: u16,
    name: &'static str,
    to_a_poll: ReplyClass,
    to_a_write: ReplyClass,
    conclusion: &'static str,
) -> CodeMeaning {
    CodeMeaning { code: Code(code), name, to_a_poll, to_a_write, conclusion }
}

/// All codes that a contract may use.
pub const CODES: &[CodeMeaning] = &[
    meaning(
        20,
        "ResourceNotFound",
        RefusedForGood,
        RefusedForGood,
        "nothing happened; the group does not own the partition, or there is no such partition",
    ),
    meaning(
        57,
        "TransientNotCommitted",
        Unknown,
        Unknown,
        "the outcome is unknown; the same request may be replayed in the same session only",
    ),
    meaning(
        58,
        "TransientNotAccepted",
        RefusedMayRetry,
        RefusedMayRetry,
        "the request was never admitted; a new one may succeed",
    ),
    meaning(
        87,
        "HistoryUnavailable",
        RefusedMayRetry,
        RefusedForGood,
        "the partition was deleted or created again; drop every position read under the old incarnation",
    ),
    meaning(
        90,
        "DeferredPollCapacityExceeded",
        RefusedMayRetry,
        RefusedMayRetry,
        "nothing happened; back off and poll again",
    ),
    meaning(
        3021,
        "ConsumerOffsetNotFound",
        RefusedForGood,
        RefusedForGood,
        "nothing happened; there is no bookmark to delete, or it belongs to a history that is gone",
    ),
    meaning(
        4100,
        "InvalidOffset",
        RefusedForGood,
        RefusedForGood,
        "nothing happened; the offset does not exist, or it belongs to a history that is gone",
    ),
    meaning(
        5009,
        "ConsumerGroupPartitionNotOwned",
        RefusedMayRetry,
        RefusedForGood,
        "nothing happened; the assignment is not current: synchronise and poll again, do not commit again",
    ),
];

impl Code {
    /// The row of the table of codes.
    pub fn meaning(self) -> Option<&'static CodeMeaning> {
        CODES.iter().find(|row| row.code == self)
    }

    /// Name in the protocol, or `unknown code`.
    pub fn name(self) -> &'static str {
        self.meaning().map_or("unknown code", |row| row.name)
    }

    /// Class of this code as an answer to a poll (`poll`) or to a write.
    pub fn class(self, poll: bool) -> ReplyClass {
        self.meaning().map_or(RefusedForGood, |row| if poll { row.to_a_poll } else { row.to_a_write })
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}", self.0, self.name())
    }
}
