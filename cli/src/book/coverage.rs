//! What holds the statements in place: recordings, mutants, scenarios, and upstream tests.

use std::collections::BTreeSet;

use fencepost_spec::clause::ClauseName;
use fencepost_spec::fence::Fence;

use super::chapters::paragraphs;
use super::evidence::{Asked, Evidence};
use super::markdown::{clause, code, heading, is_test_name, list, scenario, table};
use super::stories::Stories;
use super::{clauses, recordings};

/// The heading of the chapter.
pub(super) const HEADING: &str = "Regression coverage";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "Four things keep this document true. The expected verdict of every clause under every contract is compared with what is found, in both directions. So is the expected answer to every scenario. Each clause has a mutant that must break it, and each fence must be needed. And recordings of real code must be possible in the model of that code.",
    ]);
    text.push_str(&heading(3, "Coverage of each clause"));
    text.push_str(&paragraphs(&[
        "The recordings are those which some contract refuses in the name of the clause. A clause without one rests on the model alone: no transcript of real code shows it at work yet.",
    ]));
    let rows: Vec<Vec<String>> = ClauseName::ALL.iter().map(|name| row(evidence, *name)).collect();
    text.push_str(&table(&["Clause", "Refused recordings", "Scenarios that break it", "Mutant"], &rows));
    text.push_str(&recordings::section(evidence));
    text.push_str(&heading(3, "Upstream tests and names"));
    text.push_str(&paragraphs(&[
        "Tests of the upstream code, and other names in it, on which a fence, a scenario or a verdict rests:",
    ]));
    text + &list(upstream(evidence))
}

fn row(evidence: &Evidence, name: ClauseName) -> Vec<String> {
    let breaks = |asked: &&Asked| asked.results.iter().any(|result| result.broken().contains(&name));
    let scenarios: Vec<String> =
        evidence.scenarios.iter().filter(breaks).map(|asked| scenario(&asked.scenario.name)).collect();
    let recordings = recordings::of_clause(evidence, name);
    let or_none = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    vec![clause(name), or_none(recordings), or_none(scenarios), clauses::mutant(&name.clause().mutant)]
}

/// Names of upstream tests with what rests on them.
fn upstream(evidence: &Evidence) -> Vec<String> {
    let mut named: BTreeSet<(String, String)> = BTreeSet::new();
    let mut add = |text: &str, what: String| {
        let words = text.split([' ', ',', ':', ';']).filter(|word| is_test_name(word));
        let known = |word: &&str| !evidence.recordings.iter().any(|recorded| recorded.entry.path.contains(*word));
        named.extend(words.filter(known).map(|word| (word.to_owned(), what.clone())));
    };
    for fence in Fence::ALL {
        add(fence.description().source, super::markdown::fence(*fence));
    }
    for asked in &evidence.scenarios {
        asked.scenario.sources.iter().for_each(|source| add(source, scenario(&asked.scenario.name)));
    }
    for result in &evidence.contracts {
        result.contract.expected.iter().for_each(|(name, expected)| add(&expected.link, clause(*name)));
    }
    let names: BTreeSet<&String> = named.iter().map(|(name, _)| name).collect();
    let item = |name: &String| {
        let whats: Vec<&str> = named.iter().filter(|(other, _)| other == name).map(|(_, what)| what.as_str()).collect();
        format!("{}: {}", code(name), whats.join(", "))
    };
    names.into_iter().map(item).collect()
}
