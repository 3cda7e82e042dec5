//! Recordings of real code, followed under every contract.

use fencepost_conformance::follow::{Blame, DivergenceKind, Followed};
use fencepost_spec::clause::ClauseName;

use super::chapters::paragraphs;
use super::evidence::{Evidence, Recorded};
use super::markdown::{cell_lines, clause, contract, heading, sentence, table};

/// The heading of the section.
pub(super) const HEADING: &str = "Recordings of real code";

/// The section.
pub(super) fn section(evidence: &Evidence) -> String {
    let mut text = heading(3, HEADING);
    text.push_str(&paragraphs(&[
        "Each recording is a transcript of the code of 2026-08-21: of the partition code itself, or of a server over TCP. It is followed with the set of all model states that agree with everything seen so far. When no state is left, the recording leaves the contract at that line, and the clause is the one whose fences forbid it.",
        "Every recording is allowed by the contract of the code that it comes from. Where it leaves another contract, an implementation of that contract would have answered otherwise, or would hold another state.",
    ]));
    let rows: Vec<Vec<String>> = evidence.recordings.iter().map(row).collect();
    text + &table(&["Recording", "What it shows", "Allowed by", "Left by"], &rows)
}

/// Name of a recording, as a link to its file.
fn link(recorded: &Recorded) -> String {
    let path = &recorded.entry.path;
    format!("[`{}`](../conformance/recordings/{path})", path.trim_end_matches(".jsonl"))
}

fn row(recorded: &Recorded) -> Vec<String> {
    let allowed: Vec<String> =
        recorded.followed.iter().filter(|it| it.is_allowed()).map(|it| contract(&it.contract)).collect();
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for followed in &recorded.followed {
        let Some(reason) = left(followed) else { continue };
        let name = contract(&followed.contract);
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, names)) => names.push(name),
            None => groups.push((reason, vec![name])),
        }
    }
    let left = groups.into_iter().map(|(reason, names)| format!("{}: {reason}", names.join(", ")));
    vec![link(recorded), sentence(&recorded.entry.shows), allowed.join(", "), cell_lines(left)]
}

/// Where and why a recording leaves a contract.
fn left(followed: &Followed) -> Option<String> {
    let divergence = followed.divergence.as_ref()?;
    let why = match (divergence.kind, divergence.blame) {
        (DivergenceKind::StepNotInContract, _) => "the contract has no such step".to_owned(),
        (_, Blame::Clause(name)) => clause(name),
        (_, Blame::Unmodelled | Blame::None) => "by another choice than a fence".to_owned(),
    };
    Some(format!("line {}, {why}", divergence.line))
}

/// The recordings that leave some contract in the name of a clause.
pub(super) fn of_clause(evidence: &Evidence, name: ClauseName) -> Vec<String> {
    let is_blamed = |followed: &Followed| {
        followed
            .divergence
            .as_ref()
            .is_some_and(|divergence| matches!(divergence.blame, Blame::Clause(blamed) if blamed == name))
    };
    evidence.recordings.iter().filter(|recorded| recorded.followed.iter().any(is_blamed)).map(link).collect()
}
