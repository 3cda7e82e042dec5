//! The states that were found, each as a row of numbers, in one piece of memory.

/// Rows of numbers, kept in 16 bits each for as long as all of them fit.
pub(super) struct States {
    width: usize,
    cells: Cells,
}

enum Cells {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

impl States {
    /// No states; each will have `width` cells.
    pub(super) fn new(width: usize) -> Self {
        Self { width, cells: Cells::Narrow(Vec::new()) }
    }

    /// How many cells a state has.
    #[inline]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// How many states there are.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        let cells = match &self.cells {
            Cells::Narrow(cells) => cells.len(),
            Cells::Wide(cells) => cells.len(),
        };
        (cells / self.width) as u32
    }

    /// Whether the state with this number is the given row.
    #[inline]
    pub(super) fn is(&self, number: u32, row: &[u32]) -> bool {
        let start = number as usize * self.width;
        match &self.cells {
            Cells::Narrow(cells) => {
                let pairs = cells[start..start + self.width].iter().zip(row);
                // All of them, since they are mostly equal and the processor compares many at once.
                pairs.fold(0, |differ, (known, cell)| differ | u32::from(*known) ^ cell) == 0
            }
            Cells::Wide(cells) => cells[start..start + self.width] == *row,
        }
    }

    /// Reads a cell of a state, if there is one with this number, so that the state is near when it is compared.
    #[inline]
    pub(super) fn touch(&self, number: u32) -> u32 {
        let start = number as usize * self.width;
        match &self.cells {
            Cells::Narrow(cells) => cells.get(start).copied().map_or(0, u32::from),
            Cells::Wide(cells) => cells.get(start).copied().unwrap_or(0),
        }
    }

    /// Copies the state with this number into `row`.
    #[inline]
    pub(super) fn load(&self, number: u32, row: &mut Vec<u32>) {
        let start = number as usize * self.width;
        row.clear();
        match &self.cells {
            Cells::Narrow(cells) => row.extend(cells[start..start + self.width].iter().map(|cell| u32::from(*cell))),
            Cells::Wide(cells) => row.extend_from_slice(&cells[start..start + self.width]),
        }
    }

    /// Adds a state.
    pub(super) fn push(&mut self, row: &[u32]) {
        debug_assert_eq!(row.len(), self.width);
        if let Cells::Narrow(cells) = &mut self.cells {
            if row.iter().all(|cell| u16::try_from(*cell).is_ok()) {
                cells.extend(row.iter().map(|cell| *cell as u16));
                return;
            }
            self.cells = Cells::Wide(cells.iter().map(|cell| u32::from(*cell)).collect());
        }
        if let Cells::Wide(cells) = &mut self.cells {
            cells.extend_from_slice(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::States;

    #[test]
    fn given_a_number_above_16_bits_when_added_should_keep_all_states_as_they_were() {
        let mut states = States::new(2);
        let rows = [[1, 65_535], [0, 0], [65_536, 7], [u32::MAX, 2]];
        for row in rows {
            states.push(&row);
        }
        let mut loaded = Vec::new();
        for (number, row) in (0..).zip(rows) {
            states.load(number, &mut loaded);
            assert_eq!(loaded, row);
            assert!(states.is(number, &row) && !states.is(number, &[1, 7]));
        }
        assert_eq!(states.len(), 4);
    }
}
