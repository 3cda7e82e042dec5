//! A block of states: expanded by all threads, then sorted out by all threads, then put in order.
//!
//! Each thread keeps its own memory and its own part of the visited states from block to block, so that what it needs stays
//! near its processor.

use std::ops::Range;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::actor_system::ActorSystem;
use crate::engine::Stop;
use crate::guide::Guide;

use super::Search;
use super::counts::{Counts, Step};
use super::cover::{Sighting, Sightings};
use super::crew::{Crew, Job, Shared, write};
use super::expand::Scratch;
use super::settled::lock;
use super::states::States;
use super::symmetry::{Form, Images};
use super::tables::Tables;
use super::visited::Shards;

/// States that one thread expands at a time.
const RUN: u32 = 256;

/// Runs of a block that one thread expands alone: what they find stays near the processor.
const RUNS_ALONE: u32 = 2;

/// Runs of a block, for each of several threads: enough for them to come together seldom.
const RUNS_TOGETHER: u32 = 16;

/// How many states are looked up together: the processor waits for memory once for all of them.
const AHEAD: usize = 32;

/// How many states a block has.
pub(super) fn size(threads: usize) -> u32 {
    RUN * if threads == 1 { RUNS_ALONE } else { RUNS_TOGETHER * threads as u32 }
}

/// What one owner gets of one run: states as rows one after the other, and for each its hash and the transition to it.
///
/// Each lies in memory of its own, since two threads that write close to each other slow each other down.
#[derive(Default)]
#[repr(align(128))]
struct Finds {
    rows: Vec<u32>,
    steps: Vec<(u64, Step)>,
    /// If there is a cover: what was seen of each transition.
    sightings: Vec<Sighting>,
    /// If the search is reduced: the turn to the form of each state.
    turns: Vec<u16>,
}

/// What a run found, by owner.
struct Run {
    /// The place of the run in its block.
    number: u32,
    /// The thread that expanded it.
    thread: usize,
    finds: Vec<Finds>,
}

/// What a thread keeps from block to block.
#[repr(align(128))]
pub(super) struct Worker {
    pub(super) counts: Counts,
    /// What it saw, if there is a cover.
    pub(super) sightings: Sightings,
    scratch: Scratch,
    images: Images,
    /// The runs that it expanded in this block.
    done: Vec<Run>,
    /// What is new in its own shards.
    kept: Vec<New>,
    /// Memory for runs to come.
    spare: Vec<Vec<Finds>>,
}

impl Worker {
    /// A worker that has done nothing yet.
    pub(super) fn new(counts: Counts) -> Self {
        Self {
            counts,
            sightings: Sightings::default(),
            scratch: Scratch::default(),
            images: Images::default(),
            done: Vec::new(),
            kept: Vec::new(),
            spare: Vec::new(),
        }
    }
}

/// A new state: where its row is among the finds, and the first transition to it.
#[derive(Clone, Copy)]
struct New {
    step: Step,
    hash: u64,
    /// The number by which its owner knows it at first.
    number: u32,
    owner: u32,
    /// The run of that transition, and the place in what its owner got of it.
    run: u32,
    place: u32,
}

impl New {
    #[inline]
    fn finds<'r>(&self, runs: &'r [Run]) -> &'r Finds {
        &runs[self.run as usize].finds[self.owner as usize]
    }

    /// The row of the state.
    #[inline]
    fn row<'r>(&self, runs: &'r [Run], width: usize) -> &'r [u32] {
        &self.finds(runs).rows[self.place as usize * width..][..width]
    }

    /// What was seen of the first transition to it, if there is a cover.
    fn sighting(&self, runs: &[Run]) -> Option<Sighting> {
        self.finds(runs).sightings.get(self.place as usize).copied()
    }

    /// The turn to its form, which is the state itself unless the search is reduced.
    fn turn(&self, runs: &[Run]) -> u16 {
        self.finds(runs).turns.get(self.place as usize).copied().unwrap_or(0)
    }
}

/// A block of states under way.
#[derive(Default)]
pub(super) struct Block {
    states: Range<u32>,
    /// How many runs were begun.
    begun: AtomicU32,
    /// What the runs found, in order.
    runs: Vec<Run>,
    /// What is new, in order.
    new: Vec<New>,
}

/// Expands the states of a block and adds the states that are new, in the order of their first transitions.
pub(super) fn expand_block<M: ActorSystem, G: Guide<M>>(
    search: &RwLock<Search<'_, M, G>>,
    crew: &Crew,
    states: Range<u32>,
) -> Result<(), Stop> {
    let is_little = states.len() <= RUN as usize;
    write(search).block = Block { states, ..Block::default() };
    crew.together(search, Job::Expand, is_little);
    write(search).gather_runs();
    crew.together(search, Job::Keep, is_little);
    write(search).gather_new();
    crew.together(search, Job::Number, is_little);
    write(search).add_new()
}

impl<M: ActorSystem, G: Guide<M>> Shared for Search<'_, M, G> {
    fn work(&self, job: Job, thread: usize) {
        match job {
            Job::Expand => self.expand_runs(thread),
            Job::Keep => {
                let kept =
                    keep_new(&self.tables, &self.states, thread, &mut self.visited.of_owner(thread), &self.block.runs);
                lock(&self.workers[thread]).kept = kept;
            }
            Job::Number => self.number_new(thread),
            Job::Leave => {}
        }
    }
}

impl<M: ActorSystem, G: Guide<M>> Search<'_, M, G> {
    /// Expands runs of states until none is left.
    fn expand_runs(&self, thread: usize) {
        let Block { states, begun, .. } = &self.block;
        let mut worker = lock(&self.workers[thread]);
        loop {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            let start = u64::from(states.start) + u64::from(number) * u64::from(RUN);
            if start >= u64::from(states.end) {
                return;
            }
            let run = start as u32..states.end.min((start as u32).saturating_add(RUN));
            let finds = self.expand_run(run, &mut worker);
            worker.done.push(Run { number, thread, finds });
        }
    }

    /// Puts what the runs found in order.
    fn gather_runs(&mut self) {
        for worker in &self.workers {
            self.block.runs.append(&mut lock(worker).done);
        }
        self.block.runs.sort_unstable_by_key(|run| run.number);
        self.settle();
    }

    /// Puts what is new in the order of the steps.
    fn gather_new(&mut self) {
        let (tables, new) = (&self.tables, &mut self.block.new);
        for worker in &self.workers {
            new.append(&mut lock(worker).kept);
        }
        if self.workers.len() > 1 {
            // Each owner comes to the states in order, which this sort makes use of.
            new.sort_by_key(|new| new.step.from);
        }
        for of_one_state in new.chunk_by_mut(|left, right| left.step.from == right.step.from) {
            of_one_state.sort_unstable_by_key(|new| tables.order(new.step.event));
        }
    }

    /// Gives what is new of an owner its numbers.
    fn number_new(&self, owner: usize) {
        let numbers = (self.states.len()..).zip(&self.block.new);
        let own = numbers.filter(|(_, new)| new.owner as usize == owner);
        self.visited.of_owner(owner).renumber(own.map(|(number, new)| (new.hash, new.number, number)));
    }

    /// Adds new states in order. The transition to the first state beyond the limit, and all after it, count as not executed.
    fn add_new(&mut self) -> Result<(), Stop> {
        let Block { states, runs, new, .. } = std::mem::take(&mut self.block);
        for new in new {
            if self.is_full() {
                self.take_back(new.step, states.end);
                return Err(Stop::States);
            }
            let row = new.row(&runs, self.states.width());
            self.add(row, new.step.from, new.turn(&runs), new.sighting(&runs));
        }
        for Run { thread, finds, .. } in runs {
            lock(&self.workers[thread]).spare.push(finds);
        }
        Ok(())
    }

    /// Expands the states of a run; gives what was found, by owner.
    fn expand_run(&self, run: Range<u32>, worker: &mut Worker) -> Vec<Finds> {
        let owners = self.workers.len();
        let Worker { counts, sightings: seen, scratch, images, spare, .. } = worker;
        let mut finds = spare.pop().unwrap_or_else(|| (0..owners).map(|_| Finds::default()).collect());
        for Finds { rows, steps, sightings, turns } in &mut finds {
            rows.clear();
            steps.clear();
            sightings.clear();
            turns.clear();
        }
        for from in run {
            self.load(from, images, &mut scratch.row);
            self.tables.successors(self.boundary(), scratch, |successor| {
                let step = Step { from, event: successor.event };
                counts.count(&self.tables, &successor, step);
                let Form { hash, turn } = self.form(images, &successor);
                let Finds { rows, steps, sightings, turns } = &mut finds[self.visited.owner(hash)];
                self.write_form(images, &successor, turn, rows);
                steps.push((hash, step));
                if self.reduction.is_some() {
                    turns.push(turn);
                }
                if let Some(covering) = &self.covering {
                    sightings.push(covering.see(&self.tables, seen, &successor, step));
                }
            });
        }
        finds
    }
}

/// Adds to an owner's shards what it got; gives what is new. It is numbered on from the known states, as if all owners' numbers
/// were its own.
fn keep_new<M: ActorSystem, G: Guide<M>>(
    tables: &Tables<'_, M, G>,
    states: &States,
    owner: usize,
    shards: &mut Shards,
    runs: &[Run],
) -> Vec<New> {
    let (width, known) = (states.width(), states.len());
    let mut kept: Vec<New> = Vec::new();
    for (run, found) in (0..).zip(runs) {
        let Finds { rows, steps, .. } = &found.finds[owner];
        let mut places = (0..).zip(rows.chunks_exact(width)).zip(steps);
        for next in steps.chunks(AHEAD) {
            shards.touch(next.iter().map(|(hash, _)| *hash), |number| states.touch(number));
            for ((place, row), &(hash, step)) in places.by_ref().take(next.len()) {
                let is_same = |number: u32| match number.checked_sub(known) {
                    None => states.is(number, row),
                    Some(index) => kept[index as usize].row(runs, width) == row,
                };
                let number = known + kept.len() as u32;
                match shards.find_or_insert(hash, number, is_same) {
                    None => kept.push(New { step, hash, number, owner: owner as u32, run, place }),
                    Some(number) if number >= known => {
                        let first = &mut kept[(number - known) as usize];
                        if tables.is_before(step, first.step) {
                            *first = New { step, run, place, ..*first };
                        }
                    }
                    Some(_) => {}
                }
            }
        }
    }
    kept
}
