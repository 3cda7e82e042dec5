//! All power-loss images of a policy, each once.

use std::collections::HashSet;

use super::MemoryStorage;
use super::choice::ImageChoice;
use super::image::{Fate, torn_length};
use super::policy::{Policy, Rules};
use super::tree::{Fingerprint, Tree};

/// More unsynced operations than this are never enumerated, whatever the cap.
const MOST_OPERATIONS: usize = 512;

/// A power-loss image: what survives, and what is found then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The operations that survive. [`MemoryStorage::image`] gives the file system.
    pub choice: ImageChoice,
    /// What is found. No two images of a set have the same.
    pub fingerprint: Fingerprint,
}

/// The power-loss images of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSet {
    /// The policy.
    pub policy: Policy,
    /// Distinct images. The first is the one that keeps least; then the one that keeps most, if it differs.
    pub images: Vec<Image>,
    /// How many subsets were looked at.
    pub examined: u64,
    /// How many subsets the policy allows. If the set is capped this is an upper limit: the number of subsets with torn
    /// variants without regard to what operations need.
    pub subsets: u128,
    /// Whether subsets were left out because there were more than the cap.
    pub capped: bool,
}

impl MemoryStorage {
    /// How many subsets are looked at before corners and samples take their place.
    pub const USUAL_CAP: u64 = 4096;

    /// The power-loss images that a policy allows now, each once by what is found.
    ///
    /// If there are more than `cap` subsets, these are looked at instead: all lost, all kept, every single deviation from
    /// both (with what must follow from it), then samples drawn from `seed` until `cap` subsets were looked at. The result
    /// says so. The corners and the deviations are looked at even if they alone are more than the cap.
    pub fn images(&self, policy: Policy, cap: u64, seed: u64) -> ImageSet {
        let rules = Rules::of(self, policy);
        let mut search = Search { storage: self, rules, seen: HashSet::new(), images: Vec::new(), examined: 0 };
        if policy != Policy::KeepAll {
            search.look_at(&search.least());
        }
        if policy != Policy::DropAll {
            search.look_at(&search.most());
        }
        let (mut subsets, mut capped) = (1, false);
        if matches!(policy, Policy::PosixWeak | Policy::Ext4Ordered) {
            match search.count(cap) {
                Some(count) => {
                    subsets = u128::from(count);
                    search.examined = 0;
                    let mut fates = Vec::new();
                    search.enumerate(&mut fates, self.durable.clone());
                }
                None => {
                    (subsets, capped) = (search.limit(), true);
                    search.deviations();
                    search.samples(cap, seed);
                }
            }
        }
        ImageSet { policy, images: search.images, examined: search.examined, subsets, capped }
    }
}

struct Search<'a> {
    storage: &'a MemoryStorage,
    rules: Rules,
    seen: HashSet<Fingerprint>,
    images: Vec<Image>,
    examined: u64,
}

impl Search<'_> {
    /// What can become of the next operation, after what became of those before it: one to three fates.
    fn options(&self, fates: &[Fate]) -> ([Fate; 3], usize) {
        let index = fates.len();
        let one = |fate| ([fate; 3], 1);
        if self.rules.forced[index] {
            return one(Fate::Kept);
        }
        if self.rules.paired[index] {
            return one(fates[index - 1]);
        }
        if self.rules.needs[index].iter().any(|&needed| fates[needed] != Fate::Kept) {
            return one(Fate::Lost);
        }
        match torn_length(&self.storage.operations[index]) {
            Some(length) => ([Fate::Lost, Fate::Kept, Fate::Torn(length)], 3),
            None => ([Fate::Lost, Fate::Kept, Fate::Lost], 2),
        }
    }

    /// A subset made operation by operation by `choose`, which gets the index and the possible fates.
    fn made(&self, mut choose: impl FnMut(usize, &[Fate]) -> Fate) -> Vec<Fate> {
        let count = self.storage.operations.len();
        let mut fates = Vec::with_capacity(count);
        for index in 0..count {
            let (options, number) = self.options(&fates);
            let fate = choose(index, &options[..number]);
            fates.push(fate);
        }
        fates
    }

    fn least(&self) -> Vec<Fate> {
        self.made(|_, options| options[0])
    }

    fn most(&self) -> Vec<Fate> {
        self.made(|_, options| options[options.len().min(2) - 1])
    }

    /// The number of subsets, unless it is above the cap.
    fn count(&self, cap: u64) -> Option<u64> {
        let fixed = self.rules.forced.iter().zip(&self.rules.paired).filter(|(forced, paired)| **forced || **paired);
        let free = self.rules.forced.len() - fixed.count();
        // A subset for each operation that is the last to be kept: at least so many there are.
        if free > MOST_OPERATIONS || free as u64 >= cap {
            return None;
        }
        let mut count = 0;
        self.count_from(&mut Vec::new(), cap, &mut count);
        (count <= cap).then_some(count)
    }

    fn count_from(&self, fates: &mut Vec<Fate>, cap: u64, count: &mut u64) {
        if *count > cap {
            return;
        }
        if fates.len() == self.storage.operations.len() {
            *count += 1;
            return;
        }
        let (options, number) = self.options(fates);
        for &fate in &options[..number] {
            fates.push(fate);
            self.count_from(fates, cap, count);
            fates.pop();
        }
    }

    /// An upper limit of the number of subsets.
    fn limit(&self) -> u128 {
        let free = self.storage.operations.iter().zip(&self.rules.forced).filter(|(_, forced)| !**forced);
        let fates = free.map(|(operation, _)| if torn_length(operation).is_some() { 3 } else { 2 });
        fates.fold(1, u128::saturating_mul)
    }

    /// Looks at every subset; `tree` is the file system so far.
    fn enumerate(&mut self, fates: &mut Vec<Fate>, tree: Tree) {
        let Some(operation) = self.storage.operations.get(fates.len()) else {
            self.found(fates, &tree);
            return;
        };
        let (options, number) = self.options(fates);
        for &fate in &options[..number] {
            let mut tree = tree.clone();
            match fate {
                Fate::Lost => {}
                Fate::Kept => tree.apply(&operation.change, None),
                Fate::Torn(length) => tree.apply(&operation.change, Some(length)),
            }
            fates.push(fate);
            self.enumerate(fates, tree);
            fates.pop();
        }
    }

    fn look_at(&mut self, fates: &[Fate]) {
        let mut tree = self.storage.durable.clone();
        for (operation, fate) in self.storage.operations.iter().zip(fates) {
            match fate {
                Fate::Lost => {}
                Fate::Kept => tree.apply(&operation.change, None),
                Fate::Torn(length) => tree.apply(&operation.change, Some(*length)),
            }
        }
        self.found(fates, &tree);
    }

    fn found(&mut self, fates: &[Fate], tree: &Tree) {
        self.examined += 1;
        let fingerprint = tree.fingerprint(&self.storage.names);
        if self.seen.insert(fingerprint) {
            self.images.push(Image { choice: self.storage.choice(fates), fingerprint });
        }
    }

    /// Both corners with one operation that fares otherwise.
    fn deviations(&mut self) {
        for index in 0..self.storage.operations.len() {
            if self.rules.forced[index] {
                continue;
            }
            // From all lost: this one, and what it needs; and the same with a torn write.
            let wanted = self.with_needs(index);
            let alone = self.made(|at, options| keep_if(wanted[at], options));
            self.look_at(&alone);
            let torn = self.made(|at, options| if at == index { last(options) } else { keep_if(wanted[at], options) });
            // From all kept: without this one; and with it torn. What needs it goes with it.
            let without = self.made(|at, options| keep_if(at != index, options));
            let damaged = self.made(|at, options| if at == index { last(options) } else { keep_if(true, options) });
            self.look_at(&without);
            if torn_length(&self.storage.operations[index]).is_some() {
                self.look_at(&torn);
                self.look_at(&damaged);
            }
        }
    }

    /// An operation with all that it needs, and with its other half.
    fn with_needs(&self, index: usize) -> Vec<bool> {
        let count = self.storage.operations.len();
        let mut wanted = vec![false; count];
        wanted[index] = true;
        for at in (0..count).rev() {
            if self.rules.paired[at] && (wanted[at] || wanted[at - 1]) {
                wanted[at] = true;
                wanted[at - 1] = true;
            }
            if wanted[at] {
                for &needed in &self.rules.needs[at] {
                    wanted[needed] = true;
                }
            }
        }
        wanted
    }

    fn samples(&mut self, cap: u64, seed: u64) {
        let mut random = seed;
        while self.examined < cap {
            let fates = self.made(|_, options| options[(next_random(&mut random) % options.len() as u64) as usize]);
            self.look_at(&fates);
        }
    }
}

/// The operation kept if it is wanted, and lost if not, as far as there is a choice.
fn keep_if(wanted: bool, options: &[Fate]) -> Fate {
    if wanted { options[options.len().min(2) - 1] } else { options[0] }
}

/// The torn variant, if there is one.
fn last(options: &[Fate]) -> Fate {
    options[options.len() - 1]
}

/// The next number of a fixed, seeded sequence (the mixing of SplitMix64), so that samples are the same everywhere.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
