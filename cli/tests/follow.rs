//! `fencepost follow` on shipped and on changed recordings.

mod support;

use std::process::Output;

use serde_json::Value;
use support::{output_of, text_of};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/recordings");

fn shipped(name: &str) -> String {
    format!("{FOLDER}/{name}.jsonl")
}

fn follow(arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("follow").args(arguments);
    let mut command = assert_cmd::Command::from_std(command);
    command.timeout(std::time::Duration::from_secs(120));
    output_of(command)
}

fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = follow(arguments);
    let value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text_of(&output.stderr)));
    (output.status.code(), value)
}

/// A recording in a folder of its own.
fn written(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.jsonl");
    std::fs::write(&path, text).expect("a file");
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn given_all_shipped_recordings_when_followed_should_be_allowed_by_their_contract() {
    let mut files = Vec::new();
    for folder in ["in-process", "tcp"] {
        let entries = std::fs::read_dir(format!("{FOLDER}/{folder}")).expect("a folder");
        files.extend(entries.map(|entry| entry.expect("a file").path().display().to_string()));
    }
    assert_eq!(files.len(), 16);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (code, report) = json(&[files.as_slice(), &["--format", "json"]].concat());
    assert_eq!(code, Some(0));
    let results = report["results"].as_array().expect("results");
    assert!(results.iter().all(|result| result["allowed"] == true && result["contract"] == "iggy-2026-08"));
}

#[test]
fn given_a_recording_that_leaves_the_contract_when_followed_should_end_with_1_and_say_where() {
    let file = shipped("tcp/delayed_commit_after_regain");
    let (code, report) =
        json(&[&file, "--contract", "owner-installed", "--contract", "iggy-2026-08", "--format", "json"]);
    assert_eq!(code, Some(1));
    assert_eq!(report["schema"], "fencepost.report/1");
    assert_eq!(report["command"], "follow");
    let first = &report["results"][0];
    assert_eq!((first["allowed"].as_bool(), first["line"].as_u64()), (Some(false), Some(12)));
    assert_eq!(first["kind"], "answer-differs");
    assert_eq!(first["clause"], "commit-under-reading-assignment");
    assert_eq!(first["complete"], true);
    let second = &report["results"][1];
    assert_eq!(
        (second["allowed"].as_bool(), &second["line"], &second["clause"]),
        (Some(true), &Value::Null, &Value::Null)
    );
}

#[test]
fn given_text_when_followed_should_tell_seen_allowed_clause_and_story() {
    let file = shipped("in-process/e1_resident");
    let output = follow(&[&file, "--contract", "iggy-poll-completion"]);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "not allowed at line 7",
        "no-stale-batch",
        "seen: a batch",
        "58 TransientNotAccepted",
        "applies the purge (line 5)",
        "Not allowed: 1 of 1.",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn given_two_runs_when_compared_should_give_the_same_bytes() {
    let file = shipped("tcp/delayed_commit_after_regain");
    let run = || follow(&[&file, "--contract", "fenced-commits", "--format", "json"]).stdout;
    assert_eq!(run(), run());
}

#[test]
fn given_a_recording_outside_the_manifest_when_followed_should_demand_to_be_told_what_it_is() {
    let text = std::fs::read_to_string(shipped("in-process/e7_manual")).expect("a recording");
    let (_folder, path) = written(&text.replacen("\"count\": 3", "\"count\":  3", 1));
    let output = follow(&[&path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("--boundary"));
    let kind = ["--recording-format", "iggy-partition/1", "--boundary", "partition"];
    let output = follow(&[&[path.as_str()], kind.as_slice()].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("--contract"));
    let contract = ["--contract", "iggy-2026-08", "--format", "json"];
    let (code, report) = json(&[&[path.as_str()], kind.as_slice(), contract.as_slice()].concat());
    assert_eq!(code, Some(0));
    assert_eq!(report["results"][0]["complete"], Value::Null);
}

#[test]
fn given_bad_input_when_followed_should_end_with_2_and_say_where() {
    let text = std::fs::read_to_string(shipped("in-process/e7_manual")).expect("a recording");
    let kind = ["--recording-format", "iggy-partition/1", "--boundary", "partition", "--contract", "iggy-2026-08"];
    let demand = |text: &str, parts: &[&str]| {
        let (_folder, path) = written(text);
        let output = follow(&[&[path.as_str()], kind.as_slice()].concat());
        let complaint = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert_eq!(text_of(&output.stdout), "");
        assert!(parts.iter().all(|part| complaint.contains(part)), "{parts:?} are not in:\n{complaint}");
    };
    demand("", &["the recording is empty"]);
    demand(&text[..text.len() - 9], &["the recording is cut", "mine.jsonl:12:1"]);
    demand(&text.replacen("\"observe\"", "\"obsreve\"", 1), &["mine.jsonl:7:", "did you mean `observe`?"]);
    let file = shipped("in-process/e7_manual");
    for arguments in
        [["--contract", "kept-numbring"], ["--boundary", "partitoin"], ["--recording-format", "iggy-partition/2"]]
    {
        let output = follow(&[&[file.as_str()], arguments.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text_of(&output.stderr).contains("did you mean"), "{}", text_of(&output.stderr));
    }
}
