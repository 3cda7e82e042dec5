//! The report for people: the table, what it cost, the violations, and what is not as expected.

use fencepost_checker::story::Story;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::library::VIEWS;

use crate::margins::Margin;
use crate::output::{capitalised, counted, wrapped};

use super::{Judged, Report, margins, sections, stories, table};

/// The report.
pub(super) fn report(report: &Report) -> String {
    let parts = [
        heading(report),
        table::text(report),
        sections::sizes(report),
        sections::violations(report),
        sections::beyond_question(report),
        margins::section(report),
        told(report),
        sections::unexpected(report),
        sections::never_happened(report),
        sections::happened_though_impossible(report),
        sections::without(report),
        conclusion(report),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(report: &Report) -> String {
    let Some(first) = report.results.first() else { return String::new() };
    let mut text = format!(
        "{}, {}, bounds {}, engine {}\n",
        counted(ClauseName::ALL.len(), "clause"),
        counted(report.results.len(), "contract"),
        first.bounds,
        first.engine
    );
    let names: Vec<&str> = first.views.iter().map(|view| view.view.name).collect();
    if !first.explores_all_views {
        let start = format!("only {} of {} views, so what is absent is not judged: ", names.len(), VIEWS.len());
        text.push_str(&format!("{start}{}\n", wrapped(names, ", ", 0)));
    }
    for fence in &report.removed {
        text.push_str(&format!("without the fence {fence}: {}\n", fence.description().protects));
    }
    for remark in &report.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

/// The stories that were asked for.
fn told(report: &Report) -> String {
    let mut parts = Vec::new();
    for request in &report.stories {
        for result in &report.results {
            let told = stories::tell(request, result);
            parts.push(told.story.as_ref().map_or_else(|| told.absence() + "\n", Story::to_text));
        }
    }
    if parts.is_empty() { String::new() } else { format!("STORIES\n{}", parts.join("\n")) }
}

/// The last line: how it ended.
fn conclusion(report: &Report) -> String {
    let judged: Vec<Judged<'_>> = report.results.iter().map(|result| report.judge(result)).collect();
    let unexpected: usize = judged.iter().map(|judged| judged.unexpected.len()).sum();
    let vacuities = judged.iter().filter_map(|judged| judged.vacuity.as_ref());
    let vacuous: usize =
        vacuities.map(|vacuity| vacuity.never_happened.len() + vacuity.happened_though_impossible.len()).sum();
    let mut parts = Vec::new();
    let uncaught = report.margins.iter().flatten().filter(|margin| margin.is_failure()).count();
    let differences = [(unexpected, "verdict"), (vacuous, "non-vacuity failure"), (uncaught, "uncaught mutant")];
    let differences: Vec<String> =
        differences.iter().filter(|(number, _)| *number > 0).map(|(number, what)| counted(*number, what)).collect();
    if !differences.is_empty() {
        parts.push(format!("not as expected: {}", differences.join(" and ")));
    }
    let of_margins = report.margins.iter().flatten().find_map(Margin::stopped);
    if let Some(stop) = report.results.iter().find_map(|result| result.stopped()).or(of_margins) {
        parts.push(format!("stopped ({stop}) before the end"));
    }
    match parts.is_empty() {
        true if report.is_changed() => "Not compared with what is expected: a fence was removed.\n".to_owned(),
        true => "As expected.\n".to_owned(),
        false => capitalised(&parts.join("; ")) + ".\n",
    }
}
