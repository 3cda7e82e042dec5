//! A purge: the partition is emptied and stays.

use std::rc::Rc;

use fencepost_driver::{Answer as Opened, ParkKind, Status};
use fencepost_spec::contract::Numbering;
use fencepost_spec::fence::Outcome;
use fencepost_storage::StorageError;

use super::Owner;
use crate::disk::Site;
use crate::fault::Planted;
use crate::fences::{
    bookmark_directory_synced, bookmarks_unlinked, new_start_recorded_first, partition_directory_synced,
};
use crate::gates::Name;
use crate::identities::HistoryId;
use crate::log::{create_segment, remove_segment};
use crate::offsets::{stored, unlink};

/// Why a purge ended half-way.
pub(super) struct Stopped;

impl From<StorageError> for Stopped {
    fn from(_: StorageError) -> Self {
        Self
    }
}

impl Owner {
    /// Purges the partition up to a generation, step by step or at once. The owner takes nothing else meanwhile.
    pub(super) async fn purge(&self, generation: u64, in_steps: bool) {
        {
            let mut state = self.state.borrow_mut();
            state.status = Status::Purging;
            // What an earlier life left unfinished is done with this one.
            state.unfinished_purge = None;
        }
        let done = match self.cluster.choices.numbering_at_purge {
            Numbering::Restart => self.purge_and_restart(generation, in_steps).await,
            Numbering::Continue => self.purge_and_continue(generation, in_steps).await,
        };
        let mut state = self.state.borrow_mut();
        state.status = if done.is_ok() { Status::Serving } else { Status::Fenced };
    }

    /// Finishes a purge that an earlier life began.
    pub(super) async fn finish_purge(&self) {
        let unfinished = self.state.borrow_mut().unfinished_purge.take();
        if let Some(generation) = unfinished {
            self.purge(generation, self.cluster.sizes.purges_in_steps).await;
        }
    }

    /// Waits for the next step. False: what it asks of the disk is to fail.
    async fn step(&self, in_steps: bool) -> bool {
        !in_steps || self.cluster.gates.wait(ParkKind::Purge, &self.cluster.names.nothing).await != Opened::Fail
    }

    async fn purge_and_restart(&self, generation: u64, in_steps: bool) -> Result<(), Stopped> {
        let at = self.directories();
        let disk = &self.cluster.disk;
        self.step(in_steps).await;
        self.replace_segment(0).await?;
        self.forget();
        if self.cluster.has(Planted::GenerationRecordedFirst) {
            self.record(generation, 0).await?;
        }

        let is_synced =
            self.step(in_steps).await && disk.sync_directory(Site::PurgePartitionNames, &at.partition).await.is_ok();
        let outcome = partition_directory_synced(&self.cluster.choices, is_synced);
        self.pass(outcome, Planted::PartitionSyncFailureLogged)?;

        let is_unlinked = self.step(in_steps).await && self.unlink_bookmarks().await.is_ok();
        self.pass(bookmarks_unlinked(&self.cluster.choices, is_unlinked), Planted::UnlinkFailureIgnored)?;

        let is_synced =
            self.step(in_steps).await && disk.sync_directory(Site::PurgeBookmarkNames, &at.bookmarks).await.is_ok();
        let outcome = bookmark_directory_synced(&self.cluster.choices, is_synced);
        self.pass(outcome, Planted::BookmarkSyncFailureLogged)?;

        self.step(in_steps).await;
        self.record(generation, 0).await?;
        Ok(())
    }

    async fn purge_and_continue(&self, generation: u64, in_steps: bool) -> Result<(), Stopped> {
        let start = self.state.borrow().log.next;
        let is_recorded_first = new_start_recorded_first(&self.cluster.choices, false).refusal().is_some()
            && !self.cluster.has(Planted::SegmentsDroppedFirst);
        self.step(in_steps).await;
        if is_recorded_first {
            self.record(generation, start).await?;
        } else {
            self.drop_messages(start).await?;
        }
        self.step(in_steps).await;
        if is_recorded_first {
            self.drop_messages(start).await?;
        } else {
            self.record(generation, start).await?;
        }
        Ok(())
    }

    async fn drop_messages(&self, start: u64) -> Result<(), Stopped> {
        self.replace_segment(start).await?;
        self.state.borrow_mut().log.start_at(start);
        Ok(())
    }

    /// A fence of the purge, unless a fault only logs what it refuses.
    fn pass(&self, outcome: Outcome, only_logged: Planted) -> Result<(), Stopped> {
        if outcome.refusal().is_some() && !self.cluster.has(only_logged) { Err(Stopped) } else { Ok(()) }
    }

    /// Removes the segment and plants an empty one.
    async fn replace_segment(&self, base: u64) -> Result<(), StorageError> {
        let (at, old) = {
            let state = self.state.borrow();
            (state.at.clone(), state.log.segment)
        };
        remove_segment(&self.cluster.disk, &at, old).await?;
        let segment = create_segment(&self.cluster.disk, &at, base).await?;
        self.state.borrow_mut().log.segment = segment;
        Ok(())
    }

    /// Another history begins: nothing of the old one stays in memory.
    fn forget(&self) {
        let mut state = self.state.borrow_mut();
        state.history = HistoryId { number: state.history.number + 1, ..state.history };
        state.log.records.clear();
        (state.log.start, state.log.next) = (0, 0);
        if !self.cluster.has(Planted::BookmarksSurvivePurge) {
            state.bookmarks.clear();
        }
        if !self.cluster.has(Planted::LastPolledSurvivesPurge) {
            state.last_polled = None;
        }
        for operation in &mut state.prepared {
            operation.is_before_purge = true;
        }
        if self.cluster.has(Planted::CutOffOutlivesItsSequence) {
            self.cluster.cut_off.set(state.operations);
        }
    }

    /// Removes the files of all bookmarks.
    async fn unlink_bookmarks(&self) -> Result<(), StorageError> {
        let at = self.directories();
        let keys: Vec<Name> = stored(&self.cluster.disk, &at).into_keys().collect();
        for key in keys {
            unlink(&self.cluster.disk, &at, &key).await?;
        }
        self.state.borrow_mut().written.clear();
        Ok(())
    }

    /// Records the generation as done, and the offset at which the partition starts.
    async fn record(&self, generation: u64, start: u64) -> Result<(), StorageError> {
        let (at, file) = {
            let state = self.state.borrow();
            (Rc::new(state.at.clone()), state.generation)
        };
        let file = file.record(&self.cluster.disk, &at, generation, start).await?;
        self.state.borrow_mut().generation = file;
        Ok(())
    }
}
