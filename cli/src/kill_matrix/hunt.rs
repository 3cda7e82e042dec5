//! The hunt: traces are tried on each fault until one of them shows it, and the clause that it leaves is the expected one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fencepost_conformance::replay::blame::{Blame, Evidence};
use fencepost_conformance::replay::divergence::Difference;
use fencepost_conformance::replay::runner::{Found, Walked};
use fencepost_conformance::replay::symptom;
use fencepost_driver::Step;
use fencepost_models::iggy::views::{BoundsSet, View};
use fencepost_reference::Fault;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;

use super::stock::{EVERYTHING, Stock, reference, runner, walker};
use super::{alternatives, narrow, variants};

/// How many divergences of one fault in one view are judged, and how many in all.
const MOST_JUDGED_IN_VIEW: usize = 12;
const MOST_JUDGED: usize = 60;

/// How well a divergence fits what is expected of a fault, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The expected clause is left.
    Expected,
    /// A clause is left that is listed as an alternative, with a reason.
    Alternative,
    /// Another clause is left, or none can be named.
    Other,
}

/// A trace that shows a fault.
#[derive(Clone)]
pub(super) struct Sighting<'a> {
    pub(super) contract: &'a Contract,
    pub(super) view: View,
    pub(super) bounds: BoundsSet,
    pub(super) cover: String,
    pub(super) found: Found,
    pub(super) blame: Blame,
    /// The rule that named the clause, if no change of the contract explains it.
    pub(super) symptom: Option<&'static str>,
    pub(super) clause: Option<ClauseName>,
    pub(super) fit: Fit,
    pub(super) weakest: &'static str,
}

/// What is known of a fault while it is hunted.
pub(super) struct Quarry<'a> {
    pub(super) fault: Fault,
    pub(super) best: Option<Sighting<'a>>,
    pub(super) judged: usize,
    pub(super) steps: u64,
    pub(super) traces: u64,
    /// Whether its code ever ran.
    pub(super) landed: bool,
    /// Whether what was found is good enough.
    is_settled: bool,
}

impl<'a> Quarry<'a> {
    pub(super) fn new(fault: Fault) -> Self {
        Self { fault, best: None, judged: 0, steps: 0, traces: 0, landed: false, is_settled: false }
    }

    /// Whether the hunt goes on.
    pub(super) fn is_open(&self) -> bool {
        !self.is_settled && self.best.as_ref().is_none_or(|best| best.fit != Fit::Expected) && self.judged < MOST_JUDGED
    }

    /// Ends the hunt after all contracts and views were tried, if an alternative was found.
    pub(super) fn settle(&mut self) {
        self.is_settled |= self.best.as_ref().is_some_and(|best| best.fit == Fit::Alternative);
    }

    /// Whether the fault can matter in a view of a contract.
    pub(super) fn matters_in(&self, contract: &Contract, view: &View) -> bool {
        let is_possible = match self.fault {
            Fault::Without(fence) => contract.choices.has(fence),
            // Nothing that is not synced is lost unless power is.
            Fault::Deaf(_) => view.bounds.power_losses > 0,
            Fault::Planted(_) => true,
        };
        is_possible && narrow::is_for(view.name, self.fault) && variants::is_for(&contract.name, self.fault)
    }
}

/// Tries the traces of a view on every fault that is not caught yet. Each fault is tried by one thread, so that the result does not
/// depend on their number.
pub(super) fn hunt<'a>(stock: &Stock<'a>, quarries: &mut [Quarry<'a>], bounds: BoundsSet, cover: &str, threads: usize) {
    let open: Vec<Mutex<&mut Quarry<'a>>> = quarries
        .iter_mut()
        .filter(|quarry| quarry.is_open() && quarry.matters_in(stock.contract, stock.view))
        .map(Mutex::new)
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(quarry) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut quarry = quarry.lock().unwrap_or_else(PoisonError::into_inner);
            one(stock, &mut quarry, bounds, cover);
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
}

/// What a divergence looks like from outside; of those that look alike only the shortest are judged.
type Look = (String, String);

fn one<'a>(stock: &Stock<'a>, quarry: &mut Quarry<'a>, bounds: BoundsSet, cover: &str) {
    let walker = walker(stock.contract, stock.view);
    let runner = runner(&walker, EVERYTHING());
    let mut faulty = reference(Some(quarry.fault));
    let mut seen: BTreeMap<Look, Vec<(usize, usize, Found)>> = BTreeMap::new();
    for (index, trace) in stock.traces.iter().enumerate() {
        let walk = runner.walk(&mut faulty, trace);
        quarry.steps += walk.steps;
        quarry.traces += 1;
        if let Walked::Diverged(found) = walk.walked {
            let alike = seen.entry(look(&found)).or_default();
            let length = found.transcript.len();
            if alike.len() < 2 || alike.last().is_some_and(|(longest, ..)| length < *longest) {
                alike.push((length, index, *found));
                alike.sort_by_key(|(length, index, _)| (*length, *index));
                alike.truncate(2);
            }
        }
    }
    quarry.landed |= faulty.landed() > 0;
    let mut candidates: Vec<_> = seen.into_values().flatten().collect();
    candidates.sort_by_key(|(length, index, _)| (*length, *index));
    for (_, _, found) in candidates.into_iter().take(MOST_JUDGED_IN_VIEW) {
        quarry.judged += 1;
        let evidence = Evidence {
            choices: &stock.contract.choices,
            bounds: &stock.view.bounds,
            grip: runner.grip(),
            transcript: &found.transcript,
        };
        let blame = evidence.blame();
        let (clause, symptom) = clause(&blame, &found, &walker.world);
        let fit = alternatives::fit(quarry.fault, clause);
        if quarry.best.as_ref().is_none_or(|best| fit < best.fit) {
            quarry.best = Some(Sighting {
                contract: stock.contract,
                view: stock.view.clone(),
                bounds,
                cover: cover.to_owned(),
                found,
                blame,
                symptom,
                clause,
                fit,
                weakest: "",
            });
        }
        if fit == Fit::Expected {
            break;
        }
    }
    if let Some(best) = quarry.best.as_mut().filter(|best| best.weakest.is_empty()) {
        best.weakest = super::weakest::weakest(stock, quarry.fault);
    }
}

/// The clause that is left: of the change of the contract that explains it, or else by what was seen.
pub(super) fn clause(
    blame: &Blame,
    found: &Found,
    world: &fencepost_driver::World,
) -> (Option<ClauseName>, Option<&'static str>) {
    if blame.different.is_some() {
        return (blame.clause, None);
    }
    match symptom::judge(world, found) {
        Some(symptom) => (Some(symptom.clause), Some(symptom.reason)),
        None => (None, None),
    }
}

fn look(found: &Found) -> Look {
    let Difference { kind, field, seen, allowed } = found.first();
    let first_words = |text: &str| text.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let place = match field {
        Some(field) => field.key().to_owned(),
        None => format!("{} instead of {}", first_words(seen), first_words(allowed)),
    };
    let steps = found.transcript.last().map(|(steps, _)| steps.as_slice()).unwrap_or_default();
    let step = match steps.first() {
        Some(Step::Resume { park, answer }) => format!("{} {answer:?}", park.kind),
        Some(Step::Start { call, .. }) => call.kind().to_owned(),
        Some(Step::Cancel { .. }) => "cancel".to_owned(),
        Some(Step::Crash { .. } | Step::Restart {}) | None => "crash".to_owned(),
    };
    (format!("{kind} {place}"), step)
}
