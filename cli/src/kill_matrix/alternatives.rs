//! Reviewed: faults that show by another clause than the expected one, each with the reason.

use fencepost_reference::Fault;
use fencepost_spec::clause::ClauseName;

use super::hunt::Fit;

/// A clause by which a fault may show as well.
pub(super) struct Alternative {
    /// The word of the fault.
    pub(super) fault: &'static str,
    /// The clause.
    pub(super) clause: ClauseName,
    /// Why that is right.
    pub(super) reason: &'static str,
}

/// All alternatives.
pub(super) const ALTERNATIVES: &[Alternative] = &[
    Alternative {
        fault: "floor-compares-incarnation-only",
        clause: ClauseName::AcknowledgedPurgeIsFinal,
        reason: "the metadata floor, which is weakened here, is in the table of fences for the sake of this clause",
    },
    Alternative {
        fault: "pending-revocation-may-poll",
        clause: ClauseName::StalePollIsRetryable,
        reason: "the fence of the gateway, which is weakened here, is in the table of fences for the sake of this clause",
    },
    Alternative {
        fault: "stale-last-polled",
        clause: ClauseName::RejectionIsInert,
        reason: "a refused read that moves last polled leaves both clauses, and the shortest trace needs no purge",
    },
    Alternative {
        fault: "slot-kept-on-refusal",
        clause: ClauseName::LiveMessagesAreServed,
        reason: "a slot that is never given back is missed by the next poll, which is told so, and gets no messages",
    },
    Alternative {
        fault: "no-sync-append-data",
        clause: ClauseName::OneHistoryAfterRecovery,
        reason: "that messages survive a power loss is a choice of the contract, which serves this clause",
    },
    Alternative {
        fault: "no-sync-append-names",
        clause: ClauseName::OneHistoryAfterRecovery,
        reason: "that messages survive a power loss is a choice of the contract, which serves this clause",
    },
];

/// How well a clause fits a fault.
pub(super) fn fit(fault: Fault, clause: Option<ClauseName>) -> Fit {
    match clause {
        Some(clause) if clause == fault.expected() => Fit::Expected,
        Some(clause) if reason(fault, clause).is_some() => Fit::Alternative,
        _ => Fit::Other,
    }
}

/// Why a clause stands for a fault although another one is expected.
pub(super) fn reason(fault: Fault, clause: ClauseName) -> Option<&'static str> {
    let word = fault.to_string();
    let alternative = ALTERNATIVES.iter().find(|one| one.fault == word && one.clause == clause);
    alternative.map(|one| one.reason)
}
