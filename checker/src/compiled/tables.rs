//! Everything that was met in an exploration, by number, and what is remembered about it.

use std::sync::Arc;

use stateright::actor::{Actor, ActorModel, ActorModelAction, ActorModelState, Envelope, Id, LossyNetwork};

use crate::actor_system::{ActionOf, ActorSystem};
use crate::clause::Clause;
use crate::guide::Guide;

use super::intern::Values;
use super::layout::Layout;
use super::network::{self, Delta, NetworkKind, Taken, apply};
use super::settled::{Memo, Settled, pair};
use super::situation::{Local, Situation};
use super::step::{Class, Kind, Moves, Outcome, Reaction};

/// The local events of the actors of a system.
pub(super) type LocalOf<A> = Local<<A as Actor>::Timer, <A as Actor>::Random>;

/// A state of an actor system.
pub(super) type StateOf<M> = ActorModelState<<M as ActorSystem>::Actor, <M as ActorSystem>::History>;

type ModelOf<M> = ActorModel<<M as ActorSystem>::Actor, <M as ActorSystem>::Configuration, <M as ActorSystem>::History>;
type MessageOf<M> = <<M as ActorSystem>::Actor as Actor>::Msg;

/// The event that delivers an envelope. Other events have odd numbers.
#[inline]
pub(super) fn delivery_of(envelope: u32) -> u32 {
    envelope << 1
}

/// The event of a local event's number.
pub(super) fn event_of(local: u32) -> u32 {
    local << 1 | 1
}

/// Between whom an envelope travels.
pub(super) fn flow<Msg>(envelope: &Envelope<Msg>) -> (Id, Id) {
    (envelope.src, envelope.dst)
}

/// What an event is.
pub(super) enum Event<M: ActorSystem> {
    /// The delivery of the envelope with this number.
    Deliver(u32),
    /// Anything else.
    Local(Arc<LocalOf<M::Actor>>),
}

/// What an exploration met.
pub(super) struct Tables<'a, M: ActorSystem, G: Guide<M>> {
    pub(super) system: &'a M,
    pub(super) guide: &'a G,
    pub(super) clauses: &'a [Clause<M>],
    /// Size of the vocabulary.
    pub(super) terms: usize,
    pub(super) kind: NetworkKind,
    pub(super) layout: Layout,
    pub(super) situations: Values<Situation<M::Actor>>,
    pub(super) envelopes: Values<Envelope<MessageOf<M>>>,
    pub(super) inboxes: Values<Vec<u32>>,
    pub(super) locals: Values<LocalOf<M::Actor>>,
    pub(super) histories: Values<M::History>,
    pub(super) guides: Values<G::State>,
    /// Numbers of a history and of a state of the guide.
    pub(super) contexts: Values<(u32, u32)>,
    pub(super) deltas: Values<Delta>,
    pub(super) moves: Values<Moves>,
    pub(super) classes: Values<Class>,
    pub(super) known_reactions: Values<Reaction>,
    /// By situation and event.
    pub(super) reactions: Memo<u64, u32>,
    /// By situation, event and context.
    pub(super) steps: Memo<(u64, u32), Outcome>,
    /// By inbox and delta.
    pub(super) inbox_steps: Memo<u64, u32>,
    /// By clause about an actor, and situation of that actor.
    pub(super) actor_kinds: Memo<u64, Kind>,
    pub(super) settled: Settled,
}

impl<'a, M: ActorSystem, G: Guide<M>> Tables<'a, M, G> {
    /// Nothing met yet.
    pub(super) fn new(system: &'a M, guide: &'a G, clauses: &'a [Clause<M>]) -> Self {
        let model = system.actor_model();
        let kind = NetworkKind::of(&model.init_network);
        Self {
            system,
            guide,
            clauses,
            terms: system.vocabulary().len(),
            kind,
            layout: Layout::new(model.actors.len(), kind == NetworkKind::Duplicating),
            situations: Values::new(),
            envelopes: Values::new(),
            inboxes: Values::new(),
            locals: Values::new(),
            histories: Values::new(),
            guides: Values::new(),
            contexts: Values::new(),
            deltas: Values::new(),
            moves: Values::new(),
            classes: Values::new(),
            known_reactions: Values::new(),
            reactions: Memo::new(),
            steps: Memo::new(),
            inbox_steps: Memo::new(),
            actor_kinds: Memo::new(),
            settled: Settled::default(),
        }
    }

    /// The actor model.
    #[inline]
    pub(super) fn model(&self) -> &'a ModelOf<M> {
        self.system.actor_model()
    }

    /// Whether messages can be lost.
    #[inline]
    pub(super) fn is_lossy(&self) -> bool {
        self.model().lossy_network == LossyNetwork::Yes
    }

    /// The row of an initial state of the model.
    pub(super) fn row_of(&self, state: &StateOf<M>) -> Vec<u32> {
        let situation = |index: usize| Situation {
            index,
            state: state.actor_states[index].clone(),
            timers: state.timers_set[index].clone(),
            choices: state.random_choices[index].clone(),
            is_crashed: state.crashed[index],
            storage: state.actor_storages[index].clone(),
        };
        let mut row = vec![0; self.layout.width()];
        for (index, cell) in row[..self.layout.actors].iter_mut().enumerate() {
            *cell = self.situations.intern(situation(index));
        }
        let history = self.histories.intern(state.history.clone());
        row[self.layout.context()] = self.contexts.intern((history, self.guides.intern(self.guide.start())));
        let (envelopes, last) = network::parts(&state.network);
        let mut sent = vec![Vec::new(); self.layout.actors + 1];
        for envelope in envelopes {
            let inbox = self.layout.inbox(envelope.dst);
            sent[inbox - self.layout.actors].push(self.envelopes.intern(envelope));
        }
        for (inbox, sent) in (self.layout.actors..).zip(sent) {
            row[inbox] = self.inboxes.intern(self.inbox_after(&[], &Delta { taken: Taken::Nothing, sent }));
        }
        if let Some(last) = last {
            row[self.layout.last()] = self.envelopes.intern(last) + 1;
        }
        row
    }

    /// An inbox after a step.
    fn inbox_after(&self, inbox: &[u32], delta: &Delta) -> Vec<u32> {
        let envelopes = self.envelopes.read();
        apply(self.kind, inbox, delta, |number| flow(envelopes.get(number)))
    }

    /// The inbox to which a delta leads.
    #[inline(always)]
    pub(super) fn inbox_step(&self, inbox: u32, delta: u32) -> u32 {
        self.inbox_steps.get_or(pair(inbox, delta), || {
            self.inboxes.intern(self.inbox_after(&self.inboxes.get(inbox), &self.deltas.get(delta)))
        })
    }

    /// What an event is.
    pub(super) fn event(&self, event: u32) -> Event<M> {
        if event & 1 == 0 { Event::Deliver(event >> 1) } else { Event::Local(self.locals.get(event >> 1)) }
    }

    /// The action of an event.
    pub(super) fn action(&self, event: u32) -> ActionOf<M::Actor> {
        let local = match self.event(event) {
            Event::Deliver(envelope) => {
                let Envelope { src, dst, msg } = (*self.envelopes.get(envelope)).clone();
                return ActorModelAction::Deliver { src, dst, msg };
            }
            Event::Local(local) => local,
        };
        match (*local).clone() {
            Local::Drop(envelope) => ActorModelAction::Drop((*self.envelopes.get(envelope)).clone()),
            Local::Timeout(index, timer) => ActorModelAction::Timeout(index.into(), timer),
            Local::Crash(index) => ActorModelAction::Crash(index.into()),
            Local::Recover(index) => ActorModelAction::Recover(index.into()),
            Local::Choose(index, key, random) => ActorModelAction::SelectRandom { actor: index.into(), key, random },
        }
    }

    /// A state of the model without its network.
    pub(super) fn without_network(&self, row: &[u32]) -> StateOf<M> {
        let situations = self.situations.read();
        let of = || row[..self.layout.actors].iter().map(|number| &**situations.get(*number));
        let (history, _) = *self.contexts.get(row[self.layout.context()]);
        ActorModelState {
            actor_states: of().map(|situation| situation.state.clone()).collect(),
            network: self.kind.network([], None),
            timers_set: of().map(|situation| situation.timers.clone()).collect(),
            random_choices: of().map(|situation| situation.choices.clone()).collect(),
            crashed: of().map(|situation| situation.is_crashed).collect(),
            history: (*self.histories.get(history)).clone(),
            actor_storages: of().map(|situation| situation.storage.clone()).collect(),
        }
    }

    /// A whole state of the model.
    pub(super) fn whole(&self, row: &[u32]) -> StateOf<M> {
        let (envelopes, inboxes) = (self.envelopes.read(), self.inboxes.read());
        let envelope = |number: u32| (**envelopes.get(number)).clone();
        let last = if self.layout.has_last { row[self.layout.last()].checked_sub(1).map(envelope) } else { None };
        let sent = row[self.layout.inboxes()].iter().flat_map(|inbox| inboxes.get(*inbox).iter().copied());
        StateOf::<M> { network: self.kind.network(sent.map(envelope), last), ..self.without_network(row) }
    }

    /// The state of the guide in a row.
    pub(super) fn guide_state(&self, row: &[u32]) -> Arc<G::State> {
        let (_, guide) = *self.contexts.get(row[self.layout.context()]);
        self.guides.get(guide)
    }
}
