//! `fencepost replay` with real processes: a driver that agrees, drivers that misbehave in every way, bad input, a full disk.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn replay(arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("replay").args(arguments).timeout(std::time::Duration::from_secs(300));
    command.output().expect("the command runs")
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One small view, so that a driver that misbehaves is met soon.
const SMALL: &[&str] = &["--contract", "iggy-2026-08", "--view", "restart", "--cover", "labels", "--step-time", "500"];

fn misbehaving(how: &str) -> (Output, String) {
    let script = repository("cli/tests/driver_test_fixtures/misbehaving.py");
    let driver = format!("python3 '{}' {how}", script.display());
    let mut arguments = vec!["--driver", &driver];
    arguments.extend(SMALL);
    let output = replay(&arguments);
    let text = format!("{}{}", text_of(&output.stdout), text_of(&output.stderr));
    assert!(!is_running(&format!("misbehaving.py {how}")), "a driver was left behind");
    let errors = text_of(&output.stderr);
    let errors = errors.lines().filter(|line| line.starts_with("error: ")).count();
    assert_eq!(errors, 1, "one clear line: {text}");
    (output, text)
}

/// Whether a process with this in its command line is there.
fn is_running(text: &str) -> bool {
    let Ok(folders) = std::fs::read_dir("/proc") else { return false };
    let lines = folders.flatten().filter_map(|folder| std::fs::read(folder.path().join("cmdline")).ok());
    let mut lines = lines.map(|line| text_of(&line).replace('\0', " "));
    lines.any(|line| line.starts_with("python3") && line.contains(text))
}

#[test]
fn given_the_reference_partition_when_replayed_should_agree_and_count_what_it_came_by() {
    let arguments =
        ["--driver", "builtin:reference", "--contract", "owner-installed", "--view", "restart", "--format", "json"];
    let output = replay(&arguments);
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let result = &report["results"][0];
    assert_eq!(output.status.code(), Some(0), "{result}");
    assert_eq!(report["schema"], "fencepost.report/1");
    assert_eq!(result["abstract_transitions"]["covered"], result["abstract_transitions"]["reachable"]);
    assert!(result["steps"].as_u64().is_some_and(|steps| steps > 500), "{result}");
    assert_eq!(result["divergences"], Value::Array(Vec::new()));
}

#[test]
fn given_a_planted_fault_when_replayed_should_name_the_clause_and_tell_the_story() {
    let arguments = [
        "--driver",
        "builtin:reference+effect-in-detached-read",
        "--contract",
        "iggy-poll-completion",
        "--view",
        "purge-with-pending-polls",
    ];
    let output = replay(&arguments);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("clause no-stale-batch is left"), "{text}");
    assert!(text.contains("It would be allowed without the fence `poll-history-at-completion`"), "{text}");
}

#[test]
fn given_a_driver_that_prints_rubbish_when_replayed_should_quote_it() {
    let (output, text) = misbehaving("chatters");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
    assert!(text.contains("protocol"), "{text}");
}

#[test]
fn given_a_driver_that_hangs_when_replayed_should_end_it_and_say_so() {
    let (output, text) = misbehaving("hangs");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
    assert!(text.contains("did not answer `resume` within 0.5 s"), "{text}");
}

#[test]
fn given_a_driver_that_dies_when_replayed_should_say_how() {
    let (output, text) = misbehaving("dies");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
    assert!(text.contains("ended"), "{text}");
}

#[test]
fn given_a_driver_that_answers_out_of_order_when_replayed_should_say_so() {
    let (output, text) = misbehaving("answers-out-of-order");
    assert!(matches!(output.status.code(), Some(1 | 2)), "{text}");
    assert!(text.contains("order"), "{text}");
}

#[test]
fn given_a_program_that_is_not_there_when_replayed_should_be_bad_input() {
    let output = replay(&["--driver", "./no-such-driver", "--contract", "iggy-2026-08"]);
    let text = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("no-such-driver"), "{text}");
}

#[test]
fn given_a_misspelt_fault_when_replayed_should_name_the_nearest() {
    let output = replay(&["--driver", "builtin:reference+without-poll-history-at-complettion"]);
    let text = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("did you mean `without-poll-history-at-completion`?"), "{text}");
}

#[test]
fn given_a_full_disk_when_the_report_is_written_should_say_so() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        panic!("this system has no /dev/full");
    };
    let output = Command::new(assert_cmd::cargo::cargo_bin!("fencepost"))
        .args(["replay", "--driver", "builtin:reference"])
        .args(SMALL)
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .expect("the command runs");
    let text = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("cannot be written"), "{text}");
}
