//! The states of a level at one process, in the order of the ways to them.

use std::ops::Range;

use super::super::states::States;
use super::super::visited::Visited;
use super::paths::Paths;

/// How many states are looked up together: the processor waits for memory once for all of them.
const AHEAD: usize = 32;

/// A level. Its states have the numbers in which they were kept first, which is by chance; their *places* are the order of the ways to them.
pub(super) struct Level {
    /// The number of its first state.
    start: u32,
    /// The ways to its states, by number.
    ways: Paths,
    /// The states by place: each number without that of the first. Empty until the level is closed.
    order: Vec<u32>,
    /// By sender: the states that were first found by it, in the order of the ways, since it sends in that order.
    runs: Vec<Vec<u32>>,
    /// By state: whether its way was replaced by a lesser one, so that it is in no order.
    is_improved: Vec<bool>,
}

impl Level {
    /// A level without states, after so many states; the ways to them will have `depth` steps.
    pub(super) fn new(start: u32, depth: usize) -> Self {
        Self { start, ways: Paths::new(depth), order: Vec::new(), runs: Vec::new(), is_improved: Vec::new() }
    }

    /// A closed level, whose states come after so many states.
    pub(super) fn closed(start: u32, ways: Paths) -> Self {
        let mut level = Self::new(start, ways.depth());
        level.order = (0..ways.len() as u32).collect();
        ways.sort(&mut level.order);
        Self { ways, ..level }
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

    /// Adds the initial state.
    pub(super) fn begin(&mut self, hash: u64, row: &[u32], states: &mut States, visited: &Visited) {
        visited.of_owner(0).find_or_insert(hash, states.len(), |number| states.is(number, row));
        states.push(row);
        self.ways.push(&[]);
        self.order.push(0);
    }

    /// Adds the states that are not known yet, of those that a process found: rows one after the other, with their hashes; `way` tells the way
    /// to each, as another way and one step more.
    pub(super) fn keep<'w>(
        &mut self,
        finder: usize,
        rows: &[u32],
        hashes: &[u64],
        way: impl Fn(usize) -> (&'w [u16], u16),
        (states, visited): (&mut States, &Visited),
    ) {
        let mut shards = visited.of_owner(0);
        let width = states.width();
        if self.runs.len() <= finder {
            self.runs.resize_with(finder + 1, Vec::new);
        }
        for (chunk, hashes) in hashes.chunks(AHEAD).enumerate() {
            shards.touch(hashes.iter().copied(), |number| states.touch(number));
            for (index, hash) in (chunk * AHEAD..).zip(hashes) {
                let row = &rows[index * width..][..width];
                match shards.find_or_insert(*hash, states.len(), |number| states.is(number, row)) {
                    None => {
                        let (parent, place) = way(index);
                        let number = self.len();
                        self.runs[finder].push(number);
                        self.is_improved.push(false);
                        self.ways.push_step(parent, place);
                        states.push(row);
                    }
                    Some(number) if number >= self.start => {
                        let ((parent, place), known) = (way(index), (number - self.start) as usize);
                        self.is_improved[known] |= self.ways.improve(known, parent, place);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Puts the states in order: no more will be kept.
    pub(super) fn close(&mut self) {
        let (runs, is_improved) = (std::mem::take(&mut self.runs), std::mem::take(&mut self.is_improved));
        self.order.extend(runs.iter().flatten().filter(|number| !is_improved[**number as usize]));
        self.order.extend((0..).zip(&is_improved).filter(|(_, is_improved)| **is_improved).map(|(number, _)| number));
        self.ways.sort(&mut self.order);
    }
}
