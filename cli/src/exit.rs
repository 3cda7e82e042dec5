//! Exit codes.

/// How a command ended, the weakest first: of several the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Everything is as expected.
    AsExpected,
    /// Something was stopped before its end.
    Stopped,
    /// A verdict, an answer or a vacuity is not as expected.
    NotAsExpected,
    /// The input cannot be used.
    BadInput,
}

impl ExitStatus {
    /// The code that the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Self::AsExpected => 0,
            Self::Stopped => 3,
            Self::NotAsExpected => 1,
            Self::BadInput => 2,
        }
    }
}
