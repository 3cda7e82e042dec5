//! Random clauses and guides for random actor models.

// Every test file that compiles this module uses a part of it.
#![allow(dead_code)]

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_checker::actor_system::{ActorStep, acting};
use fencepost_checker::clause::{Clause, Judgement, LivenessClause};
use fencepost_checker::describe::Transition;
use fencepost_checker::guide::Guide;
use proptest::prelude::*;
use stateright::Model;
use stateright::actor::{ActorModelAction, Id};

use crate::marks::Marked as System;

type State = <System as Model>::State;
type Step<'a> = ActorStep<'a, System>;

/// A number for any value, the same in every run.
fn code(value: impl Hash) -> usize {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() as usize
}

/// Judgements by random table.
#[derive(Clone, Debug)]
pub struct Verdicts(Vec<u8>);

impl Verdicts {
    /// Judges a value.
    fn of(&self, value: impl Hash + Debug) -> Judgement {
        match self.0[code(&value) % self.0.len()] {
            0 => Judgement::Silent,
            1 => Judgement::Upheld,
            _ => Judgement::Broken(format!("because of {value:?}")),
        }
    }
}

/// Everything that makes the clauses and the guides.
#[derive(Clone, Debug)]
pub struct Judges {
    /// One for each safety clause.
    tables: Vec<Verdicts>,
    /// The actor that some clauses look at.
    actor: usize,
    modulus: u8,
    /// How many steps of eight a guide refuses.
    refusals: usize,
    /// Whether guides stop when they are finished.
    pub stops: bool,
}

/// The safety clauses.
pub const SAFETY: [&str; 9] = [
    "history",
    "one actor",
    "other actor",
    "step alone",
    "facts",
    "step and one actor",
    "step and sometimes another",
    "state",
    "network",
];

/// Any clauses and guides.
pub fn judges() -> impl Strategy<Value = Judges> {
    let verdict = prop_oneof![6 => Just(0_u8), 6 => Just(1_u8), 1 => Just(2_u8)];
    let tables = prop::collection::vec(prop::collection::vec(verdict, 1..24).prop_map(Verdicts), SAFETY.len());
    (tables, 0..4_usize, 2..6_u8, 0..4_usize, any::<bool>())
        .prop_map(|(tables, actor, modulus, refusals, stops)| Judges { tables, actor, modulus, refusals, stops })
}

/// What a step is to the actor that acts.
fn inner(step: &Step<'_>) -> impl Hash + Debug + use<> {
    let states = step.acting().map(|index| (*step.before(index), *step.after(index)));
    (step.action().clone(), states, step.history_before().0, step.history_after().0)
}

impl Judges {
    /// Clauses of all kinds about a system of so many actors.
    pub fn clauses(&self, actors: usize) -> Vec<Clause<System>> {
        let (one, other) = (self.actor % actors, (self.actor + 1) % actors);
        let [history, first, second, alone, marked, fixed, curious, whole, size] =
            <[Verdicts; SAFETY.len()]>::try_from(self.tables.clone()).expect("a table for each clause");
        vec![
            Clause::on_history("history", move |at: &crate::model::RandomHistory| history.of(at.0)),
            Clause::on_actor("one actor", one, move |state: &u8| first.of(state)),
            Clause::on_actor("other actor", other, move |state: &u8| second.of(state)),
            Clause::on_step("step alone", move |step: &Step<'_>| alone.of(inner(step))),
            Clause::on_step("facts", move |step: &Step<'_>| marked.of(step.facts())),
            Clause::on_step("step and one actor", move |step: &Step<'_>| {
                fixed.of((*step.before(one), *step.after(one), step.history_after().0))
            }),
            Clause::on_step("step and sometimes another", move |step: &Step<'_>| {
                let looks = step.acting().is_none_or(|index| *step.after(index) % 2 == 1);
                let neighbour = step.acting().map_or(other, |index| (index + 1) % actors);
                curious.of((inner(step), looks.then(|| *step.before(neighbour))))
            }),
            Clause::on_state("state", move |transition: &Transition<'_, System>| {
                let states: Vec<u8> = transition.after.actor_states.iter().map(|state| **state).collect();
                whole.of((states, transition.after.crashed.clone(), transition.after.actor_storages.clone()))
            }),
            Clause::on_state("network", move |transition: &Transition<'_, System>| {
                size.of((transition.before.network.len(), transition.after.network.len()))
            }),
        ]
    }

    /// Liveness clauses with two obligations each.
    pub fn liveness(&self, actors: usize) -> Vec<LivenessClause<System>> {
        let first = self.actor;
        let odd = move |state: &State, k: usize| *state.actor_states[(first + k) % actors] % 2 == 1;
        let full = |state: &State, k: usize| state.network.len() > k && !state.crashed.contains(&true);
        vec![
            LivenessClause::new("even at last", 2, "an actor stays odd", odd),
            LivenessClause::new("empty at last", 2, "messages stay", full),
        ]
    }

    /// A guide that looks at steps only.
    pub fn step_guide(&self) -> StepGuide {
        StepGuide { rules: self.clone(), refused: AtomicU64::new(0) }
    }

    /// A guide that looks at whole states.
    pub fn state_guide(&self) -> StateGuide {
        StateGuide { rules: self.clone(), refused: AtomicU64::new(0) }
    }

    fn refuses(&self, value: impl Hash) -> bool {
        code(value) % 8 < self.refusals
    }
}

/// Counts deliveries to the first actor, and odd facts twice; refuses some steps.
pub struct StepGuide {
    rules: Judges,
    /// How many steps it refused.
    pub refused: AtomicU64,
}

impl Guide<System> for StepGuide {
    type State = u8;

    fn start(&self) -> u8 {
        0
    }

    fn next(&self, at: &u8, transition: &Transition<'_, System>) -> Option<u8> {
        let Transition { before, action, after, facts } = transition;
        let state = acting(action).map(|index| *after.actor_states[index]);
        if self.rules.refuses((at, action, state, before.history.0)) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let counts = matches!(action, ActorModelAction::Deliver { dst, .. } if *dst == Id::from(0));
        let odd = facts.iter().filter(|mark| mark.0 % 2 == 1).count() as u8;
        Some((at + u8::from(counts) + 2 * odd) % self.rules.modulus)
    }

    fn progress(&self, at: &u8) -> usize {
        usize::from(*at)
    }

    fn is_finished(&self, at: &u8) -> bool {
        at + 1 == self.rules.modulus
    }

    fn reads_steps_only(&self) -> bool {
        true
    }

    fn stops_when_finished(&self) -> bool {
        self.rules.stops
    }
}

/// Adds the envelopes and timers up; refuses some steps by the states of all actors.
pub struct StateGuide {
    rules: Judges,
    /// How many steps it refused.
    pub refused: AtomicU64,
}

impl Guide<System> for StateGuide {
    type State = (u8, bool);

    fn start(&self) -> (u8, bool) {
        (0, false)
    }

    fn next(&self, at: &(u8, bool), transition: &Transition<'_, System>) -> Option<(u8, bool)> {
        let Transition { before, action, after, .. } = transition;
        if self.rules.refuses((at, action, &before.actor_states, after.network.len())) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let timers: usize = after.timers_set.iter().map(|timers| timers.iter().count()).sum();
        let sum = (usize::from(at.0) + after.network.len() + timers) % usize::from(self.rules.modulus);
        Some((sum as u8, after.crashed.contains(&true)))
    }

    fn progress(&self, at: &(u8, bool)) -> usize {
        usize::from(at.0)
    }

    fn is_finished(&self, at: &(u8, bool)) -> bool {
        at.0 + 1 == self.rules.modulus && !at.1
    }

    fn stops_when_finished(&self) -> bool {
        self.rules.stops
    }
}
