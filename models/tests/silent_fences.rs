//! Where a fence that only refuses never does so, the contract without it is the same. Measuring the margins rests on that.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::describe::Described;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_models::iggy::vocabulary::{only_refuses, passed_term, refused_term};
use fencepost_models::iggy::{clauses, system};
use fencepost_spec::contract::Choices;
use fencepost_spec::fence::Fence;
use fencepost_spec::library;

/// What an exploration comes to.
#[derive(Clone, PartialEq, Eq)]
struct Answer {
    states_per_level: Vec<u64>,
    transitions: u64,
    /// How each clause was broken, if it was. A fence that lets something pass may well exercise a clause.
    broken: Vec<String>,
    terms: Vec<(String, u64)>,
}

fn explore(choices: &Choices, view: &View) -> Answer {
    let model = system::model(choices, &view.bounds);
    let safety = clauses::safety(&model.cfg);
    let liveness = if view.liveness { clauses::liveness(&model.cfg) } else { Vec::new() };
    let task = Task {
        model: &model,
        guide: &Unguided,
        clauses: &safety,
        liveness: &liveness,
        limits: &Limits::default(),
        threads: 2,
        progress: &Quiet,
    };
    let exploration = Compiled { is_unbounded: true }.explore(&task);
    Answer {
        states_per_level: exploration.states_per_level,
        transitions: exploration.transitions,
        broken: exploration.findings.iter().map(|finding| format!("{:?}", finding.broken)).collect(),
        terms: model.vocabulary().into_iter().zip(exploration.term_counts).collect(),
    }
}

impl Answer {
    fn happened(&self, term: &str) -> bool {
        self.terms.iter().any(|(name, count)| name == term && *count > 0)
    }

    /// Without the counts of a fence that lets everything pass.
    fn without_counts_of(&self, fence: Fence) -> Self {
        let mut answer = self.clone();
        answer.terms.retain(|(name, _)| *name != passed_term(fence));
        answer
    }
}

/// Removes each fence that only refuses in each view where it never does so; gives the number of the removals.
fn demand_sameness(contract: &str) -> usize {
    let choices = library::contract(contract).expect("a built-in contract").choices;
    let mut removals = 0;
    for view in views(BoundsSet::Quick, &choices) {
        let with_all = explore(&choices, &view);
        for fence in choices.fences.keys().copied().filter(|fence| only_refuses(*fence)) {
            if with_all.happened(&refused_term(fence)) {
                continue;
            }
            let mut removed = choices.clone();
            removed.fences.remove(&fence);
            let same = explore(&removed, &view).without_counts_of(fence) == with_all.without_counts_of(fence);
            assert!(same, "{contract}@{} differs without {fence}, which never refuses there", view.name);
            removals += 1;
        }
    }
    removals
}

#[test]
fn given_a_fence_that_never_refuses_in_a_view_when_removed_should_change_nothing_there() {
    for contract in ["reset-with-generation", "owner-installed"] {
        assert!(demand_sameness(contract) > 50, "{contract}");
    }
}
