//! Writes files.

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

use super::Header;
use super::line::{Allowed, End, EndLine, Total, TotalLine, WrittenStep};
use crate::replay::trace::Trace;

/// Writes traces one after the other, so that they need not be in memory at once.
pub struct TraceWriter<W: Write> {
    output: W,
    total: Total,
}

/// Why a trace cannot be written.
#[derive(Debug)]
pub enum Unwritable {
    /// A step, counted from 1, consists of no step of the driver, or what it allows is no progress.
    Step(usize),
    /// The output failed.
    Output(io::Error),
}

impl fmt::Display for Unwritable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(number) => write!(formatter, "step {number} of the trace has no form in a file of traces"),
            Self::Output(error) => write!(formatter, "the traces cannot be written: {error}"),
        }
    }
}

impl std::error::Error for Unwritable {}

impl From<io::Error> for Unwritable {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl<W: Write> TraceWriter<W> {
    /// Begins a file. The header states the format that is written, whatever it said before.
    ///
    /// # Errors
    /// [`Unwritable::Output`].
    pub fn new(output: W, header: &Header) -> Result<Self, Unwritable> {
        let mut writer = Self { output, total: Total::default() };
        writer.line(&Header { format: super::FORMAT.to_owned(), ..header.clone() })?;
        Ok(writer)
    }

    /// Adds a trace.
    ///
    /// # Errors
    /// [`Unwritable::Step`] before anything of the trace is written, [`Unwritable::Output`] at any time.
    pub fn write(&mut self, trace: &Trace) -> Result<(), Unwritable> {
        let is_writable =
            |step: &crate::replay::trace::TraceStep| !step.steps.is_empty() && Allowed::of(&step.allowed).is_some();
        if let Some(index) = trace.steps.iter().position(|step| !is_writable(step)) {
            return Err(Unwritable::Step(index + 1));
        }
        for step in &trace.steps {
            for (index, driver_step) in step.steps.iter().enumerate() {
                let is_last = index + 1 == step.steps.len();
                let allowed = if is_last { Allowed::of(&step.allowed) } else { None };
                self.line(&WrittenStep { step: driver_step, allowed })?;
            }
        }
        let (steps, driver_steps) = (trace.steps.len(), trace.driver_steps());
        self.total.add(steps, driver_steps);
        self.line(&EndLine { end: End { ending: trace.ending, steps, driver_steps } })
    }

    /// Ends the file and gives the output back.
    ///
    /// # Errors
    /// [`Unwritable::Output`].
    pub fn finish(mut self) -> Result<W, Unwritable> {
        self.line(&TotalLine { total: self.total.clone() })?;
        self.output.flush()?;
        Ok(self.output)
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), Unwritable> {
        serde_json::to_writer(&mut self.output, line).map_err(io::Error::from)?;
        self.output.write_all(b"\n")?;
        Ok(())
    }
}
