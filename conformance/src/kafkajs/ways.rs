//! Which ways are replayed: together they come by every reaction that the consumer of the model can have.
//!
//! A reaction is a state of the consumer with a message to it, exact or [abstract](super::abstraction). A fence turns a stale answer into nothing, so that the state after
//! it was seen before; what an implementation without the fence makes of the answer shows only later. Therefore each way
//! goes on after the reaction that it is for, until nothing more can happen.

use std::collections::HashSet;
use std::sync::Arc;

use fencepost_checker::describe::delivery;
use fencepost_models::kafkajs::messages::Envelope;
use fencepost_models::kafkajs::system::{KafkaJsModel, KafkaJsState, Setup, consumer_of};

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

/// The ways of a view.
pub struct Ways {
    /// The contract and the view.
    pub setup: Arc<Setup>,
    /// The ways.
    pub ways: Vec<Vec<Action>>,
    /// How many reactions there are, all of which the ways come by.
    pub reactions: usize,
    /// How many states the view has.
    pub states: usize,
}

/// Chooses ways. Long ones come first, since they come by many reactions.
pub fn choose(model: &KafkaJsModel, graph: &Graph, cover: Cover) -> Ways {
    let mut edges: Vec<(Cost, usize, Action)> = Vec::new();
    let mut known: HashSet<Reaction> = HashSet::new();
    let mut order: Vec<usize> = (0..graph.len()).collect();
    order.sort_by_key(|index| graph.cost(*index));
    for index in order {
        for (action, _) in graph.successors(model, index) {
            let Some(reaction) = cover.reaction(graph.state(index), &action) else { continue };
            if known.insert(reaction) {
                edges.push((graph.cost(index), index, action));
            }
        }
    }
    edges.sort_by_key(|(cost, index, _)| (std::cmp::Reverse(*cost), *index));
    let mut covered = HashSet::new();
    let mut ways = Vec::new();
    for (_, index, action) in edges {
        if cover.reaction(graph.state(index), &action).is_some_and(|reaction| covered.contains(&reaction)) {
            continue;
        }
        let mut way = graph.way(index);
        way.push(action);
        ways.push(finished(model, way, cover, &mut covered));
    }
    Ways { setup: Arc::clone(&model.cfg), ways, reactions: known.len(), states: graph.len() }
}

/// A way that goes on until nothing more can happen, and the reactions that it comes by.
fn finished(model: &KafkaJsModel, mut way: Vec<Action>, cover: Cover, covered: &mut HashSet<Reaction>) -> Vec<Action> {
    use stateright::Model;
    let Some(mut state) = model.init_states().into_iter().next() else { return way };
    let mut note = |state: &KafkaJsState, action: &Action| covered.extend(cover.reaction(state, action));
    for action in &way {
        note(&state, action);
        state = match model.next_state(&state, action.clone()) {
            Some(after) => after,
            None => unreachable!("a way of the model can be walked: {action:?}"),
        };
    }
    loop {
        let next = successors(model, &state).into_iter().min_by_key(|(action, _)| urgency(action));
        let Some((action, after)) = next else { return way };
        note(&state, &action);
        way.push(action);
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
