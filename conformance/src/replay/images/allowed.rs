//! The states that the model allows after a power loss.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use fencepost_driver::Observation;
use fencepost_models::iggy::messages::{Envelope, Inner};
use fencepost_models::iggy::owner::Owner;
use fencepost_models::iggy::system::Address;

use super::compared;
use crate::replay::position::Position;
use crate::replay::walker::Walker;

/// More unsynced operations than this the model does not choose among.
pub(super) const MOST_UNSYNCED: usize = 8;

/// What may be recovered at one position.
#[derive(Debug, Default)]
pub(super) struct Fan {
    /// The states, each once.
    pub(super) states: Vec<Observation>,
    /// Subsets of the unsynced operations of the model.
    pub(super) subsets: u64,
}

/// An owner, and the names of the messages that it may have.
type Key = (Owner, BTreeMap<u8, u8>);

/// Remembers what may be recovered where.
#[derive(Default)]
pub(super) struct Allowed {
    known: HashMap<Key, Rc<Fan>>,
}

impl Allowed {
    /// What may be recovered after a power loss here. `None`: the model has more unsynced operations than it chooses among.
    pub(super) fn after_power_loss(&mut self, walker: &Walker, at: &Position) -> Option<Rc<Fan>> {
        let unsynced = at.owner().disk.unsynced.len();
        if unsynced > MOST_UNSYNCED {
            return None;
        }
        let key = (at.owner().clone(), at.firsts.clone());
        if let Some(fan) = self.known.get(&key) {
            return Some(Rc::clone(fan));
        }
        let mut fan = Fan { subsets: 1 << unsynced, ..Fan::default() };
        for mask in 0..1_u16 << unsynced {
            let mask = u8::try_from(mask).unwrap_or(u8::MAX);
            let power_loss = Envelope::Inner(Inner::PowerLoss(mask));
            let Some((after, _)) = walker.force(at, Address::Owner, power_loss) else { continue };
            let state = walker.look(&after, compared());
            if !fan.states.contains(&state) {
                fan.states.push(state);
            }
        }
        let fan = Rc::new(fan);
        self.known.insert(key, Rc::clone(&fan));
        Some(fan)
    }
}
