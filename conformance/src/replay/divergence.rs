//! Where and how an implementation leaves the contract.

use fencepost_driver::{Field, Step, World};

use super::blame::Blame;
use super::runner::Found;

fencepost_spec::words! {
    /// How an implementation leaves the contract.
    pub enum DivergenceKind {
        /// A client got an answer that the contract does not allow there.
        ForbiddenReply = "forbidden-reply",
        /// What can be seen is not allowed there.
        ForbiddenState = "forbidden-state",
        /// A step of the contract is refused.
        MissingStep = "missing-step",
        /// Work waits at a place that the contract does not have.
        UnknownYield = "unknown-yield",
        /// There was no answer in time.
        Hang = "hang",
        /// The implementation panicked or ended.
        PanicOrExit = "panic-or-exit",
        /// The same trace was answered differently the second time.
        Nondeterministic = "nondeterministic",
        /// The driver does not keep to the protocol.
        Protocol = "protocol",
    }
}

impl DivergenceKind {
    /// The kind of a difference in a field.
    pub(super) fn of_field(field: Field, seen: &str) -> Self {
        let is_unknown = field == Field::Parked && seen.contains("\"inner:");
        if is_unknown { Self::UnknownYield } else { Self::ForbiddenState }
    }

    /// Whether the driver cannot be used after it, and no contract has a say in it.
    pub fn is_of_the_driver(self) -> bool {
        matches!(self, Self::Hang | Self::PanicOrExit | Self::Protocol)
    }

    /// How far from agreement it is: of several, the nearest is told.
    pub(super) fn distance(self) -> u8 {
        match self {
            Self::ForbiddenState | Self::UnknownYield => 0,
            Self::ForbiddenReply => 1,
            _ => 2,
        }
    }
}

/// One way in which what was seen differs from what was allowed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// How.
    pub kind: DivergenceKind,
    /// The first field that differs, if it is a field.
    pub field: Option<Field>,
    /// What was seen.
    pub seen: String,
    /// What was allowed.
    pub allowed: String,
}

/// A divergence with everything that its page tells.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The contract it was followed in.
    pub contract: String,
    /// The view whose bounds it was found in.
    pub view: String,
    /// Name and version of the implementation.
    pub subject: String,
    /// The world at the start.
    pub world: World,
    /// What was done and seen, with the fewest steps that were found, and how it differs.
    pub found: Found,
    /// Which clause it leaves, and the change of the contract that would allow it.
    pub blame: Blame,
    /// How many steps the trace had before it was shrunk.
    pub steps_before_shrinking: usize,
    /// The command that finds it again.
    pub command: String,
    /// The known deviation that it is, by the link of its issue.
    pub known: Option<String>,
}

impl Divergence {
    /// How many things happen until it shows. A request that is sent as soon as it is begun counts once.
    pub fn steps(&self) -> usize {
        let steps: Vec<&Step> = self.found.transcript.iter().flat_map(|(steps, _)| steps).collect();
        let is_sent_at_once = |(index, step): (usize, &&Step)| match (step, steps.get(index + 1)) {
            (Step::Start { operation, .. }, Some(Step::Resume { park, .. })) => park.name == *operation,
            (Step::Crash { .. }, Some(Step::Restart {})) => true,
            _ => false,
        };
        steps.len() - steps.iter().enumerate().filter(|(index, step)| is_sent_at_once((*index, step))).count()
    }
}
