//! The family of KafkaJS: one consumer of a group, its offset managers, and the brokers around it.
//!
//! The same question as in the Iggy family, on the client's side: an answer to a question that was asked under one
//! assignment, or before a seek, arrives later. Which identity must still be current for it to count?
//!
//! Read in this order: [`clause`] what is promised, [`fence`] the checks that keep it, [`choices`] in what the proposals differ,
//! [`event`] and [`scenario`] bug reports and the words that they are told in.

pub mod choices;
pub mod clause;
pub mod event;
pub mod fence;
pub mod scenario;

pub use choices::Choices;
pub use clause::{CLAUSES, ClauseName};
pub use fence::{DESCRIPTIONS, Fence};

use crate::clause::Clause;
use crate::family::Family;
use crate::library;

/// The views of the family, in the order of the reports.
pub const VIEWS: &[&str] = &[
    "overlapping-rounds",
    "seek-with-commits",
    "reordered-answers",
    "lost-and-regained",
    "reset-after-loss",
    "kept-partition",
    "pause-and-manual-commits",
    "empty-assignment",
];

/// The family of KafkaJS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KafkaJs;

impl Family for KafkaJs {
    type Clause = ClauseName;
    type Fence = Fence;
    type Choices = Choices;

    const NAME: &'static str = "kafkajs";
    const VIEWS: &'static [&'static str] = VIEWS;
    const SCALE_VIEWS: &'static [&'static str] = &[];
    const CONTRACTS: &'static [(&'static str, &'static str)] = library::KAFKAJS_CONTRACTS;

    fn clauses() -> &'static [Clause<Self>] {
        CLAUSES
    }

    fn protects(fence: Fence) -> &'static str {
        fence.description().protects
    }
}
