//! Both engines print the same, byte by byte, with any number of threads.

mod support;

use support::{text_of, timeless};

/// Contracts of two families of design, and small ones: the plain engine takes its time.
const CHECK: [&str; 3] = ["check", "fenced-commits", "owner-installed"];

/// All scenarios, asked of one contract.
const ASK: [&str; 3] = ["ask", "--contract", "fenced-commits"];

/// What a command prints with an engine and a number of threads.
fn printed(arguments: &[&str], engine: &str, threads: &str) -> String {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.args(arguments).args(["--engine", engine, "--threads", threads]);
    let output = command.output().expect("the command runs");
    assert_eq!(output.status.code(), Some(0), "{}{}", text_of(&output.stdout), text_of(&output.stderr));
    text_of(&output.stdout)
}

/// A JSON report without engine and times, at whatever depth.
fn timeless_json(report: &str) -> String {
    format!("{:#}", timeless(report.as_bytes()))
}

/// A text report without the engine in its heading and the last column, seconds, of the table of sizes.
fn timeless_text(report: &str) -> String {
    let mut in_sizes = false;
    let mut text = String::new();
    for line in report.lines() {
        in_sizes = line.starts_with("contract ") && line.ends_with("seconds") || in_sizes && !line.is_empty();
        let kept = match line.split_once(", engine ") {
            Some((start, _)) => start,
            // The line under the titles is as wide as the table.
            None if in_sizes && line.starts_with('─') => "",
            None if in_sizes => line.rsplit_once(' ').map_or(line, |(start, _)| start.trim_end()),
            None => line,
        };
        text.push_str(kept);
        text.push('\n');
    }
    text
}

fn demand_the_same(arguments: &[&str], without_times: fn(&str) -> String) {
    let expected = without_times(&printed(arguments, "plain", "2"));
    for (engine, threads) in [("plain", "1"), ("plain", "4"), ("compiled", "1"), ("compiled", "2"), ("compiled", "4")] {
        let found = without_times(&printed(arguments, engine, threads));
        let difference = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
        assert!(expected == found, "{engine} with {threads} threads: {difference:?}");
    }
}

#[test]
fn given_two_contracts_when_checked_should_print_the_same_json_with_either_engine_and_any_number_of_threads() {
    demand_the_same(&[&CHECK[..], &["--format", "json", "--story", "no-skip"]].concat(), timeless_json);
}

#[test]
fn given_two_contracts_when_checked_should_print_the_same_text_with_either_engine_and_any_number_of_threads() {
    demand_the_same(&[&CHECK[..], &["--story", "every-request-is-answered"]].concat(), timeless_text);
}

#[test]
fn given_all_scenarios_when_asked_should_print_the_same_json_with_either_engine_and_any_number_of_threads() {
    demand_the_same(&[&ASK[..], &["--format", "json", "--story"]].concat(), timeless_json);
}

#[test]
fn given_all_scenarios_when_asked_should_print_the_same_text_with_either_engine_and_any_number_of_threads() {
    demand_the_same(&[&ASK[..], &["--story"]].concat(), timeless_text);
}
