//! What the archive of an exploration has of one level: a head, and the rows of its states, which are written and read one by
//! one, since a level may be as large as all of the memory that is left.

use std::fmt::Formatter;
use std::ops::Range;

use serde::de::{DeserializeOwned, DeserializeSeed, Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::counts::Counts;
use super::dictionary::Dictionary;
use super::states::States;
use super::step::Class;

/// What a closed level adds, without the rows of its states. If it has no states, the exploration ended with the level before.
#[derive(Serialize, Deserialize)]
pub(super) struct Head<Local, Parents> {
    /// Values that were met since the level before.
    pub(super) dictionary: Dictionary,
    /// Local events that were, too: the numbers of events in `counts` refer to them.
    pub(super) locals: Vec<Local>,
    /// And classes of transitions.
    pub(super) classes: Vec<Class>,
    /// What was counted until here: all transitions out of the levels before.
    pub(super) counts: Counts,
    /// From which state each state of the level was first reached.
    pub(super) parents: Parents,
}

/// Rows of some states, to be written without a copy.
pub(super) struct RowsOf<'s> {
    pub(super) states: &'s States,
    pub(super) range: Range<u32>,
}

impl Serialize for RowsOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = Vec::new();
        let mut cells = serializer.serialize_seq(Some(self.range.len() * self.states.width()))?;
        for number in self.range.clone() {
            self.states.load(number, &mut row);
            row.iter().try_for_each(|cell| cells.serialize_element(cell))?;
        }
        cells.end()
    }
}

/// Takes over what is read.
pub(super) trait Taker {
    /// The local events.
    type Local: DeserializeOwned;

    /// Takes the head; whether the rows are wanted.
    fn take_head(&mut self, head: Head<Self::Local, Vec<u32>>) -> bool;

    /// Cells of a row.
    fn width(&self) -> usize;

    /// Takes a row; whether it is one that there can be.
    fn take_row(&mut self, row: &[u32]) -> bool;
}

/// Reads a head and rows, and has them taken over.
pub(super) struct Reading<'t, T>(pub(super) &'t mut T);

impl<'de, T: Taker> DeserializeSeed<'de> for Reading<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_tuple(2, self)
    }
}

impl<'de, T: Taker> Visitor<'de> for Reading<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a level")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<(), A::Error> {
        let head = parts.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        if self.0.take_head(head) {
            parts.next_element_seed(Rows(self.0))?;
        }
        Ok(())
    }
}

/// Reads rows.
struct Rows<'t, T>(&'t mut T);

impl<'de, T: Taker> DeserializeSeed<'de> for Rows<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Taker> Visitor<'de> for Rows<'_, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("rows of states")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<(), A::Error> {
        let width = self.0.width();
        let mut row = Vec::with_capacity(width);
        while let Some(cell) = cells.next_element()? {
            row.push(cell);
            if row.len() == width {
                if !self.0.take_row(&row) {
                    return Err(A::Error::custom("a row of no state"));
                }
                row.clear();
            }
        }
        Ok(())
    }
}
