//! Reads files, strictly.

use std::ops::Range;

use fencepost_driver::Step;
use fencepost_spec::diagnostic::{Problem, nearest};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::line::{EndLine, ReadStep, Total, TotalLine};
use super::{FORMAT, Header, TraceFile};
use crate::replay::trace::{Trace, TraceStep};

/// Reads a file of traces; `file` names it in problems.
///
/// # Errors
/// The first [`Problem`], with file, line and column.
pub fn read(file: &str, bytes: &[u8]) -> Result<TraceFile, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        Problem::new(format!("`{file}` is no UTF-8 text (line {line}, byte {})", error.valid_up_to()))
    })?;
    Reader { file, text }.read()
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

/// What was read so far.
#[derive(Default)]
struct Draft {
    traces: Vec<Trace>,
    /// Steps of the trace that has not ended yet.
    steps: Vec<TraceStep>,
    /// Steps of the driver whose `allowed` comes later.
    pending: Vec<Step>,
    total: Total,
}

impl Reader<'_> {
    fn read(&self) -> Result<TraceFile, Problem> {
        let mut lines = self.lines()?.into_iter();
        let first = lines.next().unwrap_or(0..0);
        let header = self.header(first)?;
        let mut draft = Draft::default();
        let mut is_complete = false;
        for span in lines {
            if is_complete {
                return Err(self.problem(span, "there is something after the line that ends the file"));
            }
            is_complete = self.line(span, &mut draft)?;
        }
        if is_complete {
            return Ok(TraceFile { header, traces: draft.traces });
        }
        let at = self.text.len()..self.text.len();
        Err(if draft.steps.is_empty() && draft.pending.is_empty() {
            self.problem(at, "the file is cut: its last line is missing")
                .with_help(r#"a file ends with {"total":{"traces":...,"steps":...,"driver_steps":...}}"#)
        } else {
            self.problem(at, "the file is cut: the end of its last trace is missing")
                .with_help(r#"a trace ends with {"end":{"ending":...,"steps":...,"driver_steps":...}}"#)
        })
    }

    /// The lines, without their ends.
    fn lines(&self) -> Result<Vec<Range<usize>>, Problem> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let end = start + line.len();
            if !line.ends_with('\n') {
                return Err(self.problem(start..end, "the line is cut: it has no line end"));
            }
            lines.push(start..end - 1);
            start = end;
        }
        Ok(lines)
    }

    fn header(&self, span: Range<usize>) -> Result<Header, Problem> {
        let value: Value = self.typed(span.clone())?;
        match value.get("format").and_then(Value::as_str) {
            Some(FORMAT) => self.typed(span),
            Some(other) => {
                let at = self.word(&span, other, span.end);
                Err(self.problem(at, format!("unknown format `{other}`")).with_help(format!("accepted: {FORMAT}")))
            }
            None => Err(self
                .problem(span, "the first line does not say its format")
                .with_help(format!(r#"it begins with {{"format":"{FORMAT}","#))),
        }
    }

    /// Takes one line after the first; `true` if it ends the file.
    fn line(&self, span: Range<usize>, draft: &mut Draft) -> Result<bool, Problem> {
        let value: Value = self.typed(span.clone())?;
        let has = |key| value.get(key).is_some();
        if has("end") {
            self.end(span, draft)?;
        } else if has("total") {
            self.total(span, draft)?;
            return Ok(true);
        } else if has("verb") {
            self.step(span, draft)?;
        } else {
            let problem = self.problem(span, "this is no line of a file of traces");
            return Err(problem.with_help("a line has `verb` (a step), `end` (of a trace) or `total` (of the file)"));
        }
        Ok(false)
    }

    fn step(&self, span: Range<usize>, draft: &mut Draft) -> Result<(), Problem> {
        let line: ReadStep = self.typed(span.clone())?;
        let (step, allowed) = line.into_step().map_err(|text| self.problem(span.clone(), text))?;
        let is_crash = matches!(step, Step::Crash { .. });
        draft.pending.push(step);
        match allowed {
            Some(allowed) => {
                let steps = std::mem::take(&mut draft.pending);
                draft.steps.push(TraceStep { steps, allowed: allowed.into_seen() });
                Ok(())
            }
            None if is_crash => Ok(()),
            None => Err(self.problem(span, "this step does not say what is `allowed` after it")),
        }
    }

    fn end(&self, span: Range<usize>, draft: &mut Draft) -> Result<(), Problem> {
        let EndLine { end } = self.typed(span.clone())?;
        if !draft.pending.is_empty() {
            return Err(self.problem(span, "the trace ends after a crash: the restart is missing"));
        }
        let steps = std::mem::take(&mut draft.steps);
        let trace = Trace { ending: end.ending, steps };
        self.demand(&span, "steps", end.steps, trace.steps.len(), "the trace")?;
        self.demand(&span, "driver_steps", end.driver_steps, trace.driver_steps(), "the trace")?;
        draft.total.add(trace.steps.len(), trace.driver_steps());
        draft.traces.push(trace);
        Ok(())
    }

    fn total(&self, span: Range<usize>, draft: &Draft) -> Result<(), Problem> {
        let TotalLine { total } = self.typed(span.clone())?;
        if !draft.steps.is_empty() || !draft.pending.is_empty() {
            return Err(self.problem(span, "the file ends inside of a trace: the end of the trace is missing"));
        }
        self.demand(&span, "traces", total.traces, draft.total.traces, "the file")?;
        self.demand(&span, "steps", total.steps, draft.total.steps, "the file")?;
        self.demand(&span, "driver_steps", total.driver_steps, draft.total.driver_steps, "the file")
    }

    /// Demands that a number of the last line of something is right.
    fn demand(&self, span: &Range<usize>, key: &str, said: usize, counted: usize, what: &str) -> Result<(), Problem> {
        if said == counted {
            return Ok(());
        }
        let at = self.word(span, key, span.end);
        Err(self.problem(at, format!("{what} has {counted} {}, not {said}", key.replace('_', " "))))
    }

    /// A line as a type.
    fn typed<T: DeserializeOwned>(&self, span: Range<usize>) -> Result<T, Problem> {
        let line = &self.text[span.clone()];
        serde_json::from_str(line).map_err(|error| {
            let at = (span.start + error.column()).min(span.end);
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
            let Some((given, known)) = words.split_first().filter(|_| error.is_data()) else {
                let what = if error.is_eof() { "the line is cut" } else { "this is no line of a file of traces" };
                return self.problem(self.character(&span, at), format!("{what}: {message}"));
            };
            let problem = self.problem(self.word(&span, given, at), message);
            match nearest(given, known.iter().copied()) {
                Some(word) if message.starts_with("unknown ") => problem.with_help(format!("did you mean `{word}`?")),
                _ => problem,
            }
        })
    }

    fn problem(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem::at(self.file, self.text, span, message)
    }

    /// The place of a quoted word of a line, the last one that begins before `before`; the character there if the word is not in it.
    fn word(&self, span: &Range<usize>, word: &str, before: usize) -> Range<usize> {
        let quoted = format!("\"{word}\"");
        let until = self.character(span, before).end;
        match self.text[span.start..until].rfind(&quoted) {
            Some(start) if !word.is_empty() => {
                let start = span.start + start + 1;
                start..start + word.len()
            }
            _ => self.character(span, before),
        }
    }

    /// The character of a line that ends at or after a byte of the text.
    fn character(&self, span: &Range<usize>, byte: usize) -> Range<usize> {
        let line = &self.text[span.clone()];
        let ends = line.char_indices().map(|(start, character)| (start, start + character.len_utf8()));
        let found = ends.map(|(start, end)| span.start + start..span.start + end).find(|range| range.end >= byte);
        found.unwrap_or(span.end..span.end)
    }
}
