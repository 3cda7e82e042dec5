//! What one thread counted.

use crate::actor_system::ActorSystem;
use crate::guide::Guide;

use super::expand::Successor;
use super::step::Kind;
use super::tables::Tables;

/// A transition: the state where it starts, and how many transitions of that state come before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) from: u32,
    pub(super) action: u32,
}

/// Transitions by class, and what became of each clause.
#[derive(Clone)]
pub(super) struct Counts {
    /// Transitions, by the number of their class.
    pub(super) classes: Vec<u64>,
    /// By clause: the transitions that exercised it, of those whose class does not tell.
    pub(super) seen: Vec<u64>,
    /// By clause: the first transition that upheld it.
    pub(super) upheld: Vec<Option<Step>>,
    /// By clause: the first transition that broke it.
    pub(super) broken: Vec<Option<Step>>,
}

impl Counts {
    /// Nothing counted yet.
    pub(super) fn new(clauses: usize) -> Self {
        Self { classes: Vec::new(), seen: vec![0; clauses], upheld: vec![None; clauses], broken: vec![None; clauses] }
    }

    /// All transitions.
    pub(super) fn transitions(&self) -> u64 {
        self.classes.iter().sum()
    }

    /// Counts a transition. A thread counts in the order of the steps, so the first use of a class is its earliest.
    #[inline]
    pub(super) fn count<M: ActorSystem, G: Guide<M>>(
        &mut self,
        tables: &Tables<'_, M, G>,
        successor: &Successor<'_>,
        step: Step,
    ) {
        match self.classes.get_mut(successor.class as usize) {
            Some(count) if *count > 0 => *count += 1,
            _ => self.count_first(tables, successor.class, step),
        }
        for &(clause, kind) in successor.seen {
            if kind != Kind::Silent {
                self.seen[clause] += 1;
            }
            self.note(clause, kind, step);
        }
    }

    #[cold]
    fn count_first<M: ActorSystem, G: Guide<M>>(&mut self, tables: &Tables<'_, M, G>, class: u32, step: Step) {
        let index = class as usize;
        if self.classes.len() <= index {
            self.classes.resize(index + 1, 0);
        }
        self.classes[index] = 1;
        for (clause, kind) in tables.classes.get(class).kinds.iter().enumerate() {
            self.note(clause, *kind, step);
        }
    }

    fn note(&mut self, clause: usize, kind: Kind, step: Step) {
        match kind {
            Kind::Silent | Kind::Depends => {}
            Kind::Upheld => _ = self.upheld[clause].get_or_insert(step),
            Kind::Broken => _ = self.broken[clause].get_or_insert(step),
        }
    }

    /// Adds what another thread counted.
    pub(super) fn merge(&mut self, other: Self) {
        if self.classes.len() < other.classes.len() {
            self.classes.resize(other.classes.len(), 0);
        }
        for (count, more) in self.classes.iter_mut().zip(other.classes) {
            *count += more;
        }
        for (count, more) in self.seen.iter_mut().zip(other.seen) {
            *count += more;
        }
        keep_earliest(&mut self.upheld, other.upheld);
        keep_earliest(&mut self.broken, other.broken);
    }

    /// Takes away what was counted from step `cut` on.
    pub(super) fn subtract(&mut self, later: &Self, cut: Step) {
        for (count, less) in self.classes.iter_mut().zip(&later.classes) {
            *count -= less;
        }
        for (count, less) in self.seen.iter_mut().zip(&later.seen) {
            *count -= less;
        }
        for first in self.upheld.iter_mut().chain(&mut self.broken) {
            *first = first.filter(|step| *step < cut);
        }
    }
}

fn keep_earliest(steps: &mut [Option<Step>], others: Vec<Option<Step>>) {
    for (step, other) in steps.iter_mut().zip(others) {
        *step = [*step, other].into_iter().flatten().min();
    }
}
