//! What the book rests on: every contract explored, every scenario asked, every shipped recording followed.

use fencepost_checker::engine::Stop;
use fencepost_conformance::follow::{Followed, Options, follow};
use fencepost_conformance::manifest::{self, Entry};
use fencepost_conformance::recording::{Declared, Recording};
use fencepost_models::family::ModelledFamily;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::kafkajs::KafkaJs;
use fencepost_spec::library::contracts_of;
use fencepost_spec::scenario::Scenario;

use super::BookArguments;
use crate::ask::answer::{Answer, AskOptions, AskResult, ask};
use crate::expectation;
use crate::exploring::terminal_progress;
use crate::interrupt;
use crate::margins::{Margin, margins};
use crate::run::{ContractResult, RunOptions, run_contract};
use crate::select;
use crate::vacuity::{self, Vacuity};

/// Everything that was found out.
pub(super) struct Evidence {
    /// The contracts, in the order of the library.
    pub contracts: Vec<ContractResult>,
    /// The contracts of the KafkaJS family, in the order of the library.
    pub kafkajs: Vec<ContractResult<KafkaJs>>,
    /// The scenarios, in the order of the library.
    pub scenarios: Vec<Asked>,
    /// The recordings, in the order of the manifest.
    pub recordings: Vec<Recorded>,
    /// How far the bounds reach, in the order of the clauses.
    pub margins: Vec<Margin>,
}

/// A scenario and the answer of every contract.
pub(super) struct Asked {
    /// The scenario.
    pub scenario: Scenario,
    /// The answers, in the order of the contracts.
    pub results: Vec<AskResult>,
}

/// A recording, and what came of following it under every contract.
pub(super) struct Recorded {
    /// What the manifest says.
    pub entry: Entry,
    /// In the order of the contracts.
    pub followed: Vec<Followed>,
}

/// What gathering came to.
pub(super) enum Gathered {
    /// Everything is there, and as expected.
    All(Box<Evidence>),
    /// It ended early.
    Stopped(Stop),
    /// Something is not as expected, one sentence each.
    Unexpected(Vec<String>),
}

/// Follows, asks and explores, the quickest first; ends at the first stage in which something is stopped or not as expected.
pub(super) fn gather(arguments: &BookArguments) -> Result<Gathered, Problem> {
    let flag = interrupt::flag()?;
    let budget = arguments.exploring.budget(flag.clone());
    let contracts = select::contracts(&[], "book")?;
    let kafkajs = contracts_of::<KafkaJs>()?;
    let scenarios = select::scenarios(&[])?;
    let recordings = recordings(arguments, &contracts, &Options { interrupt: flag, ..Options::default() })?;
    let (engine, threads) = (arguments.exploring.engine, arguments.exploring.threads());
    let asking = AskOptions { engine, threads, budget: &budget, progress: &terminal_progress };
    let bounds = arguments.exploring.bounds;
    let exploring = RunOptions {
        bounds,
        views: None,
        threads,
        engine,
        cluster: None,
        symmetry: false,
        budget: &budget,
        progress: &terminal_progress,
    };
    let all = || {
        if recordings.iter().flat_map(|recorded| &recorded.followed).any(|followed| followed.stopped.is_some()) {
            return Err(Gathered::Stopped(Stop::Interrupted));
        }
        demand_none(recordings.iter().filter_map(unexpected_recording).collect())?;
        let scenarios = ask_all(scenarios, &contracts, &asking)?;
        let contracts = explore_all(contracts, &exploring)?;
        let kafkajs = explore_all(kafkajs, &exploring)?;
        let margins = measure_all(&contracts, &exploring)?;
        Ok(Evidence { contracts, kafkajs, scenarios, recordings, margins })
    };
    Ok(all().map_or_else(|other| other, |evidence| Gathered::All(Box::new(evidence))))
}

fn ask_all(scenarios: Vec<Scenario>, contracts: &[Contract], options: &AskOptions<'_>) -> Result<Vec<Asked>, Gathered> {
    let mut all = Vec::new();
    for scenario in scenarios {
        let results: Vec<AskResult> = contracts.iter().map(|contract| ask(&scenario, contract, options)).collect();
        if let Some(stop) = results.iter().find_map(|result| result.stopped) {
            return Err(Gathered::Stopped(stop));
        }
        all.push(Asked { scenario, results });
    }
    demand_none(all.iter().flat_map(unexpected_answers).collect())?;
    Ok(all)
}

fn explore_all<F: ModelledFamily>(
    contracts: Vec<Contract<F>>,
    options: &RunOptions<'_>,
) -> Result<Vec<ContractResult<F>>, Gathered> {
    let mut results = Vec::new();
    for contract in contracts {
        let result = run_contract(contract, options);
        if let Some(stop) = result.stopped() {
            return Err(Gathered::Stopped(stop));
        }
        results.push(result);
    }
    demand_none(results.iter().flat_map(unexpected_verdicts).collect())?;
    Ok(results)
}

fn measure_all(contracts: &[ContractResult], options: &RunOptions<'_>) -> Result<Vec<Margin>, Gathered> {
    let margins = margins(contracts, options);
    if let Some(stop) = margins.iter().find_map(Margin::stopped) {
        return Err(Gathered::Stopped(stop));
    }
    let uncaught = margins.iter().filter(|margin| margin.is_failure());
    demand_none(uncaught.map(|margin| format!("{}: no view catches its mutant", margin.clause)).collect())?;
    Ok(margins)
}

fn demand_none(differences: Vec<String>) -> Result<(), Gathered> {
    if differences.is_empty() { Ok(()) } else { Err(Gathered::Unexpected(differences)) }
}

fn recordings(arguments: &BookArguments, contracts: &[Contract], options: &Options) -> Result<Vec<Recorded>, Problem> {
    let recorded = |entry: Entry| {
        let path = arguments.recordings.join(&entry.path).display().to_string();
        let bytes = std::fs::read(&path).map_err(|error| {
            Problem::new(format!("cannot read `{path}`: {error}"))
                .with_help("run the command at the root of the repository, or name the folder with --recordings")
        })?;
        if manifest::digest(&bytes) != entry.sha256 {
            return Err(Problem::new(format!("`{path}` is not the recording that the manifest lists")));
        }
        let recording = Recording::read(&path, &bytes, Declared::default())?;
        let followed = contracts.iter().map(|contract| follow(&recording, contract, options));
        Ok(Recorded { entry, followed: followed.collect::<Result<Vec<_>, _>>()? })
    };
    manifest::shipped()?.into_iter().map(recorded).collect()
}

/// A recording must be allowed by the contract of the implementation that was recorded.
fn unexpected_recording(recorded: &Recorded) -> Option<String> {
    let own = recorded.followed.iter().find(|followed| followed.contract == recorded.entry.contract)?;
    let difference = || format!("recording {}: not allowed under {}", recorded.entry.path, own.contract);
    (!own.is_allowed()).then(difference)
}

fn unexpected_answers(asked: &Asked) -> Vec<String> {
    let differs = |result: &&AskResult| match asked.scenario.expect.get(&result.contract) {
        None => true,
        Some(expected) => {
            let sorted = |clauses: &[ClauseName]| {
                let mut clauses = clauses.to_vec();
                clauses.sort_unstable();
                clauses
            };
            expected.possible != result.possible() || sorted(&expected.breaks) != sorted(result.broken())
        }
    };
    let sentence = |result: &AskResult| {
        format!("scenario {}: the answer of {} is not the expected one", asked.scenario.name, result.contract)
    };
    asked.results.iter().filter(differs).map(sentence).collect()
}

fn unexpected_verdicts<F: ModelledFamily>(result: &ContractResult<F>) -> Vec<String> {
    let name = &result.contract.name;
    let mut differences: Vec<String> = expectation::unexpected(result)
        .iter()
        .map(|it| format!("{name}: {} is expected to be {}, and is {}", it.clause, it.expected, it.verdict))
        .collect();
    if vacuity::judge(result).is_some_and(|vacuity: Vacuity| !vacuity.is_clean()) {
        differences.push(format!("{name}: what happens is not what its file calls possible"));
    }
    differences
}

impl Evidence {
    /// The names of the contracts.
    pub fn contract_names(&self) -> Vec<&str> {
        self.contracts.iter().map(|result| result.contract.name.as_str()).collect()
    }

    /// A scenario with its answers.
    pub fn asked(&self, name: &str) -> Option<&Asked> {
        self.scenarios.iter().find(|asked| asked.scenario.name == name)
    }
}

impl Asked {
    /// The contracts under which some clause breaks.
    pub fn breaking(&self) -> Vec<&str> {
        self.named(|result| !result.broken().is_empty())
    }

    /// The contracts under which it is possible and breaks nothing.
    pub fn harmless(&self) -> Vec<&str> {
        self.named(|result| result.possible() == Some(true) && result.broken().is_empty())
    }

    /// The contracts under which it is impossible.
    pub fn impossible(&self) -> Vec<&str> {
        self.named(|result| result.possible() == Some(false))
    }

    /// The contracts to which it does not apply.
    pub fn not_applicable(&self) -> Vec<&str> {
        self.named(|result| matches!(result.answer, Answer::NotApplicable(_)))
    }

    fn named(&self, is_wanted: impl Fn(&AskResult) -> bool) -> Vec<&str> {
        self.results.iter().filter(|result| is_wanted(result)).map(|result| result.contract.as_str()).collect()
    }
}
