//! The states of a view, each with the way to it that has the fewest steps a driver sees.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use fencepost_checker::describe::delivery;
use fencepost_models::kafkajs::messages::Envelope;
use fencepost_models::kafkajs::system::{Address, KafkaJsModel, KafkaJsState};
use stateright::Model;

/// A step of the model.
pub type Action = <KafkaJsModel as Model>::Action;

/// One state, and how it is reached.
struct Reached {
    state: KafkaJsState,
    /// The state before, and the step; nothing for the first.
    from: Option<(usize, Action)>,
    cost: Cost,
}

/// How long a way is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Steps of the consumer, which a driver takes.
    pub steps: u32,
    /// All steps.
    pub all: u32,
}

impl Cost {
    /// The cost with one more step.
    pub fn after(self, action: &Action) -> Self {
        Self { steps: self.steps + u32::from(consumer_message(action).is_some()), all: self.all + 1 }
    }
}

/// All states of a view.
pub struct Graph {
    reached: Vec<Reached>,
}

/// The message, if the step is one of the consumer: these are the steps of a driver.
pub fn consumer_message(action: &Action) -> Option<Envelope> {
    let (receiver, _, message) = delivery(action);
    (Address::of(receiver) == Address::Consumer).then_some(*message)
}

impl Graph {
    /// Explores a model to its end: the fewest steps of the consumer first, and of equals the fewest of all.
    pub fn explore(model: &KafkaJsModel) -> Self {
        let mut graph = Self { reached: Vec::new() };
        let mut known: HashMap<KafkaJsState, usize> = HashMap::new();
        let mut queue = BinaryHeap::new();
        for state in model.init_states() {
            known.insert(state.clone(), graph.reached.len());
            queue.push(Reverse((Cost::default(), graph.reached.len())));
            graph.reached.push(Reached { state, from: None, cost: Cost::default() });
        }
        while let Some(Reverse((cost, index))) = queue.pop() {
            if graph.reached[index].cost < cost {
                continue;
            }
            for (action, after) in graph.successors(model, index) {
                let cost = cost.after(&action);
                let from = Some((index, action));
                let place = match known.get(&after) {
                    Some(place) if graph.reached[*place].cost <= cost => continue,
                    Some(place) => {
                        (graph.reached[*place].from, graph.reached[*place].cost) = (from, cost);
                        *place
                    }
                    None => {
                        known.insert(after.clone(), graph.reached.len());
                        graph.reached.push(Reached { state: after, from, cost });
                        graph.reached.len() - 1
                    }
                };
                queue.push(Reverse((cost, place)));
            }
        }
        graph
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.reached.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }

    /// A state.
    pub fn state(&self, index: usize) -> &KafkaJsState {
        &self.reached[index].state
    }

    /// How long the way to a state is.
    pub fn cost(&self, index: usize) -> Cost {
        self.reached[index].cost
    }

    /// The steps that are possible in a state, and where they lead.
    pub fn successors(&self, model: &KafkaJsModel, index: usize) -> Vec<(Action, KafkaJsState)> {
        successors(model, &self.reached[index].state)
    }

    /// The way to a state.
    pub fn way(&self, mut index: usize) -> Vec<Action> {
        let mut way = Vec::new();
        while let Some((before, action)) = &self.reached[index].from {
            way.push(action.clone());
            index = *before;
        }
        way.reverse();
        way
    }
}

/// The steps that are possible in a state, and where they lead.
pub fn successors(model: &KafkaJsModel, state: &KafkaJsState) -> Vec<(Action, KafkaJsState)> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let next = |action: Action| Some((action.clone(), model.next_state(state, action)?));
    actions.into_iter().filter_map(next).collect()
}
