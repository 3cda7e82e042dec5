//! A block of states: expanded by all threads, then sorted out by all threads, then put in order.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread::{ScopedJoinHandle, scope};

use crate::actor_system::ActorSystem;
use crate::engine::Stop;
use crate::guide::Guide;

use super::Search;
use super::counts::{Counts, Step};
use super::expand::Scratch;
use super::intern::mix;
use super::states::States;
use super::tables::Tables;
use super::visited::Owned;

/// States that one thread expands at a time.
const RUN: u32 = 512;

/// Runs of a block, for each thread; few enough for what they find to stay near the processor.
const RUNS_PER_THREAD: u32 = 16;

/// How many states a block has.
pub(super) fn size(threads: usize) -> u32 {
    if threads == 1 { RUN } else { threads as u32 * RUNS_PER_THREAD * RUN }
}

/// How many states are looked up together: the processor waits for memory once for all of them.
const AHEAD: u32 = 32;

/// What one owner gets of one run: states as rows one after the other, and for each its hash and the transition to it.
#[derive(Default)]
pub(super) struct Finds {
    rows: Vec<u32>,
    steps: Vec<(u64, Step)>,
}

impl Finds {
    fn clear(&mut self) {
        self.rows.clear();
        self.steps.clear();
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
    /// The run, and the place in what its owner got of it.
    run: u32,
    place: u32,
}

impl New {
    /// The row of the state.
    fn row<'f>(&self, finds: &'f [Vec<Finds>], width: usize) -> &'f [u32] {
        &finds[self.run as usize][self.owner as usize].rows[self.place as usize * width..][..width]
    }
}

impl<M: ActorSystem, G: Guide<M>> Search<'_, M, G> {
    /// Expands the states of a block and adds the states that are new, in the order of their first transitions.
    pub(super) fn expand_block(&mut self, block: Range<u32>) -> Result<(), Stop> {
        let runs: Vec<Range<u32>> =
            block.clone().step_by(RUN as usize).map(|start| start..block.end.min(start.saturating_add(RUN))).collect();
        let mut counts = std::mem::take(&mut self.counts);
        let mut finds = std::mem::take(&mut self.finds);
        finds.resize_with(runs.len().max(finds.len()), || (0..counts.len()).map(|_| Finds::default()).collect());
        self.expand_runs(&runs, &mut counts, &mut finds);
        self.counts = counts;
        self.tables.settle();
        let new = self.sort_out(&finds[..runs.len()]);
        let outcome = self.add_new(&new, &finds, block.end);
        self.finds = finds;
        outcome
    }

    /// Expands runs of states, in parallel if that is worth it. Each run has its own `finds`, by owner.
    fn expand_runs(&self, runs: &[Range<u32>], counts: &mut [Counts], finds: &mut [Vec<Finds>]) {
        let tasks = Mutex::new(runs.iter().zip(finds));
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = |counts: &mut Counts| {
            let mut scratch = Scratch::default();
            while let Some((run, finds)) = next() {
                self.expand_run(run, counts, &mut scratch, finds);
            }
        };
        if counts.len() == 1 || runs.len() == 1 {
            return work(&mut counts[0]);
        }
        let work = &work;
        scope(|scope| {
            let helpers: Vec<_> = counts.iter_mut().map(|counts| scope.spawn(move || work(counts))).collect();
            helpers.into_iter().for_each(joined);
        });
    }

    /// Expands the states of a run.
    fn expand_run(&self, run: &Range<u32>, counts: &mut Counts, scratch: &mut Scratch, finds: &mut [Finds]) {
        finds.iter_mut().for_each(Finds::clear);
        let owners = finds.len();
        for from in run.clone() {
            self.states.load(from, &mut scratch.row);
            self.tables.successors(self.is_bounded, scratch, |successor| {
                let step = Step { from, event: successor.event };
                counts.count(&self.tables, &successor, step);
                let hash = mix(successor.hash);
                let owner = if owners == 1 { 0 } else { self.visited.owner(hash) };
                successor.write_to(&mut finds[owner].rows);
                finds[owner].steps.push((hash, step));
            });
        }
    }

    /// Finds out what is new, each owner in its own shards; gives it in the order of the steps.
    fn sort_out(&mut self, finds: &[Vec<Finds>]) -> Vec<New> {
        let (states, tables, threads) = (&self.states, &self.tables, self.counts.len());
        let mut owners: Vec<(usize, Owned<'_>)> = self.visited.owners().into_iter().enumerate().collect();
        let keep = |owner: &mut (usize, Owned<'_>)| keep_new(tables, states, owner.0, &mut owner.1, finds);
        let mut new = in_parallel(&mut owners, finds, keep).concat();
        if threads > 1 {
            // Each owner comes to the states in order, which this sort makes use of.
            new.sort_by_key(|new| new.step.from);
        }
        for of_one_state in new.chunk_by_mut(|left, right| left.step.from == right.step.from) {
            of_one_state.sort_unstable_by_key(|new| tables.order(new.step.event));
        }
        let mut numbers: Vec<Vec<(u64, u32, u32)>> = vec![Vec::new(); threads];
        for (number, new) in (states.len()..).zip(&new) {
            if new.number != number {
                numbers[new.owner as usize].push((new.hash, new.number, number));
            }
        }
        in_parallel(&mut owners, finds, |(owner, owned)| {
            for (hash, provisional, number) in &numbers[*owner] {
                owned.renumber(*hash, *provisional, *number);
            }
        });
        new
    }

    /// Adds new states in order. The transition to the first state beyond the limit, and all after it, count as not executed.
    fn add_new(&mut self, new: &[New], finds: &[Vec<Finds>], end: u32) -> Result<(), Stop> {
        for new in new {
            if self.is_full() {
                self.take_back(new.step, end);
                return Err(Stop::States);
            }
            self.add(new.row(finds, self.states.width()), new.step.from);
        }
        Ok(())
    }
}

/// Does something for each owner, each in a thread of its own, if there is enough to do.
fn in_parallel<'o, T: Send>(
    owners: &mut [(usize, Owned<'o>)],
    finds: &[Vec<Finds>],
    work: impl Fn(&mut (usize, Owned<'o>)) -> T + Sync,
) -> Vec<T> {
    if finds.len() == 1 || owners.len() == 1 {
        return owners.iter_mut().map(work).collect();
    }
    let work = &work;
    scope(|scope| {
        let helpers: Vec<_> = owners.iter_mut().map(|owner| scope.spawn(move || work(owner))).collect();
        helpers.into_iter().map(joined).collect()
    })
}

/// A helper's result. A model that panics does so here as it would on one thread.
fn joined<T>(helper: ScopedJoinHandle<'_, T>) -> T {
    helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Adds to an owner's shards what it got; gives what is new. It is numbered on from the known states, as if all owners' numbers
/// were its own.
fn keep_new<M: ActorSystem, G: Guide<M>>(
    tables: &Tables<'_, M, G>,
    states: &States,
    owner: usize,
    owned: &mut Owned<'_>,
    finds: &[Vec<Finds>],
) -> Vec<New> {
    let (width, known) = (states.width(), states.len());
    let mut kept: Vec<New> = Vec::new();
    for (run, found) in (0..).zip(finds) {
        let steps = &found[owner].steps;
        for (place, &(hash, step)) in (0..).zip(steps) {
            if place % AHEAD == 0 {
                let next = &steps[place as usize..steps.len().min((place + AHEAD) as usize)];
                owned.touch(next.iter().map(|(hash, _)| *hash), |number| states.touch(number));
            }
            let row = &found[owner].rows[place as usize * width..][..width];
            let is_same = |number: u32| match number.checked_sub(known) {
                None => states.is(number, row),
                Some(index) => kept[index as usize].row(finds, width) == row,
            };
            let number = known + kept.len() as u32;
            match owned.find_or_insert(hash, number, is_same) {
                None => kept.push(New { step, hash, number, owner: owner as u32, run, place }),
                Some(number) if number >= known => {
                    let first = &mut kept[(number - known) as usize].step;
                    if tables.is_before(step, *first) {
                        *first = step;
                    }
                }
                Some(_) => {}
            }
        }
    }
    kept
}
