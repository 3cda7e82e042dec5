//! The sections under the table.

use comfy_table::{Cell, CellAlignment};
use fencepost_models::family::ModelledFamily;

use crate::expectation::{Unexpected, is_unexpected};
use crate::output::{grouped, table, table_text, wrapped};
use crate::run::{Action, ContractResult, ViewResult};
use crate::vacuity::Vacuity;

use super::Report;

/// What each contract cost.
pub(super) fn sizes<F: ModelledFamily>(report: &Report<F>) -> String {
    let mut table = table();
    let is_stopped = report.results.iter().any(|result| result.stopped().is_some());
    let mut titles = vec!["contract", "views", "states", "transitions", "depth", "seconds"];
    titles.extend(is_stopped.then_some("end"));
    table.set_header(titles);
    for result in &report.results {
        let transitions = result.views.iter().map(|view| view.transitions).sum();
        let numbers = [
            result.views.len().to_string(),
            grouped(result.states()),
            grouped(transitions),
            result.depth().to_string(),
            format!("{:.1}", result.seconds),
        ];
        let mut row = vec![Cell::new(&result.contract.name)];
        row.extend(numbers.iter().map(Cell::new));
        row.extend(is_stopped.then(|| Cell::new(end(result))));
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if (1..6).contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table_text(&table, 0)
}

/// How the exploration of a contract ended.
fn end<F: ModelledFamily>(result: &ContractResult<F>) -> String {
    match result.stopped() {
        None => String::new(),
        Some(stop) => {
            let stopped = result.views.iter().filter(|view| view.stopped.is_some()).count();
            format!("stopped ({stop}) in {stopped} of {} views", result.views.len())
        }
    }
}

/// The shortest violation of each clause of each contract.
pub(super) fn violations<F: ModelledFamily>(report: &Report<F>) -> String {
    let breaches = report.results.iter().flat_map(|result| {
        result.summaries().into_iter().filter_map(|summary| {
            let (view, breach) = summary.breach?;
            Some(Breach::new(result, summary.clause, view, breach))
        })
    });
    let title = "VIOLATIONS, the shortest of each clause (the whole story: --story CLAUSE[@VIEW])";
    breach_section(title, breaches.collect(), report.results.len() > 1)
}

/// Violations in views that a contract does not answer for.
pub(super) fn beyond_question<F: ModelledFamily>(report: &Report<F>) -> String {
    let mut breaches = Vec::new();
    for result in &report.results {
        for view in result.views.iter().filter(|view| !view.answered_for) {
            let broken = view.clauses.iter().filter_map(|it| Some((it.clause, it.finding.broken.as_ref()?)));
            breaches.extend(broken.map(|(clause, breach)| Breach::new(result, clause, view, breach)));
        }
    }
    let title = "BEYOND ITS QUESTION, violations in views that the contract does not answer for";
    breach_section(title, breaches, report.results.len() > 1)
}

/// A violation as it is listed. Several contracts often share one, word for word.
struct Breach<'a, F: ModelledFamily> {
    clause: F::Clause,
    steps: usize,
    view: &'static str,
    reason: &'a str,
    contract: &'a str,
}

impl<'a, F: ModelledFamily> Breach<'a, F> {
    fn new(
        result: &'a ContractResult<F>,
        clause: F::Clause,
        view: &ViewResult<F>,
        breach: &'a fencepost_checker::engine::Breach<Action<F>>,
    ) -> Self {
        let steps = breach.trace.actions.len();
        Self { clause, steps, view: view.view.name, reason: &breach.reason, contract: &result.contract.name }
    }

    /// What is listed once.
    fn shared(&self) -> (F::Clause, usize, usize, &str) {
        let place = F::VIEWS.iter().position(|view| *view == self.view).unwrap_or(F::VIEWS.len());
        (self.clause, self.steps, place, self.reason)
    }
}

/// Violations by clause; what several contracts share stands once, with their names below.
fn breach_section<F: ModelledFamily>(title: &str, mut breaches: Vec<Breach<'_, F>>, with_contracts: bool) -> String {
    if breaches.is_empty() {
        return String::new();
    }
    // The sort is stable: contracts stay in their order.
    breaches.sort_by(|left, right| left.shared().cmp(&right.shared()));
    let mut text = format!("{title}\n");
    let mut clause = None;
    for group in breaches.chunk_by(|left, right| left.shared() == right.shared()) {
        let first = &group[0];
        if clause.replace(first.clause) != Some(first.clause) {
            text.push_str(&format!("{}\n", first.clause));
        }
        let start = format!("{:>5} steps  {:<28}  ", first.steps, first.view);
        let reason = wrapped(first.reason.split(' '), " ", start.len());
        text.push_str(&format!("{start}{reason}\n"));
        if with_contracts {
            let contracts = wrapped(group.iter().map(|breach| breach.contract), ", ", 13);
            text.push_str(&format!("             {contracts}\n"));
        }
    }
    text
}

/// Verdicts that are not as expected, spelled out.
pub(super) fn unexpected<F: ModelledFamily>(report: &Report<F>) -> String {
    let mut text = String::new();
    for result in &report.results {
        for unexpected in report.judge(result).unexpected {
            text.push_str(&unexpected_text(result, &unexpected));
        }
    }
    if text.is_empty() { text } else { format!("NOT AS EXPECTED\n{text}") }
}

fn unexpected_text<F: ModelledFamily>(result: &ContractResult<F>, unexpected: &Unexpected<'_, F>) -> String {
    let place = unexpected.view.map_or_else(String::new, |view| format!("@{view}"));
    let steps = unexpected.story_steps.map_or_else(String::new, |steps| format!(" in {steps} steps"));
    let Unexpected { clause, expected, verdict, expectation, .. } = unexpected;
    let link = if expectation.link.is_empty() { String::new() } else { format!(" ({})", expectation.link) };
    let because = format!("expected because: {}{link}", expectation.because);
    format!(
        "{}{place}  {clause}: expected {expected}, found {verdict}{steps}\n  {}\n",
        result.contract.name,
        wrapped(because.split(' '), " ", 2)
    )
}

/// What never happened.
pub(super) fn never_happened<F: ModelledFamily>(report: &Report<F>) -> String {
    let title = "NEVER HAPPENED, though not listed under [[impossible]]";
    vacuity_section(report, title, |vacuity| &vacuity.never_happened)
}

/// What happened although it is called impossible.
pub(super) fn happened_though_impossible<F: ModelledFamily>(report: &Report<F>) -> String {
    let title = "HAPPENED, though listed under [[impossible]]";
    vacuity_section(report, title, |vacuity| &vacuity.happened_though_impossible)
}

fn vacuity_section<F: ModelledFamily>(
    report: &Report<F>,
    title: &str,
    terms: impl Fn(&Vacuity) -> &Vec<String>,
) -> String {
    let mut text = String::new();
    for result in &report.results {
        let Some(vacuity) = report.judge(result).vacuity else { continue };
        let terms = terms(&vacuity);
        if !terms.is_empty() {
            let list = wrapped(terms.iter().map(String::as_str), ", ", 2);
            text.push_str(&format!("{}\n  {list}\n", result.contract.name));
        }
    }
    if text.is_empty() { text } else { format!("{title}\n{text}") }
}

/// What the removal of fences changed.
pub(super) fn without<F: ModelledFamily>(report: &Report<F>) -> String {
    if !report.is_changed() {
        return String::new();
    }
    let mut text = String::new();
    for result in &report.results {
        let complete = result.covers_its_question();
        for summary in result.summaries() {
            let Some(expectation) = result.contract.expected.get(&summary.clause) else { continue };
            if is_unexpected(expectation.verdict, summary.verdict, complete) {
                let steps = summary.story_steps().map_or_else(String::new, |steps| format!(" in {steps} steps"));
                text.push_str(&format!(
                    "{}  {}: {}{steps}, was expected: {}\n",
                    result.contract.name, summary.clause, summary.verdict, expectation.verdict
                ));
            }
        }
    }
    let none = "no verdict differs from what is expected with the fence\n";
    format!("WITHOUT THE FENCE\n{}", if text.is_empty() { none } else { &text })
}
