//! Who explores, and what must be known to compare them.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// An engine: ours, Stateright's, or one of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineName {
    /// Fencepost: breadth-first over whole states
    Plain,
    /// Fencepost: breadth-first over numbered states of actor systems
    Compiled,
    /// Stateright, breadth-first
    StaterightBfs,
    /// Stateright, depth-first
    StaterightDfs,
    /// TLC
    Tlc,
    /// Spin, depth-first
    Spin,
    /// Spin, breadth-first
    SpinBfs,
    /// Spin, depth-first, states compressed without loss
    SpinCollapse,
    /// Spin, depth-first, states replaced by hashes
    SpinHc4,
}

/// How an engine tells two states apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// By comparing them: no state can be mistaken for another one.
    Exact,
    /// By a fingerprint of 64 bits: a loss is very unlikely at these sizes.
    Fingerprint,
    /// By a short hash: some states are lost.
    Lossy,
}

impl EngineName {
    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Compiled => "compiled",
            Self::StaterightBfs => "stateright-bfs",
            Self::StaterightDfs => "stateright-dfs",
            Self::Tlc => "tlc",
            Self::Spin => "spin",
            Self::SpinBfs => "spin-bfs",
            Self::SpinCollapse => "spin-collapse",
            Self::SpinHc4 => "spin-hc4",
        }
    }

    /// Whether another tool explores a twin of the model, written in its own language.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Tlc | Self::Spin | Self::SpinBfs | Self::SpinCollapse | Self::SpinHc4)
    }

    /// How it tells two states apart.
    pub fn identity(self) -> Identity {
        match self {
            Self::Plain | Self::Compiled | Self::Spin | Self::SpinBfs | Self::SpinCollapse => Identity::Exact,
            Self::StaterightBfs | Self::StaterightDfs | Self::Tlc => Identity::Fingerprint,
            Self::SpinHc4 => Identity::Lossy,
        }
    }

    /// Whether the first counterexample is a shortest one, with one thread and one property.
    pub fn tells_shortest(self) -> bool {
        matches!(self, Self::Plain | Self::Compiled | Self::StaterightBfs | Self::Tlc | Self::SpinBfs)
    }

    /// In what the model is written and how states are kept.
    pub fn representation(self) -> &'static str {
        match self {
            Self::Plain => "Rust actors; whole states and parents",
            Self::Compiled => "the same actors; numbers for their parts, and parents",
            Self::StaterightBfs => "the same actors; fingerprints, and whole states and paths in the queue",
            Self::StaterightDfs => "the same actors; fingerprints, and paths on the stack",
            Self::Tlc => "TLA+, interpreted on the Java machine; fingerprints, states on disk",
            Self::Spin | Self::SpinBfs => "Promela, translated to C; bytes",
            Self::SpinCollapse => "Promela, translated to C; compressed bytes",
            Self::SpinHc4 => "Promela, translated to C; short hashes",
        }
    }

    /// How it tells two states apart, in words.
    pub fn identity_in_words(self) -> &'static str {
        match self.identity() {
            Identity::Exact => "exact",
            Identity::Fingerprint => "hashes of 64 bits",
            Identity::Lossy => "short hashes: loses states",
        }
    }

    /// What its first counterexample is like, in words.
    pub fn story_in_words(self) -> &'static str {
        match (self, self.tells_shortest()) {
            (Self::Plain | Self::Compiled, _) => "shortest, on any number of threads",
            (_, true) => "shortest, on one thread",
            (_, false) => "any",
        }
    }
}

/// What is asked of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Explore all states
    All,
    /// Stop at the first counterexample
    FirstBreach,
}

impl Goal {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::FirstBreach => "first-breach",
        }
    }
}
