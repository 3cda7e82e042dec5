//! `fencepost replay --driver kafkajs`: the npm package, version by version.

mod json;
mod page;
mod results;
mod targets;
mod tcp;
mod text;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use fencepost_conformance::child::ChildOptions;
use fencepost_conformance::kafkajs::blame::changed;
use fencepost_conformance::kafkajs::change::{KafkaJsChange, all_words};
use fencepost_conformance::kafkajs::child::{Driver, DriverProblem, Greeting, Target};
use fencepost_conformance::kafkajs::deviations::{self, Deviation};
use fencepost_conformance::kafkajs::evidence::{self, Breach, Gathered};
use fencepost_conformance::kafkajs::graph::Graph;
use fencepost_conformance::kafkajs::session::{Divergence, Session, ViewReplay};
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
use super::{Compared, ReplayArguments, ReplayFormat};
use crate::exit::ExitStatus;
use crate::exploring::EngineName;
use crate::select::{self, NameKind, Names};
use crate::{interrupt, output, whole_file};
use targets::Chosen;

/// The name of the driver.
pub(super) const NAME: &str = "kafkajs";

/// What `--driver kafkajs` takes beside the rest.
#[derive(Args, Clone, Debug, Default)]
pub struct KafkaJsArguments {
    /// For `--driver kafkajs`: only this version of the package (may be repeated)
    #[arg(long = "package", value_name = "VERSION")]
    pub packages: Vec<String>,
    /// For `--driver kafkajs`: only this level (may be repeated): 1 is the class OffsetManager, 2 the whole Consumer; 3 is that over
    /// TCP, and goes alone [default: 1 and 2]
    #[arg(long = "level", value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub levels: Vec<u8>,
    /// For `--level 3`: how often each schedule is run [default: 2]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..))]
    pub runs: Option<u8>,
    /// For `--driver kafkajs`: known deviations are differences like others, and are told at length
    #[arg(long)]
    pub strict: bool,
    /// For `--driver kafkajs`: replay each version in the contract that is its own, in which it has to agree
    #[arg(long, conflicts_with_all = ["strict", "contracts"])]
    pub own: bool,
    /// For `--driver kafkajs`: write a program for each clause that is broken to this folder, which anybody can run alone
    #[arg(long, value_name = "FOLDER")]
    pub scripts: Option<PathBuf>,
    /// For `--driver kafkajs`: write the page of results to this file; every version is then replayed in its own contract, too. With
    /// `--level 3` it is the page of that level
    #[arg(long, value_name = "FILE", conflicts_with_all = ["own", "strict", "packages", "views", "contracts", "cover"])]
    pub results: Option<PathBuf>,
}

impl KafkaJsArguments {
    /// The first of these arguments that was given, for drivers that have no use for it.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--package", !self.packages.is_empty()),
            ("--level", !self.levels.is_empty()),
            ("--runs", self.runs.is_some()),
            ("--strict", self.strict),
            ("--own", self.own),
            ("--scripts", self.scripts.is_some()),
            ("--results", self.results.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// What is wrong with these arguments without `--level 3`.
    fn only_for_tcp(&self) -> Option<&'static str> {
        if self.runs.is_some() {
            return Some("`--runs` is for `--level 3`: at the other levels a run is like any other");
        }
        (self.results.is_some() && !self.levels.is_empty()).then_some("the page of results is about levels 1 and 2")
    }
}

/// One version at one level under one contract, replayed.
struct TargetReplay {
    target: Target,
    greeting: Greeting,
    contract: String,
    /// Changes of the contract, if it is replayed in the version's own.
    changes: Vec<KafkaJsChange>,
    views: Vec<ViewReplay>,
    /// The known deviations of this version under this contract.
    deviations: Vec<Deviation>,
    /// Whether all its views were replayed, so that a known deviation that no trace took is one too many.
    is_whole: bool,
    /// What the divergences come to.
    gathered: Gathered,
    /// Whether the command was interrupted here: what would have come later is not there.
    is_cut: bool,
}

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

/// Refuses what this driver has no use for: nothing that was asked for is left undone in silence.
fn demand_use(arguments: &ReplayArguments) -> Result<(), Problem> {
    let ReplayArguments { exploring, .. } = arguments;
    let given = [
        ("--images", arguments.images.images.is_some()),
        ("--shard", arguments.shard.is_some()),
        ("--resume", arguments.resume.is_some()),
        ("--audit", arguments.audit.is_some()),
        ("--exact-codes", arguments.exact_codes),
        ("--compare", arguments.compare != Compared::Everything),
        ("--engine", exploring.engine != EngineName::Compiled),
        ("--max-states", exploring.max_states.is_some()),
        ("--max-time", exploring.max_time.is_some()),
        ("--max-memory", exploring.max_memory.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Problem::new(format!("`--driver kafkajs` has no use for `{name}`"))
            .with_help("it replays every way of its views; --package, --level and --view choose among them")),
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

impl TargetReplay {
    fn divergences(&self) -> impl Iterator<Item = (&'static str, &Divergence)> {
        self.views.iter().flat_map(|view| view.divergences.iter().map(move |divergence| (view.view, divergence)))
    }

    /// The divergences with the fewest steps: one of each set of explanations, whatever the view.
    fn causes(&self) -> Vec<(&'static str, &Divergence)> {
        let mut all: Vec<(&'static str, &Divergence)> = self.divergences().collect();
        all.sort_by_key(|(_, divergence)| divergence.step);
        let mut causes: Vec<(&'static str, &Divergence)> = Vec::new();
        for (view, divergence) in all {
            let is_same = |(_, known): &(&str, &Divergence)| self.about(known) == self.about(divergence);
            if !causes.iter().any(is_same) {
                causes.push((view, divergence));
            }
        }
        causes
    }

    /// What a divergence is about, in words with hyphens: what would allow it, or else what differs.
    fn about(&self, divergence: &Divergence) -> String {
        let words = match self.explanation(divergence) {
            [] => divergence.difference.kind.to_owned(),
            changes => all_words(changes),
        };
        let hyphens = words.replace(" = ", "-").replace([' ', '_'], "-");
        hyphens.replace("-and-without-", "-and-")
    }

    /// The explanation of a divergence that consists of known deviations.
    fn known<'a>(&self, divergence: &'a Divergence) -> Option<&'a [KafkaJsChange]> {
        let deviations: Vec<&Deviation> = self.deviations.iter().collect();
        deviations::known(&divergence.explanations, &deviations)
    }

    /// What a divergence is explained by: known deviations if that is possible, else the first explanation.
    fn explanation<'a>(&self, divergence: &'a Divergence) -> &'a [KafkaJsChange] {
        let first = divergence.explanations.first().map_or(&[][..], Vec::as_slice);
        self.known(divergence).unwrap_or(first)
    }

    /// All changes that divergences are explained by, each once.
    fn taken(&self) -> Vec<KafkaJsChange> {
        let mut taken: Vec<KafkaJsChange> = Vec::new();
        for (_, divergence) in self.divergences() {
            for change in self.explanation(divergence) {
                if !taken.contains(change) {
                    taken.push(*change);
                }
            }
        }
        taken
    }

    /// Divergences that are no known deviations.
    fn unknown(&self) -> impl Iterator<Item = (&'static str, &Divergence)> {
        self.divergences().filter(|(_, divergence)| self.known(divergence).is_none())
    }

    /// Known deviations that no trace took, if all traces were taken.
    fn unused(&self) -> Vec<&Deviation> {
        let taken = self.taken();
        let is_judged = self.is_whole && !self.is_interrupted();
        let is_unused = |deviation: &&Deviation| is_judged && !taken.contains(&deviation.change);
        self.deviations.iter().filter(is_unused).collect()
    }

    fn is_interrupted(&self) -> bool {
        self.is_cut || self.views.iter().any(|view| view.interrupted)
    }

    fn status(&self, strict: bool) -> ExitStatus {
        let has_debt = strict && self.divergences().next().is_some();
        if has_debt || self.unknown().next().is_some() || !self.unused().is_empty() {
            ExitStatus::NotAsExpected
        } else if self.is_interrupted() {
            ExitStatus::Stopped
        } else {
            ExitStatus::AsExpected
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

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(is_whole: bool) -> TargetReplay {
        let target = Target { package: "2.2.4".to_owned(), level: 1 };
        let greeting = Greeting { driver: NAME.to_owned(), package: "2.2.4".to_owned(), node: "v20".to_owned() };
        let contract = "kafkajs-partition-version".to_owned();
        let known = targets::deviations().unwrap_or_else(|problem| panic!("{problem}"));
        TargetReplay {
            target,
            greeting,
            contract,
            changes: Vec::new(),
            views: Vec::new(),
            deviations: known.into_iter().take(1).collect(),
            is_whole,
            gathered: Gathered::default(),
            is_cut: false,
        }
    }

    #[test]
    fn given_a_known_deviation_that_no_trace_took_when_everything_was_replayed_should_fail() {
        let result = replayed(true);
        assert_eq!(result.unused().len(), 1);
        assert_eq!(result.status(false), ExitStatus::NotAsExpected);
        assert!(text::report(&[result], false).contains("NO TRACE TAKES the known deviation"));
    }

    #[test]
    fn given_a_known_deviation_that_no_trace_took_when_some_views_were_left_out_should_not_fail() {
        let result = replayed(false);
        assert!(result.unused().is_empty());
        assert_eq!(result.status(false), ExitStatus::AsExpected);
    }
}
