//! The same results for every number of threads.

mod support;

use std::hash::{Hash, Hasher};

use fencepost_checker::clause::{Clause, Judgement, LivenessClause};
use fencepost_checker::describe::{Described, Transition};
use fencepost_checker::engine::{Exploration, Limits};
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use stateright::Model;
use support::two_phase::{Phase, TwoPhaseCommit, consistency};
use support::{explore, explore_with};

/// Everything that an exploration tells, as text.
fn text<M>(exploration: &Exploration<M, Unguided>) -> String
where
    M: Described<State: std::fmt::Debug, Action: std::fmt::Debug>,
{
    format!(
        "{:?}",
        (
            (exploration.states, exploration.transitions, exploration.depth, &exploration.states_per_level),
            (exploration.stopped, &exploration.term_counts, &exploration.findings),
            (&exploration.finished, exploration.finished_states, &exploration.furthest),
        )
    )
}

fn never_committed_by_all() -> Clause<TwoPhaseCommit> {
    Clause::on_state("never-committed-by-all", |transition: &Transition<'_, TwoPhaseCommit>| {
        if transition.after.managers.iter().all(|phase| *phase == Phase::Committed) {
            Judgement::Broken(format!("by {:?}", transition.action))
        } else {
            Judgement::Upheld
        }
    })
}

fn all_decide() -> LivenessClause<TwoPhaseCommit> {
    LivenessClause::new("all-decide", 5, "a manager waits for ever", |state: &support::two_phase::State, k| {
        matches!(state.managers.get(k), Some(Phase::Undecided | Phase::Prepared))
    })
}

#[test]
fn given_one_two_and_four_threads_when_explored_should_give_identical_results() {
    let clauses = [consistency(), never_committed_by_all()];
    let texts = [1, 2, 4, 7].map(|threads| {
        let model = TwoPhaseCommit { managers: 5 };
        text(&explore_with(&model, &clauses, &[all_decide()], &Limits::default(), threads))
    });
    assert!(texts[0].contains("by ObeyCommit"), "the clause is broken: {}", texts[0]);
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
}

#[test]
fn given_any_limit_of_states_when_explored_should_stop_alike_for_all_numbers_of_threads() {
    let clauses = [consistency(), never_committed_by_all()];
    for most in [1, 2, 100, 4_000, 8_831] {
        let limits = Limits { max_states: Some(most), ..Limits::default() };
        let texts = [1, 2, 4].map(|threads| {
            let model = TwoPhaseCommit { managers: 5 };
            text(&explore_with(&model, &clauses, &[all_decide()], &limits, threads))
        });
        assert!(texts.iter().all(|text| *text == texts[0]), "{most} states: {texts:#?}");
    }
}

/// Numbers that all have the same hash.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Colliding(u16);

impl Hash for Colliding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(7);
    }
}

struct Colliders;

impl Model for Colliders {
    type State = Colliding;
    type Action = u16;

    fn init_states(&self) -> Vec<Colliding> {
        vec![Colliding(0)]
    }

    fn actions(&self, _state: &Colliding, actions: &mut Vec<u16>) {
        actions.extend([1, 10]);
    }

    fn next_state(&self, state: &Colliding, action: u16) -> Option<Colliding> {
        Some(Colliding((state.0 + action) % 300))
    }
}

#[test]
fn given_states_that_all_share_one_hash_when_explored_should_tell_them_apart_by_equality() {
    assert_eq!(explore(&Named::from_debug(Colliders, ["1", "10"])).states, 300);
}
