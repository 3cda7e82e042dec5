//! `fencepost book`: the specification as a document, written from the data and from the verdicts.
//!
//! The prose of the book is in its chapters; every verdict, answer, story and table comes from the data of the specification,
//! from exploring all contracts and scenarios, and from following the shipped recordings. Nothing in it depends on when or
//! where it is written, so that `--check` can compare it byte by byte.

mod answers;
mod chapters;
mod clauses;
mod comparison;
mod contracts;
mod coverage;
mod evidence;
mod fences;
mod file;
mod identities;
mod kafkajs;
mod margins;
mod markdown;
mod open;
mod questions;
mod recordings;
mod replies;
mod scenarios;
mod scope;
mod stories;
mod verdicts;
mod words;

use std::path::PathBuf;

use clap::Args;
use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;
use crate::exploring::ExploringArguments;
use crate::output;

use evidence::Gathered;
use file::Place;

/// The arguments of `fencepost book`.
#[derive(Args, Clone, Debug)]
pub struct BookArguments {
    /// The file to write; links in it are relative to a folder beside `spec` and `conformance`
    #[arg(long, value_name = "FILE", default_value = "docs/specification.md")]
    pub output: PathBuf,
    /// Write nothing; compare the file with what would be written
    #[arg(long)]
    pub check: bool,
    /// The folder with the recordings that the manifest lists
    #[arg(long, value_name = "FOLDER", default_value = "conformance/recordings")]
    pub recordings: PathBuf,
    /// How to explore.
    #[command(flatten)]
    pub exploring: ExploringArguments,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &BookArguments) -> Result<ExitStatus, Problem> {
    // What can go wrong with files is found out before the exploration.
    let place = Place::new(&arguments.output)?;
    let present = if arguments.check { Some(place.read()?) } else { None };
    let evidence = match evidence::gather(arguments)? {
        Gathered::All(evidence) => evidence,
        Gathered::Stopped(stop) => {
            output::print(&format!("stopped ({stop}); {} is untouched\n", place.name()));
            return Ok(ExitStatus::Stopped);
        }
        Gathered::Unexpected(differences) => {
            let printed = output::print(&unexpected(&differences, &place));
            return Ok(ExitStatus::NotAsExpected.max(printed));
        }
    };
    let book = chapters::text(&evidence);
    match present {
        Some(present) => Ok(compare(&present, &book, &place)),
        None => Ok(write(&book, &place)),
    }
}

/// What is said if the book would contradict what the contracts and scenarios expect.
fn unexpected(differences: &[String], place: &Place) -> String {
    let list: String = differences.iter().map(|difference| format!("  {difference}\n")).collect();
    format!(
        "NOT AS EXPECTED\n{list}{} is untouched: its text rests on what is expected. `fencepost check` and `fencepost ask` tell more.\n",
        place.name()
    )
}

fn compare(present: &str, book: &str, place: &Place) -> ExitStatus {
    match file::first_difference(present, book) {
        None => output::print(&format!("{} is up to date.\n", place.name())),
        Some(difference) => {
            let printed = output::print(&format!("{} is stale. {difference}", place.name()));
            ExitStatus::NotAsExpected.max(printed)
        }
    }
}

fn write(book: &str, place: &Place) -> ExitStatus {
    match place.write(book) {
        Ok(()) => {
            let lines = output::counted(book.lines().count(), "line");
            output::print(&format!("{} is written: {lines}.\n", place.name()))
        }
        Err(error) => {
            eprintln!("error: {} cannot be written: {error}; it is untouched", place.name());
            ExitStatus::Stopped
        }
    }
}
