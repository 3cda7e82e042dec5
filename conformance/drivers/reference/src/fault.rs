//! Planted faults: what is wrong with the partition on purpose, so that a suite of traces can show that it would notice.
//!
//! A fault is chosen when the partition is made and stays. [`Fault::Without`] leaves out one fence, whatever the contract says; a
//! [`Planted`] fault is a defect in code. The table says what is wrong, where it comes from, and which clause should catch it.

mod table;

use std::fmt;
use std::str::FromStr;

use fencepost_spec::clause::ClauseName;
use fencepost_spec::fence::Fence;

pub use table::{Description, Planted};

use crate::disk::Site;

/// One defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fault {
    /// The fence is not there, whatever the contract says. Its word is `without-` and the word of the fence.
    Without(Fence),
    /// A defect in code.
    Planted(Planted),
    /// The sync call at this place does nothing and says that it succeeded. Its word is `no-sync-` and the word of the place.
    Deaf(Site),
}

impl Fault {
    /// All faults: the planted ones, the deaf syncs, the missing fences.
    pub fn all() -> Vec<Fault> {
        let planted = Planted::ALL.iter().copied().map(Fault::Planted);
        let deaf = Site::ALL.iter().copied().map(Fault::Deaf);
        planted.chain(deaf).chain(Fence::ALL.iter().copied().map(Fault::Without)).collect()
    }

    /// The clause that should catch it.
    pub fn expected(self) -> ClauseName {
        match self {
            Self::Without(fence) => fence.description().clause,
            Self::Planted(planted) => planted.description().expected,
            Self::Deaf(site) => site.expected(),
        }
    }

    /// What is wrong, in one sentence.
    pub fn sentence(self) -> String {
        match self {
            Self::Without(fence) => format!("The fence {fence} is not there."),
            Self::Planted(planted) => planted.description().wrong.to_owned(),
            Self::Deaf(site) => format!("The sync call at the place {site} does nothing."),
        }
    }

    /// Where it comes from: an issue, a hazard, or a kind of mistake.
    pub fn source(self) -> &'static str {
        match self {
            Self::Without(fence) => fence.description().source,
            Self::Planted(planted) => planted.description().source,
            Self::Deaf(_) => "every sync call made a no-op",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Without(fence) => formatter.pad(&format!("without-{fence}")),
            Self::Planted(planted) => formatter.pad(planted.word()),
            Self::Deaf(site) => formatter.pad(&format!("no-sync-{site}")),
        }
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(fence) = text.strip_prefix("without-") {
            return fence.parse().map(Fault::Without);
        }
        if let Some(site) = text.strip_prefix("no-sync-") {
            return site.parse().map(Fault::Deaf);
        }
        text.parse().map(Fault::Planted)
    }
}
