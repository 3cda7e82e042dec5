//! Everything that belongs to one actor in a state of the system, as one value: so timers, choices, crashes and storage cost
//! a state nothing.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

/// How many kinds of events belong to an actor and need no message.
pub(super) const LOCAL_KINDS: usize = 4;

/// Which of these kinds a crash is.
pub(super) const CRASHES: usize = 1;

/// The local events of an actor, by kind, each kind in the order in which Stateright lists it.
pub(super) fn local_events<A>(situation: &Situation<A>, can_crash: bool) -> [Vec<Local<A::Timer, A::Random>>; LOCAL_KINDS]
where
    A: Actor<Timer: Ord>,
{
    let index = situation.index;
    let mut timers: Vec<&A::Timer> = situation.timers.iter().collect();
    timers.sort_unstable();
    let timeouts = timers.into_iter().map(|timer| Local::Timeout(index, timer.clone())).collect();
    let crashes = if can_crash && !situation.is_crashed { vec![Local::Crash(index)] } else { Vec::new() };
    let recoveries = if situation.is_crashed { vec![Local::Recover(index)] } else { Vec::new() };
    let of_key = |(key, choices): (&String, &Vec<A::Random>)| {
        let key = key.clone();
        choices.clone().into_iter().map(move |choice| (key.clone(), choice)).collect::<Vec<_>>()
    };
    let mut choices: Vec<(String, A::Random)> = situation.choices.map.iter().flat_map(of_key).collect();
    choices.sort_unstable();
    let choices = choices.into_iter().map(|(key, choice)| Local::Choose(index, key, choice)).collect();
    [timeouts, crashes, recoveries, choices]
}
