//! What the owner has written, and what of it is durable: names as well as data.
//!
//! Writes go to the page cache as unsynced operations, in order. A restart of the process keeps all of them; a power loss
//! keeps any subset. Syncing a directory or a file makes its operations durable.

use std::collections::BTreeMap;

use fencepost_spec::identity::{History, Origin};
use serde::{Deserialize, Serialize};

use super::log::Log;
use super::messages::{Key, Message};

/// The file of a bookmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BookmarkFile {
    /// The stored offset.
    pub offset: u8,
    /// The purge generation it carries, in contracts in which it carries one.
    pub generation: u8,
    /// For the referee: what it came from.
    pub origin: Origin,
    /// For the referee: the history in which it was written.
    pub written_in: History,
    /// Whether an automatic store wrote it.
    pub automatic: bool,
}

/// The marker of the last purge that was recorded as done. It is written with its own sync.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Marker {
    /// The purge generation.
    pub generation: u8,
    /// The start offset, in contracts that keep numbering.
    pub start: u8,
    /// For the referee: the history that it speaks of.
    pub history: History,
}

/// The segment file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Segment {
    /// For the referee: the history that it was created for.
    pub history: History,
    /// Its messages.
    pub log: Log,
}

/// Files as they would be found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Image {
    /// The segment, if its name exists.
    pub segment: Option<Segment>,
    /// Bookmarks.
    pub bookmarks: BTreeMap<Key, BookmarkFile>,
    /// The marker.
    pub marker: Marker,
}

/// The directories of the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Directory {
    /// Segments.
    Partition,
    /// Bookmarks.
    Bookmarks,
}

/// One operation that is not durable yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    /// Messages appended to the segment of a history, from this offset on.
    Append(History, u8, Vec<Message>),
    /// The segment's name removed.
    RemoveSegment,
    /// A new segment under its name, empty, starting at an offset.
    CreateSegment(History, u8),
    /// Old messages removed, up to a new start.
    AdvanceStart(u8),
    /// A bookmark written.
    WriteBookmark(Key, BookmarkFile),
    /// A bookmark's name removed.
    RemoveBookmark(Key),
}

impl Operation {
    fn directory(&self) -> Directory {
        match self {
            Self::Append(..) | Self::RemoveSegment | Self::CreateSegment(..) | Self::AdvanceStart(_) => {
                Directory::Partition
            }
            Self::WriteBookmark(..) | Self::RemoveBookmark(_) => Directory::Bookmarks,
        }
    }
}

impl Image {
    fn perform(&mut self, operation: &Operation) {
        match operation {
            // What lies behind a hole, because an older append was lost, is cut off: recovery reads up to the first gap.
            Operation::Append(history, offset, messages) => {
                let follows =
                    |segment: &&mut Segment| segment.history == *history && segment.log.next_offset() == *offset;
                if let Some(segment) = self.segment.as_mut().filter(follows) {
                    segment.log.messages.extend(messages);
                }
            }
            Operation::RemoveSegment => self.segment = None,
            Operation::CreateSegment(history, start) => {
                self.segment = Some(Segment { history: *history, log: Log { start: *start, messages: Vec::new() } });
            }
            Operation::AdvanceStart(start) => {
                if let Some(segment) = self.segment.as_mut() {
                    segment.log.advance_start(*start);
                }
            }
            Operation::WriteBookmark(key, file) => {
                self.bookmarks.insert(*key, *file);
            }
            Operation::RemoveBookmark(key) => {
                self.bookmarks.remove(key);
            }
        }
    }
}

/// Durable files, and operations on top of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Disk {
    /// What survives a power loss for certain.
    pub durable: Image,
    /// What was done since, oldest first.
    pub unsynced: Vec<Operation>,
    /// Bookmarks that the harness saved, to put them back.
    pub saved_bookmarks: BTreeMap<Key, BookmarkFile>,
}

impl Disk {
    /// A disk with an empty segment.
    pub fn new(history: History) -> Self {
        let segment = Some(Segment { history, log: Log::default() });
        let durable = Image { segment, marker: Marker { history, ..Marker::default() }, ..Image::default() };
        Self { durable, ..Self::default() }
    }

    /// The files as the operating system shows them now.
    pub fn current(&self) -> Image {
        self.surviving(u64::MAX)
    }

    /// The files after a power loss that the unsynced operations with a bit in `mask` survive.
    pub fn surviving(&self, mask: u64) -> Image {
        let mut image = self.durable.clone();
        for (index, operation) in self.unsynced.iter().enumerate() {
            if mask >> index.min(63) & 1 == 1 {
                image.perform(operation);
            }
        }
        image
    }

    /// Performs an operation; `durable` at once if it is written through.
    pub fn perform(&mut self, operation: Operation, durable: bool) {
        // To remove a file that is not there changes nothing, so a power loss has nothing to undo.
        if let Operation::RemoveBookmark(key) = operation
            && !self.current().bookmarks.contains_key(&key)
        {
            return;
        }
        if durable && self.unsynced.is_empty() {
            self.durable.perform(&operation);
            return;
        }
        let directory = operation.directory();
        self.unsynced.push(operation);
        if durable {
            self.sync(directory);
        }
    }

    /// Makes the operations of a directory durable.
    pub fn sync(&mut self, directory: Directory) {
        for operation in std::mem::take(&mut self.unsynced) {
            if operation.directory() == directory {
                self.durable.perform(&operation);
            } else {
                self.unsynced.push(operation);
            }
        }
    }

    /// Keeps what a power loss left, as durable files.
    pub fn keep(&mut self, image: Image) {
        self.durable = image;
        self.unsynced.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{Disk, History, Key, Message, Operation};

    fn append(number: u8) -> Operation {
        let history = History::default();
        Operation::Append(history, number, vec![Message { history, number, sent: 1 }])
    }

    #[test]
    fn given_two_unsynced_appends_when_only_the_second_survives_should_find_neither() {
        let mut disk = Disk::new(History::default());
        disk.perform(append(0), false);
        disk.perform(append(1), false);
        let found = |mask| disk.surviving(mask).segment.map(|segment| segment.log.messages.len());
        assert_eq!([0b00, 0b01, 0b10, 0b11].map(found), [Some(0), Some(1), Some(0), Some(2)]);
    }

    #[test]
    fn given_no_file_of_a_bookmark_when_it_is_removed_should_leave_nothing_unsynced() {
        let mut disk = Disk::new(History::default());
        disk.perform(Operation::RemoveBookmark(Key::Group), false);
        assert!(disk.unsynced.is_empty());
    }
}
