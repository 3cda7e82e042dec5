//! What is proved of a fault that no trace shows.

use std::collections::HashSet;

use fencepost_checker::engine::Quiet;
use fencepost_conformance::replay::atlas::{Atlas, CoverKind, Coverage};
use fencepost_conformance::replay::product::{Product, compare};
use fencepost_conformance::replay::session::Replayed;
use fencepost_conformance::replay::walker::Walker;
use fencepost_models::iggy::views::{BoundsSet, views};
use fencepost_models::iggy::vocabulary::{only_refuses, refused_term};
use fencepost_reference::Fault;
use fencepost_spec::contract::Contract;
use fencepost_spec::fence::Fence;
use serde::Serialize;

use super::{larger, threads};
use crate::exploring::Budget;

/// The most pairs of positions of a view that are compared.
const MOST_PAIRS: usize = 20_000;

/// What is known of a survivor.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Proof {
    /// Whether it explains that the fault survives.
    pub(crate) holds: bool,
    /// What it says.
    pub(crate) text: String,
}

/// Looks for a proof.
pub(super) fn proof(fault: Fault, landed: bool, contracts: &[Contract], bounds: BoundsSet, threads: usize) -> Proof {
    if let Fault::Without(fence) = fault {
        return of_fence(fence, contracts, bounds, threads);
    }
    let text = if landed { "its code ran, and no trace shows it" } else { "its code never ran" };
    Proof { holds: false, text: text.to_owned() }
}

/// In which views of all contracts that have a fence it refuses something, explored to their end: how many views there are, and how many
/// of them it refuses in. `None`: that says nothing, since the fence does more than refuse, or an exploration did not end.
fn refusals(fence: Fence, having: &[&Contract], sizes: &[BoundsSet], threads: usize) -> Option<(usize, usize)> {
    let (mut explored, mut refusing) = (0, 0);
    for contract in having.iter().filter(|_| only_refuses(fence)) {
        for view in sizes.iter().flat_map(|bounds| views(*bounds, &contract.choices)) {
            let limits = Budget::default().limits();
            let (choices, mut shown) = (&contract.choices, HashSet::new());
            let atlas = Atlas::explore(choices, &view.bounds, CoverKind::Labels, &limits, threads, &Quiet, &mut shown);
            if atlas.stopped.is_some() {
                return None;
            }
            let mut coverage = Coverage::default();
            atlas.add_to(&mut coverage, &Replayed::default());
            explored += 1;
            refusing += usize::from(coverage.fence_outcomes.reachable.contains(&refused_term(fence)));
        }
    }
    (explored > 0).then_some((explored, refusing))
}

/// With and without the fence, in lockstep, in all views of all contracts that have it.
fn of_fence(fence: Fence, contracts: &[Contract], bounds: BoundsSet, threads: usize) -> Proof {
    let having: Vec<&Contract> = contracts.iter().filter(|contract| contract.choices.has(fence)).collect();
    if having.is_empty() {
        return Proof { holds: true, text: "no built-in contract has the fence".to_owned() };
    }
    let all: Vec<_> = having
        .iter()
        .flat_map(|contract| views(bounds, &contract.choices).into_iter().map(|view| (*contract, view)))
        .collect();
    let results = threads::each(&all, threads, |(contract, view)| {
        let mut changed = contract.choices.clone();
        changed.fences.remove(&fence);
        let with = Walker::new(&contract.name, &contract.choices, &view.bounds);
        let without = Walker::new(&contract.name, &changed, &view.bounds);
        (contract.name.as_str(), view.name, compare(&with, &without, MOST_PAIRS))
    });
    let differs = results.iter().find(|(.., product)| matches!(product, Product::Differs { .. }));
    if let Some((contract, view, Product::Differs { actions, .. })) = differs {
        let text =
            format!("the models differ under {contract} in {view} after {} steps: a trace is missing", actions.len());
        return Proof { holds: false, text };
    }
    let count = |product: &Product| match product {
        Product::Equal { pairs } | Product::Unfinished { pairs } => *pairs as u64,
        Product::Differs { .. } => 0,
    };
    let pairs: u64 = results.iter().map(|(.., product)| count(product)).sum();
    let sizes = if larger(bounds) == bounds { vec![bounds] } else { vec![bounds, larger(bounds)] };
    let never = match refusals(fence, &having, &sizes, threads) {
        Some((explored, 0)) => format!(
            "the fence never refuses: not in one of the {explored} views of the contracts that have it, explored to their end at the bounds {}, \
            so that nothing can differ without it; ",
            sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and "),
        ),
        _ => String::new(),
    };
    let finished = results.iter().filter(|(.., product)| matches!(product, Product::Equal { .. })).count();
    let text = format!(
        "{never}with and without it the models are equal within these bounds: {} pairs of positions in {} views ({finished} of them to their end)",
        crate::output::grouped(pairs),
        results.len(),
    );
    // What was compared in part only proves nothing, unless the fence never refuses.
    Proof { holds: !never.is_empty() || finished == results.len(), text }
}
