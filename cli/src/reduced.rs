//! `--symmetry`: of the states that differ only by which of several like actors is which, one is explored.

use fencepost_checker::engine::{Exploration, Task};
use fencepost_checker::guide::Unguided;
use fencepost_models::family::ModelledFamily;

use crate::exploring::COMPILED;

/// What became of a view under `--symmetry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Each state that was explored stands for at most this many.
    By(usize),
    /// No two actors are alike.
    NobodyAlike,
    /// It has liveness clauses, which need every state.
    Liveness,
}

impl Reduction {
    /// For how many states one that was explored can stand.
    pub fn permutations(self) -> usize {
        match self {
            Self::By(permutations) => permutations,
            Self::NobodyAlike | Self::Liveness => 1,
        }
    }

    /// Why every state was explored, if it was.
    pub fn why_none(self) -> Option<&'static str> {
        match self {
            Self::By(_) => None,
            Self::NobodyAlike => Some("no two actors are alike"),
            Self::Liveness => Some("it has liveness clauses, which need every state"),
        }
    }
}

/// Explores a view, reduced if it can be.
pub fn explore<F: ModelledFamily>(task: &Task<'_, F::Model, Unguided>) -> (Exploration<F::Model, Unguided>, Reduction) {
    let reduced = COMPILED.explore_reduced(task, &F::symmetry(task.model));
    let reduction = match reduced.permutations {
        1 if !task.liveness.is_empty() => Reduction::Liveness,
        1 => Reduction::NobodyAlike,
        permutations => Reduction::By(permutations),
    };
    (reduced.exploration, reduction)
}
