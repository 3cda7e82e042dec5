//! The disk under the partition: every call that changes it is a place at which the implementation can be held.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use fencepost_driver::ParkKind;
use fencepost_spec::clause::ClauseName;
use fencepost_storage::{DiskStorage, Handle, MemoryStorage, Storage, StorageError};

use crate::files::Directories;
use crate::gates::Gates;
use crate::power::Watched;
use crate::unsynced::Unsynced;

fencepost_spec::words! {
    /// A place in the code that syncs.
    pub enum Site {
        /// The data of a segment, after an append.
        AppendData = "append-data",
        /// The names of the partition directory, after an append.
        AppendNames = "append-names",
        /// The data of a bookmark's file, before it gets its name.
        BookmarkData = "bookmark-data",
        /// The names of the directory of bookmarks, after a store or delete.
        BookmarkNames = "bookmark-names",
        /// The names of the partition directory, after a purge replaced the segment.
        PurgePartitionNames = "purge-partition-names",
        /// The names of the directory of bookmarks, after a purge removed them.
        PurgeBookmarkNames = "purge-bookmark-names",
        /// The file with purge generation and start offset.
        GenerationData = "generation-data",
    }
}

impl Site {
    /// The clause that should catch it if the call does nothing.
    pub fn expected(self) -> ClauseName {
        match self {
            Self::AppendData | Self::AppendNames => ClauseName::NoSkip,
            Self::BookmarkData | Self::BookmarkNames => ClauseName::AcknowledgedCommitStands,
            Self::PurgePartitionNames | Self::PurgeBookmarkNames | Self::GenerationData => {
                ClauseName::OneHistoryAfterRecovery
            }
        }
    }
}

/// Where the files are.
#[derive(Debug)]
pub enum Backing {
    /// In memory, with durable and volatile sets of names and data.
    Memory(Box<MemoryStorage>),
    /// In a directory of the real file system, which is emptied by every reset.
    Directory(PathBuf, DiskStorage),
    /// In memory, for a recovery that is watched; it is neither emptied nor does it lose power by itself.
    Watched(Box<Watched>),
}

impl Backing {
    /// Files in memory.
    pub fn memory() -> Self {
        Self::Memory(Box::new(MemoryStorage::new()))
    }

    /// Files in a directory of the real file system, which is created if it is missing. What is in it is removed.
    ///
    /// # Errors
    /// As the file system does.
    pub fn directory(root: &Path) -> Result<Self, StorageError> {
        std::fs::create_dir_all(root).map_err(StorageError::Other)?;
        Ok(Self::Directory(root.to_owned(), DiskStorage::new(root)?))
    }

    /// The storage behind it.
    pub(crate) fn storage(&mut self) -> &mut dyn Storage {
        match self {
            Self::Memory(storage) => storage.as_mut(),
            Self::Directory(_, storage) => storage,
            Self::Watched(storage) => storage.as_mut(),
        }
    }

    /// Removes everything.
    ///
    /// # Errors
    /// As the file system does.
    pub(crate) fn clear(&mut self) -> Result<(), StorageError> {
        match self {
            Self::Memory(storage) => **storage = MemoryStorage::new(),
            Self::Directory(root, storage) => {
                for entry in std::fs::read_dir(&*root).map_err(StorageError::Other)? {
                    let entry = entry.map_err(StorageError::Other)?;
                    let kind = entry.file_type().map_err(StorageError::Other)?;
                    let gone = if kind.is_dir() {
                        std::fs::remove_dir_all(entry.path())
                    } else {
                        std::fs::remove_file(entry.path())
                    };
                    gone.map_err(StorageError::Other)?;
                }
                *storage = DiskStorage::new(root)?;
            }
            Self::Watched(_) => {}
        }
        Ok(())
    }
}

/// The files of the owner's process.
pub(crate) struct Disk {
    pub(crate) backing: RefCell<Backing>,
    gates: Rc<Gates>,
    /// Whether calls wait at an inner gate.
    pub(crate) holds_calls: Cell<bool>,
    deaf: Option<Site>,
    /// How often the fault mattered: a call that does nothing is counted.
    landed: Rc<Cell<u64>>,
    writes: RefCell<Unsynced>,
}

impl Disk {
    pub(crate) fn new(backing: Backing, gates: Rc<Gates>, deaf: Option<Site>, landed: Rc<Cell<u64>>) -> Self {
        let (backing, holds_calls) = (RefCell::new(backing), Cell::new(false));
        Self { backing, gates, holds_calls, deaf, landed, writes: RefCell::default() }
    }

    async fn held(&self, what: &str, which: &str) {
        if self.holds_calls.get() {
            self.gates.wait(ParkKind::Inner, &format!("{what}:{which}").into()).await;
        }
    }

    /// Begins a logical write: what follows is found again after a power loss or not, as one.
    pub(crate) fn begin(&self, label: &str) {
        let label = self.writes.borrow_mut().label(label);
        self.backing.borrow_mut().storage().begin_group(&label);
    }

    pub(crate) async fn create(&self, path: &str) -> Result<Handle, StorageError> {
        self.held("create", path).await;
        let file = self.backing.borrow_mut().storage().create(path)?;
        self.writes.borrow_mut().created(path, file);
        Ok(file)
    }

    /// Writes into an open file; `path` is for the eye.
    pub(crate) async fn write(&self, path: &str, file: Handle, at: u64, bytes: &[u8]) -> Result<(), StorageError> {
        self.held("write", path).await;
        self.writes.borrow_mut().written(file);
        self.backing.borrow_mut().storage().write(file, at, bytes)
    }

    /// Cuts an open file.
    pub(crate) async fn truncate(&self, path: &str, file: Handle, length: u64) -> Result<(), StorageError> {
        self.held("truncate", path).await;
        self.backing.borrow_mut().storage().truncate(file, length)
    }

    pub(crate) async fn rename(&self, from: &str, to: &str) -> Result<(), StorageError> {
        self.held("rename", to).await;
        self.backing.borrow_mut().storage().rename(from, to)?;
        self.writes.borrow_mut().renamed(from, to);
        Ok(())
    }

    pub(crate) async fn remove(&self, path: &str) -> Result<(), StorageError> {
        self.held("unlink", path).await;
        self.backing.borrow_mut().storage().remove(path)?;
        self.writes.borrow_mut().removed(path);
        Ok(())
    }

    fn is_deaf(&self, site: Site) -> bool {
        let is_deaf = self.deaf == Some(site);
        self.landed.set(self.landed.get() + u64::from(is_deaf));
        is_deaf
    }

    pub(crate) async fn sync_file(&self, site: Site, file: Handle) -> Result<(), StorageError> {
        self.held("sync", site.word()).await;
        if self.is_deaf(site) {
            return Ok(());
        }
        self.backing.borrow_mut().storage().sync_file_at(site.word(), file)
    }

    pub(crate) async fn sync_directory(&self, site: Site, path: &str) -> Result<(), StorageError> {
        self.held("sync", site.word()).await;
        if self.is_deaf(site) {
            return Ok(());
        }
        self.backing.borrow_mut().storage().sync_directory_at(site.word(), path)?;
        self.writes.borrow_mut().directory_synced(path);
        Ok(())
    }

    /// Makes a directory that is not there, durably.
    pub(crate) fn ensure_directory(&self, path: &str) -> Result<(), StorageError> {
        let mut backing = self.backing.borrow_mut();
        let storage = backing.storage();
        if !storage.exists(path)? {
            storage.begin_group("create-directory");
            storage.create_directory(path)?;
            storage.sync_directory("")?;
        }
        Ok(())
    }

    /// Makes all bookmarks durable.
    pub(crate) fn settle_bookmarks(&self, at: &Directories) -> Result<(), StorageError> {
        for name in self.entries(&at.bookmarks) {
            let file = self.open(&format!("{}/{name}", at.bookmarks))?;
            self.settle(&at.bookmarks, &[file])?;
            self.close(file);
        }
        Ok(())
    }

    /// Makes files and the names in their directory durable, at a place that no fault names.
    pub(crate) fn settle(&self, directory: &str, files: &[Handle]) -> Result<(), StorageError> {
        let mut backing = self.backing.borrow_mut();
        for file in files {
            backing.storage().sync_file(*file)?;
        }
        backing.storage().sync_directory(directory)?;
        self.writes.borrow_mut().directory_synced(directory);
        Ok(())
    }

    /// Makes a file durable, at a place that no fault names.
    pub(crate) fn settle_file(&self, file: Handle) -> Result<(), StorageError> {
        self.backing.borrow_mut().storage().sync_file(file)
    }

    pub(crate) fn open(&self, path: &str) -> Result<Handle, StorageError> {
        let file = self.backing.borrow_mut().storage().open(path)?;
        self.writes.borrow_mut().opened(path, file);
        Ok(file)
    }

    /// All files are durable, as they are at the start of a world and after a power loss.
    pub(crate) fn begin_to_follow(&self, loses_power: bool) {
        *self.writes.borrow_mut() = Unsynced::begin(loses_power);
    }

    pub(crate) fn close(&self, file: Handle) {
        // A handle that is not open is closed.
        let _ = self.backing.borrow_mut().storage().close(file);
    }

    /// The names in a directory; none if it is not there.
    pub(crate) fn entries(&self, path: &str) -> Vec<String> {
        self.backing.borrow_mut().storage().entries(path).unwrap_or_default()
    }

    /// The bytes of a file from a place on; none if there is no such file.
    pub(crate) fn read_from(&self, path: &str, at: u64) -> Option<Vec<u8>> {
        let mut backing = self.backing.borrow_mut();
        let storage = backing.storage();
        let file = storage.open(path).ok()?;
        let bytes = storage.read(file, at, usize::MAX).ok();
        let _ = storage.close(file);
        bytes
    }

    /// The names of the logical writes that a power loss could lose, oldest first, each with its place among those of the storage.
    fn lost_by_power(&self) -> Vec<(usize, String)> {
        match &*self.backing.borrow() {
            Backing::Memory(storage) if !storage.is_synced() => {
                let groups = storage.pending_groups().into_iter().enumerate();
                let writes = self.writes.borrow();
                groups.filter_map(|(place, group)| Some((place, writes.name(&group.label)?))).collect()
            }
            Backing::Memory(_) | Backing::Directory(..) | Backing::Watched(_) => Vec::new(),
        }
    }

    /// The names of the logical writes that a power loss could lose, oldest first.
    pub(crate) fn unsynced(&self) -> Vec<String> {
        self.lost_by_power().into_iter().map(|(_, name)| name).collect()
    }

    /// The process dies: its handles are gone.
    pub(crate) fn crash_process(&self) {
        match &mut *self.backing.borrow_mut() {
            Backing::Memory(storage) => storage.crash_process(),
            Backing::Directory(root, storage) => {
                if let Ok(reopened) = DiskStorage::new(root) {
                    *storage = reopened;
                }
            }
            Backing::Watched(_) => {}
        }
    }

    /// Power is lost: of the unsynced logical writes, those at these positions are found again. False: this backing cannot do that.
    pub(crate) fn lose_power(&self, keep: &[usize]) -> bool {
        let listed = self.lost_by_power();
        let Backing::Memory(storage) = &mut *self.backing.borrow_mut() else { return false };
        let kept = keep.iter().filter_map(|place| listed.get(*place)).filter(|(place, _)| *place < 64);
        let mask = kept.fold(0_u64, |mask, (place, _)| mask | 1 << place);
        let choice = storage.image_of_groups(mask);
        **storage = storage.image(&choice);
        self.begin_to_follow(true);
        true
    }
}
