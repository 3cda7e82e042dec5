//! Which ways through the model are replayed, chosen from the explored graph, and what of it they come by.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use fencepost_checker::compiled::Compiled;
use fencepost_checker::cover::{Abstraction, Cover, CoveringEngine, ItemKind, Said};
use fencepost_checker::engine::{Limits, Progress, Stop, Task};
use fencepost_checker::guide::Unguided;
use fencepost_models::iggy::abstraction::Predicates;
use fencepost_models::iggy::abstraction::selection::{AbstractStep, abstract_steps, select};
use fencepost_models::iggy::bounds::Bounds;
use fencepost_models::iggy::clauses;
use fencepost_models::iggy::system::{IggyModel, NodeState, model};
use fencepost_spec::contract::Choices;

use super::session::{Replayed, Way};
use super::walker::Action;

fencepost_spec::words! {
    /// What the chosen traces come by, all of it.
    pub enum CoverKind {
        /// Every abstract transition: conditions of the clauses before and after, the action, the outcomes of its fences.
        Abstract = "abstract",
        /// Every action with the outcomes of its fences and what the clauses say of it.
        Labels = "labels",
        /// Every two of these that follow each other.
        LabelPairs = "label-pairs",
        /// Every transition between states of the actors, whatever is on its way; for a night.
        Transitions = "transitions",
    }
}

/// Tells all states of the actors apart, by a hash of 64 bits: two of some million transitions that are taken for one would only cost a
/// trace.
struct EveryState;

impl Abstraction<IggyModel> for EveryState {
    fn actor_class(&self, _index: usize, state: &NodeState) -> u64 {
        hash_of(state)
    }

    fn combine(&self, classes: &[u64]) -> u64 {
        hash_of(classes)
    }
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// One explored view, and the ways that were chosen in it.
pub struct Atlas {
    cover: Cover<Action>,
    /// By step of the cover.
    abstract_steps: Vec<AbstractStep>,
    /// The last steps of the chosen ways.
    chosen: Vec<usize>,
    /// Why the exploration ended early, if it did.
    pub stopped: Option<Stop>,
}

impl Atlas {
    /// Explores a view and chooses. What other views have `shown` needs no way here; what these ways come by is added to it.
    pub fn explore(
        choices: &Choices,
        bounds: &Bounds,
        kind: CoverKind,
        limits: &Limits,
        threads: usize,
        progress: &dyn Progress,
        shown: &mut HashSet<AbstractStep>,
    ) -> Self {
        let model = model(choices, bounds);
        let clauses = clauses::safety(&model.cfg);
        let task =
            Task { model: &model, guide: &Unguided, clauses: &clauses, liveness: &[], limits, threads, progress };
        let abstraction: &dyn Abstraction<IggyModel> =
            if kind == CoverKind::Transitions { &EveryState } else { &Predicates };
        let (exploration, cover) = Compiled { is_unbounded: true }.explore_covering(&task, abstraction);
        let chosen = match kind {
            CoverKind::Abstract => select(&model.cfg, &cover, shown),
            CoverKind::Labels => cover.select(ItemKind::Label),
            CoverKind::LabelPairs => cover.select(ItemKind::LabelPair),
            CoverKind::Transitions => cover.select(ItemKind::AbstractTransition),
        };
        let mut abstract_steps = abstract_steps(&model.cfg, &cover);
        if kind == CoverKind::Transitions {
            // Nothing of a state is left out here.
            for (shown, step) in abstract_steps.iter_mut().zip(&cover.steps) {
                (shown.before, shown.after) = (step.before, step.after);
            }
        }
        Self { abstract_steps, chosen, cover, stopped: exploration.stopped }
    }

    /// The chosen ways.
    pub fn ways(&self) -> Vec<Way> {
        let way = |step: &usize| {
            let trace = self.cover.trace(*step);
            (trace.initial, trace.actions)
        };
        self.chosen.iter().map(way).collect()
    }

    /// Adds what of this view was reached, and what of it was replayed.
    pub fn add_to(&self, coverage: &mut Coverage, replayed: &Replayed) {
        let all = self.cover.of_kind(ItemKind::AbstractTransition).map(|item| item.witness);
        for step in all {
            coverage.add(self, step, Reach::Reachable);
        }
        for (index, last) in self.chosen.iter().enumerate() {
            let is = |list: &[bool]| list.get(index).copied().unwrap_or(false);
            for step in self.cover.way(*last) {
                if is(&replayed.drivable) {
                    coverage.add(self, step, Reach::Drivable);
                }
                if is(&replayed.walked) {
                    coverage.add(self, step, Reach::Covered);
                }
            }
        }
    }
}

/// How far something got.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    Reachable,
    Drivable,
    Covered,
}

/// Something counted: how many there are, how many of them a driver can do, how many were replayed.
#[derive(Clone, Debug)]
pub struct Counted<T> {
    /// All that the exploration found.
    pub reachable: T,
    /// Those on a way that the driver can go.
    pub drivable: T,
    /// Those on a way that was replayed to its end.
    pub covered: T,
}

impl<T: Default> Default for Counted<T> {
    fn default() -> Self {
        Self { reachable: T::default(), drivable: T::default(), covered: T::default() }
    }
}

impl<T> Counted<T> {
    fn of(&mut self, reach: Reach) -> &mut T {
        match reach {
            Reach::Reachable => &mut self.reachable,
            Reach::Drivable => &mut self.drivable,
            Reach::Covered => &mut self.covered,
        }
    }
}

/// What the replayed traces of a contract come by.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Abstract transitions.
    pub abstract_transitions: Counted<HashSet<AbstractStep>>,
    /// Outcomes of fences, by name.
    pub fence_outcomes: Counted<BTreeSet<String>>,
    /// Abstract transitions that exercise a clause, by clause.
    pub clauses: BTreeMap<String, Counted<HashSet<AbstractStep>>>,
}

impl Coverage {
    fn add(&mut self, atlas: &Atlas, step: usize, reach: Reach) {
        let shown = &atlas.abstract_steps[step];
        self.abstract_transitions.of(reach).insert(shown.clone());
        self.fence_outcomes.of(reach).extend(shown.name.outcomes.iter().cloned());
        let safety = fencepost_spec::clause::ClauseName::ALL.iter().filter(|name| !name.clause().liveness);
        for (clause, said) in safety.zip(&shown.name.said) {
            if *said != Said::Nothing {
                self.clauses.entry(clause.to_string()).or_default().of(reach).insert(shown.clone());
            }
        }
    }
}
