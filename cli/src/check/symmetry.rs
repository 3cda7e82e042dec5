//! What a reduction by symmetry came to.

use fencepost_models::family::ModelledFamily;
use serde::Serialize;

use crate::output::{counted, wrapped};
use crate::reduced::Reduction;
use crate::run::ViewResult;

use super::Report;

/// The section of the report for people; empty if `--symmetry` was not given.
pub(super) fn section<F: ModelledFamily>(report: &Report<F>) -> String {
    let mut lines = Vec::new();
    let mut others: Vec<(&str, Vec<&str>)> = Vec::new();
    for result in &report.results {
        for view in &result.views {
            let Some(reduction) = view.reduction else { continue };
            let Some(reason) = reduction.why_none() else {
                lines.push(line(report, &result.contract.name, view, reduction));
                continue;
            };
            match others.iter_mut().find(|(known, _)| *known == reason) {
                None => others.push((reason, vec![view.view.name])),
                Some((_, views)) if views.contains(&view.view.name) => {}
                Some((_, views)) => views.push(view.view.name),
            }
        }
    }
    for (reason, views) in others {
        let start = format!("  not reduced ({reason}): ");
        lines.push(format!("{start}{}", wrapped(views, ", ", 4)));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "SYMMETRY, states that differ only by which of several like actors is which, explored once\n{}\n",
        lines.join("\n")
    )
}

fn line<F: ModelledFamily>(report: &Report<F>, contract: &str, view: &ViewResult<F>, reduction: Reduction) -> String {
    let place = if report.results.len() > 1 { format!("{contract}@") } else { String::new() };
    let states = counted(usize::try_from(view.states).unwrap_or(usize::MAX), "state");
    format!("  {place}{}: {states}, each for at most {}", view.view.name, reduction.permutations())
}

/// What a reduction came to, as JSON.
#[derive(Serialize)]
pub(super) struct SymmetryJson {
    /// For how many states each of the view's `states` can stand; 1, if nothing was reduced.
    permutations: usize,
    not_reduced_because: Option<&'static str>,
}

/// What a reduction came to; nothing if `--symmetry` was not given.
pub(super) fn json<F: ModelledFamily>(view: &ViewResult<F>) -> Option<SymmetryJson> {
    let reduction = view.reduction?;
    Some(SymmetryJson { permutations: reduction.permutations(), not_reduced_because: reduction.why_none() })
}
