//! Requests and answers, as they travel.

use fencepost_driver::{Reply, Start};
use fencepost_spec::contract::FenceAnswer;
use fencepost_spec::reply::{BOOKMARK_NOT_FOUND, Code, INVALID_OFFSET};
use futures::channel::oneshot;

use crate::gates::Name;
use crate::identities::Identities;

/// What is asked of the partition.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    Poll { start: Start, count: u64, automatic_commit: bool, may_wait: bool },
    Store { offset: u64 },
    Delete,
    Send { payloads: Vec<Name> },
}

/// A request of a client or of the producer.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) operation: Name,
    /// The client; the producer has none.
    pub(crate) client: Option<Name>,
    /// The key of the bookmark.
    pub(crate) key: Name,
    /// Whether it is made for the group.
    pub(crate) is_of_group: bool,
    pub(crate) ask: Ask,
    /// The identities that it names: the client's, then also those that the gateway adds.
    pub(crate) named: Identities,
    /// The assignment under which a group poll was dispatched.
    pub(crate) assignment: Option<u64>,
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// With the identities of the batch, which the client library keeps.
    Reply(Reply, Option<Identities>),
    /// The request was dropped: there will be no answer.
    Silence,
}

impl Answer {
    pub(crate) fn code(code: Code) -> Self {
        Self::Reply(Reply::Code { code: code.0 }, None)
    }

    pub(crate) fn acknowledged() -> Self {
        Self::Reply(Reply::Acknowledged {}, None)
    }

    /// The answer of a fence. A delete that names an offset of a history that is gone is told that there is no bookmark.
    pub(crate) fn of_fence(answer: FenceAnswer, is_delete: bool) -> Self {
        match answer {
            FenceAnswer::Code(INVALID_OFFSET) if is_delete => Self::code(BOOKMARK_NOT_FOUND),
            FenceAnswer::Code(code) => Self::code(code),
            FenceAnswer::Sentinel => Self::Reply(Reply::Sentinel {}, None),
            FenceAnswer::Silent => Self::Silence,
        }
    }
}

/// Where the answer of a request goes. Its other end is gone when nobody waits any more.
pub(crate) type Answering = oneshot::Sender<Answer>;
