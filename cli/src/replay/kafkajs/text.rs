//! The report for people.

use fencepost_conformance::kafkajs::change::all_words;

use super::{TargetReplay, page};
use crate::output::{counted, grouped, table, table_text};

/// The whole report.
pub(super) fn report(results: &[TargetReplay], strict: bool) -> String {
    let mut text: String = results.iter().map(|result| target(result, strict) + "\n").collect();
    text.push_str(&conclusion(results, strict));
    text
}

/// The whole report, for an issue.
pub(super) fn markdown(results: &[TargetReplay], strict: bool) -> String {
    let mut text = String::new();
    for result in results {
        text.push_str(&format!("```text\n{}```\n", summary(result)));
        for evidence in &result.gathered.evidence {
            text.push_str(&format!("\n```text\n{}```\n\n", page::evidence(result, evidence)));
            text.push_str(&format!("```mermaid\n{}```\n", evidence.story.to_mermaid()));
        }
    }
    text + &format!("\n{}", conclusion(results, strict))
}

fn target(result: &TargetReplay, strict: bool) -> String {
    let mut text = summary(result);
    let (known, unknown): (Vec<_>, Vec<_>) =
        result.causes().into_iter().partition(|(_, divergence)| result.known(divergence).is_some());
    if !unknown.is_empty() {
        text.push_str("\nDIVERGENCES that are no known deviations, with the fewest steps of each\n");
        text.extend(unknown.iter().map(|(view, it)| page::divergence_at_length(result, view, it) + "\n"));
    }
    if !known.is_empty() && strict {
        text.push_str("\nDEBT: known deviations, with the fewest steps of each\n");
        text.extend(known.iter().map(|(view, it)| page::divergence_at_length(result, view, it) + "\n"));
    } else if !known.is_empty() {
        text.push_str("\nKNOWN DEVIATIONS, with the fewest steps of each\n");
        text.extend(known.iter().map(|(view, divergence)| page::divergence(result, view, divergence)));
    }
    if !result.gathered.evidence.is_empty() {
        text.push_str("\nWHAT IT COMES TO, confirmed on the package: the shortest way to break each clause\n");
        text.extend(result.gathered.evidence.iter().map(|evidence| page::evidence(result, evidence) + "\n"));
    }
    for (clause, view) in &result.gathered.unconfirmed {
        text.push_str(&format!(
            "NOT CONFIRMED: {clause} in {view}: the package does something else than the contract with these changes\n"
        ));
    }
    for deviation in result.unused() {
        text.push_str(&format!(
            "NO TRACE TAKES the known deviation `{}` ({}): {}\n",
            all_words(&[deviation.change]),
            deviation.issue,
            deviation.because
        ));
    }
    text
}

/// What was replayed, without what came out.
fn summary(result: &TargetReplay) -> String {
    let target = &result.target;
    let level = if target.level == 1 { "class OffsetManager" } else { "whole Consumer" };
    let changes = if result.changes.is_empty() { String::new() } else { format!(", {}", all_words(&result.changes)) };
    let mut text = format!(
        "kafkajs {}, level {} ({level}), Node {}\nunder {}{changes}\n",
        target.package, target.level, result.greeting.node, result.contract
    );
    let mut rows = table();
    rows.set_header(["view", "states", "reactions", "traces", "steps", "steps/s", "result"]);
    for view in &result.views {
        let outcome = match (view.diverged, view.interrupted) {
            (0, false) => "agrees".to_owned(),
            (0, true) => "stopped (interrupted)".to_owned(),
            (diverged, _) => {
                let causes = counted(view.divergences.len(), "cause");
                format!("diverges ({}, {causes})", counted(diverged, "trace"))
            }
        };
        let rate = if view.seconds > 0.0 { (view.steps as f64 / view.seconds) as u64 } else { 0 };
        rows.add_row([
            view.view.to_owned(),
            grouped(view.states as u64),
            format!("{} of {}", grouped(view.covered as u64), grouped(view.reactions as u64)),
            grouped(view.traces as u64),
            grouped(view.steps as u64),
            grouped(rate),
            outcome,
        ]);
    }
    text.push_str(&table_text(&rows, 2));
    text
}

fn conclusion(results: &[TargetReplay], strict: bool) -> String {
    if results.is_empty() {
        return "Stopped (interrupted) before anything was replayed.\n".to_owned();
    }
    let unknown: usize = results.iter().map(|result| result.unknown().count()).sum();
    let unused: usize = results.iter().map(|result| result.unused().len()).sum();
    let all: usize = results.iter().map(|result| result.divergences().count()).sum();
    let mut parts = Vec::new();
    if unknown > 0 {
        parts.push(format!("{} not known", counted(unknown, "divergence")));
    }
    if strict && all > unknown {
        parts.push(format!("{} of debt", counted(all - unknown, "known divergence")));
    }
    if unused > 0 {
        parts.push(format!("{} that no trace takes", counted(unused, "known deviation")));
    }
    if results.iter().any(TargetReplay::is_interrupted) {
        parts.push("stopped (interrupted) before the end".to_owned());
    }
    let steps: usize = results.iter().flat_map(|result| &result.views).map(|view| view.steps).sum();
    let traces: usize = results.iter().flat_map(|result| &result.views).map(|view| view.traces).sum();
    let replayed = format!("{} traces, {} steps.", grouped(traces as u64), grouped(steps as u64));
    match (parts.is_empty(), all) {
        (true, 0) => format!("Every trace agrees. {replayed}\n"),
        (true, _) => {
            format!("Every divergence is a known deviation, and every known deviation was taken. {replayed}\n")
        }
        (false, _) => format!("Not as expected: {}. {replayed}\n", parts.join("; ")),
    }
}
