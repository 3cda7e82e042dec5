//! The plain engine: an exact breadth-first search over whole states.
//!
//! Every state of model x guide is kept once, found by hash and decided by equality: no two states can be mistaken for
//! each other. The frontier is expanded in blocks, by several threads if wanted, and what they found is committed by one
//! thread in the order of (state, action). So every number, every trace and every level is the same for any number of threads.

mod cover;
mod expand;
mod report;
mod store;

use std::ops::Range;
use std::sync::Arc;

use crate::actor_system::ActorSystem;
use crate::course::{Clock, Reached};
use crate::cover::{Abstraction, Cover, CoveringEngine, Label, abstraction_of};
use crate::describe::Described;
use crate::engine::{Engine, Exploration, Stop, Task};
use crate::guide::Guide;
use crate::liveness::{Edge, Edges};

use cover::{Covering, Seen};
use expand::{BatchOf, Candidate, Counts, Expander, PendingEdge, RUN, Target};
use store::{MOST_IDS, Node, Store};

/// The exact breadth-first engine over any described model: the referee.
pub struct Plain;

impl<M: Described> Engine<M> for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn explore<G: Guide<M>>(&self, task: &Task<'_, M, G>) -> Exploration<M, G> {
        let mut search = Search::new(task, None);
        search.stopped = search.run().err();
        search.into_exploration()
    }
}

impl<M: ActorSystem> CoveringEngine<M> for Plain {
    fn explore_covering<G: Guide<M>>(
        &self,
        task: &Task<'_, M, G>,
        abstraction: &dyn Abstraction<M>,
    ) -> (Exploration<M, G>, Cover<M::Action>) {
        let of_state = |state: &M::State| abstraction_of(abstraction, &state.actor_states);
        let mut search = Search::new(task, Some(Covering { of_state: &of_state }));
        search.stopped = search.run().err();
        let cover = search.cover();
        (search.into_exploration(), cover)
    }
}

/// Runs that one thread expands between two commits.
const RUNS_PER_THREAD: u32 = 16;

/// A search under way.
struct Search<'a, M: Described, G: Guide<M>> {
    task: &'a Task<'a, M, G>,
    store: Store<M::State, G::State>,
    counts: Counts,
    edges: Edges,
    levels: Vec<u64>,
    reached: Reached,
    stopped: Option<Stop>,
    clock: Clock,
    covering: Option<Covering<'a, M::State>>,
    /// What was seen, if there is a cover.
    seen: Seen,
}

impl<'a, M: Described, G: Guide<M>> Search<'a, M, G> {
    fn new(task: &'a Task<'a, M, G>, covering: Option<Covering<'a, M::State>>) -> Self {
        Self {
            task,
            store: Store::new(),
            counts: Counts::new(task.model.vocabulary().len(), task.clauses.len()),
            edges: Edges::new(),
            levels: Vec::new(),
            reached: Reached::default(),
            stopped: None,
            clock: Clock::start(),
            covering,
            seen: Seen::default(),
        }
    }

    /// Explores level by level until nothing is new or a limit is reached.
    fn run(&mut self) -> Result<(), Stop> {
        let mut level = 0..self.add_initial_states()?;
        while !level.is_empty() {
            let depth = self.levels.len() as u32 - 1;
            if self.task.limits.max_depth.is_some_and(|most| depth >= most) {
                return Err(Stop::Depth);
            }
            let outcome = self.expand_level(level.clone(), depth);
            level = level.end..self.store.len();
            if !level.is_empty() {
                self.levels.push(level.len() as u64);
            }
            outcome?;
        }
        Ok(())
    }

    /// Adds the distinct initial states within the boundary, and tells how many there are.
    fn add_initial_states(&mut self) -> Result<u32, Stop> {
        let mut outcome = Ok(());
        for (index, state) in self.task.model.init_states().into_iter().enumerate() {
            let guide = self.task.guide.start();
            let hash = self.store.hash(&state, &guide);
            if !self.task.model.within_boundary(&state) || self.store.find(hash, &state, &guide).is_some() {
                continue;
            }
            if self.is_full() {
                outcome = Err(Stop::States);
                break;
            }
            self.add(hash, Node { state, guide }, None, index as u32, None);
        }
        if self.store.len() > 0 {
            self.levels.push(u64::from(self.store.len()));
        }
        outcome.map(|()| self.store.len())
    }

    fn expand_level(&mut self, level: Range<u32>, depth: u32) -> Result<(), Stop> {
        let threads = self.task.threads.clamp(1, 1024) as u32;
        let block_size = if threads == 1 { RUN } else { threads * RUNS_PER_THREAD * RUN };
        let mut start = level.start;
        while start < level.end {
            self.clock.check(self.task.limits)?;
            let end = level.end.min(start.saturating_add(block_size));
            for (run, batch) in self.expander().expand_block(start..end) {
                self.commit(run, batch)?;
            }
            start = end;
            self.tell_progress(depth, &level);
        }
        Ok(())
    }

    fn expander(&self) -> Expander<'_, M, G> {
        let Self { task, store, covering, .. } = self;
        Expander { task, store, terms: self.counts.terms.len(), covering: *covering, found_by: self.seen.found_by() }
    }

    /// Adds what the expansion of `run` found. The transition to the first state beyond the limit, and all after it,
    /// count as not executed.
    fn commit(&mut self, run: Range<u32>, batch: BatchOf<M, G>) -> Result<(), Stop> {
        let mut ids = Vec::new();
        let keeps_edges = !self.task.liveness.is_empty();
        for candidate in batch.candidates {
            let preceding = candidate.preceding;
            let Some(id) = self.commit_candidate(candidate) else {
                let executed = self.expander().expand(run, preceding);
                self.counts.merge(executed.counts);
                self.seen.merge(executed.seen);
                return Err(Stop::States);
            };
            if keeps_edges {
                ids.push(id);
            }
        }
        self.counts.merge(batch.counts);
        self.seen.merge(batch.seen);
        for PendingEdge { step, term, target } in batch.edges {
            let to = match target {
                Target::Known(id) => id,
                Target::Candidate(index) => ids[index],
            };
            self.edges.push(step.from, Edge { to, term, action: step.action });
        }
        Ok(())
    }

    /// The id of a successor, which is added if an earlier candidate was not the same state; `None` if it has no place.
    fn commit_candidate(&mut self, candidate: Candidate<M::State, G::State>) -> Option<u32> {
        let Candidate { hash, step, state, guide, label, .. } = candidate;
        if let Some(id) = self.store.find(hash, &state, &guide) {
            return Some(id);
        }
        if self.is_full() {
            return None;
        }
        Some(self.add(hash, Node { state, guide }, Some(step.from), step.action, label))
    }

    /// Adds a new state and remembers what the guide says about it.
    fn add(
        &mut self,
        hash: u32,
        node: Node<M::State, G::State>,
        parent: Option<u32>,
        action: u32,
        label: Option<Arc<Label>>,
    ) -> u32 {
        let progress = self.task.guide.progress(&node.guide);
        let is_finished = self.task.guide.is_finished(&node.guide);
        let id = self.store.add(hash, node, parent, action);
        self.reached.note(id, progress, is_finished);
        if self.covering.is_some() {
            self.seen.add_state(label);
        }
        id
    }

    /// Whether one more state would be too many.
    fn is_full(&self) -> bool {
        u64::from(self.store.len()) >= self.task.limits.max_states.unwrap_or(MOST_IDS).min(MOST_IDS)
    }

    fn tell_progress(&mut self, depth: u32, level: &Range<u32>) {
        let counts = || (u64::from(self.store.len()), self.counts.transitions);
        self.clock.tell(self.task.progress, depth, level, counts);
    }
}
