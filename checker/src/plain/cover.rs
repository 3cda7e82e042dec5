//! What a search saw, by content.

use std::collections::HashMap;
use std::sync::Arc;

use stateright::Model;

use crate::cover::{Cover, ItemKind, Label, Said, Source, Told, assemble};
use crate::describe::{Described, Transition};
use crate::guide::Guide;

use super::Search;
use super::expand::Step;

/// The abstraction of the states of a model.
pub(super) struct Covering<'a, S> {
    pub(super) of_state: &'a (dyn Fn(&S) -> u64 + Sync),
}

impl<S> Clone for Covering<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Covering<'_, S> {}

/// An item.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Item {
    Label(Arc<Label>),
    LabelPair(Arc<Label>, Arc<Label>),
    AbstractTransition(u64, Arc<Label>, u64),
}

impl Item {
    fn kind(&self) -> ItemKind {
        match self {
            Self::Label(_) => ItemKind::Label,
            Self::LabelPair(..) => ItemKind::LabelPair,
            Self::AbstractTransition(..) => ItemKind::AbstractTransition,
        }
    }
}

/// Items with their first steps and their transitions, and how states were found.
#[derive(Default)]
pub(super) struct Seen {
    items: HashMap<Item, (Step, u64)>,
    found_by: Vec<Option<Arc<Label>>>,
}

impl Seen {
    /// By state: the label of the step that first led to it.
    pub(super) fn found_by(&self) -> &[Option<Arc<Label>>] {
        &self.found_by
    }

    /// Adds a state that was found by a step with this label.
    pub(super) fn add_state(&mut self, label: Option<Arc<Label>>) {
        self.found_by.push(label);
    }

    /// Sees a step, which comes after all that were seen.
    pub(super) fn see(
        &mut self,
        step: Step,
        found_by: Option<&Arc<Label>>,
        before: u64,
        label: &Arc<Label>,
        after: u64,
    ) {
        let transition = Item::AbstractTransition(before, Arc::clone(label), after);
        let pair = found_by.map(|found_by| Item::LabelPair(Arc::clone(found_by), Arc::clone(label)));
        for item in [Item::Label(Arc::clone(label)), transition].into_iter().chain(pair) {
            self.items.entry(item).or_insert((step, 0)).1 += 1;
        }
    }

    /// Adds what was seen later.
    pub(super) fn merge(&mut self, later: Self) {
        for (item, (step, transitions)) in later.items {
            self.items.entry(item).or_insert((step, 0)).1 += transitions;
        }
    }
}

impl<M: Described, G: Guide<M>> Search<'_, M, G> {
    /// What the search saw.
    pub(super) fn cover(&self) -> Cover<M::Action> {
        let mut items: Vec<_> =
            self.seen.items.iter().map(|(item, (step, transitions))| (item.kind(), *step, *transitions)).collect();
        items.sort_unstable();
        assemble(self, items)
    }
}

impl<M: Described, G: Guide<M>> Source for Search<'_, M, G> {
    type Step = Step;
    type Action = <M as Model>::Action;

    fn found_by(&self, step: Step) -> Result<Step, usize> {
        self.store.found_by(step.from)
    }

    fn tell(&self, step: Step) -> Told<M::Action> {
        let (model, before) = (self.task.model, &self.store.node(step.from).state);
        let action = self.store.action(model, step.from, step.action);
        let told = action.and_then(|action| Some((model.next_state(before, action.clone())?, action)));
        let Some((after, action)) = told else { unreachable!("a step that was taken can be taken again") };
        let facts = model.facts(before, &action, &after);
        let transition = Transition { before, action: &action, after: &after, facts: &facts };
        let mut terms = vec![model.action_term(&action)];
        model.outcome_terms(&facts, &mut terms);
        terms.retain(|term| *term < self.counts.terms.len());
        terms.sort_unstable();
        terms.dedup();
        let said = self.task.clauses.iter().map(|clause| Said::of(&clause.judge(&transition))).collect();
        let of_state = |state: &M::State| self.covering.map_or(0, |covering| (covering.of_state)(state));
        let (before, after) = (of_state(before), of_state(&after));
        Told { action, label: Label { terms, said }, before, after }
    }
}
