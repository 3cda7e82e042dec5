//! Standard output.

use std::io::{ErrorKind, Write};

use clap::ValueEnum;
use comfy_table::{ContentArrangement, ContentLineStyle, LineStyle, Table, TableStyle};
use fencepost_checker::story::{Story, StoryLine};
use serde::Serialize;

use crate::exit::ExitStatus;

/// Name and version of the format of JSON reports.
pub const SCHEMA: &str = "fencepost.report/1";

/// Columns that a text report uses at most.
pub const TEXT_WIDTH_COLUMNS: usize = 120;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Prints a report. A reader that went away is no failure; a report that cannot be written counts as stopped.
pub fn print(report: &str) -> ExitStatus {
    let mut output = std::io::stdout().lock();
    let written = output.write_all(report.as_bytes()).and_then(|()| output.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("error: the report cannot be written: {error}");
            ExitStatus::Stopped
        }
        _ => ExitStatus::AsExpected,
    }
}

/// A report for programs that has results and nothing else.
#[derive(Serialize)]
pub struct Report<R> {
    schema: &'static str,
    command: &'static str,
    results: Vec<R>,
}

impl<R> Report<R> {
    /// The results of a command.
    pub fn of(command: &'static str, results: Vec<R>) -> Self {
        Self { schema: SCHEMA, command, results }
    }
}

/// A report as JSON, with a line end.
pub fn json(report: &impl Serialize) -> String {
    match serde_json::to_string_pretty(report) {
        Ok(text) => text + "\n",
        Err(error) => unreachable!("a report has text keys only: {error}"),
    }
}

/// An empty table without lines, but for one under the header.
pub fn table() -> Table {
    let style = TableStyle::new()
        .header_lines(ContentLineStyle::none())
        .header_separator(LineStyle::none().fill('─').junction('─'))
        .content_lines(ContentLineStyle::none());
    let mut table = Table::new();
    table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// The text of a table, each line indented by `indent` blanks and without blanks at its end.
pub fn table_text(table: &Table, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    table.lines().map(|line| format!("{blanks}{}", line.trim_end()).trim_end().to_owned() + "\n").collect()
}

/// Words with `separator` between them, in lines of at most [`TEXT_WIDTH_COLUMNS`] columns of which `indent` are taken.
/// The lines after the first start with blanks.
pub fn wrapped<'a>(words: impl IntoIterator<Item = &'a str>, separator: &str, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let width = lines.last().map_or(0, |line| indent + line.chars().count());
        match lines.last_mut() {
            Some(line) if width + 2 * separator.len() + word.chars().count() <= TEXT_WIDTH_COLUMNS => {
                line.push_str(separator);
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("{}\n{}", separator.trim_end(), " ".repeat(indent)))
}

/// A number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and what is counted, in the plural if need be.
pub fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(number as u64)) }
}

/// A text that starts with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Seconds in thousandths.
pub fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// A line of a story in a JSON report.
#[derive(Serialize)]
pub struct LineJson {
    number: usize,
    actor: String,
    towards: String,
    text: String,
    changes: Vec<String>,
}

/// The lines of a story for a JSON report.
pub fn lines_json(story: &Story) -> Vec<LineJson> {
    let line = |line: &StoryLine| LineJson {
        number: line.number,
        actor: line.telling.actor.clone(),
        towards: line.telling.towards.clone(),
        text: line.telling.text.clone(),
        changes: line.telling.changes.clone(),
    };
    story.lines.iter().map(line).collect()
}
