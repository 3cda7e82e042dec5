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
use super::contents::Contents;
use super::paths::{Path, Paths, place};
use super::pending::{Finds, Pending};

/// The transitions of one state.
#[derive(Default)]
struct Transitions {
    /// Event, hash by numbers, hash by contents.
    found: Vec<(u32, u64, u64)>,
    rows: Vec<u32>,
    /// Their numbers in the order of Stateright's actions.
    order: Vec<u32>,
}

/// What a process knows.
pub(super) struct Local<'a, M: PortableSystem> {
    task: &'a Task<'a, M, Unguided>,
    is_bounded: bool,
    process: usize,
    processes: usize,
    pub(super) tables: Tables<'a, M, Unguided>,
    contents: Contents,
    states: States,
    visited: Visited,
    room: Room,
    /// The states of the level that is being expanded, in the order of their ways.
    pub(super) level: Range<u32>,
    /// The ways to them.
    paths: Paths,
    pending: Pending,
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
            processes,
            contents: Contents::new(&tables.layout),
            tables,
            states: States::new(width),
            visited: Visited::new(1),
            room: Room::new(folder),
            level: 0..0,
            paths: Paths::new(0),
            pending: Pending::new(0),
            finds: Finds::new(0),
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
        if let Some(row) = self.initial()
            && owner(self.processes, self.contents.row(&self.tables, &row)) == self.process
        {
            let hash = mix(self.tables.layout.hash(&row));
            self.finds.rows.extend(&row);
            self.finds.hashes.push(hash);
            self.finds.ways.push(&[]);
            self.keep_finds();
        }
    }

    /// Makes settled what was met.
    pub(super) fn settle(&mut self) {
        self.tables.settle();
        self.contents.settle(&self.tables);
    }

    /// How many states this process owns, those of the next level not counted.
    fn len(&self) -> u32 {
        self.states.len()
    }

    /// How many states were found in this level.
    pub(super) fn new_states(&self) -> u64 {
        self.pending.len() as u64
    }

    /// Whether there are as many states as numbers.
    fn is_full(&self) -> bool {
        u64::from(self.len()) + self.new_states() >= u64::from(u32::MAX) - 1
    }

    /// Expands some states of the level.
    pub(super) fn expand(&mut self, states: Range<u32>) {
        for from in states {
            self.states.load(from, &mut self.scratch.row);
            self.find_transitions(Some(from));
            self.deal_out(from);
        }
        self.keep_finds();
        self.settle();
    }

    /// Finds the transitions of the state in `scratch.row`, and counts them if it has a number.
    fn find_transitions(&mut self, from: Option<u32>) {
        let Self { tables, contents, states, visited, counts, scratch, transitions, .. } = self;
        let Transitions { found, rows, order } = transitions;
        found.clear();
        rows.clear();
        let base = contents.row(tables, &scratch.row);
        let boundary = self.is_bounded.then_some(Boundary { visited, states });
        tables.successors(boundary, scratch, |successor| {
            let event = successor.event;
            if let Some(from) = from {
                counts.count(tables, &successor, Step { from, event });
            }
            let change = |(column, before, after)| contents.change(tables, column, before, after);
            let content = successor.changes().map(change).fold(base, u64::wrapping_add);
            found.push((event, mix(successor.hash), content));
            successor.write_to(rows);
        });
        order.clear();
        order.extend(0..found.len() as u32);
        order.sort_unstable_by_key(|number| tables.order(found[*number as usize].0));
    }

    /// Keeps the successors of a state, or puts them into the outboxes of their owners.
    fn deal_out(&mut self, from: u32) {
        let width = self.states.width();
        let transitions = std::mem::take(&mut self.transitions);
        let parent = self.paths.get((from - self.level.start) as usize);
        for (index, number) in transitions.order.iter().enumerate() {
            let (_, hash, content) = transitions.found[*number as usize];
            let row = &transitions.rows[*number as usize * width..][..width];
            let owner = owner(self.processes, content);
            if owner == self.process {
                self.finds.rows.extend_from_slice(row);
                self.finds.hashes.push(hash);
                self.finds.ways.push_step(parent, place(index));
            } else if !self.sent.is_repeated(content, row) {
                self.outboxes[owner].push(row, parent, place(index));
            }
        }
        self.transitions = transitions;
    }

    /// The way to a state of the level.
    fn path(&self, state: u32) -> &[u16] {
        self.paths.get((state - self.level.start) as usize)
    }

    /// Keeps the states of this process that were found.
    fn keep_finds(&mut self) {
        self.pending.keep(&self.finds, &self.states, &self.visited);
        self.finds.clear();
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
        let finds = Finds { hashes: hashes.collect(), ways: arrived.ways(self.pending_depth()), rows: arrived.rows };
        self.pending.keep(&finds, &self.states, &self.visited);
    }

    /// Steps to the states that were found in this level.
    fn pending_depth(&self) -> usize {
        self.pending.0.ways.depth()
    }

    /// The ways to the states that were found in this level, in order.
    pub(super) fn new_paths(&self) -> Vec<Path> {
        let paths = &self.pending.0.ways;
        paths.order().into_iter().map(|number| paths.get(number as usize).to_vec()).collect()
    }

    /// Forgets the states of this level from a way on, and takes back what was counted from that step on.
    pub(super) fn cut(&mut self, cut: &[u16]) {
        if let Some((last, parent)) = cut.split_last() {
            self.take_back(parent, usize::from(*last));
        }
        self.pending = self.pending.before(cut, self.states.width());
    }

    /// Takes back what was counted from a step on, which leads out of the state with a way by the event in a place.
    fn take_back(&mut self, parent: &[u16], place: usize) {
        let mut later = Counts::new(self.task.clauses.len());
        let mut first: Option<Step> = None;
        for from in self.level.clone() {
            let order = self.path(from).cmp(parent);
            if order.is_lt() {
                continue;
            }
            self.states.load(from, &mut self.scratch.row);
            self.find_transitions(None);
            let from_place = if order.is_eq() { place } else { 0 };
            let events: Vec<u32> = self.events().skip(from_place).collect();
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
        order.iter().map(|number| found[*number as usize].0)
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
        self.states.load(from, &mut self.scratch.row);
        self.find_transitions(None);
        let index = self.events().position(|other| other == event);
        let mut way = self.path(from).to_vec();
        way.push(place(index.unwrap_or_else(|| unreachable!("a step that was taken can be taken again"))));
        Some(way)
    }

    /// Makes the states that were found in this level the next level.
    pub(super) fn close_level(&mut self) {
        // What others sent is settled now.
        self.settle();
        let start = self.states.len();
        let next = self.pending_depth() + 1;
        let pending = std::mem::replace(&mut self.pending, Pending::new(next));
        self.paths = pending.close(&mut self.states, &self.visited);
        self.finds = Finds::new(next);
        self.level = start..self.states.len();
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
        self.pending = Pending::new(paths.depth() + 1);
        self.finds = Finds::new(paths.depth() + 1);
        self.paths = paths;
        self.level = start..self.states.len();
        Some(())
    }

    /// Whether there is memory and time to go on, when all states before that with number `expanded` were expanded.
    pub(super) fn check_limits(&mut self, clock: &Clock, expanded: u32) -> Result<(), Stop> {
        clock.check_time(self.task.limits)?;
        self.room.check(self.task.limits, expanded, &mut [&mut self.states])?;
        if self.is_full() { Err(Stop::States) } else { Ok(()) }
    }

    /// The states of this process.
    pub(super) fn states(&self) -> &States {
        &self.states
    }

    /// The ways to the states of the level.
    pub(super) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Takes the step in a place out of the state of a row: its event, and the row after it.
    pub(super) fn step(&mut self, row: &[u32], place: u16) -> Option<(u32, Vec<u32>)> {
        self.settle();
        self.scratch.row.clear();
        self.scratch.row.extend_from_slice(row);
        self.find_transitions(None);
        let Transitions { found, rows, order } = &self.transitions;
        let number = *order.get(usize::from(place))? as usize;
        Some((found[number].0, rows[number * row.len()..][..row.len()].to_vec()))
    }
}

/// Which process owns the states with this hash. By the upper bits: the lower ones choose places in tables.
#[inline]
fn owner(processes: usize, content: u64) -> usize {
    ((u128::from(mix(content)) * processes as u128) >> 64) as usize
}
