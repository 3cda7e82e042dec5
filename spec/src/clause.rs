//! The promises. One clause: a name, one sentence, one reason, where it does not reach, and a mutant that must break it.
//!
//! The predicate of each clause is in the models (it needs a system to look at); a test asks every model for each name.

use crate::family::{Family, Iggy};

crate::words! {
    /// The fifteen clauses of the Iggy family.
    pub enum ClauseName {
        /// Progress belongs to the current history.
        NoForeignProgress = "no-foreign-progress",
        /// `Next` passes nothing unread.
        NoSkip = "no-skip",
        /// Batches belong to the current history.
        NoStaleBatch = "no-stale-batch",
        /// A stale poll is told so, and may try anew.
        StalePollIsRetryable = "stale-poll-is-retryable",
        /// What is refused does nothing.
        RejectionIsInert = "rejection-is-inert",
        /// A commit counts only under the assignment that read the data.
        CommitUnderReadingAssignment = "commit-under-reading-assignment",
        /// An acknowledged commit is not undone by an older one.
        AcknowledgedCommitStands = "acknowledged-commit-stands",
        /// Automatic commits only go forward.
        AutomaticProgressMonotone = "automatic-progress-monotone",
        /// Recovery never mixes histories.
        OneHistoryAfterRecovery = "one-history-after-recovery",
        /// What is sent after an acknowledged purge stays.
        AcknowledgedPurgeIsFinal = "acknowledged-purge-is-final",
        /// Progress that no client heard of comes from accepted requests only.
        SilentAdvanceOnlyAfterAcceptance = "silent-advance-only-after-acceptance",
        /// A join waits for what was served.
        RevocationDrainsOrTimesOut = "revocation-drains-or-times-out",
        /// What is current is not refused as stale.
        NoNeedlessRefusal = "no-needless-refusal",
        /// Nobody waits for ever.
        EveryRequestIsAnswered = "every-request-is-answered",
        /// Every live message is served at last.
        LiveMessagesAreServed = "live-messages-are-served",
    }
}

/// A named change that must break a clause.
pub struct Mutant<F: Family = Iggy> {
    /// The contract that is changed.
    pub contract: &'static str,
    /// A change that makes the clause hold first, if no contract keeps it.
    pub repair: Option<Change<F>>,
    /// The change: a fence removed, or a choice made differently (`key = "value"`).
    pub change: Change<F>,
    /// A view that shows the breach.
    pub view: &'static str,
}

/// One named change of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<F: Family = Iggy> {
    /// The fence is removed.
    Without(F::Fence),
    /// The choice with this key is made differently.
    Choose(&'static str, &'static str),
}

/// One promise.
pub struct Clause<F: Family = Iggy> {
    /// Its name.
    pub name: F::Clause,
    /// The promise, one sentence.
    pub promise: &'static str,
    /// Why it is worth having.
    pub reason: &'static str,
    /// Where it does not reach.
    pub scope: &'static str,
    /// Whether it is a liveness clause: about what happens at last, under weak fairness.
    pub liveness: bool,
    /// The change that must break it.
    pub mutant: Mutant<F>,
}

impl ClauseName {
    /// The clause with this name.
    pub fn clause(self) -> &'static Clause {
        let index = Self::ALL.iter().position(|name| *name == self).unwrap_or_default();
        &CLAUSES[index]
    }
}

use crate::fence::Fence;
use Change::{Choose, Without};

const fn mutant(contract: &'static str, change: Change, view: &'static str) -> Mutant {
    Mutant { contract, repair: None, change, view }
}

/// All clauses, in the order of [`ClauseName::ALL`] (a test compares).
pub const CLAUSES: &[Clause] = &[
    Clause {
        name: ClauseName::NoForeignProgress,
        promise: "Progress in the current history never derives from a read or commit of another history.",
        reason: "An offset means a message only together with the history it was read in.",
        scope: "Progress is the bookmark and last polled. A deliberate position belongs to the history that was current when it was sent.",
        liveness: false,
        mutant: mutant(
            "reset-with-generation",
            Without(Fence::CommitPurgeGenerationOnArrival),
            "purge-with-pending-polls",
        ),
    },
    Clause {
        name: ClauseName::NoSkip,
        promise: "`Next` never passes a live message of the current history that was not served to that consumer or group in this history, unless the client itself moved past it.",
        reason: "A skipped message is lost to the application without a sign.",
        scope: "Messages lost in a crash that the contract allows, by retention, or by a purge with kept numbering are not live; messages accepted after a restart are. A client moves past messages with a deliberate position or a poll by Offset, First or Last.",
        liveness: false,
        mutant: mutant(
            "reset-with-generation",
            Without(Fence::CommitPurgeGenerationOnArrival),
            "purge-with-pending-polls",
        ),
    },
    Clause {
        name: ClauseName::NoStaleBatch,
        promise: "An accepted poll reply holds only messages of the history that is current when it is accepted.",
        reason: "A client that acts on messages of a purged history repeats work that somebody asked to forget.",
        scope: "Accepted is when the owner grants the batch; the reply may travel longer than that.",
        liveness: false,
        mutant: mutant("reset-with-generation", Without(Fence::PollHistoryAtCompletion), "purge-with-pending-polls"),
    },
    Clause {
        name: ClauseName::StalePollIsRetryable,
        promise: "A poll whose history or assignment is no longer current when the owner would accept it gets a definite refusal after which a new poll with fresh identity may succeed, never a batch.",
        reason: "The client must learn that its view is old, and must not take a pause for the end of the messages.",
        scope: "An empty reply of the real partition is no refusal; the empty reply with the sentinel partition is one. A poll whose caller is gone gets no reply.",
        liveness: false,
        mutant: mutant("deferred-poll", Without(Fence::PollAssignmentAtCompletion), "polls-with-reassignment"),
    },
    Clause {
        name: ClauseName::RejectionIsInert,
        promise: "A refused request changes neither bookmark nor last polled nor messages, neither when refused nor later.",
        reason: "A client that was refused will act as if nothing had happened.",
        scope: "An automatic store is part of its poll: if the store is refused, it must not leave its bookmark behind.",
        liveness: false,
        mutant: mutant("iggy-poll-completion", Choose("bookmark_of_automatic_store", "before-admission"), "liveness"),
    },
    Clause {
        name: ClauseName::CommitUnderReadingAssignment,
        promise: "A derived group commit takes effect only under the assignment whose read produced it; regaining the partition does not revive it.",
        reason: "Between two assignments of the same member, somebody else may have gone on or gone back.",
        scope: "Deliberate positions and individual consumers have no assignment. It takes effect when it gets its place in the order, not when it commits.",
        liveness: false,
        mutant: mutant("owner-installed", Without(Fence::CommitAssignmentOnArrival), "commits-with-reassignment"),
    },
    Clause {
        name: ClauseName::AcknowledgedCommitStands,
        promise: "An acknowledged manual commit is not undone by a commit whose read belongs to an older history or assignment; nor, where the contract calls commits durable, by restart or power loss.",
        reason: "An acknowledgement that does not last cannot be built upon.",
        scope: "Undone: the bookmark goes back or goes away. A later purge, an explicit rewind and a late store of the same assignment may do that.",
        liveness: false,
        mutant: mutant("owner-installed", Without(Fence::CommitAssignmentOnArrival), "commits-with-reassignment"),
    },
    Clause {
        name: ClauseName::AutomaticProgressMonotone,
        promise: "Automatic commits never move a bookmark back within a history.",
        reason: "Two polls may complete out of order; the group must not read again what it has read.",
        scope: "Manual stores may rewind.",
        liveness: false,
        mutant: mutant("iggy-poll-completion", Without(Fence::AutomaticStoreForwardOnly), "polls-with-reassignment"),
    },
    Clause {
        name: ClauseName::OneHistoryAfterRecovery,
        promise: "After restart or power loss a node never serves with bookmarks, last polled, generation markers or messages written under different histories.",
        reason: "Which side of a purge survives is a matter of durability; a mixture is a matter of correctness.",
        scope: "Judged when the owner starts to serve. A purge that metadata committed and the owner has not applied leaves the old history, whole.",
        liveness: false,
        mutant: mutant("reset-with-generation", Without(Fence::PartitionDirectorySynced), "power-loss-during-purge"),
    },
    Clause {
        name: ClauseName::AcknowledgedPurgeIsFinal,
        promise: "No message sent after a purge (or deletion and re-creation) was acknowledged is removed by it or by its repetition.",
        reason: "The operator's acknowledgement is the only signal that it is safe to write again.",
        scope: "Sends that were under way when the acknowledgement was given may be removed. Whether a poll sent after it may return purged messages is open.",
        liveness: false,
        mutant: mutant("owner-installed", Choose("emptying_acknowledged", "when-committed"), "delete-and-recreate"),
    },
    Clause {
        name: ClauseName::SilentAdvanceOnlyAfterAcceptance,
        promise: "Progress that no client heard of comes only from an accepted request whose reply reached no client; a request answered by a refusal or by an empty batch advances nothing.",
        reason: "A client can prepare for a lost reply, not for a reply that says the opposite of what happened.",
        scope: "The gateway's time-out counts as an answer if the client is told something definite, such as an empty batch.",
        liveness: false,
        mutant: mutant("iggy-poll-completion", Without(Fence::CallerPresentAtCompletion), "delete-and-recreate"),
    },
    Clause {
        name: ClauseName::RevocationDrainsOrTimesOut,
        promise: "When a join takes a partition from a live member, it moves only after every batch accepted by then is committed, or the time-out fired.",
        reason: "A member that is still working on a batch should be allowed to finish it.",
        scope: "Leave, disconnect and a changed partition count move at once.",
        liveness: false,
        mutant: Mutant {
            contract: "owner-installed",
            repair: Some(Choose("join_takes_partition", "when-reported-drained")),
            change: Without(Fence::RevocationDrainedBeforeMove),
            view: "join-with-drain",
        },
    },
    Clause {
        name: ClauseName::NoNeedlessRefusal,
        promise: "A request whose history and assignment are both current is never refused as stale.",
        reason: "A fence that refuses valid work makes a group stand still whenever somebody joins it.",
        scope: "Refused by a comparison of identities, judged by what is known where the comparison is made. Not applied here yet, and a mirror that lags, do not count.",
        liveness: false,
        mutant: mutant(
            "owner-installed",
            Choose("assignment_compared_by", "group-generation"),
            "polls-with-reassignment",
        ),
    },
    Clause {
        name: ClauseName::EveryRequestIsAnswered,
        promise: "The broker answers every request or ends its connection.",
        reason: "A client that waits for ever cannot recover.",
        scope: "The client's own time-out is no answer; a reply lost on the network is one. Liveness, under weak fairness.",
        liveness: true,
        mutant: mutant("owner-installed", Choose("full_queue", "dropped"), "liveness"),
    },
    Clause {
        name: ClauseName::LiveMessagesAreServed,
        promise: "While a consumer keeps polling `Next`, its commits are accepted and its assignment is stable, every live message at or after its position is served.",
        reason: "A fence must not turn into a wall.",
        scope: "Liveness, under weak fairness, in views without a poll budget.",
        liveness: true,
        mutant: mutant("owner-installed", Choose("route_after_refusal", "kept"), "liveness"),
    },
];
