//! Verdicts: what may be said about a clause, and no more.

use std::fmt;

use crate::describe::Described;
use crate::engine::{Exploration, Finding, Stop};
use crate::guide::Guide;

/// What may be said about a clause after an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was explored; the clause was exercised and never broken.
    HoldsExhaustive,
    /// Every execution of at most this many steps was explored, and none broke the clause.
    HoldsUpToDepth(u32),
    /// The exploration ended early without a breach: nothing is known.
    Stopped(Stop),
    /// The clause was broken.
    Violated,
    /// Everything was explored and nothing exercised the clause.
    Vacuous,
    /// No exploration looked at the clause.
    NotChecked,
}

impl Verdict {
    /// The verdict on a safety clause, given why the exploration ended early and the last level that had states.
    pub fn of<A>(finding: &Finding<A>, stopped: Option<Stop>, depth: u32) -> Self {
        match stopped {
            _ if finding.broken.is_some() => Self::Violated,
            Some(Stop::Depth) => Self::HoldsUpToDepth(depth),
            Some(stop) => Self::Stopped(stop),
            None if finding.exercised == 0 => Self::Vacuous,
            None => Self::HoldsExhaustive,
        }
    }

    /// The verdict on a liveness clause: the executions up to some depth say nothing about it.
    pub fn of_liveness<A>(finding: &Finding<A>, stopped: Option<Stop>) -> Self {
        match stopped {
            Some(stop) if finding.broken.is_none() => Self::Stopped(stop),
            _ => Self::of(finding, stopped, 0),
        }
    }

    /// The verdicts on all findings of an exploration, of which the first `safety_clauses` are about safety.
    pub fn of_all<M: Described, G: Guide<M>>(exploration: &Exploration<M, G>, safety_clauses: usize) -> Vec<Self> {
        let (stopped, depth) = (exploration.stopped, exploration.depth);
        let verdict = |(index, finding)| match index < safety_clauses {
            true => Self::of(finding, stopped, depth),
            false => Self::of_liveness(finding, stopped),
        };
        exploration.findings.iter().enumerate().map(verdict).collect()
    }

    /// The verdict on a clause that several explorations looked at.
    ///
    /// One breach breaks it; failing that, one exploration that ended early leaves it open (and of several the least that
    /// is known counts); failing that, it holds if it was exercised anywhere.
    pub fn summary(verdicts: &[Self]) -> Self {
        // Of equals `max_by_key` takes the last, hence the reversal: the first view counts.
        verdicts.iter().rev().copied().max_by_key(Self::rank).unwrap_or(Self::NotChecked)
    }

    /// Which verdict counts most in a summary; a smaller depth counts more than a greater one.
    fn rank(&self) -> (u8, u32) {
        match self {
            Self::Violated => (5, 0),
            Self::Stopped(_) => (4, 0),
            Self::NotChecked => (3, 0),
            Self::HoldsUpToDepth(depth) => (2, u32::MAX - depth),
            Self::HoldsExhaustive => (1, 0),
            Self::Vacuous => (0, 0),
        }
    }

    /// Whether the clause holds, at least as far as was looked.
    pub fn holds(&self) -> bool {
        matches!(self, Self::HoldsExhaustive | Self::HoldsUpToDepth(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HoldsExhaustive => formatter.pad("holds (exhaustive)"),
            Self::HoldsUpToDepth(depth) => formatter.pad(&format!("holds up to depth {depth}")),
            Self::Stopped(stop) => formatter.pad(&format!("stopped ({stop})")),
            Self::Violated => formatter.pad("violated"),
            Self::Vacuous => formatter.pad("vacuous"),
            Self::NotChecked => formatter.pad("not checked"),
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::States => "states",
            Self::Depth => "depth",
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Interrupted => "interrupted",
            Self::Lost => "a process was lost",
        })
    }
}
