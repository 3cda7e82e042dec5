//! The order of the partition: operations get a place, commit, and give their place to one that waits.

use std::rc::Rc;

use fencepost_driver::Status;
use fencepost_spec::contract::FullQueue;
use fencepost_spec::reply::{NOT_ACCEPTED, OUTCOME_UNKNOWN};
use fencepost_storage::StorageError;

use super::state::{Effect, Operation, State};
use super::{Owner, answer};
use crate::cluster::Cluster;
use crate::fault::Planted;
use crate::fences::{
    automatic_store_forward_only, automatic_store_history_on_promotion, commit_assignment_on_arrival,
    commit_assignment_on_promotion, commit_history_on_promotion, operation_after_purge_at_commit,
};
use crate::gates::Name;
use crate::identities::{ordered, small};
use crate::log::{append, numbered};
use crate::offsets::{remove_bookmark, write_bookmark};
use crate::request::Answer;

/// What becomes of an operation that wants a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It gets one and commits at once.
    Commits,
    /// It gets one.
    Free,
    /// It waits for one.
    Waits,
    /// It cannot even wait.
    Full,
}

impl State {
    /// What becomes of the next operation that wants a place.
    pub(super) fn place(&self, cluster: &Cluster) -> Place {
        match cluster.sizes.prepare_slots {
            None => Place::Commits,
            Some(slots) if self.prepared.len() < slots => Place::Free,
            Some(_) if self.queued.len() < cluster.sizes.queue_slots => Place::Waits,
            Some(_) => Place::Full,
        }
    }

    /// Gives an operation its number.
    fn numbered(&mut self, mut operation: Operation) -> Operation {
        self.operations += 1;
        operation.number = self.operations;
        operation
    }
}

impl Owner {
    /// An operation that passed its fences gets its place, waits, or is turned away.
    pub(super) async fn order(&self, mut operation: Operation) {
        let place = self.state.borrow().place(&self.cluster);
        if self.cluster.has(Planted::AcknowledgedBeforeCommitted)
            && place != Place::Full
            && let Some(answering) = operation.answering.take()
        {
            answer(answering, Answer::acknowledged());
        }
        match place {
            Place::Commits => {
                let operation = self.state.borrow_mut().numbered(operation);
                self.commit(operation).await;
            }
            Place::Free => {
                let mut state = self.state.borrow_mut();
                let operation = state.numbered(operation);
                state.prepared.push_back(operation);
            }
            Place::Waits => self.state.borrow_mut().queued.push_back(operation),
            Place::Full => {
                let is_dropped = self.cluster.choices.full_queue == FullQueue::Dropped
                    || self.cluster.has(Planted::ReplyDroppedOnFullQueue);
                if let Some(answering) = operation.answering {
                    answer(answering, if is_dropped { Answer::Silence } else { Answer::code(NOT_ACCEPTED) });
                }
            }
        }
    }

    /// The oldest prepared operation commits, and those that wait get its place.
    pub(super) async fn commit_oldest(&self) {
        let Some(operation) = self.state.borrow_mut().prepared.pop_front() else { return };
        self.commit(operation).await;
        self.promote();
    }

    fn promote(&self) {
        loop {
            let mut state = self.state.borrow_mut();
            let has_room = self.cluster.sizes.prepare_slots.is_none_or(|slots| state.prepared.len() < slots);
            let Some(operation) = has_room.then(|| state.queued.pop_front()).flatten() else { return };
            match state.compare_promoted(&self.cluster, &operation) {
                None => {
                    let operation = state.numbered(operation);
                    state.prepared.push_back(operation);
                }
                Some(refusal) => {
                    if let Some(answering) = operation.answering {
                        answer(answering, refusal);
                    }
                    if self.cluster.has(Planted::PromotionStops) {
                        return;
                    }
                }
            }
        }
    }

    async fn commit(&self, operation: Operation) {
        let refusal = self.state.borrow().compare_committed(&self.cluster, &operation);
        let is_cut_off = operation.number <= self.cluster.cut_off.get();
        let floor = operation_after_purge_at_commit(&self.cluster.choices, operation.is_before_purge);
        let has_effect = floor.refusal().is_none() && refusal.is_none() && !is_cut_off;
        let done = if has_effect { self.take_effect(operation.effect).await } else { Ok(()) };
        if done.is_err() {
            self.state.borrow_mut().status = Status::Fenced;
        }
        if let Some(answering) = operation.answering {
            let failed = done.err().map(|_| Answer::code(OUTCOME_UNKNOWN));
            answer(answering, refusal.or(failed).unwrap_or_else(Answer::acknowledged));
        }
    }

    async fn take_effect(&self, effect: Effect) -> Result<(), StorageError> {
        match effect {
            Effect::Append(payloads) => self.append(&payloads).await,
            Effect::Store { key, offset, is_automatic: false } => self.set_bookmark(&key, offset).await,
            Effect::Store { key, offset, is_automatic: true } => self.advance_bookmark(&key, offset).await,
            Effect::Delete { key } => {
                let at = self.directories();
                remove_bookmark(&self.cluster.disk, &at, &self.cluster.choices, &key).await?;
                let mut state = self.state.borrow_mut();
                state.written.remove(&key);
                state.bookmarks.remove(&key);
                Ok(())
            }
        }
    }

    async fn append(&self, payloads: &[Name]) -> Result<(), StorageError> {
        let (at, segment, records) = {
            let state = self.state.borrow();
            (state.at.clone(), state.log.segment, numbered(payloads, state.log.next))
        };
        let is_durable = self.cluster.choices.messages_survive_power_loss;
        let segment = append(&self.cluster.disk, &at, segment, &records, is_durable).await?;
        let mut state = self.state.borrow_mut();
        state.log.segment = segment;
        state.log.next += records.len() as u64;
        state.log.records.extend(records);
        if self.cluster.has(Planted::RepairBringsPurgedBack) {
            self.cluster.peer_journal.borrow_mut().extend(payloads.iter().map(Rc::clone));
        }
        Ok(())
    }

    /// A manual store: what it says counts.
    async fn set_bookmark(&self, key: &Name, offset: u64) -> Result<(), StorageError> {
        self.write(key, offset).await?;
        self.state.borrow_mut().bookmarks.insert(Rc::clone(key), offset);
        Ok(())
    }

    /// An automatic store: file and memory take the greater offset, each for itself.
    async fn advance_bookmark(&self, key: &Name, offset: u64) -> Result<(), StorageError> {
        let written = self.state.borrow().written.get(key).copied();
        let overwrites = self.cluster.has(Planted::StoresBackwards);
        if overwrites || is_forward(&self.cluster, offset, written) {
            self.write(key, offset).await?;
        }
        let mut state = self.state.borrow_mut();
        if overwrites || is_forward(&self.cluster, offset, state.bookmarks.get(key).copied()) {
            state.bookmarks.insert(Rc::clone(key), offset);
        }
        Ok(())
    }

    async fn write(&self, key: &Name, offset: u64) -> Result<(), StorageError> {
        let (at, mut generation) = {
            let state = self.state.borrow();
            (state.at.clone(), state.generation.recorded.generation)
        };
        if self.cluster.has(Planted::BookmarkGenerationFromDecision) {
            generation = self.cluster.metadata.borrow().newest().purge_generation;
        }
        write_bookmark(&self.cluster.disk, &at, &self.cluster.choices, key, offset, generation).await?;
        self.state.borrow_mut().written.insert(Rc::clone(key), offset);
        Ok(())
    }
}

/// Whether an automatic store may move a bookmark there.
pub(super) fn is_forward(cluster: &Cluster, offset: u64, stored: Option<u64>) -> bool {
    let (offset, stored) = ordered(offset, stored);
    automatic_store_forward_only(&cluster.choices, offset, stored).refusal().is_none()
}

impl State {
    /// The fences of an operation that is to get its place after it waited; the answer if it is refused.
    fn compare_promoted(&self, cluster: &Cluster, operation: &Operation) -> Option<Answer> {
        let choices = &cluster.choices;
        let late = cluster.has(Planted::QueueHistoryCapturedAtPromotion);
        let queued_in = if late { self.history } else { operation.queued_in };
        let (queued_in, current) = (queued_in.history(), self.history.history());
        let (outcome, is_delete) = match &operation.effect {
            Effect::Append(_) => return None,
            Effect::Store { is_automatic: true, .. } => {
                (automatic_store_history_on_promotion(choices, queued_in, current), false)
            }
            Effect::Store { .. } => (commit_history_on_promotion(choices, queued_in, current), false),
            Effect::Delete { .. } => (commit_history_on_promotion(choices, queued_in, current), true),
        };
        let is_automatic = matches!(operation.effect, Effect::Store { is_automatic: true, .. });
        let refusal = outcome.refusal().or_else(|| {
            let member = operation.member.as_ref().filter(|_| !is_automatic)?;
            if cluster.has(Planted::QueuedAssignmentNotCompared) {
                return None;
            }
            let named = self.weakened(cluster, operation.named, self.group.owns(member));
            commit_assignment_on_promotion(choices, &named.context(), small(self.assignment(cluster))).refusal()
        })?;
        Some(Answer::of_fence(refusal.answer, is_delete))
    }

    /// The comparison that belongs before the order, made at commit under the fault that makes it there.
    fn compare_committed(&self, cluster: &Cluster, operation: &Operation) -> Option<Answer> {
        if !cluster.has(Planted::CommitComparedAfterOrdering) || operation.member.is_none() {
            return None;
        }
        let current = small(self.assignment(cluster));
        let refusal = commit_assignment_on_arrival(&cluster.choices, &operation.named.context(), current).refusal()?;
        Some(Answer::of_fence(refusal.answer, matches!(operation.effect, Effect::Delete { .. })))
    }
}
