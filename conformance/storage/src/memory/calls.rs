//! The calls of a storage, in memory.

use std::collections::BTreeMap;

use super::MemoryStorage;
use super::fault::{Call, Effect};
use super::names;
use super::operation::{Change, Origin, Standing};
use super::tree::{Content, Inode, Node, ROOT};
use crate::error::StorageError;
use crate::path;
use crate::storage::{Handle, Storage};

/// The largest file, in bytes: a mistaken length must not take all memory.
const LARGEST: usize = 1 << 30;

/// What is under a path.
struct Slot {
    directory: Inode,
    name: u32,
    inode: Option<Inode>,
}

impl MemoryStorage {
    /// The inode of a path; none if only the last name is missing.
    fn find(&self, path: &str) -> Result<Option<Inode>, StorageError> {
        let mut found = Some(ROOT);
        for name in path::names(path)? {
            let above = found.ok_or_else(|| StorageError::NotFound(path.to_owned()))?;
            let directory = self.volatile.directory(above);
            let directory = directory.ok_or_else(|| StorageError::NotDirectory(path.to_owned()))?;
            found = self.names.find(name).and_then(|name| directory.get(&name).copied());
        }
        Ok(found)
    }

    fn directory(&self, path: &str) -> Result<Inode, StorageError> {
        let inode = self.find(path)?.ok_or_else(|| StorageError::NotFound(path.to_owned()))?;
        if self.volatile.directory(inode).is_none() {
            return Err(StorageError::NotDirectory(path.to_owned()));
        }
        Ok(inode)
    }

    /// The place of a path, whose directory exists.
    fn slot(&mut self, path: &str) -> Result<Slot, StorageError> {
        let (above, name) = path::split(path)?;
        let sorted = |error| match error {
            StorageError::NotFound(_) => StorageError::NotFound(path.to_owned()),
            StorageError::NotDirectory(_) => StorageError::NotDirectory(path.to_owned()),
            other => other,
        };
        let directory = self.directory(above).map_err(sorted)?;
        let name = names::number(&mut self.names, name);
        let inode = self.volatile.directory(directory).and_then(|names| names.get(&name).copied());
        Ok(Slot { directory, name, inode })
    }

    /// The place of a file that exists, and the file.
    fn file(&mut self, path: &str) -> Result<(Slot, Inode), StorageError> {
        path::split(path)?;
        let inode = self.find(path)?.ok_or_else(|| StorageError::NotFound(path.to_owned()))?;
        if self.volatile.directory(inode).is_some() {
            return Err(StorageError::IsDirectory(path.to_owned()));
        }
        Ok((self.slot(path)?, inode))
    }

    fn bytes(&self, handle: Handle) -> Result<(Inode, &[u8]), StorageError> {
        let inode = self.inode(handle).ok_or(StorageError::StaleHandle)?;
        Ok((inode, self.volatile.bytes(inode).unwrap_or_default()))
    }

    fn opened(&mut self, inode: Inode) -> Result<Handle, StorageError> {
        let number = self.next_handle;
        self.next_handle = number.checked_add(1).ok_or(StorageError::NoSpace)?;
        self.handles.insert(number, inode);
        Ok(Handle(number))
    }

    /// A new, empty file or directory without a name.
    fn add(&mut self, node: Node, place: (Inode, u32)) -> Inode {
        if let Some(inode) = self.free.pop() {
            self.volatile.renew(inode, node.clone());
            self.durable.renew(inode, node);
            self.places[inode as usize] = place;
            return inode;
        }
        self.volatile.push(node.clone());
        self.durable.push(node);
        self.places.push(place);
        (self.places.len() - 1) as Inode
    }

    /// The fault that strikes a call on a path.
    fn struck(&mut self, call: Call, path: &str) -> Option<Effect> {
        if self.faults.armed.is_empty() { None } else { self.faults.strike(call, path) }
    }

    /// The fault that strikes a call on an open file.
    fn struck_at(&mut self, call: Call, handle: Handle) -> Option<Effect> {
        if self.faults.armed.is_empty() {
            return None;
        }
        let path = self.path_of(self.places[self.inode(handle)? as usize]);
        self.faults.strike(call, &path)
    }

    /// Performs a call that may be struck by a fault, unless the effect is one that the call treats by itself.
    fn under<T>(
        &mut self,
        effect: Option<Effect>,
        call: Call,
        act: impl FnOnce(&mut Self) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        match effect {
            None => act(self),
            Some(Effect::FailAfter) => {
                act(self)?;
                Err(StorageError::Failed(call.name()))
            }
            Some(Effect::NoSpace) => Err(StorageError::NoSpace),
            Some(_) => Err(StorageError::Failed(call.name())),
        }
    }

    fn do_write(&mut self, handle: Handle, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        let (inode, old) = self.bytes(handle)?;
        if bytes.is_empty() {
            return Ok(());
        }
        let offset = usize::try_from(offset).map_err(|_| StorageError::NoSpace)?;
        let end = offset.checked_add(bytes.len()).filter(|&end| end <= LARGEST).ok_or(StorageError::NoSpace)?;
        let extends = end > old.len();
        let change = Change::Write { inode, offset, bytes: bytes.to_vec(), extends };
        self.record(change, self.places[inode as usize]);
        Ok(())
    }

    fn do_truncate(&mut self, handle: Handle, length: u64) -> Result<(), StorageError> {
        let (inode, old) = self.bytes(handle)?;
        let length = usize::try_from(length).ok().filter(|&length| length <= LARGEST).ok_or(StorageError::NoSpace)?;
        if old.len() != length {
            self.record(Change::Truncate { inode, length }, self.places[inode as usize]);
        }
        Ok(())
    }

    fn do_create(&mut self, path: &str) -> Result<Handle, StorageError> {
        let Slot { directory, name, inode } = self.slot(path)?;
        let place = (directory, name);
        if let Some(old) = inode {
            if self.volatile.directory(old).is_some() {
                return Err(StorageError::IsDirectory(path.to_owned()));
            }
            self.record(Change::Unbind { directory, name, moved: false }, place);
        }
        let inode = self.add(Node::File(Content::default()), place);
        self.record(Change::Bind { directory, name, inode, origin: Origin::NewFile }, place);
        self.opened(inode)
    }

    fn do_create_directory(&mut self, path: &str) -> Result<(), StorageError> {
        if self.find(path)?.is_some() {
            return Err(StorageError::Exists(path.to_owned()));
        }
        let Slot { directory, name, .. } = self.slot(path)?;
        let inode = self.add(Node::Directory(BTreeMap::new()), (directory, name));
        self.record(Change::Bind { directory, name, inode, origin: Origin::NewDirectory }, (directory, name));
        Ok(())
    }

    fn do_rename(&mut self, from: &str, to: &str) -> Result<(), StorageError> {
        let (source, inode) = self.file(from)?;
        let target = self.slot(to)?;
        if target.inode.is_some_and(|inode| self.volatile.directory(inode).is_some()) {
            return Err(StorageError::IsDirectory(to.to_owned()));
        }
        // Two names of one file: nothing happens. After a power loss a file can have two, and it always has its own.
        if target.inode == Some(inode) {
            return Ok(());
        }
        let (directory, place) = (source.directory, (target.directory, target.name));
        if directory == target.directory {
            self.record(Change::Rename { directory, from: source.name, to: target.name, inode }, place);
        } else {
            let origin = Origin::Moved { directory, name: source.name };
            let into = Change::Bind { directory: target.directory, name: target.name, inode, origin };
            self.record(into, place);
            self.record(Change::Unbind { directory, name: source.name, moved: true }, (directory, source.name));
        }
        self.places[inode as usize] = place;
        Ok(())
    }

    fn do_sync_directory(&mut self, path: &str, fails_clean: bool) -> Result<(), StorageError> {
        let directory = self.directory(path)?;
        if !fails_clean {
            self.note_journalled(directory);
        }
        self.settle(|change| change.names_of() == Some(directory), fails_clean);
        self.sweep();
        Ok(())
    }

    /// Before names of a directory become durable: what a journal would have committed along with them.
    fn note_journalled(&mut self, directory: Inode) {
        for index in 0..self.operations.len() {
            let operation = &self.operations[index];
            if operation.change.names_of() != Some(directory) || operation.standing != Standing::Unsynced {
                continue;
            }
            // The other half of a rename across directories belongs to the same transaction.
            if matches!(operation.change, Change::Bind { origin: Origin::Moved { .. }, .. }) {
                self.note_half(index, index + 1);
            } else if matches!(operation.change, Change::Unbind { moved: true, .. }) {
                self.note_half(index, index.wrapping_sub(1));
            }
            if let Some(inode) = self.operations[index].change.exposes() {
                self.note_data(inode, index);
            }
        }
    }

    fn note_half(&mut self, half: usize, other: usize) {
        let id = self.operations[half].id.0;
        if let Some(twin) = self.operations.get_mut(other).filter(|twin| twin.id.0.abs_diff(id) == 1) {
            twin.journalled = true;
            // Its new name exposes the data, too.
            if let Some(inode) = twin.change.exposes() {
                self.note_data(inode, other);
            }
        }
    }

    fn note_data(&mut self, inode: Inode, before: usize) {
        for operation in &mut self.operations[..before] {
            operation.journalled |= operation.change.data_of() == Some(inode);
        }
    }
}

impl Storage for MemoryStorage {
    fn create(&mut self, path: &str) -> Result<Handle, StorageError> {
        let effect = self.struck(Call::Create, path);
        self.under(effect, Call::Create, |storage| storage.do_create(path))
    }

    fn open(&mut self, path: &str) -> Result<Handle, StorageError> {
        let effect = self.struck(Call::Open, path);
        self.under(effect, Call::Open, |storage| {
            let (_, inode) = storage.file(path)?;
            storage.opened(inode)
        })
    }

    fn close(&mut self, handle: Handle) -> Result<(), StorageError> {
        self.handles.remove(&handle.0).ok_or(StorageError::StaleHandle)?;
        self.sweep();
        Ok(())
    }

    fn read_into(&mut self, handle: Handle, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        let effect = self.struck_at(Call::Read, handle);
        self.under(effect, Call::Read, |storage| {
            let (_, bytes) = storage.bytes(handle)?;
            let left = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
            let count = left.len().min(buffer.len());
            buffer[..count].copy_from_slice(&left[..count]);
            Ok(count)
        })
    }

    fn length(&mut self, handle: Handle) -> Result<u64, StorageError> {
        Ok(self.bytes(handle)?.1.len() as u64)
    }

    fn write(&mut self, handle: Handle, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        match self.struck_at(Call::Write, handle) {
            Some(Effect::Torn { length }) => {
                self.do_write(handle, offset, &bytes[..length.min(bytes.len())])?;
                Err(StorageError::Failed(Call::Write.name()))
            }
            Some(Effect::TornSilently { length }) => self.do_write(handle, offset, &bytes[..length.min(bytes.len())]),
            effect => self.under(effect, Call::Write, |storage| storage.do_write(handle, offset, bytes)),
        }
    }

    fn truncate(&mut self, handle: Handle, length: u64) -> Result<(), StorageError> {
        let effect = self.struck_at(Call::Truncate, handle);
        self.under(effect, Call::Truncate, |storage| storage.do_truncate(handle, length))
    }

    fn sync_file(&mut self, handle: Handle) -> Result<(), StorageError> {
        let inode = self.inode(handle).ok_or(StorageError::StaleHandle)?;
        let effect = self.struck_at(Call::SyncFile, handle);
        if effect == Some(Effect::SyncFailsClean) {
            self.settle(|change| change.data_of() == Some(inode), true);
        }
        self.under(effect, Call::SyncFile, |storage| {
            storage.settle(|change| change.data_of() == Some(inode), false);
            Ok(())
        })
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), StorageError> {
        let effect = self.struck(Call::Rename, to);
        self.under(effect, Call::Rename, |storage| storage.do_rename(from, to))
    }

    fn remove(&mut self, path: &str) -> Result<(), StorageError> {
        let effect = self.struck(Call::Remove, path);
        self.under(effect, Call::Remove, |storage| {
            let (Slot { directory, name, .. }, _) = storage.file(path)?;
            storage.record(Change::Unbind { directory, name, moved: false }, (directory, name));
            Ok(())
        })
    }

    fn create_directory(&mut self, path: &str) -> Result<(), StorageError> {
        let effect = self.struck(Call::CreateDirectory, path);
        self.under(effect, Call::CreateDirectory, |storage| storage.do_create_directory(path))
    }

    fn sync_directory(&mut self, path: &str) -> Result<(), StorageError> {
        let effect = self.struck(Call::SyncDirectory, path);
        if effect == Some(Effect::SyncFailsClean) {
            self.do_sync_directory(path, true)?;
        }
        self.under(effect, Call::SyncDirectory, |storage| storage.do_sync_directory(path, false))
    }

    fn entries(&mut self, path: &str) -> Result<Vec<String>, StorageError> {
        let effect = self.struck(Call::Entries, path);
        self.under(effect, Call::Entries, |storage| {
            let inode = storage.directory(path)?;
            let names = storage.volatile.directory(inode).into_iter().flatten();
            let mut names: Vec<String> = names.map(|(&name, _)| storage.names.text(name).to_owned()).collect();
            names.sort_unstable();
            Ok(names)
        })
    }

    fn exists(&mut self, path: &str) -> Result<bool, StorageError> {
        match self.find(path) {
            Ok(found) => Ok(found.is_some()),
            Err(StorageError::NotFound(_) | StorageError::NotDirectory(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn begin_group(&mut self, label: &str) {
        self.group = self.group.wrapping_add(1);
        self.label = names::number(&mut self.labels, label);
    }

    fn sync_file_at(&mut self, site: &str, handle: Handle) -> Result<(), StorageError> {
        if self.sites.reached(site) {
            return self.inode(handle).map(drop).ok_or(StorageError::StaleHandle);
        }
        self.sync_file(handle)
    }

    fn sync_directory_at(&mut self, site: &str, path: &str) -> Result<(), StorageError> {
        if self.sites.reached(site) {
            return self.directory(path).map(drop);
        }
        self.sync_directory(path)
    }
}
