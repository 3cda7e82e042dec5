//! The command: one line of JSON a contestant, and what happens where other tools are missing.

use assert_cmd::Command;
use fencepost_benches::measurement::Outcome;

fn benchmarks() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("benchmarks"));
    // Nothing but this program can be found, whatever the machine has.
    command.env("PATH", "").env_remove("CI").env_remove("FENCEPOST_TLA2TOOLS");
    command
}

fn output_of(command: &mut Command) -> String {
    String::from_utf8_lossy(&command.assert().success().get_output().stdout).into_owned()
}

#[test]
fn given_a_contestant_when_run_should_print_one_line_of_json() {
    let output =
        output_of(benchmarks().args(["contestant", "--model", "core-tiny", "--engine", "plain", "--threads", "2"]));
    let outcome: Outcome = serde_json::from_str(output.trim()).expect("JSON");
    assert!(matches!(outcome, Outcome::Measured(measurement) if measurement.states == 5_065));
}

#[test]
fn given_no_other_tools_when_peers_are_compared_should_say_what_is_not_installed() {
    let output = output_of(benchmarks().arg("peers-agree"));
    assert!(output.contains("not run: spin is not installed (apt-get install spin)"), "{output}");
    assert!(output.contains("stateright-dfs finds 5065 states"), "{output}");
}

#[test]
fn given_no_other_tools_when_peers_are_compared_in_continuous_integration_should_fail() {
    benchmarks().arg("peers-agree").env("CI", "true").assert().failure().code(1);
}

#[test]
fn given_one_group_when_run_quickly_should_print_its_tables_and_write_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = output_of(benchmarks().args(["run", "--quick", "--only", "core"]).current_dir(folder.path()));
    assert!(output.contains("| plain "), "{output}");
    assert!(output.contains("`spin` not run: spin is not installed"), "{output}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn given_a_file_without_a_folder_when_run_should_fail_before_anything_is_measured() {
    benchmarks().args(["run", "--quick", "--output", "no/such/folder/file.md"]).assert().failure().code(1);
}

#[test]
fn given_an_unknown_model_when_a_contestant_is_run_should_say_which_models_there_are() {
    let assert = benchmarks().args(["contestant", "--model", "nothing", "--engine", "plain"]).assert().failure();
    assert!(String::from_utf8_lossy(&assert.get_output().stderr).contains("core-SCALE"));
}
