//! Covers of the Iggy views: the same from both engines, and with every predicate.

use std::collections::HashSet;

use fencepost_checker::compiled::Compiled;
use fencepost_checker::cover::{Cover, CoveringEngine, abstraction_of};
use fencepost_checker::engine::{Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use fencepost_models::iggy::abstraction::selection::{abstract_steps, select};
use fencepost_models::iggy::abstraction::{Predicate, Predicates, holding};
use fencepost_models::iggy::clauses;
use fencepost_models::iggy::system::{self, IggyModel};
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_spec::library;
use stateright::Model;

type IggyCover = Cover<<IggyModel as Model>::Action>;

fn cover<E: CoveringEngine<IggyModel>>(engine: &E, model: &IggyModel, threads: usize) -> (u64, IggyCover) {
    let (clauses, limits) = (clauses::safety(&model.cfg), Limits::default());
    let guide = &Unguided;
    let task = Task { model, guide, clauses: &clauses, liveness: &[], limits: &limits, threads, progress: &Quiet };
    let (exploration, cover) = engine.explore_covering(&task, &Predicates);
    (exploration.transitions, cover)
}

fn quick_views(contract: &str) -> Vec<(View, IggyModel)> {
    let choices = library::contract(contract).expect("a built-in contract").choices;
    let with_model = |view: View| {
        let model = system::model(&choices, &view.bounds);
        (view, model)
    };
    views(BoundsSet::Quick, &choices).into_iter().map(with_model).collect()
}

#[test]
fn given_owner_installed_when_covered_by_both_engines_should_be_noted_alike() {
    for (view, model) in quick_views("owner-installed") {
        let expected = cover(&Plain, &model, 2);
        for threads in [1, 2, 4] {
            assert!(cover(&Compiled { is_unbounded: true }, &model, threads) == expected, "{}, {threads}", view.name);
        }
    }
}

#[test]
fn given_contracts_of_all_kinds_when_covered_should_meet_every_predicate_but_one() {
    let mut met = 0;
    for contract in ["iggy-2026-08", "kept-numbering", "deferred-poll", "fenced-commits"] {
        for (_, model) in quick_views(contract) {
            let (_, cover) = cover(&Compiled { is_unbounded: true }, &model, 2);
            met |= cover.steps.iter().fold(0, |met, step| met | step.before | step.after);
        }
    }
    let never: Vec<Predicate> = Predicate::ALL.iter().copied().filter(|one| !holding(met).contains(one)).collect();
    // The one view that empties the topic of a group has no reads under way, so none of them can complete after the emptying.
    assert_eq!(never, [Predicate::LastPolledForeign], "a predicate that never holds tells nothing apart");
}

#[test]
fn given_views_of_a_contract_when_selected_should_show_every_abstract_step_with_traces_that_can_be_taken() {
    let mut shown = HashSet::new();
    for (view, model) in quick_views("fenced-commits") {
        let (_, cover) = cover(&Compiled { is_unbounded: true }, &model, 2);
        let steps = abstract_steps(&model.cfg, &cover);
        let selected = select(&model.cfg, &cover, &mut shown);
        assert!(steps.iter().all(|step| shown.contains(step)), "{}", view.name);
        assert!(select(&model.cfg, &cover, &mut shown).is_empty(), "{}: all is shown already", view.name);
        for last in selected {
            let trace = cover.trace(last);
            let mut state = model.init_states()[trace.initial].clone();
            for (action, step) in trace.actions.into_iter().zip(cover.way(last)) {
                assert_eq!(abstraction_of(&Predicates, &state.actor_states), cover.steps[step].before);
                state = model.next_state(&state, action).expect("the step can be taken");
            }
            assert_eq!(abstraction_of(&Predicates, &state.actor_states), cover.steps[last].after);
        }
    }
}
