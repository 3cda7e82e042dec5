//! What clients and the operator ask for, and what they are answered.

use serde::{Deserialize, Serialize};

/// Where a poll starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "from", rename_all = "kebab-case", from = "StartOnWire")]
pub enum Start {
    /// After the bookmark.
    Next,
    /// At the first message.
    First,
    /// At the last messages: as many as the poll takes.
    Last,
    /// At an offset.
    Offset {
        /// The offset.
        offset: u64,
    },
}

/// The same as it is read: only variants with braces refuse unknown keys.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Start"))]
#[serde(tag = "from", rename_all = "kebab-case", deny_unknown_fields)]
enum StartOnWire {
    /// After the bookmark.
    Next {},
    /// At the first message.
    First {},
    /// At the last messages: as many as the poll takes.
    Last {},
    /// At an offset.
    Offset {
        /// The offset.
        offset: u64,
    },
}

impl From<StartOnWire> for Start {
    fn from(start: StartOnWire) -> Self {
        match start {
            StartOnWire::Next {} => Self::Next,
            StartOnWire::First {} => Self::First,
            StartOnWire::Last {} => Self::Last,
            StartOnWire::Offset { offset } => Self::Offset { offset },
        }
    }
}

/// A request of a client or the operator. It is begun by `start` under the name of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Call {
    /// A consumer polls the partition.
    Poll {
        /// Name of the consumer.
        consumer: String,
        /// Where it starts.
        start: Start,
        /// How many messages it takes at most.
        count: u64,
        /// Whether the server stores the last offset of the batch.
        automatic_commit: bool,
        /// Whether the poll may wait at the owner for messages.
        may_wait: bool,
    },
    /// A consumer stores an offset.
    Store {
        /// Name of the consumer.
        consumer: String,
        /// The offset.
        offset: u64,
        /// The poll whose batch it is taken from; none: a position of the consumer's own choice. A client library that returns
        /// identities with a batch stamps the commit with those of this batch.
        batch_of: Option<String>,
    },
    /// A consumer deletes its bookmark.
    Delete {
        /// Name of the consumer.
        consumer: String,
    },
    /// The producer sends messages, in one request.
    Send {
        /// Their payloads, each unique in a trace.
        payloads: Vec<String>,
    },
    /// The operator empties the topic: a purge, or deletion and re-creation where there is no purge.
    Empty {},
    /// The operator deletes the topic and creates it again under the same name; members of the group join again by themselves.
    Recreate {},
    /// A consumer joins the group.
    Join {
        /// Name of the consumer.
        consumer: String,
    },
    /// A member leaves the group.
    Leave {
        /// Name of the consumer.
        consumer: String,
    },
    /// The session of a member ends.
    Disconnect {
        /// Name of the consumer.
        consumer: String,
    },
    /// The oldest messages expire, this many.
    Expire {
        /// How many.
        count: u64,
    },
}

impl Call {
    /// The word for this kind of call, as in the capabilities.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Poll { .. } => "poll",
            Self::Store { .. } => "store",
            Self::Delete { .. } => "delete",
            Self::Send { .. } => "send",
            Self::Empty {} => "empty",
            Self::Recreate {} => "recreate",
            Self::Join { .. } => "join",
            Self::Leave { .. } => "leave",
            Self::Disconnect { .. } => "disconnect",
            Self::Expire { .. } => "expire",
        }
    }

    /// The words for all kinds of call.
    pub const KINDS: [&'static str; 10] =
        ["poll", "store", "delete", "send", "empty", "recreate", "join", "leave", "disconnect", "expire"];
}

/// What a client or the operator gets as the answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reply {
    /// Messages, each with its offset and payload; never none.
    Batch {
        /// Offset and payload of each.
        messages: Vec<(u64, String)>,
    },
    /// No messages, from the partition itself.
    Empty {},
    /// No messages, with the sentinel partition: the group's fence refused.
    Sentinel {},
    /// The write or command is acknowledged.
    Acknowledged {},
    /// An error code of the wire protocol.
    Code {
        /// The code.
        code: u16,
    },
    /// The connection ended before there was an answer.
    Disconnected {},
}

/// What an answer says about whether the request had its effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The broker itself answered: its answer counts.
    #[default]
    Definite,
    /// The driver gave up waiting or lost the connection: the request may or may not have had its effect, now or later.
    Indefinite,
}
