//! Covers: what an exploration saw, item by item, with the first witness of each.
//!
//! An exploration has far too many transitions to replay each of them on an implementation. Most of them differ in nothing
//! that matters. A cover names what matters as *items*, each with its shortest way there, the same for every engine and any number
//! of threads:
//!
//! - a *label*: the action of a step, its outcomes, and what each safety clause said of it;
//! - a *pair of labels*: the label of the step that first led to a state, then that of a step from there;
//! - an *abstract transition*: the abstraction of the state before, a label, the abstraction of the state after.
//!
//! The [`Abstraction`] is the model's: which conditions about a state count. A [selection](Cover::select) is a small set of traces
//! that come by all items of a kind.

mod assemble;
mod select;

use stateright::actor::Actor;

use crate::actor_system::ActorSystem;
use crate::clause::Judgement;
use crate::engine::{Engine, Exploration, Task, Trace};
use crate::guide::Guide;

pub(crate) use assemble::{Source, Told, assemble};

/// What counts about the states of an actor system, as a number.
///
/// Both functions must be pure: engines remember what they gave.
pub trait Abstraction<M: ActorSystem>: Sync {
    /// The class of the actor with this index in this state: all that [`Abstraction::combine`] is to know about it.
    fn actor_class(&self, index: usize, state: &<M::Actor as Actor>::State) -> u64;

    /// The abstraction of a state of the system, from the classes of all actors in their order.
    fn combine(&self, classes: &[u64]) -> u64;
}

/// The abstraction of a whole state of an actor system.
pub fn abstraction_of<M: ActorSystem>(
    abstraction: &dyn Abstraction<M>,
    states: &[impl AsRef<<M::Actor as Actor>::State>],
) -> u64 {
    let classes: Vec<u64> =
        states.iter().enumerate().map(|(index, state)| abstraction.actor_class(index, state.as_ref())).collect();
    abstraction.combine(&classes)
}

/// What a clause said of a step, without the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Said {
    /// The step does not concern the clause.
    Nothing,
    /// The step upheld the clause.
    Upheld,
    /// The step broke the clause.
    Broken,
}

impl Said {
    /// What a judgement says.
    pub(crate) fn of(judgement: &Judgement) -> Self {
        match judgement {
            Judgement::Silent => Self::Nothing,
            Judgement::Upheld => Self::Upheld,
            Judgement::Broken(_) => Self::Broken,
        }
    }
}

/// What a step is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// The terms of its action and of its outcomes, ascending, each once; terms that the vocabulary lacks are left out.
    pub terms: Vec<usize>,
    /// What each safety clause of the task said, in the order of the task.
    pub said: Vec<Said>,
}

/// A kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    /// A label.
    Label,
    /// The label of the step that first led to a state, and that of a step from there. A step from an initial state has none.
    LabelPair,
    /// The abstraction of the state before, the label, the abstraction of the state after.
    AbstractTransition,
}

impl ItemKind {
    /// All kinds, in the order of the items of a cover.
    pub const ALL: [Self; 3] = [Self::Label, Self::LabelPair, Self::AbstractTransition];
}

/// Something that an exploration saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverItem {
    /// What kind of thing.
    pub kind: ItemKind,
    /// The first step that shows it, as an index into [`Cover::steps`]. The step tells all about the item.
    pub witness: usize,
    /// How many transitions show it.
    pub transitions: u64,
}

/// A step of a witness, with all that items are made of. Together the steps are trees, one for each initial state that is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverStep<A> {
    /// The step before it on the way from an initial state, as a lower index into [`Cover::steps`]; `None` for a first step.
    pub previous: Option<usize>,
    /// The index of the initial state where the way begins.
    pub initial: usize,
    /// The number of steps up to and including this one, from 1.
    pub depth: usize,
    /// The action.
    pub action: A,
    /// The label, as an index into [`Cover::labels`].
    pub label: usize,
    /// The abstraction of the state before.
    pub before: u64,
    /// The abstraction of the state after.
    pub after: u64,
}

/// All items that an exploration saw, and the first way to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover<A> {
    /// All labels that are spoken of.
    pub labels: Vec<Label>,
    /// The steps of all witnesses, each once.
    pub steps: Vec<CoverStep<A>>,
    /// The items: by kind, then in the order in which they were first met.
    pub items: Vec<CoverItem>,
}

impl<A> Cover<A> {
    /// The items of a kind.
    pub fn of_kind(&self, kind: ItemKind) -> impl Iterator<Item = &CoverItem> {
        self.items.iter().filter(move |item| item.kind == kind)
    }

    /// The steps from an initial state to the step with this index, that one included, as indices.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn way(&self, step: usize) -> Vec<usize> {
        let mut way: Vec<usize> = std::iter::successors(Some(step), |&at| self.steps[at].previous).collect();
        way.reverse();
        way
    }
}

impl<A: Clone> Cover<A> {
    /// The trace that ends with the step with this index: the shortest way to take it.
    ///
    /// # Panics
    /// If there is no such step.
    pub fn trace(&self, step: usize) -> Trace<A> {
        let actions = self.way(step).into_iter().map(|step| self.steps[step].action.clone()).collect();
        Trace { initial: self.steps[step].initial, actions, loop_start: None }
    }
}

/// An engine that can note a cover while it explores.
pub trait CoveringEngine<M: ActorSystem>: Engine<M> {
    /// Explores as [`Engine::explore`] does, and notes what it sees.
    ///
    /// After an early stop the cover is that of the executed transitions.
    fn explore_covering<G: Guide<M>>(
        &self,
        task: &Task<'_, M, G>,
        abstraction: &dyn Abstraction<M>,
    ) -> (Exploration<M, G>, Cover<M::Action>);
}
