//! What a reaction says of itself: which fence passed or refused, what was asked, fetched, stored and handed out.

use fencepost_spec::kafkajs::Fence;
use serde::{Deserialize, Serialize};

use super::messages::{Origin, Position, Purpose, Request, Task};

/// What stands committed at the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    /// The position.
    pub position: Position,
    /// Ghost: what it derives from.
    pub by: Origin,
    /// Ghost: whether it took effect under the assignment that it derives from.
    pub legitimate: bool,
}

/// A request that the consumer sends, as a driver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Asked {
    /// To the coordinator.
    Coordinator(Task, Request),
    /// Where the log of a node's partition ends.
    List(Task, u8),
    /// A fetch from a node, at an offset.
    Fetch(u8, u8),
}

/// One fact about a reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A fence let a step pass.
    Passed(Fence),
    /// A fence refused a step; needlessly, if all that it stands for was current.
    Refused {
        /// The fence.
        fence: Fence,
        /// Ghost: whether what it refused was current.
        needless: bool,
    },
    /// The lock was granted after so many steps of others.
    LockGranted(u8),
    /// A request is sent.
    Asked(Asked),
    /// The current manager was asked for the next offset of a partition.
    NextOffset {
        /// The partition.
        partition: usize,
        /// Its answer.
        offset: u8,
    },
    /// A fetch is sent.
    Fetched {
        /// The partition.
        partition: usize,
        /// Its offset.
        offset: u8,
        /// Ghost: where a seek that was carried out wants it to be.
        sought: Option<u8>,
        /// Ghost: what the group had committed when the partition was assigned.
        floor: Option<u8>,
        /// Ghost: up to where records were handed out, or passed on purpose.
        handed: u8,
    },
    /// An unknown offset was used. `what` completes "the consumer ...".
    UnknownUsed {
        /// The partition.
        partition: usize,
        /// What happens, in words.
        what: &'static str,
    },
    /// Records are handed to a handler, or to the queue in front of it.
    Handed {
        /// The partition.
        partition: usize,
        /// Whether it is paused.
        paused: bool,
        /// Whether a seek waits.
        sought: bool,
    },
    /// A commit of the consumer took effect.
    Stored {
        /// The partition.
        partition: usize,
        /// What the commit is for.
        purpose: Purpose,
        /// What stood.
        before: Option<Standing>,
        /// What stands now.
        after: Standing,
        /// Whether the consumer has the partition when it is stored.
        owned: bool,
    },
}
