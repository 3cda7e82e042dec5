//! Contracts of several families: which command takes them, what they are told apart by, and one report about all of them.

mod support;

use std::process::Command;

use serde_json::Value;
use support::{check, json, output_of, text_of};

/// A contract of the KafkaJS family, and a view that only that family has.
const KAFKAJS: (&str, &str) = ("kafkajs-guard", "lost-and-regained");

/// A contract of the Iggy family, and a small view that only that family has.
const IGGY: (&str, &str) = ("iggy-2026-08", "polls-with-reassignment");

/// A fence of the KafkaJS family.
const FENCE: &str = "known-offset-before-fetch";

/// What a command complains about; it must end with exit code 2 and print nothing else.
fn complaint(arguments: &[&str]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.args(arguments);
    let output = output_of(assert_cmd::Command::from_std(command));
    let complaint = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert_eq!(text_of(&output.stdout), "");
    complaint
}

fn demand(complaint: &str, texts: &[&str]) {
    for text in texts {
        assert!(complaint.contains(text), "`{text}` is not in:\n{complaint}");
    }
}

/// A contract of the KafkaJS family in a folder of its own, with another word for its family.
fn file_of_family(word: &str) -> (tempfile::TempDir, String) {
    let original = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/contracts/kafkajs-guard.toml");
    let text = std::fs::read_to_string(original).expect("the contract");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    let changed = text.replacen("family = \"kafkajs\"", &format!("family = \"{word}\""), 1);
    std::fs::write(&path, changed).expect("a file");
    let path = path.display().to_string();
    (folder, path)
}

/// The families of the results of a report, each time another one begins.
fn families(report: &Value) -> Vec<&str> {
    let results = report["results"].as_array().expect("results").iter();
    let mut families: Vec<&str> = results.map(|result| result["family"].as_str().expect("a family")).collect();
    families.dedup();
    families
}

#[test]
fn given_an_unknown_family_in_a_file_when_checked_should_name_the_place_and_the_families() {
    let (_folder, path) = file_of_family("kafka");
    let complaint = complaint(&["check", &path]);
    // The word is in line 3, after `family = "`, and its quotes belong to it.
    demand(&complaint, &["unknown family `kafka`", &format!("{path}:3:10"), "accepted: iggy, kafkajs"]);
}

#[test]
fn given_a_contract_of_another_family_as_its_base_when_checked_should_be_refused() {
    let (_folder, path) = file_of_family("kafkajs");
    let text = std::fs::read_to_string(&path).expect("the file");
    std::fs::write(&path, text.replacen("\"kafkajs-unguarded\"", "\"iggy-2026-08\"", 1)).expect("a file");
    demand(&complaint(&["check", &path]), &["unknown contract `iggy-2026-08`", &path]);
}

#[test]
fn given_a_misspelt_contract_of_any_family_when_checked_should_name_the_nearest_of_all() {
    demand(&complaint(&["check", "kafkajs-gaurd"]), &["did you mean `kafkajs-guard`?"]);
    demand(&complaint(&["check", "kept-numbring"]), &["did you mean `kept-numbering`?"]);
}

#[test]
fn given_a_kafkajs_contract_when_a_command_has_no_use_for_its_family_should_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("traces").display().to_string();
    let (_folder, file) = file_of_family("kafkajs");
    for contract in [KAFKAJS.0, &file] {
        for command in [&["replay", "--driver", "builtin:reference"][..], &["traces", "--output", &output]] {
            let complaint = complaint(&[command, &["--contract", contract]].concat());
            let message =
                format!("`{contract}` is a contract of the family kafkajs, which `{}` does not take", command[0]);
            demand(&complaint, &[&message, "iggy-2026-08"]);
        }
    }
    assert!(!folder.path().join("traces").exists(), "nothing is begun");
}

#[test]
fn given_a_kafkajs_fence_and_an_iggy_contract_when_removed_should_name_the_fences_there_are() {
    let complaint = complaint(&["check", IGGY.0, "--without", FENCE]);
    demand(&complaint, &["`known-offset-before-fetch` is a fence of the family kafkajs", "poll-member-at-dispatch"]);
    assert!(!complaint.contains("version-at-resolve"), "{complaint}");
}

#[test]
fn given_a_name_of_one_family_when_only_another_is_explored_should_be_refused() {
    demand(&complaint(&["check", IGGY.0, "--view", KAFKAJS.1]), &["a view of the family kafkajs", IGGY.1]);
    let arguments = ["check", "--view", IGGY.1, "--story", "no-undefined-offset"];
    demand(&complaint(&arguments), &["a clause of the family kafkajs", "no-foreign-progress"]);
}

#[test]
fn given_a_clause_and_a_view_of_different_families_when_a_story_is_wanted_should_be_refused() {
    let story = format!("no-undefined-offset@{}", IGGY.1);
    let message = format!("no family has both the clause `no-undefined-offset` and the view `{}`", IGGY.1);
    demand(&complaint(&["check", "--story", &story]), &[&message]);
}

#[test]
fn given_a_view_of_one_family_when_contracts_of_two_are_checked_should_leave_out_the_other_and_say_so() {
    let arguments = [KAFKAJS.0, IGGY.0, "--view", IGGY.1];
    let text = text_of(&output_of(check(&arguments)).stdout);
    let (iggy, kafkajs) = text.split_once("\nFAMILY kafkajs\n").unwrap_or_else(|| panic!("{text}"));
    assert!(iggy.starts_with("FAMILY iggy\n\n15 clauses, 1 contract, "), "{text}");
    assert_eq!(kafkajs.lines().nth(1), Some("not explored: it has none of the wanted views"), "{text}");
    assert_eq!(families(&json(&[&arguments[..], &["--format", "json"]].concat())), ["iggy"]);
}

#[test]
fn given_contracts_of_two_families_when_checked_should_tell_the_families_one_after_another_and_conclude_once() {
    let views = ["--view", IGGY.1, "--view", KAFKAJS.1, "--max-states", "50"];
    let arguments = [&[KAFKAJS.0, IGGY.0, "--without", FENCE][..], &views].concat();
    let output = output_of(check(&arguments));
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}{}", text_of(&output.stderr));
    let (iggy, kafkajs) = text.split_once("\nFAMILY kafkajs\n").unwrap_or_else(|| panic!("{text}"));
    assert!(iggy.starts_with("FAMILY iggy\n") && !iggy.contains(FENCE), "{text}");
    assert!(kafkajs.contains(&format!("without the fence {FENCE}: ")), "{text}");
    assert_eq!(text.matches("before the end.").count(), 1, "{text}");
    let report = json(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(families(&report), ["iggy", "kafkajs"]);
    assert_eq!(report["without"], serde_json::json!([FENCE]));
}

#[test]
fn given_contracts_of_one_family_when_checked_should_have_no_title_of_a_family() {
    for (contract, view) in [IGGY, KAFKAJS] {
        let text = text_of(&output_of(check(&[contract, "--view", view, "--max-states", "50"])).stdout);
        assert!(text.contains("clauses, 1 contract, ") && !text.contains("FAMILY"), "{text}");
    }
}

#[test]
fn given_no_names_when_checked_should_have_all_contracts_of_all_families() {
    let views = ["--view", IGGY.1, "--view", KAFKAJS.1];
    let report = json(&[&views[..], &["--max-states", "50", "--format", "json"]].concat());
    assert_eq!(families(&report), ["iggy", "kafkajs"]);
    assert_eq!(report["results"].as_array().map(Vec::len), Some(16));
}
