//! One line of a recording, from text to typed request and answer.

use std::ops::Range;

use fencepost_spec::diagnostic::{Problem, nearest};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::partition::{PartitionRequest, PartitionStep};
use super::server::{ServerRequest, ServerStep};
use super::{Boundary, MOST_CLIENTS, MOST_COMMANDS, MOST_MESSAGES, OFFSETS, Row};

/// One request with its answer.
#[derive(Clone, Debug)]
pub struct Line {
    /// Number of the line in the file, from 1.
    pub number: usize,
    /// Where it is in the file.
    pub span: Range<usize>,
    /// The answer as it was recorded, for messages.
    pub answer: String,
    /// What was asked and answered.
    pub step: Step,
}

/// A line in one of the two vocabularies.
#[derive(Clone, Debug)]
pub enum Step {
    /// At the owner.
    Partition(PartitionStep),
    /// At the gateway.
    Server(ServerStep),
}

impl Step {
    /// Whether it changes the metadata.
    fn is_command(&self) -> bool {
        match self {
            Self::Partition(step) => {
                matches!(step.request, PartitionRequest::Purge {} | PartitionRequest::PurgeCommit {})
            }
            Self::Server(step) => matches!(
                step.request,
                ServerRequest::PurgeTopic {} | ServerRequest::Join { .. } | ServerRequest::Leave { .. }
            ),
        }
    }
}

/// A problem at a word of a line, or at the whole line if the word is not there.
pub(crate) fn problem(file: &str, text: &str, row: &Row, word: &str, message: impl Into<String>) -> Problem {
    let line = &text[row.span.clone()];
    let quoted = line.find(&format!("\"{word}\"")).map(|start| start + 1);
    let found = quoted.or_else(|| line.find(word)).filter(|_| !word.is_empty());
    let span = match found {
        Some(start) => row.span.start + start..row.span.start + start + word.len(),
        None => row.span.clone(),
    };
    Problem::at(file, text, span, message)
}

/// The JSON of a line.
pub(crate) fn value(file: &str, text: &str, row: &Row) -> Result<Value, Problem> {
    let line = &text[row.span.clone()];
    serde_json::from_str(line).map_err(|error| {
        let offset = line.char_indices().nth(error.column().saturating_sub(1)).map_or(line.len(), |(index, _)| index);
        let at = row.span.start + offset;
        let what = if error.is_eof() { "the line is cut" } else { "this is no JSON" };
        Problem::at(file, text, at..(at + 1).min(row.span.end).max(at), format!("{what}: {error}"))
            .with_help(r#"a line is {"request": {"op": ...}, "answer": {...}}"#)
    })
}

/// A part of a line as a type; a misspelt word is answered with its place and the nearest one.
pub(crate) fn typed<T: DeserializeOwned>(file: &str, text: &str, row: &Row, value: Value) -> Result<T, Problem> {
    serde_json::from_value(value).map_err(|error| {
        let message = error.to_string();
        let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let (given, known) = words.split_first().map_or(("", &[] as &[&str]), |(given, known)| (*given, known));
        let problem = problem(file, text, row, given, message.clone());
        match nearest(given, known.iter().copied()) {
            Some(word) if message.starts_with("unknown ") => problem.with_help(format!("did you mean `{word}`?")),
            _ => problem,
        }
    })
}

/// Reads one line.
pub(crate) fn parse(file: &str, text: &str, row: &Row, boundary: Boundary) -> Result<Line, Problem> {
    let mut value = value(file, text, row)?;
    let Some(object) = value.as_object_mut() else {
        return Err(problem(file, text, row, "", "a line must be an object with `request` and `answer`"));
    };
    let (Some(request), Some(mut answer)) = (object.remove("request"), object.remove("answer")) else {
        return Err(problem(file, text, row, "", "a line must have `request` and `answer`"));
    };
    if let Some(key) = object.keys().next() {
        return Err(
            problem(file, text, row, key, format!("unknown key `{key}`")).with_help("accepted: request, answer")
        );
    }
    if request.get("op").is_none() {
        return Err(problem(file, text, row, "request", "the request has no `op`, which names it"));
    }
    let typed_answer = answer.clone();
    let step = match boundary {
        Boundary::Partition => {
            let request: PartitionRequest = typed(file, text, row, request)?;
            let answer = super::partition::answer(file, text, row, request, typed_answer)?;
            Step::Partition(answer)
        }
        Boundary::Server => {
            let request: ServerRequest = typed(file, text, row, request)?;
            Step::Server(super::server::answer(file, text, row, request, typed_answer)?)
        }
    };
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("files");
    }
    Ok(Line { number: row.number, span: row.span.clone(), answer: answer.to_string(), step })
}

/// Demands that a recording fits into a model.
pub(crate) fn demand_limits(file: &str, text: &str, lines: &[Line]) -> Result<(), Problem> {
    let mut messages = 0;
    let mut commands = 0;
    let mut clients = Vec::new();
    let mut groups: Vec<String> = Vec::new();
    for line in lines {
        let row = Row { number: line.number, span: line.span.clone() };
        let (count, offsets, who) = match &line.step {
            Step::Partition(step) => (step.count(), step.offsets(), step.who()),
            Step::Server(step) => (step.count(), step.offsets(), step.who()),
        };
        messages += count;
        if messages > MOST_MESSAGES {
            let message = format!("a recording may send at most {MOST_MESSAGES} messages; this line exceeds that");
            return Err(problem(file, text, &row, "count", message));
        }
        commands += usize::from(line.step.is_command());
        if commands > MOST_COMMANDS {
            let message = format!("a recording may have at most {MOST_COMMANDS} purges, joins and leaves");
            return Err(problem(file, text, &row, "op", message));
        }
        if let Some(offset) = offsets.into_iter().find(|offset| *offset >= OFFSETS) {
            let message = format!("offset {offset} is too large: offsets must be less than {OFFSETS}");
            return Err(problem(file, text, &row, &offset.to_string(), message));
        }
        let Some((group, name)) = who else { continue };
        if !clients.contains(&(group.clone(), name.clone())) {
            clients.push((group.clone(), name));
        }
        if clients.len() > MOST_CLIENTS {
            return Err(problem(file, text, &row, "", format!("a recording may have at most {MOST_CLIENTS} clients")));
        }
        groups.extend(group.filter(|group| !groups.contains(group)));
        if let [_, second, ..] = groups.as_slice() {
            let message = format!("`{second}` is a second group; a recording may have one");
            return Err(problem(file, text, &row, second, message));
        }
    }
    Ok(())
}
