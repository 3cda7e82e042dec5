//! The fences: one named function each. A fence lets a step pass, or refuses it with the clause that refuses.
//!
//! Whether a fence exists under a contract, and with which answer it refuses, is data ([`crate::contract`]). What it
//! compares is here, in words that a broker has: nothing in this file sees more than the broker's owner sees.

pub mod table;

use crate::clause::ClauseName;
use crate::contract::{Choices, FenceAnswer};
use crate::identity::{Context, History, IdentityKind};

crate::words! {
    /// Where a fence stands.
    pub enum Checkpoint {
        /// The connection's home: knows a mirror of the metadata that may lag.
        GatewayAtDispatch = "gateway-at-dispatch",
        /// The partition's owner, when the request arrives.
        OwnerOnArrival = "owner-on-arrival",
        /// The partition's owner, when a queued request gets its place in the order.
        OwnerOnPromotion = "owner-on-promotion",
        /// The partition's owner, when a read is complete and its batch would be granted.
        OwnerAtCompletion = "owner-at-completion",
        /// The partition's owner, when an ordered operation commits.
        OwnerAtCommit = "owner-at-commit",
        /// The partition's owner, while it empties the partition.
        OwnerDuringPurge = "owner-during-purge",
        /// Recovery, when it loads files.
        Recovery = "recovery",
        /// The metadata, when it decides.
        Metadata = "metadata",
    }
}

crate::words! {
    /// Every fence of the Iggy family.
    pub enum Fence {
        /// A group poll is dispatched for a member that may poll the partition only.
        PollMemberAtDispatch = "poll-member-at-dispatch",
        /// A group commit is dispatched for a member that owns the partition only.
        CommitMemberAtDispatch = "commit-member-at-dispatch",
        /// A poll that names an incarnation is served by that incarnation only.
        PollIncarnationOnArrival = "poll-incarnation-on-arrival",
        /// A write that names an incarnation (or was bound to one at the gateway) reaches that incarnation only.
        WriteIncarnationOnArrival = "write-incarnation-on-arrival",
        /// A request waits until the owner has applied what the request knows.
        MetadataFloorOnArrival = "metadata-floor-on-arrival",
        /// A commit carries the purge generation of its read.
        CommitPurgeGenerationOnArrival = "commit-purge-generation-on-arrival",
        /// A commit carries the assignment of its read.
        CommitAssignmentOnArrival = "commit-assignment-on-arrival",
        /// A store must name an offset that exists.
        StoreInRangeOnArrival = "store-in-range-on-arrival",
        /// A delete must find a bookmark.
        BookmarkExistsOnDelete = "bookmark-exists-on-delete",
        /// A queued manual commit belongs to the history it was queued in.
        CommitHistoryOnPromotion = "commit-history-on-promotion",
        /// A queued manual commit belongs to the assignment of its read.
        CommitAssignmentOnPromotion = "commit-assignment-on-promotion",
        /// A queued automatic store belongs to the history it was queued in.
        AutomaticStoreHistoryOnPromotion = "automatic-store-history-on-promotion",
        /// A read is started only if there is room for its completion.
        CompletionCapacityBeforeRead = "completion-capacity-before-read",
        /// A completed read counts only while somebody waits for it.
        CallerPresentAtCompletion = "caller-present-at-completion",
        /// A completed read counts only in the history in which it was planned.
        PollHistoryAtCompletion = "poll-history-at-completion",
        /// A completed group read counts only under the assignment under which it was dispatched.
        PollAssignmentAtCompletion = "poll-assignment-at-completion",
        /// An automatic store counts only under the assignment of its read.
        AutomaticStoreAssignmentAtCompletion = "automatic-store-assignment-at-completion",
        /// An automatic store never moves a bookmark back.
        AutomaticStoreForwardOnly = "automatic-store-forward-only",
        /// An operation ordered before a purge has no effect after it.
        OperationAfterPurgeAtCommit = "operation-after-purge-at-commit",
        /// The partition directory is durable before the purge is recorded as done.
        PartitionDirectorySynced = "partition-directory-synced",
        /// The directory of bookmarks is durable before the purge is recorded as done.
        BookmarkDirectorySynced = "bookmark-directory-synced",
        /// Every old bookmark is unlinked before the purge is recorded as done.
        BookmarksUnlinked = "bookmarks-unlinked",
        /// With kept numbering, the new start is durable before old messages go.
        NewStartRecordedFirst = "new-start-recorded-first",
        /// Recovery loads a bookmark only if it belongs to the generation that the partition recovered.
        BookmarkGenerationAtLoad = "bookmark-generation-at-load",
        /// A purge that was begun is finished before the recovered partition serves.
        PurgeFinishedBeforeServing = "purge-finished-before-serving",
        /// A revoked partition moves only when what was served from it is committed.
        RevocationDrainedBeforeMove = "revocation-drained-before-move",
    }
}

/// What a fence is: the row of the table of fences.
pub struct FenceDescription {
    /// The fence.
    pub fence: Fence,
    /// Where it stands.
    pub checkpoint: Checkpoint,
    /// The identities that it compares.
    pub identities: &'static [IdentityKind],
    /// The effect that it protects.
    pub protects: &'static str,
    /// The clause that refuses.
    pub clause: ClauseName,
    /// Where the rule comes from.
    pub source: &'static str,
}

/// Why a fence refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// The fence that refused.
    pub fence: Fence,
    /// The clause that it keeps.
    pub clause: ClauseName,
    /// The answer that the contract chose.
    pub answer: FenceAnswer,
}

/// What a fence says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The contract has no such fence.
    Absent,
    /// The step may go on.
    Passed,
    /// The step must not go on.
    Refused(Refusal),
}

impl Outcome {
    /// The refusal, if there is one.
    pub fn refusal(self) -> Option<Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Absent | Self::Passed => None,
        }
    }
}

fn fence(choices: &Choices, fence: Fence, holds: bool) -> Outcome {
    match choices.answer(fence) {
        None => Outcome::Absent,
        Some(_) if holds => Outcome::Passed,
        Some(answer) => Outcome::Refused(Refusal { fence, clause: fence.description().clause, answer }),
    }
}

/// Whether an identity that a request names agrees with the current one. A request that names none is judged elsewhere.
fn agrees(named: Option<u8>, current: u8) -> bool {
    named.is_none_or(|value| value == current)
}

/// [`Fence::PollMemberAtDispatch`]: `may_poll` is what the gateway's mirror says of the member.
pub fn poll_member_at_dispatch(choices: &Choices, may_poll: bool) -> Outcome {
    fence(choices, Fence::PollMemberAtDispatch, may_poll)
}

/// [`Fence::CommitMemberAtDispatch`]: `owns` is what the gateway's mirror says; a pending revocation still owns.
pub fn commit_member_at_dispatch(choices: &Choices, owns: bool) -> Outcome {
    fence(choices, Fence::CommitMemberAtDispatch, owns)
}

/// [`Fence::PollIncarnationOnArrival`].
pub fn poll_incarnation_on_arrival(choices: &Choices, named: &Context, current: u8) -> Outcome {
    fence(choices, Fence::PollIncarnationOnArrival, agrees(named.incarnation, current))
}

/// [`Fence::WriteIncarnationOnArrival`].
pub fn write_incarnation_on_arrival(choices: &Choices, named: &Context, current: u8) -> Outcome {
    fence(choices, Fence::WriteIncarnationOnArrival, agrees(named.incarnation, current))
}

/// [`Fence::MetadataFloorOnArrival`]: each identity that the request names must have been applied here already.
pub fn metadata_floor_on_arrival(choices: &Choices, named: &Context, applied: &Context) -> Outcome {
    let reached = |named: Option<u8>, applied: Option<u8>| named.unwrap_or(0) <= applied.unwrap_or(u8::MAX);
    let newer_incarnation_applied = named.incarnation < applied.incarnation;
    let holds = reached(named.incarnation, applied.incarnation)
        && (newer_incarnation_applied
            || reached(named.purge_generation, applied.purge_generation)
                && reached(named.assignment, applied.assignment));
    fence(choices, Fence::MetadataFloorOnArrival, holds)
}

/// [`Fence::CommitPurgeGenerationOnArrival`].
pub fn commit_purge_generation_on_arrival(choices: &Choices, named: &Context, current: u8) -> Outcome {
    fence(choices, Fence::CommitPurgeGenerationOnArrival, agrees(named.purge_generation, current))
}

/// [`Fence::CommitAssignmentOnArrival`].
pub fn commit_assignment_on_arrival(choices: &Choices, named: &Context, current: u8) -> Outcome {
    fence(choices, Fence::CommitAssignmentOnArrival, agrees(named.assignment, current))
}

/// [`Fence::StoreInRangeOnArrival`]: `last` is the last committed offset, if there is a message.
pub fn store_in_range_on_arrival(choices: &Choices, offset: u8, last: Option<u8>) -> Outcome {
    fence(choices, Fence::StoreInRangeOnArrival, last.is_some_and(|last| offset <= last))
}

/// [`Fence::BookmarkExistsOnDelete`].
pub fn bookmark_exists_on_delete(choices: &Choices, exists: bool) -> Outcome {
    fence(choices, Fence::BookmarkExistsOnDelete, exists)
}

/// [`Fence::CommitHistoryOnPromotion`].
pub fn commit_history_on_promotion(choices: &Choices, queued_in: History, current: History) -> Outcome {
    fence(choices, Fence::CommitHistoryOnPromotion, queued_in == current)
}

/// [`Fence::CommitAssignmentOnPromotion`].
pub fn commit_assignment_on_promotion(choices: &Choices, named: &Context, current: u8) -> Outcome {
    fence(choices, Fence::CommitAssignmentOnPromotion, agrees(named.assignment, current))
}

/// [`Fence::AutomaticStoreHistoryOnPromotion`].
pub fn automatic_store_history_on_promotion(choices: &Choices, queued_in: History, current: History) -> Outcome {
    fence(choices, Fence::AutomaticStoreHistoryOnPromotion, queued_in == current)
}

/// [`Fence::CompletionCapacityBeforeRead`]: `running` reads hold a slot each.
pub fn completion_capacity_before_read(choices: &Choices, running: usize, capacity: usize) -> Outcome {
    fence(choices, Fence::CompletionCapacityBeforeRead, running < capacity)
}

/// [`Fence::CallerPresentAtCompletion`].
pub fn caller_present_at_completion(choices: &Choices, waits: bool) -> Outcome {
    fence(choices, Fence::CallerPresentAtCompletion, waits)
}

/// [`Fence::PollHistoryAtCompletion`].
pub fn poll_history_at_completion(choices: &Choices, planned_in: History, current: History) -> Outcome {
    fence(choices, Fence::PollHistoryAtCompletion, planned_in == current)
}

/// [`Fence::PollAssignmentAtCompletion`].
pub fn poll_assignment_at_completion(choices: &Choices, captured: &Context, current: u8) -> Outcome {
    fence(choices, Fence::PollAssignmentAtCompletion, agrees(captured.assignment, current))
}

/// [`Fence::AutomaticStoreAssignmentAtCompletion`].
pub fn automatic_store_assignment_at_completion(choices: &Choices, captured: &Context, current: u8) -> Outcome {
    fence(choices, Fence::AutomaticStoreAssignmentAtCompletion, agrees(captured.assignment, current))
}

/// [`Fence::AutomaticStoreForwardOnly`]: `stored` is the bookmark as it is.
pub fn automatic_store_forward_only(choices: &Choices, offset: u8, stored: Option<u8>) -> Outcome {
    fence(choices, Fence::AutomaticStoreForwardOnly, stored.is_none_or(|stored| offset >= stored))
}

/// [`Fence::OperationAfterPurgeAtCommit`]: `purged_since` tells whether a purge ran after the operation got its place.
pub fn operation_after_purge_at_commit(choices: &Choices, purged_since: bool) -> Outcome {
    fence(choices, Fence::OperationAfterPurgeAtCommit, !purged_since)
}

/// [`Fence::PartitionDirectorySynced`].
pub fn partition_directory_synced(choices: &Choices, synced: bool) -> Outcome {
    fence(choices, Fence::PartitionDirectorySynced, synced)
}

/// [`Fence::BookmarkDirectorySynced`].
pub fn bookmark_directory_synced(choices: &Choices, synced: bool) -> Outcome {
    fence(choices, Fence::BookmarkDirectorySynced, synced)
}

/// [`Fence::BookmarksUnlinked`].
pub fn bookmarks_unlinked(choices: &Choices, unlinked: bool) -> Outcome {
    fence(choices, Fence::BookmarksUnlinked, unlinked)
}

/// [`Fence::NewStartRecordedFirst`]: refuses to remove messages while the new start is not durable.
pub fn new_start_recorded_first(choices: &Choices, recorded: bool) -> Outcome {
    fence(choices, Fence::NewStartRecordedFirst, recorded)
}

/// [`Fence::BookmarkGenerationAtLoad`].
pub fn bookmark_generation_at_load(choices: &Choices, carried: u8, recovered: u8) -> Outcome {
    fence(choices, Fence::BookmarkGenerationAtLoad, carried == recovered)
}

/// [`Fence::PurgeFinishedBeforeServing`]: `recorded` is the generation on disk, `decided` the one that the owner knows of.
pub fn purge_finished_before_serving(choices: &Choices, recorded: u8, decided: u8) -> Outcome {
    fence(choices, Fence::PurgeFinishedBeforeServing, recorded >= decided)
}

/// [`Fence::RevocationDrainedBeforeMove`]: `last_polled` was served, `stored` is committed.
pub fn revocation_drained_before_move(choices: &Choices, last_polled: Option<u8>, stored: Option<u8>) -> Outcome {
    let drained = last_polled.is_none_or(|served| stored.is_some_and(|stored| stored >= served));
    fence(choices, Fence::RevocationDrainedBeforeMove, drained)
}

impl Fence {
    /// The row of the table of fences.
    pub fn description(self) -> &'static FenceDescription {
        let index = Self::ALL.iter().position(|fence| *fence == self).unwrap_or_default();
        &table::DESCRIPTIONS[index]
    }
}
