//! The report for people.

use fencepost_conformance::follow::{Blame, Divergence, DivergenceKind, Followed};
use fencepost_conformance::recording::Recording;

use crate::output::counted;

use super::Report;

/// The report.
pub(super) fn report(report: &Report) -> String {
    let mut text = String::new();
    for (recording, results) in &report.recordings {
        text.push_str(&heading(recording));
        for followed in results {
            text.push_str(&result(followed));
        }
        text.push('\n');
    }
    text.extend(report.kafkajs.iter().map(super::kafkajs::Followed::text));
    text + &conclusion(report)
}

fn heading(recording: &Recording) -> String {
    let lines = recording.entry.as_ref().map_or(recording.lines.len(), |entry| entry.lines);
    let what = format!("{}, boundary {}, {}", recording.format, recording.boundary, counted(lines, "line"));
    match &recording.entry {
        Some(entry) => format!("{} ({what})\n  {}\n", recording.file, entry.shows),
        None => format!("{} ({what})\n  not in the manifest: whether it is complete is not known\n", recording.file),
    }
}

fn result(followed: &Followed) -> String {
    let mut text = match (&followed.divergence, &followed.stopped) {
        (Some(divergence), _) => not_allowed(followed, divergence),
        (None, Some(reason)) => format!("  {}: stopped ({reason})\n", followed.contract),
        (None, None) => {
            let states = counted(followed.most_states, "state");
            format!("  {}: allowed (at most {states} agreed with a line)\n", followed.contract)
        }
    };
    for note in &followed.notes {
        text.push_str(&format!("    note on line {}: {}\n", note.line, note.text));
    }
    for (what, counts) in
        [("not compared", &followed.ignored), ("not recorded, so anything goes", &followed.unconstrained)]
    {
        if !counts.is_empty() {
            let counts: Vec<String> = counts.iter().map(|(field, count)| format!("{field} {count}")).collect();
            text.push_str(&format!("    {what}: {}\n", counts.join(", ")));
        }
    }
    text
}

fn not_allowed(followed: &Followed, divergence: &Divergence) -> String {
    let clause = match divergence.blame {
        Blame::Clause(clause) => format!(", forbidden by {clause}"),
        Blame::Unmodelled => ", by no clause (unmodelled)".to_owned(),
        Blame::None => String::new(),
    };
    let mut text =
        format!("  {}: not allowed at line {}: {}{clause}\n", followed.contract, divergence.line, divergence.kind);
    text.push_str(&format!("    seen: {}\n", divergence.seen));
    if divergence.kind != DivergenceKind::StepNotInContract {
        let allowed =
            if divergence.allowed.is_empty() { "nothing".to_owned() } else { divergence.allowed.join("\n      or: ") };
        text.push_str(&format!("    allowed: {allowed}\n"));
    }
    if !divergence.fences.is_empty() {
        let fences: Vec<&str> = divergence.fences.iter().map(|fence| fence.word()).collect();
        text.push_str(&format!("    it would be allowed without {}\n", fences.join(" and ")));
    }
    for line in divergence.story.to_text().lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

/// The last line: how it ended.
fn conclusion(report: &Report) -> String {
    let of_kafkajs = || report.kafkajs.iter().flat_map(super::kafkajs::Followed::allowed);
    let all = report.results().count() + of_kafkajs().count();
    let divergences = report.results().filter(|followed| followed.divergence.is_some()).count()
        + of_kafkajs().filter(|allowed| !allowed).count();
    let stopped =
        report.results().filter(|followed| followed.divergence.is_none() && followed.stopped.is_some()).count();
    match (divergences, stopped) {
        (0, 0) => "Allowed.\n".to_owned(),
        (0, _) => format!("Stopped before the end: {stopped} of {all}.\n"),
        (_, 0) => format!("Not allowed: {divergences} of {all}.\n"),
        _ => format!("Not allowed: {divergences} of {all}; stopped before the end: {stopped}.\n"),
    }
}
