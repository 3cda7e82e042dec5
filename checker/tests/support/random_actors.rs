//! Random small actor models: every reaction of every actor is read from a random table.

// Every test file that compiles this module uses a part of it.
#![allow(dead_code)]

use std::borrow::Cow;
use std::fmt::{Debug, Formatter};
use std::ops::Range;
use std::sync::Arc;

use fencepost_checker::named::Named;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use stateright::Expectation;
use stateright::actor::{
    Actor, ActorModel, ActorModelAction, ActorModelState, Envelope, Id, LossyNetwork, Network, Out, model_timeout,
};

const STATES: u8 = 4;
const MESSAGES: u8 = 3;
const TIMERS: u8 = 2;
const RANDOMS: u8 = 3;
const STORAGES: u8 = STATES;

/// Stimuli besides the start: messages from even and from odd senders, time-outs, choices.
const STIMULI: u8 = 2 * MESSAGES + TIMERS + RANDOMS;

/// Receivers below this are actors, the others are nobody.
pub const ACTOR_RECEIVERS: u8 = 12;

/// What becomes of the state of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It stays borrowed.
    Untouched,
    /// It is replaced by an equal one, which Stateright counts as a change.
    Equal,
    /// It becomes this.
    To(u8),
}

/// What an actor commands.
#[derive(Clone, Debug)]
pub enum Order {
    Send(u8, u8),
    SetTimer(u8),
    CancelTimer(u8),
    Choose(u8, Vec<u8>),
    Save(u8),
}

/// One entry of a table.
#[derive(Clone, Debug)]
pub struct Reaction {
    pub change: Change,
    pub orders: Vec<Order>,
}

impl Reaction {
    /// Whether the actor does anything at all.
    fn is_any(&self) -> bool {
        self.change != Change::Untouched || !self.orders.is_empty()
    }
}

/// All reactions of an actor.
#[derive(Clone)]
pub struct Table {
    /// To the start: without storage, then by storage.
    pub starts: Vec<Reaction>,
    /// To other stimuli: by state, then by stimulus.
    pub reactions: Vec<Reaction>,
}

impl Table {
    /// The actor that does nothing.
    pub fn idle() -> Self {
        let nothing = Reaction { change: Change::Untouched, orders: Vec::new() };
        let reactions = vec![nothing.clone(); usize::from(STATES * STIMULI)];
        Self { starts: vec![nothing; usize::from(STORAGES) + 1], reactions }
    }

    /// The reaction to a choice.
    pub fn on_choice(&mut self, state: u8, random: u8) -> &mut Reaction {
        &mut self.reactions[usize::from(state * STIMULI + 2 * MESSAGES + TIMERS + random)]
    }

    /// Visits all reactions but those to the start, with the state.
    pub fn for_each_state(&mut self, mut visit: impl FnMut(u8, &mut Reaction)) {
        for (index, reaction) in self.reactions.iter_mut().enumerate() {
            visit((index / usize::from(STIMULI)) as u8, reaction);
        }
    }
}

impl Debug for Table {
    /// Shows what is not nothing.
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let mut shown = out.debug_map();
        for (start, Reaction { change, orders }) in self.starts.iter().enumerate().filter(|(_, it)| it.is_any()) {
            shown.entry(&format_args!("start {start}"), &format_args!("{change:?} {orders:?}"));
        }
        for (index, Reaction { change, orders }) in self.reactions.iter().enumerate().filter(|(_, it)| it.is_any()) {
            let (state, stimulus) = (index / usize::from(STIMULI), index % usize::from(STIMULI));
            shown.entry(&format_args!("{state}, {stimulus}"), &format_args!("{change:?} {orders:?}"));
        }
        shown.finish()
    }
}

/// An actor that looks its reactions up.
#[derive(Clone, Debug)]
pub struct TableActor {
    table: Arc<Table>,
    /// How many actors there are.
    actors: usize,
}

/// Whom a number means among so many actors: one of them, or nobody.
fn participant(number: u8, actors: usize) -> Id {
    Id::from(match number.checked_sub(ACTOR_RECEIVERS) {
        None => usize::from(number).checked_rem(actors).unwrap_or(0),
        Some(nobody) => actors + usize::from(nobody),
    })
}

impl TableActor {
    fn obey(&self, orders: &[Order], out: &mut Out<Self>) {
        for order in orders {
            match order {
                Order::Send(receiver, message) => out.send(participant(*receiver, self.actors), *message),
                Order::SetTimer(timer) => out.set_timer(*timer, model_timeout()),
                Order::CancelTimer(timer) => out.cancel_timer(*timer),
                Order::Choose(key, choices) => out.choose_random(format!("key {key}"), choices.clone()),
                Order::Save(storage) => out.save(*storage),
            }
        }
    }

    fn react(&self, state: &mut Cow<'_, u8>, stimulus: u8, out: &mut Out<Self>) {
        let reaction = &self.table.reactions[usize::from(**state * STIMULI + stimulus)];
        match reaction.change {
            Change::Untouched => {}
            Change::Equal => _ = state.to_mut(),
            Change::To(next) => *state.to_mut() = next,
        }
        self.obey(&reaction.orders, out);
    }
}

impl Actor for TableActor {
    type Msg = u8;
    type State = u8;
    type Timer = u8;
    type Random = u8;
    type Storage = u8;

    fn on_start(&self, _id: Id, storage: &Option<u8>, out: &mut Out<Self>) -> u8 {
        let reaction = &self.table.starts[storage.map_or(0, |storage| usize::from(storage) + 1)];
        self.obey(&reaction.orders, out);
        if let Change::To(state) = reaction.change { state } else { 0 }
    }

    fn on_msg(&self, _id: Id, state: &mut Cow<'_, u8>, src: Id, message: u8, out: &mut Out<Self>) {
        let odd = usize::from(src) as u8 % 2;
        self.react(state, message + MESSAGES * odd, out);
    }

    fn on_timeout(&self, _id: Id, state: &mut Cow<'_, u8>, timer: &u8, out: &mut Out<Self>) {
        self.react(state, 2 * MESSAGES + timer, out);
    }

    fn on_random(&self, _id: Id, state: &mut Cow<'_, u8>, random: &u8, out: &mut Out<Self>) {
        self.react(state, 2 * MESSAGES + TIMERS + random, out);
    }
}

/// What the messages so far amount to; their order makes a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RandomHistory(pub u8);

/// The configuration: how the history is recorded, and what is within the boundary.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Histories are smaller than this.
    pub modulus: u8,
    /// Which received messages leave the history alone.
    pub silent_in: u8,
    /// Which sent messages leave the history alone.
    pub silent_out: u8,
    /// Whether every state is within the boundary; else what follows holds.
    pub is_unbounded: bool,
    pub most_envelopes: usize,
    /// Of one actor.
    pub most_timers: usize,
    pub refused_history: u8,
}

/// The history after a message was received.
pub fn record_in(rules: &Rules, history: &RandomHistory, envelope: Envelope<&u8>) -> Option<RandomHistory> {
    let is_silent = (envelope.msg + usize::from(envelope.src) as u8) % 4 == rules.silent_in;
    (!is_silent).then_some(RandomHistory((2 * history.0 + 1 + envelope.msg) % rules.modulus))
}

/// The history after a message was sent.
pub fn record_out(rules: &Rules, history: &RandomHistory, envelope: Envelope<&u8>) -> Option<RandomHistory> {
    let code = envelope.msg + usize::from(envelope.dst) as u8;
    (code % 4 != rules.silent_out).then_some(RandomHistory((3 * history.0 + 2 + code) % rules.modulus))
}

fn is_within(rules: &Rules, state: &ActorModelState<TableActor, RandomHistory>) -> bool {
    state.network.len() <= rules.most_envelopes
        && state.timers_set.iter().all(|timers| timers.iter().count() <= rules.most_timers)
        && state.history.0 != rules.refused_history
}

/// A model of random actors.
pub type RandomActors = ActorModel<TableActor, Rules, RandomHistory>;

/// The same with names.
pub type NamedActors = Named<RandomActors>;

/// An action of random actors.
pub type Action = ActorModelAction<u8, u8, u8>;

/// The three kinds of networks of Stateright.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wires {
    Duplicating,
    NonDuplicating,
    Ordered,
}

/// Everything that makes a model.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub tables: Vec<Table>,
    pub wires: Wires,
    /// Sender, receiver and message.
    pub envelopes: Vec<(u8, u8, u8)>,
    /// What a network that duplicates delivered last.
    pub last: Option<(u8, u8, u8)>,
    pub is_lossy: bool,
    pub max_crashes: usize,
    pub rules: Rules,
    /// Which names are unfair, bit by bit.
    pub unfair: u64,
}

impl Recipe {
    /// Whether the boundary is the trivial one.
    pub fn is_unbounded(&self) -> bool {
        self.rules.is_unbounded
    }

    /// The actor model.
    pub fn actors(&self) -> RandomActors {
        let actors = self.tables.len();
        let actor = |table: &Table| TableActor { table: Arc::new(table.clone()), actors };
        let envelope = |&(src, dst, msg): &(u8, u8, u8)| Envelope {
            src: participant(src, actors),
            dst: participant(dst, actors),
            msg,
        };
        let envelopes = self.envelopes.iter().map(envelope);
        let network = match self.wires {
            Wires::Duplicating => {
                Network::new_unordered_duplicating_with_last_msg(envelopes, self.last.as_ref().map(envelope))
            }
            Wires::NonDuplicating => Network::new_unordered_nonduplicating(envelopes),
            Wires::Ordered => Network::new_ordered(envelopes),
        };
        let model = ActorModel::new(self.rules.clone(), RandomHistory(0))
            .actors(self.tables.iter().map(actor))
            .init_network(network)
            .lossy_network(if self.is_lossy { LossyNetwork::Yes } else { LossyNetwork::No })
            .max_crashes(self.max_crashes)
            .property(Expectation::Always, "true", |_, _| true)
            .record_msg_in(record_in)
            .record_msg_out(record_out);
        if self.rules.is_unbounded { model } else { model.within_boundary(is_within) }
    }

    /// The actor model with names.
    pub fn named(&self) -> NamedActors {
        let names = vocabulary();
        let is_unfair = |(bit, _): &(usize, &String)| self.unfair >> (bit % 64) & 1 != 0;
        let unfair: Vec<&str> = names.iter().enumerate().filter(is_unfair).map(|(_, name)| name.as_str()).collect();
        Named::new(self.actors(), names.clone(), name_of).with_unfair(&unfair)
    }
}

/// The name of an action: its kind, and the actor or the message.
fn name_of(action: &Action) -> String {
    match action {
        ActorModelAction::Deliver { dst, msg, .. } => format!("deliver {msg} to {}", usize::from(*dst)),
        ActorModelAction::Drop(envelope) => format!("lose {}", envelope.msg),
        ActorModelAction::Timeout(id, timer) => format!("time out {timer} of {}", usize::from(*id)),
        ActorModelAction::Crash(id) => format!("crash {}", usize::from(*id)),
        ActorModelAction::Recover(id) => format!("recover {}", usize::from(*id)),
        ActorModelAction::SelectRandom { random, .. } => format!("choose {random}"),
    }
}

/// Most of the names; those of the last actor's deliveries and of the last choice are left out.
fn vocabulary() -> Vec<String> {
    let mut names = Vec::new();
    for actor in 0..4 {
        names.extend([format!("crash {actor}"), format!("recover {actor}")]);
        names.extend((0..TIMERS).map(|timer| format!("time out {timer} of {actor}")));
        if actor < 3 {
            names.extend((0..MESSAGES).map(|message| format!("deliver {message} to {actor}")));
        }
    }
    names.extend((0..MESSAGES).map(|message| format!("lose {message}")));
    names.extend((0..RANDOMS - 1).map(|random| format!("choose {random}")));
    names
}

fn receivers() -> impl Strategy<Value = u8> {
    prop_oneof![3 => 0..ACTOR_RECEIVERS, 1 => ACTOR_RECEIVERS..ACTOR_RECEIVERS + 2]
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![
        5 => (receivers(), 0..MESSAGES).prop_map(|(receiver, message)| Order::Send(receiver, message)),
        2 => (0..TIMERS).prop_map(Order::SetTimer),
        1 => (0..TIMERS).prop_map(Order::CancelTimer),
        1 => (0..2_u8, prop::collection::vec(0..RANDOMS, 0..4)).prop_map(|(key, choices)| Order::Choose(key, choices)),
        1 => (0..STORAGES).prop_map(Order::Save),
    ]
}

/// A reaction with some orders.
fn lively(orders_of_it: Range<usize>) -> impl Strategy<Value = Reaction> {
    let changes = prop_oneof![
        3 => Just(Change::Untouched),
        1 => Just(Change::Equal),
        4 => (0..STATES).prop_map(Change::To),
    ];
    (changes, prop::collection::vec(orders(), orders_of_it)).prop_map(|(change, orders)| Reaction { change, orders })
}

fn reactions() -> impl Strategy<Value = Reaction> {
    let untouched = |orders| Reaction { change: Change::Untouched, orders };
    prop_oneof![
        2 => Just(untouched(Vec::new())),
        // To a time-out of the same timer this is no reaction.
        1 => (0..TIMERS).prop_map(move |timer| untouched(vec![Order::SetTimer(timer)])),
        5 => lively(0..3),
    ]
}

fn tables() -> impl Strategy<Value = Table> {
    let starts = prop::collection::vec(lively(1..4), usize::from(STORAGES) + 1);
    let reactions = prop::collection::vec(reactions(), usize::from(STATES * STIMULI));
    (starts, reactions).prop_map(|(starts, reactions)| Table { starts, reactions })
}

fn rules() -> impl Strategy<Value = Rules> {
    let boundary = (any::<bool>(), 3..9_usize, 1..3_usize, 1..9_u8);
    (1..7_u8, 0..6_u8, 0..6_u8, boundary).prop_map(|(modulus, silent_in, silent_out, boundary)| {
        let (is_unbounded, most_envelopes, most_timers, refused_history) = boundary;
        Rules { modulus, silent_in, silent_out, is_unbounded, most_envelopes, most_timers, refused_history }
    })
}

/// Any model of up to four actors; most have no end.
pub fn recipes() -> impl Strategy<Value = Recipe> {
    let wires = prop_oneof![Just(Wires::Duplicating), Just(Wires::NonDuplicating), Just(Wires::Ordered)];
    let envelope = || (receivers(), receivers(), 0..MESSAGES);
    let network = (wires, prop::collection::vec(envelope(), 0..4), prop::option::of(envelope()));
    let faults = (prop::bool::weighted(0.3), 0..3_usize);
    (prop::collection::vec(tables(), 1..5), network, faults, rules(), any::<u64>()).prop_map(
        |(tables, (wires, envelopes, last), (is_lossy, max_crashes), rules, unfair)| Recipe {
            tables,
            wires,
            envelopes,
            last,
            is_lossy,
            max_crashes,
            rules,
            unfair,
        },
    )
}
