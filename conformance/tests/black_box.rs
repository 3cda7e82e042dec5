//! A server behind a network: the runner takes every order of what it cannot see as possible, and still finds what is not allowed.

#[path = "support/black_box.rs"]
mod black_box;
#[path = "support/model_subject.rs"]
mod model_subject;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use black_box::BlackBox;
use fencepost_conformance::replay::orders::ways;
use fencepost_conformance::replay::runner::Compared;
use fencepost_conformance::replay::session::{Replayed, Session};
use fencepost_conformance::replay::trace::Ending;
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{Fields, Subject};
use fencepost_models::iggy::views::{BoundsSet, views};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;
use fencepost_spec::library;
use model_subject::ModelSubject;

fn contract(name: &str) -> Contract {
    library::contract(name).expect("a shipped contract")
}

/// Replays the traces of a contract's view on the model of another contract, as a server behind a network.
fn replay(followed: &str, actual: &str, view: &str, is_prompt: bool) -> Replayed {
    let (followed, actual) = (contract(followed), contract(actual));
    let all = views(BoundsSet::Quick, &followed.choices);
    let view = all.into_iter().find(|known| known.name == view).expect("a view");
    let ways = ways(&Walker::new("", &followed.choices, &view.bounds), 120);
    let make = || {
        let model = ModelSubject::new(Walker::new("", &actual.choices, &view.bounds));
        let subject: Box<dyn Subject> = Box::new(BlackBox::new(model, is_prompt));
        Ok(subject)
    };
    let session = Session {
        contract: &followed.name,
        choices: &followed.choices,
        view: view.name,
        bounds: &view.bounds,
        subject: &make,
        configured: None,
        compared: Compared { fields: Fields::all(), exact_codes: false },
        endings: &[Ending::FinishAndCrash],
        audit: None,
        threads: 1,
        most_divergences: 3,
        interrupt: Arc::new(AtomicBool::new(false)),
        command: "",
        progress: &|_| {},
    };
    session.run(&ways).expect("a model does not fail")
}

#[test]
fn given_a_server_of_its_own_contract_when_replayed_should_agree_whatever_the_order_of_hidden_steps() {
    for is_prompt in [true, false] {
        for view in ["purge-with-pending-polls", "commits-with-reassignment"] {
            let replayed = replay("iggy-2026-08", "iggy-2026-08", view, is_prompt);
            assert_eq!(replayed.diverged, 0, "{view}: {:#?}", replayed.divergences);
            assert!(replayed.steps > 200, "{view}: {}", replayed.steps);
        }
    }
}

#[test]
fn given_a_server_without_identities_when_replayed_under_fenced_commits_should_find_the_commit_after_a_purge() {
    let replayed = replay("fenced-commits", "iggy-2026-08", "purge-with-pending-polls", true);
    let clauses: Vec<_> = replayed.divergences.iter().map(|divergence| divergence.blame.clause).collect();
    println!("{:?} left {:?}", clauses, replayed.left);
    for divergence in &replayed.divergences {
        println!("{} {:?}\n{:#?}", divergence.steps(), divergence.blame, divergence.found.transcript);
    }
    let found = replayed.divergences.iter().find(|one| one.blame.clause == Some(ClauseName::NoForeignProgress));
    assert!(found.expect("a foreign commit").steps() <= 8);
}

#[test]
fn given_a_server_without_identities_when_replayed_under_fenced_commits_should_find_the_commit_after_regaining() {
    let replayed = replay("fenced-commits", "iggy-2026-08", "commits-with-reassignment", true);
    let clauses: Vec<_> = replayed.divergences.iter().map(|divergence| divergence.blame.clause).collect();
    println!("{:?} left {:?}", clauses, replayed.left);
    for divergence in &replayed.divergences {
        println!("{} {:?}\n{:#?}", divergence.steps(), divergence.blame, divergence.found.transcript);
    }
    let found =
        replayed.divergences.iter().find(|one| one.blame.clause == Some(ClauseName::CommitUnderReadingAssignment));
    assert!(found.expect("a commit of an old assignment").steps() <= 8);
}
