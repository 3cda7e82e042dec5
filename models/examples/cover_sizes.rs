//! How large the covers of the views are: `cover_sizes [quick|ci|deep] [contract ...]`.
//!
//! A line for each view: states, seconds, and of labels, pairs of labels, abstract transitions, those that a
//! selection tells apart, and those that no view of the contract before showed: how many, and traces and steps of a selection.

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

use fencepost_checker::compiled::Compiled;
use fencepost_checker::cover::{CoveringEngine, ItemKind};
use fencepost_checker::engine::{Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_models::iggy::abstraction::Predicates;
use fencepost_models::iggy::abstraction::selection::{AbstractStep, select};
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_models::iggy::{clauses, system};
use fencepost_spec::contract::Choices;
use fencepost_spec::library;

/// Sizes of one cover, or of several together.
#[derive(Clone, Copy, Default)]
struct Sizes {
    states: u64,
    seconds: f64,
    /// By kind of item: items, selected traces, and the steps of these.
    kinds: [[usize; 3]; 5],
}

impl Sizes {
    fn add(&mut self, other: &Self) {
        self.states += other.states;
        self.seconds += other.seconds;
        for (sum, more) in self.kinds.iter_mut().flatten().zip(other.kinds.iter().flatten()) {
            *sum += more;
        }
    }

    fn print(&self, name: &str) {
        let Self { states, seconds, kinds } = self;
        let kinds: Vec<String> =
            kinds.iter().map(|[items, traces, steps]| format!("{items} {traces}/{steps}")).collect();
        println!(
            "{name}: {states} states, {seconds:.2} s; labels, pairs, abstract, told apart, new: {}",
            kinds.join(", ")
        );
    }
}

fn measure(choices: &Choices, view: &View, shown: &mut HashSet<AbstractStep>) -> Sizes {
    let model = system::model(choices, &view.bounds);
    let (clauses, limits) = (clauses::safety(&model.cfg), Limits::default());
    let guide = &Unguided;
    let task =
        Task { model: &model, guide, clauses: &clauses, liveness: &[], limits: &limits, threads: 2, progress: &Quiet };
    let begun = Instant::now();
    let (exploration, cover) = Compiled { is_unbounded: true }.explore_covering(&task, &Predicates);
    let size = |items, selected: Vec<usize>| {
        let steps = selected.iter().map(|step| cover.steps[*step].depth).sum();
        [items, selected.len(), steps]
    };
    let of_kind = |kind| size(cover.of_kind(kind).count(), cover.select(kind));
    let mut here = HashSet::new();
    let selected = select(&model.cfg, &cover, &mut here);
    let before = shown.len();
    let new = select(&model.cfg, &cover, shown);
    let [labels, pairs, transitions] = ItemKind::ALL.map(of_kind);
    let kinds = [labels, pairs, transitions, size(here.len(), selected), size(shown.len() - before, new)];
    Sizes { states: exploration.states, seconds: begun.elapsed().as_secs_f64(), kinds }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let set = words.next().unwrap_or_else(|| "quick".to_owned());
    let Some(set) = BoundsSet::ALL.iter().copied().find(|known| known.word() == set) else {
        eprintln!("no such size: {set}");
        return ExitCode::from(2);
    };
    let wanted: Vec<String> = words.collect();
    let mut all = Sizes::default();
    for name in library::CONTRACTS.iter().map(|(name, _)| *name) {
        if !wanted.is_empty() && !wanted.iter().any(|word| word == name) {
            continue;
        }
        let Ok(contract) = library::contract(name) else { continue };
        let (mut of_contract, mut shown) = (Sizes::default(), HashSet::new());
        for view in views(set, &contract.choices) {
            let sizes = measure(&contract.choices, &view, &mut shown);
            sizes.print(&format!("{name}@{}", view.name));
            of_contract.add(&sizes);
        }
        of_contract.print(name);
        all.add(&of_contract);
    }
    all.print("all");
    ExitCode::SUCCESS
}
