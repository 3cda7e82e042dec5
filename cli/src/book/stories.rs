//! The shortest story of each violation.

use fencepost_checker::engine::Breach;
use fencepost_checker::story::Story;
use fencepost_spec::clause::ClauseName;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause, code, contracts, heading, paragraph, to_heading};
use super::words;
use crate::output::counted;
use crate::run::{Action, ContractResult, ViewResult, shortest_breach};

/// The heading of the chapter.
pub(super) const HEADING: &str = "The shortest story of each violation";

/// Stories that are told although a shorter one of the same clause is told, too: the view in which a maintainer knows it.
const ALSO: &[(ClauseName, &str)] = &[
    (ClauseName::NoForeignProgress, "purge-with-pending-polls"),
    (ClauseName::NoSkip, "purge-with-pending-polls"),
    (ClauseName::CommitUnderReadingAssignment, "liveness"),
];

/// What a maintainer knows a story as: clause, view, first contract, and a sentence.
const KNOWN: &[(ClauseName, &str, &str, &str)] = &[
    (ClauseName::NoSkip, "purge-with-pending-polls", "iggy-2026-08", "This is issue #4117."),
    (
        ClauseName::NoSkip,
        "purge-with-pending-polls",
        "iggy-poll-completion",
        "The read is refused since #4119; a manual commit takes its place.",
    ),
    (
        ClauseName::AcknowledgedCommitStands,
        "commits-with-reassignment",
        "iggy-2026-08",
        "A commit that was delayed takes back what another member has acknowledged.",
    ),
];

/// Every story that is told.
pub(super) struct Stories {
    told: Vec<Told>,
}

/// A story that one or more contracts share.
struct Told {
    clause: ClauseName,
    view: &'static str,
    /// Names of the contracts.
    contracts: Vec<String>,
    /// Whether the contracts do not answer for the view.
    beyond_question: bool,
    reason: String,
    story: Story,
}

impl Stories {
    /// The stories of all violations; those that are the same, line by line, stand once.
    pub fn of(evidence: &Evidence) -> Self {
        let mut told: Vec<Told> = Vec::new();
        for clause in ClauseName::ALL {
            for result in &evidence.contracts {
                for (view, breach) in wanted(result, *clause) {
                    add(&mut told, result, *clause, view, breach);
                }
            }
        }
        Self { told }
    }

    /// The heading of the shortest story of a violation that a contract answers for, with its number of steps.
    pub fn shortest(&self, contract: &str, clause: ClauseName) -> Option<(String, usize)> {
        self.about(contract, clause).filter(|told| !told.beyond_question).map(Told::place).min_by_key(|place| place.1)
    }

    /// The heading of the story of a violation beyond the question of a contract.
    pub fn beyond(&self, contract: &str, clause: ClauseName) -> Option<(String, usize)> {
        self.about(contract, clause).filter(|told| told.beyond_question).map(Told::place).min_by_key(|place| place.1)
    }

    /// Headings, views and numbers of steps of all stories of a violation that a contract answers for.
    pub fn all(&self, contract: &str, clause: ClauseName) -> Vec<(String, &'static str, usize)> {
        let told = self.about(contract, clause).filter(|told| !told.beyond_question);
        told.map(|told| (told.heading(), told.view, told.story.lines.len())).collect()
    }

    /// Headings of all stories of a clause.
    pub fn of_clause(&self, clause: ClauseName) -> Vec<String> {
        self.told.iter().filter(|told| told.clause == clause).map(Told::heading).collect()
    }

    fn about(&self, contract: &str, clause: ClauseName) -> impl Iterator<Item = &Told> {
        self.told.iter().filter(move |told| told.clause == clause && told.contracts.iter().any(|name| name == contract))
    }
}

/// The breaches of a clause that are told about a contract.
fn wanted(result: &ContractResult, clause: ClauseName) -> Vec<(&ViewResult, &Breach<Action>)> {
    let mut breaches: Vec<(&ViewResult, &Breach<Action>)> = Vec::new();
    breaches.extend(shortest_breach(result.views.iter().filter(|view| view.answered_for), clause));
    for (_, view) in ALSO.iter().filter(|(also, _)| *also == clause) {
        breaches.extend(shortest_breach(result.view(view).into_iter().filter(|view| view.answered_for), clause));
    }
    breaches.extend(shortest_breach(result.views.iter().filter(|view| !view.answered_for), clause));
    breaches.dedup_by_key(|(view, _)| view.view.name);
    breaches
}

fn add(told: &mut Vec<Told>, result: &ContractResult, clause: ClauseName, view: &ViewResult, breach: &Breach<Action>) {
    let Some(story) = view.story(clause, "") else { return };
    let beyond_question = !view.answered_for;
    let is_same = |told: &&mut Told| {
        told.clause == clause
            && told.view == view.view.name
            && told.beyond_question == beyond_question
            && told.story == story
    };
    let name = result.contract.name.clone();
    match told.iter_mut().find(is_same) {
        Some(told) => told.contracts.push(name),
        None => told.push(Told {
            clause,
            view: view.view.name,
            contracts: vec![name],
            beyond_question,
            reason: breach.reason.clone(),
            story,
        }),
    }
}

impl Told {
    fn heading(&self) -> String {
        format!("Story: `{}` in `{}`, view `{}`", self.clause, self.contracts[0], self.view)
    }

    fn place(&self) -> (String, usize) {
        (self.heading(), self.story.lines.len())
    }

    fn text(&self, all: &[&str]) -> String {
        let names: Vec<&str> = self.contracts.iter().map(String::as_str).collect();
        let steps = counted(self.story.lines.len(), "step");
        let mut introduction = words::view(self.view).unwrap_or_default().to_owned();
        introduction.push_str(&format!(
            " Under {}, {} breaks in {steps}: {}.",
            contracts(&names, all),
            clause(self.clause),
            self.reason
        ));
        if self.beyond_question {
            introduction.push_str(" The contract does not answer for this view: it lies beyond its question.");
        }
        let known = KNOWN.iter().find(|(clause, view, contract, _)| {
            (*clause, *view, *contract) == (self.clause, self.view, self.contracts[0].as_str())
        });
        if let Some((_, _, _, note)) = known {
            introduction.push_str(&format!(" {note}"));
        }
        let command = format!("fencepost check {} --story {}@{}", self.contracts[0], self.clause, self.view);
        format!(
            "{}{}{}```mermaid\n{}```\n\n",
            heading(3, &self.heading()),
            paragraph(&introduction),
            paragraph(&format!("As text: {}.", code(&command))),
            self.story.to_mermaid()
        )
    }
}

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, stories: &Stories) -> String {
    let mut text = paragraphs(&[
        "Each story is the shortest way to a violation within the bounds: no shorter one exists. Its steps are tidied so that what belongs together stands together.",
        "The participants are those of the system. *Gateway* is the home of the client's connection, *owner* is the partition's owner with its log and its disk, *metadata* is the replicated metadata. A note is a change that follows from the step above it.",
        "Stories that are the same for several contracts stand once. A story of a clause about what happens at last ends in a loop, or in a state in which nothing more happens.",
    ]);
    let links = stories.told.iter().map(|told| to_heading(&told.heading(), &told.heading()));
    text.push_str(&super::markdown::list(links));
    let all = evidence.contract_names();
    text.extend(stories.told.iter().map(|told| told.text(&all)));
    text
}
