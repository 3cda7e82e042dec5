//! `fencepost ask`: scenarios, and what each contract makes of them.

pub mod answer;
mod expectation;
mod json;
mod table;
mod telling;
mod text;

use clap::Args;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::fence::Fence;
use fencepost_spec::scenario::Scenario;

use crate::exit::ExitStatus;
use crate::exploring::{ExploringArguments, terminal_progress};
use crate::output::{self, Format};
use crate::{interrupt, select};

use answer::{AskOptions, AskResult, ask};

pub use telling::BrokenClause;

const AFTER_HELP: &str = "A scenario brings its own bounds, so that --bounds changes nothing here. \
    docs/scenarios.md tells how to write one.";

/// The arguments of `fencepost ask`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct AskArguments {
    /// Scenarios by name or file (ends in .toml or has a slash) [default: all that are built in]
    #[arg(value_name = "NAME|FILE.toml")]
    pub scenarios: Vec<String>,
    /// Ask this contract, by name or file (may be repeated) [default: all that are built in]
    #[arg(long = "contract", value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// Remove a fence from every contract; answers are then shown, not judged (may be repeated)
    #[arg(long = "without", value_name = "FENCE")]
    pub without: Vec<String>,
    /// Tell the shortest story of every answer, whole
    #[arg(long)]
    pub story: bool,
    /// How to explore.
    #[command(flatten)]
    pub exploring: ExploringArguments,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Everything that a report tells.
struct Report {
    scenarios: Vec<Asked>,
    /// Fences that were removed.
    removed: Vec<Fence>,
    /// Remarks about the input.
    remarks: Vec<String>,
    /// Whether the stories are told, whole.
    stories: bool,
}

/// A scenario and the answers of the contracts.
struct Asked {
    scenario: Scenario,
    results: Vec<AskResult>,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &AskArguments) -> Result<ExitStatus, Problem> {
    let scenarios = select::scenarios(&arguments.scenarios)?;
    let mut contracts = select::contracts(&arguments.contracts, "ask")?;
    let removed = arguments.without.iter().map(|name| select::fence(name)).collect::<Result<Vec<_>, _>>()?;
    let remarks = select::remove_fences(&mut contracts, &removed)?;
    let options = AskOptions {
        engine: arguments.exploring.engine,
        threads: arguments.exploring.threads(),
        budget: &arguments.exploring.budget(interrupt::flag()?),
        progress: &terminal_progress,
    };
    let asked = |scenario: Scenario| {
        let results = contracts.iter().map(|contract| ask(&scenario, contract, &options)).collect();
        Asked { scenario, results }
    };
    let scenarios = scenarios.into_iter().map(asked).collect();
    let report = Report { scenarios, removed, remarks, stories: arguments.story };
    let printed = output::print(&match arguments.format {
        Format::Text => text::report(&report),
        Format::Json => output::json(&json::report(&report)),
    });
    Ok(report.status().max(printed))
}

impl Report {
    /// Every answer with its scenario.
    fn results(&self) -> impl Iterator<Item = (&Scenario, &AskResult)> {
        self.scenarios.iter().flat_map(|asked| asked.results.iter().map(|result| (&asked.scenario, result)))
    }

    /// How many answers are like this.
    fn count(&self, is_like_this: impl Fn(&Scenario, &AskResult) -> bool) -> usize {
        self.results().filter(|(scenario, result)| is_like_this(scenario, result)).count()
    }

    /// How an answer differs from what the scenario expects; where a fence was removed, nothing is compared.
    fn unexpected(&self, scenario: &Scenario, result: &AskResult) -> Vec<String> {
        if self.is_changed() { Vec::new() } else { expectation::unexpected(scenario, result) }
    }

    /// Whether fences were removed.
    fn is_changed(&self) -> bool {
        !self.removed.is_empty()
    }

    fn status(&self) -> ExitStatus {
        let status = |(scenario, result): (&Scenario, &AskResult)| {
            if !self.unexpected(scenario, result).is_empty() {
                ExitStatus::NotAsExpected
            } else if result.stopped.is_some() {
                ExitStatus::Stopped
            } else {
                ExitStatus::AsExpected
            }
        };
        self.results().map(status).max().unwrap_or(ExitStatus::AsExpected)
    }
}
