//! Explorations that were stopped anywhere and go on later tell the same as those in one go, in everything that they tell.

#[path = "support/random_judges.rs"]
mod judges;
#[path = "support/random_marks.rs"]
mod marks;
#[path = "support/random_actors.rs"]
mod model;
#[path = "support/same_answers.rs"]
mod same;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fencepost_checker::archive::{Archive, ArchiveError};
use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use judges::{Judges, judges};
use marks::Marked;
use model::{Recipe, recipes};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use same::{difference, text};

/// Where one of several parts of an exploration ends.
#[derive(Clone, Debug)]
struct Part {
    max_states: Option<u64>,
    max_depth: Option<u32>,
    /// After so many judgements it is interrupted.
    judgements: u64,
    threads: usize,
    /// How the archive is harmed afterwards.
    harm: Harm,
}

/// What happens to an archive.
#[derive(Clone, Copy, Debug)]
enum Harm {
    Nothing,
    /// The last level is cut.
    Torn,
    /// A level in the middle goes away.
    Gap,
}

/// A part that is not stopped by anything but these limits.
fn whole(limits: &Limits, threads: usize) -> Part {
    let Limits { max_states, max_depth, .. } = *limits;
    Part { max_states, max_depth, judgements: u64::MAX, threads, harm: Harm::Nothing }
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let harms = prop_oneof![4 => Just(Harm::Nothing), 1 => Just(Harm::Torn), 1 => Just(Harm::Gap)];
    let states = prop::option::weighted(0.4, prop_oneof![0..20_u64, 20..600_u64]);
    let ends = (states, prop::option::weighted(0.4, 0..9_u32), prop_oneof![1..9_000_u64, Just(u64::MAX)]);
    let part = (ends, threads(), harms).prop_map(|((max_states, max_depth, judgements), threads, harm)| Part {
        // Most systems have no end.
        max_states: max_states.or(Some(1_000)),
        max_depth,
        judgements,
        threads,
        harm,
    });
    prop::collection::vec(part, 1..4)
}

fn threads() -> impl Strategy<Value = usize> {
    prop_oneof![Just(1_usize), Just(2), Just(4)]
}

fn limits() -> impl Strategy<Value = Limits> {
    let states = prop_oneof![1 => 0..20_u64, 6 => 20..300_u64, 3 => 300..1_500_u64, 1 => 1_500..3_000_u64];
    (states, prop::option::weighted(0.3, 0..8_u32)).prop_map(|(states, max_depth)| Limits {
        max_states: Some(states),
        max_depth,
        ..Limits::default()
    })
}

/// A system, what is asked about it, and where the exploration is stopped.
type Question = (Recipe, Judges, Limits, Vec<Part>, usize);

fn questions() -> impl Strategy<Value = Question> {
    (recipes(), judges(), limits(), parts(), threads())
}

/// Explores a part, in an archive if there is one.
fn explore(
    system: &Marked,
    (recipe, judges): (&Recipe, &Judges),
    part: &Part,
    archive: Option<&Archive>,
) -> Result<Exploration<Marked, Unguided>, ArchiveError> {
    let actors = recipe.tables.len();
    let interrupt = Arc::new(AtomicBool::new(false));
    let (flag, left) = (Arc::clone(&interrupt), AtomicU64::new(part.judgements));
    let mut clauses = judges.clauses(actors);
    clauses.push(Clause::on_state("interrupting", move |_| {
        if left.fetch_sub(1, Ordering::Relaxed) == 1 {
            flag.store(true, Ordering::Relaxed);
        }
        Judgement::Silent
    }));
    let limits = Limits { max_states: part.max_states, max_depth: part.max_depth, interrupt, ..Limits::default() };
    let task = Task {
        model: system,
        guide: &Unguided,
        clauses: &clauses,
        liveness: &judges.liveness(actors),
        limits: &limits,
        threads: part.threads,
        progress: &Quiet,
    };
    let engine = Compiled { is_unbounded: recipe.rules.is_unbounded };
    archive.map_or_else(|| Ok(engine.explore(&task)), |archive| engine.explore_archived(&task, archive))
}

/// Harms the archive in a folder.
fn harm(folder: &Path, levels: u32, harm: Harm) {
    let path = |level: u32| folder.join(format!("level-{level:05}"));
    match harm {
        Harm::Torn if levels > 0 => {
            let bytes = fs::read(path(levels - 1)).expect("a level");
            fs::write(path(levels - 1), &bytes[..bytes.len() / 2]).expect("written");
        }
        Harm::Gap if levels > 0 => fs::remove_file(path(levels / 2)).expect("removed"),
        _ => {}
    }
}

/// How far an exploration in parts was before its last part.
struct Before {
    levels: u32,
    has_ended: bool,
}

/// Explores in parts and in one go; how far the parts came, or how the two differ.
fn compare((recipe, judges, limits, parts, threads): &Question) -> Result<Before, String> {
    let (system, what) = (Marked(recipe.named()), (recipe, judges));
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Archive::open(folder.path(), "this").expect("opened");
    let failed = |error: ArchiveError| error.to_string();
    let mut before = Before { levels: 0, has_ended: false };
    for part in parts {
        let archive = open();
        let told = explore(&system, what, part, Some(&archive)).map_err(failed)?;
        let levels = archive.levels();
        harm(folder.path(), levels, part.harm);
        before = Before { levels: archive.levels(), has_ended: told.stopped.is_none() && levels == archive.levels() };
    }
    let found = explore(&system, what, &whole(limits, *threads), Some(&open())).map_err(failed)?;
    let expected = explore(&system, what, &whole(limits, 1), None).map_err(failed)?;
    let (expected_text, found_text) = (text(&expected), text(&found));
    if found_text != expected_text {
        return Err(difference(&expected_text, &found_text));
    }
    if found.furthest.1 != expected.furthest.1 {
        return Err("the furthest states are others".to_owned());
    }
    Ok(before)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn given_any_actors_when_stopped_anywhere_and_resumed_should_be_told_as_in_one_go(question in questions()) {
        compare(&question).map_err(TestCaseError::fail)?;
    }
}

/// A fixed sample of what the property above is tried on.
fn sample(size: usize) -> Vec<Question> {
    let (mut runner, questions) = (TestRunner::deterministic(), questions());
    (0..size).map(|_| questions.new_tree(&mut runner).expect("nothing is filtered").current()).collect()
}

#[test]
fn given_a_sample_when_resumed_should_begin_in_the_middle_and_after_the_end_many_times() {
    let (mut in_the_middle, mut after_the_end) = (0, 0);
    for question in sample(300) {
        let before = compare(&question).expect("the same");
        in_the_middle += u32::from(before.levels > 2 && !before.has_ended);
        after_the_end += u32::from(before.has_ended);
    }
    println!("{in_the_middle} in the middle, {after_the_end} after the end");
    assert!(in_the_middle > 50 && after_the_end > 20);
}

#[test]
fn given_large_systems_when_interrupted_within_levels_of_many_blocks_should_be_told_as_in_one_go() {
    let limits = Limits { max_states: Some(15_000), ..Limits::default() };
    let is_large = |(recipe, judges, ..): &Question| {
        let told = explore(&Marked(recipe.named()), (recipe, judges), &whole(&limits, 2), None).expect("no archive");
        told.stopped.is_some().then_some(told.transitions)
    };
    let large = sample(60).into_iter().filter_map(|question| Some((is_large(&question)?, question)));
    let mut compared = 0;
    for (transitions, (recipe, judges, ..)) in large.take(2) {
        for (threads, then) in [(1, 2), (2, 1), (4, 2)] {
            let part = |share| Part { judgements: transitions * share / 7, ..whole(&limits, threads) };
            let parts = vec![part(2), part(1), part(1)];
            compare(&(recipe.clone(), judges.clone(), limits.clone(), parts, then)).expect("the same");
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}

#[test]
fn given_an_archive_of_other_clauses_when_resumed_should_be_an_error() {
    let (recipe, judges, ..) = sample(1).remove(0);
    let (system, limits) = (Marked(recipe.named()), Limits { max_states: Some(500), ..Limits::default() });
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(folder.path(), "this").expect("opened");
    explore(&system, (&recipe, &judges), &whole(&limits, 1), Some(&archive)).expect("explored");
    assert!(archive.levels() > 1);
    let task = Task {
        model: &system,
        guide: &Unguided,
        clauses: &[],
        liveness: &[],
        limits: &limits,
        threads: 1,
        progress: &Quiet,
    };
    let resumed = Compiled::default().explore_archived(&task, &archive);
    assert!(matches!(resumed, Err(ArchiveError::Damaged { .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn given_a_full_disk_when_a_level_is_closed_should_be_an_error_and_keep_the_levels_before() {
    let question = sample(1).remove(0);
    let (recipe, judges) = (&question.0, &question.1);
    let (system, limits) = (Marked(recipe.named()), Limits { max_states: Some(500), ..Limits::default() });
    let folder = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(folder.path(), "this").expect("opened");
    std::os::unix::fs::symlink("/dev/full", folder.path().join("level-00001.unfinished")).expect("a link");
    let failed = explore(&system, (recipe, judges), &whole(&limits, 1), Some(&archive));
    assert!(matches!(failed, Err(ArchiveError::File { .. })));
    assert_eq!(archive.levels(), 1);
    let resumed = explore(&system, (recipe, judges), &whole(&limits, 1), Some(&archive)).expect("explored");
    let expected = explore(&system, (recipe, judges), &whole(&limits, 1), None).expect("explored");
    assert_eq!(text(&resumed), text(&expected));
}
