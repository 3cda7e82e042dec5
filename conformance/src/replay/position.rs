//! A state of the model, with what the model does not keep but driver and runner name.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use fencepost_models::iggy::messages::{Batch, Envelope, Inner, Message};
use fencepost_models::iggy::owner::Owner;
use fencepost_models::iggy::system::{IggyState, NodeState, OWNER_INDEX, owner_of};
use stateright::actor::{Envelope as Travelling, Network};

use super::names;

/// A batch that a consumer got, and the operation that got it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Got {
    /// The consumer.
    pub consumer: u8,
    /// The batch.
    pub batch: Batch,
    /// Name of the poll.
    pub operation: String,
}

/// A state of the model, with the names that belong to it.
#[derive(Clone, Debug)]
pub struct Position {
    /// The state.
    pub state: IggyState,
    /// By request of the producer: the number in its history of the first message that it brought.
    pub(super) firsts: BTreeMap<u8, u8>,
    /// The batches that consumers got, oldest first.
    pub(super) got: Vec<Got>,
}

impl Position {
    /// A state at the start of a trace.
    pub fn new(state: IggyState) -> Self {
        Self { state, firsts: BTreeMap::new(), got: Vec::new() }
    }

    /// The owner.
    pub fn owner(&self) -> &Owner {
        owner_of(&self.state)
    }

    /// What is under way.
    pub fn under_way(&self) -> impl Iterator<Item = Travelling<&Envelope>> {
        self.state.network.iter_deliverable()
    }

    /// The payload of a message.
    pub fn payload(&self, message: &Message) -> String {
        names::payload(message, self.firsts.get(&message.sent).copied().unwrap_or(message.number))
    }

    /// Gives the owner the budget for a crash that the bounds do not have.
    pub(super) fn allow(&mut self, inner: Inner) {
        let NodeState::Owner(owner) = Arc::make_mut(&mut self.state.actor_states[OWNER_INDEX]) else { return };
        match inner {
            Inner::Restart => owner.restarts_left += 1,
            Inner::PowerLoss(_) => owner.power_losses_left += 1,
            _ => {}
        }
    }

    /// Puts a message under way.
    pub(super) fn put(&mut self, envelope: Travelling<Envelope>) {
        if let Network::UnorderedNonDuplicating(network) = &mut self.state.network {
            *network.entry(envelope).or_insert(0) += 1;
        }
    }

    /// Takes one copy of a message away.
    pub(super) fn take_away(&mut self, envelope: &Travelling<Envelope>) {
        let Network::UnorderedNonDuplicating(network) = &mut self.state.network else { return };
        if let Some(count) = network.get_mut(envelope) {
            *count -= 1;
            if *count == 0 {
                network.remove(envelope);
            }
        }
    }

    /// Notes the numbers of messages that were appended.
    pub(super) fn note_firsts(&mut self) {
        let messages = &owner_of(&self.state).log.messages;
        for message in messages {
            self.firsts.entry(message.sent).or_insert(message.number);
        }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.state == other.state && self.firsts == other.firsts && self.got == other.got
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        self.firsts.hash(&mut hasher);
        self.got.hash(&mut hasher);
        hasher.finish()
    }
}

/// Distinct positions, in the order in which they were found.
#[derive(Default)]
pub(super) struct Positions {
    all: Vec<Position>,
    by_fingerprint: BTreeMap<u64, Vec<usize>>,
}

impl Positions {
    /// Adds a position, if it is new.
    pub(super) fn add(&mut self, position: Position) {
        let places = self.by_fingerprint.entry(position.fingerprint()).or_default();
        if !places.iter().any(|place| self.all[*place].is_same(&position)) {
            places.push(self.all.len());
            self.all.push(position);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Position> {
        self.all.get(index)
    }

    pub(super) fn into_all(self) -> Vec<Position> {
        self.all
    }
}
