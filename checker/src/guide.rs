//! Guides: small automata over transitions that restrict an exploration.
//!
//! A scenario is a partial order of events, a recording is a line of them. Both are guides: the engine explores model x guide.

use std::hash::Hash;

use crate::describe::{Described, Transition};

/// An automaton that walks along with the model.
pub trait Guide<M: Described>: Sync {
    /// State of the automaton.
    type State: Clone + Hash + PartialEq + Send + Sync;

    /// Where the automaton starts.
    fn start(&self) -> Self::State;

    /// Where a transition leads, or `None` if it is not allowed here.
    fn next(&self, at: &Self::State, transition: &Transition<'_, M>) -> Option<Self::State>;

    /// How far along a state is; the engine remembers the states that came furthest.
    fn progress(&self, at: &Self::State) -> usize;

    /// Whether the automaton has reached its end.
    fn is_finished(&self, at: &Self::State) -> bool;

    /// Whether [`Guide::next`] looks at nothing but the facts, the action, the history, and the state of the actor that acts,
    /// so that an engine may remember what it says of a step.
    fn reads_steps_only(&self) -> bool {
        false
    }

    /// Whether exploration stops at a finished state (its successors are not explored).
    fn stops_when_finished(&self) -> bool {
        false
    }
}

/// The guide that allows everything and never ends.
pub struct Unguided;

impl<M: Described> Guide<M> for Unguided {
    type State = ();

    fn start(&self) {}

    fn next(&self, _at: &(), _transition: &Transition<'_, M>) -> Option<()> {
        Some(())
    }

    fn progress(&self, _at: &()) -> usize {
        0
    }

    fn reads_steps_only(&self) -> bool {
        true
    }

    fn is_finished(&self, _at: &()) -> bool {
        false
    }
}
