//! Clauses as the engines see them: named judgements of transitions, and named obligations.

use crate::describe::{Described, Transition};

/// What a clause says of one transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The transition does not concern the clause.
    Silent,
    /// The transition exercised the clause, which held.
    Upheld,
    /// The transition broke the clause, for this reason.
    Broken(String),
}

/// What a clause reads, so that an engine may remember its judgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The history (ledger) after the transition.
    History,
    /// The state of the actor with this index after the transition.
    Actor(usize),
    /// Anything about the transition.
    Step,
    /// The whole state after the transition.
    State,
}

type Judge<M> = Box<dyn Fn(&Transition<'_, M>) -> Judgement + Send + Sync>;

/// A safety clause: judged at every transition.
pub struct Clause<M: Described> {
    /// Name, kebab-case.
    pub name: String,
    /// What the judgement depends on.
    pub reads: Reads,
    judge: Judge<M>,
}

impl<M: Described> Clause<M> {
    /// A clause with the given name whose judgement depends on `reads` only.
    pub fn new(
        name: impl Into<String>,
        reads: Reads,
        judge: impl Fn(&Transition<'_, M>) -> Judgement + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), reads, judge: Box::new(judge) }
    }

    /// Judges one transition.
    pub fn judge(&self, transition: &Transition<'_, M>) -> Judgement {
        (self.judge)(transition)
    }
}

type Waiting<S> = Box<dyn Fn(&S, usize) -> bool + Send + Sync>;

/// A liveness clause: no obligation may wait for ever, given weak fairness of the fair actions.
///
/// It is broken if a reachable strongly connected component (or a state without fair successors, in which an execution may rest) keeps some obligation waiting
/// in each of its states while no fair action is possible in all of its states and taken in none.
pub struct LivenessClause<M: Described> {
    /// Name, kebab-case.
    pub name: String,
    /// How many obligations there are; they are numbered from 0.
    pub obligations: usize,
    /// What it means that an obligation waits for ever, as the reason in a story.
    pub reason: String,
    waiting: Waiting<M::State>,
}

impl<M: Described> LivenessClause<M> {
    /// A liveness clause; `waiting(state, k)` tells whether obligation `k` waits in `state`.
    pub fn new(
        name: impl Into<String>,
        obligations: usize,
        reason: impl Into<String>,
        waiting: impl Fn(&M::State, usize) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), obligations, reason: reason.into(), waiting: Box::new(waiting) }
    }

    /// Whether obligation `k` waits in `state`.
    pub fn waits(&self, state: &M::State, k: usize) -> bool {
        (self.waiting)(state, k)
    }
}
