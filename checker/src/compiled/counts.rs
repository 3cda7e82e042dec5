//! What one thread counted.

use serde::{Deserialize, Serialize};

use crate::actor_system::ActorSystem;
use crate::guide::Guide;

use super::expand::Successor;
use super::step::Kind;
use super::tables::Tables;

/// A transition: the state where it starts, and the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) from: u32,
    pub(super) event: u32,
}

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// Whether a transition comes before another in the order of Stateright's actions.
    #[inline]
    pub(super) fn is_before(&self, step: Step, other: Step) -> bool {
        step.from < other.from || step.from == other.from && self.order(step.event) < self.order(other.event)
    }

    /// Adds what was counted elsewhere.
    pub(super) fn add_count(&self, count: &mut Count, more: &Count) {
        count.transitions += more.transitions;
        self.keep_earliest(&mut count.first, more.first);
    }

    /// Takes away what was counted from step `cut` on.
    pub(super) fn subtract_count(&self, count: &mut Count, less: &Count, cut: Step) {
        count.transitions -= less.transitions;
        count.first = count.first.filter(|first| self.is_before(*first, cut));
    }

    fn keep_earliest(&self, earliest: &mut Option<Step>, step: Option<Step>) {
        if let Some(step) = step
            && earliest.is_none_or(|earliest| self.is_before(step, earliest))
        {
            *earliest = Some(step);
        }
    }
}

/// How often something happened, and where first.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Count {
    pub(super) transitions: u64,
    pub(super) first: Option<Step>,
}

/// Transitions by class, and what clauses said that no class tells.
#[derive(Clone, Default, Serialize, Deserialize)]
#[repr(align(128))]
pub(super) struct Counts {
    /// By number of the class.
    pub(super) classes: Vec<Count>,
    /// By clause: the transitions that upheld it and those that broke it, of those whose class does not tell.
    pub(super) seen: Vec<[Count; 2]>,
}

impl Counts {
    /// Nothing counted yet.
    pub(super) fn new(clauses: usize) -> Self {
        // Room for some from the start, so that what two threads count lies well apart in memory.
        Self { classes: Vec::with_capacity(64), seen: vec![[Count::default(); 2]; clauses] }
    }

    /// All transitions.
    pub(super) fn transitions(&self) -> u64 {
        self.classes.iter().map(|count| count.transitions).sum()
    }

    /// The first transition of each kind.
    pub(super) fn firsts(&self) -> impl Iterator<Item = Step> {
        self.classes.iter().chain(self.seen.iter().flatten()).filter_map(|count| count.first)
    }

    /// Counts a transition.
    #[inline]
    pub(super) fn count<M: ActorSystem, G: Guide<M>>(
        &mut self,
        tables: &Tables<'_, M, G>,
        successor: &Successor<'_>,
        step: Step,
    ) {
        let class = successor.class as usize;
        if self.classes.len() <= class {
            self.classes.resize(class + 1, Count::default());
        }
        self.classes[class].add(tables, step);
        for &(clause, kind) in successor.seen {
            match kind {
                Kind::Silent | Kind::Depends => {}
                Kind::Upheld => self.seen[clause][0].add(tables, step),
                Kind::Broken => self.seen[clause][1].add(tables, step),
            }
        }
    }

    /// Adds what another thread counted.
    pub(super) fn merge<M: ActorSystem, G: Guide<M>>(&mut self, tables: &Tables<'_, M, G>, other: &Self) {
        if self.classes.len() < other.classes.len() {
            self.classes.resize(other.classes.len(), Count::default());
        }
        let seen = self.seen.iter_mut().flatten().zip(other.seen.iter().flatten());
        for (count, more) in self.classes.iter_mut().zip(&other.classes).chain(seen) {
            tables.add_count(count, more);
        }
    }

    /// Takes away what was counted from step `cut` on.
    pub(super) fn subtract<M: ActorSystem, G: Guide<M>>(&mut self, tables: &Tables<'_, M, G>, later: &Self, cut: Step) {
        let seen = self.seen.iter_mut().flatten().zip(later.seen.iter().flatten());
        for (count, less) in self.classes.iter_mut().zip(&later.classes).chain(seen) {
            tables.subtract_count(count, less, cut);
        }
    }
}

impl Count {
    /// Counts a transition. A thread comes to the states in order, but not to the transitions of one state.
    #[inline]
    pub(super) fn add<M: ActorSystem, G: Guide<M>>(&mut self, tables: &Tables<'_, M, G>, step: Step) {
        self.transitions += 1;
        match self.first {
            Some(first) if first.from != step.from => {}
            _ => tables.keep_earliest(&mut self.first, Some(step)),
        }
    }
}
