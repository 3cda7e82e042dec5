//! `fencepost ask`: scenarios, and what each contract makes of them.

pub mod answer;
mod expectation;
mod family;
mod iggy;
mod json;
mod kafkajs;
mod plan;
mod table;
mod telling;
mod text;

use clap::Args;
use fencepost_checker::engine::Stop;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::Iggy;
use fencepost_spec::kafkajs::KafkaJs;

use crate::exit::ExitStatus;
use crate::exploring::{ExploringArguments, terminal_progress};
use crate::interrupt;
use crate::output::{self, Format};

use answer::{AskOptions, AskResult};
use plan::Plans;

pub use family::{Askable, Expected, Found, Head};
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
    /// Ask this contract, by name or file (may be repeated) [default: all that are built in; each is asked about the scenarios of its family]
    #[arg(long = "contract", value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// Remove a fence from every contract of its family; their answers are then shown, not judged (may be repeated)
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

/// Everything that a report tells about one family.
struct Report<F: Askable> {
    scenarios: Vec<Asked<F>>,
    /// Fences that were removed.
    removed: Vec<F::Fence>,
    /// Remarks about the input.
    remarks: Vec<String>,
}

/// A scenario and the answers of the contracts.
struct Asked<F: Askable> {
    scenario: F::Scenario,
    results: Vec<AskResult<F::Clause>>,
}

/// The reports about all families; those of which nothing is asked are empty.
struct Reports {
    iggy: Report<Iggy>,
    kafkajs: Report<KafkaJs>,
    /// The fences that were removed, as they were named.
    without: Vec<&'static str>,
    /// Whether the stories are told, whole.
    stories: bool,
}

/// What reports come to.
#[derive(Default)]
struct Tally {
    /// Answers that are not as expected.
    unexpected: usize,
    /// Answers that were compared.
    compared: usize,
    /// Why the first exploration that ended early did so.
    stopped: Option<Stop>,
    /// Whether fences were removed from some contracts.
    is_changed: bool,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &AskArguments) -> Result<ExitStatus, Problem> {
    let plans = Plans::of(arguments)?;
    let options = AskOptions {
        engine: arguments.exploring.engine,
        threads: arguments.exploring.threads(),
        budget: &arguments.exploring.budget(interrupt::flag()?),
        progress: &terminal_progress,
    };
    let reports = plans.reports(&options, arguments.story);
    let printed = output::print(&match arguments.format {
        Format::Text => text::report(&reports),
        Format::Json => output::json(&json::report(&reports)),
    });
    Ok(reports.tally().status().max(printed))
}

impl<F: Askable> Report<F> {
    /// Every answer with its scenario.
    fn results(&self) -> impl Iterator<Item = (&F::Scenario, &AskResult<F::Clause>)> {
        self.scenarios.iter().flat_map(|asked| asked.results.iter().map(|result| (&asked.scenario, result)))
    }

    /// How an answer differs from what the scenario expects; where a fence was removed, nothing is compared.
    fn unexpected(&self, scenario: &F::Scenario, result: &AskResult<F::Clause>) -> Vec<String> {
        let is_changed = !self.removed.is_empty();
        if is_changed { Vec::new() } else { expectation::unexpected::<F>(scenario, result) }
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally { is_changed: !self.removed.is_empty(), ..Tally::default() };
        for (scenario, result) in self.results() {
            let is_compared = !tally.is_changed && F::expected(scenario, &result.contract).is_some();
            tally.compared += usize::from(is_compared);
            tally.unexpected += usize::from(!self.unexpected(scenario, result).is_empty());
            tally.stopped = tally.stopped.or(result.stopped);
        }
        tally
    }
}

impl Reports {
    /// What all of it comes to.
    fn tally(&self) -> Tally {
        let (iggy, kafkajs) = (self.iggy.tally(), self.kafkajs.tally());
        Tally {
            unexpected: iggy.unexpected + kafkajs.unexpected,
            compared: iggy.compared + kafkajs.compared,
            stopped: iggy.stopped.or(kafkajs.stopped),
            is_changed: iggy.is_changed || kafkajs.is_changed,
        }
    }
}

impl Tally {
    fn status(&self) -> ExitStatus {
        match (self.unexpected, self.stopped) {
            (0, None) => ExitStatus::AsExpected,
            (0, Some(_)) => ExitStatus::Stopped,
            _ => ExitStatus::NotAsExpected,
        }
    }
}
