//! The runner on the model itself as the implementation: it agrees with its own contract and leaves others where they differ.

#[path = "support/model_subject.rs"]
mod model_subject;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fencepost_conformance::replay::divergence::DivergenceKind;
use fencepost_conformance::replay::random::{Chance, way};
use fencepost_conformance::replay::runner::Compared;
use fencepost_conformance::replay::session::{Replayed, Session, SubjectMaker, Way};
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
    let model = || Walker::new("", actual, &view.bounds);
    session(contract, view, &|| Ok(Box::new(ModelSubject::new(model()))), count)
}

/// Replays random ways on these subjects.
fn session(contract: &Contract, view: &View, make: &SubjectMaker<'_>, count: usize) -> Replayed {
    let session = Session {
        contract: &contract.name,
        choices: &contract.choices,
        view: view.name,
        bounds: &view.bounds,
        subject: make,
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

/// The first process agrees; a second one, asked the same, shows one message more.
#[test]
fn given_a_fresh_subject_that_does_something_else_when_replayed_should_be_called_nondeterministic() {
    let contract = contract("iggy-2026-08");
    let views = all_views(&contract.choices);
    let view = views.iter().find(|view| view.name == "purge-with-pending-polls").expect("the view");
    let made = AtomicUsize::new(0);
    let make = || {
        let mut bounds = view.bounds.clone();
        bounds.initial_messages += u8::from(made.fetch_add(1, Ordering::Relaxed) > 0);
        let subject: Box<dyn Subject> = Box::new(ModelSubject::new(Walker::new("", &contract.choices, &bounds)));
        Ok(subject)
    };
    let replayed = session(&contract, view, &make, 1);
    let kinds: Vec<_> = replayed.divergences.iter().map(|divergence| divergence.found.first().kind).collect();
    assert_eq!(kinds, [DivergenceKind::Nondeterministic]);
}
