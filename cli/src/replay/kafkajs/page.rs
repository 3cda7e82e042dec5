//! What is told about a divergence, and about a clause that is broken.

use fencepost_checker::story::Story;
use fencepost_conformance::kafkajs::blame::clause_of;
use fencepost_conformance::kafkajs::change::all_words;
use fencepost_conformance::kafkajs::deviations::Deviation;
use fencepost_conformance::kafkajs::evidence::Evidence;
use fencepost_conformance::kafkajs::recording;
use fencepost_conformance::kafkajs::script::{self, Shown};
use fencepost_conformance::kafkajs::session::Divergence;
use fencepost_conformance::kafkajs::step::Observation;
use fencepost_spec::kafkajs::ClauseName;

use super::TargetReplay;
use crate::output::{counted, wrapped};

/// The clause that a divergence gives up; nothing, if it is not modelled.
pub(super) fn clause(result: &TargetReplay, divergence: &Divergence) -> Option<ClauseName> {
    result.explanation(divergence).first().map(|change| clause_of(*change))
}

/// Where a broken clause is reported: the issues of the known deviations that lead to it, those about the clause if there are any.
pub(super) fn issues<'a>(result: &'a TargetReplay, evidence: &Evidence) -> Vec<&'a str> {
    let leads = |deviation: &&Deviation| evidence.changes.contains(&deviation.change);
    let all: Vec<&Deviation> = result.deviations.iter().filter(leads).collect();
    let about: Vec<&Deviation> = all.iter().copied().filter(|it| it.clause == evidence.clause).collect();
    let chosen = if about.is_empty() { all } else { about };
    let mut issues: Vec<&str> = chosen.into_iter().map(|deviation| deviation.issue.as_str()).collect();
    issues.dedup();
    issues
}

/// A divergence in a few lines.
pub(super) fn divergence(result: &TargetReplay, view: &str, divergence: &Divergence) -> String {
    let clause = clause(result, divergence).map_or("no clause that is modelled", ClauseName::word);
    let explanation = match result.explanation(divergence) {
        [] => "no change of the contract that is known would allow it".to_owned(),
        changes => format!("the contract would allow it {}", all_words(changes)),
    };
    let known = if result.known(divergence).is_some() { "known" } else { "not known" };
    let difference = &divergence.difference;
    format!(
        "  {clause} ({known}), after {} in {view}: {}\n    allowed: {}\n    seen:    {}\n    {}\n",
        counted(divergence.step, "step"),
        difference.kind,
        short(&difference.allowed),
        short(&difference.seen),
        wrapped(explanation.split(' '), " ", 4),
    )
}

/// What is too long for a line ends in dots; the whole is in the script.
fn short(text: &str) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The story of a divergence.
fn story(result: &TargetReplay, view: &str, divergence: &Divergence) -> Story {
    let difference = &divergence.difference;
    let outcome = format!("{}: allowed is {}, seen is {}", difference.kind, difference.allowed, difference.seen);
    divergence.story(format!("{} in {view}", result.about(divergence)), outcome)
}

/// The same as [`divergence`], with its story and how to try it alone.
pub(super) fn divergence_at_length(result: &TargetReplay, view: &str, it: &Divergence) -> String {
    let mut text = divergence(result, view, it);
    text.push_str(&indented(&story(result, view, it).to_text()));
    text.push_str(&alone(result, &result.about(it)));
    text
}

/// How to run a way alone.
fn alone(result: &TargetReplay, about: &str) -> String {
    let target = &result.target;
    format!(
        "  to run it alone: fencepost replay --driver kafkajs --package {} --level {} --scripts FOLDER\n    \
         npm install kafkajs@{}{}\n    node FOLDER/{}\n",
        target.package,
        target.level,
        target.package,
        script::other_packages(target),
        script::file_name(target, about),
    )
}

/// The programs of everything that was found: name and text.
pub(super) fn programs(result: &TargetReplay) -> Vec<(String, String)> {
    let target = &result.target;
    let named = |about: &str, program: String| (script::file_name(target, about), program);
    let of_divergence = |(view, divergence): (&'static str, &Divergence)| {
        let (about, story) = (result.about(divergence), story(result, view, divergence));
        let shown = Shown {
            target,
            about: &about,
            outcome: &format!("{} allows something else than what is seen at the end", result.contract),
            story: &story,
            steps: &divergence.trace.steps[..=divergence.step],
            leaves: Some((divergence.step, &divergence.difference)),
        };
        named(&about, script::program(&shown))
    };
    let of_evidence = |evidence: &Evidence| {
        let leaves = evidence.leaves.as_ref().map(|(step, difference)| (*step, difference));
        let shown = Shown {
            target,
            about: &evidence.about(),
            outcome: &format!("{} is broken: {}", evidence.clause, evidence.reason),
            story: &evidence.story,
            steps: &evidence.trace.steps,
            leaves,
        };
        leaves.map(|_| named(&evidence.about(), script::program(&shown)))
    };
    let divergences = result.causes().into_iter().map(of_divergence);
    divergences.chain(result.gathered.evidence.iter().filter_map(of_evidence)).collect()
}

/// The recordings of everything that was found: name and text.
pub(super) fn recordings(result: &TargetReplay) -> Vec<(String, String)> {
    let target = &result.target;
    let name = |about: &str| script::file_name(target, about).replace(".js", ".jsonl");
    let of_divergence = |(_, divergence): (&'static str, &Divergence)| {
        let text = recording::write(target, &divergence.trace.steps, &divergence.seen);
        (name(&result.about(divergence)), text)
    };
    // The implementation agreed with every step of the evidence.
    let of_evidence = |evidence: &Evidence| {
        let seen: Vec<Observation> = evidence.trace.steps.iter().map(|taken| taken.allowed.clone()).collect();
        (name(&evidence.about()), recording::write(target, &evidence.trace.steps, &seen))
    };
    let divergences = result.causes().into_iter().map(of_divergence);
    divergences.chain(result.gathered.evidence.iter().map(of_evidence)).collect()
}

/// A clause that is broken: its story, where the contract is left, and how to try it alone.
pub(super) fn evidence(result: &TargetReplay, evidence: &Evidence) -> String {
    let steps = evidence.steps();
    let mut text = format!(
        "{}: {}\n  the fewest steps that a user of the package would see: {steps}, in {}\n",
        evidence.clause, evidence.reason, evidence.view
    );
    match &evidence.leaves {
        Some((step, difference)) => text.push_str(&format!(
            "  {} is left after step {step}: {}\n    allowed: {}\n    seen:    {}\n",
            result.contract,
            difference.kind,
            short(&difference.allowed),
            short(&difference.seen)
        )),
        None => text.push_str(&format!("  {} allows every step of it\n", result.contract)),
    }
    for issue in issues(result, evidence) {
        text.push_str(&format!("  reported: {issue}\n"));
    }
    text.push_str(&indented(&evidence.story.to_text()));
    if evidence.leaves.is_some() {
        text.push_str(&alone(result, &evidence.about()));
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}
