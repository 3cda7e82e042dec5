//! Numbers for values of any kind: equal values get equal numbers, found by hash and decided by full equality.

use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::settled::Apart;

/// Seed of the hashes: fixed, although no result depends on it.
const SEED: u64 = 0x6665_6e63_6570_6f73;

/// A number that stands for nothing.
pub(super) const NOTHING: u32 = u32::MAX;

/// Mixes the bits of a number so that every bit of the result depends on all of them.
#[inline]
pub(super) fn mix(number: u64) -> u64 {
    let product = u128::from(number ^ SEED) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
    (product >> 64) as u64 ^ product as u64
}

/// Values with their numbers, for what is met seldom: every look-up takes a lock, which readers share.
pub(super) struct Values<V> {
    known: Apart<RwLock<Known<V>>>,
    hasher: FixedState,
}

/// The values behind the lock.
pub(super) struct Known<V> {
    list: Vec<Arc<V>>,
    /// Half of the hash, and the number.
    table: HashTable<(u32, u32)>,
}

impl<V> Known<V> {
    /// The value with this number.
    pub(super) fn get(&self, number: u32) -> &Arc<V> {
        &self.list[number as usize]
    }

    /// All values in the order of their numbers.
    pub(super) fn list(&self) -> &[Arc<V>] {
        &self.list
    }
}

impl<V: PartialEq> Known<V> {
    fn find(&self, half: u32, value: &V) -> Option<u32> {
        let is_same = |&(other, number): &(u32, u32)| other == half && **self.get(number) == *value;
        self.table.find(mix(u64::from(half)), is_same).map(|(_, number)| *number)
    }

    fn add(&mut self, half: u32, value: V) -> u32 {
        let number = self.list.len() as u32;
        self.list.push(Arc::new(value));
        let spread = |&(half, _): &(u32, u32)| mix(u64::from(half));
        self.table.insert_unique(mix(u64::from(half)), (half, number), spread);
        number
    }
}

impl<V: Hash + PartialEq> Values<V> {
    /// No values.
    pub(super) fn new() -> Self {
        let known = Known { list: Vec::new(), table: HashTable::new() };
        Self { known: Apart(RwLock::new(known)), hasher: FixedState::with_seed(SEED) }
    }

    /// The number of a value, which is added if it is new.
    pub(super) fn intern(&self, value: V) -> u32 {
        let half = (self.hasher.hash_one(&value) >> 32) as u32;
        let known = self.read().find(half, &value);
        known.unwrap_or_else(|| {
            let mut known = self.known.0.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have added it meanwhile.
            known.find(half, &value).unwrap_or_else(|| known.add(half, value))
        })
    }

    /// The value with this number.
    pub(super) fn get(&self, number: u32) -> Arc<V> {
        Arc::clone(self.read().get(number))
    }

    /// All values, for several look-ups.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Known<V>> {
        self.known.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}
