//! Lines at the boundary `partition`: each names the steps that it takes; hidden is only the moment at which the mirror
//! follows the metadata (and what [`super::reads`] says of reads).

use fencepost_models::iggy::messages::{Act, Answer, Command, Envelope, Inner, PRODUCER, RequestId};
use fencepost_models::iggy::system::Address;
use fencepost_spec::contract::Emptying;
use fencepost_spec::diagnostic::Problem;
use stateright::actor::Envelope as Travelling;

use super::belief::Belief;
use super::compare::{Agreement, Seen, allowed_text, seen_write};
use super::observe::{self, Comparison};
use super::world::{action_is_automatic, commit_act};
use super::{Candidate, Difference, DivergenceKind, Outcome, Walk};
use crate::recording::Line;
use crate::recording::partition::{
    CommitAnswer, PartitionAnswer, PartitionRequest, PartitionStep, PlainAnswer, PurgeAnswer, WriteAnswer, who,
};

/// Why a purge cannot be followed.
pub(super) const NO_PURGE: &str = "this contract has no purge: a topic is emptied by deleting and creating it again";

impl Walk<'_> {
    pub(super) fn partition_line(
        &mut self,
        index: usize,
        line: &Line,
        step: &PartitionStep,
        beliefs: &[Belief],
    ) -> Result<Outcome, Problem> {
        use PartitionAnswer as Got;
        use PartitionRequest as Ask;
        let number = Self::number(index);
        let is_open = matches!(step.request, Ask::Open { .. });
        if is_open != (index == 0) {
            return Err(self.problem(line, "a recording begins with `open`, and has no other"));
        }
        let purges = matches!(step.request, Ask::Purge {} | Ask::PurgeCommit {} | Ask::PurgeApply {});
        if purges && self.world.setup().choices.emptying == Emptying::DeletionAndReCreation {
            return Ok(Outcome::NotInContract(NO_PURGE.to_owned()));
        }
        let candidates = match (&step.request, &step.answer) {
            (Ask::Produce { count, hold_commit }, Got::Write(answer)) => {
                self.produce(line, number, *count, *hold_commit, answer, beliefs)
            }
            (Ask::Store { consumer, group, member, offset, hold_commit }, Got::Write(answer)) => {
                let client = who(consumer.as_ref(), group.as_ref(), member.as_ref());
                self.commit(line, number, client, commit_act(Some(*offset)), *hold_commit, answer, beliefs)
            }
            (Ask::Delete { consumer, group, member, hold_commit }, Got::Write(answer)) => {
                let client = who(consumer.as_ref(), group.as_ref(), member.as_ref());
                self.commit(line, number, client, commit_act(None), *hold_commit, answer, beliefs)
            }
            (request @ Ask::BeginPoll { .. }, Got::Plan(answer)) => self.plan(line, number, request, answer, beliefs),
            (Ask::StepPoll { poll, .. }, Got::Step(answer)) => self.step_read(line, poll, answer, beliefs)?,
            (Ask::FinishPoll { poll, .. }, Got::Batch(answer)) => self.finish(line, poll, answer, beliefs)?,
            (Ask::Commit { rounds }, Got::Commit(answer)) => self.let_commit(line, *rounds, answer, beliefs),
            (request, Got::Purge(answer)) => self.purge(line, number, request, answer, beliefs),
            (Ask::Observe {}, Got::Observation(seen)) if seen.ok => {
                observe::count(seen, &mut self.counts);
                let look = |belief: &Belief| observe::compare(seen, belief, &self.world.clients);
                beliefs.iter().map(|belief| candidate(belief.clone(), look(belief))).collect()
            }
            (request, Got::Plain(answer)) => self.harness(line, request, answer, beliefs),
            _ => beliefs.iter().map(|belief| candidate(belief.clone(), failed(line))).collect(),
        };
        Ok(Outcome::Candidates(candidates))
    }

    fn produce(
        &mut self,
        line: &Line,
        number: u8,
        count: u8,
        holds: bool,
        answer: &WriteAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        let seen = self.seen_write(answer);
        let (history, sent) = self.history;
        self.world.labels.insert(number, (format!("h{history}-"), sent));
        if matches!(seen, Seen::Done | Seen::Nothing) {
            self.history.1 += u64::from(count);
        }
        let id = RequestId { client: PRODUCER, number };
        let send = |belief: &Belief| {
            let mut before = belief.clone();
            before.firsts.remove(&number);
            let sent = self.world.act(&before, line.number, Address::Producer, Envelope::Send(Some(number), count))?;
            let arrived = self.arrive(sent, line.number, id);
            Some(self.written(line, arrived, id, holds, &seen))
        };
        beliefs.iter().filter_map(send).collect()
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one request")]
    fn commit(
        &mut self,
        line: &Line,
        number: u8,
        client: Option<(Option<String>, String)>,
        act: Act,
        holds: bool,
        answer: &WriteAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        let seen = self.seen_write(answer);
        self.counts.constrain("identities of a request", false);
        let mut candidates = Vec::new();
        for belief in beliefs {
            for index in self.clients(client.as_ref()) {
                let id = RequestId { client: index, number };
                for sent in self.world.send(belief, line.number, index, number, act) {
                    let arrived = self.arrive(sent, line.number, id);
                    candidates.push(self.written(line, arrived, id, holds, &seen));
                }
            }
        }
        candidates
    }

    fn seen_write(&mut self, answer: &WriteAnswer) -> Seen {
        let reply = answer.reply.as_ref();
        self.counts.ignore("committed_op", reply.is_some_and(|reply| reply.committed_op.is_some()));
        seen_write(answer.ok, answer.error.as_deref(), reply.map(|reply| reply.status))
    }

    pub(super) fn clients(&self, client: Option<&(Option<String>, String)>) -> Vec<u8> {
        client.map_or_else(Vec::new, |(group, name)| self.world.clients_of(group.as_deref(), name))
    }

    /// The request passes the gateway and arrives at the owner.
    fn arrive(&self, belief: Belief, line: usize, id: RequestId) -> Belief {
        self.world.run(belief, line, |envelope| match &envelope.msg {
            Envelope::Poll(poll) => poll.id == id,
            Envelope::Commit(commit) => commit.id == id,
            Envelope::Produce(produce) => produce.id == id,
            _ => false,
        })
    }

    /// A request that was not held has committed when it is answered.
    fn written(&self, line: &Line, belief: Belief, id: RequestId, holds: bool, seen: &Seen) -> Candidate {
        let mut belief = belief;
        while !holds && self.world.answer_to(&belief, id).is_none() {
            match self.world.inner(&belief, line.number, Inner::CommitOldest) {
                Some(next) => belief = next,
                None => break,
            }
        }
        self.answered(line, &belief, id, false, seen)
    }

    /// Compares the answer to a request, and lets the client have it.
    pub(super) fn answered(
        &self,
        line: &Line,
        belief: &Belief,
        id: RequestId,
        is_poll: bool,
        seen: &Seen,
    ) -> Candidate {
        let answer = self.world.answer_to(belief, id);
        let compared = self.compare(belief, seen, answer.as_ref(), is_poll);
        let after = self.world.receive(belief, line.number, id, is_poll);
        Candidate { belief: after, ..compared }
    }

    pub(super) fn compare(&self, belief: &Belief, seen: &Seen, answer: Option<&Answer>, is_poll: bool) -> Candidate {
        let payload = |placed: &fencepost_models::iggy::messages::Placed| self.world.payload(belief, placed);
        let agreement = seen.agrees(answer, is_poll, &payload);
        let differs = agreement == Agreement::None || agreement == Agreement::InKind && self.exact_codes;
        let allowed = allowed_text(answer, &payload);
        let other_code = (agreement == Agreement::InKind)
            .then(|| format!("recorded {}, the contract answers {allowed}; the same kind of refusal", seen.text()));
        let difference = differs.then(|| answer_differs(seen.text(), allowed));
        Candidate { belief: belief.clone(), differs: difference, other_code }
    }

    pub(super) fn let_all_commit(&self, line: &Line, belief: Belief) -> Belief {
        let mut belief = belief;
        while let Some(next) = self.world.inner(&belief, line.number, Inner::CommitOldest) {
            belief = next;
        }
        belief
    }

    fn let_commit(
        &mut self,
        line: &Line,
        rounds: Option<u32>,
        answer: &CommitAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        self.counts.ignore("acks", answer.acks.is_some());
        self.counts.constrain("replies", answer.replies.is_some());
        let rounds = rounds.unwrap_or(u32::MAX);
        let each = |belief: &Belief| {
            let mut at = belief.clone();
            let mut answers = Vec::new();
            for _ in 0..rounds {
                let waiting: Vec<RequestId> = at
                    .owner()
                    .pipeline
                    .iter()
                    .chain(&at.owner().queue)
                    .filter(|operation| !action_is_automatic(&operation.work))
                    .map(|operation| operation.request)
                    .collect();
                let Some(next) = self.world.inner(&at, line.number, Inner::CommitOldest) else { break };
                at = next;
                for id in waiting {
                    if let Some(answer) = self.world.answer_to(&at, id) {
                        answers.push(answer);
                        at = self.world.receive(&at, line.number, id, false);
                    }
                }
            }
            self.compare_replies(at, &answers, answer)
        };
        beliefs.iter().map(each).collect()
    }

    fn compare_replies(&self, belief: Belief, answers: &[Answer], answer: &CommitAnswer) -> Candidate {
        let Some(replies) = &answer.replies else { return candidate(belief, None) };
        let seen: Vec<Seen> = replies.iter().map(|(_, status)| seen_write(true, None, Some(*status))).collect();
        let pairs: Vec<Candidate> =
            seen.iter().zip(answers).map(|(seen, answer)| self.compare(&belief, seen, Some(answer), false)).collect();
        let agrees = seen.len() == answers.len() && pairs.iter().all(|pair| pair.differs.is_none());
        let other_code = pairs.into_iter().find_map(|pair| pair.other_code);
        let words = |words: Vec<String>| if words.is_empty() { "no reply".to_owned() } else { words.join(", ") };
        let differs = (!agrees).then(|| {
            answer_differs(
                words(seen.iter().map(Seen::text).collect()),
                words(answers.iter().map(|answer| allowed_text(Some(answer), &|_| String::new())).collect()),
            )
        });
        Candidate { belief, differs, other_code }
    }

    fn purge(
        &mut self,
        line: &Line,
        number: u8,
        request: &PartitionRequest,
        answer: &PurgeAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        let commits = !matches!(request, PartitionRequest::PurgeApply {});
        let applies = !matches!(request, PartitionRequest::PurgeCommit {});
        self.counts.constrain("applied", answer.applied.is_some() || !applies);
        self.counts.constrain("committed_generation", answer.committed_generation.is_some());
        if applies && answer.applied == Some(true) {
            self.history = (self.history.0 + 1, 0);
        }
        let mut candidates = Vec::new();
        for belief in beliefs {
            let mut at = belief.clone();
            if commits {
                let command = Envelope::Once(number, Command::Empty);
                at = self.world.act(&at, line.number, Address::Operator, command).unwrap_or(at);
                at = self.world.run(at, line.number, is_about_metadata);
            }
            let mirrored = self.world.run(at.clone(), line.number, |envelope| applies_at(envelope, Address::Gateway));
            let afters = if applies { vec![mirrored] } else { vec![at, mirrored] };
            for after in afters {
                let pending = after.under_way().iter().any(|envelope| applies_at(envelope, Address::Owner));
                let after = if applies { self.apply(line, after) } else { after };
                let mut comparison = Comparison::new();
                comparison.field("applied", answer.applied.filter(|_| applies), pending);
                let generation = fencepost_models::iggy::system::metadata_of(&after.state).decree.purge_generation;
                comparison.field("committed generation", answer.committed_generation, u64::from(generation));
                let differs = if answer.ok { comparison.into_difference() } else { failed(line) };
                candidates
                    .push(candidate(after, differs.map(|it| Difference { kind: DivergenceKind::AnswerDiffers, ..it })));
            }
        }
        candidates
    }

    fn apply(&self, line: &Line, belief: Belief) -> Belief {
        let applied = self.world.run(belief, line.number, |envelope| applies_at(envelope, Address::Owner));
        self.world.run(applied, line.number, is_about_metadata)
    }

    /// What the harness does by itself: it opens, restarts, saves files and puts them back.
    fn harness(
        &self,
        line: &Line,
        request: &PartitionRequest,
        answer: &PlainAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        let each = |belief: &Belief| {
            let mut at = belief.clone();
            let after = match request {
                PartitionRequest::Restart {} => {
                    at.owner_mut().restarts_left = 1;
                    let mut after = self.world.inner(&at, line.number, Inner::Restart)?;
                    after.reads.clear();
                    for envelope in after.under_way() {
                        if matches!(envelope.msg, Envelope::Reply(..)) {
                            after.take_away(&envelope);
                        }
                    }
                    after
                }
                PartitionRequest::SaveBookmarks {} => {
                    let files = at.owner().disk.current().bookmarks;
                    at.owner_mut().disk.saved_bookmarks = files;
                    at
                }
                PartitionRequest::ResurrectBookmarks {} => {
                    self.world.inner(&at, line.number, Inner::ResurrectBookmarks)?
                }
                _ => at,
            };
            Some(candidate(after, if answer.ok { None } else { failed(line) }))
        };
        beliefs.iter().filter_map(each).collect()
    }
}

fn is_about_metadata(envelope: &Travelling<Envelope>) -> bool {
    matches!(envelope.msg, Envelope::Command { .. } | Envelope::Acknowledged(..) | Envelope::Applied(_))
}

pub(super) fn applies_at(envelope: &Travelling<Envelope>, place: Address) -> bool {
    envelope.dst == place.id() && matches!(envelope.msg, Envelope::Apply(_))
}

pub(super) fn candidate(belief: Belief, differs: Option<Difference>) -> Candidate {
    Candidate { belief, differs, other_code: None }
}

pub(super) fn answer_differs(seen: String, allowed: String) -> Difference {
    Difference { kind: DivergenceKind::AnswerDiffers, size: 1, seen, allowed }
}

/// A step failed that never fails in the model.
fn failed(line: &Line) -> Option<Difference> {
    Some(answer_differs(line.answer.clone(), "success".to_owned()))
}
