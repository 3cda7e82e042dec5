//! The table for programs.

use fencepost_conformance::replay::page::Page;
use serde::Serialize;

use super::gates::Gates;
use super::power::Images;
use super::survivors::Proof;
use super::words;
use super::{Matrix, Outcome};

/// The whole report.
#[derive(Serialize)]
pub(super) struct Report {
    command: &'static str,
    bounds: String,
    rows: Vec<Line>,
    power: Vec<Images>,
}

#[derive(Serialize)]
struct Line {
    fault: String,
    wrong: String,
    source: String,
    expected: String,
    caught: bool,
    gates: Gates,
    sees: Option<&'static str>,
    by_symptom: Option<&'static str>,
    trace: Option<String>,
    page: Option<Page>,
    proof: Option<Proof>,
}

pub(super) fn report(matrix: &Matrix) -> Report {
    let rows = matrix.rows.iter().map(|row| {
        let (caught, proof) = match &row.outcome {
            Outcome::Caught(caught) => (Some(caught), None),
            Outcome::Survives(proof) => (None, Some(proof.clone())),
        };
        Line {
            fault: row.fault.to_string(),
            wrong: row.fault.sentence(),
            source: row.fault.source().to_owned(),
            expected: row.fault.expected().to_string(),
            caught: caught.is_some_and(|caught| caught.gates.all()),
            gates: caught.map(|caught| caught.gates).unwrap_or_default(),
            sees: caught.map(|caught| caught.weakest),
            by_symptom: caught.and_then(|caught| caught.symptom),
            trace: caught.map(|caught| words::steps(&caught.divergence.found)),
            page: caught.map(|caught| Page::of(&caught.divergence)),
            proof,
        }
    });
    Report {
        command: "kill-matrix",
        bounds: matrix.bounds.to_string(),
        rows: rows.collect(),
        power: matrix.power.clone(),
    }
}
