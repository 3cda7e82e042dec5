//! The KafkaJS family (being written).

use fencepost_checker::clause::{Clause, LivenessClause};
use fencepost_spec::kafkajs::{Choices, KafkaJs};

use crate::family::{BoundsSet, ModelledFamily, View};

impl ModelledFamily for KafkaJs {
    type Bounds = ();
    type Model = crate::iggy::system::IggyModel;

    fn views(_set: BoundsSet, _choices: &Choices) -> Vec<View<()>> {
        todo!()
    }

    fn model(_choices: &Choices, _bounds: &()) -> Self::Model {
        todo!()
    }

    fn safety(_model: &Self::Model) -> Vec<Clause<Self::Model>> {
        todo!()
    }

    fn liveness(_model: &Self::Model) -> Vec<LivenessClause<Self::Model>> {
        todo!()
    }

    fn actions() -> Vec<&'static str> {
        todo!()
    }

    fn demanded_actions() -> Vec<&'static str> {
        todo!()
    }
}
