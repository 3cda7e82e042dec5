//! Ways by chance: a fixed sequence of random numbers chooses every step.

use super::session::Way;
use super::walker::Walker;

/// Numbers of Marsaglia's xorshift sequence.
pub struct Chance(u64);

impl Chance {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        // A sequence that starts at zero stays there; mixing keeps near seeds apart.
        Self((seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9) | 1)
    }

    /// The next number below a limit (0 if the limit is 0).
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0).checked_rem(limit).unwrap_or(0)
    }
}

/// One way of at most `length` steps.
pub fn way(walker: &Walker, chance: &mut Chance, length: usize) -> Way {
    let mut actions = Vec::new();
    let starts = walker.start();
    let initial = chance.below(starts.len());
    let Some(mut at) = starts.into_iter().nth(initial) else { return (0, actions) };
    for _ in 0..length {
        let mut possible = walker.possible(&at);
        if possible.is_empty() {
            break;
        }
        let (action, after, _) = possible.swap_remove(chance.below(possible.len()));
        actions.push(action);
        at = after;
    }
    (initial, actions)
}
