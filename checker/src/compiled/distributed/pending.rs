//! The states that a process finds in a level, its own and those that others hand over.

use super::super::states::States;
use super::super::visited::Visited;
use super::paths::Paths;

/// How many states are looked up together: the processor waits for memory once for all of them.
const AHEAD: usize = 32;

/// States that were reached: rows one after the other, and for each its hash and the way to it.
pub(super) struct Finds {
    pub(super) rows: Vec<u32>,
    pub(super) hashes: Vec<u64>,
    pub(super) ways: Paths,
}

impl Finds {
    /// No states; the ways to them will have `depth` steps.
    pub(super) fn new(depth: usize) -> Self {
        Self { rows: Vec::new(), hashes: Vec::new(), ways: Paths::new(depth) }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.hashes.clear();
        self.ways.clear();
    }

    fn row(&self, index: usize, width: usize) -> &[u32] {
        &self.rows[index * width..][..width]
    }
}

/// The states of the next level, each once, as far as they are known.
pub(super) struct Pending(pub(super) Finds);

impl Pending {
    /// No states; the ways to them will have `depth` steps.
    pub(super) fn new(depth: usize) -> Self {
        Self(Finds::new(depth))
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.0.hashes.len()
    }

    /// Adds those that are not known. They are numbered on from the known states, until the level is closed.
    pub(super) fn keep(&mut self, finds: &Finds, states: &States, visited: &Visited) {
        let mut shards = visited.of_owner(0);
        let (known, width) = (states.len(), states.width());
        for (chunk, hashes) in finds.hashes.chunks(AHEAD).enumerate() {
            let first_cell = |number: u32| match number.checked_sub(known) {
                None => states.touch(number),
                Some(index) => self.0.rows.get(index as usize * width).copied().unwrap_or(0),
            };
            shards.touch(hashes.iter().copied(), first_cell);
            for (index, hash) in (chunk * AHEAD..).zip(hashes) {
                let (row, pending) = (finds.row(index, width), &self.0);
                let is_same = |number: u32| match number.checked_sub(known) {
                    None => states.is(number, row),
                    Some(index) => pending.row(index as usize, width) == row,
                };
                let number = known + pending.hashes.len() as u32;
                match shards.find_or_insert(*hash, number, is_same) {
                    None => {
                        self.0.rows.extend_from_slice(row);
                        self.0.hashes.push(*hash);
                        self.0.ways.push(finds.ways.get(index));
                    }
                    Some(number) if number >= known => {
                        self.0.ways.improve((number - known) as usize, finds.ways.get(index));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Only the states with a way before `cut`.
    pub(super) fn before(&self, cut: &[u16], width: usize) -> Self {
        let mut before = Finds::new(self.0.ways.depth());
        for index in (0..self.len()).filter(|index| self.0.ways.get(*index) < cut) {
            before.rows.extend_from_slice(self.0.row(index, width));
            before.hashes.push(self.0.hashes[index]);
            before.ways.push(self.0.ways.get(index));
        }
        Self(before)
    }

    /// Gives all of them numbers in the order of the ways to them, and adds them to the states; gives the ways.
    pub(super) fn close(self, states: &mut States, visited: &Visited) -> Paths {
        let (start, width) = (states.len(), states.width());
        let order = self.0.ways.order();
        let mut ways = Paths::new(self.0.ways.depth());
        for &index in &order {
            states.push(self.0.row(index as usize, width));
            ways.push(self.0.ways.get(index as usize));
        }
        let numbers = (start..).zip(&order).map(|(number, old)| (self.0.hashes[*old as usize], start + old, number));
        visited.of_owner(0).renumber(numbers);
        ways
    }
}
