//! A file system in memory that knows what a power loss may leave.
//!
//! There are two trees: what the operating system shows, and what is durable. The operations between them are kept one by one
//! until a sync makes them durable. A process crash takes the handles only. A power loss leaves an *image*: what is durable,
//! and those of the operations that happen to survive.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::storage::Handle;

mod calls;
pub(crate) mod choice;
pub(crate) mod fault;
mod image;
pub(crate) mod images;
mod names;
pub(crate) mod operation;
pub(crate) mod policy;
pub(crate) mod sites;
mod sweep;
pub(crate) mod tree;

use choice::OperationId;
use fault::{Fault, Faults, LandedFault};
use names::Names;
use operation::{Change, Operation, PendingGroup, PendingOperation, Standing};
use policy::Rules;
use sites::{SyncSite, SyncSites};
use tree::{Fingerprint, Inode, ROOT, Tree};

/// Durable and volatile sets of names and data. See [`crate::Storage`] for the calls.
///
/// Cloning is cheap: files are shared until one side writes them.
#[derive(Clone, Debug)]
pub struct MemoryStorage {
    names: Arc<Names>,
    labels: Arc<Names>,
    /// The directory and the latest name of every inode.
    places: Vec<(Inode, u32)>,
    /// What the operating system shows.
    volatile: Tree,
    /// What is durable for certain.
    durable: Tree,
    /// What lies between, in the order of the calls.
    operations: Vec<Operation>,
    next_operation: u32,
    group: u32,
    label: u32,
    /// Open handles. No number is given out twice, also not after a crash.
    handles: BTreeMap<u32, Inode>,
    next_handle: u32,
    faults: Faults,
    sites: SyncSites,
    /// Inodes that can be used again, and the size at which it pays to look for more.
    free: Vec<Inode>,
    sweep_at: usize,
}

impl Default for MemoryStorage {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStorage {
    /// An empty file system.
    pub fn new() -> Self {
        let mut labels = Arc::default();
        let label = names::number(&mut labels, "");
        Self {
            names: Arc::default(),
            labels,
            places: vec![(ROOT, 0)],
            volatile: Tree::default(),
            durable: Tree::default(),
            operations: Vec::new(),
            next_operation: 0,
            group: 0,
            label,
            handles: BTreeMap::new(),
            next_handle: 0,
            faults: Faults::default(),
            sites: SyncSites::default(),
            free: Vec::new(),
            sweep_at: sweep::FIRST,
        }
    }

    /// The process dies: its handles are gone. What it wrote stays, synced or not. Deaf sites and armed faults stay as well.
    pub fn crash_process(&mut self) {
        self.handles.clear();
    }

    /// Makes everything durable, as an operating system does when it is left in peace. Also what a failed sync took for done.
    pub fn write_back(&mut self) {
        self.durable = self.volatile.clone();
        self.operations.clear();
    }

    /// Arms a fault: it strikes the next call that it fits.
    pub fn inject(&mut self, fault: Fault) {
        self.faults.armed.push(fault);
    }

    /// The faults that have not struck yet.
    pub fn armed_faults(&self) -> &[Fault] {
        &self.faults.armed
    }

    /// The faults that have struck, oldest first.
    pub fn landed_faults(&self) -> &[LandedFault] {
        &self.faults.landed
    }

    /// Sets which named sync calls do nothing (and say that they succeeded): these sites, and no others. It holds after
    /// crashes, and in images, as if the calls were deleted from the broker's code.
    pub fn deafen(&mut self, sites: &[&str]) {
        self.sites.deafen(sites);
    }

    /// The named sync calls that were reached or deafened, in the order in which they were first named.
    pub fn sync_sites(&self) -> &[SyncSite] {
        &self.sites.known
    }

    /// Whether a power loss could take anything.
    pub fn is_synced(&self) -> bool {
        self.operations.iter().all(|operation| operation.standing == Standing::Durable)
    }

    /// The operations that are not synced, oldest first.
    pub fn pending(&self) -> Vec<PendingOperation> {
        let rules = Rules::of_words(self);
        let unsynced = |index: &usize| self.operations[*index].standing != Standing::Durable;
        (0..self.operations.len())
            .filter(unsynced)
            .map(|index| {
                let operation = &self.operations[index];
                let parents = rules.needs[index].iter().filter(|parent| unsynced(parent));
                PendingOperation {
                    id: operation.id,
                    group: operation.group,
                    label: self.labels.text(operation.label).to_owned(),
                    kind: operation.change.kind(),
                    path: self.path_of(operation.place),
                    details: self.details(operation),
                    parents: parents.map(|&parent| self.operations[parent].id).collect(),
                    abandoned: operation.standing == Standing::Abandoned,
                }
            })
            .collect()
    }

    /// The logical writes that have unsynced operations, oldest first.
    pub fn pending_groups(&self) -> Vec<PendingGroup> {
        let mut groups = BTreeMap::new();
        for operation in self.operations.iter().filter(|operation| operation.standing != Standing::Durable) {
            let group = groups.entry(operation.group).or_insert_with(|| PendingGroup {
                group: operation.group,
                label: self.labels.text(operation.label).to_owned(),
                operations: 0,
            });
            group.operations += 1;
        }
        groups.into_values().collect()
    }

    /// The fingerprint of what the operating system shows now.
    pub fn fingerprint(&self) -> Fingerprint {
        self.volatile.fingerprint(&self.names)
    }

    /// The path of a name in a directory.
    fn path_of(&self, (directory, name): (Inode, u32)) -> String {
        let mut names = vec![self.names.text(name)];
        let mut above = directory;
        while above != ROOT {
            let (parent, name) = self.places[above as usize];
            names.push(self.names.text(name));
            above = parent;
        }
        names.reverse();
        names.join("/")
    }

    /// What an operation does, in words.
    fn details(&self, operation: &Operation) -> String {
        let path = self.path_of(operation.place);
        let kind = operation.change.kind();
        match &operation.change {
            Change::Write { offset, bytes, .. } => format!("{kind} {} bytes at {offset} of {path}", bytes.len()),
            Change::Truncate { length, .. } => format!("{kind} {path} to {length} bytes"),
            Change::Rename { directory, from, .. } => {
                format!("{kind} {} to {path}", self.path_of((*directory, *from)))
            }
            Change::Bind { origin: operation::Origin::Moved { directory, name }, .. } => {
                format!("rename {} to {path}: the new name", self.path_of((*directory, *name)))
            }
            Change::Unbind { moved: true, .. } => format!("rename {path} to another directory: the old name"),
            Change::Bind { .. } | Change::Unbind { .. } => format!("{kind} {path}"),
        }
    }

    /// Performs a change in what is shown, and keeps it as unsynced.
    fn record(&mut self, change: Change, place: (Inode, u32)) {
        self.volatile.apply(&change, None);
        let id = OperationId(self.next_operation);
        self.next_operation = self.next_operation.wrapping_add(1);
        let (group, label) = (self.group, self.label);
        let standing = Standing::Unsynced;
        self.operations.push(Operation { id, group, label, place, standing, journalled: false, change });
    }

    /// The inode of an open handle.
    fn inode(&self, handle: Handle) -> Option<Inode> {
        self.handles.get(&handle.0).copied()
    }

    /// A sync: the operations that it is about become durable, or, if it fails clean, will never be for certain.
    fn settle(&mut self, about: impl Fn(&Change) -> bool, fails_clean: bool) {
        if fails_clean {
            for operation in self.operations.iter_mut().filter(|operation| about(&operation.change)) {
                if operation.standing == Standing::Unsynced {
                    operation.standing = Standing::Abandoned;
                }
            }
            return;
        }
        // What was abandoned may still come to the disk, and its place in the order counts: nothing is merged past it.
        let blocked = self
            .operations
            .iter()
            .any(|operation| operation.standing == Standing::Abandoned && about(&operation.change));
        let durable = &mut self.durable;
        self.operations.retain_mut(|operation| {
            if operation.standing != Standing::Unsynced || !about(&operation.change) {
                return true;
            }
            if blocked {
                operation.standing = Standing::Durable;
            } else {
                durable.apply(&operation.change, None);
            }
            blocked
        });
    }
}
