//! The runner on the model itself as the implementation: it agrees with its own contract and leaves others where they differ.

#[path = "support/model_subject.rs"]
mod model_subject;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fencepost_conformance::replay::random::{Chance, way};
use fencepost_conformance::replay::runner::Compared;
use fencepost_conformance::replay::session::{Replayed, Session, Way};
use fencepost_conformance::replay::trace::Ending;
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{Fields, Subject};
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::{Choices, Contract};
use fencepost_spec::fence::Fence;
use fencepost_spec::library;
use model_subject::ModelSubject;

fn contract(name: &str) -> Contract {
    library::contract(name).expect("a shipped contract")
}

fn all_views(choices: &Choices) -> Vec<View> {
    views(BoundsSet::Quick, choices)
}

fn ways(contract: &Contract, view: &View, count: usize) -> Vec<Way> {
    let walker = Walker::new(&contract.name, &contract.choices, &view.bounds);
    let mut chance = Chance::new(1);
    (0..count).map(|_| way(&walker, &mut chance, 60)).collect()
}

/// Replays random ways on a model with other choices.
fn replay(contract: &Contract, view: &View, actual: &Choices, count: usize) -> Replayed {
    let make = || {
        let subject: Box<dyn Subject> = Box::new(ModelSubject::new(Walker::new("", actual, &view.bounds)));
        Ok(subject)
    };
    let session = Session {
        contract: &contract.name,
        choices: &contract.choices,
        view: view.name,
        bounds: &view.bounds,
        subject: &make,
        configured: None,
        compared: Compared { fields: Fields::all(), exact_codes: false },
        endings: &[Ending::CrashNow, Ending::SettleAndCrash, Ending::FinishAndCrash],
        audit: None,
        threads: 1,
        most_divergences: 3,
        interrupt: Arc::new(AtomicBool::new(false)),
        command: "",
        progress: &|_| {},
    };
    session.run(&ways(contract, view, count)).expect("a model does not fail")
}

#[test]
fn given_the_model_itself_when_replayed_under_its_own_contract_should_agree() {
    for (name, _) in library::CONTRACTS {
        let contract = contract(name);
        for view in all_views(&contract.choices) {
            let replayed = replay(&contract, &view, &contract.choices, 20);
            assert_eq!(replayed.diverged, 0, "{name} {}: {:#?}", view.name, replayed.divergences);
            assert_eq!(replayed.traces, 60, "{name} {}", view.name);
            assert!(replayed.left.is_empty(), "{name} {}: {:?}", view.name, replayed.left);
        }
    }
}

#[test]
fn given_a_model_without_a_fence_when_replayed_should_name_the_clause_of_the_fence() {
    let contract = contract("iggy-poll-completion");
    let mut actual = contract.choices.clone();
    actual.fences.remove(&Fence::PollHistoryAtCompletion);
    let view = all_views(&contract.choices).into_iter().find(|view| view.name == "purge-with-pending-polls");
    let replayed = replay(&contract, &view.expect("the view"), &actual, 2_000);
    let clauses: Vec<_> = replayed.divergences.iter().map(|divergence| divergence.blame.clause).collect();
    println!("{:#?}", replayed.divergences);
    assert_eq!(clauses, [Some(ClauseName::NoStaleBatch)]);
    assert!(replayed.divergences[0].steps() <= 10, "{}", replayed.divergences[0].steps());
}
