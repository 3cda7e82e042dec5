//! What the margins ask of a family, beside its model.

use fencepost_checker::engine::Trace;
use fencepost_models::family::ModelledFamily;
use fencepost_models::iggy::vocabulary;
use fencepost_spec::family::Iggy;
use fencepost_spec::fence::Fence;
use fencepost_spec::kafkajs::KafkaJs;

use super::budgets;
use crate::run::Action;

/// A family of which margins can be told.
pub trait Measured: ModelledFamily {
    /// Whether a fence does nothing but refuse, so that a contract without it behaves the same wherever it never refuses. A
    /// family that cannot tell has more to explore.
    fn only_refuses(_fence: Self::Fence) -> bool {
        false
    }

    /// The budgets of a view that a story uses up, by name; none, if the family does not name them.
    fn used_up(_bounds: &Self::Bounds, _story: &Trace<Action<Self>>) -> Vec<String> {
        Vec::new()
    }
}

impl Measured for Iggy {
    fn only_refuses(fence: Fence) -> bool {
        vocabulary::only_refuses(fence)
    }

    fn used_up(bounds: &Self::Bounds, story: &Trace<Action>) -> Vec<String> {
        budgets::used_up(bounds, story)
    }
}

impl Measured for KafkaJs {}
