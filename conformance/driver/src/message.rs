//! The messages of `fencepost-driver/1`: one JSON object a line.
//!
//! The runner asks, the driver answers, in order, one answer a question. Unknown keys and unknown words are errors on both sides.

use serde::{Deserialize, Serialize};

use crate::{
    Answer, Call, Capabilities, Certainty, Crash, CrashKind, ErrorCode, Failure, Fields, Observation, Park, ParkKind,
    Progress, Reply, Step, World,
};

/// A message of the runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Question {
    /// The first line: who speaks which protocol.
    Hello {
        /// Number of the question; they increase.
        id: u64,
        /// [`crate::PROTOCOL`].
        protocol: String,
    },
    /// Make a fresh world.
    Reset {
        /// Number of the question.
        id: u64,
        /// The world.
        world: Box<World>,
    },
    /// [`Step::Start`].
    Start {
        /// Number of the question.
        id: u64,
        /// Name of the operation.
        operation: String,
        /// What is asked for.
        call: Call,
        /// Fields to look at afterwards.
        #[serde(default, skip_serializing_if = "Fields::is_empty_set")]
        observe: Fields,
    },
    /// [`Step::Resume`].
    Resume {
        /// Number of the question.
        id: u64,
        /// Where the work waits.
        park: Park,
        /// How it goes on.
        #[serde(default, skip_serializing_if = "is_proceed")]
        answer: Answer,
        /// Fields to look at afterwards.
        #[serde(default, skip_serializing_if = "Fields::is_empty_set")]
        observe: Fields,
    },
    /// [`Step::Cancel`].
    Cancel {
        /// Number of the question.
        id: u64,
        /// Name of the operation.
        operation: String,
        /// Fields to look at afterwards.
        #[serde(default, skip_serializing_if = "Fields::is_empty_set")]
        observe: Fields,
    },
    /// [`Step::Crash`].
    Crash {
        /// Number of the question.
        id: u64,
        /// How.
        crash: Crash,
    },
    /// [`Step::Restart`].
    Restart {
        /// Number of the question.
        id: u64,
        /// Fields to look at afterwards.
        #[serde(default, skip_serializing_if = "Fields::is_empty_set")]
        observe: Fields,
    },
    /// What waits?
    Parked {
        /// Number of the question.
        id: u64,
    },
    /// Look.
    Observe {
        /// Number of the question.
        id: u64,
        /// At what.
        fields: Fields,
    },
    /// The last line. The driver answers `done` and ends within five seconds.
    Bye {
        /// Number of the question.
        id: u64,
    },
}

fn is_proceed(answer: &Answer) -> bool {
    *answer == Answer::Proceed
}

impl Fields {
    fn is_empty_set(fields: &Self) -> bool {
        fields.is_empty()
    }
}

impl Question {
    /// The question that asks for a step, and for a look afterwards.
    pub fn of_step(id: u64, step: &Step, observe: Fields) -> Self {
        match step.clone() {
            Step::Start { operation, call } => Self::Start { id, operation, call, observe },
            Step::Resume { park, answer } => Self::Resume { id, park, answer, observe },
            Step::Cancel { operation } => Self::Cancel { id, operation, observe },
            Step::Crash { crash } => Self::Crash { id, crash },
            Step::Restart {} => Self::Restart { id, observe },
        }
    }

    /// Number of the question.
    pub fn id(&self) -> u64 {
        match self {
            Self::Hello { id, .. }
            | Self::Reset { id, .. }
            | Self::Start { id, .. }
            | Self::Resume { id, .. }
            | Self::Cancel { id, .. }
            | Self::Crash { id, .. }
            | Self::Restart { id, .. }
            | Self::Parked { id }
            | Self::Observe { id, .. }
            | Self::Bye { id } => *id,
        }
    }
}

/// A message of the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Response {
    /// The answer to `hello`.
    Ready {
        /// Number of the question.
        in_reply_to: u64,
        /// [`crate::PROTOCOL`].
        protocol: String,
        /// Name of the implementation.
        subject: String,
        /// Its version.
        version: String,
        /// [`Capabilities::calls`].
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<crate::schema::CallKind>"))]
        calls: Vec<String>,
        /// [`Capabilities::parks`], as words.
        #[serde(default)]
        #[cfg_attr(test, schemars(with = "Vec<crate::ParkKind>"))]
        parks: Vec<String>,
        /// [`Capabilities::observables`].
        #[serde(default)]
        observables: Fields,
        /// [`Capabilities::crashes`].
        #[serde(default)]
        crashes: Vec<CrashKind>,
        /// [`Capabilities::is_deterministic`].
        #[serde(default)]
        deterministic: bool,
    },
    /// The step got as far as it could ([`Progress::Parked`]), or a list was asked for.
    Parked {
        /// Number of the question.
        in_reply_to: u64,
        /// Everything that waits, if it was asked for by `parked`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parked: Option<Vec<Park>>,
        /// What was seen afterwards, if that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        observation: Option<Box<Observation>>,
    },
    /// A client has an answer ([`Progress::Done`]); or, without `reply`, the reset, the crash or the farewell is done.
    Done {
        /// Number of the question.
        in_reply_to: u64,
        /// The answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<Reply>,
        /// What it says about the effect.
        #[serde(default, skip_serializing_if = "is_definite")]
        certainty: Certainty,
        /// What was seen afterwards, if that was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        observation: Option<Box<Observation>>,
    },
    /// [`Progress::Refused`].
    Refused {
        /// Number of the question.
        in_reply_to: u64,
        /// Why.
        reason: String,
    },
    /// [`Progress::Unsupported`].
    Unsupported {
        /// Number of the question.
        in_reply_to: u64,
        /// Why.
        reason: String,
    },
    /// The answer to `observe`.
    Observation {
        /// Number of the question.
        in_reply_to: u64,
        /// What was seen.
        state: Box<Observation>,
    },
    /// [`Failure`].
    Error {
        /// Number of the question, if it could be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_reply_to: Option<u64>,
        /// What kind of failure.
        code: ErrorCode,
        /// In words.
        text: String,
        /// Whether it is certain that nothing happened.
        definite: bool,
    },
}

fn is_definite(certainty: &Certainty) -> bool {
    *certainty == Certainty::Definite
}

impl Response {
    /// The answer to `hello`.
    pub fn ready(in_reply_to: u64, capabilities: Capabilities) -> Self {
        Self::Ready {
            in_reply_to,
            protocol: crate::PROTOCOL.to_owned(),
            subject: capabilities.subject,
            version: capabilities.version,
            calls: capabilities.calls,
            parks: capabilities.parks.iter().map(|kind: &ParkKind| kind.word().to_owned()).collect(),
            observables: capabilities.observables,
            crashes: capabilities.crashes,
            deterministic: capabilities.is_deterministic,
        }
    }

    /// The answer to a step.
    pub fn of_progress(in_reply_to: u64, progress: Progress, observation: Option<Observation>) -> Self {
        let observation = observation.map(Box::new);
        match progress {
            Progress::Parked => Self::Parked { in_reply_to, parked: None, observation },
            Progress::Done { reply, certainty } => {
                Self::Done { in_reply_to, reply: Some(reply), certainty, observation }
            }
            Progress::Refused { reason } => Self::Refused { in_reply_to, reason },
            Progress::Unsupported { reason } => Self::Unsupported { in_reply_to, reason },
        }
    }

    /// A failure.
    pub fn error(in_reply_to: Option<u64>, failure: Failure) -> Self {
        Self::Error { in_reply_to, code: failure.code, text: failure.text, definite: failure.is_definite }
    }

    /// Number of the question that is answered, if it could be read.
    pub fn in_reply_to(&self) -> Option<u64> {
        match self {
            Self::Ready { in_reply_to, .. }
            | Self::Parked { in_reply_to, .. }
            | Self::Done { in_reply_to, .. }
            | Self::Refused { in_reply_to, .. }
            | Self::Unsupported { in_reply_to, .. }
            | Self::Observation { in_reply_to, .. } => Some(*in_reply_to),
            Self::Error { in_reply_to, .. } => *in_reply_to,
        }
    }
}
