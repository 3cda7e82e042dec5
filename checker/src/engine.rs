//! What every engine takes and gives.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stateright::Model;

use crate::clause::{Clause, LivenessClause};
use crate::describe::Described;
use crate::guide::Guide;

/// When an exploration ends before everything is explored. `None` and an unset flag mean no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Most distinct states.
    pub max_states: Option<u64>,
    /// Most levels of the breadth-first search.
    pub max_depth: Option<u32>,
    /// Longest time.
    pub max_time: Option<Duration>,
    /// Most memory of the process, in bytes. Before it is reached, an engine may bring states to a temporary file.
    pub max_memory_bytes: Option<u64>,
    /// Set from outside (Ctrl-C) to stop.
    pub interrupt: Arc<AtomicBool>,
}

/// Why an exploration ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// [`Limits::max_states`].
    States,
    /// [`Limits::max_depth`]; verdicts read "holds up to depth N".
    Depth,
    /// [`Limits::max_time`].
    Time,
    /// [`Limits::max_memory_bytes`].
    Memory,
    /// [`Limits::interrupt`].
    Interrupted,
    /// Another process that explored with this one is gone.
    Lost,
}

/// Told about the progress of an exploration, from the exploring thread, at most some times a second.
pub trait Progress: Sync {
    /// States and transitions so far, the level being expanded, and the width of the frontier.
    fn update(&self, states: u64, transitions: u64, depth: u32, frontier: u64);
}

/// Progress that nobody sees.
pub struct Quiet;

impl Progress for Quiet {
    fn update(&self, _states: u64, _transitions: u64, _depth: u32, _frontier: u64) {}
}

/// One exploration to do.
pub struct Task<'a, M: Described, G: Guide<M>> {
    /// The model.
    pub model: &'a M,
    /// The guide.
    pub guide: &'a G,
    /// Safety clauses to judge.
    pub clauses: &'a [Clause<M>],
    /// Liveness clauses to judge; they need the edges in memory, so leave this empty elsewhere.
    pub liveness: &'a [LivenessClause<M>],
    /// When to stop early.
    pub limits: &'a Limits,
    /// Worker threads, at least 1. The result does not depend on it.
    pub threads: usize,
    /// Who is told about the progress.
    pub progress: &'a dyn Progress,
}

/// A path from an initial state: which initial state (by index), and the actions taken. For a lasso, the loop starts
/// before `actions[loop_start]` and the last action leads back to that state; a loop of no actions is a rest in a state without fair successors.
#[derive(Clone, Debug)]
pub struct Trace<A> {
    /// Index of the initial state.
    pub initial: usize,
    /// The actions, in order.
    pub actions: Vec<A>,
    /// Where the loop starts, for liveness.
    pub loop_start: Option<usize>,
}

/// How a clause was broken: the shortest way, always the same one.
#[derive(Clone, Debug)]
pub struct Breach<A> {
    /// Why, in words.
    pub reason: String,
    /// The way there; the last action breaks the clause.
    pub trace: Trace<A>,
}

/// What was found out about one clause.
#[derive(Clone, Debug)]
pub struct Finding<A> {
    /// Name of the clause.
    pub clause: String,
    /// On how many transitions it was exercised (for liveness: in how many states some obligation waited).
    pub exercised: u64,
    /// The first transition that upheld it, as the shortest way there: the witness.
    pub witness: Option<Trace<A>>,
    /// How it was broken, if it was.
    pub broken: Option<Breach<A>>,
}

/// The greatest progress of a guide, some of the states that reached it, and the way to the first of them.
pub type Furthest<M, G> =
    (usize, Vec<(<M as Model>::State, <G as Guide<M>>::State)>, Option<Trace<<M as Model>::Action>>);

/// The result of an exploration.
pub struct Exploration<M: Described, G: Guide<M>> {
    /// Distinct states (of model x guide).
    pub states: u64,
    /// Executed transitions, counting those that led to known states.
    pub transitions: u64,
    /// Number of the last level that had states; initial states are level 0.
    pub depth: u32,
    /// Distinct states a level.
    pub states_per_level: Vec<u64>,
    /// Why it ended early, if it did.
    pub stopped: Option<Stop>,
    /// Executed transitions by term of the vocabulary.
    pub term_counts: Vec<u64>,
    /// Findings: safety clauses, then liveness clauses, in the order of the task.
    pub findings: Vec<Finding<M::Action>>,
    /// The shortest way to a finished state of the guide.
    pub finished: Option<Trace<M::Action>>,
    /// Number of distinct finished states.
    pub finished_states: u64,
    /// The greatest progress of the guide, and some (at most 64) of the states that reached it, first found first, with the way to the first.
    pub furthest: Furthest<M, G>,
}

/// An exploration engine for models like `M`.
pub trait Engine<M: Described> {
    /// Name, as on the command line.
    fn name(&self) -> &'static str;

    /// Explores, level by level, and judges every clause.
    fn explore<G: Guide<M>>(&self, task: &Task<'_, M, G>) -> Exploration<M, G>;
}
