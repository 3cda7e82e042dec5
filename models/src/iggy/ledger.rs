//! What clients and the operator saw, as far as some clause reads it: the history of the actor model.

use std::collections::BTreeMap;
use std::sync::Arc;

use fencepost_spec::contract::Numbering;
use fencepost_spec::identity::{Assignment, History, Origin};
use serde::{Deserialize, Serialize};
use stateright::actor::Envelope as Travelling;

use super::messages::Envelope;
use super::system::{Address, Setup};

/// Facts and sets, never a log: every value here multiplies the states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ledger {
    /// How many emptyings the operator knows to be acknowledged.
    pub acknowledged_emptyings: u8,
    /// Sends that began after an acknowledged emptying, with that count.
    pub sends: BTreeMap<u8, u8>,
    /// History and assignment that are current at the owner.
    pub current: (History, Assignment),
    /// What was current when a deliberate position was sent, by client and request.
    pub deliberate: BTreeMap<(u8, u8), (History, Assignment)>,
}

impl Ledger {
    /// History and assignment of an origin.
    pub fn resolve(&self, origin: Origin) -> Option<(History, Assignment)> {
        match origin {
            Origin::Read { history, assignment } => Some((history, assignment)),
            Origin::Deliberate { client, request } => self.deliberate.get(&(client, request)).copied(),
        }
    }
}

/// Hook of the actor model: something was delivered.
pub fn delivered(setup: &Arc<Setup>, ledger: &Ledger, envelope: Travelling<&Envelope>) -> Option<Ledger> {
    match envelope.msg {
        Envelope::Acknowledged(_, Some(emptyings)) if envelope.dst == Address::Operator.id() => {
            let acknowledged_emptyings = ledger.acknowledged_emptyings.max(*emptyings);
            Some(Ledger { acknowledged_emptyings, ..ledger.clone() })
        }
        Envelope::Apply(decree) if envelope.dst == Address::Owner.id() => {
            let restarts = match setup.choices.numbering_at_purge {
                Numbering::Restart => decree.purge_generation,
                Numbering::Continue => 0,
            };
            let history = History { incarnation: decree.incarnation, restarts, losses: 0 };
            let current = (history, decree.group.owner_generation);
            (current != ledger.current).then(|| Ledger { current, ..ledger.clone() })
        }
        _ => None,
    }
}

/// Hook of the actor model: something was sent.
pub fn sent(_setup: &Arc<Setup>, ledger: &Ledger, envelope: Travelling<&Envelope>) -> Option<Ledger> {
    if envelope.dst != Address::Gateway.id() {
        return None;
    }
    match envelope.msg {
        Envelope::Produce(produce) if envelope.src == Address::Producer.id() && ledger.acknowledged_emptyings > 0 => {
            let mut after = ledger.clone();
            after.sends.insert(produce.id.number, ledger.acknowledged_emptyings);
            Some(after)
        }
        Envelope::Commit(commit) => match commit.origin {
            Origin::Deliberate { client, request } => {
                let mut after = ledger.clone();
                after.deliberate.insert((client, request), ledger.current);
                Some(after)
            }
            Origin::Read { .. } => None,
        },
        _ => None,
    }
}
