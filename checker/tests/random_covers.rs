//! The compiled engine and the referee note the same covers of random actor models, and a cover changes no exploration.

#[path = "support/random_judges.rs"]
mod judges;
#[path = "support/random_marks.rs"]
mod marks;
#[path = "support/random_actors.rs"]
mod model;

use std::collections::BTreeSet;

use fencepost_checker::actor_system::ActorSystem;
use fencepost_checker::clause::Clause;
use fencepost_checker::compiled::Compiled;
use fencepost_checker::cover::{Abstraction, Cover, CoveringEngine, ItemKind, abstraction_of};
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::{Guide, Unguided};
use fencepost_checker::plain::Plain;
use judges::{Judges, judges};
use marks::Marked;
use model::{Action, Recipe, recipes};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use stateright::Model;

/// The odd actors' states are told apart by halves, the even ones' by their lowest bit.
struct Coarse;

impl Abstraction<Marked> for Coarse {
    fn actor_class(&self, index: usize, state: &u8) -> u64 {
        u64::from(if index.is_multiple_of(2) { state & 1 } else { state >> 1 })
    }

    fn combine(&self, classes: &[u64]) -> u64 {
        // Not one to one: a different order of the same classes may be the same.
        classes.iter().sum::<u64>() * 10 + classes.first().copied().unwrap_or_default()
    }
}

fn limits() -> impl Strategy<Value = Limits> {
    let states = prop_oneof![1 => 0..20_u64, 6 => 20..300_u64, 3 => 300..1_500_u64];
    let depths = prop::option::weighted(0.3, 0..8_u32);
    (states, depths).prop_map(|(states, max_depth)| Limits { max_states: Some(states), max_depth, ..Limits::default() })
}

fn questions() -> impl Strategy<Value = (Recipe, Judges, Limits)> {
    (recipes(), judges(), limits())
}

type Covered<G> = (Exploration<Marked, G>, Cover<Action>);

fn task<'a, G: Guide<Marked>>(
    system: &'a Marked,
    guide: &'a G,
    clauses: &'a [Clause<Marked>],
    limits: &'a Limits,
    threads: usize,
) -> Task<'a, Marked, G> {
    Task { model: system, guide, clauses, liveness: &[], limits, threads, progress: &Quiet }
}

/// What does not depend on whether there is a cover.
fn text<G: Guide<Marked>>(told: &Exploration<Marked, G>) -> String {
    let Exploration { states, transitions, states_per_level, stopped, term_counts, findings, .. } = told;
    format!("{states} {transitions} {states_per_level:?} {stopped:?} {term_counts:?} {findings:?} {:?}", told.finished)
}

fn demand(is_so: bool, what: impl FnOnce() -> String) -> Result<(), TestCaseError> {
    if is_so { Ok(()) } else { Err(TestCaseError::fail(what())) }
}

/// Demands that both engines note the same; gives what the referee does.
fn compare<G: Guide<Marked>>(
    recipe: &Recipe,
    judges: Option<&Judges>,
    limits: &Limits,
    guide: &G,
) -> Result<Covered<G>, TestCaseError> {
    let system = Marked(recipe.named());
    let clauses = judges.map(|judges| judges.clauses(recipe.tables.len())).unwrap_or_default();
    let of = |threads| task(&system, guide, &clauses, limits, threads);
    let (told, cover) = Plain.explore_covering(&of(1), &Coarse);
    demand(text(&told) == text(&Plain.explore(&of(1))), || "the cover changes the exploration".to_owned())?;
    demand(cover == Plain.explore_covering(&of(4), &Coarse).1, || "plain, 4 threads".to_owned())?;
    for threads in [1, 2, 4] {
        let engine = Compiled { is_unbounded: recipe.rules.is_unbounded };
        let (found_told, found) = engine.explore_covering(&of(threads), &Coarse);
        demand(text(&told) == text(&found_told), || format!("{threads} threads: the exploration differs"))?;
        demand(cover == found, || format!("{threads} threads: expected {cover:#?}, found {found:#?}"))?;
    }
    Ok((told, cover))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn given_any_actors_when_covered_should_be_noted_alike((recipe, _, limits) in questions()) {
        compare(&recipe, None, &limits, &Unguided)?;
    }

    #[test]
    fn given_any_actors_and_clauses_when_covered_should_be_noted_alike((recipe, judges, limits) in questions()) {
        compare(&recipe, Some(&judges), &limits, &Unguided)?;
    }

    #[test]
    fn given_guides_when_covered_should_be_noted_alike((recipe, judges, limits) in questions()) {
        compare(&recipe, Some(&judges), &limits, &judges.step_guide())?;
        compare(&recipe, Some(&judges), &limits, &judges.state_guide())?;
    }
}

/// Demands that every trace that is selected can be taken, goes by the abstractions that its steps state, and that all of them
/// together show every item.
fn demand_selection(system: &Marked, cover: &Cover<Action>, kind: ItemKind) {
    let of_step = |step: usize| {
        let step = &cover.steps[step];
        let label = &cover.labels[step.label];
        match kind {
            ItemKind::Label => format!("{label:?}"),
            ItemKind::LabelPair => {
                format!("{:?} {label:?}", step.previous.map(|previous| &cover.labels[cover.steps[previous].label]))
            }
            ItemKind::AbstractTransition => format!("{} {label:?} {}", step.before, step.after),
        }
    };
    let mut shown = BTreeSet::new();
    for last in cover.select(kind) {
        let (trace, way) = (cover.trace(last), cover.way(last));
        let mut state = system.init_states()[trace.initial].clone();
        for (action, step) in trace.actions.into_iter().zip(way) {
            assert_eq!(abstraction_of(&Coarse, &state.actor_states), cover.steps[step].before);
            state = system.next_state(&state, action).expect("the step can be taken");
            assert_eq!(abstraction_of(&Coarse, &state.actor_states), cover.steps[step].after);
            shown.insert(of_step(step));
        }
    }
    let items: Vec<_> = cover.of_kind(kind).map(|item| of_step(item.witness)).collect();
    assert_eq!(items.iter().collect::<BTreeSet<_>>().len(), items.len(), "no item is noted twice");
    assert!(items.iter().all(|item| shown.contains(item)), "all items are shown");
}

#[test]
fn given_a_sample_of_actors_when_selected_should_show_all_items_with_traces_that_can_be_taken() {
    let (mut runner, questions) = (TestRunner::deterministic(), questions());
    let (mut witnesses, mut selected, mut stopped) = (0, 0, 0);
    for _ in 0..60 {
        let (recipe, judges, limits) = questions.new_tree(&mut runner).expect("nothing is filtered").current();
        let system = Marked(recipe.named());
        assert!(system.actor_model().init_states().len() == 1);
        let (told, cover) = compare(&recipe, Some(&judges), &limits, &Unguided).expect("both note the same");
        stopped += u32::from(told.stopped.is_some());
        for kind in [ItemKind::Label, ItemKind::AbstractTransition] {
            let counted: u64 = cover.of_kind(kind).map(|item| item.transitions).sum();
            assert_eq!(counted, told.transitions, "each transition shows one item of this kind");
        }
        for kind in ItemKind::ALL {
            demand_selection(&system, &cover, kind);
            selected += cover.select(kind).len();
            witnesses += cover.of_kind(kind).count();
        }
    }
    println!("{witnesses} witnesses, {selected} selected, {stopped} stopped");
    assert!(witnesses > 1_000 && selected * 10 < witnesses * 9 && stopped > 20, "{witnesses}, {selected}, {stopped}");
}
