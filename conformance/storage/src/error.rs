//! What can go wrong in a storage.

use std::fmt;
use std::io;

/// The error of an operation of a storage.
#[derive(Debug)]
pub enum StorageError {
    /// There is nothing under this path, or a directory on the way to it is missing.
    NotFound(String),
    /// There is something under this path already.
    Exists(String),
    /// A file was wanted, and the path names a directory.
    IsDirectory(String),
    /// A directory was wanted, and the path, or a part of it, names a file.
    NotDirectory(String),
    /// The path is not one that a storage takes: it would leave the root, or a name in it is empty or too long.
    BadPath {
        /// The path as it was given.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The handle is closed, or a crash took it, or another storage gave it out.
    StaleHandle,
    /// There is no space left, or a file would become larger than the storage allows.
    NoSpace,
    /// An injected fault: the name of the call that failed.
    Failed(&'static str),
    /// Any other error of the file system.
    Other(io::Error),
}

/// An error without its details, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// [`StorageError::NotFound`].
    NotFound,
    /// [`StorageError::Exists`].
    Exists,
    /// [`StorageError::IsDirectory`].
    IsDirectory,
    /// [`StorageError::NotDirectory`].
    NotDirectory,
    /// [`StorageError::BadPath`].
    BadPath,
    /// [`StorageError::StaleHandle`].
    StaleHandle,
    /// [`StorageError::NoSpace`].
    NoSpace,
    /// [`StorageError::Failed`].
    Failed,
    /// [`StorageError::Other`].
    Other,
}

impl StorageError {
    /// The error without its details.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound(_) => ErrorKind::NotFound,
            Self::Exists(_) => ErrorKind::Exists,
            Self::IsDirectory(_) => ErrorKind::IsDirectory,
            Self::NotDirectory(_) => ErrorKind::NotDirectory,
            Self::BadPath { .. } => ErrorKind::BadPath,
            Self::StaleHandle => ErrorKind::StaleHandle,
            Self::NoSpace => ErrorKind::NoSpace,
            Self::Failed(_) => ErrorKind::Failed,
            Self::Other(_) => ErrorKind::Other,
        }
    }

    /// Sorts an error of the operating system that was met at `path`.
    pub(crate) fn of_system(error: io::Error, path: &str) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound(path.to_owned()),
            io::ErrorKind::AlreadyExists => Self::Exists(path.to_owned()),
            io::ErrorKind::IsADirectory => Self::IsDirectory(path.to_owned()),
            io::ErrorKind::NotADirectory => Self::NotDirectory(path.to_owned()),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Self::NoSpace,
            _ => Self::Other(error),
        }
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(path) => write!(f, "`{path}` does not exist"),
            Self::Exists(path) => write!(f, "`{path}` exists already"),
            Self::IsDirectory(path) => write!(f, "`{path}` is a directory"),
            Self::NotDirectory(path) => write!(f, "`{path}` is not a directory"),
            Self::BadPath { path, reason } => write!(f, "the path `{path}` is refused: {reason}"),
            Self::StaleHandle => write!(f, "the handle is not open"),
            Self::NoSpace => write!(f, "no space is left"),
            Self::Failed(call) => write!(f, "{call} failed by injection"),
            Self::Other(error) => write!(f, "the file system failed: {error}"),
        }
    }
}

impl std::error::Error for StorageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Other(error) => Some(error),
            _ => None,
        }
    }
}
