//! The model, walked step by step in the words of the driver: which step of the driver an action of the model is, and what a
//! client gets in it.

use std::sync::Arc;

use fencepost_driver::{
    Answer as How, Call, Crash, Field, Fields, Park, ParkKind, Progress, Reply, Start, Step, World,
};
use fencepost_models::iggy::bounds::Bounds;
use fencepost_models::iggy::consumer::Consumer;
use fencepost_models::iggy::marks::Mark;
use fencepost_models::iggy::messages::{Act, Answer, Command, Envelope, Inner, RequestId, Strategy};
use fencepost_models::iggy::operator::command_number;
use fencepost_models::iggy::owner::polls::read_in;
use fencepost_models::iggy::system::{
    Address, FIRST_CONSUMER_INDEX, IggyModel, NodeState, OPERATOR_INDEX, Setup, consumer_of, model, producer_of,
};
use fencepost_spec::contract::Choices;
use fencepost_spec::event::EventKind;
use stateright::Model;
use stateright::actor::{ActorModelAction, Envelope as Travelling, Id};

use super::position::{Got, Position};
use super::{look, names, world};

/// An action of the model.
pub type Action = <IggyModel as Model>::Action;

/// What an action of the model is to a driver: its steps, one after the other, and how far the last of them gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The steps: one, or a crash and the restart after it.
    pub steps: Vec<Step>,
    /// How far the last of them gets.
    pub progress: Progress,
}

/// The model of a contract within bounds, walked in the words of the driver.
pub struct Walker {
    /// The model.
    pub model: IggyModel,
    /// The world at the start, as a driver is told.
    pub world: World,
}

impl Walker {
    /// The model of these choices within these bounds; `contract` names the choices.
    pub fn new(contract: &str, choices: &Choices, bounds: &Bounds) -> Self {
        Self { model: model(choices, bounds), world: world::world(contract, choices, bounds) }
    }

    /// The bounds.
    pub fn bounds(&self) -> &Bounds {
        &self.setup().bounds
    }

    fn setup(&self) -> &Setup {
        &self.model.cfg
    }

    /// The positions at the start.
    pub fn start(&self) -> Vec<Position> {
        let start = |state| {
            let mut position = Position::new(state);
            position.note_firsts();
            position
        };
        self.model.init_states().into_iter().map(start).collect()
    }

    /// Everything that may happen, in the order of the model, each with where it leads.
    pub fn possible(&self, at: &Position) -> Vec<(Action, Position, Move)> {
        let mut actions = Vec::new();
        self.model.actions(&at.state, &mut actions);
        actions
            .into_iter()
            .filter_map(|action| {
                let (after, moved) = self.take(at, &action)?;
                Some((action, after, moved))
            })
            .collect()
    }

    /// Takes an action; `None` if it cannot be taken here.
    pub fn take(&self, at: &Position, action: &Action) -> Option<(Position, Move)> {
        let ActorModelAction::Deliver { src, dst, msg } = action else { return None };
        let state = self.model.next_state(&at.state, action.clone())?;
        let mut after = Position { state, firsts: at.firsts.clone(), got: at.got.clone() };
        after.note_firsts();
        let steps = self.steps(at, *dst, msg)?;
        let progress = self.progress(at, *src, *dst, msg).map_or(Progress::Parked, Progress::done);
        if let (Envelope::Reply(id, Answer::Batch(batch)), Progress::Done { .. }) = (msg, &progress) {
            let operation = names::operation(self.bounds(), *id);
            after.got.push(Got { consumer: id.client, batch: batch.clone(), operation });
        }
        Some((after, Move { steps, progress }))
    }

    /// Everything that may happen in these steps of the driver: with a budget of the bounds, else as a probe.
    pub fn matching(&self, at: &Position, steps: &[Step]) -> Vec<(Position, Move)> {
        let possible = self.possible(at).into_iter().filter(|(_, _, moved)| moved.steps == steps);
        let found: Vec<_> = possible.map(|(_, after, moved)| (after, moved)).collect();
        if !found.is_empty() {
            return found;
        }
        let probes = self.probes(at, steps);
        let forced = probes.into_iter().filter_map(|(to, message)| self.force(at, to, message));
        forced.filter(|(_, moved)| moved.steps == steps).collect()
    }

    /// The messages that may be these steps although the bounds have no budget for them.
    fn probes(&self, at: &Position, steps: &[Step]) -> Vec<(Address, Envelope)> {
        let inner = |inner| vec![(Address::Owner, Envelope::Inner(inner))];
        match steps {
            [Step::Crash { crash: Crash::Process {} }, ..] => inner(Inner::Restart),
            [Step::Crash { crash: Crash::Power { keep } }, ..] if at.owner().disk.unsynced.len() <= 8 => {
                inner(Inner::PowerLoss(keep.iter().fold(0, |mask, index| mask | 1 << (index & 7))))
            }
            [Step::Resume { park, .. }] if park.kind == ParkKind::FinishPurge => inner(Inner::ResumePurge),
            [
                Step::Start {
                    operation,
                    call: Call::Poll { consumer, start: Start::Next, count, automatic_commit, may_wait },
                },
            ] => {
                let index = self.bounds().consumers.iter().position(|known| known.name == *consumer);
                let number = operation.rsplit('.').next().and_then(|number| number.parse().ok());
                let (Some(index), Some(number)) = (index, number) else { return Vec::new() };
                let act = Act::Poll {
                    strategy: Strategy::Next,
                    count: u8::try_from(*count).unwrap_or(u8::MAX),
                    automatic: *automatic_commit,
                    may_wait: *may_wait,
                };
                let to = Address::Consumer(u8::try_from(index).unwrap_or(u8::MAX));
                let is_probe = number >= super::trace::FIRST_PROBE;
                if is_probe { vec![(to, Envelope::Act(Some(number), act))] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// Takes a step for which the bounds have no budget: an actor finds a token of its own, and what is left of it is taken away.
    pub(super) fn force(&self, at: &Position, to: Address, message: Envelope) -> Option<(Position, Move)> {
        let mut before = at.clone();
        if let Envelope::Inner(inner) = &message {
            before.allow(*inner);
        }
        let token = Travelling { src: to.id(), dst: to.id(), msg: message.clone() };
        before.put(token.clone());
        let action = ActorModelAction::Deliver { src: to.id(), dst: to.id(), msg: message };
        let (mut after, moved) = self.take(&before, &action)?;
        if matches!(token.msg, Envelope::Inner(_)) {
            after.take_away(&token);
        }
        Some((after, moved))
    }

    /// Whether the client of an operation waits for it as the answer to a poll.
    pub(super) fn awaits_poll(&self, at: &Position, operation: &str) -> bool {
        let Some((name, number)) = operation.rsplit_once('.') else { return false };
        let index = self.bounds().consumers.iter().position(|consumer| consumer.name == name);
        let waits = index.and_then(|index| consumer_of(&at.state, index).poll);
        waits.is_some_and(|waiting| waiting.to_string() == number)
    }

    /// Makes the client of an operation stop waiting for it, as if it had given up.
    pub(super) fn forget_waiting(&self, at: &mut Position, operation: &str) {
        for (index, bounds) in self.bounds().consumers.iter().enumerate() {
            let Some(number) = operation.strip_prefix(&format!("{}.", bounds.name)) else { continue };
            let actor = &mut at.state.actor_states[FIRST_CONSUMER_INDEX + index];
            if let NodeState::Consumer(consumer) = Arc::make_mut(actor) {
                let is_it = |waiting: &Option<u8>| waiting.is_some_and(|waiting| waiting.to_string() == number);
                if is_it(&consumer.poll) {
                    consumer.poll = None;
                }
                if is_it(&consumer.commit) {
                    consumer.commit = None;
                }
            }
        }
    }

    /// What can be seen of a position.
    pub fn look(&self, at: &Position, fields: Fields) -> fencepost_driver::Observation {
        look::observation(self.setup(), at, fields)
    }

    /// The fields that the model says something about.
    pub fn fields(&self) -> Fields {
        let all = Field::ALL.iter().copied();
        let known = all.filter(|field| *field != Field::Unsynced || self.world.loses_power);
        known.fold(Fields::NONE, Fields::with)
    }

    /// The steps of the driver that the delivery of a message is.
    fn steps(&self, at: &Position, receiver: Id, message: &Envelope) -> Option<Vec<Step>> {
        let to = Address::of(receiver);
        let park = |kind, id: &RequestId| Park::new(kind, names::operation(self.bounds(), *id));
        let resume = |park| vec![Step::Resume { park, answer: How::Proceed }];
        let command = |kind, number: &u8| {
            let id = RequestId { client: fencepost_models::iggy::messages::OPERATOR, number: *number };
            resume(park(kind, &id))
        };
        Some(match (message, to) {
            (Envelope::Act(step, act), Address::Consumer(index)) => vec![self.act(at, index, *step, *act)?],
            (Envelope::Send(step, count), _) => vec![self.send(at, *step, *count)?],
            (Envelope::Next(script), _) => vec![self.scripted(at, *script)?],
            (Envelope::Once(number, what), _) => vec![self.command(*number, *what)],
            (Envelope::Inner(inner), _) => self.inner(at, *inner)?,
            (Envelope::Reply(id, _), _) => resume(park(ParkKind::Reply, id)),
            (Envelope::Acknowledged(number, _), _) => command(ParkKind::Reply, number),
            (message, to) => resume(look::travelling(self.bounds(), to, message)?),
        })
    }

    /// What a client gets, if the delivery of a message is an answer that it waits for.
    fn progress(&self, at: &Position, source: Id, receiver: Id, message: &Envelope) -> Option<Reply> {
        match message {
            Envelope::Acknowledged(..) => Some(Reply::Acknowledged {}),
            Envelope::Reply(_, answer) => {
                let state = &at.state.actor_states[usize::from(receiver)];
                let node = &self.model.actors[usize::from(receiver)];
                let marks = node.react(receiver, state, message)?.marks;
                let _ = source;
                let is_heard = marks.iter().any(|mark| matches!(mark, Mark::Event(EventKind::Answered, _)));
                is_heard.then(|| reply(at, answer))
            }
            _ => None,
        }
    }

    fn act(&self, at: &Position, index: u8, step: Option<u8>, act: Act) -> Option<Step> {
        let before = consumer_of(&at.state, usize::from(index));
        let name = || names::consumer(self.bounds(), index).to_owned();
        let call = match act {
            Act::Poll { strategy, count, automatic, may_wait } => Call::Poll {
                consumer: name(),
                start: start(strategy),
                count: u64::from(count),
                automatic_commit: automatic,
                may_wait,
            },
            Act::StoreLast => {
                let offset = before.batches.last()?.messages.last()?.offset;
                self.store(at, index, before, offset)
            }
            Act::Store(offset) => self.store(at, index, before, offset),
            Act::Seek(offset) => Call::Store { consumer: name(), offset: u64::from(offset), batch_of: None },
            Act::Delete => Call::Delete { consumer: name() },
            Act::GiveUpPoll => return Some(self.cancel(index, before.poll?)),
            Act::GiveUpCommit => return Some(self.cancel(index, before.commit?)),
        };
        let unlimited = self.bounds().consumers[usize::from(index)].polls.is_none();
        let number = match (step, act) {
            (Some(step), _) => step,
            (None, Act::Poll { .. }) if unlimited => fencepost_models::iggy::consumer::REUSED_POLL,
            (None, _) if unlimited => fencepost_models::iggy::consumer::REUSED_COMMIT,
            (None, _) => before.next_request,
        };
        let operation = names::operation(self.bounds(), RequestId { client: index, number });
        Some(Step::Start { operation, call })
    }

    fn cancel(&self, client: u8, number: u8) -> Step {
        Step::Cancel { operation: names::operation(self.bounds(), RequestId { client, number }) }
    }

    /// A store of an offset: it is taken from the last batch of this consumer that holds it, or chosen by the consumer.
    fn store(&self, at: &Position, index: u8, consumer: &Consumer, offset: u8) -> Call {
        let holds = |placed: &fencepost_models::iggy::messages::Placed| placed.offset == offset;
        let batch = consumer.batches.iter().rev().find(|batch| batch.messages.iter().any(holds));
        let got = batch.and_then(|batch| at.got.iter().rev().find(|got| got.consumer == index && got.batch == *batch));
        Call::Store {
            consumer: names::consumer(self.bounds(), index).to_owned(),
            offset: u64::from(offset),
            batch_of: got.map(|got| got.operation.clone()),
        }
    }

    fn send(&self, at: &Position, step: Option<u8>, count: u8) -> Option<Step> {
        let begun = producer_of(&at.state).begun;
        let (number, count) = match step {
            Some(step) => (step, count),
            None => (begun + 1, *self.bounds().sends.get(usize::from(begun))?),
        };
        let id = RequestId { client: fencepost_models::iggy::messages::PRODUCER, number };
        let payloads = (0..count).map(|index| names::sent_payload(number, index)).collect();
        Some(Step::Start { operation: names::operation(self.bounds(), id), call: Call::Send { payloads } })
    }

    fn scripted(&self, at: &Position, script: u8) -> Option<Step> {
        let NodeState::Operator(operator) = &*at.state.actor_states[OPERATOR_INDEX] else { return None };
        let index = usize::from(script);
        let position = *operator.begun.get(index)?;
        let command = *self.bounds().scripts.get(index)?.get(usize::from(position))?;
        Some(self.command(command_number(self.setup(), index, position), command))
    }

    fn command(&self, number: u8, command: Command) -> Step {
        let id = RequestId { client: fencepost_models::iggy::messages::OPERATOR, number };
        let name = |index: u8| names::consumer(self.bounds(), index).to_owned();
        let call = match command {
            Command::Empty => Call::Empty {},
            Command::Recreate => Call::Recreate {},
            Command::Join(index) => Call::Join { consumer: name(index) },
            Command::Leave(index) => Call::Leave { consumer: name(index) },
            Command::Disconnect(index) => Call::Disconnect { consumer: name(index) },
            Command::Retain(count) => Call::Expire { count: u64::from(count) },
        };
        Step::Start { operation: names::operation(self.bounds(), id), call }
    }

    fn inner(&self, at: &Position, inner: Inner) -> Option<Vec<Step>> {
        let owner = at.owner();
        let read = |slot| read_in(self.setup(), owner, slot).map(|index| &owner.reads[index]);
        let of_read = |kind, slot, answer| {
            let park = Park::new(kind, names::operation(self.bounds(), read(slot)?.id));
            Some(vec![Step::Resume { park, answer }])
        };
        let only = |kind, answer| Some(vec![Step::Resume { park: Park::only(kind), answer }]);
        let then_restart = |crash| Some(vec![Step::Crash { crash }, Step::Restart {}]);
        match inner {
            Inner::Open(slot) => {
                // The file that the read was planned on is gone: it finds nothing, unless it is opened anew by its name.
                let is_gone = read(slot)?.history != owner.history;
                of_read(ParkKind::Open, slot, if is_gone { How::Fail } else { How::Proceed })
            }
            Inner::OpenNewBytes(slot) => of_read(ParkKind::Open, slot, How::Proceed),
            Inner::Complete(slot) => of_read(look::completes_at(read(slot)?), slot, How::Proceed),
            Inner::Expire(slot) => of_read(ParkKind::Wait, slot, How::TimeOut),
            Inner::GatewayGivesUp(slot) => of_read(ParkKind::GatewayTimeOut, slot, How::Proceed),
            Inner::CommitOldest => only(ParkKind::Commit, How::Proceed),
            Inner::PurgeStep { fails } => only(ParkKind::Purge, if fails { How::Fail } else { How::Proceed }),
            Inner::ResumePurge => only(ParkKind::FinishPurge, How::Proceed),
            Inner::Restart => then_restart(Crash::Process {}),
            Inner::PowerLoss(survivors) => {
                let unsynced = owner.disk.unsynced.len();
                let keep = (0..unsynced).filter(|index| *index < 8 && survivors >> index & 1 == 1).collect();
                then_restart(Crash::Power { keep })
            }
            Inner::ReportDrained => only(ParkKind::ReportDrained, How::Proceed),
            Inner::ResurrectBookmarks => None,
        }
    }
}

fn start(strategy: Strategy) -> Start {
    match strategy {
        Strategy::Next => Start::Next,
        Strategy::First => Start::First,
        Strategy::Last => Start::Last,
        Strategy::Offset(offset) => Start::Offset { offset: u64::from(offset) },
    }
}

/// An answer of the model as a client reads it.
pub fn reply(at: &Position, answer: &Answer) -> Reply {
    match answer {
        Answer::Batch(batch) => {
            let messages = batch.messages.iter();
            let messages = messages.map(|placed| (u64::from(placed.offset), at.payload(&placed.message))).collect();
            Reply::Batch { messages }
        }
        Answer::Empty => Reply::Empty {},
        Answer::Sentinel => Reply::Sentinel {},
        Answer::Done => Reply::Acknowledged {},
        Answer::Code(code) => Reply::Code { code: code.0 },
        Answer::Disconnected => Reply::Disconnected {},
    }
}
