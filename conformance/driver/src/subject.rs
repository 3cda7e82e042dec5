//! The trait that an implementer implements.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Answer, Call, Capabilities, Crash, Fields, Observation, Park, Progress, Step, World};

/// Why a driver could not do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCode {
    /// The message could not be understood.
    Malformed,
    /// The message came at a time at which it makes no sense.
    OutOfOrder,
    /// The implementation cannot be reached or started.
    Unreachable,
    /// Something failed in the driver.
    Failed,
    /// Said by the runner's side of a child process: there was no answer in time.
    Hang,
    /// Said by the runner's side of a child process: it panicked or ended.
    Ended,
    /// Said by the runner's side of a child process: it does not keep to the protocol.
    Protocol,
}

/// A driver could not do what it was asked. It says nothing about the implementation that is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub code: ErrorCode,
    /// In words.
    pub text: String,
    /// Whether it is certain that nothing happened.
    pub is_definite: bool,
}

impl Failure {
    /// A failure of the driver after which nothing is certain.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { code: ErrorCode::Failed, text: text.into(), is_definite: false }
    }

    /// The step makes no sense now; nothing happened.
    pub fn out_of_order(text: impl Into<String>) -> Self {
        Self { code: ErrorCode::OutOfOrder, text: text.into(), is_definite: true }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

/// A step done: how far it got, and what a look afterwards showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How far it got.
    pub progress: Progress,
    /// What was seen afterwards.
    pub observation: Observation,
}

/// One implementation of the contract, moved one step at a time.
///
/// Nothing goes on by itself: work waits at its park until the runner resumes it. (Work of a kind that is not among
/// [`Capabilities::parks`] does go on by itself; that is what leaving it out says.) A subject need not be `Send`.
pub trait Subject {
    /// What the driver can do.
    fn capabilities(&self) -> Capabilities;

    /// Makes a fresh world; nothing of the one before is left. The same world must look the same each time.
    ///
    /// # Errors
    /// A [`Failure`], if that cannot be done; the run ends then.
    fn reset(&mut self, world: &World) -> Result<(), Failure>;

    /// A client or the operator begins a request; it stays parked until it is resumed.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure>;

    /// Parked work makes one step.
    ///
    /// # Errors
    /// A [`Failure`] of the driver. That nothing waits there is [`Progress::Refused`].
    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure>;

    /// Everything that waits for the runner, sorted, timers left out.
    fn parked(&self) -> Vec<Park>;

    /// Looks, and changes nothing. Fields that it cannot see it leaves out.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure>;

    /// The caller of an operation gives up waiting.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure>;

    /// Ends the process.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn crash(&mut self, crash: &Crash) -> Result<Progress, Failure>;

    /// Starts the process again; it recovers.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn restart(&mut self) -> Result<Progress, Failure>;

    /// Does one step, whichever it is.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn perform(&mut self, step: &Step) -> Result<Progress, Failure> {
        match step {
            Step::Start { operation, call } => self.start(operation, call),
            Step::Resume { park, answer } => self.resume(park, *answer),
            Step::Cancel { operation } => self.cancel(operation),
            Step::Crash { crash } => self.crash(crash),
            Step::Restart {} => self.restart(),
        }
    }

    /// Does steps one after the other and looks after each, except after a [`Step::Crash`], when there is nothing to look at, and after
    /// a step that was not done ([`Progress::Refused`], [`Progress::Unsupported`]). What was seen of the steps before a failure is in
    /// `seen`. An implementation that is far away may send them all at once.
    ///
    /// # Errors
    /// A [`Failure`] of the driver.
    fn walk(&mut self, steps: &[Step], fields: Fields, seen: &mut Vec<Seen>) -> Result<(), Failure> {
        for step in steps {
            let progress = self.perform(step)?;
            let is_done = matches!(progress, Progress::Parked | Progress::Done { .. });
            let looks = is_done && !fields.is_empty() && !matches!(step, Step::Crash { .. });
            let observation = if looks { self.observe(fields)? } else { Observation::default() };
            seen.push(Seen { progress, observation });
        }
        Ok(())
    }
}
