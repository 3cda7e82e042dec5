//! Two-phase commit, whose number of states is documented elsewhere.

mod support;

use fencepost_checker::engine::Limits;
use fencepost_checker::verdict::Verdict;
use stateright::{Checker, Model};
use support::two_phase::{TwoPhaseCommit, consistency};
use support::{explore, explore_with};

#[test]
fn given_three_managers_when_explored_should_find_the_documented_288_states() {
    assert_eq!(explore(&TwoPhaseCommit { managers: 3 }).states, 288);
}

#[test]
fn given_five_managers_when_explored_should_find_the_documented_8832_states() {
    assert_eq!(explore(&TwoPhaseCommit { managers: 5 }).states, 8_832);
}

#[test]
fn given_one_to_six_managers_when_explored_should_agree_with_stateright() {
    for managers in 1..=6 {
        let model = TwoPhaseCommit { managers };
        let reference = model.clone().checker().spawn_dfs().join();
        let exploration = explore(&model);
        assert_eq!(exploration.states, reference.unique_state_count() as u64, "{managers} managers");
        // Stateright counts the initial state among the generated ones.
        assert_eq!(exploration.transitions + 1, reference.state_count() as u64, "{managers} managers");
        assert_eq!(exploration.states, exploration.states_per_level.iter().sum::<u64>());
    }
}

#[test]
fn given_the_protocol_when_judged_should_hold_exhaustively_and_be_exercised() {
    let exploration = explore_with(&TwoPhaseCommit { managers: 3 }, &[consistency()], &[], &Limits::default(), 1);
    assert_eq!(Verdict::of_all(&exploration, 1), [Verdict::HoldsExhaustive]);
    let witness = exploration.findings[0].witness.as_ref().expect("a manager decides");
    assert_eq!(witness.actions.len(), 1, "a manager can give up at once");
}

#[test]
fn given_terms_when_counted_should_count_each_at_most_once_a_transition() {
    let exploration = explore(&TwoPhaseCommit { managers: 3 });
    let actions: u64 = exploration.term_counts[..6].iter().sum();
    assert_eq!(actions, exploration.transitions);
    assert!(exploration.term_counts[6] < exploration.transitions, "some transitions change nothing");
    assert!(exploration.term_counts.iter().all(|count| *count > 0));
}
