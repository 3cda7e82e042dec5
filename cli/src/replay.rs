//! `fencepost replay`: does an implementation obey a contract? It is moved along traces of the explored model.

mod json;
mod subject;
mod text;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use fencepost_conformance::replay::atlas::{Atlas, CoverKind, Coverage};
use fencepost_conformance::replay::audit::Audit;
use fencepost_conformance::replay::orders;
use fencepost_conformance::replay::random::{Chance, way};
use fencepost_conformance::replay::runner;
use fencepost_conformance::replay::session::{Replayed, Session, Way};
use fencepost_conformance::replay::trace::Ending;
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{Failure, Field, Fields};
use fencepost_models::iggy::abstraction::selection::AbstractStep;
use fencepost_models::iggy::views::{View, views};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;
use crate::exploring::{Budget, ExploringArguments, terminal_progress};
use crate::output::{self, Format};
use crate::{interrupt, select};
use subject::Driver;

fencepost_spec::words! {
    /// Which traces are chosen.
    pub enum Choice {
        /// Every abstract transition: conditions of the clauses before and after, the action, the outcomes of its fences.
        Abstract = "abstract",
        /// Every action with the outcomes of its fences and what the clauses say of it.
        Labels = "labels",
        /// Every two of these that follow each other.
        LabelPairs = "label-pairs",
        /// Every order of the requests, at most one of them late: for drivers that hold back nothing but requests.
        Orders = "orders",
        /// Ways by chance, from a seed.
        Random = "random",
    }
}

fencepost_spec::words! {
    /// What is compared, as far as the driver sees it.
    pub enum Compared {
        /// Answers and everything that can be seen.
        Everything = "everything",
        /// Answers and what is in memory.
        Memory = "memory",
        /// What clients are answered.
        Answers = "answers",
    }
}

/// The arguments of `fencepost replay`.
#[derive(Args, Clone, Debug)]
pub struct ReplayArguments {
    /// The driver: `builtin:reference`, `builtin:reference+FAULT`, the name of a shipped driver, or a command line
    #[arg(long, value_name = "DRIVER")]
    pub driver: String,
    /// The contract, by name or file (may be repeated) [default: all that are built in]
    #[arg(long = "contract", value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// Only this view (may be repeated)
    #[arg(long = "view", value_name = "VIEW")]
    pub views: Vec<String>,
    /// Which traces: abstract, labels, label-pairs, orders or random [default: abstract; orders for a driver that holds back
    /// nothing but requests]
    #[arg(long, value_name = "COVER")]
    pub cover: Option<Choice>,
    /// For `--cover random`: where the sequence of random numbers starts
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// For `--cover orders` and `random`: how many ways of each view
    #[arg(long, value_name = "NUMBER", default_value_t = 300)]
    pub ways: usize,
    /// What is compared: everything, memory or answers
    #[arg(long, value_name = "WHAT", default_value = "everything")]
    pub compare: Compared,
    /// A differing code is a difference, even if it says the same to a client
    #[arg(long)]
    pub exact_codes: bool,
    /// Hold the implementation's inner places, and let them go on: eager, lazy or random
    #[arg(long, value_name = "ORDER")]
    pub audit: Option<Audit>,
    /// End a view after this many different divergences
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub most_divergences: usize,
    /// How long a driver may take for one step, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 5_000)]
    pub step_time: u64,
    /// How to explore
    #[command(flatten)]
    pub exploring: ExploringArguments,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// One view, replayed.
pub(crate) struct ViewReplay {
    pub(crate) view: &'static str,
    pub(crate) explored_seconds: f64,
    pub(crate) replayed: Replayed,
}

/// One contract, replayed.
pub(crate) struct ContractReplay {
    pub(crate) contract: String,
    pub(crate) views: Vec<ViewReplay>,
    pub(crate) coverage: Coverage,
}

/// The most steps of a way by chance.
const RANDOM_STEPS: usize = 60;

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input, or with a driver that cannot be used.
pub fn run(arguments: &ReplayArguments) -> Result<ExitStatus, Problem> {
    let contracts = select::contracts(&arguments.contracts)?;
    let wanted = arguments.views.iter().map(|name| select::view(name)).collect::<Result<Vec<_>, _>>()?;
    let driver = Driver::named(&arguments.driver, arguments.step_time)?;
    let interrupt = interrupt::flag()?;
    let budget = arguments.exploring.budget(Arc::clone(&interrupt));
    let cover = arguments.cover.map_or_else(|| driver.usual_cover(), Ok);
    let cover = cover.map_err(|failure| unusable(&arguments.driver, &failure))?;
    let replay = Replay { arguments, driver, cover, wanted, interrupt, budget };
    let mut results = Vec::new();
    for contract in &contracts {
        results.push(replay.contract(contract)?);
    }
    let printed = output::print(&match arguments.format {
        Format::Text => text::report(replay.cover, &results),
        Format::Json => output::json(&json::report(arguments, replay.cover, &results)),
    });
    Ok(results.iter().map(ContractReplay::status).max().unwrap_or(ExitStatus::AsExpected).max(printed))
}

/// What is replayed, and how.
struct Replay<'a> {
    arguments: &'a ReplayArguments,
    driver: Driver,
    cover: Choice,
    wanted: Vec<&'static str>,
    interrupt: Arc<AtomicBool>,
    budget: Budget,
}

impl Replay<'_> {
    fn contract(&self, contract: &Contract) -> Result<ContractReplay, Problem> {
        let mut result =
            ContractReplay { contract: contract.name.clone(), views: Vec::new(), coverage: Coverage::default() };
        let mut shown = HashSet::new();
        let all = views(self.arguments.exploring.bounds, &contract.choices);
        for view in all.iter().filter(|view| self.wanted.is_empty() || self.wanted.contains(&view.name)) {
            result.views.push(self.view(contract, view, &mut shown, &mut result.coverage)?);
        }
        Ok(result)
    }

    fn view(
        &self,
        contract: &Contract,
        view: &View,
        shown: &mut HashSet<AbstractStep>,
        coverage: &mut Coverage,
    ) -> Result<ViewReplay, Problem> {
        let started = std::time::Instant::now();
        let kind = match self.cover {
            Choice::Abstract => Some(CoverKind::Abstract),
            Choice::Labels => Some(CoverKind::Labels),
            Choice::LabelPairs => Some(CoverKind::LabelPairs),
            Choice::Orders | Choice::Random => None,
        };
        let progress = terminal_progress(&contract.name, view.name);
        let threads = self.arguments.exploring.threads();
        let limits = self.budget.limits();
        let atlas = kind.map(|kind| {
            Atlas::explore(&contract.choices, &view.bounds, kind, &limits, threads, &*progress, shown)
        });
        drop(progress);
        let ways = atlas.as_ref().map_or_else(|| self.without_atlas(contract, view), Atlas::ways);
        let explored_seconds = started.elapsed().as_secs_f64();
        let replayed = self.replay(contract, view, &ways)?;
        if let Some(atlas) = &atlas {
            atlas.add_to(coverage, &replayed);
        }
        Ok(ViewReplay { view: view.name, explored_seconds, replayed })
    }

    fn without_atlas(&self, contract: &Contract, view: &View) -> Vec<Way> {
        let walker = Walker::new(&contract.name, &contract.choices, &view.bounds);
        if self.cover == Choice::Orders {
            return orders::ways(&walker, self.arguments.ways);
        }
        let mut chance = Chance::new(self.arguments.seed);
        (0..self.arguments.ways).map(|_| way(&walker, &mut chance, RANDOM_STEPS)).collect()
    }

    fn replay(&self, contract: &Contract, view: &View, ways: &[Way]) -> Result<Replayed, Problem> {
        let command = format!(
            "fencepost replay --driver '{}' --contract {} --view {} --bounds {} --cover {}",
            self.arguments.driver, contract.name, view.name, self.arguments.exploring.bounds, self.cover
        );
        let bar = subject::progress(&contract.name, view.name, ways.len());
        let make = || self.driver.start();
        let session = Session {
            contract: &contract.name,
            choices: &contract.choices,
            view: view.name,
            bounds: &view.bounds,
            subject: &make,
            configured: None,
            compared: runner::Compared {
                fields: fields(self.arguments.compare),
                exact_codes: self.arguments.exact_codes,
            },
            endings: if self.cover == Choice::Orders { &ENDINGS[2..] } else { ENDINGS },
            audit: self.arguments.audit,
            threads: if self.driver.is_shared() { 1 } else { self.arguments.exploring.threads() },
            most_divergences: self.arguments.most_divergences,
            interrupt: Arc::clone(&self.interrupt),
            command: &command,
            progress: &|done| bar.set_position(done as u64),
        };
        let replayed = session.run(ways);
        bar.finish_and_clear();
        replayed.map_err(|failure| unusable(&self.arguments.driver, &failure))
    }
}

fn unusable(driver: &str, failure: &Failure) -> Problem {
    Problem::new(format!("the driver `{driver}` cannot be used: {failure}"))
        .with_help("fencepost driver-test tells what is wrong with a driver")
}

/// What comes after each way: the three probes.
const ENDINGS: &[Ending] = &[Ending::CrashNow, Ending::SettleAndCrash, Ending::FinishAndCrash];

fn fields(compared: Compared) -> Fields {
    match compared {
        Compared::Everything => Fields::all(),
        Compared::Answers => Fields::NONE,
        Compared::Memory => {
            let files = [Field::BookmarkFiles, Field::Unsynced];
            let memory = Field::ALL.iter().filter(|field| !files.contains(field));
            memory.fold(Fields::NONE, |fields, field| fields.with(*field))
        }
    }
}

impl ContractReplay {
    fn status(&self) -> ExitStatus {
        let status = |view: &ViewReplay| match &view.replayed {
            replayed if replayed.divergences.iter().any(|divergence| divergence.known.is_none()) => {
                ExitStatus::NotAsExpected
            }
            replayed if replayed.stopped.is_some() => ExitStatus::Stopped,
            _ => ExitStatus::AsExpected,
        };
        self.views.iter().map(status).max().unwrap_or(ExitStatus::AsExpected)
    }
}
