//! The report for people: each scenario with its question and the table of answers, stories, and what is not as expected.

use fencepost_checker::story::Story;

use super::answer::AskResult;
use super::{Asked, Report, table};
use crate::output::{capitalised, counted, wrapped};

/// The report.
pub(super) fn report(report: &Report) -> String {
    let mut parts = vec![heading(report)];
    for asked in &report.scenarios {
        parts.push(scenario(report, asked));
        parts.push(if report.stories { stories(asked) } else { String::new() });
    }
    parts.push(unexpected(report));
    parts.push(conclusion(report));
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(report: &Report) -> String {
    let mut text = String::new();
    for fence in &report.removed {
        text.push_str(&format!("without the fence {fence}: {}\n", fence.description().protects));
    }
    for remark in &report.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

fn scenario(report: &Report, asked: &Asked) -> String {
    let scenario = &asked.scenario;
    let paragraph = |text: &str| wrapped(text.split(' '), " ", 2);
    let mut text =
        format!("{}\n  {}\n  {}\n", scenario.name, paragraph(&scenario.title), paragraph(&scenario.question));
    if !scenario.sources.is_empty() {
        text.push_str(&format!("  {}\n", wrapped(scenario.sources.iter().map(String::as_str), ", ", 2)));
    }
    text + &table::text(report, asked)
}

fn stories(asked: &Asked) -> String {
    asked.results.iter().filter_map(AskResult::story).map(Story::to_text).collect::<Vec<_>>().join("\n")
}

/// Answers that are not as expected, spelled out.
fn unexpected(report: &Report) -> String {
    let mut text = String::new();
    for (scenario, result) in report.results() {
        for difference in report.unexpected(scenario, result) {
            text.push_str(&format!("{}  {}: {difference}\n", scenario.name, result.contract));
        }
    }
    if text.is_empty() { text } else { format!("NOT AS EXPECTED\n{text}") }
}

/// The last line: how it ended.
fn conclusion(report: &Report) -> String {
    let unexpected = report.count(|scenario, result| !report.unexpected(scenario, result).is_empty());
    let mut parts = Vec::new();
    if unexpected > 0 {
        parts.push(format!("not as expected: {}", counted(unexpected, "answer")));
    }
    if let Some(stop) = report.results().find_map(|(_, result)| result.stopped) {
        parts.push(format!("stopped ({stop}) before the end"));
    }
    let compared = report.count(|scenario, result| scenario.expect.contains_key(&result.contract));
    match parts.is_empty() {
        true if report.is_changed() => "Not compared with what is expected: a fence was removed.\n".to_owned(),
        true if compared == 0 => "Nothing is expected of these answers, so nothing was compared.\n".to_owned(),
        true => format!("As expected: {}.\n", counted(compared, "answer")),
        false => capitalised(&parts.join("; ")) + ".\n",
    }
}
