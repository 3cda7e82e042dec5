//! `fencepost ask` as a process.

mod support;

use std::collections::BTreeSet;

use fencepost_spec::library::{CONTRACTS, KAFKAJS_SCENARIOS, SCENARIOS, scenario};
use serde_json::Value;
use support::{ask, ask_json as json, text_of, words, written};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/scenarios");

/// The one result of a scenario and a contract.
fn result(scenario: &str, contract: &str, more: &[&str]) -> (Option<i32>, Value) {
    let (code, report) = json(&[&[scenario, "--contract", contract], more].concat());
    assert_eq!(report["results"].as_array().map(Vec::len), Some(1));
    (code, report["results"][0].clone())
}

/// A built-in scenario with one change.
fn changed(name: &str, from: &str, to: &str) -> (tempfile::TempDir, String) {
    let text = std::fs::read_to_string(format!("{FOLDER}/{name}.toml")).expect("the scenario");
    assert!(text.contains(from), "{from} is not in {name}");
    written(&text.replacen(from, to, 1))
}

#[test]
fn given_the_folder_of_scenarios_when_listed_should_be_built_in_under_the_names_that_stand_in_them() {
    let files = std::fs::read_dir(FOLDER).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let files: BTreeSet<String> = files.map(|name| name.into_string().expect("a name")).collect();
    let built_in = SCENARIOS.iter().chain(KAFKAJS_SCENARIOS);
    let built_in: BTreeSet<String> = built_in.map(|(name, _)| format!("{name}.toml")).collect();
    assert_eq!(files, built_in);
    for (name, _) in SCENARIOS {
        assert_eq!(scenario(name).expect("a scenario").name, *name);
    }
}

#[test]
fn given_every_built_in_scenario_when_read_should_expect_something_of_every_contract() {
    for (name, _) in SCENARIOS {
        let scenario = scenario(name).expect("a scenario");
        for (contract, _) in CONTRACTS {
            assert!(scenario.expect.contains_key(*contract), "{name} expects nothing of {contract}");
        }
    }
}

#[test]
fn given_every_built_in_scenario_when_asked_should_answer_as_expected_and_as_pinned() {
    let names: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    let (code, report) = json(&names);
    let results = report["results"].as_array().expect("results");
    assert_eq!(results.len(), SCENARIOS.len() * CONTRACTS.len());
    let mut pinned = String::new();
    for result in results {
        let (name, contract) =
            (result["scenario"].as_str().expect("a name"), result["contract"].as_str().expect("a name"));
        let expected = &scenario(name).expect("a scenario").expect[contract];
        assert_eq!(result["possible"].as_bool(), expected.possible, "{name} under {contract}");
        let breaks: BTreeSet<String> = expected.breaks.iter().map(|clause| clause.word().to_owned()).collect();
        assert_eq!(BTreeSet::from_iter(words(&result["broken_clauses"])), breaks, "{name} under {contract}");
        pinned.push_str(&pin(result));
    }
    assert_eq!(code, Some(0));
    insta::assert_snapshot!("answers", pinned);
}

/// What is pinned of a result: whether it is possible, what every client gets, what breaks, and how long the story is.
fn pin(result: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (scenario, contract) = (word(&result["scenario"]), word(&result["contract"]));
    let Some(true) = result["possible"].as_bool() else {
        let answer = if result["possible"].is_null() { "not applicable" } else { "impossible" };
        return format!("{scenario} | {contract} | {answer}: {}\n", word(&result["reason"]));
    };
    let answers = result["answers"].as_object().expect("answers");
    let answers = answers.iter().map(|(step, answers)| format!("\n  {step}: {}", words(answers).join(" / ")));
    let always = words(&result["always_broken"]);
    let broken = words(&result["broken_clauses"]).into_iter().map(|clause| {
        let how_often = if always.contains(&clause) { "in every course" } else { "in some courses" };
        format!("\n  ✗ {clause} {how_often}")
    });
    let lines: String = answers.chain(broken).collect();
    format!("{scenario} | {contract} | possible, story of {} steps{lines}\n", result["story_steps"])
}

#[test]
fn given_a_possible_scenario_when_asked_as_json_should_have_the_shape_of_the_report() {
    let (code, report) = json(&["disk-read-ends-after-purge", "--contract", "iggy-2026-08"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["schema"], "fencepost.report/1");
    assert_eq!(report["command"], "ask");
    let result = &report["results"][0];
    assert_eq!(result["scenario"], "disk-read-ends-after-purge");
    assert_eq!(result["contract"], "iggy-2026-08");
    assert_eq!(result["possible"], true);
    assert_eq!(result["broken_clauses"][0], "no-skip");
    assert!(result["reason"].is_null() && result["stopped"].is_null());
    assert_eq!(result["answers"]["second poll"][0], "offsets 3 to 4 of history 2");
    let lines = result["story"]["lines"].as_array().expect("lines");
    assert_eq!(result["story_steps"].as_u64(), Some(lines.len() as u64));
    assert!(result["states"].as_u64() > Some(0));
}

#[test]
fn given_a_step_that_a_contract_has_nothing_for_when_asked_should_not_be_applicable() {
    let (code, result) = result("parked-poll-and-reassignment", "iggy-2026-08", &[]);
    assert_eq!(code, Some(0));
    assert!(result["possible"].is_null() && result["story"].is_null() && result["story_steps"].is_null());
    assert_eq!(result["reason"], "polls do not wait at the owner under this contract");
}

#[test]
fn given_a_demanded_answer_that_never_comes_when_asked_should_be_impossible_and_tell_how_far_it_gets() {
    let (code, result) = result("refused-poll-can-be-repeated", "iggy-2026-08", &[]);
    assert_eq!(code, Some(0));
    assert_eq!(result["possible"], false);
    assert_eq!(result["reason"], "`first poll` gets offsets 0 to 2 of history 1, not a refusal");
    assert!(!result["story"]["lines"].as_array().expect("lines").is_empty());
    assert!(result["story_steps"].is_null() && words(&result["broken_clauses"]).is_empty());
}

#[test]
fn given_a_wait_for_what_never_happens_when_asked_should_name_the_event_and_who_waits() {
    let text = r#"
        format = "fencepost-scenario/1"
        name = "mine"
        family = "iggy"
        title = "A store waits for the end of a read that the store of another holds up"
        question = "Does it ever come?"
        [start]
        messages = 1
        consumers = ["C"]
        [[step]]
        id = "delete"
        who = "C"
        does = "delete its bookmark"
        [[step]]
        id = "poll"
        who = "C"
        does = "poll"
        after = ["delete:committed"]
    "#;
    let (_folder, path) = written(text);
    let (code, result) = result(&path, "kept-numbering", &[]);
    assert_eq!(code, Some(0));
    assert_eq!(result["reason"], "`delete:committed` does not happen, for which `poll` waits");
}

#[test]
fn given_two_requests_when_one_is_given_up_should_not_give_up_the_other() {
    let text = r#"
        format = "fencepost-scenario/1"
        name = "mine"
        family = "iggy"
        title = "The second of two polls is given up"
        question = "Is it the second one?"
        [start]
        messages = 1
        consumers = ["C"]
        [[step]]
        id = "first"
        who = "C"
        does = "poll"
        [[step]]
        id = "time-out"
        who = "C"
        does = "give up"
        of = "second"
        [[step]]
        id = "second"
        who = "C"
        does = "poll"
        after = ["first"]
    "#;
    let (_folder, path) = written(text);
    let (_, result) = result(&path, "kept-numbering", &[]);
    assert_eq!(words(&result["answers"]["first"]), ["offset 0 of history 1"]);
    assert_eq!(words(&result["answers"]["second"]), ["no answer"]);
}

#[test]
fn given_one_and_two_threads_when_asked_should_give_the_same_report() {
    let names = ["bookmark-returns-after-power-loss", "disk-read-ends-after-purge", "send-after-acknowledged-purge"];
    let with_threads = |threads| json(&[&names[..], &["--threads", threads]].concat());
    let once = with_threads("1");
    assert_eq!(once, with_threads("1"));
    assert_eq!(once, with_threads("2"));
}

#[test]
fn given_a_scenario_by_file_when_asked_should_answer_like_the_one_by_name() {
    let name = "manual-commit-of-a-read-before-purge";
    assert_eq!(json(&[&format!("{FOLDER}/{name}.toml")]), json(&[name]));
}

#[test]
fn given_a_contract_by_file_when_asked_should_answer_like_the_one_by_name() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/contracts/owner-installed.toml");
    let name = "disk-read-ends-after-purge";
    assert_eq!(result(name, path, &[]), result(name, "owner-installed", &[]));
}

#[test]
fn given_a_story_when_told_should_keep_the_order_of_the_scenario() {
    let output = ask(&["disk-read-ends-after-purge", "--contract", "iggy-2026-08", "--story"]);
    let text = text_of(&output.stdout);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("`{part}` is not in:\n{text}"));
    assert!(place("the read of C opens its file") < place("empty the topic"));
    assert!(place("applies the purge") < place("sends 5 messages"));
    assert!(place("takes up 5 messages") < place("the read of C completes"));
    place("no-skip breaks in line 19: Next went on at offset 3, and offset 0 of history 2 was never served");
}

#[test]
fn given_contracts_with_the_same_answer_when_told_should_share_a_row_of_the_table() {
    let output = ask(&["delete-of-a-missing-bookmark"]);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(text.matches("delete: 3021 ConsumerOffsetNotFound").count(), 1, "{text}");
    for (contract, _) in CONTRACTS {
        assert!(text.contains(contract), "{contract} is not in:\n{text}");
    }
    assert!(text.ends_with("As expected: 8 answers.\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn given_a_removed_fence_when_asked_should_change_the_answer_and_compare_nothing() {
    let name = "disk-read-ends-after-purge";
    let (_, before) = result(name, "iggy-poll-completion", &[]);
    assert!(words(&before["broken_clauses"]).is_empty());
    let (code, after) = result(name, "iggy-poll-completion", &["--without", "poll-history-at-completion"]);
    assert_eq!(code, Some(0));
    assert!(words(&after["broken_clauses"]).contains(&"no-skip".to_owned()));
    assert!(words(&after["unexpected"]).is_empty());
}

#[test]
fn given_an_answer_that_is_not_expected_when_asked_should_say_so_and_end_with_1() {
    let name = "delete-of-a-missing-bookmark";
    let table = "[expect.kept-numbering]\npossible = true";
    for (to, difference) in [
        ("[expect.kept-numbering]", "expected not applicable, found possible"),
        ("[expect.kept-numbering]\npossible = false", "expected impossible, found possible"),
        (&format!("{table}\nbreaks = [\"no-skip\"]"), "no-skip was expected to break, and does not"),
    ] {
        let (_folder, path) = changed(name, table, to);
        let output = ask(&[&path]);
        let text = text_of(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(&format!("NOT AS EXPECTED\n{name}  kept-numbering: {difference}\n")), "{text}");
        assert!(text.contains("possible !"), "{text}");
        assert!(text.ends_with("Not as expected: 1 answer.\n"), "{text}");
    }
}

#[test]
fn given_a_scenario_without_expectations_when_asked_should_compare_nothing() {
    let text = std::fs::read_to_string(format!("{FOLDER}/delete-of-a-missing-bookmark.toml")).expect("the scenario");
    let text = text.split("[expect").next().expect("a beginning");
    let (_folder, path) = written(text);
    let output = ask(&[&path]);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.ends_with("Nothing is expected of these answers, so nothing was compared.\n"), "{text}");
}

#[test]
fn given_a_limit_when_reached_should_say_stopped_and_end_with_3() {
    let arguments = ["disk-read-ends-after-purge", "--contract", "kept-numbering", "--max-states", "10"];
    let output = ask(&arguments);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("stopped (states) before the end"), "{text}");
    let (code, report) = json(&arguments);
    assert_eq!(code, Some(3));
    assert!(report["results"][0]["possible"].is_null());
    assert_eq!(report["results"][0]["stopped"], "states");
}

/// The text between two marks of the guide, without the fences of the code block.
fn block(name: &str) -> String {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scenarios.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let start = format!("<!-- {name}:start -->\n");
    let text = guide.split(&start).nth(1).and_then(|rest| rest.split(&format!("<!-- {name}:end -->")).next());
    let text = text.expect("the marks").trim_end();
    let lines: Vec<&str> = text.lines().collect();
    lines[1..lines.len() - 1].join("\n") + "\n"
}

#[test]
fn given_the_example_of_the_guide_when_asked_should_be_answered_as_the_guide_says() {
    let (_folder, path) = written(&block("example"));
    assert_eq!(text_of(&ask(&[&path]).stdout), block("answer"));
}
