//! `fencepost check`: every clause of every contract, explored exhaustively and compared with what the contract expects.

mod json;
mod margins;
mod sections;
mod stories;
mod table;
mod text;

use clap::Args;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::fence::Fence;

use crate::exit::ExitStatus;
use crate::expectation::{Unexpected, unexpected};
use crate::exploring::{ExploringArguments, terminal_progress};
use crate::margins::Margin;
use crate::output::{self, Format};
use crate::run::{ContractResult, RunOptions, run_contract};
use crate::vacuity::{self, Vacuity};
use crate::{interrupt, select};

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
    /// How to explore.
    #[command(flatten)]
    pub exploring: ExploringArguments,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Everything that a report tells.
struct Report {
    results: Vec<ContractResult>,
    /// Fences that were removed.
    removed: Vec<Fence>,
    /// Remarks about the input.
    remarks: Vec<String>,
    stories: Vec<StoryRequest>,
    /// The margins, if they are wanted.
    margins: Option<Vec<Margin>>,
}

/// What is not as expected about one contract.
struct Judged<'a> {
    unexpected: Vec<Unexpected<'a>>,
    /// `None` if it was not judged.
    vacuity: Option<Vacuity>,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &CheckArguments) -> Result<ExitStatus, Problem> {
    let mut contracts = select::contracts(&arguments.contracts)?;
    let views = arguments.views.iter().map(|name| select::view(name)).collect::<Result<Vec<_>, _>>()?;
    let stories = stories::requests(&arguments.stories, &views)?;
    let removed = arguments.without.iter().map(|name| select::fence(name)).collect::<Result<Vec<_>, _>>()?;
    let remarks = select::remove_fences(&mut contracts, &removed)?;
    let options = RunOptions {
        bounds: arguments.exploring.bounds,
        views: (!views.is_empty()).then_some(&views),
        threads: arguments.exploring.threads(),
        engine: arguments.exploring.engine,
        budget: &arguments.exploring.budget(interrupt::flag()?),
        progress: &terminal_progress,
    };
    let results: Vec<ContractResult> = contracts.into_iter().map(|contract| run_contract(contract, &options)).collect();
    let margins = arguments.margins.then(|| crate::margins::margins(&results, &options));
    let report = Report { results, removed, remarks, stories, margins };
    let printed = output::print(&match arguments.format {
        Format::Text => text::report(&report),
        Format::Json => output::json(&json::report(&report)),
    });
    Ok(report.status().max(printed))
}

impl Report {
    /// Compares one contract with what it expects; where a fence was removed, nothing is compared.
    fn judge<'a>(&self, result: &'a ContractResult) -> Judged<'a> {
        if self.is_changed() {
            return Judged { unexpected: Vec::new(), vacuity: None };
        }
        Judged { unexpected: unexpected(result), vacuity: vacuity::judge(result) }
    }

    /// Whether fences were removed.
    fn is_changed(&self) -> bool {
        !self.removed.is_empty()
    }

    fn status(&self) -> ExitStatus {
        let status = |result: &ContractResult| {
            if !self.judge(result).is_clean() {
                ExitStatus::NotAsExpected
            } else if result.stopped().is_some() {
                ExitStatus::Stopped
            } else {
                ExitStatus::AsExpected
            }
        };
        let of_margin = |margin: &Margin| match margin.stopped() {
            _ if margin.is_failure() => ExitStatus::NotAsExpected,
            Some(_) => ExitStatus::Stopped,
            None => ExitStatus::AsExpected,
        };
        let of_margins = self.margins.iter().flatten().map(of_margin);
        self.results.iter().map(status).chain(of_margins).max().unwrap_or(ExitStatus::AsExpected)
    }
}

impl Judged<'_> {
    fn is_clean(&self) -> bool {
        self.unexpected.is_empty() && self.vacuity.as_ref().is_none_or(Vacuity::is_clean)
    }
}
