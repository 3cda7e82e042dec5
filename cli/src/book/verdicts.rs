//! The table of contracts and clauses.

use fencepost_checker::verdict::Verdict;
use fencepost_spec::clause::ClauseName;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause, contract, contracts, heading, list, sentence, source, table, to_heading};
use super::stories::Stories;
use crate::run::{ContractResult, ViewResult};

/// The heading of the chapter.
pub(super) const HEADING: &str = "Verdicts: contracts and clauses";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, stories: &Stories) -> String {
    let mut text = paragraphs(&[
        "Each cell is the verdict over the views that the contract answers for. `✗ 8` means violated, and the shortest story has 8 steps; it leads there. *holds* means exhaustively within the bounds. *vacuous* means that nothing can exercise the clause under this contract.",
        "`fencepost check` prints this table, and fails when a verdict is not the one that the contract's file expects.",
    ]);
    text.push_str(&verdict_table(evidence, stories));
    text.push_str(&heading(3, "Why a clause is violated"));
    text.push_str(&reasons(evidence, stories));
    text.push_str(&heading(3, "Beyond the question of a contract"));
    text.push_str(&beyond(evidence, stories));
    text
}

fn verdict_table(evidence: &Evidence, stories: &Stories) -> String {
    let titles: Vec<String> = evidence.contract_names().into_iter().map(contract).collect();
    let mut header = vec!["Clause"];
    header.extend(titles.iter().map(String::as_str));
    let row = |name: &ClauseName| {
        let cells = evidence.contracts.iter().map(|result| cell(result, *name, stories));
        std::iter::once(clause(*name)).chain(cells).collect()
    };
    table(&header, &ClauseName::ALL.iter().map(row).collect::<Vec<_>>())
}

fn cell(result: &ContractResult, name: ClauseName, stories: &Stories) -> String {
    match (result.summary(name).verdict, stories.shortest(&result.contract.name, name)) {
        (Verdict::Violated, Some((heading, steps))) => to_heading(&format!("✗ {steps}"), &heading),
        (Verdict::HoldsExhaustive, _) => "holds".to_owned(),
        (verdict, _) => verdict.to_string(),
    }
}

/// Why clauses are violated: contracts with the same reason share a line.
fn reasons(evidence: &Evidence, stories: &Stories) -> String {
    let all = evidence.contract_names();
    let mut text = String::new();
    for name in ClauseName::ALL {
        let mut groups: Vec<(&str, &str, Vec<&ContractResult>)> = Vec::new();
        for result in evidence.contracts.iter().filter(|result| is_violated(result, *name)) {
            let Some(expected) = result.contract.expected.get(name) else { continue };
            match groups.iter_mut().find(|(because, _, _)| *because == expected.because) {
                Some((_, _, results)) => results.push(result),
                None => groups.push((&expected.because, &expected.link, vec![result])),
            }
        }
        if groups.is_empty() {
            continue;
        }
        text.push_str(&format!("{}\n\n", clause(*name)));
        text.push_str(&list(groups.iter().map(|group| reason(*name, group, &all, stories))));
    }
    text
}

fn reason(
    name: ClauseName,
    (because, link, results): &(&str, &str, Vec<&ContractResult>),
    all: &[&str],
    stories: &Stories,
) -> String {
    let names: Vec<&str> = results.iter().map(|result| result.contract.name.as_str()).collect();
    let mut places = Vec::new();
    for place in names.iter().flat_map(|contract| stories.all(contract, name)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let place = |(heading, view, steps): &(String, &str, usize)| {
        format!("{} (`{view}`)", to_heading(&format!("{steps} steps"), heading))
    };
    let places: Vec<String> = places.iter().map(place).collect();
    let source = source(link);
    let source = if source.is_empty() { source } else { format!(" Source: {source}.") };
    format!("{}: {} Told in {}.{source}", contracts(&names, all), sentence(because), places.join(", "))
}

fn is_violated(result: &ContractResult, name: ClauseName) -> bool {
    result.summary(name).verdict == Verdict::Violated
}

fn beyond(evidence: &Evidence, stories: &Stories) -> String {
    let unanswered = |result: &ContractResult| {
        let views = result.views.iter().filter(|view| !view.answered_for);
        let names: Vec<String> = views.map(|view| format!("`{}`", view.view.name)).collect();
        (!names.is_empty()).then(|| format!("{}: {}", contract(&result.contract.name), names.join(", ")))
    };
    let mut text = paragraphs(&[
        "A contract answers for the views that its file names. These views are explored all the same, and show what the proposal leaves as it is:",
    ]);
    text.push_str(&list(evidence.contracts.iter().filter_map(unanswered)));
    text.push_str(&paragraphs(&["What breaks there:"]));
    let mut items = Vec::new();
    for name in ClauseName::ALL {
        let violated = |view: &&ViewResult| !view.answered_for && view.verdict(*name) == Verdict::Violated;
        let results: Vec<&ContractResult> =
            evidence.contracts.iter().filter(|result| result.views.iter().any(|view| violated(&view))).collect();
        let contracts: Vec<String> = results.iter().map(|result| contract(&result.contract.name)).collect();
        let mut places: Vec<(String, usize)> =
            results.iter().filter_map(|result| stories.beyond(&result.contract.name, *name)).collect();
        places.dedup();
        let links: Vec<String> =
            places.iter().map(|(heading, steps)| to_heading(&format!("{steps} steps"), heading)).collect();
        if !results.is_empty() {
            items.push(format!("{} under {} ({})", clause(*name), contracts.join(", "), links.join(", ")));
        }
    }
    text + &list(items)
}
