//! Operations that are not durable yet.

use std::fmt;

use super::choice::OperationId;
use super::tree::Inode;

/// What an operation does to the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Bytes written into a file. `extends`: they end beyond the length that it had.
    Write { inode: Inode, offset: usize, bytes: Vec<u8>, extends: bool },
    /// The length of a file set.
    Truncate { inode: Inode, length: usize },
    /// A name given to a file or directory: a new one, or one that comes from a name in another directory.
    Bind { directory: Inode, name: u32, inode: Inode, origin: Origin },
    /// A name taken away; `moved`: because the file went to another directory, which the operation before this one tells.
    Unbind { directory: Inode, name: u32, moved: bool },
    /// One name in place of another in the same directory, in one step.
    Rename { directory: Inode, from: u32, to: u32, inode: Inode },
}

/// Where a file that gets a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    NewFile,
    NewDirectory,
    Moved { directory: Inode, name: u32 },
}

impl Change {
    /// The file whose data or length changes.
    pub(crate) fn data_of(&self) -> Option<Inode> {
        match self {
            Self::Write { inode, .. } | Self::Truncate { inode, .. } => Some(*inode),
            _ => None,
        }
    }

    /// The directory whose names change.
    pub(crate) fn names_of(&self) -> Option<Inode> {
        match self {
            Self::Bind { directory, .. } | Self::Unbind { directory, .. } | Self::Rename { directory, .. } => {
                Some(*directory)
            }
            _ => None,
        }
    }

    /// The file that gets a name which it did not have, although it is not new.
    pub(crate) fn exposes(&self) -> Option<Inode> {
        match self {
            Self::Bind { inode, origin: Origin::Moved { .. }, .. } | Self::Rename { inode, .. } => Some(*inode),
            _ => None,
        }
    }

    pub(crate) fn kind(&self) -> ChangeKind {
        match self {
            Self::Write { .. } => ChangeKind::Write,
            Self::Truncate { .. } => ChangeKind::Truncate,
            Self::Bind { origin: Origin::NewFile, .. } => ChangeKind::Create,
            Self::Bind { origin: Origin::NewDirectory, .. } => ChangeKind::CreateDirectory,
            Self::Bind { origin: Origin::Moved { .. }, .. } => ChangeKind::RenameInto,
            Self::Unbind { moved: false, .. } => ChangeKind::Remove,
            Self::Unbind { moved: true, .. } => ChangeKind::RenameOutOf,
            Self::Rename { .. } => ChangeKind::Rename,
        }
    }
}

/// How far an operation is from being durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not synced.
    Unsynced,
    /// A sync of it failed and took it for done: no later sync writes it, and it can be lost for ever.
    Abandoned,
    /// Synced, but an abandoned operation on the same file or directory comes before it, so that the two cannot be merged.
    Durable,
}

/// An operation and what is remembered of it.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    pub(crate) group: u32,
    pub(crate) label: u32,
    /// The directory and the name of the file at that time, for reports.
    pub(crate) place: (Inode, u32),
    pub(crate) standing: Standing,
    /// The journal that `Ext4Ordered` speaks of has committed what exposes this operation: under this policy it is not lost.
    pub(crate) journalled: bool,
    pub(crate) change: Change,
}

/// The kind of an operation that is not durable yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeKind {
    /// A new file under its name.
    Create,
    /// A new directory under its name.
    CreateDirectory,
    /// Bytes written.
    Write,
    /// The length set.
    Truncate,
    /// A name changed within a directory.
    Rename,
    /// The half of a rename across directories that adds the new name.
    RenameInto,
    /// The half of a rename across directories that takes the old name away.
    RenameOutOf,
    /// A name removed.
    Remove,
}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::CreateDirectory => "create directory",
            Self::Write => "write",
            Self::Truncate => "truncate",
            Self::Rename => "rename",
            Self::RenameInto => "rename into",
            Self::RenameOutOf => "rename out of",
            Self::Remove => "remove",
        })
    }
}

/// An operation that a power loss can take, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOperation {
    /// Its id: ascending in the order of the calls, never used twice by a storage.
    pub id: OperationId,
    /// The number of the logical write that it belongs to, ascending.
    pub group: u32,
    /// The label of that logical write; empty if none was begun.
    pub label: String,
    /// What it is.
    pub kind: ChangeKind,
    /// The path of the file, by the name that the operation was done under or that it gave.
    pub path: String,
    /// What it does, in words.
    pub details: String,
    /// The unsynced operations that it is built on: without them it cannot survive.
    pub parents: Vec<OperationId>,
    /// Whether a failed sync took it for done, so that no later sync makes it durable.
    pub abandoned: bool,
}

/// A logical write that has unsynced operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingGroup {
    /// Its number, ascending.
    pub group: u32,
    /// Its label.
    pub label: String,
    /// How many of its operations are not synced.
    pub operations: usize,
}
