//! Lines at the boundary `partition`: each names the steps that it takes; hidden are the mirror that follows the metadata
//! and the moment at which a read opens its file.

use fencepost_models::iggy::messages::{Act, Answer, Command, Envelope, Inner, PRODUCER, RequestId};
use fencepost_models::iggy::owner::Phase;
use fencepost_models::iggy::system::Address;
use fencepost_spec::contract::Emptying;
use fencepost_spec::diagnostic::{Problem, nearest};
use stateright::actor::Envelope as Travelling;

use super::belief::{Belief, NamedRead};
use super::compare::{Agreement, Seen, allowed_text, seen_write};
use super::observe::{self, Comparison};
use super::world::{action_is_automatic, commit_act, poll_act};
use super::{Candidate, Difference, DivergenceKind, Outcome, Walk};
use crate::recording::Line;
use crate::recording::partition::{
    BatchAnswer, CommitAnswer, PartitionAnswer, PartitionRequest, PartitionStep, PlainAnswer, PlanAnswer, PurgeAnswer,
    StepAnswer, Tier, WriteAnswer, who,
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

    fn clients(&self, client: Option<&(Option<String>, String)>) -> Vec<u8> {
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
    fn answered(&self, line: &Line, belief: &Belief, id: RequestId, is_poll: bool, seen: &Seen) -> Candidate {
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

    fn plan(
        &mut self,
        line: &Line,
        number: u8,
        request: &PartitionRequest,
        answer: &PlanAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        let PartitionRequest::BeginPoll { consumer, group, member, strategy, value, count, auto_commit, name } = request
        else {
            return Vec::new();
        };
        self.counts.ignore("tier", answer.tier.is_some());
        self.counts.constrain("identities of a request", false);
        let client = who(consumer.as_ref(), group.as_ref(), member.as_ref());
        let act = poll_act(*strategy, *value, *count, *auto_commit);
        let tiers = match answer.tier {
            Some(Tier::Disk) => vec![true],
            Some(Tier::ResidentOrEmpty) => vec![false],
            None => vec![true, false],
        };
        let seen = match (answer.ok, answer.status) {
            (_, Some(code)) if code != 0 => Seen::Code(code),
            (false, _) => Seen::Failed(answer.error.clone().unwrap_or_default()),
            _ => Seen::Nothing,
        };
        let mut candidates = Vec::new();
        for belief in beliefs {
            for index in self.clients(client.as_ref()) {
                let id = RequestId { client: index, number };
                for sent in self.world.send(belief, line.number, index, number, act) {
                    let dispatched = self.world.run(sent, line.number, |envelope| {
                        envelope.dst == Address::Gateway.id() && matches!(&envelope.msg, Envelope::Poll(poll) if poll.id == id)
                    });
                    for tier in &tiers {
                        candidates.extend(self.planned(line, &dispatched, id, *tier, name, *auto_commit, &seen));
                    }
                }
            }
        }
        candidates
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one request")]
    fn planned(
        &self,
        line: &Line,
        belief: &Belief,
        id: RequestId,
        disk: bool,
        name: &str,
        automatic: bool,
        seen: &Seen,
    ) -> Option<Candidate> {
        let is_poll = |envelope: &Travelling<Envelope>| matches!(&envelope.msg, Envelope::Poll(poll) if poll.id == id);
        let poll = belief.under_way().into_iter().find(is_poll)?;
        let arrived = self.world.deliver_in(self.world.model(disk), belief, line.number, &poll)?;
        let mut candidate = self.answered(line, &arrived, id, true, seen);
        let is_planned = arrived.owner().reads.iter().any(|read| read.id == id);
        if is_planned {
            let named = NamedRead { id, automatic, ceiling: observe::commit_offset(arrived.owner()) };
            candidate.belief.reads.insert(name.to_owned(), named);
        }
        Some(candidate)
    }

    /// The read with a name, in one of the states.
    fn named<'a>(&self, line: &Line, name: &str, beliefs: &'a [Belief]) -> Result<Vec<(&'a Belief, NamedRead)>, Problem> {
        let known = |belief: &'a Belief| belief.reads.get(name).map(|read| (belief, read.clone()));
        let found: Vec<_> = beliefs.iter().filter_map(known).collect();
        if found.is_empty() {
            let problem = self.problem(line, format!("no read named `{name}` is under way"));
            let names = beliefs.iter().flat_map(|belief| belief.reads.keys()).map(String::as_str);
            return Err(match nearest(name, names) {
                Some(near) => problem.with_help(format!("did you mean `{near}`?")),
                None => problem,
            });
        }
        Ok(found)
    }

    /// The state itself, and those in which the read has opened its file.
    fn opened(&self, line: &Line, belief: &Belief, id: RequestId) -> Vec<Belief> {
        let Some(slot) = self.world.slot_of(belief, id) else { return Vec::new() };
        let is_planned = belief.owner().reads.iter().any(|read| read.id == id && read.phase == Phase::Planned);
        if !is_planned {
            return vec![belief.clone()];
        }
        let open = |inner| self.world.inner(belief, line.number, inner);
        [Inner::Open(slot), Inner::OpenNewBytes(slot)].into_iter().filter_map(open).collect()
    }

    fn complete(&self, line: &Line, belief: &Belief, id: RequestId) -> Option<Belief> {
        let slot = self.world.slot_of(belief, id)?;
        self.world.inner(belief, line.number, Inner::Complete(slot))
    }

    fn step_read(&self, line: &Line, name: &str, answer: &StepAnswer, beliefs: &[Belief]) -> Result<Vec<Candidate>, Problem> {
        let mut candidates = Vec::new();
        for (belief, read) in self.named(line, name, beliefs)? {
            let opened = self.opened(line, belief, read.id);
            if answer.done {
                let ended = opened.iter().filter_map(|opened| self.complete(line, opened, read.id));
                candidates.extend(ended.map(|ended| candidate(ended, None)));
            } else if opened.is_empty() {
                let differs = answer_differs("the read goes on".to_owned(), "the read has ended".to_owned());
                candidates.push(candidate(belief.clone(), Some(differs)));
            } else {
                candidates.extend(opened.into_iter().map(|opened| candidate(opened, None)));
                candidates.push(candidate(belief.clone(), None));
            }
        }
        Ok(candidates)
    }

    fn finish(&mut self, line: &Line, name: &str, answer: &BatchAnswer, beliefs: &[Belief]) -> Result<Vec<Candidate>, Problem> {
        self.counts.ignore("store", answer.store.is_some());
        self.counts.constrain("commit_offset of a read", answer.commit_offset.is_some());
        self.counts.constrain("auto_commit of a read", answer.auto_commit.is_some());
        let seen = seen_batch(answer);
        let mut candidates = Vec::new();
        for (belief, read) in self.named(line, name, beliefs)? {
            let has_held_operations = !belief.owner().pipeline.is_empty();
            let ended: Vec<Belief> = match self.world.answer_to(belief, read.id) {
                Some(_) => vec![belief.clone()],
                None => {
                    let opened = self.opened(line, belief, read.id);
                    opened.iter().filter_map(|opened| self.complete(line, opened, read.id)).collect()
                }
            };
            for ended in ended {
                let mut compared = self.answered(line, &ended, read.id, true, &seen);
                compared.belief.reads.remove(name);
                if compared.differs.is_none() {
                    compared.differs = self.plan_differs(&ended, &read, answer);
                }
                let committed = self.let_all_commit(line, compared.belief.clone());
                if has_held_operations {
                    candidates.push(Candidate { belief: committed, ..candidate_like(&compared) });
                    candidates.push(compared);
                } else {
                    candidates.push(Candidate { belief: committed, ..compared });
                }
            }
        }
        Ok(candidates)
    }

    /// What a finished read says beside its messages.
    fn plan_differs(&self, ended: &Belief, read: &NamedRead, answer: &BatchAnswer) -> Option<Difference> {
        let last = match self.world.answer_to(ended, read.id) {
            Some(Answer::Batch(batch)) => batch.messages.last().map(|placed| u64::from(placed.offset)),
            Some(Answer::Empty) => None,
            _ => return None,
        };
        let mut comparison = Comparison::new();
        comparison.field("automatic commit", answer.auto_commit, last.filter(|_| read.automatic));
        comparison.field("commit offset", answer.commit_offset, read.ceiling);
        let difference = comparison.into_difference()?;
        Some(Difference { kind: DivergenceKind::AnswerDiffers, ..difference })
    }

    fn let_all_commit(&self, line: &Line, belief: Belief) -> Belief {
        let mut belief = belief;
        while let Some(next) = self.world.inner(&belief, line.number, Inner::CommitOldest) {
            belief = next;
        }
        belief
    }

    fn let_commit(&mut self, line: &Line, rounds: Option<u32>, answer: &CommitAnswer, beliefs: &[Belief]) -> Vec<Candidate> {
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
        let pairs: Vec<Candidate> = seen
            .iter()
            .zip(answers)
            .map(|(seen, answer)| self.compare(&belief, seen, Some(answer), false))
            .collect();
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
                candidates.push(candidate(after, differs.map(|it| Difference { kind: DivergenceKind::AnswerDiffers, ..it })));
            }
        }
        candidates
    }

    fn apply(&self, line: &Line, belief: Belief) -> Belief {
        let applied = self.world.run(belief, line.number, |envelope| applies_at(envelope, Address::Owner));
        self.world.run(applied, line.number, is_about_metadata)
    }

    /// What the harness does by itself: it opens, restarts, saves files and puts them back.
    fn harness(&self, line: &Line, request: &PartitionRequest, answer: &PlainAnswer, beliefs: &[Belief]) -> Vec<Candidate> {
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

/// A read's messages, or its refusal.
fn seen_batch(answer: &BatchAnswer) -> Seen {
    match (&answer.messages, answer.status) {
        (_, Some(code)) if code != 0 => Seen::Code(code),
        (Some(messages), _) if messages.is_empty() => Seen::Empty,
        (Some(messages), _) => Seen::Batch(messages.clone()),
        (None, _) => Seen::Failed(answer.error.clone().unwrap_or_else(|| "no messages, no status".to_owned())),
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

/// The same judgement about another state.
fn candidate_like(other: &Candidate) -> Candidate {
    let differs = other.differs.as_ref().map(|it| Difference {
        kind: it.kind,
        size: it.size,
        seen: it.seen.clone(),
        allowed: it.allowed.clone(),
    });
    Candidate { belief: other.belief.clone(), differs, other_code: other.other_code.clone() }
}

pub(super) fn answer_differs(seen: String, allowed: String) -> Difference {
    Difference { kind: DivergenceKind::AnswerDiffers, size: 1, seen, allowed }
}

/// A step failed that never fails in the model.
fn failed(line: &Line) -> Option<Difference> {
    Some(answer_differs(line.answer.clone(), "success".to_owned()))
}
