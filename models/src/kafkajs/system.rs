//! The actors put together: one enumeration of all of them, and the actor model that an engine explores.

use std::borrow::Cow;
use std::sync::Arc;

use fencepost_checker::describe::{DescribedActor, Telling, Transition};
use fencepost_spec::kafkajs::fence::Outcome;
use fencepost_spec::kafkajs::{Choices, Fence};
use serde::{Deserialize, Serialize};
use stateright::actor::{Actor, ActorModel, ActorModelState, Envelope as Addressed, Id, Network, Out};

use super::bounds::Bounds;
use super::broker::{self, Broker};
use super::consumer::{self, Consumer};
use super::coordinator::{self, Coordinator};
use super::marks::Mark;
use super::messages::{Envelope, PARTITIONS};
use super::{telling, vocabulary};

/// Index of the consumer.
pub const CONSUMER_INDEX: usize = 0;
/// Index of the coordinator.
pub const COORDINATOR_INDEX: usize = 1;
/// Index of the first node.
pub const FIRST_BROKER_INDEX: usize = 2;

/// Whom a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Address {
    /// The consumer.
    Consumer,
    /// The coordinator.
    Coordinator,
    /// The node with this number.
    Broker(u8),
}

impl Address {
    /// The actor's identity in the actor model.
    pub fn id(self) -> Id {
        Id::from(match self {
            Self::Consumer => CONSUMER_INDEX,
            Self::Coordinator => COORDINATOR_INDEX,
            Self::Broker(node) => FIRST_BROKER_INDEX + usize::from(node),
        })
    }

    /// The address with this identity.
    pub fn of(id: Id) -> Self {
        match usize::from(id) {
            CONSUMER_INDEX => Self::Consumer,
            COORDINATOR_INDEX => Self::Coordinator,
            index => Self::Broker(u8::try_from(index - FIRST_BROKER_INDEX).unwrap_or(u8::MAX)),
        }
    }
}

/// A contract's choices and the bounds of a view: the configuration of the actor model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The choices.
    pub choices: Choices,
    /// The bounds.
    pub bounds: Bounds,
}

/// What an actor of this family does about a message.
pub type Reaction<S> = crate::reaction::Reaction<S, Address, Envelope, Mark>;

impl<S> Reaction<S> {
    /// States what a fence said, and whether it refuses. `is_current`: whether what it judges is, as the referee knows.
    pub fn fence(&mut self, fence: Fence, outcome: Outcome, is_current: bool) -> bool {
        match outcome {
            Outcome::Absent => {}
            Outcome::Passed => self.mark(Mark::Passed(fence)),
            Outcome::Refused => self.mark(Mark::Refused { fence, needless: is_current }),
        }
        outcome.is_refused()
    }
}

/// One actor of the system.
#[derive(Clone, Debug)]
pub struct Node {
    /// What everybody knows.
    pub setup: Arc<Setup>,
}

/// The state of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeState {
    /// The consumer.
    Consumer(Box<Consumer>),
    /// The coordinator.
    Coordinator(Coordinator),
    /// A node.
    Broker(Broker),
}

/// The actor model of the KafkaJS family.
pub type KafkaJsModel = ActorModel<Node, Arc<Setup>, ()>;
/// A state of the system.
pub type KafkaJsState = ActorModelState<Node, ()>;

impl Node {
    /// The reaction of the actor with address `id` to a message, or `None` if it cannot react to it now.
    pub fn react(&self, id: Id, state: &NodeState, message: &Envelope) -> Option<Reaction<NodeState>> {
        let setup = &*self.setup;
        match (state, Address::of(id)) {
            (NodeState::Consumer(state), _) => {
                Some(consumer::react(setup, state, message)?.map(|state| NodeState::Consumer(Box::new(state))))
            }
            (NodeState::Coordinator(state), _) => {
                Some(coordinator::react(setup, state, message)?.map(NodeState::Coordinator))
            }
            (NodeState::Broker(state), Address::Broker(node)) => {
                Some(broker::react(setup, node, state, message)?.map(NodeState::Broker))
            }
            (NodeState::Broker(_), _) => None,
        }
    }
}

impl Actor for Node {
    type Msg = Envelope;
    type State = NodeState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, id: Id, _storage: &Option<()>, _out: &mut Out<Self>) -> NodeState {
        match Address::of(id) {
            Address::Consumer => NodeState::Consumer(Box::new(Consumer::new(&self.setup))),
            Address::Coordinator => NodeState::Coordinator(Coordinator::new(&self.setup)),
            Address::Broker(node) => {
                let bounds = &self.setup.bounds;
                let node = usize::from(node);
                NodeState::Broker(Broker::new(&bounds.logs[node], bounds.not_leader[node]))
            }
        }
    }

    fn on_msg(&self, id: Id, state: &mut Cow<'_, NodeState>, _source: Id, message: Envelope, out: &mut Out<Self>) {
        if let Some(reaction) = self.react(id, state, &message) {
            *state = Cow::Owned(reaction.state);
            for (to, message) in reaction.sends {
                out.send(to.id(), message);
            }
        }
    }
}

impl DescribedActor<Arc<Setup>, ()> for Node {
    type Mark = Mark;

    fn marks(&self, receiver: Id, state: &NodeState, _source: Id, message: &Envelope) -> Vec<Mark> {
        self.react(receiver, state, message).map(|reaction| reaction.marks).unwrap_or_default()
    }

    fn vocabulary(_configuration: &Arc<Setup>) -> Vec<String> {
        vocabulary::vocabulary()
    }

    fn action_term(_configuration: &Arc<Setup>, _receiver: Id, _source: Id, message: &Envelope) -> usize {
        vocabulary::action_term(message)
    }

    fn outcome_terms(_configuration: &Arc<Setup>, marks: &[Mark], terms: &mut Vec<usize>) {
        vocabulary::outcome_terms(marks, terms);
    }

    fn is_fair(_configuration: &Arc<Setup>, _action_term: usize) -> bool {
        false
    }

    fn tell(
        model: &KafkaJsModel,
        receiver: Id,
        _source: Id,
        message: &Envelope,
        transition: &Transition<'_, KafkaJsModel>,
    ) -> Telling {
        telling::tell(model, receiver, message, transition)
    }
}

/// The consumer in a state of the system.
pub fn consumer_of(state: &KafkaJsState) -> &Consumer {
    match &*state.actor_states[CONSUMER_INDEX] {
        NodeState::Consumer(consumer) => consumer,
        other => unreachable!("the consumer is not {other:?}"),
    }
}

/// The coordinator in a state of the system.
pub fn coordinator_of(state: &KafkaJsState) -> &Coordinator {
    match &*state.actor_states[COORDINATOR_INDEX] {
        NodeState::Coordinator(coordinator) => coordinator,
        other => unreachable!("the coordinator is not {other:?}"),
    }
}

/// The actor model of a contract's choices within bounds.
pub fn model(choices: &Choices, bounds: &Bounds) -> KafkaJsModel {
    let setup = Arc::new(Setup { choices: choices.clone(), bounds: bounds.clone() });
    let network = Network::new_unordered_nonduplicating(tokens(bounds));
    ActorModel::new(setup.clone(), ())
        .actors((0..FIRST_BROKER_INDEX + PARTITIONS).map(|_| Node { setup: setup.clone() }))
        .init_network(network)
}

/// What may happen by itself at the start: messages of each actor to itself.
fn tokens(bounds: &Bounds) -> Vec<Addressed<Envelope>> {
    let to = |address: Address, msg: Envelope| Addressed { src: address.id(), dst: address.id(), msg };
    let mut tokens = Vec::new();
    for (partition, log) in bounds.logs.iter().enumerate() {
        let node = u8::try_from(partition).unwrap_or(u8::MAX);
        if bounds.rounds[partition] > 0 {
            tokens.push(to(Address::Consumer, Envelope::Round(node)));
        }
        tokens.push(to(Address::Consumer, Envelope::HandlerReturns(node)));
        if bounds.not_leader[partition] > 0 {
            tokens.push(to(Address::Broker(node), Envelope::LeadershipMoves));
        }
        if log.retained_from.is_some() {
            tokens.push(to(Address::Broker(node), Envelope::Retention));
        }
    }
    tokens.extend(bounds.user.first().map(|act| to(Address::Consumer, Envelope::User(*act))));
    if !bounds.other_commits.is_empty() {
        tokens.push(to(Address::Coordinator, Envelope::OtherCommits));
    }
    tokens
}
