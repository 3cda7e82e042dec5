//! Bookmark files: one for each key, replaced as a whole, so that a power loss shows the old one or the new one.

use std::collections::BTreeMap;

use fencepost_spec::contract::{BookmarkCarries, Choices, CommitsDurable};
use fencepost_storage::StorageError;

use crate::disk::{Disk, Site};
use crate::files::{Directories, key_of, sealed, unsealed};
use crate::gates::Name;

/// A bookmark as its file tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredBookmark {
    pub(crate) offset: u64,
    /// The purge generation under which it was stored, where the contract's files carry it.
    pub(crate) generation: Option<u64>,
}

/// Writes a bookmark's file under a temporary name and gives it its own.
pub(crate) async fn write_bookmark(
    disk: &Disk,
    at: &Directories,
    choices: &Choices,
    key: &Name,
    offset: u64,
    generation: u64,
) -> Result<(), StorageError> {
    let bytes = match choices.bookmark_carries {
        BookmarkCarries::Nothing => sealed(&[offset]),
        BookmarkCarries::PurgeGeneration => sealed(&[offset, generation]),
    };
    let path = at.bookmark(key);
    // A dot makes it a name that no key has.
    let fresh = format!("{path}.new");
    disk.begin(&format!("write-bookmark:{key}"));
    let file = disk.create(&fresh).await?;
    disk.write(&fresh, file, 0, &bytes).await?;
    // Also where it need not be durable: a name that is there before its data would hide the old bookmark, and show none.
    disk.sync_file(Site::BookmarkData, file).await?;
    disk.close(file);
    disk.rename(&fresh, &path).await?;
    if is_durable(choices) {
        disk.sync_directory(Site::BookmarkNames, &at.bookmarks).await?;
    }
    Ok(())
}

/// Removes a bookmark's file. That there is none is no error.
pub(crate) async fn remove_bookmark(
    disk: &Disk,
    at: &Directories,
    choices: &Choices,
    key: &Name,
) -> Result<(), StorageError> {
    unlink(disk, at, key).await?;
    if is_durable(choices) {
        disk.sync_directory(Site::BookmarkNames, &at.bookmarks).await?;
    }
    Ok(())
}

/// Removes the name of a bookmark's file and syncs nothing.
pub(crate) async fn unlink(disk: &Disk, at: &Directories, key: &Name) -> Result<(), StorageError> {
    disk.begin(&format!("remove-bookmark:{key}"));
    match disk.remove(&at.bookmark(key)).await {
        Err(StorageError::NotFound(_)) | Ok(()) => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_durable(choices: &Choices) -> bool {
    choices.commits_durable == CommitsDurable::WhenAcknowledged
}

/// The bookmarks that are in files now. A file that is torn counts as none.
pub(crate) fn stored(disk: &Disk, at: &Directories) -> BTreeMap<Name, StoredBookmark> {
    let mut found = BTreeMap::new();
    for name in disk.entries(&at.bookmarks) {
        let Some(key) = key_of(&name) else { continue };
        let Some(bytes) = disk.read_from(&format!("{}/{name}", at.bookmarks), 0) else { continue };
        if let Some(bookmark) = decode(&bytes) {
            found.insert(Name::from(key), bookmark);
        }
    }
    found
}

fn decode(bytes: &[u8]) -> Option<StoredBookmark> {
    match bytes.len() {
        16 => unsealed::<1>(bytes).map(|[offset]| StoredBookmark { offset, generation: None }),
        24 => unsealed::<2>(bytes).map(|[offset, generation]| StoredBookmark { offset, generation: Some(generation) }),
        _ => None,
    }
}
