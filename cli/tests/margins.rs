//! `fencepost check --margins` as a process.

mod support;

use fencepost_spec::clause::ClauseName;
use serde_json::Value;
use support::{check, json, output_of, text_of};

/// A contract with one clause whose mutants change it.
const CONTRACT: &str = "deferred-poll";

fn margins(report: &Value) -> &Vec<Value> {
    report["margins"].as_array().expect("margins")
}

#[test]
fn given_a_contract_when_margins_are_wanted_as_json_should_have_those_clauses_whose_mutants_change_it() {
    let report = json(&[CONTRACT, "--margins", "--format", "json"]);
    let [margin] = margins(&report).as_slice() else { panic!("{}", report["margins"]) };
    assert_eq!(margin["clause"], "stale-poll-is-retryable");
    assert_eq!(margin["contract"], CONTRACT);
    assert_eq!(margin["caught"], true);
    assert_eq!(margin["warning"], false);
    for field in ["mutant", "view"] {
        assert!(margin[field].is_string(), "{margin}");
    }
    assert!(margin["mutants"].as_u64() > Some(1), "the named mutant and another fence: {margin}");
    let steps = |field: &str| margin[field].as_i64().unwrap_or_else(|| panic!("{field} in {margin}"));
    assert_eq!(steps("margin_steps"), steps("bound_steps") - steps("story_steps"));
    let depth = report["results"][0]["depth"].as_i64().expect("a depth");
    assert!(steps("bound_steps") <= depth && steps("story_steps") > 0, "{margin}");
}

#[test]
fn given_a_contract_when_margins_are_wanted_as_text_should_tell_them_and_what_they_mean() {
    let output = output_of(check(&[CONTRACT, "--margins"]));
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (_, section) = text.split_once("\nMARGINS, ").unwrap_or_else(|| panic!("no margins in {text}"));
    assert!(section.contains("stale-poll-is-retryable"), "{section}");
    assert!(section.contains(&format!("  {CONTRACT}@")), "{section}");
    let prose = section.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(prose.contains("a mistake that needs a second purge is out of reach of a view with one purge"), "{prose}");
    for other in ClauseName::ALL.iter().filter(|clause| **clause != ClauseName::StalePollIsRetryable) {
        assert!(!section.contains(other.word()), "{section}");
    }
    assert!(section.lines().all(|line| line.chars().count() <= 120), "{section}");
}

#[test]
fn given_a_contract_that_no_mutant_changes_when_margins_are_wanted_should_say_so() {
    let report = json(&["kept-numbering", "--margins", "--format", "json"]);
    assert!(margins(&report).is_empty());
    let text = text_of(&output_of(check(&["kept-numbering", "--margins"])).stdout);
    assert!(text.contains("no clause has its mutants in the checked contracts"), "{text}");
}

#[test]
fn given_a_check_without_margins_when_printed_should_not_mention_them() {
    let arguments = ["owner-installed", "--view", "liveness"];
    assert!(!text_of(&output_of(check(&arguments)).stdout).contains("MARGINS"));
    let report = json(&[&arguments[..], &["--format", "json"]].concat());
    assert!(report.get("margins").is_none());
}

#[test]
fn given_a_limit_when_reached_should_know_no_margin_and_say_stopped() {
    let arguments = [CONTRACT, "--margins", "--max-states", "50"];
    let report = json(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(margins(&report)[0]["caught"], Value::Null);
    assert_eq!(margins(&report)[0]["margin_steps"], Value::Null);
    let output = output_of(check(&arguments));
    assert_eq!(output.status.code(), Some(3), "{}", text_of(&output.stdout));
}

#[test]
fn given_a_mutant_that_changes_nothing_when_margins_are_wanted_should_not_be_caught_and_fail() {
    // Without the fence that its mutant would remove, the contract is its own mutant.
    let original = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/contracts/deferred-poll.toml");
    let text = std::fs::read_to_string(original).expect("the contract");
    let fence = "poll-assignment-at-completion = 58\n";
    assert!(text.contains(fence));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    std::fs::write(&path, text.replace(fence, "")).expect("a file");
    let report = json(&[&path, "--margins", "--format", "json"]);
    let margin = &margins(&report)[0];
    assert_eq!(margin["caught"], false, "{margin}");
    assert_eq!(margin["mutant"], "without poll-assignment-at-completion");
    let output = output_of(check(&[&path, "--margins"]));
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("not caught: without poll-assignment-at-completion"), "{text}");
    assert!(text.contains("1 uncaught mutant"), "{text}");
}

#[test]
fn given_some_views_or_a_removed_fence_when_margins_are_wanted_should_be_refused() {
    for more in [["--view", "liveness"], ["--without", "poll-history-at-completion"]] {
        let output = output_of(check(&[&["--margins"], &more[..]].concat()));
        assert_eq!(output.status.code(), Some(2));
        assert!(text_of(&output.stderr).contains("cannot be used with"), "{}", text_of(&output.stderr));
    }
}
