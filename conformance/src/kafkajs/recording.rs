//! Recordings of a driver: the steps that it took and what was seen, to be followed under any contract of the family.
//!
//! The first line says what was recorded, each further line is a step with what was seen after it.

use std::sync::Arc;

use fencepost_models::kafkajs::bounds::{Bounds, ResetTo, RoundCovers};
use fencepost_models::kafkajs::messages::PARTITIONS;
use fencepost_models::kafkajs::system::Setup;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::kafkajs::{Choices, ClauseName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::blame::{clause_of, explanations};
use super::change::KafkaJsChange;
use super::child::Target;
use super::compare::{Difference, difference};
use super::raw_step::RawStep;
use super::simulation::Simulation;
use super::step::Observation;
use super::trace::{Taken, Trace};

/// The `format` of a recording.
pub const RECORDING_FORMAT: &str = "fencepost-recording/1";

/// What the first line says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Always [`RECORDING_FORMAT`].
    pub format: String,
    /// Always `kafkajs`.
    pub family: String,
    /// The version of the package.
    pub package: String,
    /// The level.
    pub level: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    step: RawStep,
    seen: Observation,
}

/// A recording.
pub struct Recording {
    /// Its file.
    pub file: String,
    /// What was recorded.
    pub header: Header,
    lines: Vec<Line>,
}

/// A recording as text.
pub fn write(target: &Target, steps: &[Taken], seen: &[Observation]) -> String {
    let header = Header {
        format: RECORDING_FORMAT.to_owned(),
        family: "kafkajs".to_owned(),
        package: target.package.clone(),
        level: target.level,
    };
    let lines = steps.iter().zip(seen).map(|(taken, seen)| json!({"step": taken.json, "seen": seen}).to_string());
    std::iter::once(json!(header).to_string()).chain(lines).map(|line| line + "\n").collect()
}

/// Whether a file begins like a recording of this family.
pub fn is_one(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let value: Option<Value> = serde_json::from_slice(first).ok();
    value.is_some_and(|value| value.get("family").and_then(Value::as_str) == Some("kafkajs"))
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// A [`Problem`] with file, line and column.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Problem::new(format!("`{file}` is no text in UTF-8 (byte {})", error.valid_up_to() + 1))
        })?;
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().unwrap_or_default();
        let header: Header = parse(file, text, 0, first)?;
        if header.format != RECORDING_FORMAT {
            return Err(at(
                file,
                text,
                0,
                first,
                format!("unknown format `{}`; accepted: {RECORDING_FORMAT}", header.format),
            ));
        }
        let mut start = first.len();
        let mut read = Vec::new();
        for line in lines {
            if !line.ends_with('\n') {
                return Err(at(file, text, start, line, "the last line is cut: it has no end".to_owned()));
            }
            read.push(parse(file, text, start, line)?);
            start += line.len();
        }
        match read.first() {
            Some(Line { step, .. }) if step.is_begin() => Ok(Self { file: file.to_owned(), header, lines: read }),
            _ => Err(Problem::new(format!("`{file}` has no step `begin` in its second line"))),
        }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

fn parse<T: serde::de::DeserializeOwned>(file: &str, text: &str, start: usize, line: &str) -> Result<T, Problem> {
    serde_json::from_str(line).map_err(|error| {
        let column = start + error.column().saturating_sub(1).min(line.len());
        Problem::at(file, text, column..column, error.to_string())
    })
}

fn at(file: &str, text: &str, start: usize, line: &str, message: String) -> Problem {
    Problem::at(file, text, start..start + line.trim_end().len(), message)
}

/// Where a recording leaves a contract.
pub struct Refused {
    /// The line, from 1; the header is the first.
    pub line: usize,
    /// What differs; nothing if the contract has no such step.
    pub difference: Option<Difference>,
    /// The first of the smallest sets of changes that would allow it.
    pub changes: Vec<KafkaJsChange>,
}

impl Refused {
    /// The clause that forbids it, if one that is modelled does.
    pub fn clause(&self) -> Option<ClauseName> {
        self.changes.first().map(|change| clause_of(*change))
    }
}

/// Follows a recording under a contract; gives where it leaves it.
///
/// # Errors
/// A [`Problem`] with a step that is none.
pub fn follow(recording: &Recording, choices: &Choices) -> Result<Option<Refused>, Problem> {
    let setup = Arc::new(Setup { choices: choices.clone(), bounds: bounds(recording) });
    let mut simulation = Simulation::new(Arc::clone(&setup));
    let mut trace = Trace { setup, way: Vec::new(), steps: Vec::new() };
    let mut seen = Vec::new();
    for (index, Line { step, seen: observed }) in recording.lines.iter().enumerate() {
        let line = index + 2;
        let problem = |text: String| Problem::new(format!("`{}`, line {line}: {text}", recording.file));
        let Some(step) = step.read(&simulation).map_err(problem)? else {
            return Ok(Some(Refused { line, difference: None, changes: Vec::new() }));
        };
        let is_possible = simulation.take(&step).is_ok();
        let allowed = simulation.observe();
        trace.steps.push(Taken { step, json: Value::Null, allowed: allowed.clone(), action: None });
        seen.push(observed.clone());
        if !is_possible {
            return Ok(Some(Refused { line, difference: None, changes: Vec::new() }));
        }
        if let Some(difference) = difference(&allowed, observed) {
            let changes = explanations(&trace, &seen).into_iter().next().unwrap_or_default();
            return Ok(Some(Refused { line, difference: Some(difference), changes }));
        }
    }
    Ok(None)
}

/// A world in which nothing is bounded: the recording says what happens.
fn bounds(recording: &Recording) -> Bounds {
    let Some(Line { step: begin, .. }) = recording.lines.first() else { return Bounds::default() };
    let overlaps = recording.lines.iter().any(|line| line.step.covers_all());
    Bounds {
        rounds: [u8::MAX; PARTITIONS],
        reset_to: if begin.from_beginning == Some(true) { ResetTo::Earliest } else { ResetTo::Latest },
        round_covers: if overlaps { RoundCovers::AllPartitions } else { RoundCovers::OwnNode },
        automatic: begin.automatic.unwrap_or(true),
        concurrency: begin.concurrency.unwrap_or(1),
        in_order: false,
        ..Bounds::default()
    }
}
