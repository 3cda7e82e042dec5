//! The clauses: promise, reason, scope, and the change that must break each.

use fencepost_spec::clause::{Change, Clause, ClauseName, Mutant};
use fencepost_spec::fence::Fence;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause_heading, code, contract, fence, heading, list, paragraph, sentence, to_heading};
use super::stories::Stories;
use super::{fences, words};

/// The heading of the chapter.
pub(super) const HEADING: &str = "Clauses";

/// The chapter.
pub(super) fn chapter(_: &Evidence, stories: &Stories) -> String {
    let mut text = paragraphs(&[
        "A clause is one promise. Each has a *mutant*: one named change of a contract that must break it. A clause that no change can break says nothing, so the tests demand the breach.",
    ]);
    text.extend(ClauseName::ALL.iter().map(|name| section(name.clause(), stories)));
    text
}

fn section(clause: &Clause, stories: &Stories) -> String {
    let kept_by = Fence::ALL.iter().copied().filter(|fence| fence.description().clause == clause.name);
    let kept_by = fences::links(kept_by);
    let mut items = vec![
        format!("Why: {}", sentence(clause.reason)),
        format!("Scope: {}", sentence(clause.scope)),
        format!("Mutant: {}", mutant(&clause.mutant)),
    ];
    if !kept_by.is_empty() {
        items.push(format!("Fences that refuse in its name: {kept_by}."));
    }
    let told = stories.of_clause(clause.name);
    if !told.is_empty() {
        let links = told.iter().enumerate().map(|(index, heading)| to_heading(&(index + 1).to_string(), heading));
        items.push(format!("Stories of violations: {}.", links.collect::<Vec<_>>().join(", ")));
    }
    format!(
        "{}{}{}",
        heading(3, &clause_heading(clause.name.word())),
        paragraph(&format!("**{}**", sentence(clause.promise))),
        list(items)
    )
}

/// A mutant in words.
pub(super) fn mutant(mutant: &Mutant) -> String {
    let repaired = mutant.repair.map(|repair| format!(", repaired by {},", change(repair))).unwrap_or_default();
    format!(
        "{}{repaired} breaks it {}, seen in the view {}.",
        contract(mutant.contract),
        change(mutant.change),
        code(mutant.view)
    )
}

/// A change in words.
pub(super) fn change(change: Change) -> String {
    match change {
        Change::Without(removed) => format!("without the fence {}", fence(removed)),
        Change::Choose(key, value) => {
            format!("with the choice “{}: {}”", words::choice(key).unwrap_or(key), super::markdown::plain(value))
        }
    }
}
