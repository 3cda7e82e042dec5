//! The trait that a broker writes through.

use std::collections::BTreeMap;

use crate::error::{ErrorKind, StorageError};

/// An open file. It is valid for the storage that gave it out, until it is closed or the process crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub(crate) u32);

/// Files, directories, and what a sync makes durable.
///
/// Paths are relative to the root, with `/` between names; the root itself is the empty path. A handle stays with its file
/// when the file is renamed, replaced or removed. All calls are synchronous.
///
/// All methods fail with `BadPath`, `StaleHandle`, `NotFound`, `NotDirectory` or `IsDirectory` where a path or a handle is not
/// what is needed, and with `NoSpace`, `Failed` or `Other` as the file system does.
pub trait Storage {
    /// Creates an empty file under a name: a new file, also if there was one, whose handles keep reading the old one.
    ///
    /// # Errors
    /// See [`Storage`].
    fn create(&mut self, path: &str) -> Result<Handle, StorageError>;

    /// Opens a file for reading and writing.
    ///
    /// # Errors
    /// See [`Storage`].
    fn open(&mut self, path: &str) -> Result<Handle, StorageError>;

    /// Closes a handle. Closing does not sync.
    ///
    /// # Errors
    /// `StaleHandle` if it is not open.
    fn close(&mut self, handle: Handle) -> Result<(), StorageError>;

    /// Reads into `buffer` from `offset` on, in bytes, and returns how many bytes there were: fewer than asked for at the end
    /// of the file only.
    ///
    /// # Errors
    /// See [`Storage`].
    fn read_into(&mut self, handle: Handle, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError>;

    /// Reads up to `length` bytes from `offset` on.
    ///
    /// # Errors
    /// See [`Storage`].
    fn read(&mut self, handle: Handle, offset: u64, length: usize) -> Result<Vec<u8>, StorageError> {
        // A file can be shorter than what is asked for: no more memory is taken than it has bytes.
        let left = self.length(handle)?.saturating_sub(offset);
        let mut bytes = vec![0; length.min(usize::try_from(left).unwrap_or(usize::MAX))];
        let count = self.read_into(handle, offset, &mut bytes)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    /// The length of a file in bytes.
    ///
    /// # Errors
    /// See [`Storage`].
    fn length(&mut self, handle: Handle) -> Result<u64, StorageError>;

    /// Writes all of `bytes` at `offset`; a gap before them is filled with zeros.
    ///
    /// # Errors
    /// See [`Storage`]. After an error any part of the bytes may have been written.
    fn write(&mut self, handle: Handle, offset: u64, bytes: &[u8]) -> Result<(), StorageError>;

    /// Sets the length of a file in bytes: cuts it, or appends zeros.
    ///
    /// # Errors
    /// See [`Storage`].
    fn truncate(&mut self, handle: Handle, length: u64) -> Result<(), StorageError>;

    /// Makes the data and the length of a file durable, not its name.
    ///
    /// # Errors
    /// See [`Storage`]. After an error nothing is known of what is durable, and a second call that succeeds proves nothing.
    fn sync_file(&mut self, handle: Handle) -> Result<(), StorageError>;

    /// Gives a file another name, in place of the file that has it now, if any. Within one directory this is one step; across
    /// two directories it is durable when both of them are synced.
    ///
    /// # Errors
    /// See [`Storage`]. Directories are not renamed: `IsDirectory`.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), StorageError>;

    /// Removes the name of a file. Open handles keep reading it.
    ///
    /// # Errors
    /// See [`Storage`]. Directories are not removed: `IsDirectory`.
    fn remove(&mut self, path: &str) -> Result<(), StorageError>;

    /// Creates a directory in one that exists.
    ///
    /// # Errors
    /// See [`Storage`]; `Exists` if there is anything under the path.
    fn create_directory(&mut self, path: &str) -> Result<(), StorageError>;

    /// Makes the names in a directory durable: creations, removals, renames; not what the files hold.
    ///
    /// # Errors
    /// See [`Storage`] and [`Storage::sync_file`].
    fn sync_directory(&mut self, path: &str) -> Result<(), StorageError>;

    /// The names in a directory, sorted by their bytes.
    ///
    /// # Errors
    /// See [`Storage`].
    fn entries(&mut self, path: &str) -> Result<Vec<String>, StorageError>;

    /// Whether there is a file or a directory under a path.
    ///
    /// # Errors
    /// `BadPath`, or as the file system does.
    fn exists(&mut self, path: &str) -> Result<bool, StorageError>;

    /// Begins a logical write, such as "append": all that follows belongs to it, up to the next call. Only a storage that can
    /// lose power takes notice.
    fn begin_group(&mut self, label: &str) {
        let _ = label;
    }

    /// [`Storage::sync_file`] at a named place of the broker's code, so that a test can leave out this one call.
    ///
    /// # Errors
    /// As [`Storage::sync_file`].
    fn sync_file_at(&mut self, site: &str, handle: Handle) -> Result<(), StorageError> {
        let _ = site;
        self.sync_file(handle)
    }

    /// [`Storage::sync_directory`] at a named place of the broker's code, so that a test can leave out this one call.
    ///
    /// # Errors
    /// As [`Storage::sync_directory`].
    fn sync_directory_at(&mut self, site: &str, path: &str) -> Result<(), StorageError> {
        let _ = site;
        self.sync_directory(path)
    }
}

/// What is found under a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entry {
    /// A directory.
    Directory,
    /// A file with these bytes.
    File(Vec<u8>),
}

/// All that a storage shows, by path, without the root.
///
/// # Errors
/// The first error of a call.
pub fn snapshot(storage: &mut dyn Storage) -> Result<BTreeMap<String, Entry>, StorageError> {
    let mut found = BTreeMap::new();
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        for name in storage.entries(&directory)? {
            let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            let entry = match storage.open(&path) {
                Ok(handle) => {
                    let bytes = storage.read(handle, 0, usize::MAX);
                    storage.close(handle)?;
                    Entry::File(bytes?)
                }
                Err(error) if error.kind() == ErrorKind::IsDirectory => {
                    directories.push(path.clone());
                    Entry::Directory
                }
                Err(error) => return Err(error),
            };
            found.insert(path, entry);
        }
    }
    Ok(found)
}
