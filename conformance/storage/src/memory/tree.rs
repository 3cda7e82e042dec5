//! A file system: files and directories by number, and what one change does to them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

use super::names::Names;
use super::operation::Change;

/// The number of a file or directory, which it keeps whatever its name is.
pub(crate) type Inode = u32;
/// The root directory.
pub(crate) const ROOT: Inode = 0;

/// What a file system shows, as a number: equal for equal trees of names and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(8).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A file: its bytes, and their digest as long as they stay the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    digest: OnceLock<[u8; 32]>,
}

/// A file or a directory.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    File(Content),
    /// Inodes by the number of the name.
    Directory(BTreeMap<u32, Inode>),
}

/// Files and directories by inode. Cloning shares them until one side changes them.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    nodes: Vec<Arc<Node>>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: vec![Arc::new(Node::Directory(BTreeMap::new()))] }
    }
}

impl Tree {
    /// A tree without even a root, to be filled.
    pub(crate) fn empty() -> Self {
        Self { nodes: Vec::new() }
    }

    /// Takes a node of another tree as the next of this one.
    pub(crate) fn share(&mut self, other: &Self, inode: Inode) {
        self.nodes.push(Arc::clone(&other.nodes[inode as usize]));
    }

    pub(crate) fn push(&mut self, node: Node) {
        self.nodes.push(Arc::new(node));
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The names of a directory; none if it is a file.
    pub(crate) fn directory(&self, inode: Inode) -> Option<&BTreeMap<u32, Inode>> {
        match self.nodes.get(inode as usize).map(Arc::as_ref) {
            Some(Node::Directory(names)) => Some(names),
            _ => None,
        }
    }

    /// The bytes of a file; none if it is a directory.
    pub(crate) fn bytes(&self, inode: Inode) -> Option<&[u8]> {
        match self.nodes.get(inode as usize).map(Arc::as_ref) {
            Some(Node::File(content)) => Some(&content.bytes),
            _ => None,
        }
    }

    fn directory_mut(&mut self, inode: Inode) -> Option<&mut BTreeMap<u32, Inode>> {
        match Arc::make_mut(self.nodes.get_mut(inode as usize)?) {
            Node::Directory(names) => Some(names),
            Node::File(_) => None,
        }
    }

    fn bytes_mut(&mut self, inode: Inode) -> Option<&mut Vec<u8>> {
        match Arc::make_mut(self.nodes.get_mut(inode as usize)?) {
            Node::File(content) => {
                content.digest.take();
                Some(&mut content.bytes)
            }
            Node::Directory(_) => None,
        }
    }

    /// Drops what inodes hold that nothing can reach any more.
    pub(crate) fn forget(&mut self, inodes: &[Inode]) {
        let empty = Arc::new(Node::File(Content::default()));
        for &inode in inodes {
            if let Some(node) = self.nodes.get_mut(inode as usize) {
                *node = Arc::clone(&empty);
            }
        }
    }

    /// Makes the inode an empty file or directory again.
    pub(crate) fn renew(&mut self, inode: Inode, node: Node) {
        if let Some(place) = self.nodes.get_mut(inode as usize) {
            *place = Arc::new(node);
        }
    }

    /// Performs a change; of a torn write only the first `torn` bytes. A change that does not fit does nothing.
    pub(crate) fn apply(&mut self, change: &Change, torn: Option<usize>) {
        match change {
            Change::Write { inode, offset, bytes, .. } => {
                let bytes = &bytes[..torn.unwrap_or(bytes.len()).min(bytes.len())];
                self.write(*inode, *offset, bytes);
            }
            Change::Truncate { inode, length } => {
                if let Some(content) = self.bytes_mut(*inode) {
                    content.resize(*length, 0);
                }
            }
            Change::Bind { directory, name, inode, .. } => {
                if let Some(names) = self.directory_mut(*directory) {
                    names.insert(*name, *inode);
                }
            }
            Change::Unbind { directory, name, .. } => {
                if let Some(names) = self.directory_mut(*directory) {
                    names.remove(name);
                }
            }
            Change::Rename { directory, from, to, inode } => {
                if let Some(names) = self.directory_mut(*directory) {
                    names.remove(from);
                    names.insert(*to, *inode);
                }
            }
        }
    }

    /// Writes bytes; a gap before them is filled with zeros.
    pub(crate) fn write(&mut self, inode: Inode, offset: usize, bytes: &[u8]) {
        let Some(content) = self.bytes_mut(inode) else { return };
        let end = offset.saturating_add(bytes.len());
        if content.len() < end {
            content.resize(end, 0);
        }
        content[offset..end].copy_from_slice(bytes);
    }

    /// The inodes that can be reached from the root, each once, directories before what is in them; with the directory and
    /// the name that it was reached by.
    pub(crate) fn reachable(&self) -> Vec<(Inode, Inode, u32)> {
        let mut seen = vec![false; self.nodes.len()];
        let mut found: Vec<(Inode, Inode, u32)> = vec![(ROOT, ROOT, 0)];
        seen[ROOT as usize] = true;
        let mut next = 0;
        while let Some(&(inode, ..)) = found.get(next) {
            next += 1;
            for (&name, &child) in self.directory(inode).into_iter().flatten() {
                if !std::mem::replace(&mut seen[child as usize], true) {
                    found.push((child, inode, name));
                }
            }
        }
        found
    }

    /// The fingerprint of what can be reached from the root. It does not depend on inodes or on the numbers of names.
    pub(crate) fn fingerprint(&self, names: &Names) -> Fingerprint {
        Fingerprint(self.digest(ROOT, names))
    }

    fn digest(&self, inode: Inode, names: &Names) -> [u8; 32] {
        match self.nodes[inode as usize].as_ref() {
            Node::File(content) => *content.digest.get_or_init(|| Sha256::digest(&content.bytes).into()),
            Node::Directory(entries) => {
                let mut sorted: Vec<(&str, Inode)> =
                    entries.iter().map(|(&name, &child)| (names.text(name), child)).collect();
                sorted.sort_unstable_by_key(|&(name, _)| name);
                let mut hasher = Sha256::new();
                for (name, child) in sorted {
                    let kind = if self.directory(child).is_some() { b'd' } else { b'f' };
                    hasher.update([kind]);
                    hasher.update((name.len() as u64).to_le_bytes());
                    hasher.update(name);
                    hasher.update(self.digest(child, names));
                }
                hasher.finalize().into()
            }
        }
    }
}
