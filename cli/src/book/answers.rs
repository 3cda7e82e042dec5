//! Answers to the points and the open questions of the discussion, each with what it rests on.

use fencepost_checker::verdict::Verdict;
use fencepost_spec::clause::ClauseName;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause, contracts, heading, list, paragraph, to_heading};
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
    let with = |wanted: fn(Verdict) -> bool| -> Vec<&str> {
        let is_wanted = |result: &&ContractResult| wanted(result.summary(name).verdict);
        evidence.contracts.iter().filter(is_wanted).map(|result| result.contract.name.as_str()).collect()
    };
    let mut parts: Vec<String> = Vec::new();
    // Contracts with the same shortest story stand together.
    let mut told: Vec<((String, usize), Vec<&str>)> = Vec::new();
    for contract in with(|verdict| verdict == Verdict::Violated) {
        let Some(story) = stories.shortest(contract, name) else { continue };
        match told.iter_mut().find(|(other, _)| *other == story) {
            Some((_, names)) => names.push(contract),
            None => told.push((story, vec![contract])),
        }
    }
    let all = evidence.contract_names();
    parts.extend(told.iter().map(|((heading, steps), names)| {
        format!("violated under {} ({})", contracts(names, &all), to_heading(&format!("{steps} steps"), heading))
    }));
    let holds = with(|verdict| verdict.holds());
    let others = with(|verdict| verdict != Verdict::Violated && !verdict.holds());
    if !others.is_empty() {
        parts.push(format!("not exercised under {}", contracts(&others, &all)));
    }
    match holds.len() {
        0 => {}
        count if count > 2 && count < all.len() => parts.push("holds under every other contract".to_owned()),
        _ => parts.push(format!("holds under {}", contracts(&holds, &all))),
    }
    format!("{}: {}.", clause(name), parts.join("; "))
}
