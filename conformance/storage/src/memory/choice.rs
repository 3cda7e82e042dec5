//! Which unsynced operations a power loss leaves.

use std::fmt;

/// The id of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub u32);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The unsynced operations that survive. With the storage that it was taken of it says what is found after the power loss,
/// so it can be printed and replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageChoice {
    /// What survives in full, ascending.
    pub kept: Vec<OperationId>,
    /// Writes of which only a prefix survives, with its length in bytes, ascending.
    pub torn: Vec<(OperationId, usize)>,
}
