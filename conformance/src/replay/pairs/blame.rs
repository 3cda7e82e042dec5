//! Which clause a divergence concerns: that of the one change towards the contract of the implementation under which the answers are
//! allowed.

use std::collections::HashMap;
use std::rc::Rc;

use fencepost_spec::contract::Choices;
use fencepost_spec::scenario::Scenario;

use super::follow::follow;
use super::graph::{Graph, Heard, walker};
use crate::replay::blame::Different;

/// The models of changed contracts in one scenario, each explored once.
pub(super) struct Changed<'a> {
    scenario: &'a Scenario,
    /// `None`: the scenario has a step that the changed contract has nothing for.
    known: HashMap<Choices, Option<Rc<Graph>>>,
}

impl<'a> Changed<'a> {
    pub(super) fn new(scenario: &'a Scenario) -> Self {
        Self { scenario, known: HashMap::new() }
    }

    /// The first single change of `from` towards `to` that allows these answers: a fence less, another choice, a fence more.
    pub(super) fn blame(&mut self, from: &Choices, to: &Choices, heard: &[Heard]) -> Option<Different> {
        let allows = |(_, choices): &(Different, Choices)| {
            self.graph(choices).is_some_and(|graph| follow(&graph, heard).is_none())
        };
        changes(from, to).into_iter().find(allows).map(|(different, _)| different)
    }

    fn graph(&mut self, choices: &Choices) -> Option<Rc<Graph>> {
        if let Some(graph) = self.known.get(choices) {
            return graph.clone();
        }
        let graph = walker(self.scenario, "", choices).map(|walker| Rc::new(Graph::explore(&walker, self.scenario)));
        self.known.insert(choices.clone(), graph.clone());
        graph
    }
}

/// All single changes of one contract towards another.
fn changes(from: &Choices, to: &Choices) -> Vec<(Different, Choices)> {
    let mut changes = Vec::new();
    for fence in from.fences.keys().filter(|fence| !to.has(**fence)) {
        let mut changed = from.clone();
        changed.fences.remove(fence);
        changes.push((Different::Without(vec![*fence]), changed));
    }
    let (before, after) = (from.words(), to.words());
    for (key, value) in after.into_iter().filter(|word| !before.contains(word)) {
        if let Ok(changed) = from.changed_to(key, &value) {
            changes.push((Different::Chosen(key.to_owned(), value), changed));
        }
    }
    for (fence, answer) in to.fences.iter().filter(|(fence, answer)| from.fences.get(*fence) != Some(*answer)) {
        let mut changed = from.clone();
        changed.fences.insert(*fence, *answer);
        changes.push((Different::With(*fence), changed));
    }
    changes
}
