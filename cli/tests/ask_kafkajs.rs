//! `fencepost ask` about scenarios of the KafkaJS family, and of several families at once.

mod support;

use std::collections::BTreeSet;

use fencepost_spec::library::{CONTRACTS, KAFKAJS_CONTRACTS, KAFKAJS_SCENARIOS, SCENARIOS, kafkajs_scenario};
use serde_json::Value;
use support::{ask, ask_json, text_of, words, written};

/// A scenario and a contract of the Iggy family.
const IGGY: (&str, &str) = ("not-an-owner", "kept-numbering");

/// A scenario that both of the contracts make something else of.
const NAME: &str = "records-from-before-regaining";
const GUARD: &str = "kafkajs-guard";
const VERSION: &str = "kafkajs-partition-version";

/// The exit code and the results as JSON, without their times.
fn results(arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let (code, report) = ask_json(arguments);
    assert_eq!((&report["schema"], &report["command"]), (&"fencepost.report/1".into(), &"ask".into()));
    (code, report["results"].as_array().expect("results").clone())
}

/// What the command complains about; it must end with exit code 2 and print nothing else.
fn complaint(arguments: &[&str]) -> String {
    let output = ask(arguments);
    let complaint = text_of(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{complaint}");
    complaint
}

fn demand(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

/// The file of a built-in scenario.
fn file_of(name: &str) -> String {
    format!("{}/../spec/scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn given_every_built_in_scenario_when_asked_should_answer_as_expected_and_as_pinned() {
    let names: Vec<&str> = KAFKAJS_SCENARIOS.iter().map(|(name, _)| *name).collect();
    let (code, results) = results(&names);
    assert_eq!(results.len(), KAFKAJS_SCENARIOS.len() * KAFKAJS_CONTRACTS.len());
    let mut pinned = String::new();
    for result in &results {
        let (name, contract) =
            (result["scenario"].as_str().expect("a name"), result["contract"].as_str().expect("a name"));
        let expected = &kafkajs_scenario(name).expect("a scenario").expect[contract];
        assert_eq!(result["possible"].as_bool(), expected.possible, "{name} under {contract}");
        let breaks: BTreeSet<String> = expected.breaks.iter().map(|clause| clause.word().to_owned()).collect();
        assert_eq!(BTreeSet::from_iter(words(&result["broken_clauses"])), breaks, "{name} under {contract}");
        pinned.push_str(&pin(result));
    }
    assert_eq!(code, Some(0));
    insta::assert_snapshot!("kafkajs", pinned);
}

/// What is pinned of a result: whether it is possible, what breaks, and how long the story is.
fn pin(result: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (scenario, contract) = (word(&result["scenario"]), word(&result["contract"]));
    if result["possible"] == false {
        return format!("{scenario} | {contract} | impossible: {}\n", word(&result["reason"]));
    }
    let always = words(&result["always_broken"]);
    let broken = words(&result["broken_clauses"]).into_iter().map(|clause| {
        let how_often = if always.contains(&clause) { "in every course" } else { "in some courses" };
        format!("\n  ✗ {clause} {how_often}")
    });
    let lines: String = broken.collect();
    format!("{scenario} | {contract} | possible, story of {} steps{lines}\n", result["story_steps"])
}

#[test]
fn given_nothing_named_when_asked_should_ask_every_contract_about_the_scenarios_of_its_family() {
    let (code, results) = results(&["--max-states", "1"]);
    assert_eq!(code, Some(3));
    let all = SCENARIOS.len() * CONTRACTS.len() + KAFKAJS_SCENARIOS.len() * KAFKAJS_CONTRACTS.len();
    assert_eq!(results.len(), all);
    for result in &results {
        let is_kafkajs = KAFKAJS_SCENARIOS.iter().any(|(name, _)| result["scenario"] == *name);
        assert_eq!(KAFKAJS_CONTRACTS.iter().any(|(name, _)| result["contract"] == *name), is_kafkajs, "{result}");
    }
}

#[test]
fn given_a_contract_when_asked_should_ask_about_the_scenarios_of_its_family_only() {
    for (contract, scenarios) in [(GUARD, KAFKAJS_SCENARIOS), (IGGY.1, SCENARIOS)] {
        let (_, results) = results(&["--contract", contract, "--max-states", "1"]);
        let names: Vec<&str> = results.iter().filter_map(|result| result["scenario"].as_str()).collect();
        assert_eq!(names, scenarios.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}

#[test]
fn given_scenarios_of_two_families_when_asked_should_have_one_report_and_one_conclusion() {
    let output = ask(&[NAME, IGGY.0, "--contract", GUARD, "--contract", IGGY.1]);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", text_of(&output.stderr));
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("`{part}` is not in:\n{text}"));
    assert!(place(IGGY.0) < place("what the clients get, and what breaks") && place(IGGY.1) < place(NAME), "{text}");
    assert!(text.ends_with("As expected: 2 answers.\n"), "{text}");
}

#[test]
fn given_a_scenario_and_a_contract_of_different_families_when_asked_should_be_refused() {
    let message = format!("`{GUARD}` is a contract of the family kafkajs, and no scenario of that family is named");
    demand(&complaint(&[IGGY.0, "--contract", GUARD]), &["`not-an-owner` is a scenario of the family iggy"]);
    demand(
        &complaint(&[IGGY.0, "--contract", GUARD, "--contract", IGGY.1]),
        &[&message, "scenarios of its own family"],
    );
    let message = format!("`{NAME}` is a scenario of the family kafkajs, and no contract of that family is named");
    demand(&complaint(&[NAME, IGGY.0, "--contract", IGGY.1]), &[&message, "kafkajs-unguarded, kafkajs-lock"]);
    demand(&complaint(&[&file_of(NAME), "--contract", IGGY.1]), &["`kept-numbering` is a contract of the family iggy"]);
}

#[test]
fn given_a_name_that_nothing_has_when_asked_should_name_the_nearest_of_all_families() {
    demand(&complaint(&["records-after-los"]), &["there is no scenario", "did you mean `records-after-loss`?"]);
    demand(&complaint(&["not-an-ownr"]), &["did you mean `not-an-owner`?"]);
    demand(&complaint(&[NAME, "--without", "version-at-resolv"]), &["did you mean `version-at-resolve`?"]);
    let fence = "poll-member-at-dispatch";
    demand(&complaint(&[NAME, "--without", fence]), &["a fence of the family iggy, of which nothing is explored here"]);
    let text = std::fs::read_to_string(file_of(NAME)).expect("the scenario");
    let (_folder, path) = written(&text.replacen("\"kafkajs\"", "\"kafka\"", 1));
    demand(&complaint(&[&path]), &["unknown family `kafka`", &format!("{path}:3:10"), "accepted: iggy, kafkajs"]);
}

#[test]
fn given_a_possible_scenario_when_asked_as_json_should_have_the_shape_of_the_other_family() {
    let (code, mine) = results(&[NAME, "--contract", GUARD]);
    let (_, other) = results(&[IGGY.0, "--contract", IGGY.1]);
    let keys = |result: &Value| result.as_object().expect("a result").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&mine[0]), keys(&other[0]));
    assert_eq!((code, &mine[0]["possible"]), (Some(0), &true.into()));
    assert_eq!(mine[0]["broken_clauses"][0], "acknowledged-commit-stands");
    let breaches = mine[0]["breaches"].as_array().expect("breaches");
    let severest = breaches.iter().find(|breach| breach["clause"] == "acknowledged-commit-stands").expect("it breaks");
    assert_eq!(severest["reason"], "the group's progress of p0 goes from 3 to 2");
    let lines = mine[0]["story"]["lines"].as_array().expect("lines");
    assert_eq!(mine[0]["story_steps"].as_u64(), Some(lines.len() as u64));
}

#[test]
fn given_a_fence_that_drops_what_comes_next_when_asked_should_be_impossible_and_tell_how_far_it_gets() {
    let (code, results) = results(&[NAME, "--contract", VERSION]);
    assert_eq!((code, &results[0]["possible"]), (Some(0), &false.into()));
    let reason = "`handler returns` does not happen, for which `commit is acknowledged` waits";
    assert_eq!(results[0]["reason"], reason);
    assert!(results[0]["story_steps"].is_null() && !results[0]["story"]["lines"].as_array().expect("lines").is_empty());
}

#[test]
fn given_a_story_when_told_should_keep_the_order_of_the_scenario() {
    let text = text_of(&ask(&[NAME, "--contract", GUARD, "--story"]).stdout);
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("`{part}` is not in:\n{text}"));
    assert!(place("reads p0 at 0") < place("generation 2, with p1"), "{text}");
    assert!(place("processes records and commits") < place("generation 3: the consumer has p0 and p1"), "{text}");
    assert!(place("generation 3, with p0 and p1") < place("answers the fetch of p0: records 0 to 1"), "{text}");
    place("acknowledged-commit-stands breaks in line");
}

#[test]
fn given_a_removed_fence_when_asked_should_change_the_answer_and_compare_only_the_other_family() {
    let arguments = [NAME, "--contract", VERSION, "--without", "version-at-fetch-answer"];
    let (code, changed) = results(&arguments);
    assert_eq!((code, words(&changed[0]["unexpected"]).len()), (Some(0), 0));
    assert_eq!(changed[0]["reason"], "`commit is acknowledged` does not happen");
    let text = text_of(&ask(&arguments).stdout);
    assert!(text.starts_with("without the fence version-at-fetch-answer: which records are processed"), "{text}");
    assert!(text.ends_with("Not compared with what is expected: a fence was removed.\n"), "{text}");
    let text = text_of(&ask(&[&arguments[..], &[IGGY.0, "--contract", IGGY.1]].concat()).stdout);
    assert!(text.ends_with("As expected: 1 answer; not compared where a fence was removed.\n"), "{text}");
}

#[test]
fn given_an_answer_that_is_not_expected_when_asked_should_say_so_and_end_with_1() {
    let text = std::fs::read_to_string(file_of(NAME)).expect("the scenario");
    let table = format!("[expect.{GUARD}]\npossible = true\nbreaks = [\"acknowledged-commit-stands\", ");
    assert!(text.contains(&table));
    for (to, difference) in [
        (format!("[expect.{GUARD}]\npossible = false\nbreaks = ["), "expected impossible, found possible"),
        (
            format!("[expect.{GUARD}]\npossible = true\nbreaks = ["),
            "acknowledged-commit-stands breaks, which was not expected",
        ),
        (format!("{table}\"no-skip\", "), "no-skip was expected to break, and does not"),
    ] {
        let (_folder, path) = written(&text.replacen(&table, &to, 1));
        let output = ask(&[&path]);
        let text = text_of(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        demand(&text, &[&format!("NOT AS EXPECTED\n{NAME}  {GUARD}: {difference}\n"), "possible !"]);
        assert!(text.ends_with("Not as expected: 1 answer.\n"), "{text}");
    }
}

#[test]
fn given_other_engines_threads_and_a_file_when_asked_should_give_the_same_results() {
    let named = results(&[NAME]);
    assert_eq!(results(&[&file_of(NAME)]), named);
    for more in [["--threads", "1"], ["--threads", "3"], ["--engine", "plain"]] {
        assert_eq!(results(&[&[NAME], &more[..]].concat()), named, "{more:?}");
    }
}

/// The text between two marks of the guide, without the fences of the code block.
fn block(name: &str) -> String {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scenarios.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let start = format!("<!-- {name}:start -->\n");
    let text = guide.split(&start).nth(1).and_then(|rest| rest.split(&format!("<!-- {name}:end -->")).next());
    let lines: Vec<&str> = text.expect("the marks").trim_end().lines().collect();
    lines[1..lines.len() - 1].join("\n") + "\n"
}

#[test]
fn given_the_example_of_the_guide_when_asked_should_be_answered_as_the_guide_says() {
    let (_folder, path) = written(&block("kafkajs-example"));
    let output = ask(&[&path, "--contract", GUARD, "--contract", VERSION]);
    assert_eq!(text_of(&output.stdout), block("kafkajs-answer"));
}
