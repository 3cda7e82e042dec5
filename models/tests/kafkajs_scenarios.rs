//! Scenarios of the KafkaJS family on the model: both engines give the same answers, and the guide allows what a scenario
//! fixes, and nothing else.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::describe::delivery;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task, Trace};
use fencepost_checker::plain::Plain;
use fencepost_models::kafkajs::messages::PARTITIONS;
use fencepost_models::kafkajs::scenario::{Courses, ScenarioGuide, model, number_of};
use fencepost_models::kafkajs::system::{Address, KafkaJsModel};
use fencepost_models::kafkajs::vocabulary::kind_of;
use fencepost_spec::kafkajs::scenario::{self, Scenario};
use fencepost_spec::kafkajs::{Choices, ClauseName, KafkaJs};
use fencepost_spec::library::{self, KAFKAJS_SCENARIOS, kafkajs_scenario};
use stateright::Model;

type Action = <KafkaJsModel as Model>::Action;

fn explore<E: Engine<KafkaJsModel>>(
    engine: &E,
    model: &KafkaJsModel,
    guide: &ScenarioGuide,
) -> Exploration<KafkaJsModel, ScenarioGuide> {
    let limits = Limits { max_states: Some(100_000), ..Limits::default() };
    let exploration = engine.explore(&Task {
        model,
        guide,
        clauses: &[],
        liveness: &[],
        limits: &limits,
        threads: 2,
        progress: &Quiet,
    });
    assert_eq!(exploration.stopped, None);
    exploration
}

/// The sizes of an exploration, the shortest course, and what the courses have in common.
fn answer<E: Engine<KafkaJsModel>>(
    engine: &E,
    scenario: &Scenario,
    choices: &Choices,
    must_break: Option<ClauseName>,
) -> (u64, u64, Option<Trace<Action>>, Courses) {
    let guide = ScenarioGuide::new(scenario, must_break);
    let exploration = explore(engine, &model(scenario, choices), &guide);
    (exploration.states, exploration.transitions, exploration.finished, guide.courses())
}

fn scenarios() -> impl Iterator<Item = Scenario> {
    KAFKAJS_SCENARIOS.iter().map(|(name, _)| kafkajs_scenario(name).expect("a built-in scenario"))
}

#[test]
fn given_the_built_in_scenarios_when_explored_by_both_engines_should_have_the_same_answers() {
    let compiled = Compiled { is_unbounded: true };
    for contract in library::contracts_of::<KafkaJs>().expect("the contracts") {
        for scenario in scenarios() {
            let named = format!("{} in {}", scenario.name, contract.name);
            let plain = answer(&Plain, &scenario, &contract.choices, None);
            let quick = answer(&compiled, &scenario, &contract.choices, None);
            assert_eq!(format!("{plain:?}"), format!("{quick:?}"), "{named}");
        }
    }
}

#[test]
fn given_a_course_when_looked_at_should_have_what_the_scenario_names_as_often_and_in_that_order() {
    for scenario in scenarios() {
        let choices = library::contract_of::<KafkaJs>("kafkajs-guard").expect("a contract").choices;
        let (_, _, course, _) = answer(&Plain, &scenario, &choices, None);
        let mut happened: Vec<usize> = Vec::new();
        for action in &course.expect("the guard allows every scenario").actions {
            let (receiver, _, message) = delivery(action);
            let (kind, number) = (kind_of(message), number_of(Address::of(receiver), message));
            let is_meant = |index: &usize| {
                let step = &scenario.steps[*index];
                step.happens == kind && step.of.is_none_or(|of| Some(of) == number)
            };
            let all: Vec<usize> = (0..scenario.steps.len()).filter(is_meant).collect();
            let Some(step) = all.iter().find(|step| !happened.contains(step)) else {
                assert!(all.is_empty(), "{}: {kind} happens too often", scenario.name);
                continue;
            };
            assert!(scenario.steps[*step].after.iter().all(|other| happened.contains(other)), "{}", scenario.name);
            happened.push(*step);
        }
        assert_eq!(happened.len(), scenario.steps.len(), "{}", scenario.name);
        assert_eq!(happened.last(), Some(&(scenario.steps.len() - 1)), "{}: it ends with its last step", scenario.name);
    }
}

#[test]
fn given_a_clause_that_breaks_after_the_end_when_it_must_break_should_find_no_course() {
    let mut scenario = kafkajs_scenario("out-of-range-after-loss").expect("a built-in scenario");
    let choices = library::contract_of::<KafkaJs>("kafkajs-guard").expect("a contract").choices;
    let find = |scenario: &Scenario| answer(&Plain, scenario, &choices, Some(ClauseName::NoSkip)).2;
    assert!(find(&scenario).is_some());
    scenario.steps.truncate(4);
    assert!(find(&scenario).is_none(), "the fetch that skips comes after the answer that is out of range");
    assert!(answer(&Plain, &scenario, &choices, None).2.is_some());
}

#[test]
fn given_the_partitions_of_the_model_when_compared_should_be_those_that_a_scenario_can_name() {
    assert_eq!(usize::from(scenario::PARTITIONS), PARTITIONS);
}
