//! Who owns a state: decided by what some of its actors are, not by what they are numbered, so that all processes agree.
//!
//! A step changes one actor. If the owner depends on few of the actors, most steps stay at one process; if it depended on all of them,
//! every other step of two processes would travel. But it must depend on enough for the processes to have equally much to do. Which
//! actors it depends on is found out in a sample: the first states of the exploration, which each process explores for itself.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;

use crate::engine::Task;
use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::super::dictionary::situation_bytes;
use super::super::expand::Scratch;
use super::super::intern::mix;
use super::super::states::States;
use super::super::tables::Tables;
use super::super::visited::Visited;

/// Seed of the hashes: the same in all processes.
const SEED: u64 = 0x6F77_6E65_7273_6869;

/// What a step that leads to another process costs beside taking it, in hundredths of the latter: it is packed, sent, read and translated.
const TRAVEL_PERCENT: u64 = 70;

/// What the process with most to do may have, in hundredths of the mean.
const EVEN_PERCENT: u64 = 110;

/// Most actors of which two and three together are tried.
const MOST_COMBINED: usize = 12;

/// How many states are explored to find out how they are best shared out.
const SAMPLE: u64 = 30_000;

/// Decides about owners.
pub(super) struct Owners {
    processes: usize,
    /// By actor: an odd number, or zero if the owner does not depend on it.
    factors: Vec<u64>,
    /// By number of the situation: the hash of its bytes.
    situations: Vec<u64>,
    hasher: FixedState,
}

impl Owners {
    /// Decides by the actors that turn out to be best in the first states of an exploration.
    pub(super) fn chosen<M: PortableSystem>(task: &Task<'_, M, Unguided>, processes: usize) -> Self {
        let actors = task.model.actor_model().actors.len();
        let by_all = Self::by(factors(actors, |_| true), processes);
        if processes == 1 {
            return by_all;
        }
        // In tables of their own: whether a search is resumed must make no difference to what it knows.
        let tables = Tables::new(task.model, &Unguided, task.clauses);
        Self::by(Trial::new(by_all).run(task, tables), processes)
    }

    fn by(factors: Vec<u64>, processes: usize) -> Self {
        Self { processes, factors, situations: Vec::new(), hasher: FixedState::with_seed(SEED) }
    }

    /// Takes in the situations that are new.
    pub(super) fn settle<M: PortableSystem>(&mut self, tables: &Tables<'_, M, Unguided>) {
        for situation in &tables.situations.read().list()[self.situations.len()..] {
            self.situations.push(self.hasher.hash_one(situation_bytes(situation)));
        }
    }

    /// What the owner of a row depends on, as one number.
    pub(super) fn content<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, row: &[u32]) -> u64 {
        let summands = self.factors.iter().zip(row).filter(|(factor, _)| **factor != 0);
        summands.map(|(factor, cell)| self.hash(tables, *cell).wrapping_mul(*factor)).fold(0, u64::wrapping_add)
    }

    /// By how much this number changes when a cell does.
    #[inline]
    pub(super) fn change<M: PortableSystem>(
        &self,
        tables: &Tables<'_, M, Unguided>,
        (column, before, after): (usize, u32, u32),
    ) -> u64 {
        match self.factors.get(column) {
            None | Some(0) => 0,
            Some(factor) => self.hash(tables, after).wrapping_sub(self.hash(tables, before)).wrapping_mul(*factor),
        }
    }

    /// The owner.
    #[inline]
    pub(super) fn owner(&self, content: u64) -> usize {
        owner(content, self.processes)
    }

    /// The hash of a situation. What was met since the last time is put together for it.
    #[inline]
    fn hash<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, number: u32) -> u64 {
        let fresh = || self.hasher.hash_one(situation_bytes(&tables.situations.get(number)));
        self.situations.get(number as usize).copied().unwrap_or_else(fresh)
    }
}

/// The process of several that a number means. By the upper bits of what it is mixed to.
#[inline]
fn owner(content: u64, processes: usize) -> usize {
    ((u128::from(mix(content)) * processes as u128) >> 64) as usize
}

/// By actor: an odd number if the owner depends on it.
fn factors(actors: usize, is_chosen: impl Fn(usize) -> bool) -> Vec<u64> {
    let factor = |actor: usize| if is_chosen(actor) { mix(actor as u64 ^ SEED) | 1 } else { 0 };
    (0..actors).map(factor).collect()
}

/// A way to decide, as it does in the sample.
struct Candidate {
    factors: Vec<u64>,
    /// By process: what it has to do in the level.
    loads: Vec<u64>,
    /// What the slowest process had to do in the levels before.
    cost: u64,
    /// Whether all processes had about equally much to do in the last level: else they have not later on, either, and one of them needs most
    /// of the memory.
    is_even: bool,
}

/// The ways to decide that are tried: up to three actors, or all.
struct Trial {
    owners: Owners,
    candidates: Vec<Candidate>,
}

impl Trial {
    fn new(owners: Owners) -> Self {
        let (actors, processes) = (owners.factors.len(), owners.processes);
        let candidate = |chosen: &[usize]| Candidate {
            factors: factors(actors, |actor| chosen.is_empty() || chosen.contains(&actor)),
            loads: vec![0; processes],
            cost: 0,
            is_even: chosen.is_empty(),
        };
        let most = if actors <= MOST_COMBINED { 3 } else { 1 };
        let chosen = (0..=most).flat_map(|size| subsets(actors, size));
        Self { owners, candidates: chosen.map(|chosen| candidate(&chosen)).collect() }
    }

    /// Explores the first states, and gives the factors of the cheapest way to decide; of equals the first.
    fn run<M: PortableSystem>(mut self, task: &Task<'_, M, Unguided>, mut tables: Tables<'_, M, Unguided>) -> Vec<u64> {
        let (visited, mut known, mut scratch) =
            (Visited::new(1), States::new(tables.layout.width()), Scratch::default());
        let start = task.model.init_states();
        let mut rows: Vec<u32> = start.iter().take(1).flat_map(|state| tables.row_of(state)).collect();
        let mut level = 0..0;
        let most = task.limits.max_states.unwrap_or(u64::MAX).min(SAMPLE) as u32;
        loop {
            for row in rows.chunks_exact(known.width()) {
                let hash = mix(tables.layout.hash(row));
                if visited.of_owner(0).find_or_insert(hash, known.len(), |number| known.is(number, row)).is_none() {
                    known.push(row);
                }
            }
            level = level.end..known.len();
            if level.is_empty() || level.end > most {
                break;
            }
            tables.settle();
            self.owners.settle(&tables);
            rows.clear();
            for number in level.clone() {
                known.load(number, &mut scratch.row);
                let mut steps = Vec::new();
                tables.successors(None, &mut scratch, |successor| {
                    steps.push(successor.changed_actor(tables.layout.actors));
                    successor.write_to(&mut rows);
                });
                self.count(&tables, &scratch.row, &steps);
            }
            self.end_level();
        }
        // By all actors if no other way is even, which in a sample of a few states need not be either.
        let by_all = self.owners.factors;
        let even = self.candidates.into_iter().filter(|candidate| candidate.is_even);
        even.min_by_key(|candidate| candidate.cost).map_or(by_all, |best| best.factors)
    }

    /// Counts the steps out of a state: for each the actor that changes, if one does, and its situation afterwards.
    fn count<M: PortableSystem>(
        &mut self,
        tables: &Tables<'_, M, Unguided>,
        row: &[u32],
        steps: &[Option<(u32, u32)>],
    ) {
        let hash = |number| self.owners.hash(tables, number);
        let hashes: Vec<u64> = row[..tables.layout.actors].iter().map(|cell| hash(*cell)).collect();
        let changes: Vec<(usize, u64)> = steps
            .iter()
            .map(|step| {
                step.map_or((0, 0), |(actor, cell)| (actor as usize, hash(cell).wrapping_sub(hashes[actor as usize])))
            })
            .collect();
        for Candidate { factors, loads, .. } in &mut self.candidates {
            let processes = loads.len();
            let summands = factors.iter().zip(&hashes).map(|(factor, hash)| hash.wrapping_mul(*factor));
            let content = summands.fold(0, u64::wrapping_add);
            let from = owner(content, processes);
            for (actor, change) in &changes {
                let to = owner(content.wrapping_add(change.wrapping_mul(factors[*actor])), processes);
                loads[from] += 100 + if to == from { 0 } else { TRAVEL_PERCENT };
            }
        }
    }

    /// Ends a level: the processes wait for the slowest of them.
    fn end_level(&mut self) {
        for Candidate { loads, cost, is_even, .. } in &mut self.candidates {
            let (most, all) = (loads.iter().max().copied().unwrap_or(0), loads.iter().sum::<u64>());
            *cost += most;
            *is_even = most * loads.len() as u64 * 100 <= all * EVEN_PERCENT;
            loads.fill(0);
        }
    }
}

/// All subsets of so many actors with so many members.
fn subsets(actors: usize, members: usize) -> Vec<Vec<usize>> {
    let Some(fewer) = members.checked_sub(1) else { return vec![Vec::new()] };
    let larger = |subset: Vec<usize>| {
        let next = subset.last().map_or(0, |last| last + 1);
        (next..actors).map(move |actor| [&subset[..], &[actor]].concat())
    };
    subsets(actors, fewer).into_iter().flat_map(larger).collect()
}
