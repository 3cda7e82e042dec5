//! The report for programs.

use fencepost_conformance::kafkajs::change::words;
use fencepost_conformance::kafkajs::session::Divergence;
use serde::Serialize;

use super::super::ReplayArguments;
use super::{NAME, TargetReplay, page};
use crate::output::{Report, rounded};

/// What came of a version at a level, under a contract.
#[derive(Serialize)]
pub(super) struct Result {
    driver: &'static str,
    family: &'static str,
    package: String,
    level: u8,
    subject: String,
    contract: String,
    changes: Vec<String>,
    bounds: String,
    traces: usize,
    steps: usize,
    seconds: f64,
    stopped: Option<&'static str>,
    abstract_transitions: Counts,
    views: Vec<View>,
    divergences: Vec<DivergenceJson>,
    evidence: Vec<EvidenceJson>,
    /// Clauses and views in which the package does something else than what the divergences are explained by.
    unconfirmed: Vec<(&'static str, &'static str)>,
    unused_deviations: Vec<String>,
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
    states: usize,
    reactions: usize,
    covered: usize,
    traces: usize,
    steps: usize,
    seconds: f64,
    diverged: usize,
}

#[derive(Serialize)]
struct DivergenceJson {
    kind: &'static str,
    clause: Option<&'static str>,
    view: &'static str,
    steps: usize,
    known: bool,
    issue: Option<String>,
    changes: Vec<String>,
    allowed: String,
    seen: String,
}

#[derive(Serialize)]
struct EvidenceJson {
    clause: &'static str,
    circumstance: &'static str,
    view: &'static str,
    steps: usize,
    reason: String,
    /// The step in which the contract is left; `null`: the contract allows all of it.
    leaves_at_step: Option<usize>,
    story: String,
}

/// The report, ready to be serialised.
pub(super) fn report(results: &[TargetReplay], arguments: &ReplayArguments) -> Report<Result> {
    let bounds = arguments.exploring.bounds.to_string();
    Report::of("replay", results.iter().map(|it| result(it, &bounds)).collect())
}

fn result(replay: &TargetReplay, bounds: &str) -> Result {
    let reactions: usize = replay.views.iter().map(|view| view.reactions).sum();
    let covered = replay.views.iter().map(|view| view.covered).sum();
    Result {
        driver: NAME,
        family: NAME,
        package: replay.target.package.clone(),
        level: replay.target.level,
        subject: format!("kafkajs {} (node {})", replay.greeting.package, replay.greeting.node),
        contract: replay.contract.clone(),
        changes: replay.changes.iter().map(|change| words(*change)).collect(),
        bounds: bounds.to_owned(),
        traces: replay.views.iter().map(|view| view.traces).sum(),
        steps: replay.views.iter().map(|view| view.steps).sum(),
        seconds: rounded(replay.views.iter().map(|view| view.seconds).sum()),
        stopped: replay.is_interrupted().then_some("interrupted"),
        abstract_transitions: Counts { covered, drivable: reactions, reachable: reactions },
        views: replay.views.iter().map(view).collect(),
        divergences: replay.divergences().map(|(view, it)| divergence(replay, view, it)).collect(),
        evidence: replay.gathered.evidence.iter().map(evidence).collect(),
        unconfirmed: replay.gathered.unconfirmed.iter().map(|(clause, view)| (clause.word(), *view)).collect(),
        unused_deviations: replay.unused().iter().map(|deviation| words(deviation.change)).collect(),
    }
}

fn view(view: &fencepost_conformance::kafkajs::session::ViewReplay) -> View {
    View {
        view: view.view,
        states: view.states,
        reactions: view.reactions,
        covered: view.covered,
        traces: view.traces,
        steps: view.steps,
        seconds: rounded(view.seconds),
        diverged: view.diverged,
    }
}

fn divergence(replay: &TargetReplay, view: &'static str, divergence: &Divergence) -> DivergenceJson {
    let changes = replay.explanation(divergence);
    let known = replay.known(divergence).is_some();
    let issue = changes.first().filter(|_| known).and_then(|change| {
        replay.deviations.iter().find(|deviation| deviation.change == *change).map(|deviation| deviation.issue.clone())
    });
    DivergenceJson {
        kind: divergence.difference.kind,
        clause: page::clause(replay, divergence).map(|clause| clause.word()),
        view,
        steps: divergence.step,
        known,
        issue,
        changes: changes.iter().map(|change| words(*change)).collect(),
        allowed: divergence.difference.allowed.clone(),
        seen: divergence.difference.seen.clone(),
    }
}

fn evidence(evidence: &fencepost_conformance::kafkajs::evidence::Evidence) -> EvidenceJson {
    EvidenceJson {
        clause: evidence.clause.word(),
        circumstance: evidence.circumstance,
        view: evidence.view,
        steps: evidence.steps(),
        reason: evidence.reason.clone(),
        leaves_at_step: evidence.leaves.as_ref().map(|(step, _)| *step),
        story: evidence.story.to_text(),
    }
}
