//! Every fence: where it is checked, what it compares, what it protects, and with which answer it refuses.

use fencepost_spec::contract::FenceAnswer;
use fencepost_spec::fence::{Checkpoint, Fence};

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{
    clause, contract, contracts, fence as link, fence_heading, heading, list, paragraph, source, table,
};
use super::stories::Stories;
use super::{identities, words};

/// The heading of the chapter.
pub(super) const HEADING: &str = "Fences";

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "A fence lets a step pass, or refuses it in the name of a clause. The table shows which contract has which fence, and how it refuses: with a code, with the *sentinel* (an empty reply for a partition that does not exist, by which a group member learns that it owns nothing here), or *silent* (there is nobody to answer, or the refused step is no request).",
    ]);
    text.push_str(&overview(evidence));
    text.push_str(&paragraphs(&[
        "Every fence is needed: a test removes each one from each contract and demands that a verdict or an answer changes, unless the contract says which other fence implies it.",
    ]));
    for place in Checkpoint::ALL {
        text.push_str(&heading(3, words::checkpoint(*place)));
        text.push_str(&paragraph(words::checkpoint_note(*place)));
        let fences = Fence::ALL.iter().filter(|fence| fence.description().checkpoint == *place);
        text.extend(fences.map(|fence| section(evidence, *fence)));
    }
    text
}

fn overview(evidence: &Evidence) -> String {
    let titles: Vec<String> = evidence.contract_names().into_iter().map(contract).collect();
    let mut header = vec!["Fence"];
    header.extend(titles.iter().map(String::as_str));
    let row = |fence: &Fence| {
        let cells = evidence.contracts.iter().map(|result| short(result.contract.choices.answer(*fence)));
        std::iter::once(link(*fence)).chain(cells).collect()
    };
    table(&header, &Fence::ALL.iter().map(row).collect::<Vec<_>>())
}

fn short(answer: Option<FenceAnswer>) -> String {
    match answer {
        None => String::new(),
        Some(FenceAnswer::Code(code)) => code.0.to_string(),
        Some(FenceAnswer::Sentinel) => "sentinel".to_owned(),
        Some(FenceAnswer::Silent) => "silent".to_owned(),
    }
}

fn section(evidence: &Evidence, fence: Fence) -> String {
    let description = fence.description();
    let mut items = vec![
        format!("Compares: {}.", identities::in_words(description.identities)),
        format!("Protects: {}.", description.protects),
        format!("Refuses in the name of: {}.", clause(description.clause)),
        format!("Refuses with: {}.", answers(evidence, fence)),
    ];
    items.extend(implied(evidence, fence));
    items.push(format!("Source: {}.", source(description.source)));
    format!("{}{}{}", heading(4, &fence_heading(fence.word())), paragraph(words::fence(fence)), list(items))
}

/// The answers of the contracts that have a fence; contracts with the same answer stand together.
fn answers(evidence: &Evidence, fence: Fence) -> String {
    let mut groups: Vec<(FenceAnswer, Vec<&str>)> = Vec::new();
    for result in &evidence.contracts {
        let Some(answer) = result.contract.choices.answer(fence) else { continue };
        let name = result.contract.name.as_str();
        match groups.iter_mut().find(|(other, _)| *other == answer) {
            Some((_, names)) => names.push(name),
            None => groups.push((answer, vec![name])),
        }
    }
    let all = evidence.contract_names();
    let group = |(answer, names): &(FenceAnswer, Vec<&str>)| format!("{answer} in {}", contracts(names, &all));
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

fn implied(evidence: &Evidence, fence: Fence) -> Option<String> {
    let by = |result: &&crate::run::ContractResult| result.contract.implied_by.contains_key(&fence);
    let results: Vec<_> = evidence.contracts.iter().filter(by).collect();
    let other = results.first()?.contract.implied_by.get(&fence)?;
    let names: Vec<String> = results.iter().map(|result| contract(&result.contract.name)).collect();
    Some(format!("Implied by {} in {}: the other alone is enough there.", link(*other), names.join(", ")))
}

/// Fences as links, for a sentence.
pub(super) fn links(fences: impl Iterator<Item = Fence>) -> String {
    fences.map(link).collect::<Vec<_>>().join(", ")
}
