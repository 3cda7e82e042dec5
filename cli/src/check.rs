//! `fencepost check`: every clause of every contract, explored exhaustively and compared with what the contract expects.

mod json;
mod margins;
mod plan;
mod sections;
mod stories;
mod symmetry;
mod table;
mod text;

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use fencepost_checker::engine::{Quiet, Stop};
use fencepost_models::family::ModelledFamily;
use fencepost_spec::diagnostic::Problem;

use crate::distribute::{DistributeArguments, Distribution};
use crate::exit::ExitStatus;
use crate::expectation::{Unexpected, unexpected};
use crate::exploring::{ExploringArguments, terminal_progress};
use crate::grow;
use crate::interrupt;
use crate::margins::Margin;
use crate::output::{self, Format};
use crate::resume::{NotKept, Resume};
use crate::run::{ContractResult, RunOptions};
use crate::vacuity::{self, Vacuity};

use plan::Plans;
use stories::StoryRequest;

/// The arguments of `fencepost check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArguments {
    /// Contracts by name or file (ends in .toml or has a slash) [default: all that are built in]
    #[arg(value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// Explore this view only (may be repeated)
    #[arg(long = "view", value_name = "NAME")]
    pub views: Vec<String>,
    /// Tell the whole story of a clause: the shortest violation, or else the shortest witness (may be repeated)
    #[arg(long = "story", value_name = "CLAUSE[@VIEW]")]
    pub stories: Vec<String>,
    /// Remove a fence from every checked contract; verdicts are then shown, not judged (may be repeated)
    #[arg(long = "without", value_name = "FENCE")]
    pub without: Vec<String>,
    /// Tell for each clause whose mutants change a checked contract how far the bounds go beyond the stories of the mutants
    #[arg(long, conflicts_with_all = ["views", "without"])]
    pub margins: bool,
    /// Raise the bounds of each view step by step for so many seconds, and tell how far every verdict is exhaustive, and the growth
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["stories", "without", "margins", "bounds", "max_time"])]
    pub grow: Option<NonZeroU64>,
    /// Keep what is explored in this folder, and go on from what is there: the same command, ended by Ctrl-C or killed, and given
    /// again, reports as if it had not been ended. Takes 20 to 30 bytes a state
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["margins", "grow"])]
    pub resume: Option<PathBuf>,
    /// Explore of the states that differ only by which of several like actors is which one only: the same verdicts, and stories as short
    #[arg(long, conflicts_with_all = ["margins", "grow", "resume"])]
    pub symmetry: bool,
    /// How to explore.
    #[command(flatten)]
    pub exploring: ExploringArguments,
    /// Where to explore.
    #[command(flatten)]
    pub distribute: DistributeArguments,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What a report tells about one family.
struct Report<F: ModelledFamily> {
    results: Vec<ContractResult<F>>,
    /// Fences that were removed.
    removed: Vec<F::Fence>,
    /// Remarks about the input.
    remarks: Vec<String>,
    stories: Vec<StoryRequest<F>>,
    /// The margins, if they are wanted.
    margins: Option<Vec<Margin<F>>>,
}

/// A form of what a report tells about one family.
trait Rendering {
    /// Brings a report into the form.
    fn of<F: ModelledFamily>(report: &Report<F>) -> Self;
}

/// The part of a report that is about one family.
struct Part<R> {
    /// The word for the family.
    family: &'static str,
    /// What is told; nothing, if the family has none of the wanted views.
    content: Option<R>,
    tally: Tally,
}

/// What a report comes to.
#[derive(Default)]
struct Tally {
    /// Verdicts that are not as expected.
    unexpected: usize,
    /// Actions and outcomes that never happened, or happened though they are called impossible.
    vacuous: usize,
    /// Mutants that no view catches.
    uncaught: usize,
    /// Why the first exploration that ended early did so.
    stopped: Option<Stop>,
    /// Whether fences were removed from some contracts.
    is_changed: bool,
    /// Whether some contracts were compared with what they expect.
    is_compared: bool,
}

/// What is not as expected about one contract.
struct Judged<'a, F: ModelledFamily> {
    unexpected: Vec<Unexpected<'a, F>>,
    /// `None` if it was not judged.
    vacuity: Option<Vacuity>,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &CheckArguments) -> Result<ExitStatus, Problem> {
    let mut plans = Plans::of(arguments)?;
    let without = std::mem::take(&mut plans.without);
    let resume = arguments.resume.as_deref().map(|folder| Resume::new(folder, &arguments.exploring)).transpose()?;
    // Before Ctrl-C is handled: while processes wait for each other it ends them at once.
    let distribution = Distribution::of(&arguments.distribute, &arguments.exploring)?;
    let interrupt = interrupt::flag()?;
    let reports = distribution.as_ref().is_none_or(Distribution::reports);
    let options = RunOptions {
        bounds: arguments.exploring.bounds,
        views: None,
        threads: arguments.exploring.threads(),
        engine: arguments.exploring.engine,
        symmetry: arguments.symmetry,
        cluster: distribution.as_ref().map(Distribution::cluster),
        budget: &arguments.exploring.budget_of(arguments.grow.or(arguments.exploring.max_time), interrupt),
        progress: if reports { &terminal_progress } else { &|_, _| Box::new(Quiet) },
    };
    let (report, status) = if arguments.grow.is_some() {
        let growths = plans.grow(&options);
        (grow::report(&growths, arguments.format), grow::status(&growths))
    } else {
        match reported(plans, without, arguments.format, &options, resume.as_ref()) {
            Ok((report, tally)) => (report, tally.status()),
            Err(not_kept) => return not_kept.status(),
        }
    };
    if let Some(status) = distribution.as_ref().and_then(Distribution::loss) {
        return Ok(status);
    }
    if let Some(distribution) = distribution {
        distribution.end();
    }
    let printed = if reports { output::print(&report) } else { ExitStatus::AsExpected };
    Ok(status.max(printed))
}

/// Explores everything; the report, and what it comes to.
fn reported(
    plans: Plans,
    without: Vec<&'static str>,
    format: Format,
    options: &RunOptions<'_>,
    resume: Option<&Resume>,
) -> Result<(String, Tally), NotKept> {
    Ok(match format {
        Format::Text => {
            let parts = plans.parts(options, resume)?;
            let tally = Tally::of(&parts);
            (text::report(&parts, &tally), tally)
        }
        Format::Json => {
            let parts = plans.parts(options, resume)?;
            let tally = Tally::of(&parts);
            (output::json(&json::report(without, parts)), tally)
        }
    })
}

impl<F: ModelledFamily> Report<F> {
    /// Compares one contract with what it expects; where a fence was removed, nothing is compared.
    fn judge<'a>(&self, result: &'a ContractResult<F>) -> Judged<'a, F> {
        if self.is_changed() {
            return Judged { unexpected: Vec::new(), vacuity: None };
        }
        Judged { unexpected: unexpected(result), vacuity: vacuity::judge(result) }
    }

    /// Whether fences were removed.
    fn is_changed(&self) -> bool {
        !self.removed.is_empty()
    }

    /// What it comes to.
    fn tally(&self) -> Tally {
        let judged: Vec<Judged<'_, F>> = self.results.iter().map(|result| self.judge(result)).collect();
        let vacuities = judged.iter().filter_map(|judged| judged.vacuity.as_ref());
        let margins = || self.margins.iter().flatten();
        let stopped = self.results.iter().find_map(ContractResult::stopped);
        Tally {
            unexpected: judged.iter().map(|judged| judged.unexpected.len()).sum(),
            vacuous: vacuities.map(|it| it.never_happened.len() + it.happened_though_impossible.len()).sum(),
            uncaught: margins().filter(|margin| margin.is_failure()).count(),
            stopped: stopped.or_else(|| margins().find_map(Margin::stopped)),
            is_changed: self.is_changed(),
            is_compared: !self.is_changed(),
        }
    }
}

impl Tally {
    /// What all parts come to.
    fn of<R>(parts: &[Part<R>]) -> Self {
        parts.iter().fold(Self::default(), |sum, Part { tally, .. }| Self {
            unexpected: sum.unexpected + tally.unexpected,
            vacuous: sum.vacuous + tally.vacuous,
            uncaught: sum.uncaught + tally.uncaught,
            stopped: sum.stopped.or(tally.stopped),
            is_changed: sum.is_changed || tally.is_changed,
            is_compared: sum.is_compared || tally.is_compared,
        })
    }

    fn status(&self) -> ExitStatus {
        match (self.unexpected + self.vacuous + self.uncaught, self.stopped) {
            (0, None) => ExitStatus::AsExpected,
            (0, Some(_)) => ExitStatus::Stopped,
            _ => ExitStatus::NotAsExpected,
        }
    }
}
