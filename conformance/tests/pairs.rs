//! Every shipped scenario and every ordered pair of contracts: the reference partition, configured by the first contract, leaves the
//! model of the second exactly where `ask` says that the answers differ.
//!
//! Writes `docs/results/pairs.md` anew if the environment variable `FENCEPOST_WRITE` is set, and compares it otherwise.

use fencepost_conformance::replay::pairs::follow::follow;
use fencepost_conformance::replay::pairs::graph::{Graph, walker};
use fencepost_conformance::replay::pairs::said::ask;
use fencepost_conformance::replay::pairs::{Report, compare};
use fencepost_driver::Subject;
use fencepost_reference::{Backing, Fault, Reference};
use fencepost_spec::contract::{Choices, Contract};
use fencepost_spec::fence::Fence;
use fencepost_spec::library;
use fencepost_spec::scenario::Scenario;

fn scenario(name: &str) -> Scenario {
    library::scenario(name).expect("a built-in scenario")
}

fn contract(name: &str) -> Contract {
    library::contract(name).expect("a built-in contract")
}

fn on_the_reference(scenarios: &[Scenario], contracts: &[Contract], fault: Option<Fault>) -> Report {
    let make = |_: &Scenario, _: &Contract| {
        let subject: Box<dyn Subject> = Box::new(Reference::new(Backing::memory(), fault));
        Ok(subject)
    };
    compare(scenarios, contracts, &make).expect("the reference partition does not fail")
}

fn graph(scenario: &Scenario, choices: &Choices) -> Graph {
    let walker = walker(scenario, "", choices).expect("a contract that has everything for the scenario");
    Graph::explore(&walker, scenario)
}

#[test]
fn given_the_reference_when_followed_in_every_contract_should_leave_it_where_ask_says() {
    let scenarios: Vec<Scenario> = library::SCENARIOS.iter().map(|(name, _)| scenario(name)).collect();
    let contracts = library::contracts().expect("the built-in contracts");
    let started = std::time::Instant::now();
    let report = on_the_reference(&scenarios, &contracts, None);
    println!("{} courses in {:?}", report.courses, started.elapsed());
    assert!(report.unlike.is_empty(), "the follower and `ask` differ: {:#?}", report.unlike);
    assert_eq!(report.scenarios.len() * report.contracts.len() * report.contracts.len(), 48 * 64);
    insta::assert_snapshot!("scenarios-that-differ", report.table());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results/pairs.md");
    if std::env::var_os("FENCEPOST_WRITE").is_some() {
        std::fs::write(path, report.page()).expect("a page that can be written");
    }
    let committed = std::fs::read_to_string(path).expect("the committed page");
    assert_eq!(committed, report.page(), "write docs/results/pairs.md anew with FENCEPOST_WRITE=1");
    assert!(report.off.is_empty(), "the reference partition leaves its own contract: {:#?}", report.off);
}

/// The comparison can fail: a follower in the model of a contract that lacks a fence agrees with more than `ask` says.
#[test]
fn given_a_follower_in_a_weaker_contract_when_compared_with_ask_should_differ() {
    let scenario = scenario("disk-read-ends-after-purge");
    let followed = contract("iggy-poll-completion");
    let mut weaker = followed.choices.clone();
    weaker.fences.remove(&Fence::PollHistoryAtCompletion);
    let configured = graph(&scenario, &contract("iggy-2026-08").choices);
    let courses = configured.courses(scenario.steps.len());
    let said = ask(&scenario, &followed.choices);
    let stale = &courses.first().expect("a course").heard;
    assert_eq!(follow(&graph(&scenario, &followed.choices), stale), said.differs(stale));
    assert_eq!(said.differs(stale), Some(1), "the second answer is the stale batch");
    assert_eq!(follow(&graph(&scenario, &weaker), stale), None);
}

/// The implementation counts: one without a fence of its contract is found on a course of that contract.
#[test]
fn given_a_reference_without_a_fence_when_driven_along_its_contract_should_be_off() {
    let fault = Some(Fault::Without(Fence::PollHistoryAtCompletion));
    let scenarios = [scenario("disk-read-ends-after-purge")];
    let report = on_the_reference(&scenarios, &[contract("iggy-poll-completion")], fault);
    assert_eq!(report.off.len(), report.courses, "{:?}", report.off);
    assert_eq!(report.followed, 0);
}

/// An answer too many, one too few, and one that belongs to another step are told apart.
#[test]
fn given_answers_that_no_course_has_when_followed_should_be_left_at_the_first_of_them() {
    let scenario = scenario("disk-read-ends-after-purge");
    let choices = contract("iggy-poll-completion").choices;
    let graph = graph(&scenario, &choices);
    let said = ask(&scenario, &choices);
    let both = |heard: &[_]| {
        let found = follow(&graph, heard);
        assert_eq!(found, said.differs(heard));
        found
    };
    let heard = graph.courses(scenario.steps.len()).remove(0).heard;
    assert_eq!(both(&heard), None);
    assert_eq!(both(&heard[..heard.len() - 1]), Some(heard.len() - 1), "one too few");
    let mut twice = heard.clone();
    twice.push(heard[0].clone());
    assert_eq!(follow(&graph, &twice), Some(heard.len()), "one too many");
    let mut elsewhere = heard.clone();
    elsewhere[0].step += 1;
    assert_eq!(both(&elsewhere), Some(0), "the answer to another step");
}
