//! What a reaction says of itself: which fence passed or refused, what was granted, what moved.

use fencepost_spec::event::EventKind;
use fencepost_spec::fence::{Fence, Outcome, Refusal};
use fencepost_spec::identity::{Assignment, History, Origin};

use super::disk::{BookmarkFile, Image};
use super::messages::{Key, Message, Placed, RequestId, Strategy};

/// A batch (or the lack of one) that was granted to a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The poll.
    pub id: RequestId,
    /// Whose progress.
    pub key: Key,
    /// Where it started.
    pub strategy: Strategy,
    /// The offset it looked at first.
    pub cursor: u8,
    /// What it found.
    pub batch: Vec<Placed>,
    /// The history in which it was planned.
    pub history: History,
    /// The assignment under which it was dispatched.
    pub assignment: Assignment,
    /// The incarnation that the request named.
    pub incarnation: Option<u8>,
    /// Whether the caller still waited.
    pub caller_waits: bool,
}

/// One fact about a reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A fence let the step pass.
    Passed(Fence),
    /// A fence refused. The identities are those of the refused request, if it has some and they were compared.
    Refused {
        /// The refusal.
        refusal: Refusal,
        /// The refused request.
        request: Option<RequestId>,
        /// What the request came from: its history and assignment, if both are known.
        origin: Option<Origin>,
    },
    /// A request is refused, with whatever answer: nothing of it may remain.
    Denied(RequestId),
    /// Something that can be seen happened to a request (or to the broker).
    Event(EventKind, Option<RequestId>),
    /// A poll was granted its batch.
    Granted(Granted),
    /// A commit takes effect: it got its place in the order (or its poll was granted).
    TakesEffect {
        /// Whose progress.
        key: Key,
        /// What it came from.
        origin: Origin,
        /// Whether it is an automatic store.
        automatic: bool,
    },
    /// A bookmark moved.
    BookmarkMoved {
        /// Whose.
        key: Key,
        /// How it was.
        before: Option<BookmarkFile>,
        /// How it is.
        after: Option<BookmarkFile>,
        /// What the commit came from.
        origin: Origin,
        /// Whether it was an automatic store.
        automatic: bool,
        /// The request that caused it.
        request: Option<RequestId>,
    },
    /// Last polled moved.
    LastPolledMoved(RequestId),
    /// Messages were removed by the emptying with this count.
    Removed(u8, Vec<Message>),
    /// The owner begins to serve what it recovered.
    Recovered(Box<Image>),
    /// Partition 0 moves in metadata because of a join.
    MovedByJoin {
        /// Whether the time-out moved it.
        timed_out: bool,
    },
    /// The gateway told the client of this poll that there is nothing.
    AnsweredEmptyInPlace(RequestId),
}

impl Mark {
    /// Records what a fence said; gives the refusal back.
    pub fn fence(
        marks: &mut Vec<Mark>,
        fence: Fence,
        outcome: Outcome,
        request: Option<RequestId>,
        origin: Option<Origin>,
    ) -> Option<Refusal> {
        match outcome {
            Outcome::Absent => None,
            Outcome::Passed => {
                marks.push(Mark::Passed(fence));
                None
            }
            Outcome::Refused(refusal) => {
                marks.push(Mark::Refused { refusal, request, origin });
                Some(refusal)
            }
        }
    }
}
