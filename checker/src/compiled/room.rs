//! When rows go to a file, and when an exploration ends because of its memory.

use std::path::PathBuf;

use crate::actor_system::ActorSystem;
use crate::engine::{Limits, Stop};
use crate::guide::Guide;
use crate::memory::resident_bytes;

use super::Search;
use super::shelf::Shelf;
use super::states::States;

/// Hundredths of the memory limit from which on rows go to a file: what remains is for the tables that must grow in memory.
const TIGHT_PERCENT: u64 = 75;

/// How a search uses its memory.
pub(super) struct Room {
    /// Hundredths of the memory limit from which on rows go to a file.
    tight_percent: u64,
    shelf: Shelf,
    /// Whether the file could not be written: then no more is tried, and the limit ends the search when it is reached.
    is_shelf_full: bool,
}

impl Room {
    /// Rows go to a file in a folder, or in the system's folder for temporary files.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { tight_percent: TIGHT_PERCENT, shelf: Shelf::new(folder), is_shelf_full: false }
    }

    /// Rows go to a file at once.
    #[cfg(test)]
    pub(super) fn tight(folder: Option<PathBuf>) -> Self {
        Self { tight_percent: 0, ..Self::new(folder) }
    }
}

impl Room {
    /// Whether there is memory to go on, when all states before that with number `expanded` were expanded. If memory becomes tight, their
    /// rows go to a file: they are needed only if a state must be compared with them, or for a trace.
    pub(super) fn check(&mut self, limits: &Limits, expanded: u32, rows: &mut [&mut States]) -> Result<(), Stop> {
        let Some(most) = limits.max_memory_bytes else { return Ok(()) };
        let Some(mut held) = resident_bytes() else { return Ok(()) };
        let tight = u128::from(most) * u128::from(self.tight_percent) / 100;
        if u128::from(held) > tight && self.file(expanded, rows) {
            held = resident_bytes().unwrap_or(0);
        }
        if held > most { Err(Stop::Memory) } else { Ok(()) }
    }

    /// Brings rows to the file; whether any were brought.
    fn file(&mut self, expanded: u32, rows: &mut [&mut States]) -> bool {
        if self.is_shelf_full || rows.iter().all(|rows| rows.fileable(expanded) == 0) {
            return false;
        }
        let filed = rows.iter_mut().try_for_each(|rows| rows.file(expanded, &mut self.shelf));
        self.is_shelf_full = filed.is_err();
        true
    }
}

impl<M: ActorSystem, G: Guide<M>> Search<'_, M, G> {
    /// Whether the search may go on, when all states before that with number `expanded` were expanded.
    pub(super) fn check_limits(&mut self, expanded: u32) -> Result<(), Stop> {
        self.clock.check_time(self.task.limits)?;
        self.room.check(self.task.limits, expanded, &mut [&mut self.states, &mut self.parents])
    }
}

#[cfg(test)]
mod tests;
