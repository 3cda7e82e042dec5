//! Lines at the boundary `server`: requests pass the gateway one after the other. Hidden are all deliveries, all steps of
//! reads, the commits, and the moments at which gateway and owner apply what metadata decided.

use fencepost_models::iggy::messages::{Answer, Command, Envelope, Inner, Key, PRODUCER, RequestId};
use fencepost_models::iggy::system::Address;
use fencepost_spec::contract::Emptying;
use fencepost_spec::diagnostic::Problem;
use stateright::actor::Envelope as Travelling;

use super::belief::{Belief, Beliefs};
use super::compare::Seen;
use super::observe::{self, Comparison};
use super::partition::{NO_PURGE, answer_differs, candidate};
use super::world::{action_is_automatic, commit_act, poll_act};
use super::{Candidate, MOST_STATES, Outcome, Walk};
use crate::recording::Line;
use crate::recording::server::{SENTINEL_PARTITION, ServerAnswer, ServerRequest, ServerStep};

/// What a line waits for.
#[derive(Clone, Copy)]
enum Awaited {
    /// The answer to a request (`true`: a poll).
    Reply(RequestId, bool),
    /// The acknowledgement of a command.
    Acknowledged(u8),
    /// Nothing: it only looks.
    Nothing,
}

impl Walk<'_> {
    pub(super) fn server_line(
        &mut self,
        index: usize,
        line: &Line,
        step: &ServerStep,
        beliefs: &[Belief],
    ) -> Result<Outcome, Problem> {
        use ServerRequest as Ask;
        let number = Self::number(index);
        let (group, name) = step.who().unwrap_or_default();
        if group.is_some() && name.is_empty() && !matches!(step.request, Ask::GetOffset { .. }) {
            return Err(self.problem(line, "a request for a group names its `member`"));
        }
        let purges = matches!(step.request, Ask::PurgeTopic {});
        if purges && self.world.setup().choices.emptying == Emptying::DeletionAndReCreation {
            return Ok(Outcome::NotInContract(NO_PURGE.to_owned()));
        }
        self.count_fields(step);
        if let Ask::Produce { payload, .. } = &step.request {
            self.world.labels.insert(number, (payload.clone(), 0));
        }
        let client = self.world.clients_of(group.as_deref(), &name).first().copied();
        let awaited = match (&step.request, client) {
            (Ask::Produce { .. }, _) => Awaited::Reply(RequestId { client: PRODUCER, number }, false),
            (Ask::Poll { .. }, Some(client)) => Awaited::Reply(RequestId { client, number }, true),
            (Ask::Store { .. } | Ask::Delete { .. }, Some(client)) => {
                Awaited::Reply(RequestId { client, number }, false)
            }
            (Ask::PurgeTopic {} | Ask::Join { .. } | Ask::Leave { .. }, _) => Awaited::Acknowledged(number),
            _ => Awaited::Nothing,
        };
        let mut reached = Beliefs::default();
        for belief in beliefs {
            for sent in self.request(line, number, client.unwrap_or_default(), &step.request, belief) {
                reached.add(sent);
            }
        }
        if !self.explore(line, awaited, &mut reached) {
            return Ok(Outcome::Stopped(format!("line {} leads to more than {MOST_STATES} states", line.number)));
        }
        let key = if group.is_some() { Key::Group } else { Key::Consumer(client.unwrap_or_default()) };
        let each = |belief: Belief| self.judge(line, step, awaited, key, belief);
        Ok(Outcome::Candidates(reached.into_all().into_iter().flat_map(each).collect()))
    }

    fn count_fields(&mut self, step: &ServerStep) {
        let (answer, counts) = (&step.answer, &mut self.counts);
        match step.request {
            ServerRequest::Poll { .. } => {
                counts.constrain("identities of a request", false);
                counts.constrain("current_offset", answer.current_offset.is_some() || answer.code.is_some());
                counts.ignore("partition", answer.partition.is_some_and(|partition| partition != SENTINEL_PARTITION));
            }
            ServerRequest::GetOffset { .. } => {
                counts.constrain("current_offset", answer.current_offset.is_some());
                counts.constrain("stored_offset", answer.stored_offset.is_some());
            }
            ServerRequest::Store { .. } | ServerRequest::Delete { .. } => {
                counts.constrain("identities of a request", false)
            }
            _ => {}
        }
        counts.ignore("name of an error", answer.error.is_some() && answer.code.is_some());
    }

    /// The states after the request was sent.
    fn request(&self, line: &Line, number: u8, client: u8, request: &ServerRequest, belief: &Belief) -> Vec<Belief> {
        let world = &self.world;
        let command = |command| {
            let sent = world.act(belief, line.number, Address::Operator, Envelope::Once(number, command));
            sent.into_iter().collect()
        };
        match request {
            ServerRequest::Produce { count, .. } => {
                let mut before = belief.clone();
                before.firsts.remove(&number);
                let sent = world.act(&before, line.number, Address::Producer, Envelope::Send(Some(number), *count));
                sent.into_iter().collect()
            }
            ServerRequest::Poll { strategy, value, count, auto_commit, .. } => {
                let act = poll_act(*strategy, *value, Some(*count), *auto_commit);
                world.send(belief, line.number, client, number, act)
            }
            ServerRequest::Store { offset, .. } => {
                world.send(belief, line.number, client, number, commit_act(Some(*offset)))
            }
            ServerRequest::Delete { .. } => world.send(belief, line.number, client, number, commit_act(None)),
            ServerRequest::PurgeTopic {} => command(Command::Empty),
            ServerRequest::Join { .. } => command(Command::Join(client)),
            ServerRequest::Leave { .. } => command(Command::Leave(client)),
            ServerRequest::GetOffset { .. } => vec![belief.clone()],
        }
    }

    /// Takes all hidden steps in every order, up to what the line waits for; `false` if there are too many states.
    fn explore(&self, line: &Line, awaited: Awaited, reached: &mut Beliefs) -> bool {
        let mut index = 0;
        while let Some(belief) = reached.get(index).cloned() {
            index += 1;
            if reached.len() > MOST_STATES {
                return false;
            }
            if !matches!(awaited, Awaited::Nothing) && self.is_there(&belief, awaited) {
                continue;
            }
            for next in self.hidden_steps(line, &belief) {
                reached.add(next);
            }
        }
        true
    }

    fn is_there(&self, belief: &Belief, awaited: Awaited) -> bool {
        match awaited {
            Awaited::Reply(id, _) => self.world.answer_to(belief, id).is_some(),
            Awaited::Acknowledged(number) => belief.under_way().iter().any(|envelope| acknowledges(envelope, number)),
            Awaited::Nothing => true,
        }
    }

    fn hidden_steps(&self, line: &Line, belief: &Belief) -> Vec<Belief> {
        let world = &self.world;
        let oldest = belief.owner().pipeline.front();
        let is_automatic = oldest.is_some_and(|operation| action_is_automatic(&operation.work));
        if is_automatic && world.commits_automatic_stores_at_once() {
            return world.inner(belief, line.number, Inner::CommitOldest).into_iter().collect();
        }
        if world.applies_membership_at_once() {
            let applied = belief.owner().applied.emptyings;
            let is_membership = |envelope: &&Travelling<Envelope>| {
                envelope.dst == Address::Owner.id()
                    && matches!(&envelope.msg, Envelope::Apply(decree) if decree.emptyings == applied)
            };
            let under_way = belief.under_way();
            let next = under_way.iter().filter(is_membership);
            if let Some(next) = next.filter_map(|envelope| world.deliver(belief, line.number, envelope)).next() {
                return vec![next];
            }
        }
        let mut next: Vec<Belief> =
            belief.under_way().iter().filter_map(|envelope| world.deliver(belief, line.number, envelope)).collect();
        let inner = |inner| world.inner(belief, line.number, inner);
        next.extend(inner(Inner::CommitOldest));
        let slots = belief.owner().reads.iter().filter_map(|read| world.slot_of(belief, read.id));
        for slot in slots {
            let steps = [Inner::Open(slot), Inner::OpenNewBytes(slot), Inner::Complete(slot)];
            next.extend(steps.into_iter().filter_map(inner));
        }
        next
    }

    /// Compares what a state answers with what was recorded.
    fn judge(&self, line: &Line, step: &ServerStep, awaited: Awaited, key: Key, belief: Belief) -> Vec<Candidate> {
        let seen = seen(step);
        match awaited {
            Awaited::Nothing => vec![look(&step.answer, key, belief)],
            _ if !self.is_there(&belief, awaited) => Vec::new(),
            Awaited::Acknowledged(number) => {
                let after = self.world.run(belief, line.number, |envelope| acknowledges(envelope, number));
                let differs = (seen != Seen::Done).then(|| answer_differs(seen.text(), "success".to_owned()));
                let mut afters = vec![candidate(after, differs)];
                if let (ServerRequest::Join { .. }, Some(joined)) =
                    (&step.request, self.joined(step, &afters[0].belief))
                {
                    let differs = (seen != Seen::Done).then(|| answer_differs(seen.text(), "success".to_owned()));
                    afters.push(candidate(joined, differs));
                }
                afters
            }
            Awaited::Reply(id, is_poll) => {
                let answer = self.world.answer_to(&belief, id);
                let mut compared = self.compare(&belief, &seen, answer.as_ref(), is_poll);
                if compared.differs.is_none() && matches!(answer, Some(Answer::Batch(_) | Answer::Empty)) {
                    let mut comparison = Comparison::new();
                    let current = observe::commit_offset(belief.owner());
                    comparison.field("current offset", step.answer.current_offset, current);
                    compared.differs = comparison.into_difference();
                }
                vec![Candidate { belief: self.world.receive(&belief, line.number, id, is_poll), ..compared }]
            }
        }
    }

    /// A client that joined may know what the gateway knows.
    fn joined(&self, step: &ServerStep, belief: &Belief) -> Option<Belief> {
        let (group, name) = step.who()?;
        let client = self.world.clients_of(group.as_deref(), &name).first().copied()?;
        self.world.refreshed(belief, client)
    }
}

fn acknowledges(envelope: &Travelling<Envelope>, number: u8) -> bool {
    matches!(envelope.msg, Envelope::Acknowledged(other, _) if other == number)
}

/// Compares an answer to a question for a bookmark.
fn look(answer: &ServerAnswer, key: Key, belief: Belief) -> Candidate {
    if let Some(code) = answer.code {
        let seen = Seen::Code(code).text();
        return candidate(belief, Some(answer_differs(seen, "the bookmark".to_owned())));
    }
    let mut comparison = Comparison::new();
    let stored = belief.owner().bookmarks.get(&key).map(|file| u64::from(file.offset));
    comparison.field("stored offset", answer.stored_offset, stored);
    comparison.field("current offset", answer.current_offset, observe::commit_offset(belief.owner()));
    candidate(belief, comparison.into_difference())
}

fn seen(step: &ServerStep) -> Seen {
    let answer = &step.answer;
    match (answer.code, &answer.messages, answer.ok) {
        (Some(code), _, _) if code != 0 => Seen::Code(code),
        (_, Some(messages), _) if !messages.is_empty() => Seen::Batch(messages.clone()),
        (_, Some(_), _) => match answer.partition {
            Some(SENTINEL_PARTITION) => Seen::Sentinel,
            Some(_) => Seen::Empty,
            None => Seen::EmptyOrSentinel,
        },
        (_, None, Some(true)) => Seen::Done,
        _ => Seen::Failed(answer.error.clone().unwrap_or_else(|| "no code".to_owned())),
    }
}
