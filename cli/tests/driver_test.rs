//! `fencepost driver-test` with real drivers: the kits and the worked example pass, and whatever misbehaves is told apart.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder or file of this repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn driver_test(arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("driver-test").args(arguments).timeout(std::time::Duration::from_secs(300));
    command.output().expect("the command runs")
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Whether a runtime is there. In continuous integration it has to be; elsewhere the test says what is missing.
fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(is_there || std::env::var_os("CI").is_none(), "{program} is missing");
    if !is_there {
        eprintln!("not tried: {program} is missing");
    }
    is_there
}

fn demand_passed(command: &[&str]) {
    let output = driver_test(command);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}{}", text_of(&output.stderr));
    assert!(text.contains("The driver passes 16 checks."), "{text}");
}

#[test]
fn given_the_node_kit_when_tested_should_pass() {
    if has("node") {
        demand_passed(&["node", &repository("conformance/driver/kits/node/toy.mjs").to_string_lossy()]);
    }
}

#[test]
fn given_the_python_kit_when_tested_should_pass() {
    if has("python3") {
        demand_passed(&["python3", &repository("conformance/driver/kits/python/toy.py").to_string_lossy()]);
    }
}

#[test]
fn given_the_java_kit_when_tested_should_pass() {
    if !has("java") || !has("javac") {
        return;
    }
    let classes = tempfile::tempdir().expect("a folder");
    let source = |name: &str| repository("conformance/driver/kits/java").join(name);
    let files = ["Json.java", "Kit.java", "Toy.java"].map(source);
    let compiled = Command::new("javac").arg("-d").arg(classes.path()).args(files).output().expect("javac");
    assert!(compiled.status.success(), "{}", text_of(&compiled.stderr));
    demand_passed(&["java", "-cp", &classes.path().to_string_lossy(), "Toy"]);
}

#[test]
fn given_the_worked_example_when_tested_should_pass() {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "-p", "fencepost-driver", "--example", "worked_example"])
        .args(profile)
        .current_dir(repository("."))
        .output()
        .expect("cargo");
    assert!(built.status.success(), "{}", text_of(&built.stderr));
    let binary = PathBuf::from(assert_cmd::cargo::cargo_bin!("fencepost"));
    let example = binary.with_file_name("examples").join("worked_example");
    demand_passed(&[&example.to_string_lossy()]);
}

/// The check that a driver with a fault fails, the kind of its failure, and a part of the sentence.
fn demand_fault(fault: &str, check: &str, kind: &str, sentence: &str) {
    if !has("python3") {
        return;
    }
    let script = repository("cli/tests/driver_test_fixtures/misbehaving.py");
    let script = script.to_string_lossy();
    let output = driver_test(&["--format", "json", "--step-limit", "2000", "python3", &script, fault]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report in JSON");
    assert_eq!(output.status.code(), Some(1), "{report:#}");
    let checks = report["results"][0]["checks"].as_array().expect("checks");
    let failed: Vec<&Value> = checks.iter().filter(|row| row["result"] == "failed").collect();
    let first = failed.first().unwrap_or_else(|| panic!("{fault} passes: {report:#}"));
    let text = first["text"].as_str().unwrap_or_default();
    assert_eq!((first["check"].as_str(), first["kind"].as_str()), (Some(check), Some(kind)), "{text}");
    assert!(text.contains(sentence), "{text}");
    assert!(!text.contains('\n'), "one line: {text}");
}

#[test]
fn given_a_driver_that_dies_when_tested_should_be_told_with_its_last_words() {
    demand_fault(
        "dies",
        "calls",
        "panic-or-exit",
        "exit status: 3) instead of answering `resume`; its last words: cannot go on",
    );
}

#[test]
fn given_a_driver_that_hangs_when_tested_should_be_told_once_and_the_rest_not_tried() {
    demand_fault("hangs", "calls", "hang", "did not answer `resume` within 2 s");
}

#[test]
fn given_a_driver_that_chatters_when_tested_should_be_told_with_the_line() {
    demand_fault("chatters", "calls", "protocol", "printed `connected to the broker`");
}

#[test]
fn given_a_driver_that_answers_out_of_order_when_tested_should_be_told_with_the_numbers() {
    demand_fault("answers-out-of-order", "calls", "protocol", "question 12 was due, it answered 13");
}

#[test]
fn given_a_driver_of_another_version_when_tested_should_be_told() {
    demand_fault("other-version", "hello", "protocol", "speaks `fencepost-driver/2`, not fencepost-driver/1");
}

#[test]
fn given_looks_that_change_something_when_tested_should_be_a_contradiction() {
    demand_fault("looks-change", "observe", "contradiction", "`next_offset`");
    demand_fault("looks-move-bookmark", "observe", "contradiction", "`bookmarks`");
}

#[test]
fn given_replies_that_contradict_the_looks_when_tested_should_be_a_contradiction() {
    demand_fault("wrong-payload", "replies", "contradiction", "a poll gives `m-1?` at 0");
    demand_fault("forgets-second-store", "replies", "contradiction", "a store of 0 is acknowledged");
}

#[test]
fn given_what_is_declared_and_not_so_when_tested_should_be_told() {
    demand_fault("declares-too-much", "calls", "incomplete", "declares the call `delete`");
    demand_fault("declares-unknown-call", "capabilities", "capabilities", "`sing` is no call");
    demand_fault("declares-unseen-field", "observe", "incomplete", "`queued`");
    demand_fault("declares-crash", "crash", "incomplete", "declared, and not done");
}

#[test]
fn given_parks_that_are_not_true_when_tested_should_be_told() {
    demand_fault("unsorted", "calls", "parks", "not sorted");
    demand_fault("lists-what-does-not-wait", "calls", "parks", "something waits at `reply:zz.1` and refuses it");
    demand_fault("accepts-unknown-park", "unknown-park", "parks", "nothing waits at `request:nobody.99`");
}

#[test]
fn given_traces_that_show_through_when_tested_should_be_told() {
    demand_fault("forgets-to-reset", "reset", "not-fresh", "`bookmarks`");
    demand_fault("nondeterministic", "determinism", "nondeterministic", "a third time");
}

#[test]
fn given_a_driver_that_takes_everything_when_tested_should_be_told() {
    demand_fault("lax", "strictness", "not-strict", "an unknown message is not answered with `error`");
}

#[test]
fn given_a_driver_that_does_not_leave_well_when_tested_should_be_told() {
    demand_fault("stays", "bye", "farewell", "did not end in time");
    demand_fault("leaves-process", "bye", "farewell", "left processes behind");
    demand_fault("ends-badly", "bye", "farewell", "exit status: 7");
}

#[test]
fn given_a_slow_driver_that_answers_in_time_when_tested_should_pass() {
    if has("python3") {
        let script = repository("cli/tests/driver_test_fixtures/misbehaving.py");
        demand_passed(&["python3", &script.to_string_lossy(), "answers-slowly"]);
    }
}

#[test]
fn given_no_such_program_when_tested_should_be_bad_input() {
    let output = driver_test(&["/there/is/no/such/driver"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).starts_with("error: `/there/is/no/such/driver` could not be started: "));
    assert_eq!(driver_test(&[]).status.code(), Some(2));
    assert_eq!(driver_test(&["--contract", "no-such", "true"]).status.code(), Some(2));
}
