//! The report as JSON.

use fencepost_checker::story::Story;
use fencepost_models::family::ModelledFamily;
use fencepost_spec::words::Word;
use serde::Serialize;

use crate::expectation::{Unexpected, contradicted, is_unexpected};
use crate::output::{LineJson, SCHEMA, lines_json, rounded};
use crate::run::{ContractResult, Summary, ViewResult};
use crate::vacuity::Vacuity;

use super::margins::{self, MarginJson};
use super::stories::{self, Told};
use super::symmetry::{self, SymmetryJson};
use super::{Judged, Part, Rendering, Report};

#[derive(Serialize)]
pub(super) struct ReportJson {
    schema: &'static str,
    command: &'static str,
    without: Vec<&'static str>,
    results: Vec<ResultJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    margins: Option<Vec<MarginJson>>,
}

#[derive(Serialize)]
struct ResultJson {
    contract: String,
    family: &'static str,
    bounds: &'static str,
    engine: &'static str,
    states: u64,
    transitions: u64,
    depth: u32,
    seconds: f64,
    stopped: Option<String>,
    views: Vec<ViewJson>,
    clauses: Vec<ClauseJson>,
    unexpected: Vec<UnexpectedJson>,
    vacuity: VacuityJson,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stories: Vec<StoryJson>,
}

#[derive(Serialize)]
struct ViewJson {
    view: &'static str,
    beyond_question: bool,
    states: u64,
    transitions: u64,
    depth: u32,
    seconds: f64,
    stopped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symmetry: Option<SymmetryJson>,
}

#[derive(Serialize)]
struct ClauseJson {
    clause: &'static str,
    verdict: String,
    expected: Option<&'static str>,
    unexpected: bool,
    story_steps: Option<usize>,
    reason: Option<String>,
    views: Vec<ClauseViewJson>,
}

#[derive(Serialize)]
struct ClauseViewJson {
    view: &'static str,
    verdict: String,
    expected: Option<&'static str>,
    unexpected: bool,
    beyond_question: bool,
    exercised: u64,
    story_steps: Option<usize>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct UnexpectedJson {
    clause: &'static str,
    view: Option<String>,
    expected: &'static str,
    verdict: String,
    because: String,
    link: String,
}

#[derive(Serialize)]
struct VacuityJson {
    judged: bool,
    never_happened: Vec<String>,
    happened_though_impossible: Vec<String>,
}

#[derive(Serialize)]
struct StoryJson {
    clause: &'static str,
    view: Option<&'static str>,
    verdict: Option<String>,
    lines: Vec<LineJson>,
    loop_start: Option<usize>,
    ending: Option<String>,
    text: String,
}

/// What is told about one family.
pub(super) struct FamilyJson {
    results: Vec<ResultJson>,
    margins: Option<Vec<MarginJson>>,
}

impl Rendering for FamilyJson {
    fn of<F: ModelledFamily>(report: &Report<F>) -> Self {
        Self {
            results: report.results.iter().map(|result| result_json(report, result)).collect(),
            margins: report.margins.as_ref().map(|margins| margins.iter().map(margins::json).collect()),
        }
    }
}

/// The report, ready to be serialised. Two runs give the same but for `seconds`.
pub(super) fn report(without: Vec<&'static str>, parts: Vec<Part<FamilyJson>>) -> ReportJson {
    let mut report = ReportJson { schema: SCHEMA, command: "check", without, results: Vec::new(), margins: None };
    for FamilyJson { results, margins } in parts.into_iter().filter_map(|part| part.content) {
        report.results.extend(results);
        if let Some(margins) = margins {
            report.margins.get_or_insert_default().extend(margins);
        }
    }
    report
}

fn result_json<F: ModelledFamily>(report: &Report<F>, result: &ContractResult<F>) -> ResultJson {
    let Judged { unexpected, vacuity } = report.judge(result);
    ResultJson {
        contract: result.contract.name.clone(),
        family: F::NAME,
        bounds: result.bounds.word(),
        engine: result.engine,
        states: result.states(),
        transitions: result.views.iter().map(|view| view.transitions).sum(),
        depth: result.depth(),
        seconds: rounded(result.seconds),
        stopped: result.stopped().map(|stop| stop.to_string()),
        views: result.views.iter().map(view_json).collect(),
        clauses: result.summaries().iter().map(|summary| clause_json(report, result, summary)).collect(),
        unexpected: unexpected.iter().map(unexpected_json).collect(),
        vacuity: vacuity_json(vacuity),
        stories: report.stories.iter().map(|request| story_json(&stories::tell(request, result))).collect(),
    }
}

fn view_json<F: ModelledFamily>(view: &ViewResult<F>) -> ViewJson {
    ViewJson {
        view: view.view.name,
        beyond_question: !view.answered_for,
        states: view.states,
        transitions: view.transitions,
        depth: view.depth,
        seconds: rounded(view.seconds),
        stopped: view.stopped.map(|stop| stop.to_string()),
        symmetry: symmetry::json(view),
    }
}

fn clause_json<F: ModelledFamily>(
    report: &Report<F>,
    result: &ContractResult<F>,
    summary: &Summary<'_, F>,
) -> ClauseJson {
    let expectation = result.contract.expected.get(&summary.clause);
    let complete = result.covers_its_question();
    let differs = expectation.is_some_and(|it| is_unexpected(it.verdict, summary.verdict, complete));
    ClauseJson {
        clause: summary.clause.word(),
        verdict: summary.verdict.to_string(),
        expected: expectation.map(|expectation| expectation.verdict.word()),
        unexpected: differs && !report.is_changed(),
        story_steps: summary.story_steps(),
        reason: summary.breach.map(|(_, breach)| breach.reason.clone()),
        views: result.views.iter().filter_map(|view| clause_view_json(report, result, view, summary)).collect(),
    }
}

/// A clause in a view, if it is judged there.
fn clause_view_json<F: ModelledFamily>(
    report: &Report<F>,
    result: &ContractResult<F>,
    view: &ViewResult<F>,
    summary: &Summary<'_, F>,
) -> Option<ClauseViewJson> {
    let judged = view.clause(summary.clause)?;
    let expectation = result.contract.expected.get(&summary.clause);
    let expected = expectation.and_then(|expectation| expectation.views.get(view.view.name)).copied();
    let differs =
        expectation.is_some_and(|it| contradicted::<F>(it, view.view.name, result.bounds, judged.verdict).is_some());
    Some(ClauseViewJson {
        view: view.view.name,
        verdict: judged.verdict.to_string(),
        expected: expected.map(|verdict| verdict.word()),
        unexpected: differs && !report.is_changed(),
        beyond_question: !view.answered_for,
        exercised: judged.finding.exercised,
        story_steps: judged.story_steps(),
        reason: judged.finding.broken.as_ref().map(|breach| breach.reason.clone()),
    })
}

fn unexpected_json<F: ModelledFamily>(unexpected: &Unexpected<'_, F>) -> UnexpectedJson {
    UnexpectedJson {
        clause: unexpected.clause.word(),
        view: unexpected.view.map(str::to_owned),
        expected: unexpected.expected.word(),
        verdict: unexpected.verdict.to_string(),
        because: unexpected.expectation.because.clone(),
        link: unexpected.expectation.link.clone(),
    }
}

fn vacuity_json(vacuity: Option<Vacuity>) -> VacuityJson {
    let judged = vacuity.is_some();
    let Vacuity { never_happened, happened_though_impossible } = vacuity.unwrap_or_default();
    VacuityJson { judged, never_happened, happened_though_impossible }
}

fn story_json<F: ModelledFamily>(told: &Told<'_, F>) -> StoryJson {
    StoryJson {
        clause: told.clause.word(),
        view: told.view.map(|view| view.view.name),
        verdict: told.view.map(|view| view.verdict(told.clause).to_string()),
        lines: told.story.iter().flat_map(lines_json).collect(),
        loop_start: told.story.as_ref().and_then(|story| story.loop_start),
        ending: told.story.as_ref().map(|story| story.ending.clone()),
        text: told.story.as_ref().map_or_else(|| told.absence(), Story::to_text),
    }
}
