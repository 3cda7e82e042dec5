//! The log: the messages of the partition in one segment file, with an index, and in memory.

use std::rc::Rc;

use fencepost_storage::{Handle, StorageError};

use crate::disk::{Disk, Site};
use crate::files::{Directories, checksum, number_at};
use crate::gates::Name;

/// Bytes before the payload of a record: its offset, the length of the payload, the checksum, and how many records of the same append
/// follow. The checksum is of all but itself.
const HEAD: usize = 32;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) offset: u64,
    pub(crate) payload: Name,
}

/// The segment that is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The offset that its name tells.
    pub(crate) base: u64,
    log: Handle,
    index: Handle,
    log_length: u64,
    index_length: u64,
}

/// The committed messages.
#[derive(Debug)]
pub(crate) struct Log {
    /// The offset at which the partition starts.
    pub(crate) start: u64,
    /// The offset that the next message gets.
    pub(crate) next: u64,
    /// The messages, from the start on.
    pub(crate) records: Vec<Record>,
    pub(crate) segment: Segment,
}

impl Log {
    /// The last offset, if there is a message.
    pub(crate) fn last(&self) -> Option<u64> {
        self.records.last().map(|record| record.offset)
    }

    /// The messages from one offset through another, at most so many.
    pub(crate) fn between(&self, from: u64, through: u64, count: u64) -> Vec<Record> {
        let wanted = self.records.iter().filter(|record| from <= record.offset && record.offset <= through);
        wanted.take(usize::try_from(count).unwrap_or(usize::MAX)).cloned().collect()
    }

    /// Drops the messages before an offset.
    pub(crate) fn start_at(&mut self, start: u64) {
        self.start = start;
        self.next = self.next.max(start);
        self.records.retain(|record| record.offset >= start);
    }
}

/// Creates an empty segment.
pub(crate) async fn create_segment(disk: &Disk, at: &Directories, base: u64) -> Result<Segment, StorageError> {
    disk.begin("create-segment");
    let log = disk.create(&at.log(base)).await?;
    let index = disk.create(&at.index(base)).await?;
    Ok(Segment { base, log, index, log_length: 0, index_length: 0 })
}

/// Removes a segment; who has it open reads on.
pub(crate) async fn remove_segment(disk: &Disk, at: &Directories, segment: Segment) -> Result<(), StorageError> {
    disk.begin("remove-segment");
    disk.remove(&at.log(segment.base)).await?;
    disk.remove(&at.index(segment.base)).await?;
    disk.close(segment.log);
    disk.close(segment.index);
    Ok(())
}

/// Writes messages behind the end of a segment, and gives the segment as it is then.
pub(crate) async fn append(
    disk: &Disk,
    at: &Directories,
    segment: Segment,
    records: &[Record],
    is_durable: bool,
) -> Result<Segment, StorageError> {
    let (mut bytes, mut index) = (Vec::new(), Vec::new());
    for (record, following) in records.iter().zip((0..records.len() as u64).rev()) {
        index.extend(record.offset.to_le_bytes());
        index.extend((segment.log_length + bytes.len() as u64).to_le_bytes());
        encode(record, following, &mut bytes);
    }
    disk.begin("append");
    disk.write(&at.log(segment.base), segment.log, segment.log_length, &bytes).await?;
    disk.write(&at.index(segment.base), segment.index, segment.index_length, &index).await?;
    if is_durable {
        disk.sync_file(Site::AppendData, segment.log).await?;
        disk.sync_file(Site::AppendData, segment.index).await?;
        disk.sync_directory(Site::AppendNames, &at.partition).await?;
    }
    let log_length = segment.log_length + bytes.len() as u64;
    Ok(Segment { log_length, index_length: segment.index_length + index.len() as u64, ..segment })
}

/// Reads a segment by its name: the messages from one offset on through another. None if there is no such file.
pub(crate) fn read_segment(disk: &Disk, at: &Directories, base: u64, from: u64, through: u64) -> Option<Vec<Record>> {
    let index = disk.read_from(&at.index(base), 0).unwrap_or_default();
    let bytes = disk.read_from(&at.log(base), 0)?;
    // An index that was lost or torn costs time only: the log is read from its beginning.
    let place =
        place_of(&index, from).filter(|place| decode(&bytes, *place).is_some_and(|(record, _)| record.offset <= from));
    let mut found = Vec::new();
    let mut place = place.unwrap_or(0);
    while let Some((record, next)) = decode(&bytes, place) {
        place = next;
        if record.offset > through {
            break;
        }
        if record.offset >= from {
            found.push(record);
        }
    }
    Some(found)
}

/// The place of an offset in the log, by the index.
fn place_of(index: &[u8], offset: u64) -> Option<usize> {
    let entry = index.chunks_exact(16).find(|entry| number_at(entry, 0) == Some(offset))?;
    usize::try_from(number_at(entry, 8)?).ok()
}

/// Opens a segment that recovery found, cuts off what is torn, and gives the messages in it. What was appended at once is found again
/// as a whole or not at all.
pub(crate) async fn recover_segment(
    disk: &Disk,
    at: &Directories,
    base: u64,
) -> Result<(Segment, Vec<Record>), StorageError> {
    let bytes = disk.read_from(&at.log(base), 0).unwrap_or_default();
    let (mut records, mut index): (Vec<Record>, Vec<u8>) = (Vec::new(), Vec::new());
    let (mut at_record, mut place, mut whole) = (0, 0, 0);
    while let Some((record, next)) = decode(&bytes, at_record) {
        if records.last().is_some_and(|last| record.offset != last.offset + 1) {
            break;
        }
        index.extend(record.offset.to_le_bytes());
        index.extend((at_record as u64).to_le_bytes());
        records.push(record);
        if number_at(&bytes, at_record + 24) == Some(0) {
            (place, whole) = (next, records.len());
        }
        at_record = next;
    }
    records.truncate(whole);
    index.truncate(16 * whole);
    let log = disk.open(&at.log(base))?;
    if place < bytes.len() {
        disk.begin("cut-segment");
        disk.truncate(&at.log(base), log, place as u64).await?;
        disk.settle_file(log)?;
    }
    let index_file = recover_index(disk, at, base, &index).await?;
    let (log_length, index_length) = (place as u64, index.len() as u64);
    Ok((Segment { base, log, index: index_file, log_length, index_length }, records))
}

/// Opens the index of a segment, and writes it anew if it does not say what the log says.
async fn recover_index(disk: &Disk, at: &Directories, base: u64, index: &[u8]) -> Result<Handle, StorageError> {
    let path = at.index(base);
    if disk.read_from(&path, 0).is_some_and(|bytes| bytes == index) {
        return disk.open(&path);
    }
    disk.begin("rebuild-index");
    let file = disk.create(&path).await?;
    disk.write(&path, file, 0, index).await?;
    disk.settle(&at.partition, &[file])?;
    Ok(file)
}

/// The segments in the directory, by the offsets that their names tell.
pub(crate) fn segments(disk: &Disk, at: &Directories) -> Vec<u64> {
    let names = disk.entries(&at.partition);
    names.iter().filter_map(|name| name.strip_suffix(".log")?.parse().ok()).collect()
}

/// The files of a segment that is open.
pub(crate) fn files_of(segment: Segment) -> [Handle; 2] {
    [segment.log, segment.index]
}

/// Messages that get offsets from `next` on.
pub(crate) fn numbered(payloads: &[Name], next: u64) -> Vec<Record> {
    payloads.iter().zip(next..).map(|(payload, offset)| Record { offset, payload: Rc::clone(payload) }).collect()
}

fn encode(record: &Record, following: u64, bytes: &mut Vec<u8>) {
    let begin = bytes.len();
    bytes.extend(record.offset.to_le_bytes());
    bytes.extend((record.payload.len() as u64).to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(following.to_le_bytes());
    bytes.extend(record.payload.as_bytes());
    let sum = checksum(&bytes[begin..]);
    bytes[begin + 16..begin + 24].copy_from_slice(&sum.to_le_bytes());
}

/// The record at a place, and the place of the next one; none if there is no whole record.
fn decode(bytes: &[u8], place: usize) -> Option<(Record, usize)> {
    let rest = bytes.get(place..)?;
    let offset = number_at(rest, 0)?;
    let length = usize::try_from(number_at(rest, 8)?).ok()?;
    let whole = rest.get(..HEAD.checked_add(length)?)?;
    let mut body = whole.to_vec();
    body[16..24].fill(0);
    if checksum(&body) != number_at(whole, 16)? {
        return None;
    }
    let payload = std::str::from_utf8(&whole[HEAD..]).ok()?.into();
    Some((Record { offset, payload }, place + HEAD + length))
}
