//! The table of clauses x contracts.

use comfy_table::{Cell, Color, Table};
use fencepost_checker::verdict::Verdict;
use fencepost_models::family::ModelledFamily;
use fencepost_spec::contract::ExpectedVerdict;
use fencepost_spec::words::Word;

use crate::expectation::is_unexpected;
use crate::output::{table, table_text, wrapped};
use crate::run::{ContractResult, Summary};

use super::Report;

/// Most contracts beside each of which a column of former expectations has room.
const MOST_WITH_EXPECTED: usize = 3;

/// Width of a column's title, unless one of its words is wider.
const TITLE_WIDTH: usize = 10;

/// The table, and under it the meaning of its cells.
pub(super) fn text<F: ModelledFamily>(report: &Report<F>) -> String {
    let with_expected = report.is_changed() && report.results.len() <= MOST_WITH_EXPECTED;
    let mut table = table();
    table.set_header(titles(report, with_expected));
    for clause in F::Clause::ALL {
        let mut row = vec![Cell::new(clause)];
        for result in &report.results {
            let summary = result.summary(*clause);
            row.push(cell(report, result, &summary));
            if with_expected {
                row.push(Cell::new(expected(result, *clause).map_or("-", ExpectedVerdict::word)));
            }
        }
        table.add_row(row);
    }
    let gap = if report.results.len() > 6 { 0 } else { 1 };
    for column in table.column_iter_mut() {
        column.set_padding((0, gap));
    }
    format!("{}\n{}", table_text(&table, 0), legend(report, &table))
}

fn titles<F: ModelledFamily>(report: &Report<F>, with_expected: bool) -> Vec<Cell> {
    let mut titles = vec![Cell::new("")];
    for result in &report.results {
        titles.push(Cell::new(title(&result.contract.name)));
        if with_expected {
            titles.push(Cell::new("was\nexpected"));
        }
    }
    titles
}

/// The name of a contract, broken at its hyphens into as few lines as [`TITLE_WIDTH`] allows, and those as short as can be.
fn title(name: &str) -> String {
    let widest = broken(name, TITLE_WIDTH);
    let narrowest = (1..TITLE_WIDTH).map(|width| broken(name, width)).find(|lines| lines.len() <= widest.len());
    narrowest.unwrap_or(widest).join("\n")
}

/// A name, broken at hyphens into lines of a width; words that are wider have lines of their own.
fn broken(name: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in name.split_inclusive('-') {
        match lines.last_mut() {
            Some(line) if line.is_empty() || line.len() + word.len() <= width => line.push_str(word),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn expected<F: ModelledFamily>(result: &ContractResult<F>, clause: F::Clause) -> Option<ExpectedVerdict> {
    result.contract.expected.get(&clause).map(|expectation| expectation.verdict)
}

fn cell<F: ModelledFamily>(report: &Report<F>, result: &ContractResult<F>, summary: &Summary<'_, F>) -> Cell {
    let complete = result.covers_its_question();
    let differs = expected(result, summary.clause).is_some_and(|it| is_unexpected(it, summary.verdict, complete));
    let mark = match (differs, report.is_changed()) {
        (false, _) => "",
        (true, false) => " !",
        (true, true) => " *",
    };
    let cell = Cell::new(format!("{}{mark}", short(summary)));
    match summary.verdict {
        _ if differs => cell.fg(Color::Yellow),
        Verdict::Violated => cell.fg(Color::Red),
        Verdict::Stopped(_) | Verdict::NotChecked => cell.fg(Color::DarkGrey),
        _ => cell,
    }
}

/// A verdict in a few letters.
fn short<F: ModelledFamily>(summary: &Summary<'_, F>) -> String {
    match (summary.verdict, summary.story_steps()) {
        (Verdict::Violated, Some(steps)) => format!("✗ {steps}"),
        (Verdict::Violated, None) => "✗".to_owned(),
        (Verdict::HoldsExhaustive, _) => "holds".to_owned(),
        (Verdict::HoldsUpToDepth(depth), _) => format!("holds<{depth}"),
        (Verdict::Vacuous, _) => "vacuous".to_owned(),
        (Verdict::Stopped(_), _) => "stopped".to_owned(),
        (Verdict::NotChecked, _) => "-".to_owned(),
    }
}

/// What the cells mean, of those that occur.
fn legend<F: ModelledFamily>(report: &Report<F>, table: &Table) -> String {
    let cells: Vec<String> = table.row_iter().flat_map(|row| row.cell_iter().skip(1).map(Cell::content)).collect();
    let occurs = |start: &str| cells.iter().any(|cell| cell.starts_with(start));
    let mark = if report.is_changed() { "*  other than expected with the fence" } else { "!  not as expected" };
    let meanings = [
        (occurs("✗"), "✗ 9  violated, shortest story 9 steps"),
        (occurs("holds"), "holds  exhaustive"),
        (occurs("vacuous"), "vacuous  nothing exercises it"),
        (occurs("stopped"), "stopped  before the end"),
        (occurs("-"), "-  not checked"),
        (cells.iter().any(|cell| cell.ends_with('!') || cell.ends_with('*')), mark),
    ];
    let used: Vec<&str> = meanings.into_iter().filter(|(is_used, _)| *is_used).map(|(_, meaning)| meaning).collect();
    wrapped(used, "   ", 0) + "\n"
}
