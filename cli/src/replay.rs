//! `fencepost replay`: does an implementation obey a contract? It is moved along traces of the explored model.

pub(crate) mod choose;
pub(crate) mod images;
mod json;
mod kafkajs;
mod resume;
mod shipped;
mod subject;
mod text;

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use fencepost_conformance::replay::atlas::Coverage;
use fencepost_conformance::replay::audit::Audit;
use fencepost_conformance::replay::record::server_recording;
use fencepost_conformance::replay::runner;
use fencepost_conformance::replay::session::{Replayed, Session, Way};
use fencepost_conformance::replay::trace::Ending;
use fencepost_driver::{Field, Fields};
use fencepost_models::iggy::abstraction::selection::AbstractStep;
use fencepost_models::iggy::views::{View, views};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::Family;
use fencepost_spec::kafkajs::KafkaJs;

use crate::exit::ExitStatus;
use crate::exploring::{Budget, ExploringArguments};
use crate::output;
use crate::{interrupt, select, whole_file};
use choose::{Choice, Chosen, Wanted, choose};
use resume::{DoneWays, Shard};
use subject::Driver;

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
    /// The driver: builtin:reference, builtin:reference+FAULT, a shipped one (iggy, iggy-edge-9, kafkajs; its arguments may
    /// follow), or a command line
    #[arg(long, value_name = "DRIVER")]
    pub driver: String,
    /// The contract, by name or file (may be repeated) [default: the one that the driver is made for, else all]
    #[arg(long = "contract", value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// Only this view (may be repeated)
    #[arg(long = "view", value_name = "VIEW")]
    pub views: Vec<String>,
    /// Which traces: abstract, labels, label-pairs, transitions, orders or random [default: abstract; orders for a driver that holds back
    /// nothing but requests]
    #[arg(long, value_name = "COVER")]
    pub cover: Option<Choice>,
    /// For `--cover random`: where the sequence of random numbers starts
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// For `--cover orders` and `random`: how many ways of each view
    #[arg(long, value_name = "NUMBER", default_value_t = 300)]
    pub ways: usize,
    /// Only a part of the ways: 1/4 is the first of four parts
    #[arg(long, value_name = "PART/PARTS")]
    pub shard: Option<Shard>,
    /// Go on where the run that wrote this file was ended; the file is made, or written anew, at the end
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
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
    /// Write what was seen of each divergence of a server, or of kafkajs, to this folder, as a recording that `fencepost follow` reads
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
    /// Power loss at every moment
    #[command(flatten)]
    pub images: images::ImageArguments,
    /// The npm package kafkajs
    #[command(flatten)]
    pub kafkajs: kafkajs::KafkaJsArguments,
    /// How to explore
    #[command(flatten)]
    pub exploring: ExploringArguments,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = ReplayFormat::Text)]
    pub format: ReplayFormat,
}

/// The form of a report about replaying.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReplayFormat {
    /// For people, on a terminal.
    Text,
    /// For an issue: each divergence with its story as a diagram, and a test to paste.
    Markdown,
    /// For programs.
    Json,
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

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input, or with a driver that cannot be used.
pub fn run(arguments: &ReplayArguments) -> Result<ExitStatus, Problem> {
    if shipped::named(&arguments.driver).is_some_and(|driver| driver.family == KafkaJs::NAME) {
        return kafkajs::run(arguments);
    }
    if let Some(given) = arguments.kafkajs.given() {
        return Err(Problem::new(format!("`{given}` is for `--driver kafkajs`")));
    }
    let usual = subject::usual_contracts(&arguments.driver);
    let named = if arguments.contracts.is_empty() { &usual } else { &arguments.contracts };
    let contracts = select::contracts(named, "replay")?;
    let wanted = arguments.views.iter().map(|name| select::view(name)).collect::<Result<Vec<_>, _>>()?;
    let driver = Driver::named(&arguments.driver, arguments.step_time)?;
    let interrupt = interrupt::flag()?;
    let budget = arguments.exploring.budget(Arc::clone(&interrupt));
    if let Some(policies) = &arguments.images.images {
        let fault = driver.reference_fault().ok_or_else(|| {
            Problem::new(format!("the driver `{}` does not say what a power loss would leave", arguments.driver))
                .with_help("--images is for builtin:reference")
        })?;
        let command = images::ImageCommand { arguments, fault, wanted: &wanted, interrupt, budget: &budget };
        return command.run(&contracts, policies);
    }
    let cover = arguments.cover.map_or_else(|| driver.usual_cover(), Ok);
    let cover = cover.map_err(|failure| unusable(&arguments.driver, &failure))?;
    let done = RefCell::new(DoneWays::read(arguments.resume.as_deref())?);
    let replay = Replay { arguments, driver, cover, wanted, interrupt, budget, done };
    let mut results = Vec::new();
    for contract in &contracts {
        results.push(replay.contract(contract)?);
        if results.iter().any(|result| result.end_of_driver().is_some()) {
            break;
        }
    }
    if let Some(file) = &arguments.resume {
        replay.done.borrow().write(file)?;
    }
    if let Some(folder) = &arguments.record {
        write_recordings(folder, &results)?;
    }
    let printed = output::print(&match arguments.format {
        ReplayFormat::Text => text::report(replay.cover, &results),
        ReplayFormat::Markdown => text::markdown(replay.cover, &results),
        ReplayFormat::Json => output::json(&json::report(arguments, replay.cover, &results)),
    });
    if let Some(end) = results.iter().find_map(ContractReplay::end_of_driver) {
        eprintln!("{}", unusable(&arguments.driver, &end));
    }
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
    done: RefCell<DoneWays>,
}

impl Replay<'_> {
    fn contract(&self, contract: &Contract) -> Result<ContractReplay, Problem> {
        let mut result =
            ContractReplay { contract: contract.name.clone(), views: Vec::new(), coverage: Coverage::default() };
        let mut shown = HashSet::new();
        let all = views(self.arguments.exploring.bounds, &contract.choices);
        for view in all.iter().filter(|view| self.wanted.is_empty() || self.wanted.contains(&view.name)) {
            result.views.push(self.view(contract, view, &mut shown, &mut result.coverage)?);
            if result.end_of_driver().is_some() {
                break;
            }
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
        let wanted = Wanted {
            cover: self.cover,
            seed: self.arguments.seed,
            ways: self.arguments.ways,
            threads: self.arguments.exploring.threads(),
            limits: self.budget.limits(),
        };
        let Chosen { atlas, ways } = choose(contract, view, &wanted, shown);
        let name = format!("{}@{}", contract.name, view.name);
        let left = self.done.borrow().left(&name, &ways, self.arguments.shard);
        let explored_seconds = started.elapsed().as_secs_f64();
        let replayed = self.replay(contract, view, &left.ways)?;
        self.done.borrow_mut().add(&name, &left, &replayed.walked);
        let replayed = left.spread(replayed);
        if let Some(atlas) = &atlas {
            atlas.add_to(coverage, &replayed);
        }
        Ok(ViewReplay { view: view.name, explored_seconds, replayed })
    }

    fn replay(&self, contract: &Contract, view: &View, ways: &[Way]) -> Result<Replayed, Problem> {
        let command = format!(
            "fencepost replay --driver '{}' --contract {} --view {} --bounds {} --cover {}",
            self.arguments.driver, contract.name, view.name, self.arguments.exploring.bounds, self.cover
        );
        let bar = subject::progress(&contract.name, view.name, ways.len());
        let driver = &self.driver;
        let make = || driver.start();
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

/// Writes a recording of each divergence that the format has words for.
fn write_recordings(folder: &Path, results: &[ContractReplay]) -> Result<(), Problem> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Problem::new(format!("cannot make the folder `{}`: {error}", folder.display())))?;
    let divergences = results.iter().flat_map(|result| &result.views).flat_map(|view| &view.replayed.divergences);
    for (index, divergence) in divergences.enumerate() {
        let Some(text) = server_recording(&divergence.world, &divergence.found.transcript) else { continue };
        let file = folder.join(format!("{}-{}-{}.jsonl", divergence.contract, divergence.view, index + 1));
        whole_file::replace(&file, &text)
            .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", file.display())))?;
    }
    Ok(())
}

fn unusable(driver: &str, failure: &dyn std::fmt::Display) -> Problem {
    Problem::new(format!("the driver `{driver}` cannot be used: {failure}"))
        .with_help("fencepost driver-test tells what is wrong with a driver")
}

/// What comes after each way: the three probes.
pub(crate) const ENDINGS: &[Ending] = &[Ending::CrashNow, Ending::SettleAndCrash, Ending::FinishAndCrash];

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
    /// What ended the driver, or made it unusable, if something did: then nothing more can be tried with it.
    fn end_of_driver(&self) -> Option<String> {
        let differences = self.views.iter().flat_map(|view| &view.replayed.divergences).map(|it| it.found.first());
        let mut ends = differences.filter(|first| first.kind.is_of_the_driver());
        ends.next().map(|first| first.seen.clone())
    }

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
