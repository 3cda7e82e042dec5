//! The states of a level at one process, in the order of the ways to them.

use std::ops::Range;

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
}

/// A level. Its states have the numbers in which they were kept first, which is by chance; their *places* are the order of the ways to them.
pub(super) struct Level {
    /// The number of its first state.
    start: u32,
    /// The ways to its states, by number.
    ways: Paths,
    /// The states by place: each number without that of the first. Empty until the level is closed.
    order: Vec<u32>,
}

impl Level {
    /// A level without states, after so many states; the ways to them will have `depth` steps.
    pub(super) fn new(start: u32, depth: usize) -> Self {
        Self { start, ways: Paths::new(depth), order: Vec::new() }
    }

    /// A closed level, whose states come after so many states.
    pub(super) fn closed(start: u32, ways: Paths) -> Self {
        let order = ways.order();
        Self { start, ways, order }
    }

    /// How many states it has.
    pub(super) fn len(&self) -> u32 {
        self.ways.len() as u32
    }

    /// The numbers of its states.
    pub(super) fn numbers(&self) -> Range<u32> {
        self.start..self.start + self.len()
    }

    /// The ways to its states, by number.
    pub(super) fn ways(&self) -> &Paths {
        &self.ways
    }

    /// The number of the state in a place.
    #[inline]
    pub(super) fn number(&self, place: u32) -> u32 {
        self.start + self.order[place as usize]
    }

    /// The way to the state in a place.
    #[inline]
    pub(super) fn way(&self, place: u32) -> &[u16] {
        self.ways.get(self.order[place as usize] as usize)
    }

    /// Adds those that are not known yet.
    pub(super) fn keep(&mut self, finds: &Finds, states: &mut States, visited: &Visited) {
        let mut shards = visited.of_owner(0);
        let width = states.width();
        for (chunk, hashes) in finds.hashes.chunks(AHEAD).enumerate() {
            shards.touch(hashes.iter().copied(), |number| states.touch(number));
            for (index, hash) in (chunk * AHEAD..).zip(hashes) {
                let row = &finds.rows[index * width..][..width];
                match shards.find_or_insert(*hash, states.len(), |number| states.is(number, row)) {
                    None => {
                        states.push(row);
                        self.ways.push(finds.ways.get(index));
                    }
                    Some(number) if number >= self.start => {
                        self.ways.improve((number - self.start) as usize, finds.ways.get(index));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Puts the states in order: no more will be kept.
    pub(super) fn close(&mut self) {
        self.order = self.ways.order();
    }
}
