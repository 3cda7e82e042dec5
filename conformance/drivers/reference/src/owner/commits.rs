//! Stores, deletes and sends when they arrive at the owner.

use fencepost_driver::Status;
use fencepost_spec::fence::Outcome;
use fencepost_spec::reply::NOT_ACCEPTED;

use super::state::{Effect, Operation, State};
use super::{Owner, answer};
use crate::cluster::Cluster;
use crate::fault::Planted;
use crate::fences::{
    bookmark_exists_on_delete, commit_assignment_on_arrival, commit_purge_generation_on_arrival,
    metadata_floor_on_arrival, store_in_range_on_arrival, write_incarnation_on_arrival,
};
use crate::identities::{Identities, ordered, small};
use crate::log::{Record, numbered};
use crate::request::{Answer, Answering, Ask, Request};

impl Owner {
    /// A store, delete or send arrives: it is refused, gets its place, or waits for one.
    pub(super) async fn write_arrives(&self, mut request: Request, answering: Answering) {
        if self.cluster.has(Planted::IncarnationBoundOnArrival) {
            request.named.incarnation = Some(self.state.borrow().incarnation);
        }
        if let Err(refusal) = self.state.borrow().compare_write(&self.cluster, &request) {
            answer(answering, refusal);
            return;
        }
        let operation = self.operation(request, answering);
        self.order(operation).await;
    }

    fn operation(&self, request: Request, answering: Answering) -> Operation {
        let effect = match request.ask {
            Ask::Send { payloads } => Effect::Append(payloads),
            Ask::Store { offset } => Effect::Store { key: request.key, offset, is_automatic: false },
            Ask::Delete | Ask::Poll { .. } => Effect::Delete { key: request.key },
        };
        Operation {
            effect,
            named: request.named,
            member: request.client.filter(|_| request.is_of_group),
            queued_in: self.state.borrow().history,
            number: 0,
            is_before_purge: false,
            answering: Some(answering),
        }
    }
}

impl State {
    /// The fences of a write on arrival, in their order.
    fn compare_write(&self, cluster: &Cluster, request: &Request) -> Result<(), Answer> {
        let is_delete = matches!(request.ask, Ask::Delete);
        let pass = |outcome: Outcome| match outcome.refusal() {
            Some(refusal) => Err(Answer::of_fence(refusal.answer, is_delete)),
            None => Ok(()),
        };
        if self.status != Status::Serving {
            return Err(Answer::code(NOT_ACCEPTED));
        }
        let choices = &cluster.choices;
        pass(self.compare_floor(cluster, request.named))?;
        pass(write_incarnation_on_arrival(choices, &request.named.context(), small(self.incarnation)))?;
        match request.ask {
            Ask::Send { .. } | Ask::Poll { .. } => Ok(()),
            Ask::Store { offset } => {
                self.compare_commit(cluster, request)?;
                pass(self.compare_range(cluster, offset))
            }
            Ask::Delete => {
                self.compare_commit(cluster, request)?;
                pass(bookmark_exists_on_delete(choices, self.bookmarks.contains_key(&request.key)))
            }
        }
    }

    /// The metadata floor: what the request names must have been applied here.
    pub(super) fn compare_floor(&self, cluster: &Cluster, named: Identities) -> Outcome {
        let named = if cluster.has(Planted::FloorComparesIncarnationOnly) {
            Identities { purge_generation: None, assignment: None, ..named }
        } else {
            named
        };
        metadata_floor_on_arrival(&cluster.choices, &named.context(), &self.applied(cluster).context())
    }

    /// The identities of a commit.
    fn compare_commit(&self, cluster: &Cluster, request: &Request) -> Result<(), Answer> {
        let choices = &cluster.choices;
        let is_delete = matches!(request.ask, Ask::Delete);
        let pass = |outcome: Outcome| match outcome.refusal() {
            Some(refusal) => Err(Answer::of_fence(refusal.answer, is_delete)),
            None => Ok(()),
        };
        let generation = self.generation.recorded.generation;
        let mut named = request.named;
        if cluster.has(Planted::PurgeGenerationNotNewer) {
            named.purge_generation = named.purge_generation.map(|named| named.max(generation));
        }
        pass(commit_purge_generation_on_arrival(choices, &named.context(), small(generation)))?;
        if !request.is_of_group || cluster.has(Planted::CommitComparedAfterOrdering) {
            return Ok(());
        }
        let member = request.client.as_ref();
        let owns = member.is_some_and(|member| self.group.owns(member));
        let named = self.weakened(cluster, named, owns);
        pass(commit_assignment_on_arrival(choices, &named.context(), small(self.assignment(cluster))))
    }

    /// The identities of a commit as a fence sees them: as they are, unless a fault makes it compare less.
    pub(super) fn weakened(&self, cluster: &Cluster, named: Identities, owns: bool) -> Identities {
        let current = self.assignment(cluster);
        let assignment = match named.assignment {
            Some(_) if owns && cluster.has(Planted::MembershipInsteadOfAssignment) => Some(current),
            Some(older) if cluster.has(Planted::AssignmentNotNewer) => Some(older.max(current)),
            as_it_is => as_it_is,
        };
        Identities { assignment, ..named }
    }

    /// A store names an offset that exists.
    pub(super) fn compare_range(&self, cluster: &Cluster, offset: u64) -> Outcome {
        let mut last = self.log.last();
        if cluster.has(Planted::RangeOffByOne) {
            last = Some(last.map_or(0, |last| last + 1));
        }
        if cluster.has(Planted::RangeOfPrepared) {
            last = self.prepared_records().last().map(|record| record.offset).or(last);
        }
        let (offset, last) = ordered(offset, last);
        store_in_range_on_arrival(&cluster.choices, offset, last)
    }

    /// The messages that have their place and are not committed, under the faults that count them.
    pub(super) fn prepared_records(&self) -> Vec<Record> {
        let of = |operation: &Operation| match &operation.effect {
            Effect::Append(payloads) => payloads.clone(),
            _ => Vec::new(),
        };
        let payloads: Vec<_> = self.prepared.iter().flat_map(of).collect();
        numbered(&payloads, self.log.next)
    }
}
