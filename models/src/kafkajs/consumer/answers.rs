//! What becomes of the answer to a fetch.

use fencepost_spec::kafkajs::choices::ResetRecorded;
use fencepost_spec::kafkajs::fence::{self, Fence};

use super::super::marks::Mark;
use super::super::messages::{Commit, Entry, Fetched, Origin, PARTITIONS, Position, Purpose, Request, Task};
use super::{Batch, Phase, Stage, Step, Under};

impl Step<'_> {
    /// An answer to a fetch arrives.
    pub(super) fn take_fetched(&mut self, node: u8, fetched: Fetched) {
        let partition = usize::from(node);
        let Phase::Fetching(under) = self.state().fetchers[partition] else { return };
        self.rest(node);
        if fetched == Fetched::NotLeader {
            self.state().fetchers[partition] = Phase::Joining;
            return self.ask(Task::Fetcher(node), Request::Join);
        }
        if self.is_stale(partition, under) {
            return;
        }
        if fetched == Fetched::OutOfRange {
            return self.reset_under_lock(node, under.assignment);
        }
        if !self.is_unwanted(partition) {
            self.hand_out(node, fetched, under);
        }
    }

    /// Whether the identities that the fetch was made under are no longer current, and a fence compares them.
    fn is_stale(&mut self, partition: usize, under: Under) -> bool {
        let state = &self.reaction.state;
        let is_current = state.truths[partition] == under.truth;
        let manager = fence::manager_at_fetch_answer(&self.setup.choices, under.manager, state.manager.generation);
        let version = fence::version_at_fetch_answer(&self.setup.choices, under.version, state.versions[partition]);
        self.reaction.fence(Fence::ManagerAtFetchAnswer, manager, is_current)
            || self.reaction.fence(Fence::VersionAtFetchAnswer, version, is_current)
    }

    /// Whether the application has sought elsewhere, or paused the partition, in the meantime.
    fn is_unwanted(&mut self, partition: usize) -> bool {
        let (sought, paused) = (self.state().seeks[partition].is_some(), self.state().paused[partition]);
        let seek = fence::no_pending_seek_at_fetch_answer(&self.setup.choices, sought);
        let pause = fence::not_paused_at_fetch_answer(&self.setup.choices, paused);
        self.reaction.fence(Fence::NoPendingSeekAtFetchAnswer, seek, false)
            || self.reaction.fence(Fence::NotPausedAtFetchAnswer, pause, false)
    }

    /// Everything that was fetched goes to the workers, even nothing.
    fn hand_out(&mut self, node: u8, fetched: Fetched, under: Under) {
        let partition = usize::from(node);
        if let Fetched::Records(..) = fetched {
            let (paused, sought) = (self.state().paused[partition], self.state().seeks[partition].is_some());
            self.reaction.mark(Mark::Handed { partition, paused, sought });
        }
        let state = self.state();
        if let Fetched::Records(_, last) | Fetched::Control(last) = fetched {
            state.handed[partition] = state.handed[partition].max(last + 1);
        }
        state.fetchers[partition] = Phase::Handing;
        state.batches.push(Batch { partition: node, fetched, under, stage: Stage::Waiting });
        self.start_handlers();
    }

    /// An offset is out of range: it is replaced by a logical one, at the broker or in a list of our own.
    pub(super) fn reset(&mut self, node: u8, assignment: u8) {
        let partition = usize::from(node);
        let in_a_list = self.setup.choices.reset_recorded == ResetRecorded::InALocalList;
        let state = self.state();
        state.raise(partition);
        state.sought[partition] = None;
        state.floor[partition] = None;
        let under = state.under(partition);
        if in_a_list {
            if self.clear(partition, under.manager).is_none() {
                return;
            }
            self.state().manager.logical[partition] = true;
            self.rest(node);
            return self.release_lock(node);
        }
        let entry = Entry {
            position: Position::Logical,
            version: under.version,
            truth: under.truth,
            origin: Origin::Assignment(assignment),
        };
        let mut entries = [None; PARTITIONS];
        entries[partition] = Some(entry);
        self.state().fetchers[partition] = Phase::Resetting;
        let commit = Commit { purpose: Purpose::Reset, generation: under.manager, entries };
        self.ask(Task::Fetcher(node), Request::Commit(commit));
    }

    /// The logical offset is stored: what is known here is forgotten.
    pub(super) fn reset_is_stored(&mut self, node: u8, commit: Commit) {
        let partition = usize::from(node);
        if !self.acknowledgement_is_stale(&commit, partition) && self.clear(partition, commit.generation).is_none() {
            return;
        }
        self.rest(node);
        self.release_lock(node);
    }
}
