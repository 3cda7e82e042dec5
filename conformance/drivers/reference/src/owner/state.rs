//! What the owner holds in memory.

use std::collections::VecDeque;
use std::rc::Rc;

use fencepost_driver::{Start, Status};

use crate::files::Directories;
use crate::gates::Name;
use crate::generation::GenerationFile;
use crate::group::Group;
use crate::identities::{HistoryId, Identities};
use crate::log::{Log, Record};
use crate::owner::Bookmarks;
use crate::request::Answering;

/// The owner's memory. A crash loses all of it.
pub(crate) struct State {
    pub(crate) status: Status,
    pub(crate) incarnation: u64,
    pub(crate) history: HistoryId,
    /// The group as the owner has applied it.
    pub(crate) group: Rc<Group>,
    /// The group generation at which the owner reported that the revoked partition is drained.
    pub(crate) reported_at: Option<u64>,
    pub(crate) at: Directories,
    pub(crate) log: Log,
    pub(crate) generation: GenerationFile,
    /// The bookmarks that clients are told.
    pub(crate) bookmarks: Bookmarks,
    /// The bookmarks that were committed and written.
    pub(crate) written: Bookmarks,
    /// The highest offset served to the group.
    pub(crate) last_polled: Option<u64>,
    pub(crate) prepared: VecDeque<Operation>,
    pub(crate) queued: VecDeque<Operation>,
    /// Reads that hold a slot.
    pub(crate) reads: usize,
    /// The number of the last operation that got its place, counted from the start of the process.
    pub(crate) operations: u64,
    /// A purge that an earlier life began and did not finish: its generation.
    pub(crate) unfinished_purge: Option<u64>,
}

/// What an operation does when it commits.
#[derive(Debug)]
pub(crate) enum Effect {
    Append(Vec<Name>),
    Store { key: Name, offset: u64, is_automatic: bool },
    Delete { key: Name },
}

/// An operation of the partition's order.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) effect: Effect,
    /// The identities that its request named.
    pub(crate) named: Identities,
    /// The member that asked, if it was one.
    pub(crate) member: Option<Name>,
    /// The history in which it began to wait.
    pub(crate) queued_in: HistoryId,
    /// Its place in the order.
    pub(crate) number: u64,
    /// Whether a purge ran after it got its place.
    pub(crate) is_before_purge: bool,
    /// Where its answer goes; automatic stores have none.
    pub(crate) answering: Option<Answering>,
}

/// A poll that the owner has taken up.
#[derive(Debug)]
pub(crate) struct Poll {
    pub(crate) operation: Name,
    pub(crate) key: Name,
    pub(crate) is_of_group: bool,
    pub(crate) start: Start,
    pub(crate) count: u64,
    pub(crate) automatic_commit: bool,
    /// The assignment under which it was dispatched.
    pub(crate) assignment: Option<u64>,
    /// The history in which it was planned, or in which it began to wait.
    pub(crate) history: HistoryId,
    pub(crate) answering: Answering,
    /// Whether it was refused before its read was done, under faults that compare too early or not at all.
    pub(crate) is_compared: bool,
}

/// What a read may find: fixed when it is planned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) from: u64,
    /// The last offset that it may find; none if there is nothing to read.
    pub(crate) through: Option<u64>,
    /// The segment that it reads.
    pub(crate) segment: u64,
    /// The identities that its batch carries.
    pub(crate) identities: Identities,
}

/// A read that has found what it will find.
pub(crate) struct Read {
    pub(crate) poll: Poll,
    pub(crate) identities: Identities,
    pub(crate) found: Vec<Record>,
    /// Whether it holds a slot.
    pub(crate) has_slot: bool,
}
