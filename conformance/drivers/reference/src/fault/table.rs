//! The planted faults.

use fencepost_spec::clause::ClauseName::{self, self as By};

/// What a planted fault is.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// What is wrong, in one sentence.
    pub wrong: &'static str,
    /// Where it comes from: an issue, a hazard, or a kind of mistake.
    pub source: &'static str,
    /// The clause that should catch it.
    pub expected: ClauseName,
}

macro_rules! planted {
    ($($variant:ident = $word:literal, $expected:ident, $source:literal: $wrong:literal;)+) => {
        fencepost_spec::words! {
            /// A defect in code, each with the one sentence that says what is wrong.
            pub enum Planted { $(#[doc = $wrong] $variant = $word),+ }
        }

        impl Planted {
            /// What the fault is.
            pub fn description(self) -> Description {
                match self {
                    $(Self::$variant => Description { wrong: $wrong, source: $source, expected: By::$expected }),+
                }
            }
        }
    };
}

planted! {
    // Fences that compare too little.
    PurgeGenerationNotNewer = "purge-generation-not-newer", NoForeignProgress, "fence weakened: not newer instead of equal":
        "A commit passes if its purge generation is not newer than the current one; it must be equal.";
    AssignmentNotNewer = "assignment-not-newer", CommitUnderReadingAssignment, "fence weakened: not newer instead of equal":
        "A commit passes if its assignment is not newer than the current one; it must be equal.";
    PollAssignmentNotNewer = "poll-assignment-not-newer", StalePollIsRetryable, "fence weakened: not newer instead of equal":
        "A completed read passes if its assignment is not newer than the current one; it must be equal.";
    BookmarkGenerationNotNewer = "bookmark-generation-not-newer", OneHistoryAfterRecovery, "fence weakened: not newer instead of equal":
        "Recovery loads a bookmark if its generation is not newer than the recovered one; it must be equal.";
    MembershipInsteadOfAssignment = "membership-instead-of-assignment", CommitUnderReadingAssignment, "delayed commit after regaining (hazard E-19)":
        "A commit passes if its client owns the partition now, whatever assignment its read was made under.";
    IncarnationInsteadOfHistory = "incarnation-instead-of-history", NoStaleBatch, "fence weakened: compares less than the history":
        "A completed read is compared with the incarnation only, so that a purge between plan and completion is not seen.";
    FloorComparesIncarnationOnly = "floor-compares-incarnation-only", CommitUnderReadingAssignment, "fence weakened: compares less than the floor":
        "The metadata floor compares the incarnation only, so that assignments which are not applied yet pass it.";
    RangeOffByOne = "range-off-by-one", NoSkip, "fence weakened: off by one":
        "A store may name the offset behind the last message, which does not exist yet.";
    RangeOfPrepared = "range-of-prepared", NoSkip, "fence weakened: compares with what is not committed":
        "A store may name the offset of a message that is prepared and not committed.";
    PendingRevocationMayPoll = "pending-revocation-may-poll", RevocationDrainsOrTimesOut, "fence weakened: owned instead of pollable":
        "The gateway lets a member poll whose partition is being revoked.";
    // Fences at the wrong place.
    HistoryComparedAtOpen = "history-compared-at-open", NoStaleBatch, "check before instead of in the step of the effect":
        "The history of a read is compared when its file is opened, not when it completes.";
    PollAssignmentComparedOnArrival = "poll-assignment-compared-on-arrival", StalePollIsRetryable, "check before instead of in the step of the effect":
        "The assignment of a poll is compared when it arrives, not when its read completes.";
    AutomaticStoreComparedOnArrival = "automatic-store-compared-on-arrival", CommitUnderReadingAssignment, "check before instead of in the step of the effect":
        "The assignment of an automatic store is compared when its poll arrives, not when its read completes.";
    QueuedAssignmentNotCompared = "queued-assignment-not-compared", CommitUnderReadingAssignment, "check on arrival only":
        "A queued commit is promoted without comparing its assignment again, as long as its history is the same.";
    CommitComparedAfterOrdering = "commit-compared-after-ordering", CommitUnderReadingAssignment, "check after instead of in the step of the effect":
        "The assignment of a commit is compared when the operation commits, by which time it has its place.";
    // Historical bugs.
    EffectInDetachedRead = "effect-in-detached-read", NoStaleBatch, "#4117":
        "A read has its effect by itself when it is done, and nothing is compared.";
    BookmarkSyncFailureLogged = "bookmark-sync-failure-logged", OneHistoryAfterRecovery, "#4128":
        "A failed sync of the directory of bookmarks during a purge is only logged.";
    PartitionSyncFailureLogged = "partition-sync-failure-logged", OneHistoryAfterRecovery, "#4130":
        "A failed sync of the partition directory during a purge is only logged.";
    UnlinkFailureIgnored = "unlink-failure-ignored", OneHistoryAfterRecovery, "#4130, hazard E-11":
        "A failed unlink of bookmarks during a purge is ignored.";
    CutOffOutlivesItsSequence = "cut-off-outlives-its-sequence", LiveMessagesAreServed, "#4130, hazard E-29":
        "The purge writes the number of the last operation to a file; after a restart operations are numbered anew, and those up to it have no effect.";
    RepairBringsPurgedBack = "repair-brings-purged-back", OneHistoryAfterRecovery, "#3793":
        "After a restart the journal of a peer is replayed into an empty log, messages from before the purge included.";
    ClampOnEmptyLog = "clamp-on-empty-log", NoSkip, "clamp at boot, tree of 2026-08-21":
        "A bookmark above the head is clamped at boot, also to offset 0 of an empty log, where it hides the first message.";
    PurgeRepeatedAtBoot = "purge-repeated-at-boot", AcknowledgedPurgeIsFinal, "#3828, hazard E-13":
        "Recovery runs the last purge again although it is recorded as done.";
    EagerBookmark = "eager-bookmark", RejectionIsInert, "tree of 2026-08-21, recording e1_then_restart":
        "An automatic store moves the bookmark in memory before it is admitted, and leaves it there when it is not.";
    StaleLastPolled = "stale-last-polled", NoForeignProgress, "hazard E-2":
        "A completed read moves last polled before anything is compared.";
    // Identities captured too late.
    HistoryCapturedAtCompletion = "history-captured-at-completion", NoStaleBatch, "identity captured too late":
        "The history of a read is captured when it completes, not when it is planned.";
    PurgeGenerationCapturedAtCompletion = "purge-generation-captured-at-completion", NoForeignProgress, "identity captured too late":
        "A batch carries the purge generation of its completion, not that of its plan.";
    AssignmentCapturedAtCompletion = "assignment-captured-at-completion", CommitUnderReadingAssignment, "identity captured too late":
        "A batch carries the assignment that is current at its completion, not that under which its poll was dispatched.";
    AssignmentCapturedOnArrival = "assignment-captured-on-arrival", StalePollIsRetryable, "identity captured too late":
        "The assignment of a poll is captured when it arrives at the owner, not when it is dispatched.";
    CommitStampedWhenSent = "commit-stamped-when-sent", CommitUnderReadingAssignment, "identity captured too late":
        "The client stamps a commit with what it knows when it sends it, not with the identities of the batch.";
    CommitStampedAtGateway = "commit-stamped-at-gateway", CommitUnderReadingAssignment, "identity captured too late":
        "The gateway stamps every commit with what its mirror shows, whatever the commit names.";
    QueueHistoryCapturedAtPromotion = "queue-history-captured-at-promotion", NoForeignProgress, "identity captured too late":
        "The history of a queued operation is captured when it is promoted, not when it begins to wait.";
    IncarnationBoundOnArrival = "incarnation-bound-on-arrival", NoForeignProgress, "identity captured too late":
        "A write is bound to an incarnation when it arrives at the owner, not at the gateway.";
    BookmarkGenerationFromDecision = "bookmark-generation-from-decision", OneHistoryAfterRecovery, "identity captured too early":
        "A bookmark's file carries the purge generation that metadata decided last, not the one that the owner has applied.";
    // Wrong orders.
    GenerationRecordedFirst = "generation-recorded-first", OneHistoryAfterRecovery, "wrong order":
        "A purge is recorded as done before its removals are synced.";
    SegmentsDroppedFirst = "segments-dropped-first", OneHistoryAfterRecovery, "wrong order":
        "A purge that keeps the numbering drops the messages before the new start is recorded.";
    AcknowledgedBeforeCommitted = "acknowledged-before-committed", AcknowledgedCommitStands, "wrong order":
        "A commit is acknowledged when it gets its place, before anything is written.";
    EmptyingAcknowledgedWhenDecided = "emptying-acknowledged-when-decided", AcknowledgedPurgeIsFinal, "wrong order":
        "The operator is answered when metadata has decided, before the owner has applied.";
    // What is not forgotten, or not moved.
    LastPolledSurvivesPurge = "last-polled-survives-purge", NoForeignProgress, "forgotten clear":
        "A purge leaves last polled as it was.";
    BookmarksSurvivePurge = "bookmarks-survive-purge", NoForeignProgress, "forgotten clear":
        "A purge leaves the bookmarks in memory as they were.";
    QueueSurvivesRecreation = "queue-survives-re-creation", NoForeignProgress, "forgotten clear":
        "Deletion and re-creation leave queued and prepared operations standing.";
    BookmarksSurviveRecreation = "bookmarks-survive-re-creation", NoForeignProgress, "forgotten clear":
        "The re-created partition takes over the bookmarks of the deleted one.";
    RevocationSurvivesLeave = "revocation-survives-leave", RevocationDrainsOrTimesOut, "forgotten clear":
        "A leave does not drop the pending revocation, which is completed later all the same.";
    OwnerGenerationNotMoved = "owner-generation-not-moved", CommitUnderReadingAssignment, "number not moved":
        "A leave that gives the partition to another member does not move the owner generation.";
    GroupGenerationNotMovedByLeave = "group-generation-not-moved-by-leave", CommitUnderReadingAssignment, "number not moved":
        "A leave does not move the group generation.";
    SlotKeptOnRefusal = "slot-kept-on-refusal", EveryRequestIsAnswered, "forgotten clear":
        "A read that is refused at completion keeps its slot.";
    // Answers and offsets.
    ReplyDroppedOnFullQueue = "reply-dropped-on-full-queue", EveryRequestIsAnswered, "#4169":
        "A request that finds the queue full is dropped without an answer.";
    NextSkipsOne = "next-skips-one", NoSkip, "off by one":
        "Next goes on two behind the bookmark.";
    NextFromZeroSkips = "next-without-bookmark-skips", NoSkip, "off by one":
        "Next without a bookmark begins at offset 1.";
    FirstOffsetStored = "first-offset-stored", LiveMessagesAreServed, "wrong offset":
        "An automatic store stores the first offset of the batch, not the last.";
    UncommittedServed = "uncommitted-served", NoSkip, "wrong ceiling":
        "A read counts prepared messages as if they were committed when it is planned.";
    StoresBackwards = "automatic-stores-backwards", AutomaticProgressMonotone, "fence in memory only":
        "An automatic store compares with the bookmark when it is granted, and overwrites it when it commits.";
    BatchAfterRefusal = "batch-after-refusal", StalePollIsRetryable, "wrong answer":
        "A poll that is refused for its assignment is answered with an empty batch.";
    LateCompletionCounts = "late-completion-counts", SilentAdvanceOnlyAfterAcceptance, "#4119":
        "A read that completes after the gateway gave up has its effect on progress.";
    PromotionStops = "promotion-stops", EveryRequestIsAnswered, "wake-up lost":
        "When a queued operation is refused on promotion, those behind it are not looked at.";
    WaitingPollForgotten = "waiting-poll-forgotten", EveryRequestIsAnswered, "wake-up lost":
        "A poll that waits for messages is forgotten when its history or assignment ends.";
}
