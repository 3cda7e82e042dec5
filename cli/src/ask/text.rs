//! The report for people: each scenario with its question and the table of answers, stories, and what is not as expected.

use fencepost_checker::story::Story;

use super::answer::AskResult;
use super::family::{Askable, Head};
use super::{Asked, Report, Reports, Tally, table};
use crate::output::{capitalised, counted, wrapped};

/// The report.
pub(super) fn report(reports: &Reports) -> String {
    let mut parts = vec![heading(&reports.iggy) + &heading(&reports.kafkajs)];
    parts.extend(scenarios(&reports.iggy, reports.stories));
    parts.extend(scenarios(&reports.kafkajs, reports.stories));
    let unexpected = unexpected(&reports.iggy) + &unexpected(&reports.kafkajs);
    parts.push(if unexpected.is_empty() { unexpected } else { format!("NOT AS EXPECTED\n{unexpected}") });
    parts.push(conclusion(&reports.tally()));
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading<F: Askable>(report: &Report<F>) -> String {
    let mut text = String::new();
    for fence in &report.removed {
        text.push_str(&format!("without the fence {fence}: {}\n", F::protects(*fence)));
    }
    for remark in &report.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

/// Each scenario, followed by its stories if they are wanted.
fn scenarios<F: Askable>(report: &Report<F>, with_stories: bool) -> Vec<String> {
    let mut parts = Vec::new();
    for asked in &report.scenarios {
        parts.push(scenario(report, asked));
        parts.push(if with_stories { stories(asked) } else { String::new() });
    }
    parts
}

fn scenario<F: Askable>(report: &Report<F>, asked: &Asked<F>) -> String {
    let Head { name, title, question, sources } = F::head(&asked.scenario);
    let paragraph = |text: &str| wrapped(text.split(' '), " ", 2);
    let mut text = format!("{name}\n  {}\n  {}\n", paragraph(title), paragraph(question));
    if !sources.is_empty() {
        text.push_str(&format!("  {}\n", wrapped(sources.iter().map(String::as_str), ", ", 2)));
    }
    text + &table::text(report, asked)
}

fn stories<F: Askable>(asked: &Asked<F>) -> String {
    asked.results.iter().filter_map(AskResult::story).map(Story::to_text).collect::<Vec<_>>().join("\n")
}

/// Answers that are not as expected, spelled out.
fn unexpected<F: Askable>(report: &Report<F>) -> String {
    let mut text = String::new();
    for (scenario, result) in report.results() {
        for difference in report.unexpected(scenario, result) {
            text.push_str(&format!("{}  {}: {difference}\n", F::head(scenario).name, result.contract));
        }
    }
    text
}

/// The last line: how it ended.
fn conclusion(tally: &Tally) -> String {
    let mut parts = Vec::new();
    if tally.unexpected > 0 {
        parts.push(format!("not as expected: {}", counted(tally.unexpected, "answer")));
    }
    if let Some(stop) = tally.stopped {
        parts.push(format!("stopped ({stop}) before the end"));
    }
    let compared = counted(tally.compared, "answer");
    match (parts.is_empty(), tally.is_changed, tally.compared) {
        (false, ..) => capitalised(&parts.join("; ")) + ".\n",
        (true, true, 0) => "Not compared with what is expected: a fence was removed.\n".to_owned(),
        (true, true, _) => format!("As expected: {compared}; not compared where a fence was removed.\n"),
        (true, false, 0) => "Nothing is expected of these answers, so nothing was compared.\n".to_owned(),
        (true, false, _) => format!("As expected: {compared}.\n"),
    }
}
