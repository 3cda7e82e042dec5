//! States on their way to their owner: rows of the sender's numbers with the ways to them, and what is new behind the numbers.

use serde::{Deserialize, Serialize};

use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::super::dictionary::{Dictionary, Marks, bytes_of, value_of};
use super::super::tables::Tables;
use super::paths::Paths;

/// A batch is sent when its rows have so many cells.
const MOST_CELLS: usize = 1 << 15;

/// States for one process.
#[derive(Default)]
pub(super) struct Outbox {
    rows: Vec<u32>,
    ways: Vec<u16>,
    /// The last way that was added.
    last: Vec<u16>,
    /// How many values the receiver knows.
    known: Marks,
}

/// A batch as it travels.
#[derive(Serialize, Deserialize)]
struct Batch {
    dictionary: Dictionary,
    /// Bytes of each cell.
    cell_bytes: u8,
    #[serde(with = "serde_bytes")]
    rows: Vec<u8>,
    /// For each way: how much of it is as in the one before, and the rest.
    #[serde(with = "serde_bytes")]
    ways: Vec<u8>,
}

impl Outbox {
    /// Adds a state that is reached from a state with the way `parent` by the event in a place. States come in the order of their ways.
    #[inline]
    pub(super) fn push(&mut self, row: &[u32], parent: &[u16], place: u16) {
        self.rows.extend_from_slice(row);
        let shared = parent.iter().zip(&self.last).take_while(|(place, other)| place == other).count();
        self.ways.push(shared as u16);
        self.ways.extend_from_slice(&parent[shared..]);
        self.ways.push(place);
        self.last.truncate(shared);
        self.last.extend_from_slice(&parent[shared..]);
    }

    /// Whether a batch is worth sending.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() >= MOST_CELLS
    }

    /// The bytes of a batch of what was added, if something was.
    pub(super) fn take<M: PortableSystem>(&mut self, tables: &Tables<'_, M, Unguided>) -> Option<Vec<u8>> {
        if self.rows.is_empty() {
            return None;
        }
        let is_narrow = self.rows.iter().all(|cell| u16::try_from(*cell).is_ok());
        let rows = if is_narrow {
            written(&self.rows, |cell| (cell as u16).to_le_bytes())
        } else {
            written(&self.rows, u32::to_le_bytes)
        };
        let batch = Batch {
            dictionary: tables.dictionary(self.known),
            cell_bytes: if is_narrow { 2 } else { 4 },
            rows,
            ways: written(&self.ways, u16::to_le_bytes),
        };
        self.known = tables.marks();
        self.rows.clear();
        self.ways.clear();
        self.last.clear();
        Some(bytes_of(&batch))
    }
}

/// Numbers as bytes.
fn written<T: Copy, const BYTES: usize>(numbers: &[T], bytes_of: impl Fn(T) -> [u8; BYTES]) -> Vec<u8> {
    let mut bytes = vec![0; numbers.len() * BYTES];
    for (piece, number) in bytes.as_chunks_mut().0.iter_mut().zip(numbers) {
        *piece = bytes_of(*number);
    }
    bytes
}

/// A batch that has arrived.
pub(super) struct Arrived {
    pub(super) dictionary: Dictionary,
    pub(super) rows: Vec<u32>,
    ways: Vec<u16>,
}

impl Arrived {
    /// Reads a batch.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Batch { dictionary, cell_bytes, rows, ways } = value_of(bytes);
        let narrow = |pair: &[u8; 2]| u16::from_le_bytes(*pair);
        let rows = if cell_bytes == 2 {
            rows.as_chunks().0.iter().map(|pair| u32::from(narrow(pair))).collect()
        } else {
            rows.as_chunks().0.iter().map(|cell| u32::from_le_bytes(*cell)).collect()
        };
        Self { dictionary, rows, ways: ways.as_chunks().0.iter().map(narrow).collect() }
    }

    /// The ways, of `depth` steps each.
    pub(super) fn ways(&self, depth: usize) -> Paths {
        let (mut ways, mut way, mut rest) = (Paths::new(depth), vec![0; depth], &self.ways[..]);
        while let Some((&shared, after)) = rest.split_first() {
            let changed = depth - usize::from(shared);
            way[usize::from(shared)..].copy_from_slice(&after[..changed]);
            ways.push(&way);
            rest = &after[changed..];
        }
        ways
    }
}

/// How many states are remembered as sent.
const REMEMBERED: usize = 1 << 15;

/// States that were sent lately: their owner knows them, and by no greater a way, since they are sent in order.
pub(super) struct Sent {
    width: usize,
    /// The hash of each: most states are told apart by it, and their rows need not be fetched from memory.
    hashes: Vec<u64>,
    rows: Vec<u32>,
}

impl Sent {
    /// Nothing sent yet.
    pub(super) fn new(width: usize) -> Self {
        // No row begins with this number: so many situations there are not.
        Self { width, hashes: vec![0; REMEMBERED], rows: vec![u32::MAX; width * REMEMBERED] }
    }

    /// Whether this state was sent lately; if not, it is from now on.
    #[inline]
    pub(super) fn is_repeated(&mut self, hash: u64, row: &[u32]) -> bool {
        let place = hash as usize % REMEMBERED;
        let known = &mut self.rows[place * self.width..][..self.width];
        let is_same = self.hashes[place] == hash && known == row;
        if !is_same {
            self.hashes[place] = hash;
            known.copy_from_slice(row);
        }
        is_same
    }
}
