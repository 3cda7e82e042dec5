//! Non-vacuity: whatever a contract does not call impossible must have been executed somewhere, and nothing that it does.

use std::collections::BTreeMap;

use fencepost_models::iggy::vocabulary::{ActionKind, passed_term, refused_term, without_number};
use fencepost_spec::fence::Fence;

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
pub fn judge(result: &ContractResult) -> Option<Vacuity> {
    if !result.is_exhaustive() {
        return None;
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (term, count) in result.views.iter().flat_map(|view| &view.terms) {
        *counts.entry(without_number(term)).or_default() += count;
    }
    let is_impossible = |term: &str| result.contract.impossible.iter().any(|impossible| impossible.what == term);
    let mut vacuity = Vacuity::default();
    for term in demanded_terms(result) {
        let happened = counts.get(term.as_str()).copied().unwrap_or(0) > 0;
        match is_impossible(&term) {
            true if happened => vacuity.happened_though_impossible.push(term),
            false if !happened => vacuity.never_happened.push(term),
            _ => {}
        }
    }
    Some(vacuity)
}

/// All actions, and both outcomes of each fence that the contract has.
fn demanded_terms(result: &ContractResult) -> Vec<String> {
    let fences = Fence::ALL.iter().filter(|fence| result.contract.choices.has(**fence));
    let outcomes = fences.flat_map(|fence| [passed_term(*fence), refused_term(*fence)]);
    ActionKind::ALL.iter().map(|kind| kind.word().to_owned()).chain(outcomes).collect()
}
