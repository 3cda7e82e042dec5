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

use super::child::{Driver, DriverProblem};
use super::compare::{Difference, difference};
use super::graph::{Action, Graph, consumer_message};
use super::session::{self, Explained};
use super::simulation::Simulation;
use super::trace::Trace;

/// A clause that an implementation breaks, and how.
pub struct Evidence {
    /// The clause.
    pub clause: ClauseName,
    /// The view in which it was found.
    pub view: &'static str,
    /// What breaks it, in words.
    pub reason: String,
    /// The trace, under the changed contract: the implementation agrees with it in every step.
    pub trace: Trace,
    /// The step in which the contract itself is left, and how; none: the contract itself gives up the clause.
    pub leaves: Option<(usize, Difference)>,
    /// The story.
    pub story: Story,
}

/// The shortest way of a contract to break a clause in a view, by the number of steps that a driver sees.
#[derive(Clone)]
pub struct Breach {
    clause: ClauseName,
    reason: String,
    way: ModelTrace<Action>,
    steps: u32,
}

/// The breaches of a contract in a view, at most one of each clause.
pub fn breaches(choices: &Choices, view: &View<Bounds>) -> Vec<Breach> {
    let model = system::model(choices, &view.bounds);
    let graph = Graph::explore(&model);
    let mut found: BTreeMap<ClauseName, (u32, String, usize, Action)> = BTreeMap::new();
    for index in 0..graph.len() {
        for (action, after) in graph.successors(&model, index) {
            let facts = model.facts(graph.state(index), &action, &after);
            let steps = graph.steps(index) + u32::from(consumer_message(&action).is_some());
            for clause in ClauseName::ALL {
                let Judgement::Broken(reason) = clauses::judge(*clause, &facts) else { continue };
                if found.get(clause).is_none_or(|(known, ..)| steps < *known) {
                    found.insert(*clause, (steps, reason, index, action.clone()));
                }
            }
        }
    }
    let breach = |(clause, (steps, reason, index, action))| {
        let mut actions = graph.way(index);
        actions.push(action);
        let way = told(tidy(&model, &ModelTrace { initial: 0, actions, loop_start: None }));
        Breach { clause, reason, way, steps }
    };
    found.into_iter().map(breach).collect()
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
) -> Result<Vec<Evidence>, DriverProblem> {
    let mut evidence: BTreeMap<ClauseName, Evidence> = BTreeMap::new();
    for (view, breaches) in breaches {
        for breach in breaches.iter() {
            let steps = |evidence: &Evidence| evidence.trace.steps.len() - 1;
            if evidence.get(&breach.clause).is_some_and(|known| steps(known) <= breach.steps as usize) {
                continue;
            }
            let model = system::model(relaxed, &view.bounds);
            if let Some(confirmed) = confirm(driver, choices, &model, view, breach)? {
                evidence.insert(breach.clause, confirmed);
            }
        }
    }
    Ok(evidence.into_values().collect())
}

/// Takes the way with the implementation; nothing, if it does something else.
fn confirm(
    driver: &mut Driver,
    choices: &Choices,
    model: &KafkaJsModel,
    view: &View<Bounds>,
    breach: &Breach,
) -> Result<Option<Evidence>, DriverProblem> {
    let Breach { clause, reason, way, .. } = breach.clone();
    let trace = Trace::of(&model.cfg, way.actions.clone());
    let (_, divergence) = session::run(driver, trace.clone(), &mut Explained::default())?;
    if divergence.is_some() {
        return Ok(None);
    }
    let story = told(Story::of(model, format!("{clause} in {}", view.name), &way, reason.clone()));
    let leaves = first_difference(choices, view, &trace);
    Ok(Some(Evidence { clause, view: view.name, reason, trace, leaves, story }))
}

fn told<T>(result: Result<T, ReplayError>) -> T {
    match result {
        Ok(it) => it,
        Err(error) => unreachable!("a way of the model can be told by it: {error}"),
    }
}

/// Where a trace of a changed contract leaves the contract itself.
fn first_difference(choices: &Choices, view: &View<Bounds>, trace: &Trace) -> Option<(usize, Difference)> {
    let setup = Setup { choices: choices.clone(), bounds: view.bounds.clone() };
    let mut simulation = Simulation::new(Arc::new(setup));
    for (step, taken) in trace.steps.iter().enumerate() {
        if simulation.take(&taken.step).is_err() {
            let allowed = "the contract has no such step here".to_owned();
            return Some((step, Difference { kind: "step-not-in-contract", allowed, seen: taken.json.to_string() }));
        }
        if let Some(difference) = difference(&simulation.observe(), &taken.allowed) {
            return Some((step, difference));
        }
    }
    None
}
