//! Which cell of a row means what, and how rows are hashed.
//!
//! A state of model x guide is a row of numbers: the situation of each actor, the inbox of each actor, the inbox of all who
//! are no actors, the context (history and guide), and on a network that duplicates what was delivered last (0: nothing, else
//! the envelope's number plus 1).

use std::ops::Range;

use stateright::actor::Id;

use super::intern::mix;

/// The columns of a row. The situation of an actor stands in the column of its index.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// How many actors there are.
    pub(super) actors: usize,
    /// Whether the last delivered envelope belongs to a state.
    pub(super) has_last: bool,
    /// By column: an odd number. The hash of a row is the sum of its cells, each times the number of its column, so the
    /// change of a cell is a change of one summand.
    factors: Vec<u64>,
}

impl Layout {
    /// The columns for some actors.
    pub(super) fn new(actors: usize, has_last: bool) -> Self {
        let width = 2 * actors + 2 + usize::from(has_last);
        Self { actors, has_last, factors: (1..=width as u64).map(|column| mix(column) | 1).collect() }
    }

    /// How many columns there are.
    #[inline]
    pub(super) fn width(&self) -> usize {
        self.factors.len()
    }

    /// The columns of the inboxes.
    #[inline]
    pub(super) fn inboxes(&self) -> Range<usize> {
        self.actors..2 * self.actors + 1
    }

    /// The column of the inbox for a receiver.
    #[inline]
    pub(super) fn inbox(&self, receiver: Id) -> usize {
        self.actors + usize::from(receiver).min(self.actors)
    }

    /// The column of the context.
    #[inline]
    pub(super) fn context(&self) -> usize {
        2 * self.actors + 1
    }

    /// The column of what was delivered last.
    #[inline]
    pub(super) fn last(&self) -> usize {
        2 * self.actors + 2
    }

    /// The hash of a row.
    #[inline]
    pub(super) fn hash(&self, row: &[u32]) -> u64 {
        let summands = row.iter().zip(&self.factors).map(|(cell, factor)| u64::from(*cell).wrapping_mul(*factor));
        summands.fold(0, u64::wrapping_add)
    }

    /// By how much the hash changes when a cell does.
    #[inline]
    pub(super) fn hash_change(&self, column: usize, before: u32, after: u32) -> u64 {
        u64::from(after).wrapping_sub(u64::from(before)).wrapping_mul(self.factors[column])
    }
}
