//! Non-vacuity: whatever a contract does not call impossible must have been executed somewhere, and nothing that it does.

use std::collections::BTreeMap;

use fencepost_models::family::{ModelledFamily, passed_term, refused_term, without_number};
use fencepost_spec::contract::Contract;
use fencepost_spec::family::Choosing;
use fencepost_spec::words::Word;

use crate::run::ContractResult;

/// What is wrong about what happened and what did not.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Vacuity {
    /// Actions and outcomes that never happened although the contract does not call them impossible.
    pub never_happened: Vec<String>,
    /// Actions and outcomes that happened although the contract calls them impossible.
    pub happened_though_impossible: Vec<String>,
}

impl Vacuity {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.never_happened.is_empty() && self.happened_though_impossible.is_empty()
    }
}

/// Judges the union of all views. `None` if some view was not explored, or not to its end.
pub fn judge<F: ModelledFamily>(result: &ContractResult<F>) -> Option<Vacuity> {
    if !result.is_exhaustive() {
        return None;
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (term, count) in result.views.iter().flat_map(|view| &view.terms) {
        *counts.entry(without_number(term)).or_default() += count;
    }
    let happened = |term: &str| counts.get(term).is_some_and(|count| *count > 0);
    Some(compare(&result.contract, happened))
}

/// Compares what happened with what a contract calls impossible.
fn compare<F: ModelledFamily>(contract: &Contract<F>, happened: impl Fn(&str) -> bool) -> Vacuity {
    let mut vacuity = Vacuity::default();
    for term in demanded_terms(contract) {
        let is_impossible = contract.impossible.iter().any(|impossible| impossible.what == term);
        match happened(&term) {
            true if is_impossible => vacuity.happened_though_impossible.push(term),
            false if !is_impossible => vacuity.never_happened.push(term),
            _ => {}
        }
    }
    vacuity
}

/// All actions that must happen somewhere, and both outcomes of each fence that the contract has.
fn demanded_terms<F: ModelledFamily>(contract: &Contract<F>) -> Vec<String> {
    let fences = F::Fence::ALL.iter().filter(|fence| contract.choices.fences().contains_key(fence));
    let outcomes = fences.flat_map(|fence| [passed_term(*fence), refused_term(*fence)]);
    F::demanded_actions().into_iter().map(str::to_owned).chain(outcomes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_spec::contract::Impossible;

    fn contract(impossible: &[&str]) -> Contract {
        let mut contract = fencepost_spec::library::contract("iggy-2026-08").expect("a built-in contract");
        let entry = |what: &&str| Impossible { what: (*what).to_owned(), because: "a test".to_owned() };
        contract.impossible = impossible.iter().map(entry).collect();
        contract
    }

    #[test]
    fn given_that_everything_happened_when_compared_should_be_clean() {
        assert!(compare(&contract(&[]), |_| true).is_clean());
    }

    #[test]
    fn given_what_never_happened_when_compared_should_demand_a_reason() {
        let happened = |term: &str| term != "read-opens" && term != "store-in-range-on-arrival refused";
        let vacuity = compare(&contract(&[]), happened);
        assert_eq!(vacuity.never_happened, ["read-opens", "store-in-range-on-arrival refused"]);
        assert!(compare(&contract(&["read-opens", "store-in-range-on-arrival refused"]), happened).is_clean());
    }

    #[test]
    fn given_an_absent_fence_when_its_outcomes_never_happen_should_be_clean() {
        assert!(compare(&contract(&[]), |term| !term.starts_with("poll-history-at-completion")).is_clean());
    }

    #[test]
    fn given_what_is_called_impossible_when_it_happens_should_be_a_failure() {
        let vacuity = compare(&contract(&["parked-poll-expires"]), |_| true);
        assert_eq!(vacuity.happened_though_impossible, ["parked-poll-expires"]);
        assert!(vacuity.never_happened.is_empty());
    }
}
