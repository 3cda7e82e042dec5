//! Why there is no measurement.

use std::fmt::{self, Display, Formatter};

/// Why there is no measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something is not there, and nothing is wrong otherwise: a tool that is not installed, an engine that is not
    /// built in.
    NotRun(String),
    /// Something is wrong.
    Wrong(String),
}

impl Failure {
    /// Something is wrong.
    pub fn wrong(text: impl Into<String>) -> Self {
        Self::Wrong(text.into())
    }

    /// A tool is missing. Continuous integration must not pass without having compared anything, so there it is an
    /// error.
    pub fn missing_tool(text: impl Into<String>) -> Self {
        if is_continuous_integration() { Self::Wrong(text.into()) } else { Self::NotRun(text.into()) }
    }
}

/// Whether the environment says `CI=true`, as the services for continuous integration do.
pub fn is_continuous_integration() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

impl Display for Failure {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRun(text) => write!(formatter, "not run: {text}"),
            Self::Wrong(text) => formatter.write_str(text),
        }
    }
}

impl std::error::Error for Failure {}
