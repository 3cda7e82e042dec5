//! Ways from the initial state, by which states are put in order.
//!
//! A way tells for each step the place of its event among those of the state, in the order of Stateright's actions. Of two states of a level
//! the one with the lesser way is found first by an engine that takes one state after the other; and two ways of equal length are compared place by
//! place. So processes agree on the order of all states without ever numbering them, and a way is all that is needed to tell a story.

use serde::{Deserialize, Serialize};

/// A way.
pub(super) type Path = Vec<u16>;

/// The place of an event among those of a state.
///
/// # Panics
/// If a state has more than 65,536 transitions.
pub(super) fn place(index: usize) -> u16 {
    u16::try_from(index).unwrap_or_else(|_| panic!("a state has more than 65,536 transitions"))
}

/// Whether a step is found before another: it is nearer to the initial state, or in an earlier place of the same level.
pub(super) fn is_before(way: &[u16], other: &[u16]) -> bool {
    (way.len(), way) < (other.len(), other)
}

/// Keeps the earlier of two steps, if there are two.
pub(super) fn keep_earliest(earliest: &mut Option<Path>, way: Option<&Path>) {
    if let Some(way) = way
        && earliest.as_ref().is_none_or(|earliest| is_before(way, earliest))
    {
        *earliest = Some(way.clone());
    }
}

/// The ways to some states of one level, by number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Paths {
    /// Steps of each.
    depth: usize,
    len: usize,
    places: Vec<u16>,
}

impl Paths {
    /// No ways; each will have `depth` steps.
    pub(super) fn new(depth: usize) -> Self {
        Self { depth, len: 0, places: Vec::new() }
    }

    /// How many ways there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Steps of each way.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The way with this number.
    #[inline]
    pub(super) fn get(&self, number: usize) -> &[u16] {
        &self.places[number * self.depth..][..self.depth]
    }

    /// Adds a way.
    #[inline]
    pub(super) fn push(&mut self, way: &[u16]) {
        debug_assert_eq!(way.len(), self.depth);
        self.places.extend_from_slice(way);
        self.len += 1;
    }

    /// Adds the way that is another and one step more.
    #[inline]
    pub(super) fn push_step(&mut self, way: &[u16], place: u16) {
        debug_assert_eq!(way.len() + 1, self.depth);
        self.places.extend_from_slice(way);
        self.places.push(place);
        self.len += 1;
    }

    /// Puts a way, which is another and one step more, in place of one that it is less than; whether it is.
    #[inline]
    pub(super) fn improve(&mut self, number: usize, way: &[u16], place: u16) -> bool {
        let known = &mut self.places[number * self.depth..][..self.depth];
        let (parent, last) = known.split_at_mut(self.depth - 1);
        let is_less = (way, place) < (&*parent, last[0]);
        if is_less {
            parent.copy_from_slice(way);
            last[0] = place;
        }
        is_less
    }

    /// Puts numbers of ways in the order of the ways. It takes little time if they come in runs that are in order.
    pub(super) fn sort(&self, numbers: &mut [u32]) {
        numbers.sort_by(|left, right| self.get(*left as usize).cmp(self.get(*right as usize)));
    }
}
