//! What metadata decided, applied at the owner, one decision after the other.

use std::rc::Rc;

use fencepost_driver::Status;
use fencepost_spec::contract::Acknowledged;
use fencepost_spec::reply::NOT_ACCEPTED;
use fencepost_storage::StorageError;

use super::{Owner, answer};
use crate::executor::Home;
use crate::fault::Planted;
use crate::files::Directories;
use crate::generation::GenerationFile;
use crate::identities::HistoryId;
use crate::log::{Log, create_segment, files_of};
use crate::metadata::{Change, View};
use crate::network;
use crate::offsets::write_bookmark;
use crate::owner::Bookmarks;
use crate::request::Answer;

impl Owner {
    /// Applies the next decision.
    pub(super) async fn apply_next(&self) {
        let Some(decision) = self.cluster.metadata.borrow_mut().next_for_owner() else { return };
        let view = &decision.view;
        match decision.change {
            Change::Group => self.state.borrow_mut().group = Rc::clone(&view.group),
            Change::Purge => self.purge(view.purge_generation, self.cluster.sizes.purges_in_steps).await,
            Change::Recreation => {
                if self.recreate(view).await.is_err() {
                    self.state.borrow_mut().status = Status::Fenced;
                }
            }
        }
        let tells = self.cluster.choices.emptying_acknowledged == Acknowledged::WhenApplied;
        if let Some(emptying) = decision.emptying.filter(|_| tells) {
            self.cluster.spawner.spawn(Home::Outside, network::tell_applied(Rc::clone(&self.cluster), emptying));
        }
    }

    /// The partition was deleted and created again: files of its own, nothing in memory, and nothing that was under way.
    async fn recreate(&self, view: &View) -> Result<(), StorageError> {
        let disk = &self.cluster.disk;
        let (old, old_bookmarks) = (self.directories(), self.state.borrow().bookmarks.clone());
        let at = Directories::of(view.incarnation);
        disk.ensure_directory(&at.partition)?;
        disk.ensure_directory(&at.bookmarks)?;
        let segment = create_segment(disk, &at, 0).await?;
        let generation = GenerationFile::create(disk, &at).await?;
        disk.settle(&at.partition, &files_of(segment))?;
        let kept = if self.cluster.has(Planted::BookmarksSurviveRecreation) { old_bookmarks } else { Bookmarks::new() };
        for (key, offset) in &kept {
            write_bookmark(disk, &at, &self.cluster.choices, key, *offset, 0).await?;
        }
        self.remove_directories(&old).await?;
        let mut state = self.state.borrow_mut();
        let number = state.history.number + 1;
        state.history = HistoryId { incarnation: view.incarnation, number };
        state.incarnation = view.incarnation;
        state.group = Rc::clone(&view.group);
        state.at = at;
        state.log = Log { start: 0, next: 0, records: Vec::new(), segment };
        state.generation = generation;
        state.written = kept.clone();
        state.bookmarks = kept;
        state.last_polled = None;
        state.unfinished_purge = None;
        if !self.cluster.has(Planted::QueueSurvivesRecreation) {
            let dropped: Vec<_> = state.prepared.drain(..).collect();
            for operation in dropped.into_iter().chain(std::mem::take(&mut state.queued)) {
                if let Some(answering) = operation.answering {
                    answer(answering, Answer::code(NOT_ACCEPTED));
                }
            }
        }
        Ok(())
    }

    /// Removes the files of a deleted incarnation, durably.
    async fn remove_directories(&self, old: &Directories) -> Result<(), StorageError> {
        let disk = &self.cluster.disk;
        disk.begin("remove-incarnation");
        for directory in [&old.partition, &old.bookmarks] {
            for name in disk.entries(directory) {
                disk.remove(&format!("{directory}/{name}")).await?;
            }
            disk.settle(directory, &[])?;
        }
        Ok(())
    }
}
