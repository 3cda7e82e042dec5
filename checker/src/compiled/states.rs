//! The states that were found, each as a row of numbers, in large chunks of memory, of which some may be in a file.
//!
//! A chunk is so large that the system gets its memory back when it goes to the file, and nothing is ever copied to grow, but the first
//! chunk of all, which most explorations do not fill.

use std::io;

use super::shelf::{Filed, Shelf};

/// Least bytes of a full chunk: allocators give pieces larger than this back to the system when they are freed.
const CHUNK_BYTES: usize = (32 << 20) + 1;

/// Rows of numbers, kept in 16 bits each for as long as all rows of a chunk fit.
pub(super) struct States {
    width: usize,
    /// The number of a state, without this many lower bits, is that of its chunk.
    shift: u32,
    chunks: Vec<Chunk>,
    len: u32,
    /// How many chunks are in a file: the first ones.
    filed: usize,
}

/// The rows of some states.
enum Chunk {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
    Filed(Filed),
}

impl States {
    /// No states; each will have `width` cells.
    pub(super) fn new(width: usize) -> Self {
        let rows = CHUNK_BYTES.div_ceil(width * size_of::<u16>()).next_power_of_two();
        Self::in_chunks(width, rows.trailing_zeros())
    }

    /// The same, with chunks of two to the power of `shift` states.
    pub(super) fn in_chunks(width: usize, shift: u32) -> Self {
        Self { width, shift, chunks: Vec::new(), len: 0, filed: 0 }
    }

    /// How many cells a state has.
    #[inline]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// How many states there are.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The chunk of a state, and where its row begins in it.
    #[inline]
    fn place(&self, number: u32) -> (usize, usize) {
        let place = number & ((1 << self.shift) - 1);
        ((number >> self.shift) as usize, place as usize * self.width)
    }

    /// Whether the state with this number is the given row.
    #[inline]
    pub(super) fn is(&self, number: u32, row: &[u32]) -> bool {
        let (chunk, start) = self.place(number);
        match &self.chunks[chunk] {
            Chunk::Narrow(cells) => {
                let pairs = cells[start..start + self.width].iter().zip(row);
                // All of them, since they are mostly equal and the processor compares many at once.
                pairs.fold(0, |differ, (known, cell)| differ | u32::from(*known) ^ cell) == 0
            }
            Chunk::Wide(cells) => cells[start..start + self.width] == *row,
            Chunk::Filed(filed) => filed.is(start, row),
        }
    }

    /// Reads a cell of a state, if there is one with this number, so that the state is near when it is compared.
    #[inline]
    pub(super) fn touch(&self, number: u32) -> u32 {
        let (chunk, start) = self.place(number);
        match self.chunks.get(chunk) {
            Some(Chunk::Narrow(cells)) => cells.get(start).copied().map_or(0, u32::from),
            Some(Chunk::Wide(cells)) => cells.get(start).copied().unwrap_or(0),
            Some(Chunk::Filed(_)) | None => 0,
        }
    }

    /// Copies the state with this number into `row`.
    #[inline]
    pub(super) fn load(&self, number: u32, row: &mut Vec<u32>) {
        let (chunk, start) = self.place(number);
        row.clear();
        match &self.chunks[chunk] {
            Chunk::Narrow(cells) => row.extend(cells[start..start + self.width].iter().map(|cell| u32::from(*cell))),
            Chunk::Wide(cells) => row.extend_from_slice(&cells[start..start + self.width]),
            Chunk::Filed(filed) => filed.load(start, self.width, row),
        }
    }

    /// The first cell of the state with this number.
    pub(super) fn first_cell(&self, number: u32) -> u32 {
        let (chunk, start) = self.place(number);
        match &self.chunks[chunk] {
            Chunk::Narrow(cells) => u32::from(cells[start]),
            Chunk::Wide(cells) => cells[start],
            Chunk::Filed(filed) => {
                let mut cell = Vec::new();
                filed.load(start, 1, &mut cell);
                cell[0]
            }
        }
    }

    /// Adds a state.
    pub(super) fn push(&mut self, row: &[u32]) {
        debug_assert_eq!(row.len(), self.width);
        if self.place(self.len).1 == 0 {
            self.begin_chunk();
        }
        self.len += 1;
        let Some(chunk) = self.chunks.last_mut() else { unreachable!("a chunk was begun") };
        if let Chunk::Narrow(cells) = chunk {
            if row.iter().all(|cell| u16::try_from(*cell).is_ok()) {
                cells.extend(row.iter().map(|cell| *cell as u16));
                return;
            }
            let mut wide = Vec::with_capacity(cells.capacity());
            wide.extend(cells.iter().map(|cell| u32::from(*cell)));
            *chunk = Chunk::Wide(wide);
        }
        if let Chunk::Wide(cells) = chunk {
            cells.extend_from_slice(row);
        }
    }

    /// Begins a chunk. Where one number was too large, others will be.
    fn begin_chunk(&mut self) {
        // The system gives memory when it is written to, not before.
        let cells = self.width << self.shift;
        let chunk = match self.chunks.last() {
            None => Chunk::Narrow(Vec::new()),
            Some(Chunk::Wide(_)) => Chunk::Wide(Vec::with_capacity(cells)),
            Some(Chunk::Filed(filed)) if filed.is_wide() => Chunk::Wide(Vec::with_capacity(cells)),
            Some(_) => Chunk::Narrow(Vec::with_capacity(cells)),
        };
        self.chunks.push(chunk);
    }

    /// How many chunks have only states before the one with number `end`, and are not in a file yet.
    pub(super) fn fileable(&self, end: u32) -> usize {
        ((end >> self.shift) as usize).saturating_sub(self.filed)
    }

    /// Brings the chunks that have only states before the one with number `end` to a file.
    ///
    /// # Errors
    /// That the file cannot be written; then the chunk stays in memory.
    pub(super) fn file(&mut self, end: u32, shelf: &mut Shelf) -> io::Result<()> {
        for _ in 0..self.fileable(end) {
            let chunk = &mut self.chunks[self.filed];
            let filed = match chunk {
                Chunk::Narrow(cells) => shelf.put_narrow(cells)?,
                Chunk::Wide(cells) => shelf.put_wide(cells)?,
                Chunk::Filed(_) => unreachable!("the first chunk after those in the file is in memory"),
            };
            *chunk = Chunk::Filed(filed);
            self.filed += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::shelf::Shelf;
    use super::States;

    #[test]
    fn given_a_number_above_16_bits_when_added_should_keep_all_states_as_they_were() {
        let rows = [[1, 65_535], [0, 0], [65_536, 7], [u32::MAX, 2], [3, 4], [5, 65_537], [8, 8]];
        for shift in [0, 1, 2, 20] {
            let mut states = States::in_chunks(2, shift);
            for row in rows {
                states.push(&row);
            }
            demand(&states, &rows);
            assert_eq!(states.len(), 7);
        }
    }

    #[test]
    fn given_chunks_in_a_file_when_read_should_have_all_states_as_they_were() {
        let rows = [[1, 65_535], [0, 0], [65_536, 7], [u32::MAX, 2], [3, 4], [5, 65_537], [8, 8]];
        let (mut states, mut shelf) = (States::in_chunks(2, 1), Shelf::new(None));
        for (number, row) in (0..).zip(rows) {
            states.push(&row);
            states.file(number, &mut shelf).expect("there is room");
            demand(&states, &rows[..=number as usize]);
        }
        assert_eq!((states.filed, states.fileable(6), states.fileable(7)), (3, 0, 0));
        assert_eq!(states.touch(0), 0);
    }

    fn demand(states: &States, rows: &[[u32; 2]]) {
        let mut loaded = Vec::new();
        for (number, row) in (0..).zip(rows) {
            states.load(number, &mut loaded);
            assert_eq!(loaded, row);
            assert_eq!(states.first_cell(number), row[0]);
            assert!(states.is(number, row) && !states.is(number, &[1, 7]));
        }
    }
}
