//! What a divergence comes to: for each clause the shortest way on which the implementation really breaks it.
//!
//! The first thing that differs is often harmless to look at: a handler runs that should not. What it leads to is told by the
//! contract with the changes that the divergences were explained by. Its shortest way to break a clause is taken, with the
//! implementation; if that agrees with the changed contract in every step, the clause is broken for certain.

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

use super::blame::changed;
use super::change::KafkaJsChange;
use super::child::{Driver, DriverProblem};
use super::compare::{Difference, difference};
use super::graph::{Action, Graph, consumer_message};
use super::session;
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

/// The shortest way of a model to break each clause, by the number of steps that a driver sees.
struct Breach {
    clause: ClauseName,
    reason: String,
    way: Vec<Action>,
    steps: u32,
}

fn breaches(model: &KafkaJsModel, graph: &Graph) -> Vec<Breach> {
    let mut found: Vec<Breach> = Vec::new();
    for index in 0..graph.len() {
        for (action, after) in graph.successors(model, index) {
            let facts = model.facts(graph.state(index), &action, &after);
            let steps = graph.steps(index) + u32::from(consumer_message(&action).is_some());
            for clause in ClauseName::ALL {
                let Judgement::Broken(reason) = clauses::judge(*clause, &facts) else { continue };
                let known = found.iter().position(|breach| breach.clause == *clause);
                if known.is_some_and(|place| found[place].steps <= steps) {
                    continue;
                }
                let mut way = graph.way(index);
                way.push(action.clone());
                let breach = Breach { clause: *clause, reason, way, steps };
                match known {
                    Some(place) => found[place] = breach,
                    None => found.push(breach),
                }
            }
        }
    }
    found
}

/// Looks for what the changes come to, and tries it.
///
/// # Errors
/// A [`DriverProblem`].
pub fn gather(
    driver: &mut Driver,
    choices: &Choices,
    changes: &[KafkaJsChange],
    views: &[View<Bounds>],
) -> Result<Vec<Evidence>, DriverProblem> {
    let relaxed = changed(choices, changes);
    let mut evidence: Vec<Evidence> = Vec::new();
    for view in views {
        let model = system::model(&relaxed, &view.bounds);
        let graph = Graph::explore(&model);
        for breach in breaches(&model, &graph) {
            let known = evidence.iter().position(|known| known.clause == breach.clause);
            let steps = |evidence: &Evidence| evidence.trace.steps.len() - 1;
            if known.is_some_and(|place| steps(&evidence[place]) <= breach.steps as usize) {
                continue;
            }
            let Some(confirmed) = confirm(driver, choices, &model, view, breach)? else { continue };
            match known {
                Some(place) => evidence[place] = confirmed,
                None => evidence.push(confirmed),
            }
        }
    }
    evidence.sort_by_key(|evidence| evidence.clause);
    Ok(evidence)
}

/// Takes the way with the implementation; nothing, if it does something else.
fn confirm(
    driver: &mut Driver,
    choices: &Choices,
    model: &KafkaJsModel,
    view: &View<Bounds>,
    breach: Breach,
) -> Result<Option<Evidence>, DriverProblem> {
    let Breach { clause, reason, way, .. } = breach;
    let way = told(tidy(model, &ModelTrace { initial: 0, actions: way, loop_start: None }));
    let trace = Trace::of(&model.cfg, way.actions.clone());
    let (_, divergence) = session::run(driver, trace.clone())?;
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
