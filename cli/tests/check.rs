//! `fencepost check` as a process.

mod support;

use serde_json::Value;
use support::{check, json, output_of, text_of};

/// A view that is explored in a moment.
const SMALL: &str = "polls-with-reassignment";

/// A report without what may differ between two runs.
fn timeless(mut report: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("seconds");
                fields.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut report);
    report
}

#[test]
fn given_one_view_when_checked_as_json_should_have_the_shape_of_the_report() {
    let report = json(&["iggy-2026-08", "--view", SMALL, "--format", "json"]);
    assert_eq!(report["schema"], "fencepost.report/1");
    assert_eq!(report["command"], "check");
    let result = &report["results"][0];
    for (field, value) in
        [("contract", "iggy-2026-08"), ("family", "iggy"), ("bounds", "quick"), ("engine", "compiled")]
    {
        assert_eq!(result[field], value);
    }
    assert!(result["states"].as_u64() > Some(0) && result["depth"].as_u64() > Some(0));
    assert!(result["seconds"].is_f64());
    assert_eq!(result["views"][0]["view"], SMALL);
    assert_eq!(result["views"][0]["states"], result["states"]);
    let clauses = result["clauses"].as_array().expect("clauses");
    assert_eq!(clauses.len(), 15);
    let broken =
        clauses.iter().find(|clause| clause["clause"] == "commit-under-reading-assignment").expect("the clause");
    assert_eq!(broken["verdict"], "violated");
    assert!(broken["expected"].is_string());
    assert_eq!(broken["views"][0]["view"], SMALL);
    assert_eq!(broken["views"][0]["story_steps"], broken["story_steps"]);
    let liveness = clauses.iter().find(|clause| clause["clause"] == "every-request-is-answered").expect("the clause");
    assert_eq!(liveness["verdict"], "not checked");
    assert_eq!(liveness["views"].as_array().map(Vec::len), Some(0));
    assert_eq!(result["vacuity"]["judged"], false);
}

#[test]
fn given_one_and_two_threads_when_checked_should_give_the_same_report() {
    let arguments = ["deferred-poll", "--view", SMALL, "--view", "liveness", "--story", "no-skip", "--format", "json"];
    let with_threads = |threads| timeless(json(&[&arguments[..], &["--threads", threads]].concat())).to_string();
    let once = with_threads("1");
    assert_eq!(once, with_threads("1"));
    assert_eq!(once, with_threads("2"));
}

#[test]
fn given_a_violated_clause_when_its_story_is_wanted_should_tell_it_whole() {
    let wanted = format!("commit-under-reading-assignment@{SMALL}");
    let output = output_of(check(&["iggy-2026-08", "--view", SMALL, "--story", &wanted]));
    let text = text_of(&output.stdout);
    assert!(
        text.contains("commit-under-reading-assignment in iggy-2026-08@polls-with-reassignment: violated"),
        "{text}"
    );
    assert!(
        text.contains("commit-under-reading-assignment is violated: a commit of a read under assignment"),
        "{text}"
    );
    assert!(text.lines().any(|line| line.trim_start().starts_with("1  ")), "{text}");
}

#[test]
fn given_a_removed_fence_when_checked_should_not_compare_and_succeed() {
    let fence = "poll-assignment-at-completion";
    let output = output_of(check(&["deferred-poll", "--view", SMALL, "--without", fence]));
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("without the fence poll-assignment-at-completion"), "{text}");
    assert!(text.contains("expected"), "{text}");
}

#[test]
fn given_a_limit_when_reached_should_say_stopped() {
    let arguments = ["owner-installed", "--view", SMALL, "--max-states", "50"];
    let output = output_of(check(&arguments));
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("stopped (states)"), "{text}");
}

#[test]
fn given_a_contract_file_when_checked_should_be_explored_like_the_contract_itself() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/contracts/owner-installed.toml");
    let of = |contract: &str| timeless(json(&[contract, "--view", SMALL, "--format", "json"]));
    assert_eq!(of(path), of("owner-installed"));
}

#[test]
fn given_a_reader_that_goes_away_when_printed_should_not_panic() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = support::command(&["iggy-2026-08", "--view", SMALL]);
    let child = command.stdout(writer).stderr(std::process::Stdio::piped()).spawn().expect("a child");
    // The command holds the writing end, too; it goes with it.
    drop(command);
    let output = child.wait_with_output().expect("an end");
    assert_eq!(text_of(&output.stderr), "");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
}
