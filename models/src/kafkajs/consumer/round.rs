//! A fetcher's round: carry out seeks, resolve offsets, use them in a fetch.

use fencepost_spec::kafkajs::choices::{ResetRecorded, SeekWithoutAutomaticCommits};
use fencepost_spec::kafkajs::fence::{self, Fence};

use super::super::bounds::RoundCovers;
use super::super::marks::{Asked, Mark};
use super::super::messages::{
    Commit, Committed, Entry, Envelope, Origin, PARTITIONS, Position, Purpose, Request, Task,
};
use super::super::system::Address;
use super::{Phase, Resolving, Slot, Step, number};

impl Step<'_> {
    /// An idle fetcher begins a round.
    pub(super) fn begin_round(&mut self, node: u8) -> Option<()> {
        let index = usize::from(node);
        let state = self.state();
        if state.fetchers[index] != Phase::Idle || state.rounds[index] == 0 {
            return None;
        }
        state.rounds[index] -= 1;
        if state.rounds[index] > 0 {
            self.reaction.send(Address::Consumer, Envelope::Round(node));
        }
        let covers = self.setup.bounds.round_covers;
        let assigned = self.state().manager.assigned;
        let covered = std::array::from_fn(|partition| match covers {
            RoundCovers::AllPartitions => assigned[partition],
            RoundCovers::OwnNode => assigned[partition] && partition == index,
        });
        self.seek_or_resolve(node, covered);
        Some(())
    }

    /// Carries out the seek that waits for the node's partition, if it is ours; then resolves.
    fn seek_or_resolve(&mut self, node: u8, covered: [bool; PARTITIONS]) {
        let partition = usize::from(node);
        let state = self.state();
        let pending = if state.manager.assigned[partition] { state.seeks[partition].take() } else { None };
        let Some(offset) = pending else {
            return self.resolve_under_lock(node, covered);
        };
        state.raise(partition);
        state.floor[partition] = None;
        let under = state.under(partition);
        let is_local = self.setup.choices.seek_without_automatic_commits == SeekWithoutAutomaticCommits::NotedLocally;
        if !self.setup.bounds.automatic && is_local {
            self.state().manager.resolved[partition] =
                Slot::At { offset, version: under.version, truth: under.truth, origin: Origin::Chosen };
            self.note_seek(partition, offset);
            return self.resolve_under_lock(node, covered);
        }
        let entry = Entry {
            position: Position::Offset(offset),
            version: under.version,
            truth: under.truth,
            origin: Origin::Chosen,
        };
        let mut entries = [None; PARTITIONS];
        entries[partition] = Some(entry);
        let commit = Commit { purpose: Purpose::Seek, generation: under.manager, entries };
        self.state().fetchers[partition] = Phase::Seeking { covered };
        self.ask(Task::Fetcher(node), Request::Commit(commit));
    }

    fn note_seek(&mut self, partition: usize, offset: u8) {
        let state = self.state();
        state.sought[partition] = Some(offset);
        state.handed[partition] = state.handed[partition].max(offset);
    }

    /// The seek is stored at the coordinator: what is known here is forgotten, to be asked for anew. A stale acknowledgement ends the
    /// round, which may be about partitions that are ours no more.
    pub(super) fn seek_is_stored(&mut self, node: u8, commit: Commit) {
        let Phase::Seeking { covered } = self.state().fetchers[usize::from(node)] else { return };
        let partition = usize::from(node);
        let Some(Entry { position: Position::Offset(offset), truth, .. }) = commit.entries[partition] else { return };
        if self.acknowledgement_is_stale(&commit, partition) {
            return self.rest(node);
        }
        if self.clear(partition, commit.generation).is_none() {
            return;
        }
        if self.state().truths[partition] == truth {
            self.note_seek(partition, offset);
        }
        self.resolve_under_lock(node, covered);
    }

    /// Asks for everything that is not known, of all partitions of the manager.
    pub(super) fn resolve(&mut self, node: u8, covered: [bool; PARTITIONS]) {
        let lists = self.setup.choices.reset_recorded == ResetRecorded::InALocalList;
        let state = self.state();
        let assigned = state.manager.assigned;
        let pending: [bool; PARTITIONS] =
            std::array::from_fn(|partition| assigned[partition] && state.committed[partition].is_none());
        let listing = std::array::from_fn(|partition| lists && pending[partition] && state.manager.logical[partition]);
        let resolving = Resolving {
            manager: state.manager.generation,
            covered,
            pending,
            versions: state.versions,
            truths: state.truths,
            found: [None; PARTITIONS],
            listing,
            legitimate: [true; PARTITIONS],
        };
        if !pending.contains(&true) {
            return self.use_offsets(node, covered);
        }
        let asked: [bool; PARTITIONS] = std::array::from_fn(|partition| pending[partition] && !listing[partition]);
        self.state().fetchers[usize::from(node)] = Phase::Resolving(resolving);
        if asked.contains(&true) {
            self.ask(Task::Fetcher(node), Request::Offsets(asked));
        }
        self.list(node, listing);
    }

    /// Asks the leaders where their logs end (or start).
    fn list(&mut self, node: u8, partitions: [bool; PARTITIONS]) {
        for partition in (0..PARTITIONS).filter(|partition| partitions[*partition]) {
            let leader = u8::try_from(partition).unwrap_or(u8::MAX);
            self.reaction.mark(Mark::Asked(Asked::List(Task::Fetcher(node), leader)));
            self.reaction.send(Address::Broker(leader), Envelope::List(Task::Fetcher(node)));
        }
    }

    /// The coordinator says what the group has committed. Where that is no number, the leader is asked.
    pub(super) fn take_offsets(&mut self, node: u8, offsets: [Option<Committed>; PARTITIONS]) {
        let Phase::Resolving(mut resolving) = self.state().fetchers[usize::from(node)] else { return };
        let mut asked = [false; PARTITIONS];
        for (partition, committed) in offsets.into_iter().enumerate() {
            let Some(answered) = committed else { continue };
            resolving.found[partition] = number(committed);
            resolving.legitimate[partition] = answered.legitimate;
            self.learn(partition, answered);
            asked[partition] = answered.offset.is_none();
            resolving.listing[partition] = asked[partition];
        }
        self.state().fetchers[usize::from(node)] = Phase::Resolving(resolving);
        self.list(node, asked);
        self.merge_when_complete(node);
    }

    /// Ghost: the coordinator may have given the partition to somebody else already, who was handed records.
    fn learn(&mut self, partition: usize, answered: Committed) {
        let state = self.state();
        state.handed[partition] = state.handed[partition].max(answered.handed);
        if answered.assignment != state.assignments[partition] {
            state.sought[partition] = None;
        }
    }

    /// A leader says where its log ends (or starts).
    pub(super) fn take_listed(&mut self, node: u8, partition: usize, offset: u8) {
        let Phase::Resolving(resolving) = &mut self.state().fetchers[usize::from(node)] else { return };
        resolving.listing[partition] = false;
        resolving.found[partition] = Some(offset);
        if resolving.legitimate[partition] {
            let state = self.state();
            state.handed[partition] = state.handed[partition].max(offset);
        }
        self.merge_when_complete(node);
    }

    /// What was found is merged over what is known.
    fn merge_when_complete(&mut self, node: u8) {
        let Phase::Resolving(resolving) = self.state().fetchers[usize::from(node)] else { return };
        let is_waiting = (0..PARTITIONS).any(|partition| {
            resolving.listing[partition] || resolving.pending[partition] && resolving.found[partition].is_none()
        });
        if is_waiting {
            return;
        }
        let current = self.state().manager.generation;
        let outcome = fence::manager_at_resolve(&self.setup.choices, resolving.manager, current);
        if self.reaction.fence(Fence::ManagerAtResolve, outcome, false) {
            self.rest(node);
            return self.release_lock(node);
        }
        let mut covered = resolving.covered;
        for (partition, is_covered) in covered.iter_mut().enumerate() {
            let asked = (resolving.manager, resolving.versions[partition]);
            let now = (current, self.state().versions[partition]);
            let is_current = now.0 == asked.0 && resolving.truths[partition] == self.state().truths[partition];
            let outcome = fence::version_at_resolve(&self.setup.choices, asked, now);
            if (resolving.pending[partition] || *is_covered)
                && self.reaction.fence(Fence::VersionAtResolve, outcome, is_current)
            {
                *is_covered = false;
            } else if resolving.pending[partition] {
                let state = self.state();
                state.committed[partition] = resolving.found[partition];
                state.topic_is_known = true;
                state.manager.logical[partition] = false;
            }
        }
        self.use_offsets(node, covered);
    }

    /// Takes the offsets of the partitions that the round is about, and fetches what its node leads.
    fn use_offsets(&mut self, node: u8, covered: [bool; PARTITIONS]) {
        let mut fetch = None;
        for partition in (0..PARTITIONS).filter(|partition| covered[*partition]) {
            if !self.state().topic_is_known {
                return self.crash(partition, "looks for the offset of a topic that the generation does not have");
            }
            let known = self.state().committed[partition].is_some();
            let outcome = fence::known_offset_before_fetch(&self.setup.choices, known);
            let is_left_out = self.reaction.fence(Fence::KnownOffsetBeforeFetch, outcome, false);
            if is_left_out {
                continue;
            }
            if !self.state().manager.has_topic() {
                return self.crash(partition, "looks for a topic that the generation does not have");
            }
            if self.state().paused[partition] || !self.state().manager.assigned[partition] {
                continue;
            }
            let Some(offset) = self.next_offset(partition) else { return };
            if partition == usize::from(node) {
                fetch = Some(offset);
            }
        }
        self.rest(node);
        if let Some(offset) = fetch {
            self.fetch(node, offset);
        }
        self.release_lock(node);
    }

    fn fetch(&mut self, node: u8, offset: u8) {
        let partition = usize::from(node);
        let state = self.state();
        let (sought, floor) = (state.sought[partition].take(), state.floor[partition].take());
        let handed = state.handed[partition];
        let under = state.under(partition);
        state.fetchers[partition] = Phase::Fetching(under);
        self.reaction.mark(Mark::Asked(Asked::Fetch(node, offset)));
        self.reaction.mark(Mark::Fetched { partition, offset, sought, floor, handed });
        self.reaction.send(Address::Broker(node), Envelope::Fetch(node, offset));
    }
}
