//! Which conditions about a state count when traces are selected: those that clauses and fences speak of.
//!
//! An abstraction is a set of [`Predicate`]s, as a number with a bit for each. What counters say is compared, never enumerated: a
//! batch is of an older history, whichever of the older ones. So the number of abstractions does not grow with the budgets of a view.

pub mod selection;

use fencepost_checker::cover::Abstraction;
use fencepost_spec::identity::{Assignment, History, Origin};

use super::consumer::Consumer;
use super::disk;
use super::messages::{Decree, Key};
use super::owner::purge::Step;
use super::owner::{Operation, Owner, Phase, Status, Work};
use super::system::{IggyModel, NodeState};

fencepost_spec::words! {
    /// A condition about a state of the system.
    pub enum Predicate {
        /// The owner is about to record the new start of a purge.
        PurgeRecordsStart = "purge-records-start",
        /// The owner is about to replace the segment in a purge.
        PurgeReplacesSegment = "purge-replaces-segment",
        /// The owner is about to sync the directory of the partition in a purge.
        PurgeSyncsPartition = "purge-syncs-partition",
        /// The owner is about to unlink the bookmarks in a purge.
        PurgeRemovesBookmarks = "purge-removes-bookmarks",
        /// The owner is about to sync the directory of bookmarks in a purge.
        PurgeSyncsBookmarks = "purge-syncs-bookmarks",
        /// The owner is about to record a purge as done.
        PurgeWritesMarker = "purge-writes-marker",
        /// A purge failed, and the owner refuses everything.
        OwnerFenced = "owner-fenced",
        /// The owner recorded fewer purges on disk than it knows to be decided.
        MarkerBehind = "marker-behind",
        /// There are messages.
        LogNotEmpty = "log-not-empty",
        /// A read is planned and its file is not open.
        ReadPlanned = "read-planned",
        /// A read has opened its file.
        ReadOpened = "read-opened",
        /// A poll waits at the owner for messages.
        PollParked = "poll-parked",
        /// A read was planned in another history than the owner's.
        ReadOfOlderHistory = "read-of-older-history",
        /// A read of the group was dispatched under an older assignment than the owner's.
        ReadOfOlderAssignment = "read-of-older-assignment",
        /// Nobody waits for a read any more.
        ReadWithoutCaller = "read-without-caller",
        /// An operation has its place in the order.
        OperationPrepared = "operation-prepared",
        /// An operation waits for a place in the order.
        OperationQueued = "operation-queued",
        /// A prepared or queued operation is of another history than the owner's, or was ordered before a purge.
        OperationOfOlderHistory = "operation-of-older-history",
        /// A prepared or queued commit of the group comes from a read under an older assignment than the owner's.
        OperationOfOlderAssignment = "operation-of-older-assignment",
        /// There is a bookmark.
        BookmarkPresent = "bookmark-present",
        /// A bookmark is at or above the next offset.
        BookmarkAboveHead = "bookmark-above-head",
        /// An automatic store made a bookmark.
        BookmarkAutomatic = "bookmark-automatic",
        /// A bookmark was read or written in another history than the owner's.
        BookmarkForeign = "bookmark-foreign",
        /// The bookmarks on disk are others than those in memory.
        BookmarkFileDiffers = "bookmark-file-differs",
        /// Something was served to the group.
        LastPolledPresent = "last-polled-present",
        /// The highest offset served to the group was read in another history than the owner's.
        LastPolledForeign = "last-polled-foreign",
        /// A name was made or removed in a directory that was not synced since.
        UnsyncedNames = "unsynced-names",
        /// Something was written to a file that was not synced since.
        UnsyncedData = "unsynced-data",
        /// The owner reported that the revoked partition is drained.
        DrainReported = "drain-reported",
        /// The gateway's mirror has not followed the metadata.
        MirrorBehind = "mirror-behind",
        /// The owner has not applied all metadata.
        OwnerBehind = "owner-behind",
        /// An emptying is decided, and the owner has not applied it.
        EmptyingNotApplied = "emptying-not-applied",
        /// Gateway and owner know different assignments of the partition.
        MirrorAssignmentDiffers = "mirror-assignment-differs",
        /// A revocation is decided and not completed.
        RevocationPending = "revocation-pending",
        /// A consumer waits for the answer to a poll.
        ConsumerAwaitsPoll = "consumer-awaits-poll",
        /// A consumer waits for the answer to a commit.
        ConsumerAwaitsCommit = "consumer-awaits-commit",
        /// The last batch of a consumer is of the owner's history.
        BatchOfThisHistory = "batch-of-this-history",
        /// The last batch of a consumer is of another history than the owner's.
        BatchOfOlderHistory = "batch-of-older-history",
        /// The last batch of a member was read under an older assignment than the owner's.
        BatchOfOlderAssignment = "batch-of-older-assignment",
    }
}

/// Predicates as bits.
#[derive(Clone, Copy, Default)]
struct Bits(u64);

impl Bits {
    fn add(&mut self, predicate: Predicate, holds: bool) {
        self.0 |= u64::from(holds) << predicate as u64;
    }
}

/// The predicates that hold in an abstraction, in their order.
pub fn holding(abstraction: u64) -> Vec<Predicate> {
    Predicate::ALL.iter().copied().filter(|predicate| abstraction >> *predicate as u64 & 1 == 1).collect()
}

/// The abstraction of the states of the Iggy family: which [`Predicate`]s hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Predicates;

/// Numbers that are compared between actors, behind the predicates of an owner: where each starts in its class.
const OPERATION: u32 = 58;
const ASSIGNMENT: u32 = 52;
const HISTORY: u32 = 40;
const EMPTYINGS: u32 = 36;

/// All predicates about the owner alone lie below this bit.
const OWN_BITS: u64 = (1 << EMPTYINGS) - 1;

/// A number in a class, in `width` bits; larger ones than fit are the largest that does.
fn field(number: u8, start: u32, width: u32) -> u64 {
    u64::from(number).min((1 << width) - 1) << start
}

fn read_field(class: u64, start: u32, width: u32) -> u64 {
    class >> start & ((1 << width) - 1)
}

fn assignment_field(assignment: Assignment) -> u64 {
    field(assignment, ASSIGNMENT, 6)
}

fn history_field(history: History) -> u64 {
    let History { incarnation, restarts, losses } = history;
    field(incarnation, HISTORY + 8, 4) | field(restarts, HISTORY + 4, 4) | field(losses, HISTORY, 4)
}

fn decree_fields(decree: &Decree) -> u64 {
    field(decree.operation, OPERATION, 6)
        | assignment_field(decree.group.owner_generation)
        | field(decree.emptyings, EMPTYINGS, 4)
}

/// Flags in the class of metadata and of a consumer, which have no predicates of their own.
const REVOKES: u64 = 1;
const AWAITS_POLL: u64 = 1;
const AWAITS_COMMIT: u64 = 2;
const HAS_BATCH: u64 = 4;

impl Abstraction<IggyModel> for Predicates {
    fn actor_class(&self, _index: usize, state: &NodeState) -> u64 {
        match state {
            NodeState::Owner(owner) => {
                owner_bits(owner).0 | history_field(owner.history) | decree_fields(&owner.applied)
            }
            NodeState::Metadata(metadata) => {
                decree_fields(&metadata.decree) | if metadata.decree.group.revoked_for.is_some() { REVOKES } else { 0 }
            }
            NodeState::Gateway(gateway) => decree_fields(&gateway.mirror),
            NodeState::Consumer(consumer) => consumer_class(consumer),
            NodeState::Producer(_) | NodeState::Operator(_) => 0,
        }
    }

    fn combine(&self, classes: &[u64]) -> u64 {
        let [metadata, gateway, owner, _, _, consumers @ ..] = classes else { return 0 };
        let mut bits = Bits(owner & OWN_BITS);
        let operation = |class: &u64| read_field(*class, OPERATION, 6);
        let assignment = |class: &u64| read_field(*class, ASSIGNMENT, 6);
        let history = |class: &u64| read_field(*class, HISTORY, 12);
        let emptyings = |class: &u64| read_field(*class, EMPTYINGS, 4);
        bits.add(Predicate::MirrorBehind, operation(gateway) < operation(metadata));
        bits.add(Predicate::OwnerBehind, operation(owner) < operation(metadata));
        bits.add(Predicate::EmptyingNotApplied, emptyings(owner) < emptyings(metadata));
        bits.add(Predicate::MirrorAssignmentDiffers, assignment(gateway) != assignment(owner));
        bits.add(Predicate::RevocationPending, metadata & REVOKES != 0);
        for consumer in consumers {
            bits.add(Predicate::ConsumerAwaitsPoll, consumer & AWAITS_POLL != 0);
            bits.add(Predicate::ConsumerAwaitsCommit, consumer & AWAITS_COMMIT != 0);
            if consumer & HAS_BATCH != 0 {
                let is_of_this = history(consumer) == history(owner);
                bits.add(Predicate::BatchOfThisHistory, is_of_this);
                bits.add(Predicate::BatchOfOlderHistory, !is_of_this);
                let is_older = assignment(consumer) != 0 && assignment(consumer) < assignment(owner);
                bits.add(Predicate::BatchOfOlderAssignment, is_older);
            }
        }
        bits.0
    }
}

fn consumer_class(consumer: &Consumer) -> u64 {
    let mut class = 0;
    if consumer.poll.is_some() {
        class |= AWAITS_POLL;
    }
    if consumer.commit.is_some() {
        class |= AWAITS_COMMIT;
    }
    if let Some(batch) = consumer.batches.last() {
        class |= HAS_BATCH | history_field(batch.history) | assignment_field(batch.assignment);
    }
    class
}

fn owner_bits(owner: &Owner) -> Bits {
    let mut bits = Bits::default();
    match owner.status {
        Status::Serving => {}
        Status::Purging(step) => bits.add(purging(step), true),
        Status::Fenced => bits.add(Predicate::OwnerFenced, true),
    }
    bits.add(Predicate::MarkerBehind, owner.disk.durable.marker.generation < owner.applied.purge_generation);
    bits.add(Predicate::LogNotEmpty, !owner.log.messages.is_empty());
    bits.add(Predicate::LastPolledPresent, owner.last_polled.is_some());
    bits.add(Predicate::LastPolledForeign, owner.last_polled.is_some_and(|(_, history)| history != owner.history));
    bits.add(Predicate::DrainReported, owner.reported_drained == Some(owner.applied.group.generation));
    read_bits(owner, &mut bits);
    operation_bits(owner, &mut bits);
    bookmark_bits(owner, &mut bits);
    disk_bits(owner, &mut bits);
    bits
}

fn purging(step: Step) -> Predicate {
    match step {
        Step::RecordStart => Predicate::PurgeRecordsStart,
        Step::ReplaceSegment => Predicate::PurgeReplacesSegment,
        Step::SyncPartition => Predicate::PurgeSyncsPartition,
        Step::RemoveBookmarks => Predicate::PurgeRemovesBookmarks,
        Step::SyncBookmarks => Predicate::PurgeSyncsBookmarks,
        Step::WriteMarker => Predicate::PurgeWritesMarker,
    }
}

fn read_bits(owner: &Owner, bits: &mut Bits) {
    for read in &owner.reads {
        let phase = match read.phase {
            Phase::Planned => Predicate::ReadPlanned,
            Phase::Opened(_) => Predicate::ReadOpened,
            Phase::Parked => Predicate::PollParked,
        };
        bits.add(phase, true);
        bits.add(Predicate::ReadOfOlderHistory, read.history != owner.history);
        bits.add(Predicate::ReadOfOlderAssignment, read.assignment < owner.assignment(read.key));
        bits.add(Predicate::ReadWithoutCaller, !read.caller_waits);
    }
}

fn operation_bits(owner: &Owner, bits: &mut Bits) {
    bits.add(Predicate::OperationPrepared, !owner.pipeline.is_empty());
    bits.add(Predicate::OperationQueued, !owner.queue.is_empty());
    for operation in owner.pipeline.iter().chain(&owner.queue) {
        let is_older = operation.purged_since || operation.history != owner.history;
        bits.add(Predicate::OperationOfOlderHistory, is_older || reads_elsewhere(operation, owner.history));
        bits.add(Predicate::OperationOfOlderAssignment, is_of_older_assignment(operation, owner));
    }
}

fn reads_elsewhere(operation: &Operation, history: History) -> bool {
    matches!(operation.work, Work::Commit { origin: Origin::Read { history: read, .. }, .. } if read != history)
}

fn is_of_older_assignment(operation: &Operation, owner: &Owner) -> bool {
    match operation.work {
        Work::Commit { key, origin: Origin::Read { assignment, .. }, .. } => assignment < owner.assignment(key),
        _ => false,
    }
}

fn bookmark_bits(owner: &Owner, bits: &mut Bits) {
    let foreign = |origin| matches!(origin, Origin::Read { history, .. } if history != owner.history);
    for file in owner.bookmarks.values() {
        bits.add(Predicate::BookmarkPresent, true);
        bits.add(Predicate::BookmarkAboveHead, file.offset >= owner.log.next_offset());
        bits.add(Predicate::BookmarkAutomatic, file.automatic);
        bits.add(Predicate::BookmarkForeign, file.written_in != owner.history || foreign(file.origin));
    }
    let filed = owner.disk.current().bookmarks;
    let offsets = |bookmarks: &std::collections::BTreeMap<Key, disk::BookmarkFile>| -> Vec<(Key, u8)> {
        bookmarks.iter().map(|(key, file)| (*key, file.offset)).collect()
    };
    bits.add(Predicate::BookmarkFileDiffers, offsets(&filed) != offsets(&owner.bookmarks));
}

fn disk_bits(owner: &Owner, bits: &mut Bits) {
    for operation in &owner.disk.unsynced {
        let is_of_names = match operation {
            disk::Operation::RemoveSegment
            | disk::Operation::CreateSegment(..)
            | disk::Operation::RemoveBookmark(_) => true,
            disk::Operation::Append(..) | disk::Operation::AdvanceStart(_) | disk::Operation::WriteBookmark(..) => {
                false
            }
        };
        bits.add(Predicate::UnsyncedNames, is_of_names);
        bits.add(Predicate::UnsyncedData, !is_of_names);
    }
}

#[cfg(test)]
mod tests {
    use super::{EMPTYINGS, Predicate, holding};

    #[test]
    fn given_the_predicates_when_counted_should_fit_into_a_number_with_those_of_the_owner_below_its_fields() {
        assert!(Predicate::ALL.len() <= 64);
        assert!((Predicate::DrainReported as u32) < EMPTYINGS, "the last one about the owner alone");
    }

    #[test]
    fn given_an_abstraction_when_told_should_name_the_predicates_that_hold() {
        let abstraction = 1 << Predicate::LogNotEmpty as u64 | 1 << Predicate::BatchOfOlderAssignment as u64;
        assert_eq!(holding(abstraction), [Predicate::LogNotEmpty, Predicate::BatchOfOlderAssignment]);
        assert_eq!(holding(0), []);
    }
}
