//! Power loss at every moment of the reference partition.

#[path = "images/reference.rs"]
mod reference;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fencepost_checker::engine::{Limits, Quiet};
use fencepost_conformance::replay::atlas::{Atlas, CoverKind};
use fencepost_conformance::replay::images::{ImagePolicy, ImageRun, Imaged, MOST_SUBSETS};
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

fn images(contract: &Contract, view: &View, fault: Option<Fault>, policies: &[ImagePolicy]) -> Vec<Imaged> {
    let mut shown = HashSet::new();
    let limits = Limits::default();
    let atlas =
        Atlas::explore(&contract.choices, &view.bounds, CoverKind::Abstract, &limits, 1, &Quiet, &mut shown);
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
    run.run(&mut reference::reference(fault), &atlas.ways()).expect("the reference partition does not fail")
}

#[test]
fn given_all_contracts_when_measured() {
    for (name, _) in library::CONTRACTS {
        let contract = contract(name);
        for view in losing_power(&contract) {
            let started = std::time::Instant::now();
            let imaged = images(&contract, &view, None, ImagePolicy::ALL);
            for (policy, imaged) in ImagePolicy::ALL.iter().zip(&imaged) {
                println!("{name} {} {policy} {:?} {}", view.name, imaged.counts, imaged.recovered.len());
                if let Some(page) = &imaged.divergence {
                    println!("{}", page.text());
                }
            }
            println!("{:?}", started.elapsed());
        }
    }
    let _ = Site::ALL;
}
