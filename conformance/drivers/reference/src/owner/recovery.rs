//! Recovery: what a new process makes of the files that it finds, and of nothing else but metadata.

use std::collections::VecDeque;
use std::rc::Rc;

use fencepost_driver::{Status, World};
use fencepost_spec::contract::AboveHead;
use fencepost_storage::StorageError;

use super::Owner;
use super::state::State;
use crate::cluster::Cluster;
use crate::fault::Planted;
use crate::fences::{bookmark_generation_at_load, purge_finished_before_serving};
use crate::files::Directories;
use crate::gates::Name;
use crate::generation::GenerationFile;
use crate::identities::{HistoryId, small};
use crate::log::{Log, Segment, append, create_segment, files_of, numbered, recover_segment, segments};
use crate::offsets::{stored, unlink, write_bookmark};
use crate::owner::Bookmarks;

/// Writes the files of the world at the start of a trace, all durable.
///
/// # Errors
/// As the storage does.
pub(crate) async fn found(cluster: &Cluster, world: &World) -> Result<(), StorageError> {
    let disk = &cluster.disk;
    let at = Directories::of(0);
    disk.ensure_directory(&at.partition)?;
    disk.ensure_directory(&at.bookmarks)?;
    let segment = create_segment(disk, &at, 0).await?;
    GenerationFile::create(disk, &at).await?;
    let payloads: Vec<Name> = world.messages.iter().map(|payload| Name::from(payload.as_str())).collect();
    if !payloads.is_empty() {
        append(disk, &at, segment, &numbered(&payloads, 0), false).await?;
    }
    disk.settle(&at.partition, &files_of(segment))?;
    for (key, offset) in &world.bookmarks {
        write_bookmark(disk, &at, &cluster.choices, &Name::from(key.as_str()), *offset, 0).await?;
    }
    disk.settle_bookmarks(&at)
}

/// Recovers, and serves. If the files cannot be read at all, the partition is fenced.
pub(crate) async fn recover(cluster: Rc<Cluster>) {
    let loaded = load(&cluster).await;
    let Ok((state, decided)) = loaded else { return };
    let recorded = state.generation.recorded.generation;
    let choices = Rc::clone(&cluster.choices);
    let owner = Owner::serve(&cluster, state);
    for key in owner.load_bookmarks() {
        // A file that cannot be removed is refused again next time.
        let at = owner.directories();
        let _ = unlink(&cluster.disk, &at, &key).await;
    }
    let outcome = purge_finished_before_serving(&choices, small(recorded), small(decided));
    if outcome.refusal().is_some() {
        owner.purge(decided, cluster.sizes.purges_in_steps).await;
    } else if recorded < decided {
        owner.state.borrow_mut().unfinished_purge = Some(decided);
    } else if recorded > 0 && cluster.has(Planted::PurgeRepeatedAtBoot) {
        owner.purge(decided, false).await;
    }
}

/// Loads what the files hold, and the generation up to which metadata wants the partition purged.
async fn load(cluster: &Rc<Cluster>) -> Result<(State, u64), StorageError> {
    let view = cluster.metadata.borrow().at_owner.clone();
    let disk = &cluster.disk;
    let at = Directories::of(view.incarnation);
    disk.ensure_directory(&at.partition)?;
    disk.ensure_directory(&at.bookmarks)?;
    let generation = GenerationFile::recover(disk, &at).await?;
    let log = load_log(cluster, &at, generation.recorded.start).await?;
    let state = State {
        status: Status::Serving,
        incarnation: view.incarnation,
        history: HistoryId { incarnation: view.incarnation, number: 0 },
        group: view.group,
        reported_at: None,
        at,
        log,
        generation,
        bookmarks: Bookmarks::new(),
        written: Bookmarks::new(),
        last_polled: None,
        prepared: VecDeque::new(),
        queued: VecDeque::new(),
        reads: 0,
        operations: 0,
        unfinished_purge: None,
    };
    Ok((state, view.purge_generation))
}

/// Loads the messages, from the recorded start on; without a segment an empty one is begun there.
async fn load_log(cluster: &Rc<Cluster>, at: &Directories, start: u64) -> Result<Log, StorageError> {
    let disk = &cluster.disk;
    let mut records = Vec::new();
    let mut newest: Option<Segment> = None;
    for base in segments(disk, at) {
        let (segment, found) = recover_segment(disk, at, base).await?;
        if let Some(older) = newest.replace(segment) {
            for file in files_of(older) {
                disk.close(file);
            }
        }
        records.extend(found);
    }
    let mut segment = match newest {
        Some(segment) => segment,
        None => {
            let segment = create_segment(disk, at, start).await?;
            disk.settle(&at.partition, &files_of(segment))?;
            segment
        }
    };
    records.retain(|record| record.offset >= start);
    let journal = cluster.peer_journal.borrow().clone();
    if records.is_empty() && cluster.has(Planted::RepairBringsPurgedBack) && !journal.is_empty() {
        records = numbered(&journal, start);
        segment = append(disk, at, segment, &records, true).await?;
    }
    let start = start.max(segment.base);
    let next = records.last().map_or(start, |last| last.offset + 1);
    let start = records.first().map_or(next, |first| first.offset);
    Ok(Log { start, next, records, segment })
}

impl Owner {
    /// Loads the bookmarks that are in files and belong to the recovered partition. Gives those that do not.
    fn load_bookmarks(&self) -> Vec<Name> {
        let cluster = &self.cluster;
        let mut state = self.state.borrow_mut();
        let recorded = state.generation.recorded.generation;
        let mut found = Bookmarks::new();
        let mut foreign = Vec::new();
        for (key, bookmark) in stored(&cluster.disk, &state.at) {
            if let Some(mut carried) = bookmark.generation {
                if cluster.has(Planted::BookmarkGenerationNotNewer) {
                    carried = carried.max(recorded);
                }
                let outcome = bookmark_generation_at_load(&cluster.choices, small(carried), small(recorded));
                if outcome.refusal().is_some() {
                    foreign.push(key);
                    continue;
                }
            }
            found.insert(key, bookmark.offset);
        }
        state.written = found.clone();
        let next = state.log.next;
        let clamps_on_empty = cluster.choices.bookmark_above_head_at_boot == AboveHead::ClampedToHead
            || cluster.has(Planted::ClampOnEmptyLog);
        for (key, offset) in found {
            if offset < next {
                state.bookmarks.insert(key, offset);
            } else if clamps_on_empty || !state.log.records.is_empty() {
                // On an empty log this says that message 0 was consumed.
                state.bookmarks.insert(key, next.saturating_sub(1));
            }
        }
        foreign
    }
}
