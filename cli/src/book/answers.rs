//! Answers to the points and the open questions of the discussion, each with what it rests on.

use fencepost_checker::verdict::Verdict;
use fencepost_spec::clause::ClauseName;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause, contract, heading, list, paragraph, to_heading};
use super::questions::{OPEN_QUESTIONS, Question, SCOPE};
use super::scenarios;
use super::stories::Stories;
use crate::run::ContractResult;

/// The heading of the chapter.
pub(super) const HEADING: &str = "Answers first";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, stories: &Stories) -> String {
    let mut text = paragraphs(&[
        "This chapter takes the points that the discussion wants the document to cover, and then its open questions. Each answer is short, and followed by what it rests on: verdicts with their stories, and scenarios with the answer of every contract.",
    ]);
    for (title, questions) in [("What the document should cover", SCOPE), ("The open questions", OPEN_QUESTIONS)] {
        text.push_str(&heading(3, title));
        text.extend(questions.iter().map(|question| section(question, evidence, stories)));
    }
    text
}

fn section(question: &Question, evidence: &Evidence, stories: &Stories) -> String {
    let verdicts = question.clauses.iter().map(|(name, _)| verdict(*name, evidence, stories));
    let scenarios = question.scenarios.iter().filter_map(|(name, _)| evidence.asked(name)).map(scenarios::in_short);
    let further = question.further.iter().map(|heading| format!("More: {}.", to_heading(heading, heading)));
    let mut text = heading(4, question.question);
    text.push_str(&paragraph(question.answer));
    text + &list(verdicts.chain(scenarios).chain(further))
}

/// The verdicts on a clause, in one line.
fn verdict(name: ClauseName, evidence: &Evidence, stories: &Stories) -> String {
    let is = |result: &&ContractResult, wanted: fn(Verdict) -> bool| wanted(result.summary(name).verdict);
    let violated: Vec<&ContractResult> =
        evidence.contracts.iter().filter(|result| is(result, |verdict| verdict == Verdict::Violated)).collect();
    let holds: Vec<String> = evidence
        .contracts
        .iter()
        .filter(|result| is(result, |verdict| verdict.holds()))
        .map(|result| contract(&result.contract.name))
        .collect();
    let told = |result: &&ContractResult| {
        let story = stories.shortest(&result.contract.name, name);
        let story = story.map(|(heading, steps)| format!(" ({})", to_heading(&format!("{steps} steps"), &heading)));
        contract(&result.contract.name) + &story.unwrap_or_default()
    };
    let mut parts = Vec::new();
    if !violated.is_empty() {
        parts.push(format!("violated under {}", violated.iter().map(told).collect::<Vec<_>>().join(", ")));
    }
    if !holds.is_empty() {
        parts.push(format!("holds under {}", holds.join(", ")));
    }
    format!("{}: {}.", clause(name), parts.join("; "))
}
