//! Every clause has a mutant: one named change of a contract that must break it in a named view.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_models::iggy::{clauses, system};
use fencepost_spec::clause::{CLAUSES, Clause};
use fencepost_spec::contract::Choices;
use fencepost_spec::library;

/// Whether a clause is exercised and whether it is broken in a view.
fn judge(choices: &Choices, view: &View, clause: &Clause) -> (bool, bool) {
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
    let finding = exploration.findings.iter().find(|finding| finding.clause == clause.name.word());
    finding.map_or((false, false), |finding| (finding.exercised > 0, finding.broken.is_some()))
}

#[test]
fn given_every_clause_when_its_mutant_is_explored_should_break_it_and_the_contract_itself_should_not() {
    let mut survivors = Vec::new();
    for clause in CLAUSES {
        let contract = library::contract(clause.mutant.contract).expect("a built-in contract");
        let repaired = clause.mutant.repair.map(|repair| contract.choices.changed(repair).expect("a change"));
        let choices = repaired.unwrap_or(contract.choices);
        let mutated = choices.changed(clause.mutant.change).expect("a change of that contract");
        assert_ne!(mutated, choices, "the mutant of {} changes nothing", clause.name);
        let before = views(BoundsSet::Quick, &choices);
        let after = views(BoundsSet::Quick, &mutated);
        let named = |views: &[View]| views.iter().find(|view| view.name == clause.mutant.view).cloned();
        let (exercised, broken) = judge(&choices, &named(&before).expect("a view"), clause);
        if !exercised || broken {
            survivors.push(format!("{}: without the change exercised {exercised}, broken {broken}", clause.name));
        }
        let (_, broken) = judge(&mutated, &named(&after).expect("a view"), clause);
        if !broken {
            survivors.push(format!("{}: the mutant survives in {}", clause.name, clause.mutant.view));
        }
    }
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
}
