//! The states of a view, each with the way to it that has the fewest steps a driver sees.

use std::collections::{HashMap, VecDeque};

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
    /// Steps that a driver sees on the way.
    steps: u32,
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
    /// Explores a model to its end. Steps of others cost nothing, steps of the consumer one each.
    pub fn explore(model: &KafkaJsModel) -> Self {
        let mut graph = Self { reached: Vec::new() };
        let mut known: HashMap<KafkaJsState, usize> = HashMap::new();
        let mut queue = VecDeque::new();
        for state in model.init_states() {
            known.insert(state.clone(), graph.reached.len());
            queue.push_back((graph.reached.len(), 0));
            graph.reached.push(Reached { state, from: None, steps: 0 });
        }
        while let Some((index, steps)) = queue.pop_front() {
            if graph.reached[index].steps < steps {
                continue;
            }
            for (action, after) in graph.successors(model, index) {
                let is_seen = consumer_message(&action).is_some();
                let steps = steps + u32::from(is_seen);
                let from = Some((index, action));
                let place = match known.get(&after) {
                    Some(place) if graph.reached[*place].steps <= steps => continue,
                    Some(place) => {
                        (graph.reached[*place].from, graph.reached[*place].steps) = (from, steps);
                        *place
                    }
                    None => {
                        let place = graph.reached.len();
                        known.insert(after.clone(), place);
                        graph.reached.push(Reached { state: after, from, steps });
                        place
                    }
                };
                if is_seen { queue.push_back((place, steps)) } else { queue.push_front((place, steps)) }
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

    /// How many steps a driver sees on the way to a state.
    pub fn steps(&self, index: usize) -> u32 {
        self.reached[index].steps
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
