//! The traces of one view, written down once for all faults.

use std::sync::Mutex;

use fencepost_checker::engine::Quiet;
use fencepost_conformance::replay::atlas::{Atlas, CoverKind};
use fencepost_conformance::replay::random::{Chance, way};
use fencepost_conformance::replay::runner::{Compared, Runner, Walked};
use fencepost_conformance::replay::session::Way;
use fencepost_conformance::replay::trace::{Ending, Scribe, Trace};
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{Fields, Subject};
use fencepost_models::iggy::views::View;
use fencepost_reference::{Backing, Fault, Reference};
use fencepost_spec::contract::Contract;

use crate::exploring::Budget;

/// Where traces come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// A cover of the explored view.
    Cover(CoverKind),
    /// Ways by chance from this seed.
    Random(u64),
}

/// How many ways by chance of a view, and the most steps of each.
const RANDOM_WAYS: usize = 300;
const RANDOM_STEPS: usize = 60;

/// What comes after each way: the three probes.
const ENDINGS: &[Ending] = &[Ending::CrashNow, Ending::SettleAndCrash, Ending::FinishAndCrash];

/// What is compared: everything that the reference shows.
pub(super) const EVERYTHING: fn() -> Compared = || Compared { fields: Fields::all(), exact_codes: false };

/// The traces of one view of a contract on which the reference agrees while nothing is wrong with it.
pub(super) struct Stock<'a> {
    pub(super) contract: &'a Contract,
    pub(super) view: &'a View,
    pub(super) traces: Vec<Trace>,
    /// Traces on which the reference does not agree although nothing is wrong with it: they say nothing about a fault.
    pub(super) left_out: usize,
    /// Steps that the reference did to find that out.
    pub(super) steps: u64,
}

/// A reference partition with or without a fault.
pub(super) fn reference(fault: Option<Fault>) -> Reference {
    Reference::new(Backing::memory(), fault)
}

/// A model to walk in.
pub(super) fn walker(contract: &Contract, view: &View) -> Walker {
    Walker::new(&contract.name, &contract.choices, &view.bounds)
}

/// A runner for the reference.
pub(super) fn runner<'a>(walker: &'a Walker, compared: Compared) -> Runner<'a> {
    Runner::new(walker, reference(None).capabilities(), compared, walker.world.clone(), None)
}

impl<'a> Stock<'a> {
    /// Explores the view, and writes the traces down.
    pub(super) fn new(contract: &'a Contract, view: &'a View, choice: Choice, budget: &Budget, threads: usize) -> Self {
        let ways = ways(contract, view, choice, budget, threads);
        let next = std::sync::atomic::AtomicUsize::new(0);
        let written = Mutex::new(Vec::new());
        let work = || {
            let walker = walker(contract, view);
            let runner = runner(&walker, EVERYTHING());
            let scribe = Scribe::new(&walker, runner.grip().fields, true);
            let mut healthy = reference(None);
            loop {
                let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some((initial, actions)) = ways.get(index) else { return };
                let traces = scribe.traces(*initial, actions, ENDINGS).unwrap_or_default();
                let tried: Vec<_> = traces
                    .into_iter()
                    .map(|trace| {
                        let walk = runner.walk(&mut healthy, &trace);
                        (trace, matches!(walk.walked, Walked::Agreed), walk.steps)
                    })
                    .collect();
                written.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, tried));
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let mut written = written.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        written.sort_by_key(|(index, _)| *index);
        let mut stock = Self { contract, view, traces: Vec::new(), left_out: 0, steps: 0 };
        for (trace, agrees, steps) in written.into_iter().flat_map(|(_, tried)| tried) {
            stock.steps += steps;
            if agrees { stock.traces.push(trace) } else { stock.left_out += 1 }
        }
        stock
    }
}

/// Ways through a view.
pub(super) fn ways(contract: &Contract, view: &View, choice: Choice, budget: &Budget, threads: usize) -> Vec<Way> {
    match choice {
        Choice::Cover(kind) => {
            // Every contract and view is covered in full: what another one has shown is shown here, too.
            let mut shown = std::collections::HashSet::new();
            let limits = budget.limits();
            Atlas::explore(&contract.choices, &view.bounds, kind, &limits, threads, &Quiet, &mut shown).ways()
        }
        Choice::Random(seed) => {
            let walker = walker(contract, view);
            let mut chance = Chance::new(seed);
            (0..RANDOM_WAYS).map(|_| way(&walker, &mut chance, RANDOM_STEPS)).collect()
        }
    }
}
