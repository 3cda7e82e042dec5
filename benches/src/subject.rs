//! What is explored: models with their sizes, and how many states they have.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use fencepost_spec::library::VIEWS;

use crate::core_model::CoreSize;
use crate::failure::Failure;

/// A size of the core that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scale {
    /// Some thousand states: for tests.
    Tiny,
    /// More than a hundred thousand states.
    Small,
    /// More than a million states: the one to compare by.
    Large,
    /// Eleven million states: by hand only.
    Huge,
}

impl Scale {
    /// All of them, smallest first.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Small, Self::Large, Self::Huge];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Small => "small",
            Self::Large => "large",
            Self::Huge => "huge",
        }
    }

    /// The size of the core with this name.
    pub fn size(self, is_fenced: bool) -> CoreSize {
        let (polls, commits, purges) = match self {
            Self::Tiny => (1, 1, 2),
            Self::Small => (2, 1, 1),
            Self::Large => (2, 2, 2),
            Self::Huge => (3, 2, 2),
        };
        CoreSize { consumers: 2, polls, commits, purges, messages: 2, is_fenced }
    }
}

/// A model with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// The core of the fencing contract, with its fences or without.
    Core(Scale, bool),
    /// Paxos with three servers and this many clients.
    Paxos(usize),
    /// Two-phase commit as a plain model, with this many managers.
    TwoPhase(usize),
    /// Two-phase commit as actors, with this many managers.
    TwoPhaseActors(usize),
    /// The view of the Iggy models with this name.
    Iggy(&'static str),
}

impl Subject {
    /// How many distinct states it has, where that is known: found by several engines that agree.
    pub fn known_states(self) -> Option<u64> {
        Some(match self {
            Self::Core(Scale::Tiny, true) => 5_065,
            Self::Core(Scale::Tiny, false) => 6_925,
            Self::Core(Scale::Small, true) => 129_108,
            Self::Core(Scale::Small, false) => 178_184,
            Self::Core(Scale::Large, true) => 1_380_884,
            Self::Core(Scale::Large, false) => 2_813_872,
            Self::Core(Scale::Huge, true) => 11_201_116,
            Self::Paxos(2) => 16_668,
            Self::Paxos(3) => 1_194_428,
            Self::TwoPhase(5) => 8_832,
            Self::TwoPhase(8) => 1_745_408,
            Self::TwoPhaseActors(4) => 10_255,
            Self::TwoPhaseActors(6) => 1_004_095,
            Self::Iggy("join-with-drain") => 84_007,
            Self::Iggy("purge-with-pending-polls") => 1_626_912,
            _ => return None,
        })
    }
}

impl Display for Subject {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(scale, true) => write!(formatter, "core-{}", scale.name()),
            Self::Core(scale, false) => write!(formatter, "core-{}-unfenced", scale.name()),
            Self::Paxos(clients) => write!(formatter, "paxos-{clients}"),
            Self::TwoPhase(managers) => write!(formatter, "two-phase-{managers}"),
            Self::TwoPhaseActors(managers) => write!(formatter, "two-phase-actors-{managers}"),
            Self::Iggy(view) => write!(formatter, "iggy-{view}"),
        }
    }
}

/// Most clients or managers that a name can ask for.
const MOST_PARTICIPANTS: usize = 20;

impl FromStr for Subject {
    type Err = Failure;

    fn from_str(name: &str) -> Result<Self, Failure> {
        let fenced = [true, false];
        let cores = Scale::ALL.into_iter().flat_map(|scale| fenced.map(|is_fenced| Self::Core(scale, is_fenced)));
        let others = (1..=MOST_PARTICIPANTS)
            .flat_map(|number| [Self::Paxos(number), Self::TwoPhase(number), Self::TwoPhaseActors(number)]);
        let views = VIEWS.iter().map(|view| Self::Iggy(view));
        cores.chain(others).chain(views).find(|subject| subject.to_string() == name).ok_or_else(|| {
            Failure::wrong(format!(
                "no model is called {name:?}: there are core-SCALE and core-SCALE-unfenced (tiny, small, large, huge), \
                 paxos-CLIENTS, two-phase-MANAGERS and two-phase-actors-MANAGERS (1 to {MOST_PARTICIPANTS}), and iggy-VIEW"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_name_when_parsed_should_name_the_same_subject() {
        for name in
            ["core-tiny", "core-large-unfenced", "paxos-3", "two-phase-8", "two-phase-actors-6", "iggy-liveness"]
        {
            assert_eq!(name.parse::<Subject>().map(|subject| subject.to_string()), Ok(name.to_owned()));
        }
    }

    #[test]
    fn given_an_unknown_name_when_parsed_should_say_which_names_there_are() {
        let failure = "core-gigantic".parse::<Subject>().unwrap_err();
        assert!(failure.to_string().contains("core-SCALE"), "{failure}");
    }
}
