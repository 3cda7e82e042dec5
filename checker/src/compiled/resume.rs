//! Explorations that leave their closed levels in an archive, and go on where such an archive ends.
//!
//! A level is written when all of it is known, together with all values that were met so far. The numbers in it mean what they meant to
//! the writer, since its values are met again in the same order. What is merely remembered, such as what a step leads to, is
//! computed anew when it is asked for. The results depend on neither, nor on where an exploration was interrupted.

use std::ops::Range;

use crate::actor_system::ActorSystem;
use crate::archive::{Archive, ArchiveError};
use crate::engine::{Exploration, Stop, Task};
use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::counts::Counts;
use super::dictionary::{Archived, are_next};
use super::intern::{NOTHING, mix};
use super::record::{Head, Reading, RowsOf, Taker};
use super::room::Room;
use super::settled::lock;
use super::tables::LocalOf;
use super::{Compiled, Search};

/// An archive that is being read or written: how much of everything is in it.
struct Ledger<'a> {
    archive: &'a Archive,
    /// The next level.
    level: u32,
    values: Archived,
    locals: usize,
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
        let mut search = Search::new(task, !self.is_unbounded);
        search.room = Room::new(Some(archive.folder().to_owned()));
        search.archived(archive)
    }
}

impl<'a> Ledger<'a> {
    fn new(archive: &'a Archive) -> Self {
        Self { archive, level: 0, values: Archived::default(), locals: 0 }
    }

    /// Takes over the levels of the archive which the limits allow; gives the last of them, if there is any.
    fn load<M: PortableSystem>(&mut self, search: &mut Search<'_, M, Unguided>) -> Result<Option<Range<u32>>, Ended> {
        let is_allowed = |level: u32| search.task.limits.max_depth.is_none_or(|most| level <= most);
        let mut last = None;
        while is_allowed(self.level) && self.archive.has(self.level) {
            let Some(level) = self.load_level(search).map_err(Ended::Failed)? else {
                // The search ends within this level, and finds out where.
                break;
            };
            search.tell_progress(self.level, &level);
            self.level += 1;
            search.check_limits(level.start)?;
            last = Some(level);
        }
        Ok(last)
    }

    /// Takes over the next level, if the limits allow so many states; gives their numbers.
    fn load_level<M: PortableSystem>(
        &mut self,
        search: &mut Search<'_, M, Unguided>,
    ) -> Result<Option<Range<u32>>, ArchiveError> {
        let (archive, level) = (self.archive, self.level);
        let mut taking = Taking::new(self, search);
        let read = archive.read_seed(level, Reading(&mut taking));
        match taking.head {
            TakenHead::Misfit(what) => Err(archive.misfit(level, what)),
            TakenHead::TooLarge => read.map(|()| None),
            TakenHead::Fits => {
                read?;
                let level_states = taking.parents.len() as u32;
                if taking.taken != taking.parents.len() {
                    return Err(archive.misfit(level, "it has too few states"));
                }
                Ok(Some(search.leave_level(search.len() - level_states)))
            }
        }
    }

    /// Takes over the values of a level, with the numbers that they have in it; else what is wrong with them.
    fn take_values<M: PortableSystem>(
        &mut self,
        search: &mut Search<'_, M, Unguided>,
        head: Head<LocalOf<M::Actor>, Vec<u32>>,
    ) -> Result<Vec<u32>, &'static str> {
        let Head { dictionary, locals, classes, counts, parents } = head;
        let tables = &search.tables;
        let are_same = self.values.take_over(tables, &dictionary, classes)
            && are_next(locals.into_iter().map(|local| tables.locals.intern(local)), &mut self.locals);
        if !are_same {
            return Err("its values have other numbers");
        }
        search.settle();
        if search.tables.locals.read().list().len() != self.locals || !search.has_counted(&counts) {
            return Err("its events are others");
        }
        lock(&search.workers[0]).counts = counts;
        Ok(parents)
    }

    /// Writes the level with these states, which is the last that is known.
    fn write<M: PortableSystem>(
        &mut self,
        search: &Search<'_, M, Unguided>,
        level: Range<u32>,
    ) -> Result<(), ArchiveError> {
        let tables = &search.tables;
        let locals = tables.locals.read();
        let (dictionary, classes) = self.values.addition(tables);
        let head = Head {
            dictionary,
            classes,
            locals: locals.list()[self.locals..].iter().map(|local| &**local).collect::<Vec<_>>(),
            counts: search.merged_counts(),
            parents: RowsOf { states: &search.parents, range: level.clone() },
        };
        self.archive.write(self.level, &(head, RowsOf { states: &search.states, range: level }))?;
        self.level += 1;
        self.locals = locals.list().len();
        self.values.note(tables);
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
}

/// A level that is being taken over.
struct Taking<'l, 's, 'a, M: PortableSystem> {
    ledger: &'l mut Ledger<'a>,
    search: &'l mut Search<'s, M, Unguided>,
    head: TakenHead,
    parents: Vec<u32>,
    /// How many states were known before.
    known: u32,
    /// How many states of the level were taken over.
    taken: usize,
    /// By column: a number that is too large for a cell.
    most_cells: Vec<u32>,
}

/// What became of the head of a level.
enum TakenHead {
    /// It fits so far.
    Fits,
    /// The level has more states than there may be.
    TooLarge,
    /// It does not fit to the search.
    Misfit(&'static str),
}

impl<'l, 's, 'a, M: PortableSystem> Taking<'l, 's, 'a, M> {
    fn new(ledger: &'l mut Ledger<'a>, search: &'l mut Search<'s, M, Unguided>) -> Self {
        let known = search.len();
        Self { ledger, search, head: TakenHead::Fits, parents: Vec::new(), known, taken: 0, most_cells: Vec::new() }
    }
}

impl<M: PortableSystem> Taker for Taking<'_, '_, '_, M> {
    type Local = LocalOf<<M as ActorSystem>::Actor>;

    fn take_head(&mut self, head: Head<Self::Local, Vec<u32>>) -> bool {
        let states = u64::from(self.known) + head.parents.len() as u64;
        self.head = match self.search.task.limits.max_states {
            Some(most) if states > most => TakenHead::TooLarge,
            _ if states > u64::from(NOTHING) => TakenHead::Misfit("it has too many states"),
            _ => match self.ledger.take_values(self.search, head) {
                Ok(parents) => {
                    (self.parents, self.most_cells) = (parents, self.search.tables.most_cells());
                    TakenHead::Fits
                }
                Err(what) => TakenHead::Misfit(what),
            },
        };
        matches!(self.head, TakenHead::Fits)
    }

    fn width(&self) -> usize {
        self.search.states.width()
    }

    fn take_row(&mut self, row: &[u32]) -> bool {
        let Some(&parent) = self.parents.get(self.taken) else { return false };
        let is_start = parent == NOTHING && self.known == 0;
        if !(is_start || parent < self.known) || row.iter().zip(&self.most_cells).any(|(cell, most)| cell >= most) {
            return false;
        }
        self.taken += 1;
        let search = &mut *self.search;
        let (hash, number) = (mix(search.tables.layout.hash(row)), search.len());
        let owner = search.visited.owner(hash);
        let is_same = |other: u32| search.states.is(other, row);
        let is_new = search.visited.of_owner(owner).find_or_insert(hash, number, is_same).is_none();
        if is_new {
            search.add(row, parent, 0, None);
        }
        is_new
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
