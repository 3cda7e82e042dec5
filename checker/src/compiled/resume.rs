//! Explorations that leave their closed levels in an archive, and go on where such an archive ends.
//!
//! A level is written when all of it is known, together with all values that were met so far. The numbers in it mean what they meant to
//! the writer, since its values are met again in the same order. What is merely remembered, such as what a step leads to, is
//! computed anew when it is asked for. The results depend on neither, nor on where an exploration was interrupted.

use std::ops::Range;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Serialize, Serializer};

use crate::archive::{Archive, ArchiveError};
use crate::engine::{Exploration, Stop, Task};
use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::counts::Counts;
use super::dictionary::{Dictionary, Marks, Translation};
use super::intern::{NOTHING, mix};
use super::room::Room;
use super::settled::lock;
use super::states::States;
use super::step::Class;
use super::tables::LocalOf;
use super::{Compiled, Search};

/// What a closed level adds. If it has no states, the exploration ended with the level before.
#[derive(Serialize, Deserialize)]
struct Record<Local, Rows> {
    /// Values that were met since the level before.
    dictionary: Dictionary,
    /// Local events that were, too: the numbers of events in `counts` refer to them.
    locals: Vec<Local>,
    /// And classes of transitions.
    classes: Vec<Class>,
    /// The rows of the states, one after the other.
    rows: Rows,
    /// From which state each was first reached.
    parents: Rows,
    /// What was counted until here: all transitions out of the levels before.
    counts: Counts,
}

/// A record that was read.
type ReadRecord<M> = Record<LocalOf<<M as crate::actor_system::ActorSystem>::Actor>, Vec<u32>>;

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

/// An archive that is being read or written: how much of everything is in it.
struct Ledger<'a> {
    archive: &'a Archive,
    /// The next level.
    level: u32,
    marks: Marks,
    locals: usize,
    classes: usize,
    translation: Translation,
}

impl Compiled {
    /// Explores like [`explore`](crate::engine::Engine::explore), goes on after the levels that are in the archive, and adds each level that it
    /// closes. The result is that of an exploration in one go, whatever ended the former ones, and on whatever number of
    /// threads. The archive must be that of the same model, boundary and clauses: its identity has to tell them.
    ///
    /// # Errors
    /// That a level cannot be written; then those before it are in the archive. Or that one in it does not fit to the task.
    pub fn explore_archived<M: PortableSystem>(
        &self,
        task: &Task<'_, M, Unguided>,
        archive: &Archive,
    ) -> Result<Exploration<M, Unguided>, ArchiveError> {
        let mut search = Search::new(task, !self.is_unbounded, None);
        search.room = Room::new(Some(archive.folder().to_owned()));
        search.archived(archive)
    }
}

impl<'a> Ledger<'a> {
    fn new(archive: &'a Archive) -> Self {
        Self { archive, level: 0, marks: Marks::default(), locals: 0, classes: 0, translation: Translation::default() }
    }

    /// Takes over the levels of the archive which the limits allow; gives the last of them, if there is any.
    fn load<M: PortableSystem>(&mut self, search: &mut Search<'_, M, Unguided>) -> Result<Option<Range<u32>>, Ended> {
        let limits = search.task.limits;
        let levels = self.archive.levels().min(limits.max_depth.map_or(u32::MAX, |most| most.saturating_add(1)));
        let mut last = None;
        while self.level < levels {
            let record: ReadRecord<M> = self.archive.read(self.level).map_err(Ended::Failed)?;
            let states = u64::from(search.len()) + record.parents.len() as u64;
            if limits.max_states.is_some_and(|most| states > most) {
                // The search ends within this level, and finds out where.
                break;
            }
            last = Some(self.take_over(search, record).map_err(Ended::Failed)?);
            search.tell_progress(self.level, last.as_ref().unwrap_or(&(0..0)));
            self.level += 1;
            search.check_limits(last.as_ref().map_or(0, |level| level.start))?;
        }
        Ok(last)
    }

    /// Takes over what a level adds; gives the numbers of its states.
    fn take_over<M: PortableSystem>(
        &mut self,
        search: &mut Search<'_, M, Unguided>,
        record: ReadRecord<M>,
    ) -> Result<Range<u32>, ArchiveError> {
        let Record { dictionary, locals, classes, rows, parents, counts } = record;
        let misfit = |what: &str| self.archive.misfit(self.level, what);
        let tables = &search.tables;
        tables.adopt(&dictionary, &mut self.translation);
        let are_same =
            |numbers: &mut dyn Iterator<Item = u32>, from: usize| (from as u32..).zip(numbers).all(|(a, b)| a == b);
        let (new_locals, new_classes) = (locals.len(), classes.len());
        if !self.translation.changes_nothing()
            || !are_same(&mut locals.into_iter().map(|local| tables.locals.intern(local)), self.locals)
            || !are_same(&mut classes.into_iter().map(|class| tables.classes.intern(class)), self.classes)
        {
            return Err(misfit("its values have other numbers"));
        }
        search.settle();
        (self.locals, self.classes, self.marks) =
            (self.locals + new_locals, self.classes + new_classes, search.tables.marks());
        if search.tables.locals.read().list().len() != self.locals || !search.has_counted(&counts) {
            return Err(misfit("its events are others"));
        }
        search.add_level(&rows, &parents).ok_or_else(|| misfit("its states are others"))?;
        lock(&search.workers[0]).counts = counts;
        Ok(search.leave_level(search.len() - parents.len() as u32))
    }

    /// Writes the level with these states, which is the last that is known.
    fn write<M: PortableSystem>(
        &mut self,
        search: &Search<'_, M, Unguided>,
        level: Range<u32>,
    ) -> Result<(), ArchiveError> {
        let tables = &search.tables;
        let (locals, classes) = (tables.locals.read(), tables.classes.read());
        let record = Record {
            dictionary: tables.dictionary(self.marks),
            locals: locals.list()[self.locals..].iter().map(|local| &**local).collect::<Vec<_>>(),
            classes: classes.list()[self.classes..].iter().map(|class| (**class).clone()).collect(),
            rows: RowsOf { states: &search.states, range: level.clone() },
            parents: RowsOf { states: &search.parents, range: level },
            counts: search.merged_counts(),
        };
        self.archive.write(self.level, &record)?;
        self.level += 1;
        (self.locals, self.classes, self.marks) = (locals.list().len(), classes.list().len(), tables.marks());
        Ok(())
    }
}

impl<M: PortableSystem> Search<'_, M, Unguided> {
    /// Goes on after the levels that are in an archive, to the end.
    pub(super) fn archived(mut self, archive: &Archive) -> Result<Exploration<M, Unguided>, ArchiveError> {
        let mut ledger = Ledger::new(archive);
        let (mut search, ended) = match ledger.load(&mut self) {
            Ok(level) => self.conduct(level, |search, level| ledger.write(search, level).map_err(Ended::Failed)),
            Err(ended) => (self, Err(ended)),
        };
        match ended {
            Ok(()) => {}
            Err(Ended::Stopped(stop)) => search.stopped = Some(stop),
            Err(Ended::Failed(error)) => return Err(error),
        }
        Ok(search.into_exploration())
    }

    /// Whether counts that were read are about classes, clauses, states and events that there are.
    fn has_counted(&self, counts: &Counts) -> bool {
        let (envelopes, locals) = (self.tables.envelopes.read().list().len(), self.tables.locals.read().list().len());
        let is_known = |event: u32| ((event >> 1) as usize) < if event & 1 == 0 { envelopes } else { locals };
        counts.seen.len() == self.task.clauses.len()
            && counts.classes.len() <= self.tables.classes.read().list().len()
            && counts.firsts().all(|step| step.from < self.len() && is_known(step.event))
    }

    /// Adds the states of a level that was read, whose values are settled; nothing, if they cannot be states of this search.
    fn add_level(&mut self, rows: &[u32], parents: &[u32]) -> Option<()> {
        let width = self.states.width();
        let most = self.tables.most_cells();
        if rows.len() != parents.len() * width || rows.len() / width > (NOTHING - self.len()) as usize {
            return None;
        }
        let known = self.len();
        for (row, parent) in rows.chunks_exact(width).zip(parents) {
            let is_start = *parent == NOTHING && known == 0;
            if !(is_start || *parent < known) || row.iter().zip(&most).any(|(cell, most)| cell >= most) {
                return None;
            }
            let (hash, number) = (mix(self.tables.layout.hash(row)), self.len());
            let owner = self.visited.owner(hash);
            let found = self.visited.of_owner(owner).find_or_insert(hash, number, |other| self.states.is(other, row));
            if found.is_some() {
                return None;
            }
            self.add(row, *parent, None);
        }
        Some(())
    }
}

/// How an exploration ended that did not come to its end.
enum Ended {
    /// A limit was reached.
    Stopped(Stop),
    /// The archive cannot be read or written.
    Failed(ArchiveError),
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}
