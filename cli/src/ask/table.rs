//! The table of the answers to one scenario: a row per contract; contracts with the same row share it.

use comfy_table::{Cell, CellAlignment, Color};

use super::answer::{Answer, AskResult, Possible};
use super::family::Askable;
use super::{Asked, Report, expectation};
use crate::output::{TEXT_WIDTH_COLUMNS, table, table_text};

/// Columns of the blanks before the table.
const INDENT_COLUMNS: usize = 2;

/// Columns of the widest word that says whether a scenario is possible, with its mark.
const ANSWER_COLUMNS: usize = 16;

/// Columns of the number of steps.
const STEPS_COLUMNS: usize = 5;

/// One row, as it is shown.
#[derive(PartialEq, Eq)]
struct Row {
    answer: String,
    steps: String,
    lines: Vec<String>,
}

/// The table.
pub(super) fn text<F: Askable>(report: &Report<F>, asked: &Asked<F>) -> String {
    let widest = asked.results.iter().map(|result| result.contract.chars().count()).max().unwrap_or(0);
    let taken = INDENT_COLUMNS + widest + ANSWER_COLUMNS + STEPS_COLUMNS + 3;
    let width_columns = TEXT_WIDTH_COLUMNS.saturating_sub(taken).max(40);
    let mut groups: Vec<(Vec<&str>, Row)> = Vec::new();
    for result in &asked.results {
        let row = row(report, asked, result, width_columns);
        match groups.iter_mut().find(|(_, other)| *other == row) {
            Some((contracts, _)) => contracts.push(&result.contract),
            None => groups.push((vec![&result.contract], row)),
        }
    }
    let mut table = table();
    table.set_header(vec!["contract", "answer", "steps", F::FINDINGS]);
    for (contracts, row) in groups {
        let color = color(&row);
        let answer = Cell::new(&row.answer);
        let answer = color.map_or_else(|| answer.clone(), |color| answer.clone().fg(color));
        table.add_row(vec![
            Cell::new(contracts.join("\n")),
            answer,
            Cell::new(&row.steps),
            Cell::new(row.lines.join("\n")),
        ]);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if index == 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table_text(&table, INDENT_COLUMNS)
}

fn color(row: &Row) -> Option<Color> {
    let breaks = row.lines.iter().any(|line| line.starts_with('✗'));
    match row.answer.ends_with('!') {
        true => Some(Color::Yellow),
        false => breaks.then_some(Color::Red),
    }
}

fn row<F: Askable>(report: &Report<F>, asked: &Asked<F>, result: &AskResult<F::Clause>, width_columns: usize) -> Row {
    let mark = if report.unexpected(&asked.scenario, result).is_empty() { "" } else { " !" };
    let word = match result.answer {
        Answer::Unknown => "stopped",
        _ => expectation::word(result.possible()),
    };
    let mut lines = match &result.answer {
        Answer::NotApplicable(reason) => vec![reason.clone()],
        Answer::Possible(possible) => possible_lines(asked, possible),
        Answer::Impossible(impossible) => vec![impossible.obstacle.clone()],
        Answer::Unknown => vec![],
    };
    if let Some(stop) = result.stopped {
        lines.push(format!("stopped ({stop}) before the end: there may be more"));
    }
    let steps = result.story().filter(|_| result.possible() == Some(true));
    Row {
        answer: format!("{word}{mark}"),
        steps: steps.map_or_else(|| "-".to_owned(), |story| story.lines.len().to_string()),
        lines: lines.iter().flat_map(|line| folded(line, width_columns)).collect(),
    }
}

/// The answers in the order of the steps, then the clauses that break.
fn possible_lines<F: Askable>(asked: &Asked<F>, possible: &Possible<F::Clause>) -> Vec<String> {
    if possible.answers.is_empty() && possible.broken.is_empty() {
        return vec![F::NO_FINDINGS.to_owned()];
    }
    let steps = F::steps(&asked.scenario).into_iter();
    let answers = steps.filter_map(|step| Some((step, possible.answers.get(step)?)));
    let answers = answers.map(|(id, answers)| {
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        format!("{id}: {}", answers.join(" / "))
    });
    let breaches = possible.broken.iter().map(|clause| {
        let always = if possible.always_broken.contains(clause) { "" } else { ", in some courses" };
        match possible.breaches.iter().find(|breach| breach.clause == *clause) {
            Some(breach) => format!("✗ {clause}{always}: {} (step {})", breach.reason, breach.line),
            None => format!("✗ {clause}, in some other courses"),
        }
    });
    answers.chain(breaches).collect()
}

/// A text in lines of a width; those after the first are indented.
fn folded(text: &str, width_columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width_columns => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
