//! Which ways are replayed: together they come by every reaction that the consumer of the model can have.
//!
//! A reaction is a state of the consumer with a message to it, exact or [abstract](super::abstraction). A fence turns a stale answer into nothing, so that the state after
//! it was seen before; what an implementation without the fence makes of the answer shows only later. Therefore each way
//! goes on after the reaction that it is for, until nothing more can happen.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use fencepost_checker::describe::delivery;
use fencepost_models::kafkajs::messages::Envelope;
use fencepost_models::kafkajs::system::{KafkaJsModel, KafkaJsState, Setup, consumer_of};
use stateright::Model;

use super::abstraction::{Reaction, abstracted};
use super::graph::{Action, Cost, Graph, consumer_message, successors};

fencepost_spec::words! {
    /// Which reactions the ways come by.
    pub enum Cover {
        /// Every abstract one.
        Abstract = "abstract",
        /// Every exact one.
        Reactions = "reactions",
    }
}

impl Cover {
    fn reaction(self, state: &KafkaJsState, action: &Action) -> Option<Reaction> {
        let envelope = consumer_message(action)?;
        let consumer = consumer_of(state);
        Some(match self {
            Self::Abstract => abstracted(consumer, &envelope),
            Self::Reactions => Reaction::Exact(Box::new(consumer.clone()), envelope),
        })
    }
}

/// One way, and the reactions that it comes by: a number for each step of the consumer.
pub struct Way {
    /// The steps of the model.
    pub actions: Vec<Action>,
    /// The numbers of the consumer's reactions, in their order.
    pub reactions: Vec<usize>,
}

/// The ways of a view.
pub struct Ways {
    /// The contract and the view.
    pub setup: Arc<Setup>,
    /// The ways.
    pub ways: Vec<Way>,
    /// How many reactions there are, all of which the ways come by.
    pub reactions: usize,
    /// How many states the view has.
    pub states: usize,
}

/// Chooses ways. Long ones come first, since they come by many reactions.
pub fn choose(model: &KafkaJsModel, graph: &Graph, cover: Cover) -> Ways {
    let mut edges: Vec<(Cost, usize, Action)> = Vec::new();
    let mut known: HashMap<Reaction, usize> = HashMap::new();
    let mut order: Vec<usize> = (0..graph.len()).collect();
    order.sort_by_key(|index| graph.cost(*index));
    for index in order {
        for (action, _) in graph.successors(model, index) {
            let Some(reaction) = cover.reaction(graph.state(index), &action) else { continue };
            let number = known.len();
            if let Entry::Vacant(entry) = known.entry(reaction) {
                entry.insert(number);
                edges.push((graph.cost(index), index, action));
            }
        }
    }
    edges.sort_by_key(|(cost, index, _)| (std::cmp::Reverse(*cost), *index));
    let mut covered = vec![false; known.len()];
    let mut ways = Vec::new();
    for (_, index, action) in edges {
        let number = |state: &KafkaJsState, action: &Action| {
            cover.reaction(state, action).and_then(|reaction| known.get(&reaction).copied())
        };
        if number(graph.state(index), &action).is_some_and(|number| covered[number]) {
            continue;
        }
        let mut actions = graph.way(index);
        actions.push(action);
        let way = finished(model, actions, &number);
        for number in &way.reactions {
            covered[*number] = true;
        }
        ways.push(way);
    }
    Ways { setup: Arc::clone(&model.cfg), ways, reactions: known.len(), states: graph.len() }
}

/// A way that goes on until nothing more can happen, and the reactions that it comes by.
fn finished(model: &KafkaJsModel, begun: Vec<Action>, number: &dyn Fn(&KafkaJsState, &Action) -> Option<usize>) -> Way {
    let Some(mut state) = model.init_states().into_iter().next() else { unreachable!("the model has a first state") };
    let mut way = Way { actions: Vec::new(), reactions: Vec::new() };
    let mut begun = begun.into_iter();
    loop {
        let (action, after) = match begun.next() {
            Some(action) => match model.next_state(&state, action.clone()) {
                Some(after) => (action, after),
                None => unreachable!("a way of the model can be walked: {action:?}"),
            },
            None => match successors(model, &state).into_iter().min_by_key(|(action, _)| urgency(action)) {
                Some(next) => next,
                None => return way,
            },
        };
        way.reactions.extend(number(&state, &action));
        way.actions.push(action);
        state = after;
    }
}

/// What happens first when everything is let go on: what brokers do, then answers, then handlers and rounds, the user last.
fn urgency(action: &Action) -> (u8, Envelope) {
    let (_, _, message) = delivery(action);
    let class = match message {
        Envelope::Ask(..) | Envelope::List(_) | Envelope::Fetch(..) => 0,
        Envelope::Answered(..) | Envelope::Listed(..) | Envelope::FetchAnswered(..) => 1,
        Envelope::HandlerReturns(_) => 2,
        Envelope::Round(_) => 3,
        Envelope::User(_) => 4,
        Envelope::OtherCommits | Envelope::LeadershipMoves | Envelope::Retention => 5,
    };
    (class, *message)
}
