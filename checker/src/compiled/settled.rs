//! Memory for the innermost loop. What was *settled* between two blocks of states is looked up without any lock; what
//! threads add meanwhile is *fresh* and stands under a lock, until all threads have come together.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::actor_system::ActorSystem;
use crate::guide::Guide;

use super::network::deliverable;
use super::situation::{Local, local_events};
use super::tables::{Tables, event_of, flow};

/// What a mutex guards. After a panic of another thread the exploration ends anyway.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A key of a [`Memo`].
pub(super) trait Key: Copy + Eq {
    /// A key that is never used.
    const NEVER: Self;

    /// A hash of which the upper bits are good.
    fn spread(self) -> u64;
}

/// Two numbers as one: the processor handles it faster than a pair.
#[inline]
pub(super) fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

impl Key for u64 {
    const NEVER: Self = u64::MAX;

    #[inline]
    fn spread(self) -> u64 {
        (self ^ self >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

impl Key for (u64, u32) {
    const NEVER: Self = (u64::MAX, u32::MAX);

    #[inline]
    fn spread(self) -> u64 {
        self.0.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).wrapping_add(u64::from(self.1)).spread()
    }
}

/// Results that are computed once.
pub(super) struct Memo<K, V> {
    settled: Places<K, V>,
    fresh: Apart<Mutex<Places<K, V>>>,
}

/// Something in memory of its own: what one thread writes must not lie beside what all others read.
#[repr(align(128))]
pub(super) struct Apart<T>(pub(super) T);

impl<K: Key, V: Copy + Default> Memo<K, V> {
    /// Nothing remembered.
    pub(super) fn new() -> Self {
        Self { settled: Places::new(), fresh: Apart(Mutex::new(Places::new())) }
    }

    /// The remembered result, or else the computed one, which is remembered.
    #[inline(always)]
    pub(super) fn get_or(&self, key: K, compute: impl FnOnce() -> V) -> V {
        match self.settled.find(key) {
            Some(value) => value,
            None => self.fresh_or(key, compute),
        }
    }

    #[cold]
    fn fresh_or(&self, key: K, compute: impl FnOnce() -> V) -> V {
        let known = lock(&self.fresh.0).find(key);
        known.unwrap_or_else(|| {
            // Not under the lock, since it may take long; two threads that compute the same get the same.
            let value = compute();
            lock(&self.fresh.0).insert(key, value);
            value
        })
    }

    /// Makes what is fresh settled.
    pub(super) fn settle(&mut self) {
        let fresh = self.fresh.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if fresh.len > 0 {
            for (key, value) in std::mem::replace(fresh, Places::new()).places {
                if key != K::NEVER {
                    self.settled.insert(key, value);
                }
            }
        }
    }
}

/// A table with open addressing, at most half full: a look-up is one multiplication and mostly one place.
pub(super) struct Places<K, V> {
    places: Vec<(K, V)>,
    len: usize,
}

impl<K: Key, V: Copy + Default> Places<K, V> {
    /// An empty table.
    pub(super) fn new() -> Self {
        Self { places: vec![(K::NEVER, V::default()); 16], len: 0 }
    }

    /// The place of a key, or the free place for it.
    #[inline(always)]
    fn place(&self, key: K) -> usize {
        let mask = self.places.len() - 1;
        let mut place = (key.spread() >> (64 - self.places.len().trailing_zeros())) as usize;
        while self.places[place & mask].0 != key && self.places[place & mask].0 != K::NEVER {
            place += 1;
        }
        place & mask
    }

    #[inline(always)]
    pub(super) fn find(&self, key: K) -> Option<V> {
        let (known, value) = self.places[self.place(key)];
        (known == key).then_some(value)
    }

    fn insert(&mut self, key: K, value: V) {
        let place = self.place(key);
        if self.places[place].0 != key {
            self.places[place] = (key, value);
            self.len += 1;
            self.grow_if_full();
        }
    }

    /// The value of a key, at first the default.
    #[inline]
    pub(super) fn value_mut(&mut self, key: K) -> &mut V {
        let mut place = self.place(key);
        if self.places[place].0 != key {
            self.insert(key, V::default());
            place = self.place(key);
        }
        &mut self.places[place].1
    }

    /// All keys with their values, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (K, V)> + '_ {
        self.places.iter().copied().filter(|(key, _)| *key != K::NEVER)
    }

    fn grow_if_full(&mut self) {
        if self.len * 2 > self.places.len() {
            let larger = vec![(K::NEVER, V::default()); self.places.len() * 2];
            for (key, value) in std::mem::replace(&mut self.places, larger) {
                if key != K::NEVER {
                    let place = self.place(key);
                    self.places[place] = (key, value);
                }
            }
        }
    }
}

/// Lists, by number, in one piece of memory.
pub(super) struct Lists<T> {
    /// Where each list ends.
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { ends: vec![0], items: Vec::new() }
    }
}

impl<T> Lists<T> {
    /// How many lists there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.ends.push(self.items.len() as u32);
    }

    /// The list with this number.
    #[inline(always)]
    pub(super) fn list(&self, number: u32) -> &[T] {
        let number = number as usize;
        &self.items[self.ends[number] as usize..self.ends[number + 1] as usize]
    }
}

/// What the innermost loop must know about values, by their numbers.
#[derive(Default)]
pub(super) struct Settled {
    /// By envelope: its place in the order of Stateright's deliveries.
    ranks: Vec<u32>,
    /// The envelopes in this order.
    order: Vec<u32>,
    /// By envelope: the event that it is lost; only on a lossy network.
    losses: Vec<u32>,
    /// By local event: its kind and its place among those of its kind; for a loss the envelope.
    local_order: Vec<(u32, u32)>,
    /// By inbox: what can be delivered.
    pub(super) deliverable: Lists<u32>,
    /// By situation: the events of the actor that need no message, except that it crashes.
    pub(super) local_events: Lists<u32>,
    /// By situation: the event that the actor crashes; none if it has crashed.
    pub(super) crashes: Vec<Option<u32>>,
    /// Whether any situation has local events.
    pub(super) has_local_events: bool,
    /// By number of moves: the column and the delta of each.
    pub(super) moves: Lists<(u32, u32)>,
    /// By class: the clauses that must see more than the step.
    pub(super) depends: Lists<u32>,
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
        self.actor_kinds.settle();
        self.settle_envelopes();
        self.settle_situations();
        self.settle_locals();
        let (kind, known) = (self.kind, self.settled.deliverable.len());
        let (inboxes, envelopes) = (self.inboxes.read(), self.envelopes.read());
        for inbox in &inboxes.list()[known..] {
            self.settled.deliverable.push(deliverable(kind, inbox, |envelope| flow(envelopes.get(envelope))));
        }
        for moves in &self.moves.read().list()[self.settled.moves.len()..] {
            self.settled.moves.push(moves.iter().copied());
        }
        for class in &self.classes.read().list()[self.settled.depends.len()..] {
            self.settled.depends.push(class.depends());
        }
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
            let is_before =
                |other: &u32| envelopes.get(*other).cmp(envelopes.get(number)).then(other.cmp(&number)).is_lt();
            let place = self.settled.order.partition_point(is_before);
            self.settled.order.insert(place, number);
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
        for situation in &situations.list()[self.settled.crashes.len()..] {
            let number = |local| event_of(self.locals.intern(local));
            let events: Vec<u32> = local_events(situation).into_iter().map(number).collect();
            self.settled.has_local_events |= can_crash || !events.is_empty();
            self.settled.local_events.push(events);
            self.settled.crashes.push((!situation.is_crashed).then(|| number(Local::Crash(situation.index))));
        }
    }

    fn settle_locals(&mut self) {
        let locals = self.locals.read();
        if self.settled.local_order.len() == locals.list().len() {
            return;
        }
        let mut order: Vec<u32> = (0..locals.list().len() as u32).collect();
        order.sort_by(|left, right| locals.get(*left).compare(locals.get(*right)));
        self.settled.local_order.resize(order.len(), (0, 0));
        for (rank, number) in (0..).zip(order) {
            self.settled.local_order[number as usize] = match **locals.get(number) {
                Local::Drop(envelope) => (0, envelope),
                _ => (2, rank),
            };
        }
    }

    /// The place of an event in the order of Stateright's actions. Of two events it is always the same that is first.
    #[inline]
    pub(super) fn order(&self, event: u32) -> (u32, u32) {
        let rank = |envelope: u32| self.settled.ranks[envelope as usize];
        if event & 1 == 0 {
            return (1, rank(event >> 1));
        }
        match self.settled.local_order[(event >> 1) as usize] {
            (0, envelope) => (0, rank(envelope)),
            other => other,
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
        *self.settled.guides[number as usize].insert((self.guide.progress(&guide), self.guide.is_finished(&guide)))
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
