//! The report as JSON.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_spec::words::Word;
use serde::Serialize;

use super::answer::{Answer, AskResult, Possible};
use super::family::Askable;
use super::{Report, Reports};
use crate::output::{LineJson, SCHEMA, lines_json, rounded};

#[derive(Serialize)]
pub(super) struct ReportJson {
    schema: &'static str,
    command: &'static str,
    without: Vec<&'static str>,
    results: Vec<ResultJson>,
}

#[derive(Serialize)]
struct ResultJson {
    scenario: String,
    contract: String,
    /// `null`: not applicable, or (if `stopped`) not known.
    possible: Option<bool>,
    /// Why it is impossible or not applicable.
    reason: Option<String>,
    stopped: Option<String>,
    story_steps: Option<usize>,
    broken_clauses: Vec<&'static str>,
    always_broken: Vec<&'static str>,
    answers: BTreeMap<String, BTreeSet<String>>,
    breaches: Vec<BreachJson>,
    expected: Option<ExpectedJson>,
    unexpected: Vec<String>,
    states: u64,
    depth: u32,
    seconds: f64,
    story: Option<StoryJson>,
}

#[derive(Serialize)]
struct BreachJson {
    clause: &'static str,
    line: usize,
    reason: String,
}

#[derive(Serialize)]
struct ExpectedJson {
    possible: Option<bool>,
    breaks: Vec<&'static str>,
}

#[derive(Serialize)]
struct StoryJson {
    title: String,
    lines: Vec<LineJson>,
    ending: String,
}

/// The report, ready to be serialised. Two runs give the same but for `seconds`.
pub(super) fn report(reports: &Reports) -> ReportJson {
    let results = results(&reports.iggy).into_iter().chain(results(&reports.kafkajs));
    ReportJson { schema: SCHEMA, command: "ask", without: reports.without.clone(), results: results.collect() }
}

fn results<F: Askable>(report: &Report<F>) -> Vec<ResultJson> {
    report.results().map(|(scenario, result)| result_json(report, scenario, result)).collect()
}

fn words<C: Word>(clauses: &[C]) -> Vec<&'static str> {
    clauses.iter().map(|clause| clause.word()).collect()
}

fn result_json<F: Askable>(report: &Report<F>, scenario: &F::Scenario, result: &AskResult<F::Clause>) -> ResultJson {
    let reason = match &result.answer {
        Answer::NotApplicable(reason) => Some(reason.clone()),
        Answer::Impossible(impossible) => Some(impossible.obstacle.clone()),
        Answer::Possible(_) | Answer::Unknown => None,
    };
    let possible = match &result.answer {
        Answer::Possible(possible) => Some(possible),
        _ => None,
    };
    let expected = F::expected(scenario, &result.contract);
    ResultJson {
        scenario: F::head(scenario).name.to_owned(),
        contract: result.contract.clone(),
        possible: result.possible(),
        reason,
        stopped: result.stopped.map(|stop| stop.to_string()),
        story_steps: possible.map(|possible| possible.story.lines.len()),
        broken_clauses: words(result.broken()),
        always_broken: possible.map(|possible| words(&possible.always_broken)).unwrap_or_default(),
        answers: possible.map(|possible| possible.answers.clone()).unwrap_or_default(),
        breaches: possible.map(breaches_json).unwrap_or_default(),
        expected: expected.map(|it| ExpectedJson { possible: it.possible, breaks: words(it.breaks) }),
        unexpected: report.unexpected(scenario, result),
        states: result.states,
        depth: result.depth,
        seconds: rounded(result.seconds),
        story: result.story().map(|story| StoryJson {
            title: story.title.clone(),
            lines: lines_json(story),
            ending: story.ending.clone(),
        }),
    }
}

fn breaches_json<C: Word>(possible: &Possible<C>) -> Vec<BreachJson> {
    let breach = |breach: &super::BrokenClause<C>| BreachJson {
        clause: breach.clause.word(),
        line: breach.line,
        reason: breach.reason.clone(),
    };
    possible.breaches.iter().map(breach).collect()
}
