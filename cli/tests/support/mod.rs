//! Running the command.
#![allow(dead_code, reason = "not every test file uses everything")]

use std::process::{Command, Output};

use serde_json::Value;

/// `fencepost check` with arguments.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("check").args(arguments);
    command
}

/// The same with the helpers of `assert_cmd`, and a time-out.
pub fn check(arguments: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::from_std(command(arguments));
    command.timeout(std::time::Duration::from_secs(120));
    command
}

/// What a command printed, and how it ended.
pub fn output_of(mut command: assert_cmd::Command) -> Output {
    command.output().expect("the command runs")
}

/// Bytes as text.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text in UTF-8")
}

/// A report as JSON without what may differ: times, and the name of the engine.
pub fn timeless(report: &[u8]) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| name != "seconds" && name != "engine");
                fields.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut report = serde_json::from_slice(report).unwrap_or_else(|error| panic!("{error}: {}", text_of(report)));
    strip(&mut report);
    report
}

/// The JSON that `fencepost check` prints.
pub fn json(arguments: &[&str]) -> Value {
    let output = output_of(check(arguments));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text_of(&output.stderr)))
}

/// `fencepost ask` with arguments: what it printed, and how it ended.
pub fn ask(arguments: &[&str]) -> Output {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("ask").args(arguments).timeout(std::time::Duration::from_secs(120));
    output_of(command)
}

/// The exit code of `fencepost ask` and its report as JSON, without the times.
pub fn ask_json(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = ask(&[arguments, &["--format", "json"]].concat());
    let mut report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text_of(&output.stderr)));
    for result in report["results"].as_array_mut().expect("results") {
        result.as_object_mut().expect("a result").remove("seconds");
    }
    (output.status.code(), report)
}

/// The words of an array.
pub fn words(value: &Value) -> Vec<String> {
    value.as_array().expect("an array").iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
}

/// A file with a scenario, in a folder of its own.
pub fn written(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    std::fs::write(&path, text).expect("a file");
    (folder, path)
}
