//! `fencepost traces`: what is written can be read again, and is as much as is told.

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{output_of, text_of};

/// One small view.
const SMALL: &[&str] = &["--contract", "iggy-2026-08", "--view", "restart", "--cover", "labels"];

fn traces(output: &Path, more: &[&str]) -> Output {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("traces").args(SMALL).arg("--output").arg(output).args(more);
    output_of(assert_cmd::Command::from_std(command))
}

/// The number of traces that the command tells.
fn told(output: &Output) -> usize {
    let text = text_of(&output.stdout);
    let count = text.strip_prefix("iggy-2026-08@restart: ").and_then(|rest| rest.split(' ').next());
    count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no number of traces: {text}"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn given_a_view_when_its_traces_are_written_as_lines_should_end_as_many_as_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = traces(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    let text = std::fs::read_to_string(folder.path().join("iggy-2026-08@restart.trace.jsonl")).expect("a file");
    let lines: Vec<Value> = text.lines().map(json).collect();
    assert_eq!(lines[0]["format"], "fencepost-trace/1");
    assert_eq!(lines[0]["world"]["settings"]["contract"], "iggy-2026-08");
    let ends = lines.iter().filter(|line| line.get("end").is_some()).count();
    assert_eq!(ends, told(&output));
    let last = lines.last().expect("a last line");
    assert_eq!(last["total"]["traces"], ends, "the last line tells that none is missing");
}

#[test]
fn given_a_view_when_its_traces_are_written_as_itf_should_be_as_many_files_as_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = traces(folder.path(), &["--format", "itf"]);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
    assert_eq!(files.len(), told(&output));
    for file in files {
        let trace = json(&std::fs::read_to_string(file.path()).expect("a file"));
        assert!(trace["states"].as_array().is_some_and(|states| states.len() > 1), "{trace}");
    }
}

#[test]
fn given_a_folder_that_cannot_be_made_when_written_should_be_one_clear_line() {
    let output = traces(Path::new("/dev/null/traces"), &[]);
    let text = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("/dev/null/traces"), "{text}");
}
