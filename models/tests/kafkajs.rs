//! The KafkaJS family: exact sizes, mutants, and the stories that the discussion is about.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use fencepost_models::family::{BoundsSet, ModelledFamily, View};
use fencepost_models::kafkajs::bounds::Bounds;
use fencepost_models::kafkajs::system::KafkaJsModel;
use fencepost_spec::family::Family;
use fencepost_spec::kafkajs::{CLAUSES, Choices, ClauseName, Fence, KafkaJs};
use fencepost_spec::library;

fn choices(contract: &str) -> Choices {
    library::contract_of::<KafkaJs>(contract).unwrap_or_else(|problem| panic!("{problem}")).choices
}

fn view(name: &str, choices: &Choices) -> View<Bounds> {
    let views = KafkaJs::views(BoundsSet::Quick, choices);
    views.into_iter().find(|view| view.name == name).unwrap_or_else(|| panic!("no view {name}"))
}

fn explore(
    engine: &impl Engine<KafkaJsModel>,
    choices: &Choices,
    view: &View<Bounds>,
) -> Exploration<KafkaJsModel, Unguided> {
    let model = KafkaJs::model(choices, &view.bounds);
    let safety = KafkaJs::safety(&model);
    engine.explore(&Task {
        model: &model,
        guide: &Unguided,
        clauses: &safety,
        liveness: &[],
        limits: &Limits::default(),
        threads: 2,
        progress: &Quiet,
    })
}

const COMPILED: Compiled = Compiled { is_unbounded: true };

/// Whether a clause is exercised, and the steps of its shortest breach.
fn judged(choices: &Choices, view_name: &str, clause: ClauseName) -> (bool, Option<usize>) {
    let exploration = explore(&COMPILED, choices, &view(view_name, choices));
    let finding = exploration.findings.iter().find(|finding| finding.clause == clause.word());
    let finding = finding.unwrap_or_else(|| panic!("{clause} is judged"));
    (finding.exercised > 0, finding.broken.as_ref().map(|breach| breach.trace.actions.len()))
}

fn counts(contract: &str) -> Vec<(&'static str, u64, u64, u32)> {
    let choices = choices(contract);
    let count = |view: &View<Bounds>| {
        let exploration = explore(&COMPILED, &choices, view);
        (view.name, exploration.states, exploration.transitions, exploration.depth)
    };
    KafkaJs::views(BoundsSet::Quick, &choices).iter().map(count).collect()
}

/// View, states, transitions, depth.
const GUARD: &[(&str, u64, u64, u32)] = &[
    ("overlapping-rounds", 1_309, 2_693, 36),
    ("seek-with-commits", 3_429, 6_490, 40),
    ("reordered-answers", 13_369, 29_820, 36),
    ("lost-and-regained", 14_430, 30_779, 50),
    ("reset-after-loss", 11_431, 24_622, 46),
    ("kept-partition", 6_622, 13_888, 41),
    ("pause-and-manual-commits", 1_893, 4_265, 20),
    ("empty-assignment", 5_500, 13_734, 39),
];

const PARTITION_VERSION: &[(&str, u64, u64, u32)] = &[
    ("overlapping-rounds", 1_309, 2_693, 36),
    ("seek-with-commits", 3_312, 6_280, 40),
    ("reordered-answers", 11_454, 26_099, 36),
    ("lost-and-regained", 9_871, 22_019, 51),
    ("reset-after-loss", 8_671, 19_249, 46),
    ("kept-partition", 6_958, 14_400, 41),
    ("pause-and-manual-commits", 1_975, 4_391, 20),
    ("empty-assignment", 5_536, 13_974, 39),
];

#[test]
fn given_the_guard_when_explored_should_have_exactly_these_states() {
    assert_eq!(counts("kafkajs-guard"), GUARD);
}

#[test]
fn given_the_partition_version_when_explored_should_have_exactly_these_states() {
    assert_eq!(counts("kafkajs-partition-version"), PARTITION_VERSION);
}

#[test]
fn given_every_clause_when_its_mutant_is_explored_should_break_it_and_the_contract_itself_should_not() {
    let mut survivors = Vec::new();
    for clause in CLAUSES {
        let before = choices(clause.mutant.contract);
        let mutated = before.changed(clause.mutant.change).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(mutated, before, "the mutant of {} changes nothing", clause.name);
        let (exercised, broken) = judged(&before, clause.mutant.view, clause.name);
        if !exercised || broken.is_some() {
            survivors.push(format!("{}: without the change exercised {exercised}, broken {broken:?}", clause.name));
        }
        if judged(&mutated, clause.mutant.view, clause.name).1.is_none() {
            survivors.push(format!("{}: the mutant survives in {}", clause.name, clause.mutant.view));
        }
    }
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
}

#[test]
fn given_each_fence_of_the_partition_version_when_it_is_removed_should_break_a_clause_that_held() {
    let whole = choices("kafkajs-partition-version");
    let broken = |choices: &Choices| {
        let views = KafkaJs::views(BoundsSet::Quick, choices);
        let findings = views.iter().flat_map(|view| explore(&COMPILED, choices, view).findings);
        findings.filter(|finding| finding.broken.is_some()).map(|finding| finding.clause).collect::<Vec<_>>()
    };
    let before = broken(&whole);
    for fence in whole.fences.keys() {
        let mut without = whole.clone();
        without.fences.remove(fence);
        assert!(broken(&without).into_iter().any(|clause| !before.contains(&clause)), "{fence} is not needed");
    }
}

#[test]
fn given_both_engines_when_a_view_is_explored_should_find_the_same() {
    let choices = choices("kafkajs-lock");
    let view = view("overlapping-rounds", &choices);
    let (plain, compiled) = (explore(&Plain, &choices, &view), explore(&COMPILED, &choices, &view));
    assert_eq!((plain.states, plain.transitions, plain.depth), (compiled.states, compiled.transitions, compiled.depth));
    let findings = |exploration: &Exploration<KafkaJsModel, Unguided>| {
        let steps =
            |it: &fencepost_checker::engine::Finding<_>| it.broken.as_ref().map(|breach| breach.trace.actions.len());
        exploration.findings.iter().map(|it| (it.clause.clone(), it.exercised, steps(it))).collect::<Vec<_>>()
    };
    assert_eq!(findings(&plain), findings(&compiled));
}

/// The seed race of #555, and who repairs it.
#[test]
fn given_two_fetches_out_of_range_when_rounds_overlap_should_break_only_without_lock_lists_and_guard() {
    let steps = |contract: &str| judged(&choices(contract), "overlapping-rounds", ClauseName::NoUndefinedOffset).1;
    assert_eq!(steps("kafkajs-unguarded"), Some(17));
    for (repaired, _) in KafkaJs::CONTRACTS.iter().filter(|(name, _)| *name != "kafkajs-unguarded") {
        assert_eq!(steps(repaired), None, "{repaired}");
    }
}

/// What the proposed lock costs: with one answer more to wait for than its time-out counts, a round is given up.
#[test]
fn given_the_lock_when_resolving_takes_longer_than_its_time_out_should_give_up_a_round_that_nothing_is_wrong_with() {
    let steps = |contract: &str| judged(&choices(contract), "overlapping-rounds", ClauseName::NoNeedlessRefusal).1;
    assert_eq!(steps("kafkajs-lock"), Some(18));
    assert_eq!(steps("kafkajs-lock-scaled-time-out"), None);
    assert_eq!(steps("kafkajs-lock-without-time-out"), None);
    assert!(choices("kafkajs-lock").has(Fence::LockFromResolveToUse));
}
