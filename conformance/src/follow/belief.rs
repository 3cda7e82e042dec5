//! One model state that agrees with everything seen so far, and how it came about.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use fencepost_checker::describe::Telling;
use fencepost_checker::story::{Story, StoryLine};
use fencepost_models::iggy::consumer::Consumer;
use fencepost_models::iggy::messages::{Envelope, RequestId};
use fencepost_models::iggy::owner::Owner;
use fencepost_models::iggy::system::{
    FIRST_CONSUMER_INDEX, IggyState, NodeState, OWNER_INDEX, PRODUCER_INDEX, owner_of,
};
use fencepost_spec::identity::{Context, History, Origin};
use stateright::actor::{Envelope as Travelling, Network};

/// A read that a recording has given a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NamedRead {
    pub(super) id: RequestId,
    pub(super) automatic: bool,
    /// The highest committed offset when it was planned.
    pub(super) ceiling: u64,
}

/// A step that led to a belief.
struct Told {
    before: Option<Arc<Told>>,
    line: usize,
    telling: Telling,
}

impl Drop for Told {
    /// One after the other: the chain can be longer than the stack is deep.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(told) = next {
            next = Arc::try_unwrap(told).ok().and_then(|mut told| told.before.take());
        }
    }
}

/// One model state that agrees with everything seen so far.
#[derive(Clone)]
pub(super) struct Belief {
    pub(super) state: IggyState,
    /// The number that the first message of each send got in its history.
    pub(super) firsts: BTreeMap<u8, u8>,
    /// The reads that the recording names.
    pub(super) reads: BTreeMap<String, NamedRead>,
    told: Option<Arc<Told>>,
}

impl Belief {
    pub(super) fn new(state: IggyState) -> Self {
        Self { state, firsts: BTreeMap::new(), reads: BTreeMap::new(), told: None }
    }

    pub(super) fn owner(&self) -> &Owner {
        owner_of(&self.state)
    }

    /// The owner, to be changed by the harness.
    pub(super) fn owner_mut(&mut self) -> &mut Owner {
        match Arc::make_mut(&mut self.state.actor_states[OWNER_INDEX]) {
            NodeState::Owner(owner) => owner,
            other => unreachable!("the owner is not {other:?}"),
        }
    }

    /// A consumer, to be changed by the harness.
    pub(super) fn consumer_mut(&mut self, index: u8) -> &mut Consumer {
        match Arc::make_mut(&mut self.state.actor_states[FIRST_CONSUMER_INDEX + usize::from(index)]) {
            NodeState::Consumer(consumer) => consumer,
            other => unreachable!("consumer {index} is not {other:?}"),
        }
    }

    /// What is under way, in a fixed order.
    pub(super) fn under_way(&self) -> Vec<Travelling<Envelope>> {
        let mut all: Vec<_> = self.state.network.iter_deliverable().map(|envelope| envelope.to_cloned_msg()).collect();
        all.sort();
        all
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
        let log = &self.owner().log;
        let Some(last) = log.messages.last() else { return };
        let first = log.messages.iter().rev().take_while(|message| message.sent == last.sent).last();
        let first = first.map_or(last.number, |message| message.number);
        let sent = last.sent;
        self.firsts.entry(sent).or_insert(first);
    }

    /// Notes a step.
    pub(super) fn tell(&mut self, line: usize, telling: Telling) {
        self.told = Some(Arc::new(Told { before: self.told.take(), line, telling }));
    }

    /// The story so far. Each step names the line of the recording that it belongs to.
    pub(super) fn story(&self, title: &str, ending: &str) -> Story {
        let mut lines = Vec::new();
        let mut at = self.told.as_ref();
        while let Some(told) = at {
            let mut telling = told.telling.clone();
            telling.text = format!("{} (line {})", telling.text, told.line);
            lines.push(StoryLine { number: 0, telling });
            at = told.before.as_ref();
        }
        lines.reverse();
        for (index, line) in lines.iter_mut().enumerate() {
            line.number = index + 1;
        }
        let loop_start = None;
        Story { title: title.to_owned(), lines, loop_start, ending: ending.to_owned() }
    }

    /// Drops what no answer can depend on, so that states that differ in nothing else become one: the referee's notes, and
    /// (unless requests carry identities) the identities that clients know.
    pub(super) fn forget_notes(&mut self, consumers: usize, keeps_identities: bool) {
        self.state.history.deliberate.clear();
        self.state.history.sends.clear();
        let owner = self.owner_mut();
        owner.ghost.accounted.clear();
        owner.ghost.positions.clear();
        owner.ghost.acknowledged.clear();
        owner.ghost.granted = None;
        let disk = &mut owner.disk;
        let files = owner.bookmarks.values_mut().chain(disk.durable.bookmarks.values_mut());
        for file in files.chain(disk.saved_bookmarks.values_mut()) {
            file.origin = Origin::Deliberate { client: 0, request: 0 };
            file.written_in = History::default();
            file.automatic = false;
        }
        if let NodeState::Producer(producer) = Arc::make_mut(&mut self.state.actor_states[PRODUCER_INDEX]) {
            producer.begun = 0;
            producer.waiting = 0;
        }
        for index in 0..consumers {
            let consumer = self.consumer_mut(u8::try_from(index).unwrap_or(u8::MAX));
            for batch in &mut consumer.batches {
                batch.assignment = 0;
                if !keeps_identities {
                    batch.context = Context::default();
                }
            }
            if let Some((_, assignment)) = &mut consumer.route {
                *assignment = 0;
            }
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.state == other.state && self.firsts == other.firsts && self.reads == other.reads
    }

    fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        self.firsts.hash(&mut hasher);
        self.reads.hash(&mut hasher);
        hasher.finish()
    }
}

/// Distinct beliefs, in the order in which they were found.
#[derive(Default)]
pub(super) struct Beliefs {
    all: Vec<Belief>,
    by_fingerprint: BTreeMap<u64, Vec<usize>>,
}

impl Beliefs {
    /// Adds a belief, and tells whether it is new.
    pub(super) fn add(&mut self, belief: Belief) -> bool {
        let places = self.by_fingerprint.entry(belief.fingerprint()).or_default();
        if places.iter().any(|place| self.all[*place].is_same(&belief)) {
            return false;
        }
        places.push(self.all.len());
        self.all.push(belief);
        true
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Belief> {
        self.all.get(index)
    }

    pub(super) fn into_all(self) -> Vec<Belief> {
        self.all
    }
}
