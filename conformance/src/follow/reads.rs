//! Reads at the boundary `partition`: planned, perhaps stepped, and finished, each by a line of its own. Hidden is the moment
//! at which a read opens its file, and whether it finds the new bytes if the file was replaced.

use fencepost_models::iggy::messages::{Answer, Envelope, Inner, RequestId};
use fencepost_models::iggy::owner::Phase;
use fencepost_models::iggy::system::Address;
use fencepost_spec::diagnostic::{Problem, nearest};
use stateright::actor::Envelope as Travelling;

use super::belief::{Belief, NamedRead};
use super::compare::Seen;
use super::observe::{self, Comparison};
use super::partition::{answer_differs, candidate};
use super::world::poll_act;
use super::{Candidate, Difference, DivergenceKind, Walk};
use crate::recording::Line;
use crate::recording::partition::{BatchAnswer, PartitionRequest, PlanAnswer, StepAnswer, Tier, who};

impl Walk<'_> {
    pub(super) fn plan(
        &mut self,
        line: &Line,
        number: u8,
        request: &PartitionRequest,
        answer: &PlanAnswer,
        beliefs: &[Belief],
    ) -> Vec<Candidate> {
        let PartitionRequest::BeginPoll { consumer, group, member, strategy, value, count, auto_commit, name } =
            request
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
                        envelope.dst == Address::Gateway.id()
                            && matches!(&envelope.msg, Envelope::Poll(poll) if poll.id == id)
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
    fn named<'a>(
        &self,
        line: &Line,
        name: &str,
        beliefs: &'a [Belief],
    ) -> Result<Vec<(&'a Belief, NamedRead)>, Problem> {
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

    pub(super) fn step_read(
        &self,
        line: &Line,
        name: &str,
        answer: &StepAnswer,
        beliefs: &[Belief],
    ) -> Result<Vec<Candidate>, Problem> {
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

    pub(super) fn finish(
        &mut self,
        line: &Line,
        name: &str,
        answer: &BatchAnswer,
        beliefs: &[Belief],
    ) -> Result<Vec<Candidate>, Problem> {
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
