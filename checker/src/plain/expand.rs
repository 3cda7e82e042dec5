//! The expansion of a run of states: everything that needs no write access to the store, so that threads can share it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashbrown::HashTable;

use crate::clause::Judgement;
use crate::cover::{Label, Said};
use crate::describe::{Described, Transition};
use crate::engine::Task;
use crate::guide::Guide;

use super::cover::{Covering, Seen};
use super::store::{Store, spread};

/// States that one thread expands at a time.
pub(super) const RUN: u32 = 64;

/// A transition: the state and the index of the action among its actions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) from: u32,
    pub(super) action: u32,
}

/// A successor that was unknown when it was looked up.
pub(super) struct Candidate<S, G> {
    pub(super) hash: u32,
    pub(super) step: Step,
    /// How many transitions of the run were executed before the one that led here.
    pub(super) preceding: u64,
    pub(super) state: S,
    pub(super) guide: G,
    /// The label of the step, if there is a cover.
    pub(super) label: Option<Arc<Label>>,
}

/// Where an edge leads.
pub(super) enum Target {
    Known(u32),
    Candidate(usize),
}

/// An executed transition, kept for liveness.
pub(super) struct PendingEdge {
    pub(super) step: Step,
    pub(super) term: u32,
    pub(super) target: Target,
}

/// What became of one safety clause.
#[derive(Clone, Default)]
pub(super) struct Tally {
    pub(super) exercised: u64,
    pub(super) upheld: Option<Step>,
    pub(super) broken: Option<(Step, String)>,
}

impl Tally {
    fn add(&mut self, judgement: Judgement, step: Step) {
        match judgement {
            Judgement::Silent => return,
            Judgement::Upheld => _ = self.upheld.get_or_insert(step),
            Judgement::Broken(reason) => _ = self.broken.get_or_insert((step, reason)),
        }
        self.exercised += 1;
    }

    /// Adds what came later.
    pub(super) fn merge(&mut self, later: Self) {
        self.exercised += later.exercised;
        self.upheld = self.upheld.or(later.upheld);
        self.broken = self.broken.take().or(later.broken);
    }
}

/// Counts of executed transitions.
pub(super) struct Counts {
    pub(super) transitions: u64,
    pub(super) terms: Vec<u64>,
    pub(super) clauses: Vec<Tally>,
}

impl Counts {
    /// Nothing counted yet.
    pub(super) fn new(terms: usize, clauses: usize) -> Self {
        Self { transitions: 0, terms: vec![0; terms], clauses: vec![Tally::default(); clauses] }
    }

    /// Adds what was counted later.
    pub(super) fn merge(&mut self, later: Self) {
        self.transitions += later.transitions;
        for (count, more) in self.terms.iter_mut().zip(later.terms) {
            *count += more;
        }
        for (tally, more) in self.clauses.iter_mut().zip(later.clauses) {
            tally.merge(more);
        }
    }

    /// Counts every term once; a term that the vocabulary lacks is not counted.
    fn count_terms(&mut self, terms: &mut Vec<usize>) {
        terms.sort_unstable();
        terms.dedup();
        for &term in terms.iter() {
            if let Some(count) = self.terms.get_mut(term) {
                *count += 1;
            }
        }
    }
}

/// What the expansion of a run of states gave.
pub(super) struct Batch<S, G> {
    pub(super) counts: Counts,
    pub(super) seen: Seen,
    pub(super) candidates: Vec<Candidate<S, G>>,
    pub(super) edges: Vec<PendingEdge>,
    /// Finds candidates by hash.
    table: HashTable<usize>,
}

impl<S: PartialEq, G: PartialEq> Batch<S, G> {
    fn new(terms: usize, clauses: usize) -> Self {
        let counts = Counts::new(terms, clauses);
        Self { counts, seen: Seen::default(), candidates: Vec::new(), edges: Vec::new(), table: HashTable::new() }
    }

    /// The index of a candidate, which is added if it is not there.
    fn candidate(&mut self, candidate: Candidate<S, G>) -> usize {
        let Candidate { hash, ref state, ref guide, .. } = candidate;
        let candidates = &self.candidates;
        let is_same = |&index: &usize| {
            let other = &candidates[index];
            other.hash == hash && other.state == *state && other.guide == *guide
        };
        if let Some(&index) = self.table.find(spread(hash), is_same) {
            return index;
        }
        let index = candidates.len();
        self.table.insert_unique(spread(hash), index, |&index| spread(candidates[index].hash));
        self.candidates.push(candidate);
        index
    }
}

/// A batch of a model under a guide.
pub(super) type BatchOf<M, G> = Batch<<M as stateright::Model>::State, <G as Guide<M>>::State>;

/// Expands states without changing the store.
pub(super) struct Expander<'a, M: Described, G: Guide<M>> {
    pub(super) task: &'a Task<'a, M, G>,
    pub(super) store: &'a Store<M::State, G::State>,
    /// Size of the vocabulary.
    pub(super) terms: usize,
    pub(super) covering: Option<Covering<'a, M::State>>,
    /// By state: the label of the step that first led to it, if there is a cover.
    pub(super) found_by: &'a [Option<Arc<Label>>],
}

impl<M: Described, G: Guide<M>> Expander<'_, M, G> {
    /// Expands the states with these ids, in order, by at most `most` transitions.
    pub(super) fn expand(&self, ids: Range<u32>, most: u64) -> BatchOf<M, G> {
        let mut batch = Batch::new(self.terms, self.task.clauses.len());
        let (mut actions, mut terms) = (Vec::new(), Vec::new());
        let stops = self.task.guide.stops_when_finished();
        for from in ids {
            let node = self.store.node(from);
            if stops && self.task.guide.is_finished(&node.guide) {
                continue;
            }
            self.task.model.actions(&node.state, &mut actions);
            for (index, action) in actions.drain(..).enumerate() {
                if batch.counts.transitions == most {
                    return batch;
                }
                let step = Step { from, action: index as u32 };
                self.execute(step, &action, &mut terms, &mut batch);
            }
        }
        batch
    }

    /// Executes one action, if it leads anywhere, judges the transition and looks the successor up.
    fn execute(&self, step: Step, action: &M::Action, terms: &mut Vec<usize>, batch: &mut BatchOf<M, G>) {
        let (model, node) = (self.task.model, self.store.node(step.from));
        let Some(after) = model.next_state(&node.state, action.clone()) else { return };
        if !model.within_boundary(&after) {
            return;
        }
        let facts = model.facts(&node.state, action, &after);
        let transition = Transition { before: &node.state, action, after: &after, facts: &facts };
        let Some(guide) = self.task.guide.next(&node.guide, &transition) else { return };

        let preceding = batch.counts.transitions;
        batch.counts.transitions += 1;
        let action_term = model.action_term(action);
        terms.clear();
        terms.push(action_term);
        model.outcome_terms(&facts, terms);
        batch.counts.count_terms(terms);
        let mut said = Vec::new();
        for (clause, tally) in self.task.clauses.iter().zip(&mut batch.counts.clauses) {
            let judgement = clause.judge(&transition);
            if self.covering.is_some() {
                said.push(Said::of(&judgement));
            }
            tally.add(judgement, step);
        }
        let label = self.covering.map(|covering| {
            terms.retain(|term| *term < self.terms);
            let label = Arc::new(Label { terms: terms.clone(), said });
            let found_by = self.found_by[step.from as usize].as_ref();
            batch.seen.see(step, found_by, (covering.of_state)(&node.state), &label, (covering.of_state)(&after));
            label
        });

        let hash = self.store.hash(&after, &guide);
        let target = match self.store.find(hash, &after, &guide) {
            Some(id) => Target::Known(id),
            None => Target::Candidate(batch.candidate(Candidate { hash, step, preceding, state: after, guide, label })),
        };
        if !self.task.liveness.is_empty() {
            batch.edges.push(PendingEdge { step, term: action_term as u32, target });
        }
    }

    /// Expands the runs of a block, in parallel if that is worth it. The batches come in the order of the states.
    pub(super) fn expand_block(&self, block: Range<u32>) -> Vec<(Range<u32>, BatchOf<M, G>)> {
        let runs: Vec<Range<u32>> =
            block.clone().step_by(RUN as usize).map(|start| start..block.end.min(start.saturating_add(RUN))).collect();
        let workers = self.task.threads.clamp(1, runs.len().max(1));
        if workers == 1 {
            return runs.into_iter().map(|run| (run.clone(), self.expand(run, u64::MAX))).collect();
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((run.clone(), self.expand(run.clone(), u64::MAX)));
            }
            done
        };
        let mut batches = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
            let mut batches = work();
            for helper in helpers {
                match helper.join() {
                    Ok(done) => batches.extend(done),
                    // A model that panics does so here as it would on one thread.
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            batches
        });
        batches.sort_unstable_by_key(|(run, _)| run.start);
        batches
    }
}
