//! `fencepost check --symmetry`: the same verdicts, told from fewer states.

mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::{check, json, output_of, text_of};

/// The view with two consumers who can change places.
const ALIKE: &str = "two-like-consumers";

/// By contract, clause and view (none for the summary): the verdict, whether it is unexpected, and the length of the shortest story.
type Verdicts = BTreeMap<(String, String, String), (Value, Value, Value)>;

/// All verdicts of a report.
fn verdicts(report: &Value) -> Verdicts {
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut verdicts = Verdicts::new();
    for result in list(&report["results"]) {
        for clause in list(&result["clauses"]) {
            for of in std::iter::once(clause.clone()).chain(list(&clause["views"])) {
                let key = (word(&result["contract"]), word(&clause["clause"]), word(&of["view"]));
                verdicts.insert(key, (of["verdict"].clone(), of["unexpected"].clone(), of["story_steps"].clone()));
            }
        }
    }
    verdicts
}

/// What is told of a view of each contract.
fn of_view<'a>(report: &'a Value, view: &str) -> Vec<&'a Value> {
    let results = report["results"].as_array().expect("results").iter();
    let views = results.flat_map(|result| result["views"].as_array().expect("views"));
    views.filter(|told| told["view"] == view).collect()
}

#[test]
fn given_all_contracts_when_checked_with_symmetry_should_have_the_same_verdicts_and_stories_as_short() {
    let (full, reduced) = (json(&["--format", "json"]), json(&["--format", "json", "--symmetry"]));
    assert_eq!(verdicts(&full), verdicts(&reduced));
    let views: usize =
        full["results"].as_array().expect("results").iter().map(|it| it["views"].as_array().map_or(0, Vec::len)).sum();
    assert!(verdicts(&full).len() > 10 * views, "every clause of every view is compared");
    for view in of_view(&reduced, "liveness") {
        assert_eq!(view["symmetry"]["not_reduced_because"], "it has liveness clauses, which need every state");
    }
    for view in of_view(&reduced, "restart") {
        assert_eq!(view["symmetry"]["not_reduced_because"], "no two actors are alike");
        assert_eq!(view["symmetry"]["permutations"], 1);
    }
    assert!(of_view(&full, "restart").iter().all(|view| view.get("symmetry").is_none()));
    assert!(of_view(&full, ALIKE).is_empty(), "a view for scale is explored only if it is named");
}

#[test]
fn given_like_consumers_when_checked_with_symmetry_should_have_half_the_states_and_the_same_verdicts() {
    let arguments = ["--view", ALIKE, "--format", "json"];
    let (full, reduced) = (json(&arguments), json(&[&arguments[..], &["--symmetry"]].concat()));
    assert_eq!(verdicts(&full), verdicts(&reduced));
    let (full, reduced) = (of_view(&full, ALIKE), of_view(&reduced, ALIKE));
    assert_eq!((full.len(), full.len()), (8, reduced.len()), "the contracts of one family have it");
    for (full, reduced) in full.into_iter().zip(reduced) {
        let states = |view: &Value| view["states"].as_u64().expect("a number");
        assert!(states(reduced) * 20 < states(full) * 11 && states(reduced) * 2 >= states(full));
        assert_eq!(reduced["depth"], full["depth"]);
        assert_eq!(reduced["symmetry"]["permutations"], 2);
        assert_eq!(reduced["symmetry"]["not_reduced_because"], Value::Null);
        assert_eq!(reduced["beyond_question"], true);
    }
}

#[test]
fn given_like_consumers_when_checked_with_symmetry_should_tell_the_same_with_any_number_of_threads() {
    let printed = |threads| {
        let arguments = ["owner-installed", "--view", ALIKE, "--symmetry", "--story", "no-skip", "--threads", threads];
        let text = text_of(&output_of(check(&arguments)).stdout);
        assert!(text.contains("20,451 states, each for at most 2"), "{text}");
        assert!(text.contains("STORIES\n"), "{text}");
        // The table of sizes ends with times.
        text.lines().filter(|line| !line.starts_with("owner-installed ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(printed("1"), printed("2"));
    assert_eq!(printed("1"), printed("4"));
}

#[test]
fn given_a_view_for_scale_when_checked_should_be_shown_apart_and_as_expected() {
    let output = output_of(check(&["iggy-2026-08", "--view", ALIKE]));
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("only 1 of 11 views"), "{text}");
    assert!(text.contains("BEYOND ITS QUESTION"), "{text}");
    assert!(!text.contains("SYMMETRY"), "{text}");
}

#[test]
fn given_the_plain_engine_when_symmetry_is_wanted_should_be_refused() {
    let output = output_of(check(&["--symmetry", "--engine", "plain"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("the engine `plain` explores every state"));
}
