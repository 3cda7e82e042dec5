//! `fencepost replay --driver kafkajs --level 3`: the whole consumer over TCP, along schedules that fix delays only.

mod report;

use std::path::Path;
use std::sync::Arc;

use fencepost_conformance::child::ChildOptions;
use fencepost_conformance::kafkajs::child::DriverProblem;
use fencepost_conformance::kafkajs::tcp::{self, Seen};
use fencepost_spec::contract::ExpectedVerdict;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::kafkajs::KafkaJs;
use fencepost_spec::library;

use super::super::shipped::{OverTcp, ScheduleSet, ShippedDriver};
use super::super::{ReplayArguments, ReplayFormat};
use super::targets;
use crate::exit::ExitStatus;
use crate::output::counted;
use crate::{interrupt, output, whole_file};

/// The number of this level.
pub(super) const LEVEL: u8 = 3;

/// How often each schedule is run, if nothing else is said.
const RUNS: u8 = 2;

/// A run whose times came into disorder says nothing; so often it is tried.
const ATTEMPTS: usize = 3;

/// One version along one schedule.
struct ScheduleReplay {
    package: String,
    set: ScheduleSet,
    /// Whether the contract promises the clause in the view that has the same in it.
    is_promised: bool,
    runs: Vec<Seen>,
    /// Runs that did not go as scheduled, and were done again.
    repeated: usize,
    is_interrupted: bool,
}

/// Runs the command.
pub(super) fn run(arguments: &ReplayArguments, driver: &ShippedDriver) -> Result<ExitStatus, Problem> {
    demand_use(arguments)?;
    targets::demand_known(driver, &arguments.kafkajs.packages)?;
    let Some(over_tcp) = &driver.tcp else { unreachable!("the manifest has it") };
    if !Path::new(&over_tcp.program).is_file() {
        return Err(Problem::new(format!("there is no `{}`", over_tcp.program))
            .with_help("run the command in the root of the repository"));
    }
    let interrupt = interrupt::flag()?;
    let options = ChildOptions { interrupt: Arc::clone(&interrupt), ..ChildOptions::default() };
    let runs = usize::from(arguments.kafkajs.runs.unwrap_or(RUNS));
    let mut results: Vec<ScheduleReplay> = Vec::new();
    for (package, set) in chosen(over_tcp, &arguments.kafkajs.packages, driver) {
        results.push(replay(over_tcp, package, set, runs, &options)?);
        if results.iter().any(|result| result.is_interrupted) {
            break;
        }
    }
    let is_whole = results.iter().all(|result| !result.is_interrupted);
    if let Some(file) = arguments.kafkajs.results.as_ref().filter(|_| is_whole) {
        whole_file::replace(file, &report::page(&results))
            .map_err(|error| Problem::new(format!("`{}` cannot be written: {error}", file.display())))?;
    }
    let printed = output::print(&match arguments.format {
        ReplayFormat::Text => report::text(&results),
        ReplayFormat::Markdown => report::page(&results),
        ReplayFormat::Json => output::json(&report::json(&results)),
    });
    Ok(results.iter().map(ScheduleReplay::status).max().unwrap_or(ExitStatus::AsExpected).max(printed))
}

/// Refuses what this level has no use for.
fn demand_use(arguments: &ReplayArguments) -> Result<(), Problem> {
    let of_kafkajs = &arguments.kafkajs;
    if of_kafkajs.levels.iter().any(|level| *level != LEVEL) {
        return Err(Problem::new("`--level 3` goes alone: it runs schedules, the others follow the model")
            .with_help("run the command twice"));
    }
    let given = [
        ("--contract", !arguments.contracts.is_empty()),
        ("--view", !arguments.views.is_empty()),
        ("--cover", arguments.cover.is_some()),
        ("--record", arguments.record.is_some()),
        ("--strict", of_kafkajs.strict),
        ("--own", of_kafkajs.own),
        ("--scripts", of_kafkajs.scripts.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Problem::new(format!("`--level 3` has no use for `{name}`"))
            .with_help("each schedule is judged by the contract of the version; --package chooses among them")),
    }
}

/// The versions and schedules that are meant, version by version.
fn chosen<'a>(over_tcp: &'a OverTcp, named: &[String], driver: &ShippedDriver) -> Vec<(String, &'a ScheduleSet)> {
    let mut packages: Vec<&String> = driver.options.iter().map(|options| &options.package).collect();
    packages.dedup();
    packages.retain(|package| named.is_empty() || named.contains(package));
    let mut chosen = Vec::new();
    for package in packages {
        let sets = over_tcp.schedules.iter().filter(|set| set.packages.contains(package));
        chosen.extend(sets.map(|set| (package.clone(), set)));
    }
    chosen
}

fn replay(
    over_tcp: &OverTcp,
    package: String,
    set: &ScheduleSet,
    runs: usize,
    options: &ChildOptions,
) -> Result<ScheduleReplay, Problem> {
    let is_promised = is_promised(set)?;
    let mut result =
        ScheduleReplay { package, set: set.clone(), is_promised, runs: Vec::new(), repeated: 0, is_interrupted: false };
    for _ in 0..runs {
        match result.in_order(over_tcp, options) {
            Ok(seen) => result.runs.push(seen),
            Err(problem) if problem.is_interruption() => {
                result.is_interrupted = true;
                break;
            }
            Err(problem) => return Err(unusable(over_tcp, &problem)),
        }
    }
    Ok(result)
}

fn is_promised(set: &ScheduleSet) -> Result<bool, Problem> {
    let contract = library::contract_of::<KafkaJs>(&set.contract)?;
    let Some(expectation) = contract.expected.get(&set.clause) else {
        return Err(Problem::new(format!("the contract `{}` says nothing of `{}`", set.contract, set.clause)));
    };
    let verdict = expectation.views.get(&set.view).unwrap_or(&expectation.verdict);
    Ok(*verdict == ExpectedVerdict::Holds)
}

fn unusable(over_tcp: &OverTcp, problem: &DriverProblem) -> Problem {
    Problem::new(format!("the driver `kafkajs` cannot be used over TCP: {problem}")).with_help(format!(
        "it needs Node 20 or later (https://nodejs.org), Python 3.8 or later (https://www.python.org) and, in the root of the \
         repository, {}",
        over_tcp.build
    ))
}

impl ScheduleReplay {
    /// One run, done again as long as its times come into disorder.
    fn in_order(&mut self, over_tcp: &OverTcp, options: &ChildOptions) -> Result<Seen, DriverProblem> {
        let mut attempts = 1;
        loop {
            let seen = tcp::run(&over_tcp.program, &self.package, &self.set.schedule, options)?;
            let is_in_order = seen.summary.is_met && seen.summary.is_raced == self.set.raced;
            if is_in_order || seen.summary.breach.is_some() || attempts == ATTEMPTS {
                return Ok(seen);
            }
            attempts += 1;
            self.repeated += 1;
        }
    }

    fn count(&self, is_counted: impl Fn(&Seen) -> bool) -> usize {
        self.runs.iter().filter(|seen| is_counted(seen)).count()
    }

    /// What is not as expected, if something is not.
    fn unexpected(&self) -> Option<String> {
        let ScheduleSet { contract, clause, raced, broken, .. } = &self.set;
        let runs = |number: usize| counted(number, "run");
        let differs = self.count(|seen| seen.summary.breach.is_some() != *broken);
        if differs > 0 && *broken {
            return Some(format!("{} keeps {clause}, which it is known to break", runs(differs)));
        }
        if differs > 0 {
            let promise = if self.is_promised { "promises" } else { "does not promise" };
            return Some(format!("{} breaks {clause}, which {contract} {promise}", runs(differs)));
        }
        let unmet = self.count(|seen| !seen.summary.is_met || seen.summary.is_raced != *raced);
        if unmet > 0 {
            return Some(format!("{} did not go as scheduled, also when tried again", runs(unmet)));
        }
        let unfinished = self.runs.iter().find_map(|seen| seen.summary.unfinished.as_ref());
        unfinished.map(|reason| format!("not brought to its end: {reason}"))
    }

    fn status(&self) -> ExitStatus {
        match (self.unexpected(), self.is_interrupted) {
            (Some(_), _) => ExitStatus::NotAsExpected,
            (None, true) => ExitStatus::Stopped,
            (None, false) => ExitStatus::AsExpected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::shipped;
    use super::super::NAME;
    use super::*;

    fn seen(breach: Option<&str>, is_raced: bool) -> Seen {
        let all = serde_json::json!({
            "package": "2.2.4", "node": "v20", "is_met": true, "is_raced": is_raced, "breach": breach,
            "crash": null, "unfinished": null, "processed": {"reader": {"0": [[52, 59]]}},
        });
        tcp::read(all.to_string().as_bytes()).unwrap_or_else(|problem| panic!("{problem}"))
    }

    fn replayed(schedule: &str, runs: Vec<Seen>) -> ScheduleReplay {
        let driver = shipped::named(NAME).expect("a shipped driver");
        let over_tcp = driver.tcp.clone().expect("it is driven over TCP");
        let all = chosen(&over_tcp, &["2.2.4".to_owned()], &driver);
        let (package, set) = all.into_iter().find(|(_, set)| set.schedule == schedule).expect("a schedule");
        let is_promised = is_promised(set).unwrap_or_else(|problem| panic!("{problem}"));
        ScheduleReplay { package, set: set.clone(), is_promised, runs, repeated: 0, is_interrupted: false }
    }

    #[test]
    fn given_the_manifest_when_a_contract_promises_the_clause_should_not_expect_it_broken() {
        let driver = shipped::named(NAME).expect("a shipped driver");
        let over_tcp = driver.tcp.clone().expect("it is driven over TCP");
        for (package, set) in chosen(&over_tcp, &[], &driver) {
            let is_promised = is_promised(set).unwrap_or_else(|problem| panic!("{problem}"));
            assert!(!(is_promised && set.broken), "{package}: {set:?}");
        }
        assert_eq!(chosen(&over_tcp, &[], &driver).len(), 8);
    }

    #[test]
    fn given_a_schedule_of_a_version_when_told_should_say_what_it_tries_and_why_it_comes_out_so() {
        let text = report::text(&[replayed("seed-race", vec![seen(None, true)])]);
        for part in ["kept, as promised", "p0 52", "no-undefined-offset under kafkajs-guard: each node has rounds"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= output::TEXT_WIDTH_COLUMNS), "{text}");
    }

    #[test]
    fn given_a_promise_when_a_run_breaks_it_should_fail_and_say_so() {
        let kept = replayed("seed-race", vec![seen(None, true), seen(None, true)]);
        assert_eq!((kept.status(), kept.unexpected()), (ExitStatus::AsExpected, None));
        let broken = replayed("seed-race", vec![seen(None, true), seen(Some("it goes back"), true)]);
        assert_eq!(broken.status(), ExitStatus::NotAsExpected);
        let text = report::text(&[broken]);
        assert!(text.contains("1 run breaks no-undefined-offset, which kafkajs-guard promises"), "{text}");
    }

    #[test]
    fn given_no_run_when_interrupted_should_not_claim_a_result() {
        let stopped = ScheduleReplay { is_interrupted: true, ..replayed("seed-race", Vec::new()) };
        assert_eq!(stopped.status(), ExitStatus::Stopped);
        let text = report::text(&[stopped]);
        assert!(text.contains("stopped (interrupted)") && !text.contains("kept"), "{text}");
    }

    #[test]
    fn given_a_known_breach_when_a_run_keeps_the_clause_should_fail_so_that_it_is_noticed() {
        let broken = replayed("regained-partition", vec![seen(Some("it goes back"), true)]);
        assert_eq!(broken.status(), ExitStatus::AsExpected);
        let kept = replayed("regained-partition", vec![seen(None, true)]);
        assert_eq!(kept.status(), ExitStatus::NotAsExpected);
    }

    #[test]
    fn given_no_race_when_one_is_expected_should_fail_because_the_run_says_nothing() {
        let unmet = replayed("seed-race", vec![seen(None, false)]);
        assert_eq!(unmet.status(), ExitStatus::NotAsExpected);
        assert!(report::text(&[unmet]).contains("did not go as scheduled"));
    }
}
