//! Inodes that nothing can reach any more are used again, so that a long run does not fill the memory.

use super::MemoryStorage;
use super::operation::Change;
use super::tree::Inode;

/// The number of inodes at which it first pays to look.
pub(crate) const FIRST: usize = 256;

impl MemoryStorage {
    /// Frees what neither a name, nor a handle, nor an unsynced operation can reach, once there are many inodes.
    pub(crate) fn sweep(&mut self) {
        if self.volatile.len() - self.free.len() < self.sweep_at {
            return;
        }
        let mut used = vec![false; self.volatile.len()];
        let shown = self.volatile.reachable().into_iter().chain(self.durable.reachable());
        for inode in shown.map(|(inode, ..)| inode).chain(self.handles.values().copied()) {
            used[inode as usize] = true;
        }
        for operation in &self.operations {
            for inode in mentioned(&operation.change).into_iter().flatten() {
                used[inode as usize] = true;
            }
        }
        self.free.clear();
        self.free.extend((0..).zip(&used).filter(|(_, used)| !**used).map(|(inode, _): (Inode, _)| inode));
        self.volatile.forget(&self.free);
        self.durable.forget(&self.free);
        self.sweep_at = FIRST.max(2 * (self.volatile.len() - self.free.len()));
    }
}

fn mentioned(change: &Change) -> [Option<Inode>; 2] {
    let file = match change {
        Change::Bind { inode, .. } | Change::Rename { inode, .. } => Some(*inode),
        Change::Write { .. } | Change::Truncate { .. } | Change::Unbind { .. } => change.data_of(),
    };
    [file, change.names_of()]
}
