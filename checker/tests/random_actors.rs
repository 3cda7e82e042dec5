//! The compiled engine and the referee tell the same about random actor models, in everything that they tell.

#[path = "support/random_coverage.rs"]
mod coverage;
#[path = "support/hand_made_actors.rs"]
mod hand_made;
#[path = "support/random_judges.rs"]
mod judges;
#[path = "support/random_marks.rs"]
mod marks;
#[path = "support/random_actors.rs"]
mod model;
#[path = "support/same_answers.rs"]
mod same;

use std::sync::atomic::Ordering;

use coverage::Coverage;
use fencepost_checker::engine::{Limits, Stop};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use judges::{Judges, judges};
use marks::Marked;
use model::{Recipe, recipes};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use same::Question;

/// When an exploration ends: by states, and sometimes by depth.
fn limits() -> impl Strategy<Value = Limits> {
    let states = prop_oneof![1 => 0..20_u64, 6 => 20..300_u64, 3 => 300..1_500_u64, 1 => 1_500..3_000_u64];
    let depths = prop::option::weighted(0.3, 0..8_u32);
    (states, depths).prop_map(|(states, max_depth)| Limits { max_states: Some(states), max_depth, ..Limits::default() })
}

fn questions() -> impl Strategy<Value = (Recipe, Judges, Limits)> {
    (recipes(), judges(), limits())
}

/// Asks both engines about a system with clauses of all kinds.
fn with_clauses<T>(
    recipe: &Recipe,
    judges: &Judges,
    limits: &Limits,
    ask: impl FnOnce(&Question<'_, Marked>) -> T,
) -> T {
    let (system, actors) = (Marked(recipe.named()), recipe.tables.len());
    let (clauses, liveness) = (judges.clauses(actors), judges.liveness(actors));
    let is_unbounded = recipe.rules.is_unbounded;
    ask(&Question { system: &system, clauses: &clauses, liveness: &liveness, limits, is_unbounded })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn given_any_actors_when_explored_should_be_told_alike((recipe, _, limits) in questions()) {
        let (system, is_unbounded) = (recipe.named(), recipe.rules.is_unbounded);
        let question = Question { system: &system, clauses: &[], liveness: &[], limits: &limits, is_unbounded };
        question.compare(&Unguided).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn given_any_actors_and_clauses_when_judged_should_be_told_alike((recipe, judges, limits) in questions()) {
        with_clauses(&recipe, &judges, &limits, |question| question.compare(&Unguided)).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn given_a_guide_that_reads_steps_when_guided_should_be_told_alike((recipe, judges, limits) in questions()) {
        let compare = |question: &Question<'_, Marked>| question.compare(&judges.step_guide());
        with_clauses(&recipe, &judges, &limits, compare).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn given_a_guide_that_reads_states_when_guided_should_be_told_alike((recipe, judges, limits) in questions()) {
        let compare = |question: &Question<'_, Marked>| question.compare(&judges.state_guide());
        with_clauses(&recipe, &judges, &limits, compare).map_err(TestCaseError::fail)?;
    }
}

/// A fixed sample of what the properties above are tried on.
fn sample(size: usize) -> Vec<(Recipe, Judges, Limits)> {
    let (mut runner, questions) = (TestRunner::deterministic(), questions());
    (0..size).map(|_| questions.new_tree(&mut runner).expect("nothing is filtered").current()).collect()
}

#[test]
fn given_a_sample_of_actors_when_walked_should_exercise_everything_many_times() {
    let mut coverage = Coverage::default();
    for (recipe, ..) in sample(400) {
        coverage.walk(&recipe, 200);
    }
    println!("{coverage:#?}");
    for wires in ["Duplicating", "NonDuplicating", "Ordered"] {
        assert!(coverage.of(wires) > 50, "{wires}");
        for kind in ["deliver", "lose", "time out", "crash", "recover", "choose"] {
            assert!(coverage.of(&format!("{wires}: {kind}")) > 100, "{wires}: {kind}");
        }
    }
    let others = [
        "delivery to the crashed",
        "delivery without effect",
        "time-out without effect",
        "refused by the boundary",
        "equal but owned",
        "history changed by in",
        "history kept by in",
        "history left alone by in",
        "history changed by out",
        "recovered with storage",
        "timer set again",
        "the same choice twice",
        "sent to nobody",
        "lost on the way to nobody",
    ];
    for what in others {
        assert!(coverage.of(what) > 100, "{what}");
    }
    assert!(coverage.of("start out of the boundary") > 5);
}

#[test]
fn given_large_systems_when_judged_and_guided_should_be_told_alike() {
    let limits = Limits { max_states: Some(20_000), ..Limits::default() };
    let mut large = 0;
    for (recipe, judges, _) in sample(40) {
        with_clauses(&recipe, &judges, &limits, |question| {
            if question.ask(&Plain, &judges.step_guide(), 1).stopped.is_some() && large < 6 {
                large += 1;
                question.told(&Unguided);
                question.told(&judges.step_guide());
                question.told(&judges.state_guide());
            }
        });
    }
    assert_eq!(large, 6);
}

/// Counts what an exploration told.
fn count_told(coverage: &mut Coverage, question: &Question<'_, Marked>) {
    let told = question.ask(&Plain, &Unguided, 1);
    coverage.count(format!("stopped: {:?}", told.stopped));
    if told.states_per_level.iter().any(|level| *level > 512) {
        coverage.count("a level of several runs");
    }
    for finding in &told.findings {
        if finding.witness.is_some() {
            coverage.count(format!("witness: {}", finding.clause));
        }
        let Some(breach) = &finding.broken else { continue };
        coverage.count(format!("breach: {}", finding.clause));
        match breach.trace.loop_start {
            None if breach.trace.actions.len() > 2 => coverage.count("long breach"),
            None => coverage.count("short breach"),
            Some(start) if start == breach.trace.actions.len() => coverage.count("lasso at rest"),
            Some(_) => coverage.count("lasso with a loop"),
        }
    }
}

/// Counts what guided explorations told.
fn count_guided(coverage: &mut Coverage, judges: &Judges, question: &Question<'_, Marked>) {
    let (steps, states) = (judges.step_guide(), judges.state_guide());
    let (of_steps, of_states) = (question.ask(&Plain, &steps, 1), question.ask(&Plain, &states, 1));
    for (name, is_refused, finished) in [
        ("steps", steps.refused.load(Ordering::Relaxed) > 0, of_steps.finished),
        ("states", states.refused.load(Ordering::Relaxed) > 0, of_states.finished),
    ] {
        if is_refused {
            coverage.count(format!("refused by a guide of {name}"));
        }
        if finished.is_some() {
            coverage.count(format!("finished a guide of {name}, stops: {}", judges.stops));
        }
    }
}

#[test]
fn given_a_sample_of_actors_when_judged_should_tell_of_everything_many_times() {
    let mut coverage = Coverage::default();
    for (recipe, judges, limits) in sample(400) {
        with_clauses(&recipe, &judges, &limits, |question| {
            count_told(&mut coverage, question);
            count_guided(&mut coverage, &judges, question);
        });
    }
    println!("{coverage:#?}");
    for stopped in [None, Some(Stop::States), Some(Stop::Depth)] {
        assert!(coverage.of(&format!("stopped: {stopped:?}")) > 30, "stopped: {stopped:?}");
    }
    for clause in judges::SAFETY {
        assert!(coverage.of(&format!("witness: {clause}")) > 50, "witness: {clause}");
        assert!(coverage.of(&format!("breach: {clause}")) > 30, "breach: {clause}");
    }
    for guide in ["steps", "states"] {
        assert!(coverage.of(&format!("refused by a guide of {guide}")) > 50, "refused by {guide}");
        for stops in [false, true] {
            assert!(coverage.of(&format!("finished a guide of {guide}, stops: {stops}")) > 30, "finished {guide}");
        }
    }
    for what in ["long breach", "short breach", "lasso at rest", "lasso with a loop", "a level of several runs"] {
        assert!(coverage.of(what) > 10, "{what}");
    }
}
