//! Memory for the innermost loop. What was *settled* between two blocks of states is looked up without any lock; what
//! threads add meanwhile is *fresh* and stands under a lock, until all threads have come together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashTable;

use crate::actor_system::ActorSystem;
use crate::guide::Guide;

use super::intern::mix;
use super::network::deliverable;
use super::situation::{LOCAL_KINDS, Local, local_events};
use super::tables::{Tables, event_of};

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A key of a [`Memo`].
pub(super) trait Key: Copy + Eq {
    /// A hash of which all bits are good.
    fn spread(self) -> u64;
}

impl Key for u64 {
    #[inline]
    fn spread(self) -> u64 {
        mix(self)
    }
}

impl Key for [u32; 3] {
    #[inline]
    fn spread(self) -> u64 {
        let [first, second, third] = self.map(u64::from);
        mix(mix(first << 32 | second) ^ third)
    }
}

/// Results that are computed once.
pub(super) struct Memo<K, V> {
    settled: HashTable<(K, V)>,
    fresh: Mutex<HashTable<(K, V)>>,
}

impl<K: Key, V: Copy> Memo<K, V> {
    /// Nothing remembered.
    pub(super) fn new() -> Self {
        Self { settled: HashTable::new(), fresh: Mutex::new(HashTable::new()) }
    }

    /// The remembered result, or else the computed one, which is remembered.
    #[inline]
    pub(super) fn get_or(&self, key: K, compute: impl FnOnce() -> V) -> V {
        match self.settled.find(key.spread(), |(known, _)| *known == key) {
            Some((_, value)) => *value,
            None => self.fresh_or(key, compute),
        }
    }

    fn fresh_or(&self, key: K, compute: impl FnOnce() -> V) -> V {
        let find = |table: &HashTable<(K, V)>| {
            table.find(key.spread(), |(known, _)| *known == key).map(|(_, value)| *value)
        };
        let known = find(&lock(&self.fresh));
        known.unwrap_or_else(|| {
            // Not under the lock, since it may take long; two threads that compute the same get the same.
            let value = compute();
            let mut fresh = lock(&self.fresh);
            if find(&fresh).is_none() {
                fresh.insert_unique(key.spread(), (key, value), |(key, _)| key.spread());
            }
            value
        })
    }

    /// Makes what is fresh settled.
    pub(super) fn settle(&mut self) {
        for (key, value) in self.fresh.get_mut().unwrap_or_else(PoisonError::into_inner).drain() {
            self.settled.insert_unique(key.spread(), (key, value), |(key, _)| key.spread());
        }
    }
}

/// What the innermost loop must know about values, by their numbers.
#[derive(Default)]
pub(super) struct Settled {
    /// By envelope: its place in the order of Stateright's deliveries.
    pub(super) ranks: Vec<u32>,
    /// By envelope: the index of the receiver.
    pub(super) receivers: Vec<u32>,
    /// The envelopes in this order.
    order: Vec<u32>,
    /// By envelope: the event that it is lost; only on a lossy network.
    losses: Vec<u32>,
    /// By inbox: what can be delivered.
    pub(super) deliverable: Vec<Vec<u32>>,
    /// By situation: the events of the actor that need no message, by kind.
    pub(super) local_events: Vec<[Vec<u32>; LOCAL_KINDS]>,
    /// By situation: whether the actor has crashed.
    pub(super) is_crashed: Vec<bool>,
    /// Whether any situation has local events.
    pub(super) has_local_events: bool,
    /// By number of moves: the column and the delta of each.
    pub(super) moves: Vec<Vec<(u32, u32)>>,
    /// By context: the state of the guide.
    guide_of: Vec<u32>,
    /// By state of the guide, if a state of the system was added with it: how far it is, and whether it has reached its end.
    guides: Vec<Option<(usize, bool)>>,
}

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// Makes settled what threads added.
    pub(super) fn settle(&mut self) {
        self.reactions.settle();
        self.steps.settle();
        self.inbox_steps.settle();
        self.settle_envelopes();
        self.settle_situations();
        let (kind, known) = (self.kind, self.settled.deliverable.len());
        let (inboxes, envelopes) = (self.inboxes.read(), self.envelopes.read());
        let heads = |inbox: &Arc<Vec<u32>>| deliverable(kind, inbox, |envelope| envelopes.get(envelope).src);
        self.settled.deliverable.extend(inboxes.list()[known..].iter().map(heads));
        let moves = self.moves.read();
        self.settled.moves.extend(moves.list()[self.settled.moves.len()..].iter().map(|moves| moves.to_vec()));
        let contexts = self.contexts.read();
        self.settled.guide_of.extend(contexts.list()[self.settled.guide_of.len()..].iter().map(|context| context.1));
        self.settled.guides.resize(self.guides.read().list().len(), None);
    }

    fn settle_envelopes(&mut self) {
        let envelopes = self.envelopes.read();
        let (known, all) = (self.settled.order.len(), envelopes.list().len());
        if known == all {
            return;
        }
        for number in known as u32..all as u32 {
            // Equal only if they are the same, even if the order of the messages is coarser than their equality.
            let is_before = |other: &u32| {
                envelopes.get(*other).cmp(envelopes.get(number)).then(other.cmp(&number)).is_lt()
            };
            let place = self.settled.order.partition_point(is_before);
            self.settled.order.insert(place, number);
            self.settled.receivers.push(usize::from(envelopes.get(number).dst) as u32);
            if self.is_lossy() {
                self.settled.losses.push(event_of(self.locals.intern(Local::Drop(number))));
            }
        }
        self.settled.ranks.resize(all, 0);
        for (rank, number) in (0..).zip(&self.settled.order) {
            self.settled.ranks[*number as usize] = rank;
        }
    }

    fn settle_situations(&mut self) {
        let situations = self.situations.read();
        let can_crash = self.model().max_crashes > 0;
        for situation in &situations.list()[self.settled.is_crashed.len()..] {
            let number = |local| event_of(self.locals.intern(local));
            let events: [Vec<u32>; LOCAL_KINDS] =
                local_events(situation, can_crash).map(|events| events.into_iter().map(number).collect());
            self.settled.has_local_events |= events.iter().any(|events| !events.is_empty());
            self.settled.local_events.push(events);
            self.settled.is_crashed.push(situation.is_crashed);
        }
    }

    /// The event that an envelope is lost.
    pub(super) fn loss_of(&self, envelope: u32) -> u32 {
        self.settled.losses[envelope as usize]
    }

    /// How far the guide is in a state that is added, and whether it has reached its end.
    #[inline]
    pub(super) fn guide_at(&mut self, row: &[u32]) -> (usize, bool) {
        let number = self.settled.guide_of[row[self.layout.context()] as usize];
        if let Some(known) = self.settled.guides[number as usize] {
            return known;
        }
        let guide = self.guides.get(number);
        *self.settled.guides[number as usize]
            .insert((self.guide.progress(&guide), self.guide.is_finished(&guide)))
    }

    /// Whether nothing is to be looked for behind a state.
    #[inline]
    pub(super) fn is_cut(&self, row: &[u32]) -> bool {
        self.guide.stops_when_finished() && {
            let guide = self.settled.guide_of[row[self.layout.context()] as usize];
            self.settled.guides[guide as usize].is_some_and(|(_, is_finished)| is_finished)
        }
    }
}
