//! Everything that belongs to one actor in a state of the system, as one value: so timers, choices, crashes and storage cost
//! a state nothing.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stateright::actor::{Actor, Command, Id, Out, RandomChoices, Timers};

/// One actor in a state of the system.
pub(super) struct Situation<A: Actor> {
    /// Which actor.
    pub(super) index: usize,
    /// Its state.
    pub(super) state: Arc<A::State>,
    /// Its timers that run.
    pub(super) timers: Timers<A::Timer>,
    /// Choices that it may be given.
    pub(super) choices: RandomChoices<A::Random>,
    /// Whether it has crashed and not recovered.
    pub(super) is_crashed: bool,
    /// What it saved.
    pub(super) storage: Option<A::Storage>,
}

impl<A: Actor> Clone for Situation<A> {
    fn clone(&self) -> Self {
        Self {
            index: self.index,
            state: Arc::clone(&self.state),
            timers: self.timers.clone(),
            choices: self.choices.clone(),
            is_crashed: self.is_crashed,
            storage: self.storage.clone(),
        }
    }
}

impl<A: Actor> PartialEq for Situation<A> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
            && self.is_crashed == other.is_crashed
            && self.state == other.state
            && self.timers == other.timers
            && self.choices == other.choices
            && self.storage == other.storage
    }
}

impl<A: Actor> Hash for Situation<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.index.hash(hasher);
        self.state.hash(hasher);
        self.timers.hash(hasher);
        self.choices.hash(hasher);
        self.is_crashed.hash(hasher);
        self.storage.hash(hasher);
    }
}

impl<A: Actor> Situation<A> {
    /// Carries out the commands of an actor; gives what it sends, in order.
    pub(super) fn obey(&mut self, out: Out<A>) -> Vec<(Id, A::Msg)> {
        let mut sends = Vec::new();
        for command in out {
            match command {
                Command::Send(to, message) => sends.push((to, message)),
                Command::SetTimer(timer, _) => _ = self.timers.set(timer),
                Command::CancelTimer(timer) => _ = self.timers.cancel(&timer),
                Command::ChooseRandom(key, choices) if choices.is_empty() => _ = self.choices.remove(&key),
                Command::ChooseRandom(key, choices) => self.choices.insert(key, choices),
                Command::Save(storage) => self.storage = Some(storage),
            }
        }
        sends
    }
}

/// What can happen without a message, in the order in which Stateright lists kinds of actions: those that are lost, then
/// the time-outs, crashes, recoveries and choices of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Local<Timer, Random> {
    /// The network loses the envelope with this number.
    Drop(u32),
    /// A timer of an actor fires.
    Timeout(usize, Timer),
    /// An actor crashes.
    Crash(usize),
    /// An actor recovers.
    Recover(usize),
    /// An actor is given a choice.
    Choose(usize, String, Random),
}

impl<Timer: Ord, Random: Ord> Local<Timer, Random> {
    /// The order in which Stateright lists these; losses are not compared with each other.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Timeout(left, a), Self::Timeout(right, b)) => left.cmp(right).then_with(|| a.cmp(b)),
            (Self::Crash(left), Self::Crash(right)) | (Self::Recover(left), Self::Recover(right)) => left.cmp(right),
            (Self::Choose(left, key, a), Self::Choose(right, other_key, b)) => {
                left.cmp(right).then_with(|| key.cmp(other_key)).then_with(|| a.cmp(b))
            }
            _ => self.kind().cmp(&other.kind()),
        }
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Drop(_) => 0,
            Self::Timeout(..) => 1,
            Self::Crash(_) => 2,
            Self::Recover(_) => 3,
            Self::Choose(..) => 4,
        }
    }
}

/// The local events of an actor, except that it crashes, which depends on the others.
pub(super) fn local_events<A: Actor>(situation: &Situation<A>) -> Vec<Local<A::Timer, A::Random>> {
    let index = situation.index;
    let mut events: Vec<_> = situation.timers.iter().map(|timer| Local::Timeout(index, timer.clone())).collect();
    if situation.is_crashed {
        events.push(Local::Recover(index));
    }
    for (key, choices) in situation.choices.map.iter() {
        events.extend(choices.iter().map(|choice| Local::Choose(index, key.clone(), choice.clone())));
    }
    events
}
