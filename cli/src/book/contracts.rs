//! The contracts: what they choose, what they cost, what clients would notice, what cannot happen.

use fencepost_spec::contract::Contract;
use fencepost_spec::fence::Fence;

use super::chapters::paragraphs;
use super::comparison::{self, shown};
use super::evidence::Evidence;
use super::markdown::{
    code, contract as link, contract_heading, fence, heading, list, paragraph, sentence, source, table, to_heading,
};
use super::stories::Stories;
use super::{verdicts, words};

/// The heading of the chapter.
pub(super) const HEADING: &str = "Contracts";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "A contract is a set of choices and fences. A contract that builds on another states only what it changes.",
    ]);
    let row = |contract: &Contract| {
        let base = contract.builds_on.as_deref().map(link).unwrap_or_default();
        vec![link(&contract.name), sentence(&contract.title), base]
    };
    let contracts: Vec<&Contract> = evidence.contracts.iter().map(|result| &result.contract).collect();
    let rows: Vec<Vec<String>> = contracts.iter().map(|contract| row(contract)).collect();
    text.push_str(&table(&["Contract", "What it is", "Builds on"], &rows));
    text.push_str(&heading(3, "Choices side by side"));
    text.push_str(&paragraphs(&[
        "Only choices that differ are shown. A value in bold is other than in the contract that it builds on; `owner-installed` builds on none and is compared with `iggy-2026-08`. The fences are compared in [their own table](#fences).",
    ]));
    text.push_str(&comparison::choices(evidence));
    let common = comparison::common(evidence);
    if !common.is_empty() {
        text.push_str(&paragraphs(&["These are the same in every contract:"]));
        text.push_str(&list(common));
    }
    text.extend(contracts.iter().map(|contract| section(contract, &contracts)));
    text
}

fn section(contract: &Contract, all: &[&Contract]) -> String {
    let mut text = heading(3, &contract_heading(&contract.name));
    text.push_str(&paragraph(&sentence(&contract.title)));
    let file = format!("[`spec/contracts/{0}.toml`](../spec/contracts/{0}.toml)", contract.name);
    let base = contract.builds_on.as_deref();
    let sources: Vec<String> = contract.sources.iter().map(|text| source(text)).collect();
    text.push_str(&list([
        format!("Builds on: {}.", base.map_or("no other contract".to_owned(), link)),
        format!("Source: {}.", sources.join("; ")),
        format!("File: {file}. Verdicts: {}.", to_heading("table", verdicts::HEADING)),
    ]));
    if let Some(base) = base.and_then(|name| all.iter().find(|other| other.name == name)) {
        text.push_str(&paragraphs(&["What it changes:"]));
        text.push_str(&list(changes(contract, base)));
    }
    text.push_str(&part("What it costs:", &contract.costs));
    text.push_str(&part("What clients, SDKs and tests would notice (release notes):", &contract.visible_changes));
    let impossible = contract.impossible.iter().map(|it| format!("{}: {}", thing(&it.what), sentence(&it.because)));
    let impossible: Vec<String> = impossible.collect();
    if !impossible.is_empty() {
        text.push_str(&paragraphs(&["What cannot happen:"]));
        text.push_str(&list(impossible));
    }
    text
}

fn part(title: &str, sentences: &[String]) -> String {
    if sentences.is_empty() {
        return String::new();
    }
    paragraph(title) + &list(sentences.iter().map(|text| sentence(text)))
}

/// The choices and fences that differ from the contract that is built on.
fn changes(contract: &Contract, base: &Contract) -> Vec<String> {
    let before = base.choices.words();
    let changed = contract.choices.words().into_iter().zip(before).filter(|(new, old)| new != old);
    let mut changes: Vec<String> = changed
        .map(|((key, new), (_, old))| {
            format!("{}: **{}** instead of {}.", words::choice(key).unwrap_or(key), shown(&new), shown(&old))
        })
        .collect();
    for name in Fence::ALL {
        match (contract.choices.answer(*name), base.choices.answer(*name)) {
            (Some(answer), None) => {
                changes.push(format!("It adds the fence {}, which refuses with {answer}.", fence(*name)))
            }
            (None, Some(_)) => changes.push(format!("It drops the fence {}.", fence(*name))),
            (Some(answer), Some(before)) if answer != before => {
                changes.push(format!("The fence {} refuses with {answer} instead of {before}.", fence(*name)));
            }
            _ => {}
        }
    }
    changes
}

/// An action or an outcome of a fence.
fn thing(what: &str) -> String {
    match what.split_once(' ').and_then(|(name, outcome)| Some((name.parse::<Fence>().ok()?, outcome))) {
        Some((name, outcome)) => format!("the fence {} is {outcome}", fence(name)),
        None => code(what),
    }
}
