//! What can go wrong with a child, told apart.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fencepost_driver::{ErrorCode, Failure, MOST_LINE_BYTES, PROTOCOL};

/// Most characters of a line that are quoted.
const MOST_QUOTED: usize = 120;

/// What a report counts a [`ChildProblem`] by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The command cannot be started: bad input, and not the driver's fault.
    NotStarted,
    /// The child ended.
    PanicOrExit,
    /// The child does not keep to the protocol.
    Protocol,
    /// The child does not answer.
    Hang,
    /// The driver itself says that it failed.
    DriverError,
    /// Ctrl-C.
    Interrupted,
}

impl ProblemKind {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotStarted => "not-started",
            Self::PanicOrExit => "panic-or-exit",
            Self::Protocol => "protocol",
            Self::Hang => "hang",
            Self::DriverError => "driver-error",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// The first problem of a child, for who holds the subject only as a trait object: empty as long as all is well. An answer
/// `error` is not among them, because the child lives on after it.
pub type FirstProblem = Arc<OnceLock<ChildProblem>>;

/// What is wrong with a child. Shown, it is one sentence in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildProblem {
    /// The command could not be started.
    NotStarted {
        /// The program.
        program: String,
        /// Why.
        error: String,
    },
    /// The child ended, or closed its standard output, although an answer was due.
    Ended {
        /// How: `exit status: 3`, for example.
        how: String,
        /// What it was asked.
        question: &'static str,
        /// The last lines that it wrote to standard error.
        last_errors: Vec<String>,
    },
    /// It printed a line that is no message of the protocol.
    NoProtocolLine {
        /// The line, shortened.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// It answered another question than the one that was due.
    OutOfOrder {
        /// Number of the question that was due.
        expected: u64,
        /// Number of the question that was answered.
        got: u64,
    },
    /// It answered a question with a message that is no answer to it.
    WrongAnswer {
        /// What it was asked.
        question: &'static str,
        /// What it answered, shortened.
        answer: String,
        /// What is wrong with it.
        why: String,
    },
    /// It did not answer in time.
    NoAnswer {
        /// How long it was waited for.
        limit: Duration,
        /// What it was asked.
        question: &'static str,
        /// The last lines that it wrote to standard error.
        last_errors: Vec<String>,
    },
    /// It speaks another version of the protocol.
    WrongVersion {
        /// The one that it speaks.
        got: String,
    },
    /// It printed a line that is too long.
    LineTooLong {
        /// How the line begins.
        begins: String,
    },
    /// It answered `error`: the driver says itself that it failed. It lives on.
    Error(Failure),
    /// Ctrl-C ended it.
    Interrupted,
}

impl ChildProblem {
    /// What a report counts it by.
    pub fn kind(&self) -> ProblemKind {
        match self {
            Self::NotStarted { .. } => ProblemKind::NotStarted,
            Self::Ended { .. } => ProblemKind::PanicOrExit,
            Self::NoProtocolLine { .. }
            | Self::OutOfOrder { .. }
            | Self::WrongAnswer { .. }
            | Self::WrongVersion { .. }
            | Self::LineTooLong { .. } => ProblemKind::Protocol,
            Self::NoAnswer { .. } => ProblemKind::Hang,
            Self::Error(_) => ProblemKind::DriverError,
            Self::Interrupted => ProblemKind::Interrupted,
        }
    }
}

impl fmt::Display for ChildProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { program, error } => write!(formatter, "`{program}` could not be started: {error}"),
            Self::Ended { how, question, last_errors } => {
                write!(formatter, "the driver ended ({how}) instead of answering `{question}`{}", last(last_errors))
            }
            Self::NoProtocolLine { line, why } => {
                write!(formatter, "the driver printed `{line}`, which is no line of the protocol: {why}")
            }
            Self::OutOfOrder { expected, got } => {
                write!(formatter, "the driver answered out of order: question {expected} was due, it answered {got}")
            }
            Self::WrongAnswer { question, answer, why } => {
                write!(formatter, "the driver answered `{question}` with `{answer}`: {why}")
            }
            Self::NoAnswer { limit, question, last_errors } => {
                let seconds = limit.as_secs_f64();
                write!(formatter, "the driver did not answer `{question}` within {seconds} s{}", last(last_errors))
            }
            Self::WrongVersion { got } => write!(formatter, "the driver speaks `{got}`, not {PROTOCOL}"),
            Self::LineTooLong { begins } => {
                write!(formatter, "the driver printed a line of more than {MOST_LINE_BYTES} bytes: `{begins}`")
            }
            Self::Error(failure) => write!(formatter, "the driver answered `error`: {}", quoted(&failure.text)),
            Self::Interrupted => formatter.write_str("interrupted"),
        }
    }
}

impl std::error::Error for ChildProblem {}

impl From<ChildProblem> for Failure {
    /// A failure in the words of the protocol; what the driver itself answered stays as it is.
    fn from(problem: ChildProblem) -> Self {
        let code = match problem.kind() {
            ProblemKind::NotStarted => ErrorCode::Unreachable,
            ProblemKind::PanicOrExit => ErrorCode::Ended,
            ProblemKind::Protocol => ErrorCode::Protocol,
            ProblemKind::Hang => ErrorCode::Hang,
            ProblemKind::DriverError | ProblemKind::Interrupted => ErrorCode::Failed,
        };
        match problem {
            ChildProblem::Error(failure) => failure,
            other => Failure { code, text: other.to_string(), is_definite: false },
        }
    }
}

/// A text in one line, shortened.
pub(super) fn quoted(text: &str) -> String {
    let mut short: String =
        text.chars().take(MOST_QUOTED).map(|character| if character.is_control() { ' ' } else { character }).collect();
    if text.chars().nth(MOST_QUOTED).is_some() {
        short.push('…');
    }
    short
}

fn last(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
    format!("; its last words: {}", lines.join(" | "))
}
