//! The actors put together: one enumeration of all of them, and the actor model that an engine explores.

use std::borrow::Cow;
use std::sync::Arc;

use fencepost_checker::describe::{DescribedActor, Telling, Transition};
use fencepost_spec::contract::Choices;
use fencepost_spec::fence::{Fence, Outcome, Refusal};
use fencepost_spec::identity::{History, Origin};
use serde::{Deserialize, Serialize};
use stateright::actor::{Actor, ActorModel, ActorModelState, Id, Network, Out};

use super::bounds::Bounds;
use super::consumer::{self, Consumer};
use super::gateway::{self, Gateway};
use super::ledger::{self, Ledger};
use super::marks::Mark;
use super::messages::{Envelope, RequestId};
use super::metadata::{self, Metadata};
use super::operator::{self, Operator};
use super::owner::{self, Owner};
use super::producer::{self, Producer};
use super::{start, telling, vocabulary};

/// Index of the metadata actor.
pub const METADATA_INDEX: usize = 0;
/// Index of the gateway actor.
pub const GATEWAY_INDEX: usize = 1;
/// Index of the owner actor.
pub const OWNER_INDEX: usize = 2;
/// Index of the producer actor.
pub const PRODUCER_INDEX: usize = 3;
/// Index of the operator actor.
pub const OPERATOR_INDEX: usize = 4;
/// Index of the first consumer actor.
pub const FIRST_CONSUMER_INDEX: usize = 5;

/// Whom a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Address {
    /// The metadata.
    Metadata,
    /// The gateway.
    Gateway,
    /// The owner.
    Owner,
    /// The producer.
    Producer,
    /// The operator.
    Operator,
    /// The consumer with this index.
    Consumer(u8),
}

impl Address {
    /// The actor's identity in the actor model.
    pub fn id(self) -> Id {
        Id::from(match self {
            Self::Metadata => METADATA_INDEX,
            Self::Gateway => GATEWAY_INDEX,
            Self::Owner => OWNER_INDEX,
            Self::Producer => PRODUCER_INDEX,
            Self::Operator => OPERATOR_INDEX,
            Self::Consumer(index) => FIRST_CONSUMER_INDEX + usize::from(index),
        })
    }

    /// The address with this identity.
    pub fn of(id: Id) -> Self {
        match usize::from(id) {
            METADATA_INDEX => Self::Metadata,
            GATEWAY_INDEX => Self::Gateway,
            OWNER_INDEX => Self::Owner,
            PRODUCER_INDEX => Self::Producer,
            OPERATOR_INDEX => Self::Operator,
            index => Self::Consumer(u8::try_from(index - FIRST_CONSUMER_INDEX).unwrap_or(u8::MAX)),
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
    /// States what a fence said, and gives its refusal back.
    pub fn fence(
        &mut self,
        fence: Fence,
        outcome: Outcome,
        request: Option<RequestId>,
        origin: Option<Origin>,
    ) -> Option<Refusal> {
        Mark::fence(&mut self.marks, fence, outcome, request, origin)
    }

    /// The message was of no use any more and is removed from the network without effect.
    pub fn discarding(self) -> Self {
        self
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
    /// The metadata.
    Metadata(Metadata),
    /// The gateway.
    Gateway(Gateway),
    /// The owner.
    Owner(Box<Owner>),
    /// The producer.
    Producer(Producer),
    /// The operator.
    Operator(Operator),
    /// A consumer.
    Consumer(Consumer),
}

/// The actor model of the Iggy family.
pub type IggyModel = ActorModel<Node, Arc<Setup>, Ledger>;
/// A state of the system.
pub type IggyState = ActorModelState<Node, Ledger>;

impl Node {
    /// The reaction of the actor with address `id` to a message, or `None` if it cannot react to it now.
    pub fn react(&self, id: Id, state: &NodeState, message: &Envelope) -> Option<Reaction<NodeState>> {
        let setup = &*self.setup;
        match state {
            NodeState::Metadata(state) => Some(metadata::react(setup, state, message)?.map(NodeState::Metadata)),
            NodeState::Gateway(state) => Some(gateway::react(setup, state, message)?.map(NodeState::Gateway)),
            NodeState::Owner(state) => {
                Some(owner::react(setup, state, message)?.map(|state| NodeState::Owner(Box::new(state))))
            }
            NodeState::Producer(state) => Some(producer::react(setup, state, message)?.map(NodeState::Producer)),
            NodeState::Operator(state) => Some(operator::react(setup, state, message)?.map(NodeState::Operator)),
            NodeState::Consumer(state) => {
                let index = u8::try_from(usize::from(id) - FIRST_CONSUMER_INDEX).unwrap_or(u8::MAX);
                Some(consumer::react(setup, index, state, message)?.map(NodeState::Consumer))
            }
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
        start::initial_state(&self.setup, usize::from(id))
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

impl DescribedActor<Arc<Setup>, Ledger> for Node {
    type Mark = Mark;

    fn marks(&self, receiver: Id, state: &NodeState, _source: Id, message: &Envelope) -> Vec<Mark> {
        self.react(receiver, state, message).map(|reaction| reaction.marks).unwrap_or_default()
    }

    fn vocabulary(configuration: &Arc<Setup>) -> Vec<String> {
        vocabulary::vocabulary(configuration)
    }

    fn action_term(configuration: &Arc<Setup>, receiver: Id, _source: Id, message: &Envelope) -> usize {
        vocabulary::action_term(configuration, receiver, message)
    }

    fn outcome_terms(configuration: &Arc<Setup>, marks: &[Mark], terms: &mut Vec<usize>) {
        vocabulary::outcome_terms(configuration, marks, terms);
    }

    fn is_fair(configuration: &Arc<Setup>, action_term: usize) -> bool {
        vocabulary::is_fair(configuration, action_term)
    }

    fn tell(
        model: &IggyModel,
        receiver: Id,
        source: Id,
        message: &Envelope,
        transition: &Transition<'_, IggyModel>,
    ) -> Telling {
        telling::tell(model, receiver, source, message, transition)
    }
}

/// The owner in a state of the system.
pub fn owner_of(state: &IggyState) -> &Owner {
    owner_in(&state.actor_states[OWNER_INDEX])
}

/// The owner that is the actor in this state.
///
/// # Panics
/// If the state is that of another actor.
pub fn owner_in(state: &NodeState) -> &Owner {
    match state {
        NodeState::Owner(owner) => owner,
        other => unreachable!("the owner is not {other:?}"),
    }
}

/// The metadata in a state of the system.
pub fn metadata_of(state: &IggyState) -> &Metadata {
    match &*state.actor_states[METADATA_INDEX] {
        NodeState::Metadata(metadata) => metadata,
        other => unreachable!("the metadata is not {other:?}"),
    }
}

/// The consumer with an index in a state of the system.
pub fn consumer_of(state: &IggyState, index: usize) -> &Consumer {
    match &*state.actor_states[FIRST_CONSUMER_INDEX + index] {
        NodeState::Consumer(consumer) => consumer,
        other => unreachable!("consumer {index} is not {other:?}"),
    }
}

/// The producer in a state of the system.
pub fn producer_of(state: &IggyState) -> &Producer {
    match &*state.actor_states[PRODUCER_INDEX] {
        NodeState::Producer(producer) => producer,
        other => unreachable!("the producer is not {other:?}"),
    }
}

/// The actor model of a contract's choices within bounds.
pub fn model(choices: &Choices, bounds: &Bounds) -> IggyModel {
    let setup = Arc::new(Setup { choices: choices.clone(), bounds: bounds.clone() });
    let nodes = FIRST_CONSUMER_INDEX + bounds.consumers.len();
    let ledger = Ledger {
        current: (History::default(), start::initial_decree(bounds).group.owner_generation),
        ..Ledger::default()
    };
    let mut model = ActorModel::new(setup.clone(), ledger)
        .actors((0..nodes).map(|_| Node { setup: setup.clone() }))
        .init_network(Network::new_unordered_nonduplicating(start::tokens(&setup)));
    model = model.record_msg_in(ledger::delivered).record_msg_out(ledger::sent);
    model
}
