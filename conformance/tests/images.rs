//! Power loss at every moment of the reference partition.

#[path = "images/reference.rs"]
mod reference;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fencepost_conformance::replay::images::{ImagePolicy, ImageRun, Imaged, Images, MOST_SUBSETS};
use fencepost_conformance::replay::random::{Chance, way};
use fencepost_conformance::replay::session::Way;
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{Fields, Step};
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_reference::{Fault, Site};
use fencepost_spec::contract::Contract;
use fencepost_spec::library;

fn contract(name: &str) -> Contract {
    library::contract(name).expect("a shipped contract")
}

fn losing_power(contract: &Contract) -> Vec<View> {
    views(BoundsSet::Quick, &contract.choices).into_iter().filter(|view| view.bounds.power_losses > 0).collect()
}

/// Ways by chance: always the same.
fn ways(walker: &Walker, count: usize) -> Vec<Way> {
    let mut chance = Chance::new(1);
    (0..count).map(|_| way(walker, &mut chance, 60)).collect()
}

fn images(
    contract: &Contract,
    view: &View,
    fault: Option<Fault>,
    policies: &[ImagePolicy],
    count: usize,
) -> Vec<Imaged> {
    let walker = Walker::new(&contract.name, &contract.choices, &view.bounds);
    let run = ImageRun {
        contract: &contract.name,
        choices: &contract.choices,
        view: view.name,
        bounds: &view.bounds,
        policies,
        cap: MOST_SUBSETS,
        is_over_when_found: fault.is_some(),
        interrupt: Arc::new(AtomicBool::new(false)),
        command: "",
    };
    run.run(&mut reference::reference(fault), &ways(&walker, count)).expect("the reference partition does not fail")
}

#[test]
fn given_every_contract_when_power_is_lost_at_every_moment_should_recover_what_is_allowed() {
    for (name, _) in library::CONTRACTS {
        let contract = contract(name);
        for view in losing_power(&contract) {
            let imaged = images(&contract, &view, None, ImagePolicy::ALL, 40);
            for (policy, imaged) in ImagePolicy::ALL.iter().zip(&imaged) {
                if let Some(page) = &imaged.divergence {
                    panic!("{}", page.text());
                }
                let counts = &imaged.counts;
                assert!(counts.points > 100, "{name} {} {policy}: {counts:?}", view.name);
                assert_eq!((counts.capped_points, counts.unjudged_points), (0, 0), "{name} {} {policy}", view.name);
            }
            assert!(
                imaged[0].counts.images > imaged[3].counts.images,
                "{name} {}: any subset is more than all",
                view.name
            );
        }
    }
}

/// A contract and a view that miss the sync at a place.
fn missing(site: Site) -> (&'static str, &'static str) {
    match site {
        Site::AppendData => ("owner-installed", "restart"),
        Site::AppendNames | Site::GenerationData => ("kept-numbering", "power-loss-during-purge"),
        Site::BookmarkData | Site::BookmarkNames => ("owner-installed", "restart"),
        Site::PurgePartitionNames | Site::PurgeBookmarkNames => ("reset-with-generation", "power-loss-during-purge"),
    }
}

#[test]
fn given_a_sync_that_does_nothing_when_power_is_lost_should_recover_what_is_forbidden() {
    for site in Site::ALL {
        let (name, view) = missing(*site);
        let contract = contract(name);
        let view = losing_power(&contract).into_iter().find(|one| one.name == view).expect("the view");
        let policies = [ImagePolicy::PosixWeak];
        let imaged = images(&contract, &view, Some(Fault::Deaf(*site)), &policies, 400);
        assert!(imaged[0].divergence.is_some(), "nobody misses {site}: {:?}", imaged[0].counts);
    }
}

#[test]
fn given_a_partition_when_images_are_taken_should_go_on_as_if_nothing_had_happened() {
    let contract = contract("reset-with-generation");
    let view = &losing_power(&contract)[0];
    let walker = Walker::new(&contract.name, &contract.choices, &view.bounds);
    let (mut taken, mut other) = (reference::reference(None), reference::reference(None));
    for (initial, actions) in ways(&walker, 10) {
        let mut at = walker.start().swap_remove(initial);
        for subject in [&mut taken as &mut dyn Images, &mut other] {
            subject.reset(&walker.world).expect("a world");
        }
        for action in &actions {
            let (after, moved) = walker.take(&at, action).expect("a possible action");
            for step in &moved.steps {
                let seen = [&mut taken as &mut dyn Images, &mut other].map(|subject| done(subject, step));
                assert_eq!(seen[0], seen[1], "{step:?}");
                taken.recovered(ImagePolicy::PosixWeak, MOST_SUBSETS).expect("images");
            }
            at = after;
        }
    }
}

fn done(subject: &mut dyn Images, step: &Step) -> String {
    let progress = subject.perform(step).expect("no failure");
    format!("{progress:?} {:?}", subject.observe(Fields::all()).expect("a look"))
}
