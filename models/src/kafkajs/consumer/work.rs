//! The handlers, and the commits of what they have processed.

use fencepost_spec::kafkajs::choices::AcknowledgementWithoutTopic;
use fencepost_spec::kafkajs::fence::{self, Fence};

use super::super::messages::{Commit, Entry, Envelope, Fetched, Origin, PARTITIONS, Position, Purpose, Request, Task};
use super::super::system::Address;
use super::{Slot, Stage, Step};

impl Step<'_> {
    /// Waiting batches get the workers that are free.
    pub(super) fn start_handlers(&mut self) {
        let limit = usize::from(self.setup.bounds.concurrency);
        while self.state().batches.iter().filter(|batch| batch.stage != Stage::Waiting).count() < limit {
            let is_waiting = |batch: &&mut super::Batch| batch.stage == Stage::Waiting;
            let Some(next) = self.state().batches.iter_mut().find(is_waiting) else { return };
            next.stage = Stage::Running;
            let next = *next;
            if !matches!(next.fetched, Fetched::Records(..)) {
                self.end_without_handler(next);
            }
        }
    }

    /// Without records no handler is called, and nothing is committed. What a control record passes is noted as processed.
    fn end_without_handler(&mut self, batch: super::Batch) {
        if let Fetched::Control(offset) = batch.fetched {
            let noted = self.resolve_offset(usize::from(batch.partition), offset, batch.under.assignment);
            if noted.is_none() {
                return;
            }
        }
        self.state().batches.retain(|other| other.partition != batch.partition);
        self.rest(batch.partition);
    }

    /// The running handler of a partition returns: its records are noted as processed, and committed.
    pub(super) fn end_handler(&mut self, partition: u8) -> Option<()> {
        let is_running = |batch: &super::Batch| batch.partition == partition && batch.stage == Stage::Running;
        let index = self.state().batches.iter().position(is_running)?;
        self.reaction.send(Address::Consumer, Envelope::HandlerReturns(partition));
        let batch = self.reaction.state.batches[index];
        let place = usize::from(partition);
        let state = &self.reaction.state;
        let is_current = state.truths[place] == batch.under.truth;
        let manager = fence::manager_at_handler_end(&self.setup.choices, batch.under.manager, state.manager.generation);
        let version = fence::version_at_handler_end(&self.setup.choices, batch.under.version, state.versions[place]);
        if self.reaction.fence(Fence::ManagerAtHandlerEnd, manager, is_current)
            || self.reaction.fence(Fence::VersionAtHandlerEnd, version, is_current)
        {
            self.batch_is_done(partition);
            return Some(());
        }
        let Fetched::Records(_, last) = batch.fetched else { return None };
        if self.resolve_offset(place, last, batch.under.assignment).is_none() {
            return Some(());
        }
        match self.dirty_entries().filter(|_| self.setup.bounds.automatic) {
            None => self.batch_is_done(partition),
            Some(entries) => {
                self.state().batches[index].stage = Stage::Committing;
                let generation = self.state().manager.generation;
                let commit = Commit { purpose: Purpose::Progress, generation, entries };
                self.ask(Task::Worker(partition), Request::Commit(commit));
            }
        }
        Some(())
    }

    /// Every offset of the manager that is not committed as it is, of all partitions.
    fn dirty_entries(&mut self) -> Option<[Option<Entry>; PARTITIONS]> {
        let mut entries = [None; PARTITIONS];
        for (partition, place) in entries.iter_mut().enumerate() {
            let state = &self.reaction.state;
            let Slot::At { offset, version, truth, origin } = state.manager.resolved[partition] else { continue };
            if state.committed[partition] == Some(offset) {
                continue;
            }
            let is_current = truth == state.truths[partition];
            let outcome = fence::version_at_automatic_commit(&self.setup.choices, version, state.versions[partition]);
            if !self.reaction.fence(Fence::VersionAtAutomaticCommit, outcome, is_current) {
                *place = Some(Entry { position: Position::Offset(offset), version, truth, origin });
            }
        }
        entries.iter().any(Option::is_some).then_some(entries)
    }

    /// The application commits an offset of its own choice.
    pub(super) fn commit_by_user(&mut self, partition: usize, offset: u8) {
        let under = self.state().under(partition);
        let mut entries = [None; PARTITIONS];
        entries[partition] = Some(Entry {
            position: Position::Offset(offset),
            version: under.version,
            truth: under.truth,
            origin: Origin::Chosen,
        });
        let state = self.state();
        state.sought[partition] = None;
        state.truths[partition] += 1;
        state.handed[partition] = state.handed[partition].max(offset);
        let commit = Commit { purpose: Purpose::Progress, generation: under.manager, entries };
        self.ask(Task::User, Request::Commit(commit));
    }

    /// A commit is acknowledged: it is noted.
    pub(super) fn progress_is_stored(&mut self, worker: Option<u8>, commit: Commit) {
        self.note_commit(&commit);
        if self.state().ended.is_some() {
            return;
        }
        if let Some(partition) = worker {
            self.batch_is_done(partition);
        }
    }

    fn note_commit(&mut self, commit: &Commit) {
        for (partition, entry) in commit.entries.into_iter().enumerate() {
            let Some(Entry { position: Position::Offset(offset), .. }) = entry else { continue };
            if self.acknowledgement_is_stale(commit, partition) {
                continue;
            }
            if !self.state().topic_is_known {
                if self.setup.choices.acknowledgement_without_topic == AcknowledgementWithoutTopic::Throws {
                    return self.crash(partition, "notes a commit of a topic that the generation does not have");
                }
                self.state().topic_is_known = true;
            }
            self.state().committed[partition] = Some(offset);
        }
    }

    /// Whether what a commit of a partition was sent under is no longer current, and a fence compares it.
    pub(super) fn acknowledgement_is_stale(&mut self, commit: &Commit, partition: usize) -> bool {
        let Some(entry) = commit.entries[partition] else { return false };
        let state = &self.reaction.state;
        let is_current = entry.truth == state.truths[partition];
        let (generation, version) = (state.manager.generation, state.versions[partition]);
        let manager = fence::manager_at_commit_acknowledgement(&self.setup.choices, commit.generation, generation);
        let version = fence::version_at_commit_acknowledgement(&self.setup.choices, entry.version, version);
        self.reaction.fence(Fence::ManagerAtCommitAcknowledgement, manager, is_current)
            || self.reaction.fence(Fence::VersionAtCommitAcknowledgement, version, is_current)
    }

    fn batch_is_done(&mut self, partition: u8) {
        self.state().batches.retain(|batch| batch.partition != partition);
        self.rest(partition);
        self.start_handlers();
    }
}
