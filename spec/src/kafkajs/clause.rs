//! What is promised about the offsets of a KafkaJS consumer.
//!
//! Where a promise has the name of one of the Iggy family, it says the same of another system.

use super::KafkaJs;
use super::fence::Fence;
use crate::clause::Change::{self, Choose, Without};
use crate::clause::{Clause, Mutant};

crate::words! {
    /// The clauses of the KafkaJS family.
    pub enum ClauseName {
        /// Nothing is fetched, and nothing noted, at an offset that is not known.
        NoUndefinedOffset = "no-undefined-offset",
        /// The group's progress is always a number.
        NoLogicalOffsetCommitted = "no-logical-offset-committed",
        /// After a seek, the next fetch is where the seek said.
        SeekIsHonoured = "seek-is-honoured",
        /// A paused partition gives no records.
        PauseIsHonoured = "pause-is-honoured",
        /// A new assignment begins where the group stands.
        FirstFetchNotBehindCommits = "first-fetch-not-behind-commits",
        /// A fetch passes nothing unread.
        NoSkip = "no-skip",
        /// A commit counts only under the assignment that read the data.
        CommitUnderReadingAssignment = "commit-under-reading-assignment",
        /// An acknowledged commit is not undone by an older one.
        AcknowledgedCommitStands = "acknowledged-commit-stands",
        /// Automatic commits only go forward.
        AutomaticProgressMonotone = "automatic-progress-monotone",
        /// What is current is not refused as stale.
        NoNeedlessRefusal = "no-needless-refusal",
    }
}

const fn mutant(contract: &'static str, change: Change<KafkaJs>, view: &'static str) -> Mutant<KafkaJs> {
    Mutant { contract, repair: None, change, view }
}

const BEST: &str = "kafkajs-partition-version";

/// All clauses, in the order of [`ClauseName::ALL`] (a test compares).
pub const CLAUSES: &[Clause<KafkaJs>] = &[
    Clause {
        name: ClauseName::NoUndefinedOffset,
        promise: "No step takes an offset that the consumer does not know: a fetch neither fails on it nor falls back to zero, and nothing is noted for a topic that the generation does not have.",
        reason: "The consumer crashes, or reads everything again without a sign.",
        scope: "A partition without a known offset is left out of the round; the next round resolves it.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::KnownOffsetBeforeFetch), "overlapping-rounds"),
    },
    Clause {
        name: ClauseName::NoLogicalOffsetCommitted,
        promise: "The group's progress at the coordinator is never replaced by a logical offset (-1 latest, -2 earliest).",
        reason: "Whoever reads the group's progress next jumps to where the log happens to start or end by then.",
        scope: "It makes no difference whether commits are automatic: KafkaJS stores the logical offset in either case (#1144).",
        liveness: false,
        mutant: mutant("kafkajs-two-lists", Choose("reset_recorded", "at-the-broker"), "reset-after-loss"),
    },
    Clause {
        name: ClauseName::SeekIsHonoured,
        promise: "After a seek, no handler is given records that were fetched before it, and once it was carried out, the next fetch of the partition is at the offset that it named.",
        reason: "An application seeks in order to read something again, or to leave something out.",
        scope: "A later seek, a reset, a manual commit of the user and a new assignment of the partition end the promise.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::VersionAtAutomaticCommit), "seek-with-commits"),
    },
    Clause {
        name: ClauseName::PauseIsHonoured,
        promise: "While a partition is paused, no handler is given records of it.",
        reason: "An application pauses a partition because it cannot take more.",
        scope: "Records that a handler already has, or that wait for a free worker, were given before.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::NotPausedAtFetchAnswer), "pause-and-manual-commits"),
    },
    Clause {
        name: ClauseName::FirstFetchNotBehindCommits,
        promise: "The first fetch of a partition under a new assignment is not behind a commit that was acknowledged before the assignment.",
        reason: "What another member has processed and committed is processed again, and then committed backwards.",
        scope: "A seek or a reset under the new assignment ends the promise.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::VersionAtResolve), "lost-and-regained"),
    },
    Clause {
        name: ClauseName::NoSkip,
        promise: "No fetch passes a live record that was not handed to the group, unless the user sought past it.",
        reason: "A skipped record is lost to the application without a sign.",
        scope: "A reset to latest passes live records on purpose, if the offset was out of range in a fetch under the current assignment. Records that retention removed are not live.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::VersionAtFetchAnswer), "reset-after-loss"),
    },
    Clause {
        name: ClauseName::CommitUnderReadingAssignment,
        promise: "A commit that derives from a fetch takes effect only under the assignment of the partition under which it was fetched; regaining the partition does not revive it.",
        reason: "Between two assignments of the same member, somebody else may have gone on or gone back.",
        scope: "A reset derives from the fetch that was out of range. Seeks and manual commits are positions of the user's own choice.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::VersionAtHandlerEnd), "lost-and-regained"),
    },
    Clause {
        name: ClauseName::AcknowledgedCommitStands,
        promise: "An acknowledged commit is not undone by a commit whose fetch belongs to an older assignment.",
        reason: "An acknowledgement that does not last cannot be built upon.",
        scope: "Undone: the group's progress goes back, or is replaced by a logical offset. A seek may do that.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::VersionAtHandlerEnd), "lost-and-regained"),
    },
    Clause {
        name: ClauseName::AutomaticProgressMonotone,
        promise: "Automatic commits never move the group's progress back, except after a seek.",
        reason: "The group must not read again what it has read.",
        scope: "Resets are judged by other clauses.",
        liveness: false,
        mutant: mutant(BEST, Without(Fence::VersionAtHandlerEnd), "lost-and-regained"),
    },
    Clause {
        name: ClauseName::NoNeedlessRefusal,
        promise: "Nothing that was asked for under the partition's current assignment, and before no seek or reset of it, is dropped as stale or given up.",
        reason: "A fence that drops valid work makes every rebalance cost records that were already here.",
        scope: "A partition that is assigned in two generations one after the other is one assignment. Looking up an offset belongs to the manager that asked: the next one asks anew. A lock that is not granted in time counts as a refusal.",
        liveness: false,
        mutant: mutant(BEST, Choose("assignment_raises", "all-partitions"), "kept-partition"),
    },
];
