//! What a family brings along so that its contracts can be asked about scenarios.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_checker::guide::Guide;
use fencepost_models::family::ModelledFamily;
use stateright::Model;

/// A state of the models of a family.
pub type State<F> = <<F as ModelledFamily>::Model as Model>::State;

/// How far a scenario is.
pub type Progress<F> = <<F as Askable>::Guide as Guide<<F as ModelledFamily>::Model>>::State;

/// What a scenario says of itself.
pub struct Head<'a> {
    /// Its name.
    pub name: &'a str,
    /// One line.
    pub title: &'a str,
    /// The question, in words.
    pub question: &'a str,
    /// Where it comes from.
    pub sources: &'a [String],
}

/// What a scenario expects of a contract.
pub struct Expected<'a, C> {
    /// Whether it is possible; `None`: not applicable.
    pub possible: Option<bool>,
    /// The clauses that break in some course.
    pub breaks: &'a [C],
}

/// What was found in the completed courses of a scenario.
pub struct Found<C> {
    /// The clauses that broke in some course.
    pub broken: BTreeSet<C>,
    /// The clauses that broke in every course.
    pub always_broken: BTreeSet<C>,
    /// By the name of a step: what its client got in some course. Empty where steps are no requests.
    pub answers: BTreeMap<String, BTreeSet<String>>,
}

/// A family that can be asked.
pub trait Askable: ModelledFamily {
    /// Its scenarios.
    type Scenario;
    /// The guide that keeps the order of a scenario.
    type Guide: Guide<Self::Model>;

    /// The title of the column with what came of a scenario.
    const FINDINGS: &'static str;
    /// What that column says if there is nothing to tell.
    const NO_FINDINGS: &'static str;
    /// The clauses in the order of which is told first when several break: what hurts an application most stands first. Those that
    /// are missing come at last, in the order of the family.
    const SEVEREST: &'static [Self::Clause];

    /// What a scenario says of itself.
    fn head(scenario: &Self::Scenario) -> Head<'_>;

    /// The names of its steps, in the order of the file.
    fn steps(scenario: &Self::Scenario) -> Vec<&str>;

    /// What it expects of a contract, if it expects something.
    fn expected<'a>(scenario: &'a Self::Scenario, contract: &str) -> Option<Expected<'a, Self::Clause>>;

    /// Looks for something that a contract has nothing for.
    ///
    /// # Errors
    /// The reason.
    fn applies(scenario: &Self::Scenario, choices: &Self::Choices) -> Result<(), String>;

    /// The model of a contract's choices in the world of a scenario.
    fn world(scenario: &Self::Scenario, choices: &Self::Choices) -> Self::Model;

    /// The guide of a scenario on that model. With `must_break`, only courses in which that clause breaks are complete.
    fn guide(scenario: &Self::Scenario, model: &Self::Model, must_break: Option<Self::Clause>) -> Self::Guide;

    /// What a guide has seen.
    fn found(scenario: &Self::Scenario, guide: &Self::Guide) -> Found<Self::Clause>;

    /// What does not go on in the states that get furthest.
    fn obstacle(
        scenario: &Self::Scenario,
        model: &Self::Model,
        guide: &Self::Guide,
        furthest: &[(State<Self>, Progress<Self>)],
    ) -> String;
}
