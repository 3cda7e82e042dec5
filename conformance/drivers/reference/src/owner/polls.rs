//! Polls: planned by the owner, read beside it.

use std::rc::Rc;

use fencepost_driver::{Answer as Opened, ParkKind, Reply, Start, Status};
use fencepost_spec::contract::ReadEffect;
use fencepost_spec::fence::Outcome;
use fencepost_spec::reply::NOT_ACCEPTED;

use super::state::{Plan, Poll, Read, State};
use super::{Message, Owner, answer};
use crate::cluster::Cluster;
use crate::executor::Home;
use crate::fault::Planted;
use crate::fences::{
    automatic_store_assignment_at_completion, completion_capacity_before_read, poll_assignment_at_completion,
    poll_history_at_completion, poll_incarnation_on_arrival,
};
use crate::identities::{Identities, small};
use crate::log::read_segment;
use crate::request::{Answer, Answering, Ask, Request};

impl Owner {
    /// A poll arrives: it is refused, its read is planned, or it waits for messages.
    pub(super) async fn poll_arrives(self: &Rc<Self>, mut request: Request, answering: Answering) {
        if let Err(refusal) = self.state.borrow().compare_poll(&self.cluster, &request) {
            answer(answering, refusal);
            return;
        }
        if self.cluster.has(Planted::AssignmentCapturedOnArrival) {
            let current = self.state.borrow().assignment(&self.cluster);
            request.assignment = request.assignment.map(|_| current);
        }
        let Ask::Poll { start, count, automatic_commit, may_wait } = request.ask else { return };
        let poll = Poll {
            operation: request.operation,
            key: request.key,
            is_of_group: request.is_of_group,
            start,
            count,
            automatic_commit,
            assignment: request.assignment,
            history: self.state.borrow().history,
            answering,
            is_compared: false,
        };
        let poll = match self.compare_too_early(poll) {
            Ok(poll) => poll,
            Err((answering, refusal)) => return answer(answering, refusal),
        };
        let plan = self.state.borrow().plan(&self.cluster, &poll);
        if plan.through.is_none() && may_wait && self.cluster.choices.parked_polls {
            // It goes on where it began to wait, whatever is committed meanwhile.
            let poll = Poll { start: Start::Offset { offset: plan.from }, ..poll };
            self.cluster.spawner.spawn(Home::Process, Rc::clone(self).wait(poll));
        } else if self.cluster.sizes.is_resident || plan.through.is_none() {
            let found = self.resident(&plan, poll.count);
            self.complete(Read { poll, identities: plan.identities, found, has_slot: false }).await;
        } else {
            self.state.borrow_mut().reads += 1;
            self.cluster.spawner.spawn(Home::Process, Rc::clone(self).read(poll, plan));
        }
    }

    /// Under the faults that compare when a poll arrives: the comparison that belongs to its completion.
    fn compare_too_early(&self, mut poll: Poll) -> Result<Poll, (Answering, Answer)> {
        let early = self.cluster.has(Planted::PollAssignmentComparedOnArrival)
            || poll.automatic_commit && self.cluster.has(Planted::AutomaticStoreComparedOnArrival);
        if early {
            let refusal = self.state.borrow().compare_assignment(&self.cluster, &poll);
            if let Some(refusal) = refusal {
                return Err((poll.answering, refusal));
            }
            poll.is_compared = true;
        }
        Ok(poll)
    }

    /// The messages of a plan from memory.
    fn resident(&self, plan: &Plan, count: u64) -> Vec<crate::log::Record> {
        let state = self.state.borrow();
        let found = plan.through.map(|through| state.log.between(plan.from, through, count));
        let mut found = found.unwrap_or_default();
        if self.cluster.has(Planted::UncommittedServed) {
            found.extend(state.prepared_records().into_iter().filter(|record| record.offset >= plan.from));
            found.truncate(usize::try_from(count).unwrap_or(usize::MAX));
        }
        found
    }

    /// A read of a file: it may be held before the file is opened, and before it is completed.
    async fn read(self: Rc<Self>, mut poll: Poll, plan: Plan) {
        let opened = self.cluster.gates.wait(ParkKind::Open, &poll.operation).await;
        if self.cluster.has(Planted::HistoryComparedAtOpen) {
            let refusal = self.state.borrow().compare_history(&self.cluster, &poll);
            if let Some(refusal) = refusal {
                self.state.borrow_mut().reads -= 1;
                return answer(poll.answering, refusal);
            }
            poll.is_compared = true;
        }
        // The path is that of the partition as it is called, so a file that was replaced meanwhile is not the one that was planned.
        let at = self.directories();
        let mut found = Vec::new();
        if let Some(through) = plan.through.filter(|_| opened != Opened::Fail) {
            found = read_segment(&self.cluster.disk, &at, plan.segment, plan.from, through).unwrap_or_default();
            found.truncate(usize::try_from(poll.count).unwrap_or(usize::MAX));
        }
        self.cluster.gates.wait(ParkKind::Complete, &poll.operation).await;
        let read = Read { poll, identities: plan.identities, found, has_slot: true };
        let is_detached = self.cluster.choices.effect_of_read == ReadEffect::WhenDone
            || self.cluster.has(Planted::EffectInDetachedRead);
        if is_detached {
            self.complete(read).await;
        } else {
            self.tell(Message::Completed(read));
        }
    }

    /// A poll waits for messages.
    async fn wait(self: Rc<Self>, poll: Poll) {
        let opened = self.cluster.gates.wait(ParkKind::Wait, &poll.operation).await;
        self.tell(Message::Woken(poll, opened));
    }

    /// A poll that waited is woken, or its time is over.
    pub(super) async fn woken(self: &Rc<Self>, poll: Poll, opened: Opened) {
        let plan = self.state.borrow().plan(&self.cluster, &poll);
        let is_stale = self.state.borrow().is_stale(&self.cluster, &poll);
        if is_stale && opened != Opened::TimeOut && self.cluster.has(Planted::WaitingPollForgotten) {
            return answer(poll.answering, Answer::Silence);
        }
        if opened == Opened::TimeOut || is_stale || plan.through.is_some() {
            let found = if opened == Opened::TimeOut { Vec::new() } else { self.resident(&plan, poll.count) };
            self.complete(Read { poll, identities: plan.identities, found, has_slot: false }).await;
        } else {
            self.cluster.spawner.spawn(Home::Process, Rc::clone(self).wait(poll));
        }
    }
}

impl State {
    /// The fences of a poll on arrival, in their order.
    fn compare_poll(&self, cluster: &Cluster, request: &Request) -> Result<(), Answer> {
        let pass = |outcome: Outcome| match outcome.refusal() {
            Some(refusal) => Err(Answer::of_fence(refusal.answer, false)),
            None => Ok(()),
        };
        if self.status != Status::Serving {
            return Err(Answer::code(NOT_ACCEPTED));
        }
        pass(self.compare_floor(cluster, request.named))?;
        pass(poll_incarnation_on_arrival(&cluster.choices, &request.named.context(), small(self.incarnation)))?;
        // Whether there is something to read is not known before the read is planned.
        pass(completion_capacity_before_read(&cluster.choices, self.reads, cluster.sizes.read_slots))
    }

    /// Fixes what a poll may find.
    fn plan(&self, cluster: &Cluster, poll: &Poll) -> Plan {
        let last = match self.prepared_records().last() {
            Some(prepared) if cluster.has(Planted::UncommittedServed) => Some(prepared.offset),
            _ => self.log.last(),
        };
        let last = last.or_else(|| self.log.next.checked_sub(1).filter(|last| *last >= self.log.start));
        let skip = u64::from(cluster.has(Planted::NextSkipsOne));
        let unread = u64::from(cluster.has(Planted::NextFromZeroSkips));
        let wanted = match poll.start {
            Start::Next => self.bookmarks.get(&poll.key).map_or(unread, |bookmark| bookmark.saturating_add(1 + skip)),
            Start::First => 0,
            Start::Offset { offset } => offset,
            Start::Last => last.map_or(0, |last| (last + 1).saturating_sub(poll.count)),
        };
        let from = wanted.max(self.log.start);
        let through = last.filter(|last| from <= *last && poll.count > 0);
        let identities = Identities {
            incarnation: Some(self.incarnation),
            purge_generation: Some(self.generation.recorded.generation),
            assignment: poll.assignment,
        };
        Plan { from, through, segment: self.log.segment.base, identities }
    }

    /// The fence of the history of a read.
    pub(super) fn compare_history(&self, cluster: &Cluster, poll: &Poll) -> Option<Answer> {
        let mut planned = poll.history;
        if cluster.has(Planted::HistoryCapturedAtCompletion) {
            planned = self.history;
        }
        if cluster.has(Planted::IncarnationInsteadOfHistory) {
            planned.number = self.history.number;
        }
        let outcome = poll_history_at_completion(&cluster.choices, planned.history(), self.history.history());
        outcome.refusal().map(|refusal| Answer::of_fence(refusal.answer, false))
    }

    /// The fences of the assignment of a group read. An automatic store has one of its own.
    pub(super) fn compare_assignment(&self, cluster: &Cluster, poll: &Poll) -> Option<Answer> {
        if !poll.is_of_group {
            return None;
        }
        let current = self.assignment(cluster);
        let assignment = match poll.assignment {
            Some(older) if cluster.has(Planted::PollAssignmentNotNewer) => Some(older.max(current)),
            as_it_is => as_it_is,
        };
        let captured = Identities { assignment, ..Identities::default() }.context();
        let outcome = poll_assignment_at_completion(&cluster.choices, &captured, small(current));
        let refusal = outcome.refusal().or_else(|| {
            let store = automatic_store_assignment_at_completion(&cluster.choices, &captured, small(current));
            store.refusal().filter(|_| poll.automatic_commit)
        })?;
        if cluster.has(Planted::BatchAfterRefusal) {
            return Some(Answer::Reply(Reply::Empty {}, None));
        }
        Some(Answer::of_fence(refusal.answer, false))
    }

    /// Whether the history or the assignment of a waiting poll is not current any more.
    fn is_stale(&self, cluster: &Cluster, poll: &Poll) -> bool {
        let is_of_other = poll.is_of_group && poll.assignment != Some(self.assignment(cluster));
        poll.history != self.history || is_of_other
    }
}
