//! What can be seen of a state of the model, in the words of the driver.

use std::collections::BTreeMap;

use fencepost_driver::{Field, Fields, Observation, Park, ParkKind, Status};
use fencepost_models::iggy::bounds::Bounds;
use fencepost_models::iggy::disk::{BookmarkFile, Operation};
use fencepost_models::iggy::gateway::Gateway;
use fencepost_models::iggy::messages::{Envelope, Key, OPERATOR, RequestId};
use fencepost_models::iggy::owner::{Owner, Phase, Read, Status as OwnerStatus};
use fencepost_models::iggy::system::{Address, GATEWAY_INDEX, NodeState, Setup};
use fencepost_spec::fence;

use super::names;
use super::position::Position;

/// What can be seen of a position.
pub(super) fn observation(setup: &Setup, at: &Position, fields: Fields) -> Observation {
    let owner = at.owner();
    let bounds = &setup.bounds;
    let has = |field| fields.has(field);
    let number = u64::from;
    Observation {
        status: has(Field::Status).then(|| status(owner)),
        start_offset: has(Field::StartOffset).then(|| number(owner.log.start)),
        next_offset: has(Field::NextOffset).then(|| number(owner.log.next_offset())),
        messages: has(Field::Messages)
            .then(|| owner.log.placed().map(|placed| (number(placed.offset), at.payload(&placed.message))).collect()),
        bookmarks: has(Field::Bookmarks).then(|| offsets(bounds, &owner.bookmarks)),
        bookmark_files: has(Field::BookmarkFiles).then(|| offsets(bounds, &owner.disk.current().bookmarks)),
        last_polled: has(Field::LastPolled).then(|| {
            let highest = owner.last_polled.iter();
            highest.map(|(offset, _)| (names::GROUP.to_owned(), number(*offset))).collect()
        }),
        purge_generation: has(Field::PurgeGeneration).then(|| number(owner.purge_generation)),
        incarnation: has(Field::Incarnation).then(|| number(owner.applied.incarnation)),
        group_generation: has(Field::GroupGeneration).then(|| number(owner.applied.group.generation)),
        partition_owner: has(Field::PartitionOwner).then(|| partition_owner(bounds, &owner.applied.group.owners)),
        mirrored_owner: has(Field::MirroredOwner).then(|| match &*at.state.actor_states[GATEWAY_INDEX] {
            NodeState::Gateway(Gateway { mirror }) => partition_owner(bounds, &mirror.group.owners),
            other => unreachable!("the gateway is not {other:?}"),
        }),
        prepared: has(Field::Prepared).then_some(owner.pipeline.len() as u64),
        queued: has(Field::Queued).then_some(owner.queue.len() as u64),
        unsynced: has(Field::Unsynced).then(|| owner.disk.unsynced.iter().map(|one| unsynced(bounds, one)).collect()),
        parked: has(Field::Parked).then(|| parked(setup, at)),
    }
}

fn status(owner: &Owner) -> Status {
    match owner.status {
        OwnerStatus::Serving => Status::Serving,
        OwnerStatus::Purging(_) => Status::Purging,
        OwnerStatus::Fenced => Status::Fenced,
    }
}

fn offsets(bounds: &Bounds, bookmarks: &BTreeMap<Key, BookmarkFile>) -> BTreeMap<String, u64> {
    bookmarks.iter().map(|(key, file)| (names::key(bounds, *key), u64::from(file.offset))).collect()
}

fn partition_owner(bounds: &Bounds, owners: &[Option<u8>]) -> String {
    let owner = owners.first().copied().flatten();
    owner.map_or_else(String::new, |index| names::consumer(bounds, index).to_owned())
}

fn unsynced(bounds: &Bounds, operation: &Operation) -> String {
    match operation {
        Operation::Append(..) => "append".to_owned(),
        Operation::RemoveSegment => "remove-segment".to_owned(),
        Operation::CreateSegment(..) => "create-segment".to_owned(),
        Operation::AdvanceStart(_) => "advance-start".to_owned(),
        Operation::WriteBookmark(key, _) => format!("write-bookmark:{}", names::key(bounds, *key)),
        Operation::RemoveBookmark(key) => format!("remove-bookmark:{}", names::key(bounds, *key)),
    }
}

/// The park of a message on its way, if it is one that the runner lets go on; answers are parked at `reply`.
pub(super) fn travelling(bounds: &Bounds, to: Address, message: &Envelope) -> Option<Park> {
    let park = |kind, id: RequestId| Some(Park::new(kind, names::operation(bounds, id)));
    let command = |kind, number: u8| park(kind, RequestId { client: OPERATOR, number });
    let at_owner = to == Address::Owner;
    let request = if at_owner { ParkKind::Arrival } else { ParkKind::Request };
    match message {
        Envelope::Poll(poll) => park(request, poll.id),
        Envelope::Commit(commit) => park(request, commit.id),
        Envelope::Produce(produce) => park(request, produce.id),
        Envelope::Command { number, .. } if to == Address::Metadata => command(ParkKind::Propose, *number),
        Envelope::Command { number, .. } => command(request, *number),
        Envelope::Gather(number, _) => command(ParkKind::Gather, *number),
        Envelope::Gathered(number, ..) => command(ParkKind::Gathered, *number),
        Envelope::Apply(_) => Some(Park::new(ParkKind::Apply, if at_owner { "owner" } else { "gateway" })),
        Envelope::Applied(emptyings) => Some(Park::new(ParkKind::Applied, emptyings.to_string())),
        Envelope::Drained(generation) => Some(Park::new(ParkKind::Drained, generation.to_string())),
        Envelope::RevocationTimesOut => Some(Park::only(ParkKind::RevocationTimeOut)),
        Envelope::Reply(id, _) => park(ParkKind::Reply, *id),
        Envelope::Acknowledged(number, _) => command(ParkKind::Reply, *number),
        Envelope::Act(..) | Envelope::Send(..) | Envelope::Next(_) | Envelope::Once(..) | Envelope::Inner(_) => None,
    }
}

/// Where a read waits for its completion.
pub(super) fn completes_at(read: &Read) -> ParkKind {
    match read.phase {
        Phase::Parked => ParkKind::Wait,
        Phase::Planned | Phase::Opened(_) => ParkKind::Complete,
    }
}

/// Everything that waits for the runner, sorted, timers left out.
fn parked(setup: &Setup, at: &Position) -> Vec<Park> {
    let bounds = &setup.bounds;
    let owner = at.owner();
    let mut parks: Vec<Park> = at
        .under_way()
        .filter_map(|envelope| travelling(bounds, Address::of(envelope.dst), envelope.msg))
        .filter(|park| park.kind != ParkKind::RevocationTimeOut)
        .collect();
    for read in &owner.reads {
        let kind = if read.phase == Phase::Planned { ParkKind::Open } else { completes_at(read) };
        parks.push(Park::new(kind, names::operation(bounds, read.id)));
    }
    if !owner.pipeline.is_empty() {
        parks.push(Park::only(ParkKind::Commit));
    }
    if matches!(owner.status, OwnerStatus::Purging(_)) {
        parks.push(Park::only(ParkKind::Purge));
    }
    let is_unfinished = owner.purge_generation < owner.applied.purge_generation;
    if is_unfinished && owner.status == OwnerStatus::Serving {
        parks.push(Park::only(ParkKind::FinishPurge));
    }
    if can_report_drained(setup, owner) {
        parks.push(Park::only(ParkKind::ReportDrained));
    }
    parks.sort();
    // Several decisions that are to be applied are one park: they are applied in their order.
    parks.dedup();
    parks
}

fn can_report_drained(setup: &Setup, owner: &Owner) -> bool {
    let group = &owner.applied.group;
    if group.revoked_for.is_none() || owner.reported_drained == Some(group.generation) {
        return false;
    }
    let stored = owner.bookmarks.get(&Key::Group).map(|file| file.offset);
    let polled = owner.last_polled.map(|(offset, _)| offset);
    let outcome = fence::revocation_drained_before_move(&setup.choices, polled, stored);
    !matches!(outcome, fence::Outcome::Refused(_))
}
