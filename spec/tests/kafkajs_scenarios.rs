//! The scenarios of the KafkaJS family: the built-in files, what the contracts refer to, and files that are refused.

use fencepost_spec::diagnostic::Problem;
use fencepost_spec::kafkajs::KafkaJs;
use fencepost_spec::kafkajs::event::ActionKind;
use fencepost_spec::kafkajs::scenario::{Scenario, parse_scenario};
use fencepost_spec::library::{self, KAFKAJS_CONTRACTS, KAFKAJS_SCENARIOS, SCENARIOS};

/// A scenario in which everything that can be wrong can be made wrong by one replacement.
const GOOD: &str = r#"format = "fencepost-scenario/1"
name = "mine"
family = "kafkajs"
title = "A title"
question = "A question?"
view = "lost-and-regained"

[[step]]
id = "fetch"
happens = "node-reads-log"
of = 0

[[step]]
id = "lost"
happens = "assignment-arrives"
after = ["fetch"]

[[step]]
id = "commit"
happens = "other-member-commits"
after = ["lost"]

[[step]]
id = "regained"
happens = "assignment-arrives"
after = ["commit"]

[expect.kafkajs-guard]
possible = true
breaks = ["no-skip"]
"#;

fn parse(text: &str) -> Result<Scenario, Problem> {
    parse_scenario("mine.toml", text)
}

/// Demands that the scenario with one change is refused: at the line and column of `at` in the changed text, with `texts`.
#[track_caller]
fn demand_refusal(from: &str, to: &str, at: &str, texts: &[&str]) {
    assert!(GOOD.contains(from), "{from}");
    let changed = GOOD.replacen(from, to, 1);
    let start = changed.find(at).expect("the place");
    let line = changed[..start].matches('\n').count() + 1;
    let column = start - changed[..start].rfind('\n').map_or(0, |end| end + 1) + 1;
    let problem = parse(&changed).expect_err("a problem").to_string();
    for text in [&format!("mine.toml:{line}:{column}") as &str].iter().chain(texts) {
        assert!(problem.contains(text), "`{text}` is not in:\n{problem}");
    }
}

#[test]
fn given_the_built_in_scenarios_when_loaded_should_have_their_own_names_and_expect_something_of_every_contract() {
    for (name, _) in KAFKAJS_SCENARIOS {
        let scenario = library::kafkajs_scenario(name).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(scenario.name, *name);
        assert!(SCENARIOS.iter().all(|(other, _)| other != name), "{name} is in two families");
        for (contract, _) in KAFKAJS_CONTRACTS {
            let expected = scenario.expect.get(*contract);
            assert!(expected.is_some_and(|it| it.possible.is_some()), "{name} expects nothing of {contract}");
        }
    }
}

#[test]
fn given_the_contracts_when_they_refer_to_scenarios_should_refer_to_built_in_ones() {
    let mut referred = 0;
    for contract in library::contracts_of::<KafkaJs>().expect("the contracts") {
        for (clause, expectation) in &contract.expected {
            let Some(name) = expectation.link.strip_prefix("scenario ") else { continue };
            let is_built_in = KAFKAJS_SCENARIOS.iter().any(|(known, _)| *known == name);
            assert!(is_built_in, "{} refers to no scenario for {clause}: {name}", contract.name);
            referred += 1;
        }
    }
    assert!(referred > 0);
}

#[test]
fn given_a_scenario_when_read_should_keep_steps_of_the_same_kind_in_the_order_of_the_file() {
    let scenario = parse(GOOD).unwrap_or_else(|problem| panic!("{problem}"));
    let after: Vec<&[usize]> = scenario.steps.iter().map(|step| step.after.as_slice()).collect();
    assert_eq!(after, [&[] as &[usize], &[0], &[1], &[1, 2]]);
    assert_eq!(scenario.steps[0].happens, ActionKind::NodeReadsLog);
    assert_eq!((scenario.steps[0].of, scenario.steps[1].of), (Some(0), None));
}

#[test]
fn given_a_misspelt_key_or_word_when_read_should_name_place_and_nearest() {
    demand_refusal("question =", "qestion =", "qestion", &["did you mean `question`?"]);
    demand_refusal("happens =", "hapens =", "hapens", &["did you mean `happens`?"]);
    demand_refusal("possible =", "posible =", "posible", &["did you mean `possible`?"]);
    demand_refusal("[[step]]", "[[steps]]", "steps]]", &["did you mean `step`?"]);
    demand_refusal("reads-log", "read-log", "\"node-read-log\"", &["did you mean `node-reads-log`?"]);
    demand_refusal("and-regained", "and-regaind", "\"lost-and-regaind\"", &["did you mean `lost-and-regained`?"]);
    demand_refusal("\"no-skip\"", "\"no-skp\"", "\"no-skp\"", &["did you mean `no-skip`?"]);
    demand_refusal("kafkajs-guard", "kafkajs-gaurd", "kafkajs-gaurd", &["did you mean `kafkajs-guard`?"]);
    demand_refusal("scenario/1", "scenario/2", "\"fencepost-scenario/2\"", &["did you mean `fencepost-scenario/1`?"]);
    demand_refusal("[\"fetch\"]", "[\"fetsch\"]", "\"fetsch\"", &["no step `fetsch`", "did you mean `fetch`?"]);
}

#[test]
fn given_words_of_the_other_family_when_read_should_be_refused() {
    demand_refusal("\"no-skip\"", "\"no-stale-batch\"", "\"no-stale-batch\"", &["unknown variant"]);
    demand_refusal("expect.kafkajs-guard", "expect.kept-numbering", "kept-numbering", &["unknown contract"]);
    demand_refusal("\"lost-and-regained\"", "\"three-aspects\"", "\"three-aspects\"", &["unknown view"]);
    demand_refusal("family = \"kafkajs\"", "family = \"iggy\"", "\"iggy\"", &["unknown family", "accepted: kafkajs"]);
}

#[test]
fn given_an_of_that_means_nothing_when_read_should_name_the_place() {
    demand_refusal("of = 0", "of = 2", "2\n\n[[step]]", &["no partition or node 2", "there are 0 to 1"]);
    demand_refusal(
        "after = [\"lost\"]",
        "of = 1",
        "1\n\n[[step]]\nid = \"regained\"",
        &["`other-member-commits` has no `of`"],
    );
    demand_refusal(
        "after = [\"commit\"]",
        "of = 1",
        "\"assignment-arrives\"\nafter",
        &["the step `regained` says of which `assignment-arrives` it is", "add `of` here, or remove it there"],
    );
}

#[test]
fn given_steps_that_wait_in_a_circle_when_read_should_name_those_in_it() {
    let waits = |id: &str| format!("after = [\"{id}\"]");
    let circle = |steps: &str| format!("the steps {steps} wait for each other in a circle");
    demand_refusal(&waits("fetch"), &waits("commit"), "\"lost\"", &[&circle("lost, commit")]);
    demand_refusal(&waits("fetch"), &waits("regained"), "\"lost\"", &[&circle("lost, regained")]);
    demand_refusal(&waits("lost"), &waits("commit"), "\"commit\"", &["the step commit waits for itself"]);
}

#[test]
fn given_names_of_steps_that_are_no_names_when_read_should_be_refused() {
    demand_refusal("id = \"lost\"", "id = \"fetch\"", "\"fetch\"\nhappens = \"ass", &["there are two steps `fetch`"]);
    demand_refusal("id = \"lost\"", "id = \"\"", "\"\"", &["not empty"]);
}

#[test]
fn given_no_steps_or_too_many_when_read_should_be_refused() {
    let head: &str = GOOD.split("[[step]]").next().expect("a head");
    let step = |number: usize| format!("[[step]]\nid = \"{number}\"\nhappens = \"user-seeks\"\n");
    let with_steps = |steps: usize| parse(&(head.to_owned() + &(0..steps).map(step).collect::<String>()));
    assert!(with_steps(32).is_ok());
    let problem = with_steps(33).expect_err("too many").to_string();
    assert!(problem.contains("a scenario has 1 to 32 steps, not 33"), "{problem}");
    let problem = parse(&format!("{head}step = []\n")).expect_err("none").to_string();
    assert!(problem.contains("a scenario has 1 to 32 steps, not 0"), "{problem}");
}
