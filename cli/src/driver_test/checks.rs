//! The checks, in their order.

use std::sync::atomic::Ordering;

use fencepost_conformance::child::{ChildCommand, ChildOptions, ChildProblem, Connection};
use fencepost_conformance::replay::settings;
use fencepost_driver::Capabilities;
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;

use super::session::Bench;
use super::{Fault, Outcome, Report, honesty, manners};

type Check = fn(&Bench<'_>) -> Result<String, Fault>;

/// Every check after `hello`.
const CHECKS: [(&str, Check); 15] = [
    ("capabilities", manners::capabilities),
    ("observe", honesty::observe),
    ("calls", honesty::calls),
    ("parks", honesty::parks),
    ("unknown-park", honesty::unknown_park),
    ("reset", honesty::reset),
    ("determinism", honesty::determinism),
    ("inert", honesty::inert),
    ("replies", honesty::replies),
    ("order", manners::order),
    ("crash", manners::crash),
    ("strictness", manners::strictness),
    ("bye", manners::bye),
    ("end-of-input", manners::end_of_input),
    ("speed", manners::speed),
];

/// Checks that need what `calls` finds out: they would only say the same again.
const AFTER_CALLS: [&str; 5] = ["parks", "reset", "determinism", "inert", "speed"];

/// Tries a driver. Each check has a process of its own, so that one failure does not hide what else there is.
///
/// # Errors
/// A [`Problem`], if the command cannot be started.
pub(super) fn report(command: &ChildCommand, options: &ChildOptions, contract: &Contract) -> Result<Report, Problem> {
    let is_interrupted = || options.interrupt.load(Ordering::Relaxed);
    let mut report =
        Report { command: command.to_string(), capabilities: None, outcomes: Vec::new(), is_interrupted: false };
    match hello(command, options) {
        Ok(capabilities) => report.capabilities = Some(capabilities),
        Err(ChildProblem::NotStarted { program, error }) => {
            return Err(Problem::new(format!("`{program}` could not be started: {error}")));
        }
        Err(ChildProblem::Interrupted) => {}
        Err(problem) => report.outcomes.push(("hello", Outcome::Failed(problem.into()))),
    }
    let Some(capabilities) = report.capabilities.clone() else {
        report.is_interrupted = is_interrupted();
        report.outcomes.extend(CHECKS.map(|(name, _)| (name, Outcome::NotTried)));
        return Ok(report);
    };
    report.outcomes.push(("hello", Outcome::Passed(greeting(&capabilities))));
    let bench = Bench { command, options, settings: settings(&contract.name, &contract.choices), capabilities };
    let (mut goes_on, mut has_calls) = (true, true);
    for (name, check) in CHECKS {
        let makes_sense = goes_on && (has_calls || !AFTER_CALLS.contains(&name));
        let outcome = if makes_sense && !is_interrupted() { tried(&bench, check) } else { Outcome::NotTried };
        has_calls &= name != "calls" || matches!(outcome, Outcome::Passed(_));
        // Who does not answer once will not answer the next time, and each time takes long.
        goes_on &= !matches!(&outcome, Outcome::Failed(fault) if fault.kind == "hang");
        report.outcomes.push((name, outcome));
    }
    report.is_interrupted = is_interrupted();
    Ok(report)
}

fn tried(bench: &Bench<'_>, check: Check) -> Outcome {
    match check(bench) {
        Ok(text) => Outcome::Passed(text),
        Err(fault) if fault.kind == "interrupted" => Outcome::NotTried,
        Err(fault) => Outcome::Failed(fault),
    }
}

fn hello(command: &ChildCommand, options: &ChildOptions) -> Result<Capabilities, ChildProblem> {
    // How it takes its leave is a check of its own; here it is simply ended.
    Connection::start(command, options)?.hello()
}

fn greeting(capabilities: &Capabilities) -> String {
    let Capabilities { subject, version, calls, parks, .. } = capabilities;
    format!("{subject} {version}, {} calls, {} kinds of parks", calls.len(), parks.len())
}
