//! The lines of a file.

use fencepost_driver::{Answer, Call, Certainty, Crash, Observation, Park, Progress, Reply, Seen, Step};
use serde::{Deserialize, Serialize};

use crate::replay::trace::Ending;

/// What may be seen after a step.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Allowed {
    pub(super) progress: AllowedProgress,
    pub(super) observation: Observation,
}

/// How far a step may get.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum AllowedProgress {
    Parked {},
    Done {
        reply: Reply,
        #[serde(default, skip_serializing_if = "is_definite")]
        certainty: Certainty,
    },
}

fn is_definite(certainty: &Certainty) -> bool {
    *certainty == Certainty::Definite
}

impl Allowed {
    /// `None` for what no contract allows: that a step is refused or cannot be done.
    pub(super) fn of(seen: &Seen) -> Option<Self> {
        let progress = match &seen.progress {
            Progress::Parked => AllowedProgress::Parked {},
            Progress::Done { reply, certainty } => {
                AllowedProgress::Done { reply: reply.clone(), certainty: *certainty }
            }
            Progress::Refused { .. } | Progress::Unsupported { .. } => return None,
        };
        Some(Self { progress, observation: seen.observation.clone() })
    }

    pub(super) fn into_seen(self) -> Seen {
        let progress = match self.progress {
            AllowedProgress::Parked {} => Progress::Parked,
            AllowedProgress::Done { reply, certainty } => Progress::Done { reply, certainty },
        };
        Seen { progress, observation: self.observation }
    }
}

/// A step, as it is written.
#[derive(Serialize)]
pub(super) struct WrittenStep<'a> {
    #[serde(flatten)]
    pub(super) step: &'a Step,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) allowed: Option<Allowed>,
}

/// A step, as it is read: all keys that some verb has, so that unknown and repeated ones are noticed with their place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadStep {
    verb: Verb,
    operation: Option<String>,
    call: Option<Call>,
    park: Option<Park>,
    answer: Option<Answer>,
    crash: Option<Crash>,
    pub(super) allowed: Option<Allowed>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Verb {
    Start,
    Resume,
    Cancel,
    Crash,
    Restart,
}

impl ReadStep {
    /// The step, and what is allowed after it.
    ///
    /// # Errors
    /// What is wrong, and the keys that the verb has.
    pub(super) fn into_step(self) -> Result<(Step, Option<Allowed>), &'static str> {
        let step = match (self.verb, self.operation, self.call, self.park, self.answer, self.crash) {
            (Verb::Start, Some(operation), Some(call), None, None, None) => Step::Start { operation, call },
            (Verb::Start, ..) => return Err("a start has `operation` and `call`"),
            (Verb::Resume, None, None, Some(park), answer, None) => {
                Step::Resume { park, answer: answer.unwrap_or_default() }
            }
            (Verb::Resume, ..) => return Err("a resume has `park` and may have `answer`"),
            (Verb::Cancel, Some(operation), None, None, None, None) => Step::Cancel { operation },
            (Verb::Cancel, ..) => return Err("a cancel has `operation`"),
            (Verb::Crash, None, None, None, None, Some(crash)) => Step::Crash { crash },
            (Verb::Crash, ..) => return Err("a crash has `crash`"),
            (Verb::Restart, None, None, None, None, None) => Step::Restart {},
            (Verb::Restart, ..) => return Err("a restart has nothing but `allowed`"),
        };
        Ok((step, self.allowed))
    }
}

/// The last line of a trace.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    pub(super) end: End,
}

/// What the last line of a trace says.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    /// What comes after the part that was chosen.
    pub(super) ending: Ending,
    /// Steps of the model.
    pub(super) steps: usize,
    /// Steps of the driver: a crash and the restart after it are two.
    pub(super) driver_steps: usize,
}

/// The last line of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TotalLine {
    pub(super) total: Total,
}

/// What the last line of a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Total {
    /// Traces.
    pub(super) traces: usize,
    /// Steps of the model.
    pub(super) steps: usize,
    /// Steps of the driver.
    pub(super) driver_steps: usize,
}

impl Total {
    /// Counts one trace more.
    pub(super) fn add(&mut self, steps: usize, driver_steps: usize) {
        self.traces += 1;
        self.steps += steps;
        self.driver_steps += driver_steps;
    }
}
