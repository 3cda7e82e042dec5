//! The states that were found, each kept whole and once.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::quality::FixedState;
use hashbrown::HashTable;

use crate::describe::Described;
use crate::engine::Trace;

use super::expand::Step;

/// Parent of the initial states.
const NO_PARENT: u32 = u32::MAX;

/// Most states that the ids can number.
pub(super) const MOST_IDS: u64 = NO_PARENT as u64;

/// Seed of the hash: fixed, although no result depends on it.
const SEED: u64 = 0x6665_6e63_6570_6f73;

/// A state of model x guide.
pub(super) struct Node<S, G> {
    pub(super) state: S,
    pub(super) guide: G,
}

/// From where a state was first reached: the parent and the index of the action among the actions of the parent;
/// for an initial state its index among the initial states of the model.
#[derive(Clone, Copy)]
struct Origin {
    parent: u32,
    action: u32,
}

/// A table entry. Half of the hash is enough to find the few candidates that full equality then decides about.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    id: u32,
}

/// Spreads the kept half of a hash over the bits that the table looks at.
pub(super) fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// All states found so far, numbered in the order in which they were found.
pub(super) struct Store<S, G> {
    nodes: Vec<Node<S, G>>,
    origins: Vec<Origin>,
    table: HashTable<Entry>,
    hasher: FixedState,
}

impl<S: Hash + PartialEq, G: Hash + PartialEq> Store<S, G> {
    /// The store without states.
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), origins: Vec::new(), table: HashTable::new(), hasher: FixedState::with_seed(SEED) }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The state with this id.
    pub(super) fn node(&self, id: u32) -> &Node<S, G> {
        &self.nodes[id as usize]
    }

    /// All states, in the order of their ids.
    pub(super) fn nodes(&self) -> &[Node<S, G>] {
        &self.nodes
    }

    /// The hash by which a state is looked up.
    pub(super) fn hash(&self, state: &S, guide: &G) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        state.hash(&mut hasher);
        guide.hash(&mut hasher);
        (hasher.finish() >> 32) as u32
    }

    /// The id of a state that is already known.
    pub(super) fn find(&self, hash: u32, state: &S, guide: &G) -> Option<u32> {
        let is_same = |entry: &Entry| {
            let node = self.node(entry.id);
            entry.hash == hash && node.state == *state && node.guide == *guide
        };
        self.table.find(spread(hash), is_same).map(|entry| entry.id)
    }

    /// Adds a state that is not known yet, reached by the action with index `action` from `parent` (`None`: initially).
    pub(super) fn add(&mut self, hash: u32, node: Node<S, G>, parent: Option<u32>, action: u32) -> u32 {
        let id = self.len();
        self.nodes.push(node);
        self.origins.push(Origin { parent: parent.unwrap_or(NO_PARENT), action });
        self.table.insert_unique(spread(hash), Entry { hash, id }, |entry| spread(entry.hash));
        id
    }

    /// The step that first led to a state; for an initial state its index among them.
    pub(super) fn found_by(&self, id: u32) -> Result<Step, usize> {
        let Origin { parent, action } = self.origins[id as usize];
        if parent == NO_PARENT { Err(action as usize) } else { Ok(Step { from: parent, action }) }
    }

    /// The action with the given index among the actions of a state.
    pub(super) fn action<M: Described<State = S>>(&self, model: &M, id: u32, index: u32) -> Option<M::Action> {
        let mut actions = Vec::new();
        model.actions(&self.node(id).state, &mut actions);
        actions.into_iter().nth(index as usize)
    }

    /// The first found, and so a shortest, way to a state.
    pub(super) fn trace<M: Described<State = S>>(&self, model: &M, id: u32) -> Trace<M::Action> {
        let mut actions = Vec::new();
        let mut at = id;
        loop {
            let origin = self.origins[at as usize];
            if origin.parent == NO_PARENT {
                actions.reverse();
                return Trace { initial: origin.action as usize, actions, loop_start: None };
            }
            actions.extend(self.action(model, origin.parent, origin.action));
            at = origin.parent;
        }
    }
}
