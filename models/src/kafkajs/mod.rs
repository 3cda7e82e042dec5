//! The KafkaJS family: one consumer of a group, the coordinator, and the nodes that lead its two partitions.
//!
//! One actor is one file (the consumer, being a whole client, is a folder). [`system`] puts them together, [`clauses`] holds
//! the predicate of every clause.

pub mod bounds;
pub mod broker;
pub mod clauses;
pub mod consumer;
pub mod coordinator;
pub mod marks;
pub mod messages;
pub mod scenario;
pub mod system;
pub mod telling;
pub mod views;
pub mod vocabulary;

use fencepost_checker::clause::{Clause, LivenessClause};
use fencepost_checker::symmetry::Asymmetric;
use fencepost_spec::kafkajs::{Choices, KafkaJs};

use crate::family::{BoundsSet, ModelledFamily, View};

impl ModelledFamily for KafkaJs {
    type Bounds = bounds::Bounds;
    type Model = system::KafkaJsModel;
    /// There is one consumer; its nodes and partitions are alike, but nobody has written down what renaming them means.
    type Symmetry = Asymmetric;

    fn views(set: BoundsSet, _choices: &Choices) -> Vec<View<Self::Bounds>> {
        views::views(set)
    }

    fn views_of_size(size: u8, _choices: &Choices) -> Vec<View<Self::Bounds>> {
        views::views_of_size(size)
    }

    fn scale_views(_set: BoundsSet, _choices: &Choices) -> Vec<View<Self::Bounds>> {
        Vec::new()
    }

    fn model(choices: &Choices, bounds: &Self::Bounds) -> Self::Model {
        system::model(choices, bounds)
    }

    fn symmetry(model: &Self::Model) -> Asymmetric {
        Asymmetric { actors: model.actors.len() }
    }

    fn safety(_model: &Self::Model) -> Vec<Clause<Self::Model>> {
        clauses::safety()
    }

    fn liveness(_model: &Self::Model) -> Vec<LivenessClause<Self::Model>> {
        Vec::new()
    }

    fn actions() -> Vec<&'static str> {
        vocabulary::ActionKind::ALL.iter().map(|kind| kind.word()).collect()
    }

    fn demanded_actions() -> Vec<&'static str> {
        Self::actions()
    }
}
