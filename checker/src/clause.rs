//! Clauses as the engines see them: named judgements of transitions, and named obligations.

use stateright::actor::Actor;

use crate::actor_system::{ActorStep, ActorSystem, Elsewhere};
use crate::describe::{Described, Transition};

/// What a clause says of one transition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// A step: the action, the actor that acts, the history; sometimes another actor.
    Step,
    /// Anything about the transition.
    State,
}

/// A judgement, and whether it depends on more than the step itself.
pub(crate) struct Ruling {
    /// The judgement.
    pub(crate) judgement: Judgement,
    /// At which actors that do not act it looked.
    pub(crate) elsewhere: Elsewhere,
}

impl Ruling {
    /// A judgement of a clause about which it is known beforehand what it reads.
    fn plain(judgement: Judgement) -> Self {
        Self { judgement, elsewhere: Elsewhere::default() }
    }
}

type Judge<M> = Box<dyn Fn(&Transition<'_, M>) -> Ruling + Send + Sync>;

/// A safety clause: judged at every transition.
pub struct Clause<M: Described> {
    /// Name, kebab-case.
    pub name: String,
    reads: Reads,
    judge: Judge<M>,
}

impl<M: Described> Clause<M> {
    /// A clause that may read everything about a transition. An engine that remembers judgements cannot do so here: of
    /// an actor system prefer [`Clause::on_step`].
    pub fn on_state(
        name: impl Into<String>,
        judge: impl Fn(&Transition<'_, M>) -> Judgement + Send + Sync + 'static,
    ) -> Self {
        let judge = move |transition: &Transition<'_, M>| Ruling::plain(judge(transition));
        Self { name: name.into(), reads: Reads::State, judge: Box::new(judge) }
    }

    /// What the judgement depends on.
    pub fn reads(&self) -> Reads {
        self.reads
    }

    /// Judges one transition.
    pub fn judge(&self, transition: &Transition<'_, M>) -> Judgement {
        (self.judge)(transition).judgement
    }

    /// Judges one transition, and tells on what the judgement depends.
    pub(crate) fn rule(&self, transition: &Transition<'_, M>) -> Ruling {
        (self.judge)(transition)
    }
}

impl<M: ActorSystem> Clause<M> {
    /// A clause about the history after a transition.
    pub fn on_history(
        name: impl Into<String>,
        judge: impl Fn(&M::History) -> Judgement + Send + Sync + 'static,
    ) -> Self {
        let judge = move |transition: &Transition<'_, M>| Ruling::plain(judge(&transition.after.history));
        Self { name: name.into(), reads: Reads::History, judge: Box::new(judge) }
    }

    /// A clause about the state of the actor with this index after a transition.
    ///
    /// # Panics
    /// Judging panics if there is no actor with this index.
    pub fn on_actor(
        name: impl Into<String>,
        index: usize,
        judge: impl Fn(&<M::Actor as Actor>::State) -> Judgement + Send + Sync + 'static,
    ) -> Self {
        let judge = move |transition: &Transition<'_, M>| Ruling::plain(judge(&transition.after.actor_states[index]));
        Self { name: name.into(), reads: Reads::Actor(index), judge: Box::new(judge) }
    }

    /// A clause about a step: the action, the actor that acts, the history. It may look at other actors, too, at the
    /// price that the judgement is computed anew when their states are others: let it look no further than it must.
    pub fn on_step(
        name: impl Into<String>,
        judge: impl Fn(&ActorStep<'_, M>) -> Judgement + Send + Sync + 'static,
    ) -> Self {
        let judge = move |transition: &Transition<'_, M>| {
            let step = ActorStep::of(transition);
            let judgement = judge(&step);
            Ruling { judgement, elsewhere: step.elsewhere() }
        };
        Self { name: name.into(), reads: Reads::Step, judge: Box::new(judge) }
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
