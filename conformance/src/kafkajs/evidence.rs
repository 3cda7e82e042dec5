//! What a divergence comes to: for each clause the shortest way on which the implementation really breaks it.
//!
//! The first thing that differs is often harmless to look at: a handler runs that should not. What it leads to is told by the
//! contract with the changes that the divergences were explained by. Its shortest way to break a clause is taken, with the
//! implementation; if that agrees with the changed contract in every step, the clause is broken for certain.

use std::collections::BTreeMap;
use std::sync::Arc;

use fencepost_checker::clause::Judgement;
use fencepost_checker::describe::Described;
use fencepost_checker::engine::Trace as ModelTrace;
use fencepost_checker::story::{ReplayError, Story, tidy};
use fencepost_models::family::View;
use fencepost_models::kafkajs::bounds::Bounds;
use fencepost_models::kafkajs::clauses;
use fencepost_models::kafkajs::system::{self, KafkaJsModel, Setup};
use fencepost_spec::kafkajs::{Choices, ClauseName};

use super::blame::explanations;
use super::change::KafkaJsChange;
use super::child::{Driver, DriverProblem};
use super::compare::{Difference, difference};
use super::graph::{Action, Cost, Graph};
use super::session::{self, Explained};
use super::simulation::Simulation;
use super::trace::Trace;

/// A clause that an implementation breaks, and how.
pub struct Evidence {
    /// The clause.
    pub clause: ClauseName,
    /// What tells it apart from other breaches of the clause; often nothing.
    pub circumstance: &'static str,
    /// The view in which it was found.
    pub view: &'static str,
    /// What breaks it, in words.
    pub reason: String,
    /// The trace, under the changed contract: the implementation agrees with it in every step.
    pub trace: Trace,
    /// The step in which the contract itself is left, and how; none: the contract itself gives up the clause.
    pub leaves: Option<(usize, Difference)>,
    /// The changes of the contract that would allow the step in which it is left.
    pub changes: Vec<KafkaJsChange>,
    /// The story.
    pub story: Story,
}

impl Evidence {
    /// The clause and the circumstance, in words with hyphens.
    pub fn about(&self) -> String {
        let words = format!("{} {}", self.clause, self.circumstance).replace(',', "");
        words.trim_end().replace(' ', "-")
    }

    /// Steps that are taken with the implementation.
    pub fn steps(&self) -> usize {
        self.trace.steps.len() - 1
    }
}

/// A clause, and the circumstance in which it is broken.
type Kind = (ClauseName, &'static str);

/// The shortest way of a contract to break a clause in a view, by the number of steps that a driver sees.
#[derive(Clone)]
pub struct Breach {
    kind: Kind,
    reason: String,
    way: ModelTrace<Action>,
    steps: u32,
}

/// The breaches of a contract in a view, the shortest of each clause and circumstance.
pub fn breaches(choices: &Choices, view: &View<Bounds>) -> Vec<Breach> {
    let model = system::model(choices, &view.bounds);
    let graph = Graph::explore(&model);
    let mut found: BTreeMap<Kind, (Cost, String, usize, Action)> = BTreeMap::new();
    for index in 0..graph.len() {
        for (action, after) in graph.successors(&model, index) {
            let facts = model.facts(graph.state(index), &action, &after);
            let cost = graph.cost(index).after(&action);
            for clause in ClauseName::ALL {
                let Judgement::Broken(reason) = clauses::judge(*clause, &facts) else { continue };
                let kind = (*clause, clauses::circumstance(*clause, &facts));
                if found.get(&kind).is_none_or(|(known, ..)| cost < *known) {
                    found.insert(kind, (cost, reason, index, action.clone()));
                }
            }
        }
    }
    let breach = |(kind, (cost, reason, index, action)): (Kind, (Cost, String, usize, Action))| {
        let mut actions = graph.way(index);
        actions.push(action);
        let way = told(tidy(&model, &ModelTrace { initial: 0, actions, loop_start: None }));
        Breach { kind, reason, way, steps: cost.steps }
    };
    found.into_iter().map(breach).collect()
}

/// What was looked for, and tried.
#[derive(Default)]
pub struct Gathered {
    /// What the implementation really does.
    pub evidence: Vec<Evidence>,
    /// Clauses that the changed contract breaks in a view, where the implementation does something else.
    pub unconfirmed: Vec<(ClauseName, &'static str)>,
}

/// Takes the shortest ways to break each clause with the implementation. `relaxed` is the contract with the changes that the
/// divergences were explained by; `breaches` are its breaches in each view.
///
/// # Errors
/// A [`DriverProblem`].
pub fn gather(
    driver: &mut Driver,
    choices: &Choices,
    relaxed: &Choices,
    breaches: &[(&View<Bounds>, Arc<Vec<Breach>>)],
) -> Result<Gathered, DriverProblem> {
    let mut evidence: BTreeMap<Kind, Evidence> = BTreeMap::new();
    let mut unconfirmed = Vec::new();
    for (view, breaches) in breaches {
        for breach in breaches.iter() {
            if evidence.get(&breach.kind).is_some_and(|known| known.steps() <= breach.steps as usize) {
                continue;
            }
            let model = system::model(relaxed, &view.bounds);
            match confirm(driver, choices, &model, view, breach)? {
                Some(confirmed) => {
                    evidence.insert(breach.kind, confirmed);
                }
                None => unconfirmed.push((breach.kind.0, view.name)),
            }
        }
    }
    Ok(Gathered { evidence: evidence.into_values().collect(), unconfirmed })
}

/// Takes the way with the implementation; nothing, if it does something else.
fn confirm(
    driver: &mut Driver,
    choices: &Choices,
    model: &KafkaJsModel,
    view: &View<Bounds>,
    breach: &Breach,
) -> Result<Option<Evidence>, DriverProblem> {
    let Breach { kind: (clause, circumstance), reason, way, .. } = breach.clone();
    let trace = Trace::of(&model.cfg, way.actions.clone());
    let (_, divergence) = session::run(driver, trace.clone(), &mut Explained::default())?;
    if divergence.is_some() {
        return Ok(None);
    }
    let reason = match circumstance {
        "" => reason,
        _ if reason.contains(circumstance) => reason,
        _ => format!("{reason}, {circumstance}"),
    };
    let story = told(Story::of(model, format!("{clause} in {}", view.name), &way, reason.clone()));
    let (leaves, changes) = first_difference(choices, view, &trace);
    Ok(Some(Evidence { clause, circumstance, view: view.name, reason, trace, leaves, changes, story }))
}

fn told<T>(result: Result<T, ReplayError>) -> T {
    match result {
        Ok(it) => it,
        Err(error) => unreachable!("a way of the model can be told by it: {error}"),
    }
}

/// Where a trace of a changed contract leaves the contract itself, and the changes that would allow it.
fn first_difference(
    choices: &Choices,
    view: &View<Bounds>,
    trace: &Trace,
) -> (Option<(usize, Difference)>, Vec<KafkaJsChange>) {
    let setup = Arc::new(Setup { choices: choices.clone(), bounds: view.bounds.clone() });
    let mut simulation = Simulation::new(Arc::clone(&setup));
    for (step, taken) in trace.steps.iter().enumerate() {
        if simulation.take(&taken.step).is_err() {
            let allowed = "the contract has no such step here".to_owned();
            let difference = Difference { kind: "step-not-in-contract", allowed, seen: taken.json.to_string() };
            return (Some((step, difference)), Vec::new());
        }
        if let Some(difference) = difference(&simulation.observe(), &taken.allowed) {
            let seen: Vec<_> = trace.steps[..=step].iter().map(|taken| taken.allowed.clone()).collect();
            let strict = Trace { setup, way: Vec::new(), steps: trace.steps.clone() };
            let changes = explanations(&strict, &seen).into_iter().next().unwrap_or_default();
            return (Some((step, difference)), changes);
        }
    }
    (None, Vec::new())
}
