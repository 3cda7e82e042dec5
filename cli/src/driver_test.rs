//! `fencepost driver-test`: does a driver keep to the protocol, before anybody blames the broker behind it?
//!
//! `checks` lists what is tried, each with a process of its own; `session` asks the questions, `script` knows what to ask for, `tour` finds
//! its way through a driver's calls and parks.

mod checks;
mod honesty;
mod json;
mod manners;
mod script;
mod session;
mod text;
mod tour;

use std::time::Duration;

use clap::Args;
use fencepost_conformance::child::{ChildCommand, ChildOptions};
use fencepost_driver::Capabilities;
use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;
use crate::output::{self, Format};
use crate::{interrupt, select};

/// The arguments of `fencepost driver-test`.
#[derive(Args, Clone, Debug)]
pub struct DriverTestArguments {
    /// The driver: a program and its arguments (no shell reads them)
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<String>,
    /// The contract that the driver is told to obey, by name or file
    #[arg(long, value_name = "CONTRACT|FILE.toml", default_value = "iggy-2026-08")]
    pub contract: String,
    /// How long the driver may take for one answer
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub step_limit: u64,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What came of one check.
enum Outcome {
    /// The driver did well; what was seen.
    Passed(String),
    /// It did not.
    Failed(Fault),
    /// Something before it failed, so that it makes no sense; or Ctrl-C came.
    NotTried,
}

/// What is wrong with a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    /// In one word: `hang`, `panic-or-exit`, `protocol`, `driver-error` as in a replay; or `capabilities`, `incomplete`, `parks`,
    /// `contradiction`, `nondeterministic`, `not-fresh`, `not-strict`, `farewell`.
    kind: &'static str,
    /// In one sentence.
    text: String,
}

impl Fault {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Everything that a report tells.
struct Report {
    command: String,
    capabilities: Option<Capabilities>,
    outcomes: Vec<(&'static str, Outcome)>,
    is_interrupted: bool,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`], if the driver cannot be started or the contract is not known.
pub fn run(arguments: &DriverTestArguments) -> Result<ExitStatus, Problem> {
    let Some(command) = ChildCommand::of_words(&arguments.command) else {
        return Err(Problem::new("there is no command"));
    };
    let contract = select::contract(&arguments.contract, "driver-test")?;
    let options = ChildOptions {
        step_limit: Duration::from_millis(arguments.step_limit),
        interrupt: interrupt::flag()?,
        ..ChildOptions::default()
    };
    let report = checks::report(&command, &options, &contract)?;
    let printed = output::print(&match arguments.format {
        Format::Text => text::report(&report),
        Format::Json => output::json(&json::report(&report)),
    });
    Ok(report.status().max(printed))
}

impl Report {
    fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.outcomes.iter().filter_map(|(_, outcome)| match outcome {
            Outcome::Failed(fault) => Some(fault),
            Outcome::Passed(_) | Outcome::NotTried => None,
        })
    }

    fn status(&self) -> ExitStatus {
        match (self.faults().next(), self.is_interrupted) {
            (Some(_), _) => ExitStatus::NotAsExpected,
            (None, true) => ExitStatus::Stopped,
            (None, false) => ExitStatus::AsExpected,
        }
    }
}
