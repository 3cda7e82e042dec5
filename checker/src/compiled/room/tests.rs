//! Rows in a file change nothing that an exploration tells.

#[path = "../../../tests/support/random_actors.rs"]
mod model;
#[path = "../../../tests/support/same_answers.rs"]
mod same;

use std::path::PathBuf;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use stateright::Model;

use crate::archive::Archive;
use crate::clause::{Clause, Judgement, LivenessClause};
use crate::compiled::Search;
use crate::compiled::states::States;
use crate::describe::Transition;
use crate::engine::{Exploration, Limits, Quiet, Stop, Task};
use crate::guide::Unguided;
use crate::memory::resident_bytes;

use super::Room;
use model::{NamedActors, RandomHistory, Recipe, recipes};
use same::{difference, text};

/// What is explored: a system, the most states, and chunks of two to the power of how many states.
type Question = (Recipe, u64, u32);

fn questions() -> impl Strategy<Value = Question> {
    (recipes(), prop_oneof![20..300_u64, 300..3_000_u64], 0..7_u32)
}

fn judged(history: u8) -> Judgement {
    match history {
        0 => Judgement::Silent,
        1 | 2 => Judgement::Upheld,
        _ => Judgement::Broken(format!("it is {history}")),
    }
}

/// Explores with a limit of memory; tells what was found, and how many chunks are in the file in the end.
fn explore(
    (recipe, states, shift): &Question,
    (threads, most_bytes): (usize, u64),
    (room, archive): (Room, Option<&Archive>),
) -> (Exploration<NamedActors, Unguided>, usize) {
    let system = recipe.named();
    let clauses = [
        Clause::on_history("history", |history: &RandomHistory| judged(history.0)),
        Clause::on_state("state", |step: &Transition<'_, NamedActors>| {
            judged((step.after.history.0 + *step.before.actor_states[0]) % 7)
        }),
    ];
    let task = Task {
        model: &system,
        guide: &Unguided,
        clauses: &clauses,
        liveness: &[LivenessClause::new("goal", 1, "it waits for ever", |state: &<NamedActors as Model>::State, _| {
            state.history.0 == 1
        })],
        limits: &Limits { max_states: Some(*states), max_memory_bytes: Some(most_bytes), ..Limits::default() },
        threads,
        progress: &Quiet,
    };
    let mut search = Search::new(&task, !recipe.rules.is_unbounded);
    search.states = States::in_chunks(search.states.width(), *shift);
    search.parents = States::in_chunks(1, *shift);
    search.room = room;
    if let Some(archive) = archive {
        return (search.archived(archive).expect("there is room"), 0);
    }
    let (search, ended) = search.conduct(None, |_, _| Ok(()));
    let all = search.len();
    let filed = (all >> shift) as usize - search.states.fileable(all);
    (Search { stopped: ended.err(), ..search }.into_exploration(), filed)
}

/// A limit that is never reached.
const PLENTY: u64 = u64::MAX;

/// Explores with and without rows in a file; how many chunks were in the file, or how the two differ.
fn compare(question: &Question) -> Result<usize, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (expected, none) = explore(question, (1, PLENTY), (Room::new(None), None));
    assert_eq!(none, 0);
    let mut least = usize::MAX;
    for threads in [1, 2] {
        let (found, filed) = explore(question, (threads, PLENTY), (Room::tight(None), None));
        least = least.min(filed);
        let archive = Archive::open(&folder.path().join(threads.to_string()), "this").expect("opened");
        let half = (question.0.clone(), question.1 / 2, question.2);
        explore(&half, (2, PLENTY), (Room::tight(None), Some(&archive)));
        let (resumed, _) = explore(question, (threads, PLENTY), (Room::tight(None), Some(&archive)));
        for told in [&found, &resumed] {
            if text(told) != text(&expected) {
                return Err(format!("{threads} threads: {}", difference(&text(&expected), &text(told))));
            }
            if told.furthest.1 != expected.furthest.1 {
                return Err(format!("{threads} threads: the furthest states are others"));
            }
        }
    }
    Ok(least)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn given_any_actors_when_rows_go_to_a_file_should_be_told_as_if_they_did_not(question in questions()) {
        compare(&question).map_err(TestCaseError::fail)?;
    }
}

/// A fixed sample of what the property above is tried on.
fn sample(size: usize) -> Vec<Question> {
    let (mut runner, questions) = (TestRunner::deterministic(), questions());
    (0..size).map(|_| questions.new_tree(&mut runner).expect("nothing is filtered").current()).collect()
}

#[test]
fn given_a_sample_when_rows_go_to_a_file_should_file_many_chunks() {
    if resident_bytes().is_some() {
        let filed: Vec<usize> = sample(60).iter().map(|question| compare(question).expect("the same")).collect();
        assert!(filed.iter().filter(|filed| **filed > 10).count() > 20, "{filed:?}");
    }
}

#[test]
fn given_a_file_that_cannot_be_written_when_memory_is_tight_should_go_on_until_the_limit() {
    let nowhere = || Room::tight(Some(PathBuf::from("/nowhere/at/all")));
    let question = sample(60).into_iter().max_by_key(|question| question.1).expect("some");
    let (expected, _) = explore(&question, (1, PLENTY), (Room::new(None), None));
    let (found, filed) = explore(&question, (1, PLENTY), (nowhere(), None));
    assert_eq!((text(&found), filed), (text(&expected), 0));
    if resident_bytes().is_some() {
        for room in [nowhere(), Room::tight(None), Room::new(None)] {
            let (stopped, _) = explore(&question, (2, 1), (room, None));
            assert_eq!((stopped.stopped, stopped.states), (Some(Stop::Memory), 1));
        }
    }
}
