//! `fencepost kill-matrix`: rows of the committed table are made again, and what must not count does not.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use support::text_of;

/// A fault of each kind, caught by the first traces that are tried.
const ONE_OF_EACH_KIND: &str = "next-skips-one,no-sync-bookmark-names,without-store-in-range-on-arrival";

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.current_dir(root()).arg("kill-matrix").args(arguments).output().expect("the command runs")
}

fn committed() -> String {
    std::fs::read_to_string(root().join("docs/results/kill-matrix.md")).expect("the committed table")
}

#[test]
fn given_a_fault_of_each_kind_when_hunted_should_be_caught_with_all_five_gates() {
    let output = run(&["--fault", ONE_OF_EACH_KIND, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!(row["caught"], true, "{row:#}");
        for gate in ["landed", "built", "ran", "failed", "expected_clause"] {
            assert_eq!(row["gates"][gate], true, "{gate} of {}", row["fault"]);
        }
    }
}

#[test]
fn given_the_committed_table_when_rows_are_made_again_should_be_up_to_date_with_any_number_of_threads() {
    for threads in ["1", "3"] {
        let output = run(&["--check", "--fault", ONE_OF_EACH_KIND, "--threads", threads]);
        assert_eq!(output.status.code(), Some(0), "{}{}", text_of(&output.stdout), text_of(&output.stderr));
    }
}

#[test]
fn given_a_table_in_which_a_row_was_changed_when_checked_should_be_red_and_show_the_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("table.md");
    let row = committed().lines().find(|line| line.starts_with("| `next-skips-one` |")).expect("the row").to_owned();
    let changed = row.replace("no-skip", "no-stale-batch");
    assert_ne!(row, changed);
    std::fs::write(&file, committed().replace(&row, &changed)).expect("a file");
    let output = run(&["--check", "--fault", "next-skips-one", "--output", &file.display().to_string()]);
    let text = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("is stale") && text.contains(&changed) && text.contains(&row), "{text}");
}

#[test]
fn given_a_word_that_is_no_fault_when_run_should_be_bad_input_with_the_nearest_word() {
    let output = run(&["--fault", "next-skip-one"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("did you mean `next-skips-one`?"));
}

#[test]
fn given_no_file_when_checked_should_be_bad_input_before_anything_is_explored() {
    let output = run(&["--check", "--output", "no/such/file.md"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn given_the_committed_table_when_read_should_have_every_fault_and_no_unexplained_survivor() {
    let table = committed();
    let faults = table.split("\n## ").next().unwrap_or_default();
    let rows: Vec<&str> = faults.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), fencepost_reference::Fault::all().len());
    for fault in fencepost_reference::Fault::all() {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| `{fault}` |"))), "there is no row of {fault}");
    }
    assert!(!table.contains("**survives**"));
    assert!(table.contains("- Caught, but not with all gates: 0.\n") && table.contains("- Not explained: 0.\n"));
    let healthy =
        table.lines().find(|line| line.starts_with("| as it is |")).expect("the images of the healthy partition");
    assert!(healthy.ends_with("| 0 |"), "something forbidden is recovered: {healthy}");
}
