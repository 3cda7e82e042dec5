//! Two-phase commit, twice: as a plain model after Gray and Lamport's "Consensus on Transaction Commit", whose
//! numbers of states are known from TLC and Stateright, and as actors that send each other messages.

pub mod actors;
pub mod plain;

/// Name of the property of both models: nobody commits what somebody else aborts.
pub const NO_MIXED_DECISION: &str = "no-mixed-decision";

/// How far the decision is, at a manager or at the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is decided.
    Undecided,
    /// The manager can commit and will not abort by itself.
    Prepared,
    /// Committed.
    Committed,
    /// Aborted.
    Aborted,
}

/// Whether nobody committed what somebody else aborted.
pub fn is_consistent(phases: impl Iterator<Item = Phase> + Clone) -> bool {
    let has = |wanted| phases.clone().any(|phase| phase == wanted);
    !(has(Phase::Committed) && has(Phase::Aborted))
}
