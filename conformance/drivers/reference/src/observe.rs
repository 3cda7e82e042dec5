//! What can be looked at, taken from where the broker has it.

use std::collections::BTreeMap;

use fencepost_driver::{Field, Fields, Observation, Park, ParkKind};

use crate::cluster::Cluster;
use crate::offsets::stored;
use crate::owner::{Bookmarks, Owner};

/// Looks at everything that was asked for.
pub(crate) fn observe(cluster: &Cluster, fields: Fields) -> Observation {
    let mut seen = Observation::default();
    if fields.has(Field::Parked) {
        seen.parked = Some(parked(cluster));
    }
    if fields.has(Field::MirroredOwner) {
        let metadata = cluster.metadata.borrow();
        seen.mirrored_owner = Some(metadata.mirror.group.owner().map(ToString::to_string).unwrap_or_default());
    }
    if fields.has(Field::Unsynced) && cluster.sizes.loses_power {
        seen.unsynced = Some(cluster.disk.unsynced());
    }
    if let Some(owner) = &*cluster.owner.borrow() {
        look_at_owner(owner, fields, &mut seen);
        look_at_progress(cluster, owner, fields, &mut seen);
    }
    seen
}

/// Everything that waits for the runner, sorted, timers left out.
pub(crate) fn parked(cluster: &Cluster) -> Vec<Park> {
    cluster.gates.list(|kind, name| {
        !matches!(kind, ParkKind::GatewayTimeOut | ParkKind::RevocationTimeOut) && cluster.is_ready(kind, name)
    })
}

fn look_at_owner(owner: &Owner, fields: Fields, seen: &mut Observation) {
    owner.look(|state| {
        let wanted = |field| fields.has(field);
        seen.status = wanted(Field::Status).then_some(state.status);
        seen.start_offset = wanted(Field::StartOffset).then_some(state.log.start);
        seen.next_offset = wanted(Field::NextOffset).then_some(state.log.next);
        seen.messages = wanted(Field::Messages)
            .then(|| state.log.records.iter().map(|record| (record.offset, record.payload.to_string())).collect());
        seen.purge_generation = wanted(Field::PurgeGeneration).then_some(state.generation.recorded.generation);
        seen.incarnation = wanted(Field::Incarnation).then_some(state.incarnation);
        seen.group_generation = wanted(Field::GroupGeneration).then_some(state.group.generation);
        seen.partition_owner =
            wanted(Field::PartitionOwner).then(|| state.group.owner().map(ToString::to_string).unwrap_or_default());
        seen.prepared = wanted(Field::Prepared).then_some(state.prepared.len() as u64);
        seen.queued = wanted(Field::Queued).then_some(state.queued.len() as u64);
    });
}

fn look_at_progress(cluster: &Cluster, owner: &Owner, fields: Fields, seen: &mut Observation) {
    owner.look(|state| {
        seen.bookmarks = fields.has(Field::Bookmarks).then(|| named(&state.bookmarks));
        seen.last_polled = fields
            .has(Field::LastPolled)
            .then(|| state.last_polled.map(|offset| (cluster.names.group.to_string(), offset)).into_iter().collect());
        seen.bookmark_files = fields.has(Field::BookmarkFiles).then(|| {
            let found = stored(&cluster.disk, &state.at).into_iter();
            found.map(|(key, bookmark)| (key.to_string(), bookmark.offset)).collect()
        });
    });
}

fn named(bookmarks: &Bookmarks) -> BTreeMap<String, u64> {
    bookmarks.iter().map(|(key, offset)| (key.to_string(), *offset)).collect()
}
