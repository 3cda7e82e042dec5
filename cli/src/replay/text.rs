//! The report for people.

use fencepost_conformance::replay::atlas::Counted;
use fencepost_conformance::replay::page::Page;

use super::ContractReplay;
use super::choose::Choice;
use crate::output::{grouped, table, table_text, wrapped};

/// The whole report, for an issue.
pub(super) fn markdown(cover: Choice, results: &[ContractReplay]) -> String {
    let summaries: Vec<String> = results.iter().map(|result| summary(cover, result)).collect();
    let mut text = format!("```text\n{}\n{}```\n", summaries.join("\n"), total(results));
    for divergence in results.iter().flat_map(|result| &result.views).flat_map(|view| &view.replayed.divergences) {
        text += &format!("\n{}", Page::of(divergence).markdown());
    }
    text
}

/// The whole report.
pub(super) fn report(cover: Choice, results: &[ContractReplay]) -> String {
    let mut text = String::new();
    for result in results {
        text += &contract(cover, result);
        text.push('\n');
    }
    text += &total(results);
    text
}

fn contract(cover: Choice, result: &ContractReplay) -> String {
    let mut text = summary(cover, result);
    let divergences = result.views.iter().flat_map(|view| &view.replayed.divergences);
    for divergence in divergences {
        text += &format!("\n{}\n", Page::of(divergence).text());
    }
    text
}

/// What was replayed, without the pages of the divergences.
fn summary(cover: Choice, result: &ContractReplay) -> String {
    let mut text = format!("{}\n", result.contract);
    let mut rows = table();
    rows.set_header(["view", "ways", "traces", "steps", "steps/s", "result"]);
    for view in &result.views {
        let replayed = &view.replayed;
        rows.add_row([
            view.view.to_owned(),
            grouped(replayed.ways as u64),
            grouped(replayed.traces),
            grouped(replayed.steps),
            rate(replayed.steps, replayed.seconds),
            outcome(view),
        ]);
    }
    text += &table_text(&rows, 2);
    if !matches!(cover, Choice::Random | Choice::Orders) {
        text += &coverage(result);
    }
    text += &limits(result);
    text
}

fn outcome(view: &super::ViewReplay) -> String {
    let replayed = &view.replayed;
    match (&replayed.stopped, replayed.diverged) {
        (None, 0) => "agrees".to_owned(),
        (Some(reason), 0) => format!("stopped ({reason})"),
        (_, traces) => {
            let causes = replayed.divergences.len();
            let counted = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
            format!("diverges ({}, {})", counted(traces, "trace"), counted(causes as u64, "cause"))
        }
    }
}

fn rate(steps: u64, seconds: f64) -> String {
    if seconds > 0.0 { grouped((steps as f64 / seconds) as u64) } else { "-".to_owned() }
}

fn coverage(result: &ContractReplay) -> String {
    let coverage = &result.coverage;
    let counts = |covered: usize, drivable: usize, reachable: usize| {
        format!("{covered} covered of {drivable} drivable, {reachable} reachable")
    };
    let transitions = &coverage.abstract_transitions;
    let fences = &coverage.fence_outcomes;
    let mut text = format!(
        "  abstract transitions: {}\n  outcomes of fences:   {}\n",
        counts(transitions.covered.len(), transitions.drivable.len(), transitions.reachable.len()),
        counts(fences.covered.len(), fences.drivable.len(), fences.reachable.len()),
    );
    let clauses = coverage.clauses.iter().map(|(clause, counted)| {
        let Counted { reachable, covered, .. } = counted;
        format!("{clause} {}/{}", covered.len(), reachable.len())
    });
    let clauses: Vec<String> = clauses.collect();
    text += &format!("  by clause: {}\n", wrapped(clauses.iter().map(String::as_str), ", ", 13));
    let missing: Vec<&str> = fences.reachable.difference(&fences.covered).map(String::as_str).collect();
    if !missing.is_empty() {
        text += &format!("  not replayed: {}\n", wrapped(missing, ", ", 16));
    }
    text
}

/// What the driver cannot do, and what was left therefore.
fn limits(result: &ContractReplay) -> String {
    let mut text = String::new();
    let Some(view) = result.views.first() else { return text };
    let mut listed = |what: &str, names: &[String]| {
        if !names.is_empty() {
            text += &format!("  {what}: {}\n", wrapped(names.iter().map(String::as_str), ", ", what.len() + 4));
        }
    };
    listed("steps that the driver cannot hold apart", &view.replayed.not_separated);
    listed("fields that the driver cannot see", &view.replayed.not_observed);
    let mut left = std::collections::BTreeMap::<&String, u64>::new();
    for (reason, count) in result.views.iter().flat_map(|view| &view.replayed.left) {
        *left.entry(reason).or_default() += count;
    }
    let left: Vec<String> = left.iter().map(|(reason, count)| format!("{} ({reason})", grouped(*count))).collect();
    listed("traces left before their end", &left);
    text
}

fn total(results: &[ContractReplay]) -> String {
    let views = || results.iter().flat_map(|result| &result.views);
    let steps: u64 = views().map(|view| view.replayed.steps).sum();
    let traces: u64 = views().map(|view| view.replayed.traces).sum();
    let seconds: f64 = views().map(|view| view.replayed.seconds).sum();
    let explored: f64 = views().map(|view| view.explored_seconds).sum();
    let diverged: u64 = views().map(|view| view.replayed.diverged).sum();
    let stopped = views().any(|view| view.replayed.stopped.is_some());
    let verdict = match (diverged, stopped) {
        (0, false) => "Every trace agrees.".to_owned(),
        (0, true) => "Stopped before the end; every trace so far agrees.".to_owned(),
        (1, _) => "One trace diverges.".to_owned(),
        (traces, _) => format!("{} traces diverge.", grouped(traces)),
    };
    format!(
        "{verdict} {} traces, {} steps in {seconds:.1} s ({} steps a second), explored in {explored:.1} s.\n",
        grouped(traces),
        grouped(steps),
        rate(steps, seconds),
    )
}
