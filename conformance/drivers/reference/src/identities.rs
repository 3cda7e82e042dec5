//! Identities as numbers of the broker, and as the shared fences take them.

use fencepost_spec::contract::WireIdentity;
use fencepost_spec::identity::{Context, History};

/// Identities that a request names, or that a batch came with. `None` where it names none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identities {
    pub(crate) incarnation: Option<u64>,
    pub(crate) purge_generation: Option<u64>,
    /// Group generation or owner generation, as the contract chooses.
    pub(crate) assignment: Option<u64>,
}

impl Identities {
    /// Those of them that the wire has room for.
    pub(crate) fn on_wire(self, wire: WireIdentity) -> Self {
        let none = Self::default();
        match wire {
            WireIdentity::Nothing => none,
            WireIdentity::PurgeGeneration => Self { purge_generation: self.purge_generation, ..none },
            WireIdentity::PurgeAndGroupGeneration => Self { incarnation: None, ..self },
            WireIdentity::PartitionContext => Self { purge_generation: None, ..self },
        }
    }

    /// As the shared fences take them.
    pub(crate) fn context(self) -> Context {
        Context {
            incarnation: self.incarnation.map(small),
            purge_generation: self.purge_generation.map(small),
            assignment: self.assignment.map(small),
        }
    }
}

/// A generation as the shared fences take it: all numbers from 255 on count as one, which no trace comes near.
pub(crate) fn small(number: u64) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// Two offsets as the shared fences take them: small numbers in the same order.
pub(crate) fn ordered(offset: u64, other: Option<u64>) -> (u8, Option<u8>) {
    (1, other.map(|other| if other < offset { 0 } else { 1 + u8::from(other > offset) }))
}

/// Names the messages that the owner serves now, in this process. It starts anew with the process, as reads and queues do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HistoryId {
    pub(crate) incarnation: u64,
    pub(crate) number: u64,
}

impl HistoryId {
    /// As the shared fences take it.
    pub(crate) fn history(self) -> History {
        History { incarnation: small(self.incarnation), restarts: small(self.number), losses: 0 }
    }
}
