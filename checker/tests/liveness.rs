//! Liveness under weak fairness on graphs of known answer. Terms: 0 = "a", 1 = "b".

mod support;

use fencepost_checker::clause::LivenessClause;
use fencepost_checker::engine::{Limits, Stop};
use fencepost_checker::story::replay;
use fencepost_checker::verdict::Verdict;
use support::{Arc, Graph, arc, explore_with, judge_liveness};

fn graph(arcs: &[Arc], fair: &[bool]) -> Graph {
    Graph { initial: vec![0], arcs: arcs.to_vec(), fair: fair.to_vec() }
}

/// The states of the lasso in which a state below 9 waits for ever: those before the loop, and those in it.
fn lasso(model: &Graph) -> Option<(Vec<u8>, Vec<u8>)> {
    let exploration = judge_liveness(model, |state| *state < 9);
    let trace = exploration.findings.into_iter().next()?.broken?.trace;
    let states = replay(model, &trace).expect("the lasso replays");
    let start = trace.loop_start.expect("liveness is broken by lassos");
    Some((states[..start].to_vec(), states[start..].to_vec()))
}

#[test]
fn given_a_fair_exit_that_stays_possible_when_judged_should_hold() {
    assert_eq!(lasso(&graph(&[arc(0, 0, 0), arc(0, 9, 1)], &[true, true])), None);
}

#[test]
fn given_an_exit_that_is_not_fair_when_judged_should_find_the_self_loop() {
    let model = graph(&[arc(0, 0, 0), arc(0, 9, 1)], &[true, false]);
    assert_eq!(lasso(&model), Some((vec![], vec![0, 0])));
}

#[test]
fn given_a_fair_exit_that_comes_and_goes_when_judged_should_find_the_cycle() {
    // Weak fairness does not ask for an exit that is possible in 0 only; strong fairness would.
    let model = graph(&[arc(0, 1, 0), arc(1, 0, 0), arc(0, 9, 1)], &[true, true]);
    assert_eq!(lasso(&model), Some((vec![], vec![0, 1, 0])));
}

#[test]
fn given_a_fair_exit_in_every_state_of_a_cycle_when_judged_should_hold() {
    let model = graph(&[arc(0, 1, 0), arc(1, 0, 0), arc(0, 9, 1), arc(1, 9, 1)], &[true, true]);
    assert_eq!(lasso(&model), None);
}

#[test]
fn given_a_fair_action_that_is_taken_elsewhere_in_the_cycle_when_judged_should_find_a_loop_that_takes_it() {
    // "b" is possible everywhere and leads out of 0, but the cycle takes it from 1 to 2: that is fair.
    let arcs = [arc(0, 9, 1), arc(0, 0, 0), arc(0, 1, 0), arc(1, 2, 1), arc(2, 0, 0), arc(2, 9, 1)];
    assert_eq!(lasso(&graph(&arcs, &[true, true])), Some((vec![], vec![0, 1, 2, 0])));
}

#[test]
fn given_a_waiting_state_without_successors_when_judged_should_find_an_empty_loop() {
    let model = graph(&[arc(0, 1, 0), arc(0, 9, 1)], &[true, true]);
    assert_eq!(lasso(&model), Some((vec![0], vec![1])));
}

#[test]
fn given_paths_that_all_reach_the_goal_when_judged_should_hold() {
    let model = graph(&[arc(0, 1, 0), arc(0, 2, 1), arc(1, 9, 0), arc(2, 9, 0)], &[true, true]);
    assert_eq!(lasso(&model), None);
}

#[test]
fn given_a_goal_that_can_be_left_for_a_waiting_cycle_when_judged_should_find_the_stem_through_the_goal() {
    let model = graph(&[arc(0, 9, 0), arc(9, 1, 0), arc(1, 1, 0)], &[true]);
    assert_eq!(lasso(&model), Some((vec![0, 9], vec![1, 1])));
}

#[test]
fn given_two_lassos_when_judged_should_report_the_one_entered_first() {
    let arcs = [arc(0, 1, 0), arc(1, 2, 0), arc(2, 2, 0), arc(0, 3, 0), arc(3, 3, 0)];
    assert_eq!(lasso(&graph(&arcs, &[true])), Some((vec![0], vec![3, 3])));
    let arcs = [arc(0, 3, 0), arc(3, 3, 0), arc(0, 1, 0), arc(1, 2, 0), arc(2, 2, 0)];
    assert_eq!(lasso(&graph(&arcs, &[true])), Some((vec![0], vec![3, 3])), "whichever is completed first");
}

#[test]
fn given_several_obligations_when_judged_should_count_states_where_any_waits_and_find_the_one_that_starves() {
    // Obligation 0 waits in 0 only, obligation 1 in 1 and 2, which form a cycle.
    let model = graph(&[arc(0, 1, 0), arc(1, 2, 0), arc(2, 1, 0)], &[true]);
    let clause =
        LivenessClause::new("served", 2, "starves", |state: &u8, k| if k == 0 { *state == 0 } else { *state > 0 });
    let exploration = explore_with(&model, &[], &[clause], &Limits::default(), 1);
    let finding = &exploration.findings[0];
    assert_eq!(finding.exercised, 3);
    let breach = finding.broken.as_ref().expect("obligation 1 starves");
    assert_eq!((breach.reason.as_str(), breach.trace.loop_start), ("starves", Some(1)));
}

#[test]
fn given_an_obligation_that_moves_on_when_judged_should_hold_though_some_obligation_always_waits() {
    let model = graph(&[arc(0, 1, 0), arc(1, 0, 0)], &[true]);
    let clause = LivenessClause::new("served", 2, "starves", |state: &u8, k| usize::from(*state) == k);
    let exploration = explore_with(&model, &[], &[clause], &Limits::default(), 1);
    assert_eq!(Verdict::of_all(&exploration, 0), [Verdict::HoldsExhaustive]);
}

#[test]
fn given_an_early_stop_when_judged_should_not_judge_liveness() {
    let model = graph(&[arc(0, 0, 0), arc(0, 1, 0), arc(1, 2, 0)], &[true]);
    let clause = LivenessClause::new("goal", 1, "waits", |state: &u8, _| *state < 9);
    let limits = Limits { max_depth: Some(1), ..Limits::default() };
    let exploration = explore_with(&model, &[], &[clause], &limits, 1);
    assert_eq!((exploration.findings[0].exercised, exploration.findings[0].broken.is_some()), (2, false));
    assert_eq!(Verdict::of_all(&exploration, 0), [Verdict::Stopped(Stop::Depth)]);
}

#[test]
fn given_a_long_line_when_judged_should_not_run_out_of_stack() {
    // 256 states are what the graph model can number; the search itself keeps its path on the heap.
    let arcs: Vec<Arc> = (0..255).map(|state| arc(state, state + 1, 0)).collect();
    let exploration = judge_liveness(&graph(&arcs, &[true]), |_| true);
    let breach = exploration.findings[0].broken.as_ref().expect("the line ends");
    assert_eq!(breach.trace.actions.len(), 255);
}
