//! `fencepost replay --driver kafkajs`: the npm package, version by version.

mod arguments;
mod json;
mod page;
mod results;
mod target_replay;
mod targets;
mod tcp;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fencepost_conformance::child::ChildOptions;
use fencepost_conformance::kafkajs::blame::changed;
use fencepost_conformance::kafkajs::change::KafkaJsChange;
use fencepost_conformance::kafkajs::child::{Driver, DriverProblem, Target};
use fencepost_conformance::kafkajs::deviations::Deviation;
use fencepost_conformance::kafkajs::evidence::{self, Breach, Gathered};
use fencepost_conformance::kafkajs::graph::Graph;
use fencepost_conformance::kafkajs::session::Session;
use fencepost_conformance::kafkajs::ways::{self, Cover, Ways};
use fencepost_models::family::{ModelledFamily, View};
use fencepost_models::kafkajs::bounds::{Bounds, RoundCovers};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::Family;
use fencepost_spec::kafkajs::{Choices, KafkaJs};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::choose::Choice;
use super::shipped::{self, ShippedDriver};
use super::{ReplayArguments, ReplayFormat};
use crate::exit::ExitStatus;
use crate::select::{self, NameKind, Names};
use crate::{interrupt, output, whole_file};
use arguments::demand_use;
use target_replay::TargetReplay;
use targets::Chosen;

pub use arguments::KafkaJsArguments;

/// The name of the driver.
pub(super) const NAME: &str = "kafkajs";

/// Runs the command.
pub(super) fn run(arguments: &ReplayArguments) -> Result<ExitStatus, Problem> {
    let driver = match shipped::named(NAME) {
        Some(driver) => driver,
        None => unreachable!("the manifest of the driver is shipped"),
    };
    demand_use(arguments)?;
    if arguments.kafkajs.levels.contains(&tcp::LEVEL) {
        return tcp::run(arguments, &driver);
    }
    if let Some(given) = arguments.kafkajs.only_for_tcp() {
        return Err(Problem::new(given).with_help("say --level 3, or leave it away"));
    }
    let replay = Replay::new(arguments, &driver)?;
    let mut results = Vec::new();
    for chosen in targets::chosen(&driver, &arguments.kafkajs)? {
        results.extend(replay.target(&chosen)?);
    }
    let is_interrupted = replay.interrupt.load(Ordering::Relaxed);
    if let Some(last) = results.last_mut().filter(|_| is_interrupted) {
        last.is_cut = true;
    }
    if let Some(folder) = &arguments.kafkajs.scripts {
        write_files(folder, results.iter().flat_map(page::programs))?;
    }
    if let Some(folder) = &arguments.record {
        write_files(folder, results.iter().flat_map(page::recordings))?;
    }
    if let Some(file) = arguments.kafkajs.results.as_ref().filter(|_| !is_interrupted) {
        whole_file::replace(file, &results::page(&results))
            .map_err(|error| Problem::new(format!("`{}` cannot be written: {error}", file.display())))?;
    }
    let strict = arguments.kafkajs.strict;
    let printed = output::print(&match arguments.format {
        ReplayFormat::Text => text::report(&results, strict),
        ReplayFormat::Markdown => text::markdown(&results, strict),
        ReplayFormat::Json => output::json(&json::report(&results, arguments)),
    });
    let begun = if is_interrupted { ExitStatus::Stopped } else { ExitStatus::AsExpected };
    Ok(results.iter().map(|result| result.status(strict)).fold(begun, ExitStatus::max).max(printed))
}

struct Replay<'a> {
    arguments: &'a ReplayArguments,
    program: String,
    driver: &'a ShippedDriver,
    contracts: Vec<Contract<KafkaJs>>,
    views: Vec<&'static str>,
    cover: Cover,
    deviations: Vec<Deviation>,
    options: ChildOptions,
    interrupt: Arc<AtomicBool>,
    /// What was explored already: most versions are replayed in the same contracts.
    ways: RefCell<HashMap<String, Arc<Ways>>>,
    breaches: RefCell<HashMap<String, Arc<Vec<Breach>>>>,
}

impl<'a> Replay<'a> {
    fn new(arguments: &'a ReplayArguments, driver: &'a ShippedDriver) -> Result<Self, Problem> {
        let named =
            if arguments.contracts.is_empty() { vec![driver.contract.clone()] } else { arguments.contracts.clone() };
        let contracts = contracts(&named)?;
        let names = [Names::of::<KafkaJs>()];
        let view = |name: &String| select::among(NameKind::View, name, &names);
        let views = arguments.views.iter().map(view).collect::<Result<Vec<_>, _>>()?;
        let cover = match arguments.cover {
            None | Some(Choice::Abstract) => Cover::Abstract,
            Some(Choice::Transitions) => Cover::Reactions,
            Some(other) => {
                return Err(Problem::new(format!("`--driver kafkajs` has no `--cover {other}`")).with_help(
                    "accepted: abstract (every abstract reaction of the consumer), transitions (every reaction)",
                ));
            }
        };
        let interrupt = interrupt::flag()?;
        let options = ChildOptions { interrupt: Arc::clone(&interrupt), ..ChildOptions::default() };
        let program = driver.program()?;
        let deviations = targets::deviations()?;
        Ok(Self {
            arguments,
            program,
            driver,
            contracts,
            views,
            cover,
            deviations,
            options,
            interrupt,
            ways: RefCell::default(),
            breaches: RefCell::default(),
        })
    }

    /// One version at one level, under each contract.
    fn target(&self, chosen: &Chosen) -> Result<Vec<TargetReplay>, Problem> {
        let arguments = &self.arguments.kafkajs;
        let usual = self.contracts.iter().filter(|_| !arguments.own).map(|contract| (contract.clone(), &[][..]));
        let own = contracts(std::slice::from_ref(&chosen.own_contract))?;
        let own = own.into_iter().filter(|_| arguments.own || arguments.results.is_some());
        let mut results = Vec::new();
        for (contract, changes) in usual.chain(own.map(|contract| (contract, &chosen.own_changes[..]))) {
            if self.interrupt.load(Ordering::Relaxed) {
                break;
            }
            match self.replay(chosen, &contract, changes) {
                Ok(result) => results.push(result),
                // It was about to begin.
                Err(_) if self.interrupt.load(Ordering::Relaxed) => break,
                Err(problem) => return Err(problem),
            }
        }
        Ok(results)
    }

    fn replay(
        &self,
        chosen: &Chosen,
        contract: &Contract<KafkaJs>,
        changes: &[KafkaJsChange],
    ) -> Result<TargetReplay, Problem> {
        let target = &chosen.target;
        let choices = changed(&contract.choices, changes);
        let all = KafkaJs::views(self.arguments.exploring.bounds, &choices);
        let views: Vec<View<Bounds>> = all.into_iter().filter(|view| self.is_wanted(view, target)).collect();
        let mut driver = Driver::start(&self.program, target, &self.options).map_err(|it| self.unusable(&it))?;
        let mut result = TargetReplay {
            target: target.clone(),
            greeting: driver.greeting.clone(),
            contract: contract.name.clone(),
            changes: changes.to_vec(),
            views: Vec::new(),
            deviations: Vec::new(),
            is_whole: self.views.is_empty(),
            gathered: Gathered::default(),
            is_cut: false,
        };
        if changes.is_empty() {
            let concerns = |deviation: &&Deviation| deviation.concerns(target, &contract.name);
            result.deviations = self.deviations.iter().filter(concerns).cloned().collect();
        }
        for view in &views {
            let bar = progress(&format!("{} level {} {}", target.package, target.level, view.name));
            let session = Session {
                program: &self.program,
                target,
                options: &self.options,
                threads: self.arguments.exploring.threads(),
                interrupt: &self.interrupt,
                progress: &|done, of| {
                    bar.set_length(of as u64);
                    bar.set_position(done as u64);
                },
            };
            let replayed = session.replay(view.name, &self.ways(&choices, view));
            bar.finish_and_clear();
            result.views.push(replayed.map_err(|problem| self.unusable(&problem))?);
            if result.is_interrupted() {
                return Ok(result);
            }
        }
        let taken = result.taken();
        if !taken.is_empty() {
            let relaxed = changed(&choices, &taken);
            let breaches: Vec<_> = views.iter().map(|view| (view, self.breaches(&relaxed, view))).collect();
            match evidence::gather(&mut driver, &choices, &relaxed, &breaches) {
                Ok(gathered) => result.gathered = gathered,
                Err(problem) if problem.is_interruption() => result.is_cut = true,
                Err(problem) => return Err(self.unusable(&problem)),
            }
        }
        Ok(result)
    }

    fn ways(&self, choices: &Choices, view: &View<Bounds>) -> Arc<Ways> {
        let explore = || {
            let model = KafkaJs::model(choices, &view.bounds);
            Arc::new(ways::choose(&model, &Graph::explore(&model), self.cover))
        };
        Arc::clone(self.ways.borrow_mut().entry(key(choices, view)).or_insert_with(explore))
    }

    fn breaches(&self, relaxed: &Choices, view: &View<Bounds>) -> Arc<Vec<Breach>> {
        let explore = || Arc::new(evidence::breaches(relaxed, view));
        Arc::clone(self.breaches.borrow_mut().entry(key(relaxed, view)).or_insert_with(explore))
    }

    /// At the level of the whole consumer there is one loop for each node: rounds over all partitions do not overlap.
    fn is_wanted(&self, view: &View<Bounds>, target: &Target) -> bool {
        let is_driven = target.level == 1 || view.bounds.round_covers == RoundCovers::OwnNode;
        is_driven && (self.views.is_empty() || self.views.contains(&view.name))
    }

    fn unusable(&self, problem: &DriverProblem) -> Problem {
        Problem::new(format!("the driver `kafkajs` cannot be used: {problem}")).with_help(format!(
            "it needs Node 20 or later (https://nodejs.org) and, in the root of the repository, {}",
            self.driver.build
        ))
    }
}

/// What names a contract's choices in a view.
fn key(choices: &Choices, view: &View<Bounds>) -> String {
    format!("{choices:?} in {}", view.name)
}

/// Contracts of this family.
fn contracts(named: &[String]) -> Result<Vec<Contract<KafkaJs>>, Problem> {
    let chosen = select::chosen(named)?;
    match chosen.iggy.first() {
        None => Ok(chosen.kafkajs),
        Some(other) => {
            let taken: Vec<&str> = KafkaJs::CONTRACTS.iter().map(|(name, _)| *name).collect();
            let message =
                format!("`{}` is a contract of the family iggy, which `--driver kafkajs` does not take", other.name);
            Err(Problem::new(message).with_help(format!("it takes: {}", taken.join(", "))))
        }
    }
}

/// Writes files, given by name and text, into a folder.
fn write_files(folder: &std::path::Path, files: impl Iterator<Item = (String, String)>) -> Result<(), Problem> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Problem::new(format!("cannot make the folder `{}`: {error}", folder.display())))?;
    for (name, text) in files {
        let file = folder.join(name);
        whole_file::replace(&file, &text)
            .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", file.display())))?;
    }
    Ok(())
}

/// A bar of the ways that are done, on a terminal.
fn progress(what: &str) -> ProgressBar {
    let is_terminal = std::io::stderr().is_terminal();
    let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template("{msg}: {pos} of {len} traces {bar:30} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    if is_terminal {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}
