//! Explorations that end early, and what is still reported.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::Transition;
use fencepost_checker::engine::{Limits, Stop};
use fencepost_checker::memory::resident_bytes;
use fencepost_checker::named::Named;
use fencepost_checker::verdict::Verdict;
use stateright::Model;
use support::two_phase::{TwoPhaseCommit, consistency};
use support::{Graph, arc, explore, explore_with};

const MODEL: TwoPhaseCommit = TwoPhaseCommit { managers: 3 };

fn stop_and_states(limits: &Limits) -> (Option<Stop>, u64) {
    let exploration = explore_with(&MODEL, &[], &[], limits, 2);
    assert_eq!(exploration.states, exploration.states_per_level.iter().sum::<u64>());
    assert_eq!(exploration.depth as usize + 1, exploration.states_per_level.len());
    (exploration.stopped, exploration.states)
}

#[test]
fn given_a_limit_of_states_when_explored_should_stop_at_exactly_that_many() {
    for most in [1, 7, 100, 287] {
        let limits = Limits { max_states: Some(most), ..Limits::default() };
        assert_eq!(stop_and_states(&limits), (Some(Stop::States), most));
    }
}

#[test]
fn given_a_limit_that_all_states_fit_in_when_explored_should_not_stop() {
    let limits = Limits { max_states: Some(288), ..Limits::default() };
    assert_eq!(stop_and_states(&limits), (None, 288));
}

#[test]
fn given_a_limit_of_states_when_reached_should_count_the_transitions_before_the_first_state_too_many() {
    // From 0: to 1 (new), to 0 (known), to 2 (one too many), to 1 (not executed any more).
    let arcs = vec![arc(0, 1, 0), arc(0, 0, 0), arc(0, 2, 0), arc(0, 1, 0)];
    let graph = Graph { initial: vec![0], arcs, fair: vec![true] };
    let limits = Limits { max_states: Some(2), ..Limits::default() };
    let exploration = explore_with(&graph, &[], &[], &limits, 1);
    assert_eq!((exploration.states, exploration.transitions), (2, 2));
    assert_eq!(exploration.term_counts, [2]);
    assert_eq!(exploration.states_per_level, [1, 1]);
}

#[test]
fn given_more_initial_states_than_allowed_when_explored_should_stop_before_the_first_step() {
    let graph = Graph { initial: vec![3, 3, 4, 5], arcs: vec![arc(3, 4, 0)], fair: vec![true] };
    let limits = Limits { max_states: Some(2), ..Limits::default() };
    let exploration = explore_with(&graph, &[], &[], &limits, 1);
    assert_eq!((exploration.stopped, exploration.states, exploration.transitions), (Some(Stop::States), 2, 0));
    assert_eq!(explore(&graph).states, 3, "equal initial states are one");
}

#[test]
fn given_a_limit_of_depth_when_explored_should_hold_up_to_that_depth() {
    let full = explore(&MODEL);
    let limits = Limits { max_depth: Some(4), ..Limits::default() };
    let exploration = explore_with(&MODEL, &[consistency()], &[], &limits, 1);
    assert_eq!(exploration.stopped, Some(Stop::Depth));
    assert_eq!(exploration.states_per_level, full.states_per_level[..5]);
    assert_eq!(Verdict::of_all(&exploration, 1), [Verdict::HoldsUpToDepth(4)]);
}

#[test]
fn given_a_depth_beyond_the_last_level_when_explored_should_be_exhaustive() {
    let limits = Limits { max_depth: Some(explore(&MODEL).depth + 1), ..Limits::default() };
    assert_eq!(stop_and_states(&limits), (None, 288));
}

#[test]
fn given_an_interrupt_when_explored_should_report_the_initial_state_only() {
    let limits = Limits { interrupt: Arc::new(AtomicBool::new(true)), ..Limits::default() };
    assert_eq!(stop_and_states(&limits), (Some(Stop::Interrupted), 1));
}

#[test]
fn given_no_time_when_explored_should_stop_for_time() {
    let limits = Limits { max_time: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(stop_and_states(&limits).0, Some(Stop::Time));
}

#[test]
fn given_too_little_memory_when_explored_should_stop_for_memory() {
    if resident_bytes().is_some() {
        let limits = Limits { max_memory_bytes: Some(1), ..Limits::default() };
        assert_eq!(stop_and_states(&limits).0, Some(Stop::Memory));
    }
}

#[test]
fn given_a_breach_before_the_stop_when_concluded_should_be_violated() {
    let clause =
        Clause::on_state("no-step", |_: &Transition<'_, TwoPhaseCommit>| Judgement::Broken("a step".to_owned()));
    let limits = Limits { max_depth: Some(1), ..Limits::default() };
    let exploration = explore_with(&MODEL, &[clause], &[], &limits, 1);
    assert_eq!(Verdict::of_all(&exploration, 1), [Verdict::Violated]);
    assert_eq!(exploration.findings[0].exercised, exploration.transitions);
}

/// Counts without end, by one or by two, within a boundary; steps to multiples of ten are impossible.
struct Bounded;

impl Model for Bounded {
    type State = u32;
    type Action = u32;

    fn init_states(&self) -> Vec<u32> {
        vec![99, 1]
    }

    fn actions(&self, _state: &u32, actions: &mut Vec<u32>) {
        actions.extend([1, 2]);
    }

    fn next_state(&self, state: &u32, by: u32) -> Option<u32> {
        Some(state + by).filter(|state| state % 10 != 0)
    }

    fn within_boundary(&self, state: &u32) -> bool {
        *state < 15
    }
}

#[test]
fn given_a_boundary_when_explored_should_not_execute_what_leads_outside() {
    let model = Named::from_debug(Bounded, ["1", "2"]);
    let exploration = explore(&model);
    // 1 to 14 without 10. Impossible are 9+1 and 8+2, outside are 13+2, 14+1 and 14+2.
    assert_eq!((exploration.states, exploration.transitions), (13, 26 - 5));
    assert_eq!(exploration.term_counts, [11, 10, 0]);
    assert_eq!(exploration.furthest.2.expect("the start").initial, 1, "initial states keep their index in the model");
}
