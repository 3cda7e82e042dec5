//! Which paths a storage takes.

use crate::error::StorageError;

/// The longest name that usual file systems take, in bytes.
const LONGEST_NAME: usize = 255;
/// The deepest path. It bounds every walk through a tree.
const DEEPEST: usize = 32;

/// The names of a path, from the root down; none for the root itself, which is the empty path.
///
/// # Errors
/// `BadPath` unless every name is a plain one: not empty, not `.` or `..`, without a zero byte, at most 255 bytes.
pub(crate) fn names(path: &str) -> Result<impl Iterator<Item = &str>, StorageError> {
    if let Some(reason) = problem(path) {
        return Err(StorageError::BadPath { path: path.to_owned(), reason });
    }
    Ok(path.split('/').filter(|name| !name.is_empty()))
}

/// The path of the directory and the name in it.
///
/// # Errors
/// `BadPath` as for [`names`], and for the root, which has no name.
pub(crate) fn split(path: &str) -> Result<(&str, &str), StorageError> {
    if path.is_empty() {
        return Err(StorageError::BadPath { path: String::new(), reason: "the root has no name" });
    }
    if let Some(reason) = problem(path) {
        return Err(StorageError::BadPath { path: path.to_owned(), reason });
    }
    Ok(path.rsplit_once('/').unwrap_or(("", path)))
}

fn problem(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return None;
    }
    if path.starts_with('/') {
        return Some("it does not start at the root of the storage");
    }
    let mut depth = 0;
    for name in path.split('/') {
        depth += 1;
        match name {
            "" => return Some("a name in it is empty"),
            "." | ".." => return Some("it could leave the root of the storage"),
            _ if name.len() > LONGEST_NAME => return Some("a name in it is longer than 255 bytes"),
            _ if name.contains('\0') => return Some("a name in it has a zero byte"),
            _ => {}
        }
    }
    (depth > DEEPEST).then_some("it is deeper than 32 directories")
}
