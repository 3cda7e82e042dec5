//! What the tests share: short ways to explore, and a model that is any small graph.

// Every test file compiles this module and uses a part of it.
#![allow(dead_code)]

pub mod paxos;
pub mod two_phase;

use fencepost_checker::clause::{Clause, LivenessClause};
use fencepost_checker::describe::{Described, Telling, Transition};
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use stateright::Model;

/// Explores everything, on one thread, without clauses.
pub fn explore<M: Described>(model: &M) -> Exploration<M, Unguided> {
    explore_with(model, &[], &[], &Limits::default(), 1)
}

/// Explores and judges safety clauses.
pub fn explore_with<M: Described>(
    model: &M,
    clauses: &[Clause<M>],
    liveness: &[LivenessClause<M>],
    limits: &Limits,
    threads: usize,
) -> Exploration<M, Unguided> {
    Plain.explore(&Task { model, guide: &Unguided, clauses, liveness, limits, threads, progress: &Quiet })
}

/// Judges one liveness clause with one obligation.
pub fn judge_liveness<M: Described>(
    model: &M,
    waits: impl Fn(&M::State) -> bool + Send + Sync + 'static,
) -> Exploration<M, Unguided> {
    let clause = LivenessClause::new("goal", 1, "it waits for ever", move |state, _| waits(state));
    explore_with(model, &[], &[clause], &Limits::default(), 1)
}

/// An edge of a [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    pub from: u8,
    pub to: u8,
    pub term: usize,
}

/// An edge from `from` to `to` by the action with this term.
pub fn arc(from: u8, to: u8, term: usize) -> Arc {
    Arc { from, to, term }
}

/// A model that is a graph given edge by edge. Its terms are "a", "b", "c" and so on.
#[derive(Clone, Debug)]
pub struct Graph {
    pub initial: Vec<u8>,
    pub arcs: Vec<Arc>,
    pub fair: Vec<bool>,
}

impl Model for Graph {
    type State = u8;
    type Action = Arc;

    fn init_states(&self) -> Vec<u8> {
        self.initial.clone()
    }

    fn actions(&self, state: &u8, actions: &mut Vec<Arc>) {
        actions.extend(self.arcs.iter().filter(|arc| arc.from == *state));
    }

    fn next_state(&self, _state: &u8, arc: Arc) -> Option<u8> {
        Some(arc.to)
    }
}

impl Described for Graph {
    type Facts = ();

    fn facts(&self, _before: &u8, _action: &Arc, _after: &u8) {}

    fn vocabulary(&self) -> Vec<String> {
        ('a'..='z').take(self.fair.len()).map(String::from).collect()
    }

    fn action_term(&self, action: &Arc) -> usize {
        action.term
    }

    fn outcome_terms(&self, _facts: &(), _terms: &mut Vec<usize>) {}

    fn is_fair(&self, action_term: usize) -> bool {
        self.fair[action_term]
    }

    fn tell(&self, transition: &Transition<'_, Self>) -> Telling {
        let name = |state: &u8| format!("node {state}");
        let text = format!("takes {}", self.vocabulary()[transition.action.term]);
        Telling { actor: name(transition.before), towards: name(transition.after), text, changes: Vec::new() }
    }
}
