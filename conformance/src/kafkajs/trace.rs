//! A way through the model, as a driver takes it: steps, and what the contract allows to be seen after each.

use std::sync::Arc;

use fencepost_models::kafkajs::system::Setup;
use serde_json::Value;

use super::graph::{Action, consumer_message};
use super::simulation::Simulation;
use super::step::{Observation, Step};

/// One step of a trace.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// The step as the driver reads it.
    pub json: Value,
    /// What is to be seen after it.
    pub allowed: Observation,
    /// Index of the model's step on the way; none for the first, which sets the stage.
    pub action: Option<usize>,
}

/// A trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Contract and view.
    pub setup: Arc<Setup>,
    /// The way through the model.
    pub way: Vec<Action>,
    /// What the driver is told.
    pub steps: Vec<Taken>,
}

impl Trace {
    /// Writes a way down. It ends where the consumer ends.
    pub fn of(setup: &Arc<Setup>, way: Vec<Action>) -> Self {
        let mut simulation = Simulation::new(Arc::clone(setup));
        let begin = Step::begin(&setup.bounds);
        let json = begin.to_json(|_| None);
        let mut steps = vec![Taken { step: begin, json, allowed: simulation.observe(), action: None }];
        for (index, action) in way.iter().enumerate() {
            let Some(envelope) = consumer_message(action) else { continue };
            let before = simulation.clone();
            let step = simulation.step_of(&envelope);
            let json = step.to_json(|request| before.fetched_at(request));
            if simulation.deliver(&envelope).is_err() {
                unreachable!("a way of the model can be walked: {envelope:?}");
            }
            steps.push(Taken { step, json, allowed: simulation.observe(), action: Some(index) });
            if simulation.consumer().ended.is_some() {
                break;
            }
        }
        Self { setup: Arc::clone(setup), way, steps }
    }
}
