//! The completion of a read: its batch is granted and progress moves, or it is refused.

use std::rc::Rc;

use fencepost_driver::Reply;
use fencepost_spec::contract::{AutomaticStoreOrder, Capture, JoinTakes, ReadEffect};
use fencepost_spec::reply::NOT_ACCEPTED;

use super::order::{Place, is_forward};
use super::state::{Effect, Operation, Poll, Read, State};
use super::{Message, Owner, answer};
use crate::cluster::Cluster;
use crate::fault::Planted;
use crate::fences::caller_present_at_completion;
use crate::identities::Identities;
use crate::request::Answer;

impl Owner {
    /// Completes a read, in one step: nothing that is compared can change before the effect.
    pub(super) async fn complete(&self, read: Read) {
        let compared = self.settle_read(&read);
        match compared {
            Ok(()) => self.grant(read).await,
            // Who is gone is not answered.
            Err(refusal) => answer(read.poll.answering, refusal),
        }
    }

    /// Compares a read, and gives its slot back.
    fn settle_read(&self, read: &Read) -> Result<(), Answer> {
        let mut state = self.state.borrow_mut();
        let compared = state.compare_read(&self.cluster, read);
        let keeps_slot = compared.is_err() && self.cluster.has(Planted::SlotKeptOnRefusal);
        if read.has_slot && !keeps_slot {
            state.reads -= 1;
        }
        if self.cluster.has(Planted::StaleLastPolled) {
            state.serve(read);
        }
        compared
    }

    /// Grants a batch, with its effect on progress.
    async fn grant(&self, read: Read) {
        let identities = self.identities(&read);
        let stored = match (read.poll.automatic_commit, read.found.first(), read.found.last()) {
            (true, Some(first), Some(last)) => {
                Some(if self.cluster.has(Planted::FirstOffsetStored) { first.offset } else { last.offset })
            }
            _ => None,
        };
        if let Some(offset) = stored
            && let Err(refusal) = self.store_of(&read, offset).await
        {
            return answer(read.poll.answering, refusal);
        }
        self.state.borrow_mut().serve(&read);
        let Read { poll, found, .. } = read;
        let reply = if found.is_empty() {
            Reply::Empty {}
        } else {
            Reply::Batch { messages: found.iter().map(|record| (record.offset, record.payload.to_string())).collect() }
        };
        answer(poll.answering, Answer::Reply(reply, Some(identities)));
    }

    /// The identities that a batch carries.
    fn identities(&self, read: &Read) -> Identities {
        let state = self.state.borrow();
        let late = self.cluster.choices.batch_identity_captured == Capture::WhenCompleted;
        let current = state.applied(&self.cluster);
        let mut identities = read.identities;
        if late || self.cluster.has(Planted::PurgeGenerationCapturedAtCompletion) {
            identities.purge_generation = current.purge_generation;
        }
        if read.poll.is_of_group && (late || self.cluster.has(Planted::AssignmentCapturedAtCompletion)) {
            identities.assignment = current.assignment;
        }
        if late {
            identities.incarnation = current.incarnation;
        }
        identities
    }

    /// The automatic store of a batch.
    ///
    /// # Errors
    /// The answer to the poll, if the store is not admitted and the contract makes the batch depend on that.
    async fn store_of(&self, read: &Read, offset: u64) -> Result<(), Answer> {
        let choices = &self.cluster.choices;
        let operation = self.store_operation(&read.poll, offset);
        let is_eager = choices.bookmark_of_automatic_store == AutomaticStoreOrder::BeforeAdmission;
        if is_eager || self.cluster.has(Planted::EagerBookmark) {
            self.state.borrow_mut().advance_in_memory(&self.cluster, &read.poll, offset);
        }
        if choices.effect_of_read == ReadEffect::WhenDone || self.cluster.has(Planted::EffectInDetachedRead) {
            // The read is no part of the owner: it sends its store like anybody, and does not wait for what becomes of it.
            self.state.borrow_mut().advance_in_memory(&self.cluster, &read.poll, offset);
            self.tell(Message::StoreOf(operation));
            return Ok(());
        }
        let admitted = self.state.borrow().admit(&self.cluster);
        match admitted {
            Ok(()) => {
                self.state.borrow_mut().advance_in_memory(&self.cluster, &read.poll, offset);
                self.order(operation).await;
                Ok(())
            }
            Err(_) if is_eager => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    fn store_operation(&self, poll: &Poll, offset: u64) -> Operation {
        Operation {
            effect: Effect::Store { key: Rc::clone(&poll.key), offset, is_automatic: true },
            named: Identities::default(),
            member: None,
            queued_in: self.state.borrow().history,
            number: 0,
            is_before_purge: false,
            answering: None,
        }
    }

    /// The automatic store of a read that had its effect by itself arrives. Nobody hears of a refusal.
    pub(super) async fn store_of_read_arrives(&self, mut operation: Operation) {
        let Effect::Store { offset, .. } = operation.effect else { return };
        operation.queued_in = self.state.borrow().history;
        let is_in_range = self.state.borrow().compare_range(&self.cluster, offset).refusal().is_none();
        if is_in_range {
            self.order(operation).await;
        }
    }
}

impl State {
    /// The fences of a read when it completes, in their order.
    fn compare_read(&self, cluster: &Cluster, read: &Read) -> Result<(), Answer> {
        let poll = &read.poll;
        if cluster.has(Planted::EffectInDetachedRead) {
            return Ok(());
        }
        let waits = !poll.answering.is_canceled() || cluster.has(Planted::LateCompletionCounts);
        if caller_present_at_completion(&cluster.choices, waits).refusal().is_some() {
            return Err(Answer::Silence);
        }
        let compares_early = cluster.has(Planted::HistoryComparedAtOpen) && poll.is_compared;
        if !compares_early && let Some(refusal) = self.compare_history(cluster, poll) {
            return Err(refusal);
        }
        let compares_early = poll.is_compared && !cluster.has(Planted::HistoryComparedAtOpen);
        if !compares_early && let Some(refusal) = self.compare_assignment(cluster, poll) {
            return Err(refusal);
        }
        let is_drained = poll.is_of_group && self.reported_at == Some(self.group.generation);
        if is_drained && cluster.choices.join_takes_partition == JoinTakes::WhenReportedDrained {
            return Err(Answer::code(NOT_ACCEPTED));
        }
        Ok(())
    }

    /// Whether an automatic store may be ordered. What was just granted needs no comparison with the offsets that exist.
    fn admit(&self, cluster: &Cluster) -> Result<(), Answer> {
        match self.place(cluster) {
            Place::Full => Err(Answer::code(NOT_ACCEPTED)),
            _ => Ok(()),
        }
    }

    fn advance_in_memory(&mut self, cluster: &Cluster, poll: &Poll, offset: u64) {
        if is_forward(cluster, offset, self.bookmarks.get(&poll.key).copied()) {
            self.bookmarks.insert(Rc::clone(&poll.key), offset);
        }
    }

    /// Notes what a group was served.
    fn serve(&mut self, read: &Read) {
        if let Some(last) = read.found.last().filter(|_| read.poll.is_of_group) {
            self.last_polled = self.last_polled.max(Some(last.offset));
        }
    }
}
