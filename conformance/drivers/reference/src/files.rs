//! Names and checksums of the partition's files.

use crate::gates::Name;

/// The directories of one incarnation of the partition.
#[derive(Clone, Debug)]
pub(crate) struct Directories {
    pub(crate) partition: String,
    pub(crate) bookmarks: String,
}

impl Directories {
    pub(crate) fn of(incarnation: u64) -> Self {
        Self { partition: format!("partition-{incarnation}"), bookmarks: format!("bookmarks-{incarnation}") }
    }

    /// The log of the segment that starts at an offset.
    pub(crate) fn log(&self, base: u64) -> String {
        format!("{}/{base:020}.log", self.partition)
    }

    /// The index of that segment.
    pub(crate) fn index(&self, base: u64) -> String {
        format!("{}/{base:020}.index", self.partition)
    }

    /// The file with purge generation and start offset.
    pub(crate) fn generation(&self) -> String {
        format!("{}/generation", self.partition)
    }

    /// The file of a bookmark.
    pub(crate) fn bookmark(&self, key: &Name) -> String {
        format!("{}/{}", self.bookmarks, file_name(key))
    }
}

/// A key as the name of a file: letters and digits stand for themselves, every other byte is written as `%` and two digits.
fn file_name(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    name
}

/// The key of a file name; none if it is the name of something else, such as a file that was never renamed.
pub(crate) fn key_of(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_' => bytes.push(byte),
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

/// The checksum of bytes: FNV-1a. It finds torn writes, and is no defence against malice.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The number at a place in bytes.
pub(crate) fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok().map(u64::from_le_bytes)
}

/// Numbers and their checksum.
pub(crate) fn sealed(numbers: &[u64]) -> Vec<u8> {
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// The numbers, if their checksum is right.
pub(crate) fn unsealed<const COUNT: usize>(bytes: &[u8]) -> Option<[u64; COUNT]> {
    let body = bytes.get(..8 * COUNT)?;
    if number_at(bytes, 8 * COUNT)? != checksum(body) {
        return None;
    }
    let mut numbers = [0; COUNT];
    for (place, number) in numbers.iter_mut().enumerate() {
        *number = number_at(body, 8 * place)?;
    }
    Some(numbers)
}
