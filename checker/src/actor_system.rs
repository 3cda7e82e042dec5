//! Models made of Stateright actors: what an engine may take apart, and what a clause sees of one step.

use std::cell::Cell;
use std::fmt::Debug;
use std::hash::Hash;

use stateright::Model;
use stateright::actor::{Actor, ActorModel, ActorModelAction, ActorModelState};

use crate::describe::{Described, DescribedActor, Transition};
use crate::named::Named;

/// An action of an actor model of these actors.
pub type ActionOf<A> = ActorModelAction<<A as Actor>::Msg, <A as Actor>::Timer, <A as Actor>::Random>;

/// A described model that is (or wraps) an [`ActorModel`].
///
/// Its facts and terms must depend on nothing but the action and the state of the actor that acts, before and after:
/// an engine may compute them once and remember them.
pub trait ActorSystem:
    Described<State = ActorModelState<Self::Actor, Self::History>, Action = ActionOf<Self::Actor>>
{
    /// The actors.
    type Actor: Actor<
            Msg: Ord + Send + Sync,
            Timer: Ord + Send + Sync,
            State: Send + Sync,
            Random: Send + Sync,
            Storage: Send + Sync,
        > + Sync;
    /// What they have in common.
    type Configuration: Sync;
    /// The auxiliary history.
    type History: Clone + Debug + Hash + PartialEq + Send + Sync;

    /// The actor model itself.
    fn actor_model(&self) -> &ActorModel<Self::Actor, Self::Configuration, Self::History>;
}

impl<A, C, H> ActorSystem for ActorModel<A, C, H>
where
    A: DescribedActor<C, H>,
    C: Sync,
    H: Clone + Debug + Hash + PartialEq + Send + Sync,
{
    type Actor = A;
    type Configuration = C;
    type History = H;

    fn actor_model(&self) -> &ActorModel<A, C, H> {
        self
    }
}

impl<A, C, H> ActorSystem for Named<ActorModel<A, C, H>>
where
    A: Actor<
            Msg: Ord + Send + Sync,
            Timer: Ord + Send + Sync,
            State: Send + Sync,
            Random: Send + Sync,
            Storage: Send + Sync,
        > + Send
        + Sync,
    C: Send + Sync,
    H: Clone + Debug + Hash + PartialEq + Send + Sync,
{
    type Actor = A;
    type Configuration = C;
    type History = H;

    fn actor_model(&self) -> &ActorModel<A, C, H> {
        self.inner()
    }
}

/// The index of the actor that acts; `None` if a message is lost.
pub fn acting<Msg, Timer, Random>(action: &ActorModelAction<Msg, Timer, Random>) -> Option<usize> {
    match action {
        ActorModelAction::Deliver { dst, .. } => Some(usize::from(*dst)),
        ActorModelAction::Drop(_) => None,
        ActorModelAction::Timeout(id, _) | ActorModelAction::Crash(id) | ActorModelAction::Recover(id) => {
            Some(usize::from(*id))
        }
        ActorModelAction::SelectRandom { actor, .. } => Some(usize::from(*actor)),
    }
}

/// What a clause sees of one step of an actor system: the action, its facts, the history, and actors.
///
/// A judgement that looks at the acting actor only is remembered and never computed twice; one that looks at other actors too is
/// computed anew when their states are others.
pub struct ActorStep<'a, M: ActorSystem> {
    transition: &'a Transition<'a, M>,
    acting: Option<usize>,
    elsewhere: Cell<Elsewhere>,
}

/// At which actors, other than the acting one, a judgement looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Elsewhere(u128);

impl Elsewhere {
    /// The highest bit stands for all actors from there on.
    fn bit(index: usize) -> u128 {
        1 << index.min(127)
    }

    /// Whether it looked at the actor with this index.
    pub(crate) fn has(self, index: usize) -> bool {
        self.0 & Self::bit(index) != 0
    }

    /// Whether it looked at no other actor.
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// At which actors one of the two looked.
    pub(crate) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl<'a, M: ActorSystem> ActorStep<'a, M> {
    /// The step of a transition.
    pub fn of(transition: &'a Transition<'a, M>) -> Self {
        Self { transition, acting: acting(transition.action), elsewhere: Cell::new(Elsewhere::default()) }
    }

    /// The action.
    pub fn action(&self) -> &'a <M as Model>::Action {
        self.transition.action
    }

    /// What the model says happened.
    pub fn facts(&self) -> &'a M::Facts {
        self.transition.facts
    }

    /// The index of the actor that acts; `None` if a message is lost.
    pub fn acting(&self) -> Option<usize> {
        self.acting
    }

    /// The state of an actor before the step.
    ///
    /// # Panics
    /// If there is no actor with this index.
    pub fn before(&self, index: usize) -> &'a <M::Actor as Actor>::State {
        self.look_at(index);
        &self.transition.before.actor_states[index]
    }

    /// The state of an actor after the step.
    ///
    /// # Panics
    /// If there is no actor with this index.
    pub fn after(&self, index: usize) -> &'a <M::Actor as Actor>::State {
        self.look_at(index);
        &self.transition.after.actor_states[index]
    }

    /// The history before the step.
    pub fn history_before(&self) -> &'a M::History {
        &self.transition.before.history
    }

    /// The history after the step.
    pub fn history_after(&self) -> &'a M::History {
        &self.transition.after.history
    }

    /// At which actors that do not act somebody looked so far.
    pub(crate) fn elsewhere(&self) -> Elsewhere {
        self.elsewhere.get()
    }

    fn look_at(&self, index: usize) {
        if self.acting != Some(index) {
            self.elsewhere.set(self.elsewhere.get().with(Elsewhere(Elsewhere::bit(index))));
        }
    }
}
