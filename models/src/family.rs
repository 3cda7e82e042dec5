//! What every family of models gives to those who explore it: views, an actor model, and the predicates of its clauses.

use fencepost_checker::clause::{Clause, LivenessClause};
use fencepost_checker::portable::PortableSystem;
use fencepost_checker::symmetry::Symmetry;
use fencepost_spec::family::{Family, Iggy};
use fencepost_spec::words::Word;

use crate::iggy;

fencepost_spec::words! {
    /// How large the views are.
    pub enum BoundsSet {
        /// For every commit: at most 300,000 states a view, all contracts in seconds.
        Quick = "quick",
        /// For continuous integration: all contracts in about a minute.
        Ci = "ci",
        /// For a night.
        Deep = "deep",
    }
}

/// One view: a name and its bounds.
#[derive(Clone, Debug)]
pub struct View<B = iggy::bounds::Bounds> {
    /// Name, as in the views of the family.
    pub name: &'static str,
    /// The budgets.
    pub bounds: B,
    /// Whether the liveness clauses are judged here (the edges are kept then).
    pub liveness: bool,
}

/// A family with a model.
pub trait ModelledFamily: Family {
    /// The budgets of a view.
    type Bounds: Clone + std::fmt::Debug + Send + Sync;
    /// The actor model.
    type Model: PortableSystem + Send + Sync;
    /// Who can change places in it.
    type Symmetry: Symmetry<Self::Model>;

    /// All views in a size, in the order of the reports.
    fn views(set: BoundsSet, choices: &Self::Choices) -> Vec<View<Self::Bounds>>;

    /// All views in a size by number, and after them those for scale. The sizes with names are 1, 2 and 3, except of views that grow too fast for that; in larger ones
    /// budgets go on growing.
    fn views_of_size(size: u8, choices: &Self::Choices) -> Vec<View<Self::Bounds>>;

    /// The views for scale, which are explored only if they are named.
    fn scale_views(set: BoundsSet, choices: &Self::Choices) -> Vec<View<Self::Bounds>>;

    /// The actor model of a contract's choices within bounds.
    fn model(choices: &Self::Choices, bounds: &Self::Bounds) -> Self::Model;

    /// Who can change places in a model.
    fn symmetry(model: &Self::Model) -> Self::Symmetry;

    /// The predicates of the safety clauses.
    fn safety(model: &Self::Model) -> Vec<Clause<Self::Model>>;

    /// The predicates of the liveness clauses.
    fn liveness(model: &Self::Model) -> Vec<LivenessClause<Self::Model>>;

    /// Names of all actions.
    fn actions() -> Vec<&'static str>;

    /// Names of the actions that must happen somewhere, or be called impossible by the contract.
    fn demanded_actions() -> Vec<&'static str>;
}

impl ModelledFamily for Iggy {
    type Bounds = iggy::bounds::Bounds;
    type Model = iggy::system::IggyModel;
    type Symmetry = iggy::symmetry::LikeConsumers;

    fn views(set: BoundsSet, choices: &Self::Choices) -> Vec<View> {
        iggy::views::views(set, choices)
    }

    fn views_of_size(size: u8, choices: &Self::Choices) -> Vec<View> {
        iggy::views::views_of_size(size, choices)
    }

    fn scale_views(set: BoundsSet, _choices: &Self::Choices) -> Vec<View> {
        iggy::views::scale_views(set)
    }

    fn model(choices: &Self::Choices, bounds: &Self::Bounds) -> Self::Model {
        iggy::system::model(choices, bounds)
    }

    fn symmetry(model: &Self::Model) -> Self::Symmetry {
        iggy::symmetry::LikeConsumers::of(&model.cfg)
    }

    fn safety(model: &Self::Model) -> Vec<Clause<Self::Model>> {
        iggy::clauses::safety(&model.cfg)
    }

    fn liveness(model: &Self::Model) -> Vec<LivenessClause<Self::Model>> {
        iggy::clauses::liveness(&model.cfg)
    }

    fn actions() -> Vec<&'static str> {
        iggy::vocabulary::ActionKind::ALL.iter().map(|kind| kind.word()).collect()
    }

    fn demanded_actions() -> Vec<&'static str> {
        let kinds = iggy::vocabulary::ActionKind::ALL.iter().filter(|kind| !kind.is_of_a_harness());
        kinds.map(|kind| kind.word()).collect()
    }
}

/// The name of the outcome in which a fence lets a step pass.
pub fn passed_term(fence: impl Word) -> String {
    format!("{fence} passed")
}

/// The name of the outcome in which a fence refuses.
pub fn refused_term(fence: impl Word) -> String {
    format!("{fence} refused")
}

/// The name of a term without the number that tells one of several apart.
pub fn without_number(term: &str) -> &str {
    term.split(" (").next().unwrap_or(term)
}
