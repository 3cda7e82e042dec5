//! What came of comparing all pairs.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;
use fencepost_spec::scenario::Scenario;

use super::drive::Off;

fencepost_spec::words! {
    /// How the answers of an implementation leave a contract.
    pub enum Kind {
        /// A client got an answer with which no course of the contract agrees, given the answers before it.
        ForbiddenReply = "forbidden-reply",
        /// All answers agree with courses of the contract, but each of these has one more.
        MissingReply = "missing-reply",
        /// The scenario has no course under the contract: an answer that it demands is not given there.
        NotPossible = "not-possible",
        /// The contract has nothing for a step of the scenario.
        StepNotInContract = "step-not-in-contract",
    }
}

/// A divergence: the follower and `ask` both say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differ {
    /// The scenario.
    pub scenario: String,
    /// The contract that the implementation is configured by.
    pub configured: String,
    /// The contract that it leaves.
    pub followed: String,
    /// How.
    pub kind: Kind,
    /// How many answers agree before.
    pub agreeing: usize,
    /// The step of the scenario whose answer is the first that does not; none: there is an answer too few.
    pub step: Option<String>,
    /// That answer.
    pub seen: Option<String>,
    /// The clause that the divergence concerns, if a single change of the contract explains it.
    pub clause: Option<ClauseName>,
    /// That change.
    pub different: Option<String>,
}

/// Something that must not be: the two judges do not say the same, or a contract leaves itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// The scenario.
    pub scenario: String,
    /// The contract that the implementation is configured by.
    pub configured: String,
    /// The contract that it is followed in.
    pub followed: String,
    /// What is wrong.
    pub problem: String,
}

/// All pairs, compared.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Names of the scenarios.
    pub scenarios: Vec<String>,
    /// Names of the contracts.
    pub contracts: Vec<String>,
    /// Ordered pairs of contracts, counted in every scenario that is possible under the first of them.
    pub pairs: usize,
    /// Positions of models with what the scenario has come to, all scenarios and contracts together.
    pub places: usize,
    /// Courses along which the implementation was driven.
    pub courses: usize,
    /// The most courses of one scenario under one contract.
    pub most_courses: usize,
    /// Steps of the model along which it was driven.
    pub steps: usize,
    /// Courses times contracts in which they were followed.
    pub followed: usize,
    /// The divergences.
    pub differ: Vec<Differ>,
    /// What must not be; none if all is well.
    pub unlike: Vec<Unlike>,
    /// Where the implementation does not do what its own contract says, with scenario and contract; none if all is well.
    pub off: Vec<(String, String, Off)>,
}

impl Report {
    pub(super) fn new(scenarios: &[Scenario], contracts: &[Contract]) -> Self {
        Self {
            scenarios: scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
            contracts: contracts.iter().map(|contract| contract.name.clone()).collect(),
            ..Self::default()
        }
    }

    /// Divergences by kind.
    pub fn by_kind(&self) -> BTreeMap<Kind, usize> {
        count(self.differ.iter().map(|differ| differ.kind))
    }

    /// Divergences by clause; none: no single change of the contract explains it.
    pub fn by_clause(&self) -> BTreeMap<Option<ClauseName>, usize> {
        count(self.differ.iter().map(|differ| differ.clause))
    }

    /// The scenarios in which an implementation of the first contract leaves the second in some course.
    pub fn scenarios_that_differ(&self, configured: &str, followed: &str) -> BTreeSet<&str> {
        let of_pair =
            self.differ.iter().filter(|differ| differ.configured == configured && differ.followed == followed);
        of_pair.map(|differ| differ.scenario.as_str()).collect()
    }
}

fn count<T: Ord>(all: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counted = BTreeMap::new();
    for one in all {
        *counted.entry(one).or_default() += 1;
    }
    counted
}
