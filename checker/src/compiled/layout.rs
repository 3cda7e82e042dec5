//! Which cell of a row means what.
//!
//! A state of model x guide is a row of numbers: the situation of each actor, the inbox of each actor, the inbox of all who
//! are no actors, the context (history and guide), and on a network that duplicates what was delivered last (0: nothing, else
//! the envelope's number plus 1).

use std::ops::Range;

use stateright::actor::Id;

use super::intern::mix;

/// The columns of a row. The situation of an actor stands in the column of its index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// How many actors there are.
    pub(super) actors: usize,
    /// Whether the last delivered envelope belongs to a state.
    pub(super) has_last: bool,
}

impl Layout {
    /// How many columns there are.
    #[inline]
    pub(super) fn width(self) -> usize {
        2 * self.actors + 2 + usize::from(self.has_last)
    }

    /// The columns of the inboxes.
    #[inline]
    pub(super) fn inboxes(self) -> Range<usize> {
        self.actors..2 * self.actors + 1
    }

    /// The column of the inbox for a receiver.
    #[inline]
    pub(super) fn inbox(self, receiver: Id) -> usize {
        self.actors + usize::from(receiver).min(self.actors)
    }

    /// The column of the context.
    #[inline]
    pub(super) fn context(self) -> usize {
        2 * self.actors + 1
    }

    /// The column of what was delivered last.
    #[inline]
    pub(super) fn last(self) -> usize {
        2 * self.actors + 2
    }
}

/// The part of a row's hash that comes from one cell.
#[inline]
fn cell_hash(column: usize, cell: u32) -> u64 {
    mix((column as u64) << 32 | u64::from(cell))
}

/// The hash of a row: a sum, so that a change of one cell changes two summands.
pub(super) fn row_hash(row: &[u32]) -> u64 {
    row.iter().enumerate().fold(0, |sum, (column, cell)| sum.wrapping_add(cell_hash(column, *cell)))
}

/// Changes a cell, and the hash with it.
#[inline]
pub(super) fn change(row: &mut [u32], hash: &mut u64, column: usize, cell: u32) {
    let before = row[column];
    if before != cell {
        *hash = hash.wrapping_sub(cell_hash(column, before)).wrapping_add(cell_hash(column, cell));
        row[column] = cell;
    }
}
