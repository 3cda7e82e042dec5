//! What is compared with what.

use clap::ValueEnum;

use crate::contestant::Contestant;
use crate::engine::{EngineName, Goal};
use crate::subject::{Scale, Subject};

/// A table of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GroupName {
    /// A view of the Iggy models: what the product explores
    Iggy,
    /// The core with its fences: all engines
    Core,
    /// The core at growing sizes
    Growth,
    /// The core without its fences, up to the first counterexample
    FirstBreach,
    /// Paxos with a history of what clients saw
    Paxos,
    /// Two-phase commit as a plain model
    TwoPhase,
    /// Two-phase commit as actors
    TwoPhaseActors,
}

/// The engine that the others are compared with, on one thread: what a user of Stateright would take for shortest
/// stories.
pub const REFERENCE: EngineName = EngineName::StaterightBfs;

/// Engines that explore our own Rust models.
const OURS: [EngineName; 4] =
    [EngineName::Plain, EngineName::Compiled, EngineName::StaterightBfs, EngineName::StaterightDfs];

impl GroupName {
    /// Its heading in the report.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Iggy => "A view of the Iggy models",
            Self::Core => "The core of the fencing contract",
            Self::Growth => "The core as it grows",
            Self::FirstBreach => "Time to the first counterexample",
            Self::Paxos => "Paxos with a tester of linearizability",
            Self::TwoPhase => "Two-phase commit as a plain model",
            Self::TwoPhaseActors => "Two-phase commit as actors",
        }
    }

    /// What a reader must know before looking at the numbers.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Core => {
                "Poll, purge and commit with both fences, two consumers. All tools explore the same \
                 transition system: the numbers of states are equal. Languages, representations and engines differ at once, so a ratio between tools says something \
                 about this model only."
            }
            Self::Iggy => {
                "A purge with pending polls under the contract iggy-2026-08, with the budgets for continuous integration. Our engines judge all clauses of the \
                 specification and keep witnesses and stories; Stateright is asked for nothing and only explores."
            }
            Self::Growth => "The same with more polls, commits and purges.",
            Self::FirstBreach => {
                "The same without the fences: a foreign bookmark is reachable in a few steps, so mostly the start of \
                 each tool is measured. States are those seen until then."
            }
            Self::Paxos => "Three servers; each client writes and then reads. No other tool has a twin of this model.",
            Self::TwoPhase => "One state machine without actors, which the engine compiled cannot take.",
            Self::TwoPhaseActors => "A coordinator and its managers over a network.",
        }
    }

    /// Everybody who takes part, the reference included.
    pub fn contestants(self, is_quick: bool) -> Vec<Contestant> {
        let scale = if is_quick { Scale::Tiny } else { Scale::Large };
        match self {
            Self::Iggy => race(Subject::Iggy(if is_quick { "join-with-drain" } else { "purge-with-pending-polls" })),
            Self::Core => core(scale),
            Self::Growth => growth(if is_quick { &[Scale::Tiny] } else { &[Scale::Tiny, Scale::Small, Scale::Large] }),
            Self::FirstBreach => first_breach(scale),
            Self::Paxos => race(Subject::Paxos(if is_quick { 2 } else { 3 })),
            Self::TwoPhase => {
                let engines = [EngineName::Plain, EngineName::StaterightBfs, EngineName::StaterightDfs];
                on_one_and_two_threads(Subject::TwoPhase(if is_quick { 5 } else { 8 }), &engines)
            }
            Self::TwoPhaseActors => race(Subject::TwoPhaseActors(if is_quick { 4 } else { 6 })),
        }
    }
}

fn on_one_and_two_threads(subject: Subject, engines: &[EngineName]) -> Vec<Contestant> {
    engines
        .iter()
        .flat_map(|engine| [1, 2].map(|threads| Contestant::new(subject, *engine).with_threads(threads)))
        .collect()
}

/// Our models on the engines that explore them; the fast ones also on two threads.
fn race(subject: Subject) -> Vec<Contestant> {
    let alone = OURS.map(|engine| Contestant::new(subject, engine));
    let fast = [EngineName::Compiled, EngineName::StaterightDfs];
    alone.into_iter().chain(fast.map(|engine| Contestant::new(subject, engine).with_threads(2))).collect()
}

fn core(scale: Scale) -> Vec<Contestant> {
    let subject = Subject::Core(scale, true);
    let mut contestants = race(subject);
    contestants.push(Contestant::new(subject, EngineName::Tlc));
    let spins = [EngineName::Spin, EngineName::SpinBfs, EngineName::SpinCollapse, EngineName::SpinHc4];
    contestants.extend(spins.map(|engine| Contestant::new(subject, engine)));
    contestants
}

fn growth(scales: &[Scale]) -> Vec<Contestant> {
    let engines = OURS.into_iter().chain([EngineName::Tlc, EngineName::Spin, EngineName::SpinBfs]);
    engines
        .flat_map(|engine| scales.iter().map(move |scale| Contestant::new(Subject::Core(*scale, true), engine)))
        .collect()
}

fn first_breach(scale: Scale) -> Vec<Contestant> {
    let subject = Subject::Core(scale, false);
    let engines = OURS.into_iter().chain([EngineName::Tlc, EngineName::Spin, EngineName::SpinBfs]);
    engines.map(|engine| Contestant::new(subject, engine).with_goal(Goal::FirstBreach)).collect()
}
