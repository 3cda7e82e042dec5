//! The report for people: the table, what it cost, the violations, and what is not as expected.

use fencepost_checker::story::Story;
use fencepost_models::family::ModelledFamily;
use fencepost_spec::words::Word;

use crate::output::{capitalised, counted, wrapped};

use super::{Part, Rendering, Report, Tally, margins, sections, stories, symmetry, table};

/// What is told about one family, section by section; some are empty.
pub(super) struct Sections(Vec<String>);

impl Rendering for Sections {
    fn of<F: ModelledFamily>(report: &Report<F>) -> Self {
        Self(vec![
            heading(report),
            table::text(report),
            sections::sizes(report),
            symmetry::section(report),
            sections::violations(report),
            sections::beyond_question(report),
            margins::section(report),
            told(report),
            sections::unexpected(report),
            sections::never_happened(report),
            sections::happened_though_impossible(report),
            sections::without(report),
        ])
    }
}

/// The report: the parts of the families one after another, each under a title if there are several.
pub(super) fn report(parts: &[Part<Sections>], tally: &Tally) -> String {
    let mut sections = Vec::new();
    for part in parts {
        sections.extend((parts.len() > 1).then(|| format!("FAMILY {}\n", part.family)));
        match &part.content {
            Some(Sections(told)) => sections.extend(told.iter().filter(|section| !section.is_empty()).cloned()),
            None => sections.push("not explored: it has none of the wanted views\n".to_owned()),
        }
    }
    sections.push(conclusion(tally));
    sections.join("\n")
}

fn heading<F: ModelledFamily>(report: &Report<F>) -> String {
    let Some(first) = report.results.first() else { return String::new() };
    let mut text = format!(
        "{}, {}, bounds {}, engine {}\n",
        counted(F::Clause::ALL.len(), "clause"),
        counted(report.results.len(), "contract"),
        first.bounds,
        first.engine
    );
    let names: Vec<&str> = first.views.iter().map(|view| view.view.name).collect();
    if !first.explores_all_views {
        let for_scale = names.iter().filter(|name| F::SCALE_VIEWS.contains(name)).count();
        let all = F::VIEWS.len() + for_scale;
        let start = format!("only {} of {all} views, so what is absent is not judged: ", names.len());
        text.push_str(&format!("{start}{}\n", wrapped(names, ", ", 0)));
    }
    for fence in &report.removed {
        text.push_str(&format!("without the fence {fence}: {}\n", F::protects(*fence)));
    }
    for remark in &report.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

/// The stories that were asked for.
fn told<F: ModelledFamily>(report: &Report<F>) -> String {
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
fn conclusion(tally: &Tally) -> String {
    let mut parts = Vec::new();
    let differences =
        [(tally.unexpected, "verdict"), (tally.vacuous, "non-vacuity failure"), (tally.uncaught, "uncaught mutant")];
    let differences: Vec<String> =
        differences.iter().filter(|(number, _)| *number > 0).map(|(number, what)| counted(*number, what)).collect();
    if !differences.is_empty() {
        parts.push(format!("not as expected: {}", differences.join(" and ")));
    }
    if let Some(stop) = tally.stopped {
        parts.push(format!("stopped ({stop}) before the end"));
    }
    match (parts.is_empty(), tally.is_changed, tally.is_compared) {
        (true, true, false) => "Not compared with what is expected: a fence was removed.\n".to_owned(),
        (true, true, true) => "As expected; not compared where a fence was removed.\n".to_owned(),
        (true, false, _) => "As expected.\n".to_owned(),
        (false, ..) => capitalised(&parts.join("; ")) + ".\n",
    }
}

#[cfg(test)]
mod tests {
    use fencepost_checker::engine::Stop;

    use super::*;

    fn part(tally: Tally) -> Part<Sections> {
        Part { family: "a-family", content: None, tally }
    }

    fn concluded(tallies: [Tally; 2]) -> String {
        conclusion(&Tally::of(&tallies.map(part)))
    }

    #[test]
    fn given_a_fence_removed_from_some_contracts_when_concluded_should_speak_of_the_others_too() {
        let changed = || Tally { is_changed: true, ..Tally::default() };
        let compared = || Tally { is_compared: true, ..Tally::default() };
        assert_eq!(
            concluded([changed(), Tally::default()]),
            "Not compared with what is expected: a fence was removed.\n"
        );
        assert_eq!(concluded([compared(), changed()]), "As expected; not compared where a fence was removed.\n");
        assert_eq!(concluded([compared(), compared()]), "As expected.\n");
    }

    #[test]
    fn given_parts_that_are_not_as_expected_when_concluded_should_count_over_all() {
        let left = Tally { unexpected: 1, stopped: Some(Stop::Interrupted), ..Tally::default() };
        let right = Tally { unexpected: 2, vacuous: 1, ..Tally::default() };
        assert_eq!(
            concluded([left, right]),
            "Not as expected: 3 verdicts and 1 non-vacuity failure; stopped (interrupted) before the end.\n"
        );
    }
}
