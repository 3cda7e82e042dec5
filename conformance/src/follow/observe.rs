//! What is seen of the state, against what the model's owner looks like.

use fencepost_models::iggy::messages::Key;
use fencepost_models::iggy::owner::{Owner, Work};
use fencepost_models::iggy::system::metadata_of;

use super::belief::Belief;
use super::world::{Client, key_of};
use super::{Counts, Difference, DivergenceKind};
use crate::recording::partition::Observation;

/// Highest committed offset; 0 when empty.
pub(super) fn commit_offset(owner: &Owner) -> u64 {
    owner.log.last_offset().map_or(0, u64::from)
}

/// Highest assigned offset; 0 when empty. What a purge made void is not assigned any more.
pub(super) fn write_offset(owner: &Owner) -> u64 {
    let prepared = owner.pipeline.iter().filter(|operation| !operation.purged_since);
    let assigned: u64 = prepared
        .map(|operation| match operation.work {
            Work::Append(count) => u64::from(count),
            Work::Commit { .. } => 0,
        })
        .sum();
    match assigned {
        0 => commit_offset(owner),
        _ => (u64::from(owner.log.next_offset()) + assigned).saturating_sub(1),
    }
}

/// Collects what differs.
pub(super) struct Comparison {
    seen: Vec<String>,
    allowed: Vec<String>,
}

impl Comparison {
    pub(super) fn new() -> Self {
        Self { seen: Vec::new(), allowed: Vec::new() }
    }

    /// Compares a field, if it was recorded.
    pub(super) fn field<T: PartialEq + Text>(&mut self, name: &str, seen: Option<T>, is: T) {
        let Some(seen) = seen else { return };
        if seen != is {
            self.seen.push(format!("{name} {}", seen.text()));
            self.allowed.push(format!("{name} {}", is.text()));
        }
    }

    pub(super) fn into_difference(self) -> Option<Difference> {
        (!self.seen.is_empty()).then(|| Difference {
            kind: DivergenceKind::StateDiffers,
            size: self.seen.len(),
            seen: self.seen.join(", "),
            allowed: self.allowed.join(", "),
        })
    }
}

/// A value of a field in words.
pub(super) trait Text {
    /// The value in words.
    fn text(&self) -> String;
}

impl Text for u64 {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Text for usize {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Text for bool {
    fn text(&self) -> String {
        self.to_string()
    }
}

impl Text for Option<u64> {
    fn text(&self) -> String {
        self.map_or_else(|| "none".to_owned(), |value| value.to_string())
    }
}

/// Compares an observation with a state.
pub(super) fn compare(seen: &Observation, belief: &Belief, clients: &[Client]) -> Option<Difference> {
    let owner = belief.owner();
    let mut comparison = Comparison::new();
    bookmarks(&mut comparison, seen, owner, clients);
    comparison.field("empty", seen.empty, owner.log.messages.is_empty());
    comparison.field("write offset", seen.write_offset, write_offset(owner));
    comparison.field("commit offset", seen.commit_offset, commit_offset(owner));
    let committed = metadata_of(&belief.state).decree.purge_generation;
    comparison.field("committed generation", seen.committed_generation, u64::from(committed));
    comparison.field("applied generation", seen.applied_generation, u64::from(owner.purge_generation));
    comparison.field("prepared operations", seen.pipeline, owner.pipeline.len());
    comparison.field("queued operations", seen.queued, owner.queue.len());
    comparison.into_difference()
}

fn bookmarks(comparison: &mut Comparison, seen: &Observation, owner: &Owner, clients: &[Client]) {
    let files = owner.disk.current().bookmarks;
    for (name, seen) in seen.bookmarks.iter().flatten() {
        let key = key_of(clients, name);
        let offset = |file: &fencepost_models::iggy::disk::BookmarkFile| u64::from(file.offset);
        let stored = key.and_then(|key| owner.bookmarks.get(&key)).map(offset);
        let file = key.and_then(|key| files.get(&key)).map(offset);
        comparison.field(&format!("bookmark of {name} in memory"), seen.stored, stored);
        comparison.field(&format!("bookmark of {name} on file"), seen.file, file);
        if key == Some(Key::Group) {
            let last_polled = owner.last_polled.map(|(offset, _)| u64::from(offset));
            comparison.field(&format!("last polled of {name}"), seen.last_polled, last_polled);
        }
    }
}

/// Counts what an observation does not say, and what is not compared.
pub(super) fn count(seen: &Observation, counts: &mut Counts) {
    counts.constrain("bookmarks", seen.bookmarks.is_some());
    for (name, bookmark) in seen.bookmarks.iter().flatten() {
        counts.constrain("bookmark.stored", bookmark.stored.is_some());
        counts.constrain("bookmark.file", bookmark.file.is_some());
        counts.constrain("bookmark.last_polled", bookmark.last_polled.is_some() || !name.starts_with("group:"));
    }
    counts.constrain("empty", seen.empty.is_some());
    counts.constrain("write_offset", seen.write_offset.is_some());
    counts.constrain("commit_offset", seen.commit_offset.is_some());
    counts.constrain("committed_generation", seen.committed_generation.is_some());
    counts.constrain("applied_generation", seen.applied_generation.is_some());
    counts.constrain("pipeline", seen.pipeline.is_some());
    counts.constrain("queued", seen.queued.is_some());
    counts.ignore("commit_op", seen.commit_op.is_some());
    counts.ignore("purge_floor_op", seen.purge_floor_op.is_some());
    counts.ignore("files", seen.files.is_some());
}
