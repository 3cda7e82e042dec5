//! One step that the runner demands, and how far it got.

use serde::{Deserialize, Serialize};

use crate::{Call, Certainty, Park, Reply};

/// How parked work goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// It goes on.
    #[default]
    Proceed,
    /// What it asked the disk for fails: the sync or unlink of a purge, or the file of a read that was replaced since.
    Fail,
    /// The time for which it waits is over.
    TimeOut,
}

/// How a process ends, and what of its files is found afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Crash {
    /// The process dies; what the operating system holds survives.
    Process {},
    /// Power is lost. Of the logical writes that are not synced yet (see [`crate::Field::Unsynced`]) exactly those with these
    /// positions are found again.
    Power {
        /// Positions in the list of unsynced writes, oldest first, from 0.
        keep: Vec<usize>,
    },
}

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// A client or the operator begins a request. It stays parked at its [`crate::ParkKind::Request`] (a command of the operator
    /// that needs no gateway at [`crate::ParkKind::Propose`], an expiry at [`crate::ParkKind::Arrival`]) until it is resumed.
    Start {
        /// Name of the operation: the client and a number, as in `A.1`.
        operation: String,
        /// What is asked for.
        call: Call,
    },
    /// Parked work makes one step.
    Resume {
        /// Where it waits.
        park: Park,
        /// How it goes on.
        #[serde(default)]
        answer: Answer,
    },
    /// The caller of an operation gives up waiting for the answer. The request itself goes on.
    Cancel {
        /// Name of the operation.
        operation: String,
    },
    /// The process ends.
    Crash {
        /// How.
        crash: Crash,
    },
    /// The process is started again and recovers. Until then nothing else may happen.
    Restart {},
}

/// How far a step got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// As far as it could: the work is parked somewhere else now, or has ended without an answer.
    Parked,
    /// A client or the operator has an answer.
    Done {
        /// The answer.
        reply: Reply,
        /// What it says about the effect of the request.
        certainty: Certainty,
    },
    /// The implementation will not do this step although there is such a step: a finding.
    Refused {
        /// Why.
        reason: String,
    },
    /// The driver has no way to do this step: counted, no finding.
    Unsupported {
        /// Why.
        reason: String,
    },
}

impl Progress {
    /// A definite answer.
    pub fn done(reply: Reply) -> Self {
        Self::Done { reply, certainty: Certainty::Definite }
    }
}
