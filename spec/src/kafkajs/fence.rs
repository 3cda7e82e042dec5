//! The fences of the KafkaJS family: one named function each.
//!
//! What a fence compares is in words that the client has (for the last one: the coordinator). Nothing here sees who read what.

use std::collections::BTreeSet;

use super::choices::{Choices, LockTimeOut};
use super::clause::ClauseName::{self, self as By};

crate::words! {
    /// Every fence of the KafkaJS family.
    pub enum Fence {
        /// A partition is fetched only if its committed offset is known (the guard).
        KnownOffsetBeforeFetch = "known-offset-before-fetch",
        /// Offsets that are being resolved are not cleared before they are used (the lock).
        LockFromResolveToUse = "lock-from-resolve-to-use",
        /// Fetched records count only while no seek of their partition waits.
        NoPendingSeekAtFetchAnswer = "no-pending-seek-at-fetch-answer",
        /// Fetched records count only while their partition is not paused.
        NotPausedAtFetchAnswer = "not-paused-at-fetch-answer",
        /// An answer to a fetch counts only for the manager that asked.
        ManagerAtFetchAnswer = "manager-at-fetch-answer",
        /// Resolved offsets count only for the manager that asked.
        ManagerAtResolve = "manager-at-resolve",
        /// What a handler has done counts only for the manager under which its records were fetched.
        ManagerAtHandlerEnd = "manager-at-handler-end",
        /// An acknowledged commit is noted only by the manager that sent it.
        ManagerAtCommitAcknowledgement = "manager-at-commit-acknowledgement",
        /// An answer to a fetch counts only while the partition has the version that it was fetched with.
        VersionAtFetchAnswer = "version-at-fetch-answer",
        /// A resolved offset counts only for the manager that asked, while the partition has the version that it was asked with.
        VersionAtResolve = "version-at-resolve",
        /// What a handler has done counts only while the partition has the version that its records were fetched with.
        VersionAtHandlerEnd = "version-at-handler-end",
        /// A processed offset is committed automatically only while the partition has the version that it was processed with.
        VersionAtAutomaticCommit = "version-at-automatic-commit",
        /// An acknowledged commit is noted only for partitions that still have the version that it was sent with.
        VersionAtCommitAcknowledgement = "version-at-commit-acknowledgement",
        /// The coordinator accepts commits of the current generation only.
        GenerationAtCoordinator = "generation-at-coordinator",
    }
}

crate::words! {
    /// Where a fence of this family stands.
    pub enum Checkpoint {
        /// The consumer, when a round has the offsets it asked for.
        BeforeFetch = "before-fetch",
        /// The consumer, when an answer to a fetch arrives.
        AtFetchAnswer = "at-fetch-answer",
        /// The offset manager, when asked-for offsets arrive.
        AtResolve = "at-resolve",
        /// The consumer, when a handler returns.
        AtHandlerEnd = "at-handler-end",
        /// The offset manager, when it chooses what to commit.
        AtCommit = "at-commit",
        /// The offset manager, when a commit is acknowledged.
        AtCommitAcknowledgement = "at-commit-acknowledgement",
        /// The coordinator, when a commit arrives.
        AtCoordinator = "at-coordinator",
    }
}

/// What a fence is: the row of the table of fences.
pub struct FenceDescription {
    /// The fence.
    pub fence: Fence,
    /// Where it stands.
    pub checkpoint: Checkpoint,
    /// What it compares.
    pub compares: &'static str,
    /// The effect that it protects.
    pub protects: &'static str,
    /// The clause that refuses.
    pub clause: ClauseName,
    /// Where the rule comes from.
    pub source: &'static str,
}

/// What a fence says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The contract has no such fence.
    Absent,
    /// The step may go on.
    Passed,
    /// The step must not go on.
    Refused,
}

impl Outcome {
    /// Whether the step must not go on.
    pub fn is_refused(self) -> bool {
        self == Self::Refused
    }
}

fn fence(choices: &Choices, fence: Fence, holds: bool) -> Outcome {
    match choices.has(fence) {
        false => Outcome::Absent,
        true if holds => Outcome::Passed,
        true => Outcome::Refused,
    }
}

/// [`Fence::KnownOffsetBeforeFetch`]: `known` tells whether there is a committed offset for the partition.
pub fn known_offset_before_fetch(choices: &Choices, known: bool) -> Outcome {
    fence(choices, Fence::KnownOffsetBeforeFetch, known)
}

/// [`Fence::LockFromResolveToUse`]: `waited_steps` of others since the lock was asked for; `assigned` partitions of the consumer.
/// Refused: the time-out fires.
pub fn lock_from_resolve_to_use(choices: &Choices, waited_steps: u8, assigned: usize) -> Outcome {
    let holds = most_waited_steps(choices, assigned).is_none_or(|most| waited_steps < most);
    fence(choices, Fence::LockFromResolveToUse, holds)
}

/// How many steps of others a request for the lock waits at most.
pub fn most_waited_steps(choices: &Choices, assigned: usize) -> Option<u8> {
    /// The answer of the coordinator and that of a leader: what it takes to resolve one partition.
    const STEPS: u8 = 2;
    match choices.lock_time_out {
        LockTimeOut::None => None,
        LockTimeOut::Fixed => Some(STEPS),
        LockTimeOut::ByAssignedPartitions => {
            Some(STEPS.saturating_mul(u8::try_from(assigned.max(1)).unwrap_or(u8::MAX)))
        }
    }
}

/// [`Fence::NoPendingSeekAtFetchAnswer`].
pub fn no_pending_seek_at_fetch_answer(choices: &Choices, pending: bool) -> Outcome {
    fence(choices, Fence::NoPendingSeekAtFetchAnswer, !pending)
}

/// [`Fence::NotPausedAtFetchAnswer`].
pub fn not_paused_at_fetch_answer(choices: &Choices, paused: bool) -> Outcome {
    fence(choices, Fence::NotPausedAtFetchAnswer, !paused)
}

/// [`Fence::ManagerAtFetchAnswer`]: managers are named by their generation.
pub fn manager_at_fetch_answer(choices: &Choices, asked: u8, current: u8) -> Outcome {
    fence(choices, Fence::ManagerAtFetchAnswer, asked == current)
}

/// [`Fence::ManagerAtResolve`].
pub fn manager_at_resolve(choices: &Choices, asked: u8, current: u8) -> Outcome {
    fence(choices, Fence::ManagerAtResolve, asked == current)
}

/// [`Fence::ManagerAtHandlerEnd`].
pub fn manager_at_handler_end(choices: &Choices, fetched: u8, current: u8) -> Outcome {
    fence(choices, Fence::ManagerAtHandlerEnd, fetched == current)
}

/// [`Fence::ManagerAtCommitAcknowledgement`].
pub fn manager_at_commit_acknowledgement(choices: &Choices, sent: u8, current: u8) -> Outcome {
    fence(choices, Fence::ManagerAtCommitAcknowledgement, sent == current)
}

/// [`Fence::VersionAtFetchAnswer`].
pub fn version_at_fetch_answer(choices: &Choices, fetched: u8, current: u8) -> Outcome {
    fence(choices, Fence::VersionAtFetchAnswer, fetched == current)
}

/// [`Fence::VersionAtResolve`]: the manager and the partition's version. A manager that begins knows nothing, so that what was looked
/// up for the one before may be older than what was committed since.
pub fn version_at_resolve(choices: &Choices, asked: (u8, u8), current: (u8, u8)) -> Outcome {
    fence(choices, Fence::VersionAtResolve, asked == current)
}

/// [`Fence::VersionAtHandlerEnd`].
pub fn version_at_handler_end(choices: &Choices, fetched: u8, current: u8) -> Outcome {
    fence(choices, Fence::VersionAtHandlerEnd, fetched == current)
}

/// [`Fence::VersionAtAutomaticCommit`].
pub fn version_at_automatic_commit(choices: &Choices, processed: u8, current: u8) -> Outcome {
    fence(choices, Fence::VersionAtAutomaticCommit, processed == current)
}

/// [`Fence::VersionAtCommitAcknowledgement`].
pub fn version_at_commit_acknowledgement(choices: &Choices, sent: u8, current: u8) -> Outcome {
    fence(choices, Fence::VersionAtCommitAcknowledgement, sent == current)
}

/// [`Fence::GenerationAtCoordinator`].
pub fn generation_at_coordinator(choices: &Choices, carried: u8, current: u8) -> Outcome {
    fence(choices, Fence::GenerationAtCoordinator, carried == current)
}

const fn row(
    fence: Fence,
    checkpoint: Checkpoint,
    compares: &'static str,
    protects: &'static str,
    clause: ClauseName,
    source: &'static str,
) -> FenceDescription {
    FenceDescription { fence, checkpoint, compares, protects, clause, source }
}

const GUARD: &str = "KafkaJS #582, released in 1.12.0";
const CAPTURED: &str = "proposal: the manager is captured with the request";
const VERSION: &str =
    "proposal: a version of the partition is captured with the request, as librdkafka's operations do";

/// The table of fences, in the order of [`Fence::ALL`] (a test compares).
#[rustfmt::skip]
pub const DESCRIPTIONS: &[FenceDescription] = &[
    row(Fence::KnownOffsetBeforeFetch, Checkpoint::BeforeFetch, "whether a committed offset is known", "which offsets a fetch may use", By::NoUndefinedOffset, GUARD),
    row(Fence::LockFromResolveToUse, Checkpoint::AtResolve, "whether somebody resolves and has not yet used, or clears", "offsets between resolving and using them", By::NoUndefinedOffset, "KafkaJS #578, closed unmerged"),
    row(Fence::NoPendingSeekAtFetchAnswer, Checkpoint::AtFetchAnswer, "whether a seek waits", "the position that a seek asked for", By::SeekIsHonoured, "KafkaJS #367, released in 1.9.0"),
    row(Fence::NotPausedAtFetchAnswer, Checkpoint::AtFetchAnswer, "whether the partition is paused", "records of paused partitions", By::PauseIsHonoured, "KafkaJS #397, released in 1.9.0"),
    row(Fence::ManagerAtFetchAnswer, Checkpoint::AtFetchAnswer, "the manager that asked", "which records are processed, which offsets are reset", By::CommitUnderReadingAssignment, CAPTURED),
    row(Fence::ManagerAtResolve, Checkpoint::AtResolve, "the manager that asked", "the offsets of the current assignment", By::FirstFetchNotBehindCommits, CAPTURED),
    row(Fence::ManagerAtHandlerEnd, Checkpoint::AtHandlerEnd, "the manager under which the records were fetched", "the group's progress", By::CommitUnderReadingAssignment, CAPTURED),
    row(Fence::ManagerAtCommitAcknowledgement, Checkpoint::AtCommitAcknowledgement, "the manager that sent the commit", "the offsets of the current assignment", By::FirstFetchNotBehindCommits, CAPTURED),
    row(Fence::VersionAtFetchAnswer, Checkpoint::AtFetchAnswer, "the partition's version", "which records are processed, which offsets are reset", By::CommitUnderReadingAssignment, VERSION),
    row(Fence::VersionAtResolve, Checkpoint::AtResolve, "the manager that asked, and the partition's version", "the offsets of the current assignment, and the position that a seek asked for", By::SeekIsHonoured, VERSION),
    row(Fence::VersionAtHandlerEnd, Checkpoint::AtHandlerEnd, "the partition's version", "the group's progress", By::CommitUnderReadingAssignment, VERSION),
    row(Fence::VersionAtAutomaticCommit, Checkpoint::AtCommit, "the partition's version", "the position that a seek asked for", By::SeekIsHonoured, VERSION),
    row(Fence::VersionAtCommitAcknowledgement, Checkpoint::AtCommitAcknowledgement, "the partition's version", "the position that a seek asked for", By::SeekIsHonoured, VERSION),
    row(Fence::GenerationAtCoordinator, Checkpoint::AtCoordinator, "the group generation", "the group's progress", By::CommitUnderReadingAssignment, "Kafka group protocol: error 22, ILLEGAL_GENERATION"),
];

impl Fence {
    /// The row of the table of fences.
    pub fn description(self) -> &'static FenceDescription {
        let index = Self::ALL.iter().position(|fence| *fence == self).unwrap_or_default();
        &DESCRIPTIONS[index]
    }

    /// The fences of some choices.
    pub fn of(choices: &Choices) -> BTreeSet<Self> {
        choices.fences.keys().copied().collect()
    }
}
