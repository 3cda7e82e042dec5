//! Every fence is needed: without it, the answer to some scenario or the verdict of some view changes, unless the
//! contract says which other fence implies it. Then removing both changes something.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
use fencepost_checker::guide::{Guide, Unguided};
use fencepost_models::iggy::clauses;
use fencepost_models::iggy::scenario::{self, Courses, ScenarioGuide};
use fencepost_models::iggy::system::{self, IggyModel};
use fencepost_models::iggy::views::{BoundsSet, views};
use fencepost_spec::contract::{Choices, Contract};
use fencepost_spec::fence::Fence;
use fencepost_spec::library;
use fencepost_spec::scenario::Scenario;

fn explore<G: Guide<IggyModel>>(model: &IggyModel, guide: &G, judged: bool) -> (bool, Vec<(String, bool)>) {
    let safety = if judged { clauses::safety(&model.cfg) } else { Vec::new() };
    let task = Task {
        model,
        guide,
        clauses: &safety,
        liveness: &[],
        limits: &Limits::default(),
        threads: 2,
        progress: &Quiet,
    };
    let exploration = Compiled { is_unbounded: true }.explore(&task);
    let broken = exploration.findings.iter().map(|finding| (finding.clause.clone(), finding.broken.is_some()));
    (exploration.finished.is_some(), broken.collect())
}

/// What a scenario comes to under some choices.
fn answer(scenario: &Scenario, choices: &Choices) -> Option<(bool, Courses)> {
    scenario::applies(scenario, choices).ok()?;
    let model = system::model(choices, &scenario::bounds(scenario));
    let guide = ScenarioGuide::new(scenario, &model.cfg, None);
    let (possible, _) = explore(&model, &guide, false);
    Some((possible, guide.courses()))
}

fn without(contract: &Contract, fences: &[Fence]) -> Choices {
    let mut choices = contract.choices.clone();
    for fence in fences {
        choices.fences.remove(fence);
    }
    choices
}

/// Whether the removal of fences shows in a scenario or in a view.
fn shows(contract: &Contract, removed: &[Fence], scenarios: &[Scenario]) -> bool {
    let choices = without(contract, removed);
    let in_scenario =
        scenarios.iter().any(|scenario| answer(scenario, &contract.choices) != answer(scenario, &choices));
    in_scenario
        || views(BoundsSet::Quick, &contract.choices).iter().any(|view| {
            let verdicts = |choices| explore(&system::model(choices, &view.bounds), &Unguided, true).1;
            verdicts(&contract.choices) != verdicts(&choices)
        })
}

#[test]
fn given_every_fence_of_every_contract_when_removed_should_change_an_answer_or_a_verdict_unless_implied() {
    let scenarios: Vec<Scenario> =
        library::SCENARIOS.iter().map(|(name, _)| library::scenario(name).expect("a built-in scenario")).collect();
    let mut wrong = Vec::new();
    for contract in library::contracts().expect("the built-in contracts") {
        for fence in contract.choices.fences.keys() {
            let implied_by = contract.implied_by.get(fence);
            if implied_by.is_none() && !shows(&contract, &[*fence], &scenarios) {
                wrong.push(format!("{}: nothing changes without {fence}", contract.name));
            }
            if let Some(by) = implied_by
                && !shows(&contract, &[*fence, *by], &scenarios)
            {
                wrong.push(format!("{}: nothing changes without both {fence} and {by}", contract.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
