//! How far the bounds reach beyond the stories of the mutants.

use super::chapters::paragraphs;
use super::clauses::change;
use super::evidence::Evidence;
use super::markdown::{clause, code, contract, paragraph, table};
use super::stories::Stories;
use crate::margins::{FEWEST_STEPS, MEANING, Margin, MutantName, Outcome};

/// The heading of the chapter.
pub(super) const HEADING: &str = "Margins of the bounds";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "A clause can hold because it is kept, or because the views are too small to break it. Mutants tell the two apart. Beside the named mutant of a clause, the removal of every fence of the same contract that breaks the clause counts as one. For each mutant the shortest story over all views is found; the longest of these is compared with the *bound*: the deepest level of its view under the unchanged contract.",
    ]);
    text.push_str(&paragraph(MEANING));
    text.push_str(&paragraph(&format!(
        "So the last column names the budgets that the longest story uses up: of these its view has no more to spare. A margin under {FEWEST_STEPS} would be a warning, and a mutant that no view catches a failure of `fencepost check --margins`."
    )));
    let rows: Vec<Vec<String>> = evidence.margins.iter().map(row).collect();
    let header = ["Clause", "Bound", "Longest story", "Margin", "Mutants", "Mutant with the longest story", "Uses up"];
    text + &table(&header, &rows)
}

fn row(margin: &Margin) -> Vec<String> {
    let start = vec![clause(margin.clause), margin.bound_steps.to_string()];
    let none = || "none".to_owned();
    let rest = match &margin.outcome {
        Outcome::Caught(hardest) => vec![
            hardest.story_steps.to_string(),
            hardest.judged.margin_steps.to_string(),
            margin.mutants.to_string(),
            format!("{}, in {}", mutant(margin, hardest.mutant), code(hardest.view)),
            if hardest.uses_up.is_empty() { none() } else { hardest.uses_up.join(", ") },
        ],
        Outcome::NotCaught(name) => {
            vec![none(), none(), margin.mutants.to_string(), format!("not caught: {}", mutant(margin, *name)), none()]
        }
        Outcome::Stopped(stop) => vec![none(), none(), none(), format!("stopped ({stop})"), none()],
    };
    start.into_iter().chain(rest).collect()
}

/// A mutant in words, with links.
fn mutant(margin: &Margin, name: MutantName) -> String {
    let repaired = name.repair.map(|repair| format!(", repaired by {},", change(repair))).unwrap_or_default();
    format!("{}{repaired} {}", contract(&margin.contract), change(name.change))
}
