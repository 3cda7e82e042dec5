//! Which power-loss images a file system may leave: rules as data, computed from the unsynced operations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use super::MemoryStorage;
use super::operation::{Change, Operation, Origin, Standing};
use super::tree::{Inode, ROOT};

/// Which images a power loss may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Policy {
    /// Every subset of the unsynced operations, on names and on data, with the operations that they are built on: a renamed
    /// file must have had its old name. A write can be torn. No order is promised, as POSIX promises none.
    PosixWeak,
    /// As a file system with a journal in ordered mode: changes of names, and truncations, survive as a prefix of their order.
    /// What a rename exposes, and what lies below a length that survives, is written before. Overwritten data survives as any
    /// subset.
    ///
    /// Two simplifications. A sync of a directory commits the names of this directory, not the whole journal, although ext4
    /// does the latter: what fails only under this policy may be safe on ext4, but no promise says so. And data counts as
    /// written before every rename; ext4 does so when a rename replaces a file, and may delay it when the name is new.
    Ext4Ordered,
    /// All that is not synced is lost: one image.
    DropAll,
    /// All that was done survives: one image.
    KeepAll,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 4] = [Self::PosixWeak, Self::Ext4Ordered, Self::DropAll, Self::KeepAll];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::PosixWeak => "posix-weak",
            Self::Ext4Ordered => "ext4-ordered",
            Self::DropAll => "drop-all",
            Self::KeepAll => "keep-all",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|policy| policy.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|policy| policy.name()).collect();
            format!("`{name}` is no policy: use one of {}", names.join(", "))
        })
    }
}

/// What a subset of the operations must obey. All numbers are indices into the operations of the storage; an operation needs
/// earlier ones only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// What must survive in full for an operation to survive.
    pub(crate) needs: Vec<Vec<usize>>,
    /// What survives in any case.
    pub(crate) forced: Vec<bool>,
    /// What survives exactly if the operation before it does.
    pub(crate) paired: Vec<bool>,
}

impl Rules {
    /// The rules of `PosixWeak`, which are also what every other policy obeys.
    pub(crate) fn of_words(storage: &MemoryStorage) -> Self {
        let operations = &storage.operations;
        let mut rules = Self {
            needs: built_on(storage),
            forced: operations.iter().map(|operation| operation.standing == Standing::Durable).collect(),
            paired: vec![false; operations.len()],
        };
        rules.close_forced();
        rules
    }

    /// The rules of a policy that has a choice.
    pub(crate) fn of(storage: &MemoryStorage, policy: Policy) -> Self {
        let mut rules = Self::of_words(storage);
        if policy == Policy::Ext4Ordered {
            rules.add_journal(&storage.operations);
            rules.close_forced();
        }
        rules
    }

    fn add_journal(&mut self, operations: &[Operation]) {
        let mut last_of_journal = None;
        let mut writes: BTreeMap<Inode, Vec<usize>> = BTreeMap::new();
        let mut last_of_length: BTreeMap<Inode, usize> = BTreeMap::new();
        for (index, operation) in operations.iter().enumerate() {
            // A failed write-back breaks the order: what it took for done is lost or not, whatever came after it.
            if operation.standing == Standing::Abandoned {
                continue;
            }
            let change = &operation.change;
            self.forced[index] |= operation.journalled;
            self.paired[index] = index > 0
                && matches!(change, Change::Unbind { moved: true, .. })
                && operations[index - 1].standing != Standing::Abandoned
                && operations[index - 1].id.0.abs_diff(operation.id.0) == 1;
            let truncates = matches!(change, Change::Truncate { .. });
            if truncates || change.names_of().is_some() {
                self.needs[index].extend(last_of_journal.replace(index));
            }
            if let Some(inode) = change.exposes() {
                self.needs[index].extend(writes.get(&inode).into_iter().flatten());
            }
            if let Some(inode) = change.data_of() {
                if truncates || matches!(change, Change::Write { extends: true, .. }) {
                    self.needs[index].extend(last_of_length.insert(inode, index));
                }
                writes.entry(inode).or_default().push(index);
            }
        }
    }

    /// What is forced forces what it needs, and its other half.
    fn close_forced(&mut self) {
        for index in (0..self.forced.len()).rev() {
            if self.paired[index] && (self.forced[index] || self.forced[index - 1]) {
                self.forced[index] = true;
                self.forced[index - 1] = true;
            }
            if self.forced[index] {
                for &needed in &self.needs[index] {
                    self.forced[needed] = true;
                }
            }
        }
    }
}

/// For every operation the earlier ones that it is built on.
fn built_on(storage: &MemoryStorage) -> Vec<Vec<usize>> {
    let anchored = anchored(storage);
    // The unsynced operation that gave a place its file, and the one that made a file or directory.
    let mut binder: BTreeMap<(Inode, u32), usize> = BTreeMap::new();
    let mut maker: BTreeMap<Inode, usize> = BTreeMap::new();
    let mut needs = Vec::with_capacity(storage.operations.len());
    for (index, operation) in storage.operations.iter().enumerate() {
        let made = |inode: &Inode| maker.get(inode).copied().filter(|_| !anchored.contains(inode));
        let mut built: Vec<usize> = Vec::new();
        built.extend(operation.change.data_of().as_ref().and_then(made));
        built.extend(operation.change.names_of().as_ref().and_then(made));
        match &operation.change {
            Change::Write { .. } | Change::Truncate { .. } => {}
            Change::Bind { directory, name, inode, origin } => {
                if let Origin::Moved { directory, name } = origin {
                    built.extend(binder.get(&(*directory, *name)));
                } else {
                    maker.insert(*inode, index);
                }
                binder.insert((*directory, *name), index);
            }
            Change::Unbind { directory, name, .. } => built.extend(binder.remove(&(*directory, *name))),
            Change::Rename { directory, from, to, .. } => {
                built.extend(binder.remove(&(*directory, *from)));
                binder.insert((*directory, *to), index);
            }
        }
        built.dedup();
        needs.push(built);
    }
    needs
}

/// The files and directories that have a durable name. What is done to another is built on the operation that made it.
fn anchored(storage: &MemoryStorage) -> BTreeSet<Inode> {
    let mut anchored = BTreeSet::from([ROOT]);
    if storage.operations.is_empty() {
        return anchored;
    }
    for inode in 0..storage.durable.len() as Inode {
        anchored.extend(storage.durable.directory(inode).into_iter().flat_map(|names| names.values()));
    }
    for operation in storage.operations.iter().filter(|operation| operation.standing == Standing::Durable) {
        if let Change::Bind { inode, .. } | Change::Rename { inode, .. } = &operation.change {
            anchored.insert(*inode);
        }
    }
    anchored
}
