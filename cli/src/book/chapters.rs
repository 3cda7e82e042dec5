//! The chapters in their order, and the table of contents.

use super::evidence::Evidence;
use super::markdown::{heading, paragraph, to_heading, with_numbers_linked};
use super::stories::Stories;
use super::{
    answers, clauses, contracts, coverage, fences, identities, kafkajs, margins, open, replies, scenarios, scope,
    stories, verdicts,
};

/// The title of the book.
const TITLE: &str = "Fencing of polls and consumer offsets";

/// A chapter: its heading and what it says.
type Chapter = (&'static str, fn(&Evidence, &Stories) -> String);

/// All chapters. Headings have no numbers, so that links from elsewhere stay valid when a chapter is added.
const CHAPTERS: &[Chapter] = &[
    (scope::HEADING, scope::chapter),
    (answers::HEADING, answers::chapter),
    (identities::HEADING, identities::chapter),
    (fences::HEADING, fences::chapter),
    (clauses::HEADING, clauses::chapter),
    (contracts::HEADING, contracts::chapter),
    (verdicts::HEADING, verdicts::chapter),
    (stories::HEADING, stories::chapter),
    (replies::HEADING, replies::chapter),
    (scenarios::HEADING, scenarios::chapter),
    (coverage::HEADING, coverage::chapter),
    (margins::HEADING, margins::chapter),
    (kafkajs::HEADING, kafkajs::chapter),
    (open::HEADING, open::chapter),
];

/// The whole book.
pub(super) fn text(evidence: &Evidence) -> String {
    let stories = Stories::of(evidence);
    let mut text = String::from("<!-- Written by `fencepost book`. Change the data, not this file. -->\n\n");
    text.push_str(&heading(1, TITLE));
    for (number, (title, _)) in (1..).zip(CHAPTERS) {
        text.push_str(&format!("{number}. {}\n", to_heading(title, title)));
    }
    text.push('\n');
    for (title, chapter) in CHAPTERS {
        text.push_str(&heading(2, title));
        text.push_str(&chapter(evidence, &stories));
    }
    with_numbers_linked(text.trim_end())
}

/// A paragraph for each text.
pub(super) fn paragraphs(texts: &[&str]) -> String {
    texts.iter().map(|text| paragraph(text)).collect()
}
