//! How a model speaks about its own transitions.
//!
//! An engine explores any [`stateright::Model`]. To count what was exercised, to judge clauses and to tell stories it
//! asks the model for names: a [`Described`] model. Actor models get it from [`DescribedActor`].

use std::hash::Hash;

use stateright::Model;
use stateright::actor::{Actor, ActorModel, ActorModelAction, ActorModelState, Id};

/// One executed transition, with the facts that the model states about it.
pub struct Transition<'a, M: Described> {
    /// The state in which the action was taken.
    pub before: &'a M::State,
    /// The action.
    pub action: &'a M::Action,
    /// The state that it led to.
    pub after: &'a M::State,
    /// What the model says happened (for example which fence passed or refused).
    pub facts: &'a M::Facts,
}

/// One line of a story: who acted, on whom, in words, and what changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// Name of the acting participant.
    pub actor: String,
    /// Name of the participant that the step concerns; the same as `actor` for an inner step.
    pub towards: String,
    /// The step in words, without the names of the two participants.
    pub text: String,
    /// What changed, one short phrase each.
    pub changes: Vec<String>,
}

/// A model that names its actions, their outcomes and their effects.
///
/// A *term* is an index into [`Described::vocabulary`]. Every transition has one action term and any number of outcome terms.
pub trait Described: Model<State: Clone + Hash + PartialEq + Send + Sync, Action: Clone + Send + Sync> + Sync {
    /// What a transition states about itself, computed once a transition and shared by all clauses.
    type Facts: Send;

    /// States the facts of one transition.
    fn facts(&self, before: &Self::State, action: &Self::Action, after: &Self::State) -> Self::Facts;

    /// All terms, actions and outcomes, in a fixed order.
    fn vocabulary(&self) -> Vec<String>;

    /// The term that names this action: the unit of counting and of weak fairness.
    fn action_term(&self, action: &Self::Action) -> usize;

    /// Adds the outcome terms of a transition to `terms`.
    fn outcome_terms(&self, facts: &Self::Facts, terms: &mut Vec<usize>);

    /// Whether an action that stays possible must be taken at last (weak fairness). Steps of the environment are not fair.
    fn is_fair(&self, action_term: usize) -> bool;

    /// Tells one transition in words.
    fn tell(&self, transition: &Transition<'_, Self>) -> Telling
    where
        Self: Sized;
}

/// An actor that names its reactions; [`ActorModel`]s of such actors are [`Described`].
pub trait DescribedActor<C, H>:
    Actor<
        Msg: Ord + Send + Sync,
        Timer: Ord + Send + Sync,
        State: Send + Sync,
        Random: Ord + Send + Sync,
        Storage: Send + Sync,
    >
where
    Self: Send + Sync + Sized,
    C: Sync,
    H: Clone + std::fmt::Debug + Hash + PartialEq + Send + Sync,
{
    /// One fact about a reaction.
    type Mark: Send;

    /// The facts of the reaction of `receiver` in `state` to `message` from `source`.
    fn marks(&self, receiver: Id, state: &Self::State, source: Id, message: &Self::Msg) -> Vec<Self::Mark>;

    /// All terms, in a fixed order.
    fn vocabulary(configuration: &C) -> Vec<String>;

    /// The term of the delivery of `message` to `receiver`.
    fn action_term(configuration: &C, receiver: Id, source: Id, message: &Self::Msg) -> usize;

    /// Adds the terms of the outcomes among `marks`.
    fn outcome_terms(configuration: &C, marks: &[Self::Mark], terms: &mut Vec<usize>);

    /// Whether the action with this term is subject to weak fairness.
    fn is_fair(configuration: &C, action_term: usize) -> bool;

    /// Tells the delivery of `message` in words.
    fn tell(
        model: &ActorModel<Self, C, H>,
        receiver: Id,
        source: Id,
        message: &Self::Msg,
        transition: &Transition<'_, ActorModel<Self, C, H>>,
    ) -> Telling;
}

impl<A, C, H> Described for ActorModel<A, C, H>
where
    A: DescribedActor<C, H>,
    C: Sync,
    H: Clone + std::fmt::Debug + Hash + PartialEq + Send + Sync,
    ActorModelState<A, H>: Clone + Hash + PartialEq + Send + Sync,
{
    type Facts = Vec<A::Mark>;

    fn facts(&self, before: &Self::State, action: &Self::Action, _after: &Self::State) -> Self::Facts {
        let (receiver, source, message) = delivery(action);
        let index = usize::from(receiver);
        self.actors[index].marks(receiver, &before.actor_states[index], source, message)
    }

    fn vocabulary(&self) -> Vec<String> {
        A::vocabulary(&self.cfg)
    }

    fn action_term(&self, action: &Self::Action) -> usize {
        let (receiver, source, message) = delivery(action);
        A::action_term(&self.cfg, receiver, source, message)
    }

    fn outcome_terms(&self, facts: &Self::Facts, terms: &mut Vec<usize>) {
        A::outcome_terms(&self.cfg, facts, terms);
    }

    fn is_fair(&self, action_term: usize) -> bool {
        A::is_fair(&self.cfg, action_term)
    }

    fn tell(&self, transition: &Transition<'_, Self>) -> Telling {
        let (receiver, source, message) = delivery(transition.action);
        A::tell(self, receiver, source, message, transition)
    }
}

/// The parts of a delivery.
///
/// # Panics
/// If the action is none: described actors use neither timers, crashes, losses nor random choices of Stateright.
pub fn delivery<Msg, Timer, Random>(action: &ActorModelAction<Msg, Timer, Random>) -> (Id, Id, &Msg) {
    match action {
        ActorModelAction::Deliver { src, dst, msg } => (*dst, *src, msg),
        _ => panic!("described actor models consist of deliveries only"),
    }
}
