//! The plain engine is the referee of the compiled one: on every quick view of every contract they give the same answer, with
//! any number of threads.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Stop, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use fencepost_models::iggy::clauses;
use fencepost_models::iggy::system::{self, IggyModel};
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_spec::library;

/// Everything that an exploration without a guide gives; findings with their witnesses and breaches as text.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    states: u64,
    transitions: u64,
    depth: u32,
    states_per_level: Vec<u64>,
    stopped: Option<Stop>,
    term_counts: Vec<u64>,
    findings: Vec<String>,
}

fn explore<E: Engine<IggyModel>>(
    engine: &E,
    model: &IggyModel,
    view: &View,
    limits: &Limits,
    threads: usize,
) -> Answer {
    let safety = clauses::safety(&model.cfg);
    let liveness = if view.liveness { clauses::liveness(&model.cfg) } else { Vec::new() };
    let task =
        Task { model, guide: &Unguided, clauses: &safety, liveness: &liveness, limits, threads, progress: &Quiet };
    let exploration = engine.explore(&task);
    Answer {
        states: exploration.states,
        transitions: exploration.transitions,
        depth: exploration.depth,
        states_per_level: exploration.states_per_level,
        stopped: exploration.stopped,
        term_counts: exploration.term_counts,
        findings: exploration.findings.iter().map(|finding| format!("{finding:?}")).collect(),
    }
}

/// Demands that both engines agree on some views of a contract, with some numbers of threads.
fn demand_agreement(contract: &str, named: &[&str], limits: &Limits, stopped: Option<Stop>) {
    let choices = library::contract(contract).expect("a built-in contract").choices;
    let mut compared = 0;
    for view in views(BoundsSet::Quick, &choices) {
        if !named.is_empty() && !named.contains(&view.name) {
            continue;
        }
        compared += 1;
        let model = system::model(&choices, &view.bounds);
        let plain = explore(&Plain, &model, &view, limits, 2);
        assert_eq!(plain.stopped, stopped, "{contract}@{}", view.name);
        for threads in [1, 2, 4] {
            let compiled = explore(&Compiled { is_unbounded: true }, &model, &view, limits, threads);
            // The whole answers are too long to be read.
            let same = compiled == plain;
            let sizes = |answer: &Answer| (answer.states, answer.transitions, answer.depth);
            assert_eq!(sizes(&compiled), sizes(&plain), "{contract}@{}, {threads} threads", view.name);
            assert!(same, "{contract}@{}, {threads} threads: more than the sizes differs", view.name);
        }
    }
    assert_eq!(compared, if named.is_empty() { 10 } else { named.len() });
}

/// Demands that both engines agree on all quick views of a contract.
fn demand_agreement_on_all(contract: &str) {
    demand_agreement(contract, &[], &Limits::default(), None);
}

#[test]
fn given_iggy_2026_08_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("iggy-2026-08");
}

#[test]
fn given_iggy_poll_completion_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("iggy-poll-completion");
}

#[test]
fn given_kept_numbering_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("kept-numbering");
}

#[test]
fn given_reset_with_generation_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("reset-with-generation");
}

#[test]
fn given_deferred_poll_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("deferred-poll");
}

#[test]
fn given_fenced_commits_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("fenced-commits");
}

#[test]
fn given_owner_installed_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("owner-installed");
}

#[test]
fn given_owner_installed_bare_offsets_when_explored_by_both_engines_should_have_the_same_answer() {
    demand_agreement_on_all("owner-installed-bare-offsets");
}

/// Views of different kinds: one with liveness, one with power losses, one with reads under way.
const SOME_VIEWS: [&str; 3] = ["liveness", "power-loss-during-purge", "purge-with-pending-polls"];

#[test]
fn given_a_limit_of_states_when_reached_should_stop_both_engines_at_the_same_step() {
    let limits = Limits { max_states: Some(1_000), ..Limits::default() };
    for contract in ["iggy-2026-08", "owner-installed"] {
        demand_agreement(contract, &SOME_VIEWS, &limits, Some(Stop::States));
    }
}

#[test]
fn given_a_limit_of_depth_when_reached_should_stop_both_engines_at_the_same_level() {
    let limits = Limits { max_depth: Some(9), ..Limits::default() };
    for contract in ["iggy-2026-08", "owner-installed"] {
        demand_agreement(contract, &SOME_VIEWS, &limits, Some(Stop::Depth));
    }
}
