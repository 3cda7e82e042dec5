//! The report as JSON.

use std::collections::BTreeMap;

use fencepost_conformance::follow::{Divergence, Followed};
use fencepost_conformance::recording::Recording;
use serde::Serialize;

use crate::output;

use super::Report;

/// A result of either family.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum OneOf {
    Iggy(Box<ResultJson>),
    KafkaJs(super::kafkajs::FollowedJson),
}

/// What came of a recording under a contract.
#[derive(Serialize)]
pub(super) struct ResultJson {
    recording: String,
    format: &'static str,
    boundary: &'static str,
    sha256: String,
    /// Whether the manifest vouches that nothing is missing; `null`: not known.
    complete: Option<bool>,
    contract: String,
    /// `null`: stopped before the end.
    allowed: Option<bool>,
    line: Option<usize>,
    kind: Option<&'static str>,
    clause: Option<&'static str>,
    reason: Option<String>,
    seen: Option<String>,
    allowed_answers: Vec<String>,
    without_fences: Vec<&'static str>,
    story: Option<String>,
    stopped: Option<String>,
    lines: usize,
    most_states: usize,
    notes: Vec<NoteJson>,
    ignored: BTreeMap<&'static str, u64>,
    unconstrained: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct NoteJson {
    line: usize,
    text: String,
}

/// The report, ready to be serialised. Two runs give the same.
pub(super) fn report(report: &Report) -> output::Report<OneOf> {
    let results = report
        .recordings
        .iter()
        .flat_map(|(recording, results)| results.iter().map(move |followed| result(recording, followed)));
    let of_kafkajs = report.kafkajs.iter().flat_map(super::kafkajs::Followed::json).map(OneOf::KafkaJs);
    let results = results.map(|result| OneOf::Iggy(Box::new(result))).chain(of_kafkajs).collect();
    output::Report::of("follow", results)
}

fn result(recording: &Recording, followed: &Followed) -> ResultJson {
    let divergence = followed.divergence.as_ref();
    let notes = followed.notes.iter().map(|note| NoteJson { line: note.line, text: note.text.clone() });
    ResultJson {
        recording: recording.file.clone(),
        format: recording.format.word(),
        boundary: recording.boundary.word(),
        sha256: recording.sha256.clone(),
        complete: recording.entry.as_ref().map(|_| true),
        contract: followed.contract.clone(),
        allowed: match (divergence, &followed.stopped) {
            (Some(_), _) => Some(false),
            (None, Some(_)) => None,
            (None, None) => Some(true),
        },
        line: divergence.map(|divergence| divergence.line),
        kind: divergence.map(|divergence| divergence.kind.word()),
        clause: divergence.and_then(|divergence| divergence.blame.word()),
        reason: divergence.map(Divergence::reason),
        seen: divergence.map(|divergence| divergence.seen.clone()),
        allowed_answers: divergence.map(|divergence| divergence.allowed.clone()).unwrap_or_default(),
        without_fences: divergence.iter().flat_map(|it| &it.fences).map(|fence| fence.word()).collect(),
        story: divergence.map(|divergence| divergence.story.to_text()),
        stopped: followed.stopped.clone(),
        lines: followed.lines,
        most_states: followed.most_states,
        notes: notes.collect(),
        ignored: followed.ignored.clone(),
        unconstrained: followed.unconstrained.clone(),
    }
}
