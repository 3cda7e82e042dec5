//! What came of the schedules: for people, for programs, and as a page.

use std::collections::BTreeSet;
use std::fmt::Write;

use fencepost_conformance::kafkajs::tcp::Seen;
use serde::Serialize;

use super::super::super::shipped::ScheduleSet;
use super::super::NAME;
use super::{LEVEL, ScheduleReplay};
use crate::output::{Report, table, table_text, wrapped};

const INTRODUCTION: &str = "# KafkaJS over TCP

Written by `fencepost replay --driver kafkajs --level 3 --results docs/results/kafkajs-tcp.md`, by hand: no test compares it, because
over TCP only delays can be given, and times are never quite the same. A test compares [what is seen at levels 1 and 2](kafkajs.md).

The whole `Consumer` of each version, unmodified, on a cluster of two of librdkafka's mock brokers on loopback. Node 1 leads p0 and
coordinates the group, node 2 leads p1.

- **seed-race**: the group has committed 10 for both partitions, and the records below 52 are deleted. Node 1 answers after 100 ms,
  node 2 after 200, so that the refusal of p1 arrives while p0 recovers. *Raced*: p1 was cleared between the question where p0 is to
  go on and the fetch that uses the answer.
- **regained-partition**: a handler has two records of p0 and is held. Another member joins, takes p0, commits 12 and leaves; the
  consumer has p0 again, and the handler returns. *Raced*: all of it in this order.

";

/// The report for people.
pub(super) fn text(results: &[ScheduleReplay]) -> String {
    let mut rows = table();
    rows.set_header(["version", "schedule", "runs", "repeated", "raced", "crashed", "reads from", "result"]);
    for result in results {
        rows.add_row([
            result.package.clone(),
            result.set.schedule.clone(),
            result.runs.len().to_string(),
            result.repeated.to_string(),
            result.count(is_raced).to_string(),
            result.count(has_crashed).to_string(),
            read_from(result),
            outcome(result),
        ]);
    }
    let nodes: BTreeSet<&str> = results.iter().flat_map(|it| &it.runs).map(|seen| seen.summary.node.as_str()).collect();
    let node = nodes.into_iter().next().map_or(String::new(), |node| format!(", Node {node}"));
    let mut text = format!("kafkajs, level {LEVEL} (whole Consumer, over TCP){node}\n");
    text.push_str(&table_text(&rows, 2));
    text.push('\n');
    for (packages, set) in sets(results) {
        let why = format!("{packages}, {}, {} under {}: {}", set.schedule, set.clause, set.contract, set.because);
        writeln!(text, "{}", wrapped(why.split(' '), " ", 0)).ok();
    }
    for (result, reason) in results.iter().filter_map(|it| Some((it, it.unexpected()?))) {
        writeln!(text, "NOT AS EXPECTED: {}, {}: {reason}", result.package, result.set.schedule).ok();
    }
    if results.iter().any(|result| result.is_interrupted) {
        text.push_str("stopped (interrupted) before the end\n");
    }
    text
}

/// The page of results. It has no times.
pub(super) fn page(results: &[ScheduleReplay]) -> String {
    let mut text = INTRODUCTION.to_owned();
    text.push_str(
        "| Version | Schedule | Runs | Repeated | Raced | Crashed | Reads from | Clause | Broken | Contract |\n",
    );
    text.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for result in results {
        let promise = if result.is_promised { "promises it" } else { "does not promise it" };
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | `{}` | {} | `{}` {promise} |",
            result.package,
            result.set.schedule,
            result.runs.len(),
            result.repeated,
            result.count(is_raced),
            result.count(has_crashed),
            read_from(result),
            result.set.clause,
            breaches(result),
            result.set.contract,
        )
        .ok();
    }
    text.push_str(
        "\n*Repeated*: runs that did not go as scheduled, which say nothing, and are not among the runs. \
        What a contract promises is what it says of the clause in the view of the model that has the same in it.\n\n",
    );
    for (packages, set) in sets(results) {
        writeln!(text, "- {packages}, {}: {}.", set.schedule, set.because).ok();
    }
    for (result, reason) in results.iter().filter_map(|it| Some((it, it.unexpected()?))) {
        writeln!(text, "\nNot as expected: {}, {}: {reason}.", result.package, result.set.schedule).ok();
    }
    text
}

/// What came of a version along a schedule.
#[derive(Serialize)]
pub(super) struct Result {
    driver: &'static str,
    family: &'static str,
    package: String,
    level: u8,
    schedule: String,
    contract: String,
    clause: &'static str,
    view: String,
    promised: bool,
    repeated: usize,
    raced: usize,
    broken: usize,
    crashed: usize,
    as_expected: bool,
    unexpected: Option<String>,
    because: String,
    stopped: Option<&'static str>,
    /// Everything that was seen in each run.
    runs: Vec<serde_json::Value>,
}

/// The report, ready to be serialised.
pub(super) fn json(results: &[ScheduleReplay]) -> Report<Result> {
    Report::of("replay", results.iter().map(result).collect())
}

fn result(replay: &ScheduleReplay) -> Result {
    let unexpected = replay.unexpected();
    Result {
        driver: NAME,
        family: NAME,
        package: replay.package.clone(),
        level: LEVEL,
        schedule: replay.set.schedule.clone(),
        contract: replay.set.contract.clone(),
        clause: replay.set.clause.word(),
        view: replay.set.view.clone(),
        promised: replay.is_promised,
        repeated: replay.repeated,
        raced: replay.count(is_raced),
        broken: replay.count(is_broken),
        crashed: replay.count(has_crashed),
        as_expected: unexpected.is_none(),
        unexpected,
        because: replay.set.because.clone(),
        stopped: replay.is_interrupted.then_some("interrupted"),
        runs: replay.runs.iter().map(|seen| seen.all.clone()).collect(),
    }
}

fn is_raced(seen: &Seen) -> bool {
    seen.summary.is_raced
}

fn is_broken(seen: &Seen) -> bool {
    seen.summary.breach.is_some()
}

fn has_crashed(seen: &Seen) -> bool {
    seen.summary.crash.is_some()
}

/// Where the consumer began to process each partition, over all runs.
fn read_from(result: &ScheduleReplay) -> String {
    let all: BTreeSet<(u32, u64)> = result.runs.iter().flat_map(|seen| seen.summary.read_from()).collect();
    let texts: Vec<String> = all.iter().map(|(partition, offset)| format!("p{partition} {offset}")).collect();
    if texts.is_empty() { "nothing".to_owned() } else { texts.join(", ") }
}

fn outcome(result: &ScheduleReplay) -> String {
    if result.unexpected().is_some() {
        return "NOT AS EXPECTED".to_owned();
    }
    if result.is_interrupted {
        return "stopped (interrupted)".to_owned();
    }
    let words = match (result.count(is_broken), result.is_promised) {
        (0, true) => "kept, as promised",
        (0, false) => "kept, though not promised",
        (_, _) => "broken, as known",
    };
    words.to_owned()
}

/// In how many runs the clause is broken, and how.
fn breaches(result: &ScheduleReplay) -> String {
    let all: BTreeSet<&str> = result.runs.iter().filter_map(|seen| seen.summary.breach.as_deref()).collect();
    let number = result.count(is_broken).to_string();
    let all: Vec<&str> = all.into_iter().collect();
    if all.is_empty() { number } else { format!("{number}: {}", all.join("; ")) }
}

/// What was run, each with the versions for which it comes out the same.
fn sets(results: &[ScheduleReplay]) -> Vec<(String, &ScheduleSet)> {
    let mut sets: Vec<(String, &ScheduleSet)> = Vec::new();
    for result in results {
        match sets.iter_mut().find(|(_, set)| set.because == result.set.because) {
            Some((packages, _)) => *packages = format!("{packages} and {}", result.package),
            None => sets.push((result.package.clone(), &result.set)),
        }
    }
    sets
}
