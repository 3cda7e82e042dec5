//! The report as JSON.

use serde::Serialize;

use super::{Outcome, Report};
use crate::output;

/// What came of a driver.
#[derive(Serialize)]
pub(super) struct ResultJson {
    driver: String,
    /// `null`: it did not greet.
    subject: Option<String>,
    version: Option<String>,
    passed: bool,
    checks: Vec<CheckJson>,
}

#[derive(Serialize)]
struct CheckJson {
    check: &'static str,
    /// `passed`, `failed` or `not-tried`.
    result: &'static str,
    /// What is wrong, in one word.
    kind: Option<&'static str>,
    text: String,
}

/// The report, ready to be serialised.
pub(super) fn report(report: &Report) -> output::Report<ResultJson> {
    let checks: Vec<CheckJson> = report.outcomes.iter().map(|(check, outcome)| row(check, outcome)).collect();
    let result = ResultJson {
        driver: report.command.clone(),
        subject: report.capabilities.as_ref().map(|it| it.subject.clone()),
        version: report.capabilities.as_ref().map(|it| it.version.clone()),
        passed: checks.iter().all(|check| check.result == "passed"),
        checks,
    };
    output::Report::of("driver-test", vec![result])
}

fn row(check: &'static str, outcome: &Outcome) -> CheckJson {
    let (result, kind, text) = match outcome {
        Outcome::Passed(seen) => ("passed", None, seen.clone()),
        Outcome::Failed(fault) => ("failed", Some(fault.kind), fault.text.clone()),
        Outcome::NotTried => ("not-tried", None, String::new()),
    };
    CheckJson { check, result, kind, text }
}
