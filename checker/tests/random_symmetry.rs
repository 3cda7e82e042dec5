//! A reduced exploration tells of random models with interchangeable members what a full one tells: the same verdicts, stories as
//! short, and one state an orbit.

#[path = "support/random_members.rs"]
mod members;

use std::collections::HashSet;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::compiled::{Compiled, Reduced};
use fencepost_checker::describe::Transition;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Stop, Task, Trace};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use fencepost_checker::story::replay;
use fencepost_checker::symmetry::{Asymmetric, Symmetry, broken_law, renamed};
use fencepost_checker::verdict::Verdict;
use members::{Model, Recipe, clauses, recipes};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use stateright::Model as _;

/// Most states of a model that is compared.
const MOST_STATES: u64 = 3_000;

type State = <Model as stateright::Model>::State;
type Action = <Model as stateright::Model>::Action;

fn with_task<T>(
    model: &Model,
    limits: &Limits,
    threads: usize,
    explore: impl FnOnce(&Task<'_, Model, Unguided>) -> T,
) -> T {
    let clauses = clauses();
    let (guide, progress) = (&Unguided, &Quiet);
    explore(&Task { model, guide, clauses: &clauses, liveness: &[], limits, threads, progress })
}

fn full(model: &Model, limits: &Limits) -> Exploration<Model, Unguided> {
    with_task(model, limits, 1, |task| Plain.explore(task))
}

fn reduced(model: &Model, symmetry: &dyn Symmetry<Model>, limits: &Limits, threads: usize) -> Reduced<Model> {
    with_task(model, limits, threads, |task| Compiled { is_unbounded: threads != 2 }.explore_reduced(task, symmetry))
}

/// All states by level, found without any engine.
fn levels(model: &Model) -> Vec<Vec<State>> {
    let mut levels = vec![model.init_states()];
    let mut known: HashSet<State> = levels[0].iter().cloned().collect();
    while let Some(level) = levels.last().filter(|level| !level.is_empty()) {
        let mut next = Vec::new();
        for state in level {
            let mut actions = Vec::new();
            model.actions(state, &mut actions);
            let after = actions.into_iter().filter_map(|action| model.next_state(state, action));
            next.extend(after.filter(|after| known.insert(after.clone())));
        }
        levels.push(next);
    }
    levels.pop();
    levels
}

/// How many orbits come into sight at each level.
fn orbits(symmetry: &dyn Symmetry<Model>, levels: &[Vec<State>]) -> Vec<u64> {
    let (permutations, mut seen) = (symmetry.permutations(), HashSet::new());
    let mut orbits: Vec<u64> = Vec::new();
    for level in levels {
        let mut new = 0;
        for state in level {
            if !seen.contains(state) {
                new += 1;
                seen.extend(permutations.iter().map(|permutation| renamed(symmetry, permutation, state)));
            }
        }
        orbits.push(new);
    }
    // If the initial state is not symmetric, the states of an orbit need not be of the same level, and the last levels may bring none.
    orbits.truncate(orbits.iter().rposition(|new| *new > 0).map_or(0, |last| last + 1));
    orbits
}

/// What must be the same, reduced or not: of each clause the verdict, and the lengths of the shortest breach and witness.
fn essence(told: &Exploration<Model, Unguided>) -> Vec<(Verdict, Option<usize>, Option<usize>)> {
    let length = |trace: &Trace<Action>| trace.actions.len();
    let findings = told.findings.iter().zip(Verdict::of_all(told, told.findings.len()));
    let essence = findings.map(|(finding, verdict)| {
        let breach = finding.broken.as_ref().map(|breach| length(&breach.trace));
        (verdict, breach, finding.witness.as_ref().map(length))
    });
    essence.collect()
}

/// What the last step of a trace is to a clause, if the model can take all of its steps.
fn last_judgement(model: &Model, clause: &Clause<Model>, trace: &Trace<Action>) -> Result<Judgement, String> {
    let states = replay(model, trace).map_err(|error| error.to_string())?;
    let [.., before, after] = &states[..] else { return Err("no step".to_owned()) };
    let action = trace.actions.last().ok_or("no action")?;
    Ok(clause.judge(&Transition { before, action, after, facts: &() }))
}

/// Demands that all stories are executions of the model that end as they say.
fn demand_true_stories(model: &Model, told: &Exploration<Model, Unguided>) -> Result<(), String> {
    for (clause, finding) in clauses().iter().zip(&told.findings) {
        if let Some(breach) = &finding.broken {
            let judgement = last_judgement(model, clause, &breach.trace)?;
            if judgement != Judgement::Broken(breach.reason.clone()) {
                return Err(format!("{}: the story ends with {judgement:?}", clause.name));
            }
        }
        if let Some(witness) = &finding.witness {
            let judgement = last_judgement(model, clause, witness)?;
            if judgement != Judgement::Upheld {
                return Err(format!("{}: the witness ends with {judgement:?}", clause.name));
            }
        }
    }
    Ok(())
}

/// Everything that an exploration tells, as text.
fn text(told: &Exploration<Model, Unguided>) -> String {
    let Exploration { states, transitions, states_per_level, stopped, term_counts, findings, .. } = told;
    format!("{:#?}", (states, transitions, states_per_level, stopped, term_counts, findings))
}

/// Compares explorations of a model, reduced and not; how many states it has, and how many of them are kept; nothing, if it is too large.
fn compare(recipe: &Recipe) -> Result<Option<(u64, u64)>, String> {
    let (model, symmetry) = (recipe.model(), recipe.members());
    let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
    let expected = full(&model, &limits);
    if expected.stopped.is_some() {
        return Ok(None);
    }
    let orbits = orbits(&symmetry, &levels(&model));
    let mut first: Option<String> = None;
    for threads in [1, 2, 4] {
        let found = reduced(&model, &symmetry, &Limits::default(), threads).exploration;
        if found.states_per_level != orbits {
            return Err(format!("levels of {:?} states, but of {orbits:?} orbits", found.states_per_level));
        }
        if essence(&found) != essence(&expected) {
            return Err(format!("expected {:#?}\nfound {:#?}", essence(&expected), essence(&found)));
        }
        demand_true_stories(&model, &found)?;
        let text = text(&found);
        if *first.get_or_insert_with(|| text.clone()) != text {
            return Err(format!("{threads} threads tell something else"));
        }
    }
    Ok(Some((expected.states, orbits.iter().sum())))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn given_any_interchangeable_members_when_reduced_should_be_told_the_same_verdicts(recipe in recipes()) {
        compare(&recipe).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn given_any_interchangeable_members_when_renamed_should_keep_all_laws(recipe in recipes(), picks in prop::collection::vec(0..9_999_usize, 40)) {
        let (model, symmetry, clauses) = (recipe.model(), recipe.members(), clauses());
        let mut state = model.init_states().remove(0);
        for pick in picks {
            let broken = broken_law(&model, &symmetry, &clauses, &state);
            prop_assert!(broken.is_none(), "{}", broken.unwrap_or_default());
            let mut actions = Vec::new();
            model.actions(&state, &mut actions);
            let taken = (!actions.is_empty()).then(|| actions.swap_remove(pick % actions.len()));
            match taken.and_then(|action| model.next_state(&state, action)) {
                Some(after) => state = after,
                None => break,
            }
        }
    }

    #[test]
    fn given_a_limit_of_states_when_reduced_should_tell_the_same_with_any_number_of_threads(recipe in recipes(), most in 1..400_u64) {
        let (model, symmetry) = (recipe.model(), recipe.members());
        let limits = Limits { max_states: Some(most), ..Limits::default() };
        let told = [1, 2, 4].map(|threads| reduced(&model, &symmetry, &limits, threads).exploration);
        prop_assert!(told[0].states <= most && told[0].stopped.is_none_or(|stop| stop == Stop::States));
        prop_assert_eq!(text(&told[0]), text(&told[1]));
        prop_assert_eq!(text(&told[0]), text(&told[2]));
        demand_true_stories(&model, &told[0]).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn given_nobody_who_can_change_places_when_reduced_should_be_the_full_exploration(recipe in recipes()) {
        let (model, limits) = (recipe.model(), Limits { max_states: Some(500), ..Limits::default() });
        let actors = model.inner().actors.len();
        let found = reduced(&model, &Asymmetric { actors }, &limits, 2);
        prop_assert_eq!(found.permutations, 1);
        prop_assert_eq!(text(&found.exploration), text(&full(&model, &limits)));
    }
}

#[test]
fn given_a_sample_of_models_when_reduced_should_save_much_and_break_clauses_often() {
    let (mut runner, recipes) = (TestRunner::deterministic(), recipes());
    let (mut compared, mut states, mut kept, mut quartered) = (0, 0, 0, 0);
    for _ in 0..200 {
        let recipe = recipes.new_tree(&mut runner).expect("nothing is filtered").current();
        if let Some((all, orbits)) = compare(&recipe).expect("the same verdicts") {
            compared += 1;
            states += all;
            kept += orbits;
            quartered += u64::from(all > 100 && orbits * 4 < all);
        }
    }
    println!("{compared} models compared, {kept} of {states} states kept; of {quartered} models less than a quarter");
    assert!(compared > 100 && kept * 2 < states && quartered > 5);
}

#[test]
fn given_a_sample_of_models_when_explored_should_exercise_and_break_every_clause_many_times() {
    let (mut runner, recipes) = (TestRunner::deterministic(), recipes());
    let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
    let mut counts = vec![[0; 2]; clauses().len()];
    for _ in 0..200 {
        let recipe = recipes.new_tree(&mut runner).expect("nothing is filtered").current();
        let told = full(&recipe.model(), &limits);
        for (count, finding) in counts.iter_mut().zip(&told.findings) {
            count[0] += u32::from(finding.witness.is_some());
            count[1] += u32::from(finding.broken.is_some());
        }
    }
    println!("{counts:?}");
    assert!(counts.iter().flatten().all(|count| *count > 10), "{counts:?}");
}
