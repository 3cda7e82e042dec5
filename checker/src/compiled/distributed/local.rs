//! The part of an exploration that one process does: it expands the states that it owns, hands others to their owners, and keeps what it gets.

use std::ops::Range;
use std::path::PathBuf;

use crate::course::Clock;
use crate::engine::{Stop, Task};
use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::super::counts::{Counts, Step};
use super::super::dictionary::Translation;
use super::super::expand::{Boundary, Scratch};
use super::super::intern::mix;
use super::super::room::Room;
use super::super::states::States;
use super::super::tables::Tables;
use super::super::visited::Visited;
use super::Distributed;
use super::batch::{Arrived, Outbox, Sent};
use super::level::Level;
use super::owners::Owners;
use super::paths::{Path, Paths, place};

/// The transitions of one state.
#[derive(Default)]
struct Transitions {
    found: Vec<Found>,
    rows: Vec<u32>,
    /// Their numbers in the order of Stateright's actions.
    order: Vec<u32>,
}

/// Successors that belong to this process itself.
#[derive(Default)]
struct Finds {
    rows: Vec<u32>,
    hashes: Vec<u64>,
    /// The place of the state before in the level, and that of the event among its events.
    steps: Vec<(u32, u16)>,
}

/// A transition.
struct Found {
    event: u32,
    /// The place of the event among all events.
    rank: (u32, u32),
    /// The hash of the state that it leads to.
    hash: u64,
    /// What the owner of that state depends on.
    content: u64,
}

/// What a process knows.
pub(super) struct Local<'a, M: PortableSystem> {
    task: &'a Task<'a, M, Unguided>,
    is_bounded: bool,
    process: usize,
    pub(super) tables: Tables<'a, M, Unguided>,
    owners: Owners,
    states: States,
    visited: Visited,
    room: Room,
    /// The level that is being expanded. In the counts a state of it is its place, counted on from the first number of the level.
    level: Level,
    /// The level that is being found.
    next: Level,
    /// Successors of this process that are not looked up yet.
    finds: Finds,
    pub(super) counts: Counts,
    /// By class: the first step, once its level is done.
    pub(super) firsts: Vec<Option<Path>>,
    /// By clause: likewise of what no class tells, upheld and broken.
    pub(super) firsts_seen: Vec<[Option<Path>; 2]>,
    outboxes: Vec<Outbox>,
    sent: Sent,
    /// By sender.
    translations: Vec<Translation>,
    scratch: Scratch,
    transitions: Transitions,
}

impl<'a, M: PortableSystem> Local<'a, M> {
    /// Nothing explored yet; rows that memory has no room for go to a file in a folder, or in the system's one.
    pub(super) fn new(task: &'a Task<'a, M, Unguided>, engine: &Distributed<'_>, folder: Option<PathBuf>) -> Self {
        let (process, processes) = (engine.cluster.process(), engine.cluster.processes());
        let tables = Tables::new(task.model, &Unguided, task.clauses);
        let width = tables.layout.width();
        Self {
            task,
            is_bounded: !engine.is_unbounded,
            process,
            owners: Owners::chosen(task, processes),
            tables,
            states: States::new(width),
            visited: Visited::new(1),
            room: Room::new(folder),
            level: Level::new(0, 0),
            next: Level::new(0, 0),
            finds: Finds::default(),
            counts: Counts::new(task.clauses.len()),
            firsts: Vec::new(),
            firsts_seen: vec![[None, None]; task.clauses.len()],
            outboxes: (0..processes).map(|_| Outbox::default()).collect(),
            sent: Sent::new(width),
            translations: (0..processes).map(|_| Translation::default()).collect(),
            scratch: Scratch::default(),
            transitions: Transitions::default(),
        }
    }

    /// The row of the initial state, if the model has one within its boundary.
    pub(super) fn initial(&mut self) -> Option<Vec<u32>> {
        let state = self.task.model.init_states().into_iter().next()?;
        let row = self.task.model.within_boundary(&state).then(|| self.tables.row_of(&state));
        self.settle();
        row
    }

    /// Keeps the initial state, if this process owns it.
    pub(super) fn begin(&mut self) {
        let Some(row) = self.initial() else { return };
        if self.owners.owner(self.owners.content(&self.tables, &row)) == self.process {
            let hash = mix(self.tables.layout.hash(&row));
            self.next.begin(hash, &row, &mut self.states, &self.visited);
        }
    }

    /// Makes settled what was met.
    pub(super) fn settle(&mut self) {
        self.tables.settle();
        self.owners.settle(&self.tables);
    }

    /// How many states were found in this level.
    pub(super) fn new_states(&self) -> u64 {
        u64::from(self.next.len())
    }

    /// The level that is being expanded.
    pub(super) fn level(&self) -> &Level {
        &self.level
    }

    /// Expands the states of the level in some places.
    pub(super) fn expand(&mut self, places: Range<u32>) {
        for place in places {
            self.load(place);
            self.find_transitions(Some(self.level.numbers().start + place));
            self.deal_out(place);
        }
        self.keep_finds();
        self.settle();
    }

    /// Takes the state in a place of the level for what comes.
    fn load(&mut self, place: u32) {
        self.states.load(self.level.number(place), &mut self.scratch.row);
    }

    /// Finds the transitions of the state that was loaded, and counts them if it is said from where they are.
    fn find_transitions(&mut self, from: Option<u32>) {
        let Self { tables, owners, states, visited, counts, scratch, transitions, .. } = self;
        let Transitions { found, rows, order } = transitions;
        found.clear();
        rows.clear();
        let base = owners.content(tables, &scratch.row);
        let boundary = self.is_bounded.then_some(Boundary { visited, states });
        tables.successors(boundary, scratch, |successor| {
            let event = successor.event;
            if let Some(from) = from {
                counts.count(tables, &successor, Step { from, event });
            }
            let content = successor.changes().map(|it| owners.change(tables, it)).fold(base, u64::wrapping_add);
            found.push(Found { event, rank: tables.order(event), hash: mix(successor.hash), content });
            successor.write_to(rows);
        });
        order.clear();
        order.extend(0..found.len() as u32);
        order.sort_unstable_by_key(|number| found[*number as usize].rank);
    }

    /// Keeps the successors of a state, or puts them into the outboxes of their owners.
    fn deal_out(&mut self, from: u32) {
        let width = self.states.width();
        let transitions = std::mem::take(&mut self.transitions);
        let parent = self.level.way(from);
        for (index, number) in transitions.order.iter().enumerate() {
            let Found { hash, content, .. } = transitions.found[*number as usize];
            let row = &transitions.rows[*number as usize * width..][..width];
            let owner = self.owners.owner(content);
            if owner == self.process {
                self.finds.rows.extend_from_slice(row);
                self.finds.hashes.push(hash);
                self.finds.steps.push((from, place(index)));
            } else if !self.sent.is_repeated(hash, row) {
                self.outboxes[owner].push(row, parent, place(index));
            }
        }
        self.transitions = transitions;
    }

    /// Keeps the states of this process that were found.
    fn keep_finds(&mut self) {
        let Self { finds, level, next, states, visited, process, .. } = self;
        let way = |index: usize| {
            let (from, place) = finds.steps[index];
            (level.way(from), place)
        };
        next.keep(*process, &finds.rows, &finds.hashes, way, (states, visited));
        finds.rows.clear();
        finds.hashes.clear();
        finds.steps.clear();
    }

    /// The batches that are ready to be sent, or all of them, with their receivers.
    pub(super) fn batches(&mut self, all: bool) -> Vec<(usize, Vec<u8>)> {
        let Self { outboxes, tables, .. } = self;
        let ready = outboxes.iter_mut().enumerate().filter(|(_, outbox)| all || outbox.is_full());
        ready.filter_map(|(to, outbox)| Some((to, outbox.take(tables)?))).collect()
    }

    /// Keeps the states of a batch from another process.
    pub(super) fn receive(&mut self, from: usize, bytes: &[u8]) {
        let mut arrived = Arrived::read(bytes);
        let mut translation = std::mem::take(&mut self.translations[from]);
        self.tables.adopt(&arrived.dictionary, &mut translation);
        let width = self.states.width();
        for row in arrived.rows.chunks_exact_mut(width) {
            self.tables.translate(row, &translation);
        }
        self.translations[from] = translation;
        let hashes = arrived.rows.chunks_exact(width).map(|row| mix(self.tables.layout.hash(row)));
        let (hashes, ways): (Vec<u64>, Paths) = (hashes.collect(), arrived.ways(self.next.ways().depth()));
        let way = |index: usize| match ways.get(index).split_last() {
            Some((place, parent)) => (parent, *place),
            None => unreachable!("what is sent was found by a step"),
        };
        self.next.keep(from, &arrived.rows, &hashes, way, (&mut self.states, &self.visited));
    }

    /// The ways to the states that were found in this level.
    pub(super) fn new_paths(&self) -> Vec<Path> {
        (0..self.next.ways().len()).map(|number| self.next.ways().get(number).to_vec()).collect()
    }

    /// Takes back what was counted from a step on, which is the last one of a way.
    pub(super) fn take_back(&mut self, way: &[u16]) {
        // Nothing was counted before the first step.
        let Some((&last, parent)) = way.split_last() else { return };
        let mut later = Counts::new(self.task.clauses.len());
        let mut first: Option<Step> = None;
        for place in 0..self.level.len() {
            let order = self.level.way(place).cmp(parent);
            if order.is_lt() {
                continue;
            }
            self.load(place);
            self.find_transitions(None);
            let kept = if order.is_eq() { usize::from(last) } else { 0 };
            let events: Vec<u32> = self.events().skip(kept).collect();
            let from = self.level.numbers().start + place;
            if let Some(&event) = events.first() {
                first.get_or_insert(Step { from, event });
            }
            let Self { tables, states, visited, scratch, .. } = self;
            let boundary = self.is_bounded.then_some(Boundary { visited, states });
            tables.successors(boundary, scratch, |successor| {
                if events.contains(&successor.event) {
                    later.count(tables, &successor, Step { from, event: successor.event });
                }
            });
        }
        if let Some(first) = first {
            self.counts.subtract(&self.tables, &later, first);
        }
    }

    /// The events of the transitions that were found last, in order.
    fn events(&self) -> impl Iterator<Item = u32> {
        let Transitions { found, order, .. } = &self.transitions;
        order.iter().map(|number| found[*number as usize].event)
    }

    /// Notes the ways to the first steps of each kind that were taken in this level.
    pub(super) fn note_firsts(&mut self) {
        self.firsts.resize(self.counts.classes.len(), None);
        for class in 0..self.firsts.len() {
            if self.firsts[class].is_none() {
                self.firsts[class] = self.first_in_level(self.counts.classes[class].first);
            }
        }
        for clause in 0..self.firsts_seen.len() {
            for kind in 0..2 {
                if self.firsts_seen[clause][kind].is_none() {
                    self.firsts_seen[clause][kind] = self.first_in_level(self.counts.seen[clause][kind].first);
                }
            }
        }
    }

    fn first_in_level(&mut self, first: Option<Step>) -> Option<Path> {
        let Step { from, event } = first?;
        let from = from - self.level.numbers().start;
        self.load(from);
        self.find_transitions(None);
        let index = self.events().position(|other| other == event);
        let mut way = self.level.way(from).to_vec();
        way.push(place(index.unwrap_or_else(|| unreachable!("a step that was taken can be taken again"))));
        Some(way)
    }

    /// Makes the states that were found in this level the next level.
    pub(super) fn close_level(&mut self) {
        // What others sent is settled now.
        self.settle();
        let depth = self.next.ways().depth() + 1;
        self.level = std::mem::replace(&mut self.next, Level::new(self.states.len(), depth));
        self.level.close();
    }

    /// Takes over the states of the next level from an archive; nothing, if they cannot be states of this search.
    pub(super) fn take_over(&mut self, rows: &[u32], paths: Paths) -> Option<()> {
        let width = self.states.width();
        let most = self.tables.most_cells();
        let start = self.states.len();
        if rows.len() != paths.len() * width || rows.len() / width > (u32::MAX - start) as usize {
            return None;
        }
        for row in rows.chunks_exact(width) {
            let number = self.states.len();
            if row.iter().zip(&most).any(|(cell, most)| cell >= most) {
                return None;
            }
            let (hash, states) = (mix(self.tables.layout.hash(row)), &self.states);
            if self.visited.of_owner(0).find_or_insert(hash, number, |other| states.is(other, row)).is_some() {
                return None;
            }
            self.states.push(row);
        }
        let depth = paths.depth() + 1;
        self.level = Level::closed(start, paths);
        self.next = Level::new(self.states.len(), depth);
        Some(())
    }

    /// Whether there is memory, time and a number for one more state.
    pub(super) fn check_limits(&mut self, clock: &Clock) -> Result<(), Stop> {
        clock.check_time(self.task.limits)?;
        self.room.check(self.task.limits, self.level.numbers().start, &mut [&mut self.states])?;
        // A block of states has fewer successors than this.
        if self.states.len() > u32::MAX - (1 << 26) { Err(Stop::States) } else { Ok(()) }
    }

    /// The states of this process.
    pub(super) fn states(&self) -> &States {
        &self.states
    }

    /// Takes the step in a place out of the state of a row: its event, and the row after it.
    pub(super) fn step(&mut self, row: &[u32], place: u16) -> Option<(u32, Vec<u32>)> {
        self.settle();
        self.scratch.row.clear();
        self.scratch.row.extend_from_slice(row);
        self.find_transitions(None);
        let Transitions { found, rows, order } = &self.transitions;
        let number = *order.get(usize::from(place))? as usize;
        Some((found[number].event, rows[number * row.len()..][..row.len()].to_vec()))
    }
}
