//! Judgements of steps that depend on actors which do not act, remembered for a while: an exploration meets the same actors
//! again and again with other messages under way.

use crate::actor_system::Elsewhere;

use super::intern::{NOTHING, mix};
use super::step::Kind;

/// How many judgements are remembered.
const PLACES: usize = 1 << 15;

/// What clauses said of the latest steps. Each judgement stands under a key with all that it depends on: the step, and the
/// situations of the actors at which the clause ever looked. Whether a key is the same is decided by all of it.
#[derive(Default)]
pub(super) struct Judged {
    /// By clause: at which actors it looked so far.
    elsewhere: Vec<Elsewhere>,
    /// The key of the step that is asked about, and its place.
    key: Vec<u32>,
    place: usize,
    /// By place: its key and what was said.
    keys: Vec<u32>,
    kinds: Vec<Kind>,
}

impl Judged {
    /// Asks about what a clause says of a step: of the actor `acting`, with this event and in this context.
    pub(super) fn ask(&mut self, clause: u32, [event, context]: [u32; 2], situations: &[u32], acting: usize) {
        if self.elsewhere.len() <= clause as usize {
            self.elsewhere.resize(clause as usize + 1, Elsewhere::default());
        }
        let elsewhere = self.elsewhere[clause as usize];
        let seen = situations.iter().enumerate().map(|(index, situation)| {
            // Nothing stands for what makes no difference; it is the number of no situation.
            if index == acting || elsewhere.has(index) { *situation } else { NOTHING }
        });
        self.key.clear();
        self.key.extend([clause, event, context]);
        self.key.extend(seen);
        let hash = self.key.iter().fold(0, |hash, cell| mix(hash ^ u64::from(*cell)));
        self.place = hash as usize % PLACES;
        if self.keys.len() != PLACES * self.key.len() {
            // No key begins with this number, since no clause has it.
            self.keys = vec![NOTHING; PLACES * self.key.len()];
            self.kinds = vec![Kind::default(); PLACES];
        }
    }

    /// What was said, if it is remembered.
    pub(super) fn answer(&self) -> Option<Kind> {
        let known = &self.keys[self.place * self.key.len()..][..self.key.len()];
        (known == self.key).then(|| self.kinds[self.place])
    }

    /// Notes at which actors a clause looked. After that, ask again before you [remember](Self::remember).
    pub(super) fn note(&mut self, clause: u32, elsewhere: Elsewhere) {
        let known = &mut self.elsewhere[clause as usize];
        *known = known.with(elsewhere);
    }

    /// Remembers what was said.
    pub(super) fn remember(&mut self, kind: Kind) {
        let width = self.key.len();
        self.keys[self.place * width..][..width].copy_from_slice(&self.key);
        self.kinds[self.place] = kind;
    }
}
