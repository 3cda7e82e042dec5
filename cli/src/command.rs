//! The subcommands.

use clap::{Parser, Subcommand};
use fencepost_spec::diagnostic::Problem;

use crate::ask::{self, AskArguments};
use crate::book::{self, BookArguments};
use crate::check::{self, CheckArguments};
use crate::driver_test::{self, DriverTestArguments};
use crate::exit::ExitStatus;
use crate::exploring::ExploringArguments;
use crate::follow::{self, FollowArguments};
use crate::kill_matrix::{self, KillMatrixArguments};
use crate::replay::{self, ReplayArguments};
use crate::traces::{self, TracesArguments};

/// What the user typed.
#[derive(Debug, Parser)]
#[command(name = "fencepost", version, about = ABOUT, after_help = AFTER_HELP, max_term_width = 120)]
pub struct CommandLine {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

const ABOUT: &str = "The executable specification of how a message broker fences polls and consumer offsets";

const AFTER_HELP: &str =
    "Exit codes, strongest first: 2 bad input, 1 not as expected, 3 stopped before the end, 0 as expected.";

/// One of the subcommands. Each has its arguments and its `run` in its own file.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore contracts exhaustively and compare the verdict of every clause with what each contract expects
    Check(CheckArguments),
    /// Ask contracts about scenarios: is it possible, what does each client get, what breaks?
    Ask(AskArguments),
    /// Judge transcripts of an implementation: could one that obeys a contract have answered like this?
    Follow(FollowArguments),
    /// Move an implementation along traces of the explored model, and tell where it leaves the contract
    Replay(Box<ReplayArguments>),
    /// Write the traces of a replay to files, as JSON Lines or ITF
    Traces(TracesArguments),
    /// Plant faults in the reference partition, and tell which trace catches each: does the suite have teeth?
    KillMatrix(KillMatrixArguments),
    /// Try a driver: does it keep to the protocol, before anybody blames the broker behind it?
    DriverTest(DriverTestArguments),
    /// Write the specification as a document, or check that it is up to date
    Book(BookArguments),
}

impl CommandLine {
    /// Does what was asked; a problem with the input is printed here.
    pub fn run(&self) -> ExitStatus {
        self.command.run().unwrap_or_else(|problem| {
            eprintln!("{problem}");
            ExitStatus::BadInput
        })
    }
}

impl Command {
    fn run(&self) -> Result<ExitStatus, Problem> {
        let exploring = match self {
            Self::Ask(AskArguments { exploring, .. })
            | Self::Traces(TracesArguments { exploring, .. })
            | Self::Book(BookArguments { exploring, .. }) => Some(exploring),
            Self::Replay(arguments) => Some(&arguments.exploring),
            Self::Check(_) | Self::Follow(_) | Self::KillMatrix(_) | Self::DriverTest(_) => None,
        };
        exploring.map_or(Ok(()), ExploringArguments::demand_one_process)?;
        match self {
            Self::Check(arguments) => check::run(arguments),
            Self::Ask(arguments) => ask::run(arguments),
            Self::Follow(arguments) => follow::run(arguments),
            Self::Replay(arguments) => replay::run(arguments),
            Self::Traces(arguments) => traces::run(arguments),
            Self::KillMatrix(arguments) => kill_matrix::run(arguments),
            Self::DriverTest(arguments) => driver_test::run(arguments),
            Self::Book(arguments) => book::run(arguments),
        }
    }
}
