//! Closed levels of one process of several: written when the level is closed, read when all of them start again.

use serde::{Deserialize, Serialize};

use crate::archive::{Archive, ArchiveError};
use crate::portable::PortableSystem;

use super::super::counts::Counts;
use super::super::dictionary::{Archived, Dictionary};
use super::super::record::RowsOf;
use super::super::step::Class;
use super::local::Local;
use super::paths::{Path, Paths};

/// What a closed level adds at one process.
#[derive(Serialize, Deserialize)]
pub(super) struct Record<Rows> {
    /// Values that were met since the level before.
    dictionary: Dictionary,
    /// Classes of transitions that were, too.
    classes: Vec<Class>,
    /// The rows of the states, one after the other.
    rows: Rows,
    /// The ways to them.
    paths: Paths,
    /// What this process counted until here.
    counts: Counts,
    firsts: Vec<Option<Path>>,
    firsts_seen: Vec<[Option<Path>; 2]>,
    /// States of the level, of all processes.
    pub(super) states: u64,
    /// Transitions until here, of all processes.
    pub(super) transitions: u64,
}

/// An archive that is being read or written: how much of everything is in it.
pub(super) struct Ledger<'a> {
    archive: &'a Archive,
    values: Archived,
}

impl<'a> Ledger<'a> {
    /// An archive of which nothing was read yet.
    pub(super) fn new(archive: &'a Archive) -> Self {
        Self { archive, values: Archived::default() }
    }

    /// How many levels are in the archive.
    pub(super) fn levels(&self) -> u32 {
        self.archive.levels()
    }

    /// Reads a level.
    ///
    /// # Errors
    /// That it cannot be read.
    pub(super) fn read(&self, level: u32) -> Result<Record<Vec<u32>>, ArchiveError> {
        self.archive.read(level)
    }

    /// Takes over what a level adds.
    ///
    /// # Errors
    /// That it does not fit to what is explored.
    pub(super) fn take_over<M: PortableSystem>(
        &mut self,
        local: &mut Local<'_, M>,
        level: u32,
        record: Record<Vec<u32>>,
    ) -> Result<(), ArchiveError> {
        let Record { dictionary, classes, rows, paths, counts, firsts, firsts_seen, .. } = record;
        let misfit = |what: &str| self.archive.misfit(level, what);
        if !self.values.take_over(&local.tables, &dictionary, classes) {
            return Err(misfit("its values have other numbers"));
        }
        if firsts_seen.len() != local.firsts_seen.len() || paths.depth() != level as usize {
            return Err(misfit("it is of another exploration"));
        }
        local.settle();
        (local.counts, local.firsts, local.firsts_seen) = (counts, firsts, firsts_seen);
        local.take_over(&rows, paths).ok_or_else(|| misfit("its states are others"))
    }

    /// Writes the level that was closed last.
    ///
    /// # Errors
    /// That it cannot be written.
    pub(super) fn write<M: PortableSystem>(
        &mut self,
        local: &Local<'_, M>,
        level: u32,
        states: u64,
        transitions: u64,
    ) -> Result<(), ArchiveError> {
        let (dictionary, classes) = self.values.addition(&local.tables);
        let record = Record {
            dictionary,
            classes,
            rows: RowsOf { states: local.states(), range: local.level().numbers() },
            paths: local.level().ways().clone(),
            counts: local.counts.clone(),
            firsts: local.firsts.clone(),
            firsts_seen: local.firsts_seen.clone(),
            states,
            transitions,
        };
        self.archive.write(level, &record)?;
        self.values.note(&local.tables);
        Ok(())
    }
}
