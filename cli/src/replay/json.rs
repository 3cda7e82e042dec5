//! The report for programs.

use std::collections::BTreeMap;

use fencepost_conformance::replay::atlas::Counted;
use fencepost_conformance::replay::page::Page;
use serde::Serialize;

use super::choose::Choice;
use super::{ContractReplay, ReplayArguments};
use crate::output::Report;

/// What came of a contract.
#[derive(Serialize)]
pub(super) struct Result {
    driver: String,
    subject: String,
    contract: String,
    bounds: String,
    cover: String,
    traces: u64,
    steps: u64,
    seconds: f64,
    stopped: Option<String>,
    abstract_transitions: Counts,
    fence_outcomes: Counts,
    clauses: BTreeMap<String, Counts>,
    not_separated: Vec<String>,
    not_observed: Vec<String>,
    left: BTreeMap<String, u64>,
    views: Vec<View>,
    divergences: Vec<Page>,
}

#[derive(Serialize)]
struct Counts {
    covered: usize,
    drivable: usize,
    reachable: usize,
}

#[derive(Serialize)]
struct View {
    view: &'static str,
    ways: usize,
    traces: u64,
    steps: u64,
    seconds: f64,
    diverged: u64,
    repeated: u64,
    most_positions: usize,
}

fn counts<T>(counted: &Counted<T>, size: impl Fn(&T) -> usize) -> Counts {
    Counts { covered: size(&counted.covered), drivable: size(&counted.drivable), reachable: size(&counted.reachable) }
}

pub(super) fn report(arguments: &ReplayArguments, cover: Choice, results: &[ContractReplay]) -> Report<Result> {
    let results = results.iter().map(|result| contract(arguments, cover, result)).collect();
    Report::of("replay", results)
}

fn contract(arguments: &ReplayArguments, cover: Choice, result: &ContractReplay) -> Result {
    let replayed = || result.views.iter().map(|view| &view.replayed);
    let first = replayed().next();
    let coverage = &result.coverage;
    let mut left = BTreeMap::<String, u64>::new();
    for (reason, count) in replayed().flat_map(|replayed| &replayed.left) {
        *left.entry(reason.clone()).or_default() += count;
    }
    Result {
        driver: arguments.driver.clone(),
        subject: first.map(|first| first.subject.clone()).unwrap_or_default(),
        contract: result.contract.clone(),
        bounds: arguments.exploring.bounds.to_string(),
        cover: cover.to_string(),
        traces: replayed().map(|replayed| replayed.traces).sum(),
        steps: replayed().map(|replayed| replayed.steps).sum(),
        seconds: replayed().map(|replayed| replayed.seconds).sum(),
        stopped: replayed().find_map(|replayed| replayed.stopped.clone()),
        abstract_transitions: counts(&coverage.abstract_transitions, |set| set.len()),
        fence_outcomes: counts(&coverage.fence_outcomes, |set| set.len()),
        clauses: coverage
            .clauses
            .iter()
            .map(|(clause, counted)| (clause.clone(), counts(counted, |set| set.len())))
            .collect(),
        not_separated: first.map(|first| first.not_separated.clone()).unwrap_or_default(),
        not_observed: first.map(|first| first.not_observed.clone()).unwrap_or_default(),
        left,
        views: result.views.iter().map(view).collect(),
        divergences: replayed().flat_map(|replayed| &replayed.divergences).map(Page::of).collect(),
    }
}

fn view(view: &super::ViewReplay) -> View {
    let replayed = &view.replayed;
    View {
        view: view.view,
        ways: replayed.ways,
        traces: replayed.traces,
        steps: replayed.steps,
        seconds: replayed.seconds,
        diverged: replayed.diverged,
        repeated: replayed.repeated,
        most_positions: replayed.most_positions,
    }
}
