//! The real file system under a root directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::StorageError;
use crate::path;
use crate::storage::{Handle, Storage};

/// Files under a root directory of the real file system. Paths that leave the root are refused; so are symbolic links, which
/// could. The root is this storage's own: no other process is expected to change it meanwhile.
#[derive(Debug)]
pub struct DiskStorage {
    root: PathBuf,
    handles: Vec<Option<File>>,
}

/// What a path names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missing,
    File,
    Directory,
}

impl DiskStorage {
    /// A storage in a directory that exists.
    ///
    /// # Errors
    /// `NotFound` or `NotDirectory` if there is no such directory; `Other` as the file system says.
    pub fn new(root: &Path) -> Result<Self, StorageError> {
        let shown = root.display().to_string();
        let root = root.canonicalize().map_err(|error| StorageError::of_system(error, &shown))?;
        if !root.is_dir() {
            return Err(StorageError::NotDirectory(shown));
        }
        Ok(Self { root, handles: Vec::new() })
    }

    /// The path in the real file system, and what it names.
    fn resolve(&self, path: &str) -> Result<(PathBuf, Kind), StorageError> {
        let mut real = self.root.clone();
        let mut kind = Kind::Directory;
        for name in path::names(path)? {
            match kind {
                Kind::Directory => {}
                Kind::Missing => return Err(StorageError::NotFound(path.to_owned())),
                Kind::File => return Err(StorageError::NotDirectory(path.to_owned())),
            }
            real.push(name);
            kind = match fs::symlink_metadata(&real) {
                Ok(found) if found.is_dir() => Kind::Directory,
                Ok(found) if found.is_file() => Kind::File,
                Ok(_) => {
                    let reason = "it leads through something that is neither a file nor a directory";
                    return Err(StorageError::BadPath { path: path.to_owned(), reason });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => Kind::Missing,
                Err(error) => return Err(StorageError::of_system(error, path)),
            };
        }
        Ok((real, kind))
    }

    /// The path of a file that exists.
    fn file(&self, path: &str) -> Result<PathBuf, StorageError> {
        path::split(path)?;
        match self.resolve(path)? {
            (real, Kind::File) => Ok(real),
            (_, Kind::Directory) => Err(StorageError::IsDirectory(path.to_owned())),
            (_, Kind::Missing) => Err(StorageError::NotFound(path.to_owned())),
        }
    }

    /// The path of a directory that exists.
    fn directory(&self, path: &str) -> Result<PathBuf, StorageError> {
        match self.resolve(path)? {
            (real, Kind::Directory) => Ok(real),
            (_, Kind::File) => Err(StorageError::NotDirectory(path.to_owned())),
            (_, Kind::Missing) => Err(StorageError::NotFound(path.to_owned())),
        }
    }

    fn opened(&mut self, file: File) -> Result<Handle, StorageError> {
        let number = u32::try_from(self.handles.len()).map_err(|_| StorageError::NoSpace)?;
        self.handles.push(Some(file));
        Ok(Handle(number))
    }

    fn handle(&self, handle: Handle) -> Result<&File, StorageError> {
        self.handles.get(handle.0 as usize).and_then(Option::as_ref).ok_or(StorageError::StaleHandle)
    }
}

fn of_handle(error: io::Error) -> StorageError {
    StorageError::of_system(error, "an open file")
}

impl Storage for DiskStorage {
    fn create(&mut self, path: &str) -> Result<Handle, StorageError> {
        path::split(path)?;
        let (real, kind) = self.resolve(path)?;
        match kind {
            Kind::Directory => return Err(StorageError::IsDirectory(path.to_owned())),
            Kind::File => fs::remove_file(&real).map_err(|error| StorageError::of_system(error, path))?,
            Kind::Missing => {}
        }
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&real);
        self.opened(file.map_err(|error| StorageError::of_system(error, path))?)
    }

    fn open(&mut self, path: &str) -> Result<Handle, StorageError> {
        let file = OpenOptions::new().read(true).write(true).open(self.file(path)?);
        self.opened(file.map_err(|error| StorageError::of_system(error, path))?)
    }

    fn close(&mut self, handle: Handle) -> Result<(), StorageError> {
        let file = self.handles.get_mut(handle.0 as usize).and_then(Option::take);
        file.map(drop).ok_or(StorageError::StaleHandle)
    }

    fn read_into(&mut self, handle: Handle, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        let mut file = self.handle(handle)?;
        file.seek(SeekFrom::Start(offset)).map_err(of_handle)?;
        let mut count = 0;
        while count < buffer.len() {
            match file.read(&mut buffer[count..]) {
                Ok(0) => break,
                Ok(read) => count += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(of_handle(error)),
            }
        }
        Ok(count)
    }

    fn length(&mut self, handle: Handle) -> Result<u64, StorageError> {
        Ok(self.handle(handle)?.metadata().map_err(of_handle)?.len())
    }

    fn write(&mut self, handle: Handle, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        let mut file = self.handle(handle)?;
        if bytes.is_empty() {
            return Ok(());
        }
        file.seek(SeekFrom::Start(offset)).map_err(of_handle)?;
        file.write_all(bytes).map_err(of_handle)
    }

    fn truncate(&mut self, handle: Handle, length: u64) -> Result<(), StorageError> {
        self.handle(handle)?.set_len(length).map_err(of_handle)
    }

    fn sync_file(&mut self, handle: Handle) -> Result<(), StorageError> {
        self.handle(handle)?.sync_all().map_err(of_handle)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), StorageError> {
        let source = self.file(from)?;
        path::split(to)?;
        let (target, kind) = self.resolve(to)?;
        if kind == Kind::Directory {
            return Err(StorageError::IsDirectory(to.to_owned()));
        }
        fs::rename(source, target).map_err(|error| StorageError::of_system(error, to))
    }

    fn remove(&mut self, path: &str) -> Result<(), StorageError> {
        fs::remove_file(self.file(path)?).map_err(|error| StorageError::of_system(error, path))
    }

    fn create_directory(&mut self, path: &str) -> Result<(), StorageError> {
        match self.resolve(path)? {
            (real, Kind::Missing) => fs::create_dir(real).map_err(|error| StorageError::of_system(error, path)),
            _ => Err(StorageError::Exists(path.to_owned())),
        }
    }

    fn sync_directory(&mut self, path: &str) -> Result<(), StorageError> {
        let directory = File::open(self.directory(path)?);
        directory.and_then(|opened| opened.sync_all()).map_err(|error| StorageError::of_system(error, path))
    }

    fn entries(&mut self, path: &str) -> Result<Vec<String>, StorageError> {
        let sorted = |error| StorageError::of_system(error, path);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.directory(path)?).map_err(sorted)? {
            let name = entry.map_err(sorted)?.file_name();
            names.push(name.into_string().map_err(|name| StorageError::BadPath {
                path: name.display().to_string(),
                reason: "a name is not in UTF-8",
            })?);
        }
        names.sort_unstable();
        Ok(names)
    }

    fn exists(&mut self, path: &str) -> Result<bool, StorageError> {
        match self.resolve(path) {
            Ok((_, kind)) => Ok(kind != Kind::Missing),
            Err(StorageError::NotFound(_) | StorageError::NotDirectory(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
