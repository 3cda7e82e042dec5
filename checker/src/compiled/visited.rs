//! Finds states by hash. Which number belongs to a state is decided by comparing all of its cells: the hash decides nothing.

use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

use super::intern::mix;

/// A place in a shard that holds no state.
const EMPTY: u64 = u64::MAX;

/// How many places a shard has at first.
const FIRST_PLACES: usize = 64;

/// How many shards there are: each grows on its own, so that growing never doubles the memory.
const SHARDS: usize = 64;

/// The numbers of the states, in shards by hash; each shard has one owner among the threads, who alone adds to it.
pub(super) struct Visited {
    owners: Vec<RwLock<Shards>>,
}

impl Visited {
    /// No states; `owners` threads will add some.
    pub(super) fn new(owners: usize) -> Self {
        let shards = || (0..SHARDS.div_ceil(owners)).map(|_| Shard::new()).collect();
        Self { owners: (0..owners).map(|_| RwLock::new(Shards { shards: shards(), owners })).collect() }
    }

    /// Who owns the shard of a hash.
    #[inline]
    pub(super) fn owner(&self, hash: u64) -> usize {
        let owners = self.owners.len();
        if owners == 1 { 0 } else { shard_of(hash) % owners }
    }

    /// The shards of an owner, to add to them.
    pub(super) fn of_owner(&self, owner: usize) -> RwLockWriteGuard<'_, Shards> {
        self.owners[owner].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a state with this hash for which `is_same` holds.
    pub(super) fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        let shards = self.owners[self.owner(hash)].read().unwrap_or_else(PoisonError::into_inner);
        shards.shards[shard_of(hash) / shards.owners].find(hash, is_same).ok()
    }
}

/// The shards of one owner, in memory apart from that of other owners.
#[repr(align(128))]
pub(super) struct Shards {
    shards: Vec<Shard>,
    owners: usize,
}

impl Shards {
    /// The number of the state with this hash for which `is_same` holds; if there is none, the state gets the number `number`.
    #[inline]
    pub(super) fn find_or_insert(&mut self, hash: u64, number: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        let shard = &mut self.shards[shard_of(hash) / self.owners];
        match shard.find(hash, is_same) {
            Ok(known) => Some(known),
            Err(place) => {
                shard.fill(place, hash, number);
                None
            }
        }
    }

    /// Reads the places where states with these hashes would be, and then the states that probably are there: the processor
    /// waits for the memory of all of them at once.
    #[inline]
    pub(super) fn touch(&self, hashes: impl Iterator<Item = u64> + Clone, state: impl Fn(u32) -> u32) {
        let at_home = |hash: u64| {
            let shard = &self.shards[shard_of(hash) / self.owners];
            shard.places[shard.home(hash)]
        };
        std::hint::black_box(hashes.clone().map(at_home).fold(0, |seen, place| seen ^ place));
        let read_state = |hash: u64| {
            let known = at_home(hash);
            if known >> 32 == hash >> 32 { state(known as u32) } else { 0 }
        };
        std::hint::black_box(hashes.map(read_state).fold(0, |seen, cell| seen ^ cell));
    }

    /// Gives states other numbers: for each its hash, the number that it has, and the number that it gets.
    pub(super) fn renumber(&mut self, moves: impl Iterator<Item = (u64, u32, u32)>) {
        // All are found before one is changed: with a new number one could be taken for another that has it still and shares half its hash.
        let place = |(hash, number, better): (u64, u32, u32)| {
            let shard = shard_of(hash) / self.owners;
            (shard, self.shards[shard].place(hash, |other| other == number), entry(hash, better))
        };
        let places: Vec<(usize, usize, u64)> =
            moves.filter(|(_, number, better)| number != better).map(place).collect();
        for (shard, place, entry) in places {
            self.shards[shard].places[place] = entry;
        }
    }
}

/// Which shard a hash belongs to: by other bits than those that choose the place, else parts of each shard would stay empty.
#[inline]
fn shard_of(hash: u64) -> usize {
    (hash & (SHARDS as u64 - 1)) as usize
}

/// What stands in a place: the upper half of the hash, and the number.
#[inline]
fn entry(hash: u64, number: u32) -> u64 {
    hash >> 32 << 32 | u64::from(number)
}

/// A part of the table: open addressing, the places in the order of the hashes.
struct Shard {
    places: Vec<u64>,
    len: usize,
}

impl Shard {
    fn new() -> Self {
        Self { places: vec![EMPTY; FIRST_PLACES], len: 0 }
    }

    /// Where a state would be, if it were alone. It depends on the upper half of the hash only, which is kept.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        let spread = mix(hash >> 32) >> 32;
        ((spread * self.places.len() as u64) >> 32) as usize
    }

    /// The place of a number with this hash for which `is_it` holds, or else the free place for it.
    #[inline]
    fn place(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> usize {
        let mut place = self.home(hash);
        loop {
            let known = self.places[place];
            if known == EMPTY || known >> 32 == hash >> 32 && is_it(known as u32) {
                return place;
            }
            place = if place + 1 == self.places.len() { 0 } else { place + 1 };
        }
    }

    /// The number of a state, or else the free place for it.
    #[inline]
    fn find(&self, hash: u64, is_same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let place = self.place(hash, is_same);
        let known = self.places[place];
        if known == EMPTY { Err(place) } else { Ok(known as u32) }
    }

    #[inline]
    fn fill(&mut self, place: usize, hash: u64, number: u32) {
        self.places[place] = entry(hash, number);
        self.len += 1;
        if self.len * 4 > self.places.len() * 3 {
            self.grow();
        }
    }

    /// Makes the shard half as large again.
    #[cold]
    fn grow(&mut self) {
        let places = vec![EMPTY; self.places.len() + self.places.len() / 2];
        for known in std::mem::replace(&mut self.places, places) {
            if known != EMPTY {
                // Each stands there once already, so no number is the same.
                let place = self.place(known, |_| false);
                self.places[place] = known;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTY, Visited, entry, mix};

    #[test]
    fn given_many_states_when_added_by_their_owners_should_find_each_by_its_number() {
        for owners in [1, 2, 3, 64] {
            let visited = Visited::new(owners);
            let mut states = Vec::new();
            for state in (0..30_000_u64).map(|number| (number * number) % 20_011) {
                let (owner, number) = (visited.owner(mix(state)), states.len() as u32);
                let is_same = |other: u32| states.get(other as usize) == Some(&state);
                if visited.of_owner(owner).find_or_insert(mix(state), number, is_same).is_none() {
                    states.push(state);
                }
            }
            for (number, state) in (0..).zip(&states) {
                let owner = visited.owner(mix(*state));
                visited.of_owner(owner).renumber([(mix(*state), number, number + 1_000_000)].into_iter());
                let is_same = |other: u32| states.get(other as usize - 1_000_000) == Some(state);
                assert_eq!(visited.find(mix(*state), is_same), Some(number + 1_000_000));
            }
            assert_eq!(states.len(), 10_006, "squares modulo the prime 20,011");
        }
    }

    #[test]
    fn given_states_that_share_half_a_hash_when_they_swap_numbers_should_keep_them_apart() {
        let visited = Visited::new(1);
        let hashes = [7, 7 + (1 << 20)];
        for (number, hash) in (0..).zip(hashes) {
            assert_eq!(visited.of_owner(0).find_or_insert(hash, number, |other| other == number), None);
        }
        visited.of_owner(0).renumber([(hashes[0], 0, 1), (hashes[1], 1, 0)].into_iter());
        let places: Vec<u64> = visited
            .of_owner(0)
            .shards
            .iter()
            .flat_map(|shard| shard.places.clone())
            .filter(|it| *it != EMPTY)
            .collect();
        assert_eq!(places, [entry(7, 1), entry(7, 0)], "each stands in its place, with the number of the other");
    }

    #[test]
    fn given_states_that_share_one_hash_when_added_should_tell_them_apart() {
        let visited = Visited::new(1);
        for number in 0..500 {
            assert_eq!(visited.of_owner(0).find_or_insert(7, number, |other| other == number), None);
            assert_eq!(visited.of_owner(0).find_or_insert(7, number, |other| other == number), Some(number));
        }
    }
}
