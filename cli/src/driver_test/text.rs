//! The report as text.

use super::{Outcome, Report};
use crate::output;

/// Columns of the name of a check.
const NAME_COLUMNS: usize = 13;

pub(super) fn report(report: &Report) -> String {
    let mut text = format!("{}\n\n", report.command);
    for (name, outcome) in &report.outcomes {
        let (mark, words) = match outcome {
            Outcome::Passed(seen) => ("ok  ", seen.clone()),
            Outcome::Failed(fault) => ("FAIL", format!("{}: {}", fault.kind, fault.text)),
            Outcome::NotTried => ("-   ", "not tried".to_owned()),
        };
        text.push_str(&format!("{mark}  {name:NAME_COLUMNS$}  {words}\n"));
    }
    text.push('\n');
    text.push_str(&verdict(report));
    text.push('\n');
    text
}

fn verdict(report: &Report) -> String {
    let faults = report.faults().count();
    match (faults, report.is_interrupted) {
        (0, false) => format!("The driver passes {}.", output::counted(report.outcomes.len(), "check")),
        (0, true) => "Interrupted.".to_owned(),
        (count, _) => {
            let kinds: std::collections::BTreeSet<&str> = report.faults().map(|fault| fault.kind).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            format!("The driver fails {}: {}.", output::counted(count, "check"), kinds.join(", "))
        }
    }
}
