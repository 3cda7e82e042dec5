//! What nobody has decided yet, what is assumed, and what the model leaves out.

use fencepost_checker::verdict::Verdict;
use fencepost_spec::clause::ClauseName;

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{clause, contract, heading, list, paragraph, scenario};
use super::stories::Stories;

/// The heading of the chapter.
pub(super) const HEADING: &str = "What is still open";

/// Questions for the maintainers: what is asked, and the scenarios that show it.
pub(super) const QUESTIONS: &[(&str, &[&str])] = &[
    (
        "May a poll that is sent after a purge was acknowledged still return purged messages? No clause forbids it. If it must not happen, the acknowledgement has to wait until the owner has applied the purge, or polls have to carry what their client knows.",
        &["poll-after-acknowledged-purge"],
    ),
    (
        "May a commit that is acknowledged after the purge was acknowledged be cleared by the purge? No clause forbids it.",
        &["store-after-acknowledged-purge"],
    ),
    (
        "When is an operator answered who deletes a topic and creates it again? The published crates do not say. The two contracts with an installed owner assume that it is when the owner has applied it.",
        &["send-after-acknowledged-purge"],
    ),
    (
        "Must a join wait for a batch that is being read? Every contract asks before the join is proposed, and the answer can be out of date when it is decided.",
        &["join-under-a-pending-read"],
    ),
    (
        "How long do clients without identities have to be served? A contract that refuses their commits is safe and shuts them out. A contract that binds their commits to what they own now lets them in, and with them the hazard.",
        &["old-client-sends-no-identity", "old-client-commits-in-peace"],
    ),
    (
        "Is the group generation fine enough as the name of an assignment? It refuses members whose partition did not move.",
        &["join-elsewhere-in-the-group"],
    ),
    (
        "Should a purge that keeps the numbering invalidate pending reads? The model does not do so, as retention does not: a read that was planned before the purge may return messages from before it.",
        &["disk-read-ends-after-purge", "stale-last-polled-holds-up-a-join"],
    ),
    (
        "Are acknowledged commits durable, and under which policy? Only the two contracts with an installed owner promise it.",
        &["acknowledged-commit-and-power-loss"],
    ),
];

/// Where an assumption is written down: file and what it says.
pub(super) const DECISIONS: &[(&str, &str)] = &[
    ("emptying-acknowledged.md", "when the operator is answered where the published crates do not say it"),
    ("model-choices.md", "what the model does where discussion, code and crates leave room"),
    ("revocation.md", "why no contract keeps the clause about joins, and which choice would"),
    ("kafkajs.md", "what the model of a KafkaJS consumer has, and what it leaves out"),
];

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = heading(3, "Clauses that no contract keeps");
    text.push_str(&everywhere(evidence));
    text.push_str(&heading(3, "Clauses that some contracts break"));
    text.push_str(&paragraphs(&[
        "For each proposal, what it leaves to be done. A focused issue could take each of them:",
    ]));
    text.push_str(&list(evidence.contracts.iter().map(|result| {
        let broken: Vec<String> = violated(result).into_iter().map(clause).collect();
        format!("{}: {}.", contract(&result.contract.name), broken.join(", "))
    })));
    text.push_str(&heading(3, "Questions to the maintainers"));
    for (number, (question, names)) in (1..).zip(QUESTIONS) {
        let links: Vec<String> = names.iter().map(|name| scenario(name)).collect();
        text.push_str(&paragraph(&format!("**{number}.** {question} Scenario: {}.", links.join(", "))));
    }
    text.push_str(&heading(3, "Assumptions"));
    text.push_str(&list(DECISIONS.iter().map(|(file, what)| format!("[{file}](decisions/{file}): {what}."))));
    text.push_str(&heading(3, "Limits of the model"));
    text + &limits()
}

fn violated(result: &crate::run::ContractResult) -> Vec<ClauseName> {
    let is_violated = |name: &ClauseName| result.summary(*name).verdict == Verdict::Violated;
    ClauseName::ALL.iter().copied().filter(is_violated).collect()
}

fn everywhere(evidence: &Evidence) -> String {
    let in_all = |name: &&ClauseName| evidence.contracts.iter().all(|result| violated(result).contains(name));
    let names: Vec<&ClauseName> = ClauseName::ALL.iter().filter(in_all).collect();
    if names.is_empty() {
        return paragraphs(&["There is none: each clause holds under some contract."]);
    }
    let item = |name: &&ClauseName| {
        let first = evidence.contracts.first().and_then(|result| result.contract.expected.get(name));
        let because = first.map(|expected| expected.because.as_str()).unwrap_or_default();
        format!("{}: {because}.", clause(**name))
    };
    list(names.iter().map(item))
}

fn limits() -> String {
    list(
        [
            "Verdicts hold within the bounds of the views: a few messages, two consumers, one purge, one restart, one power loss. Larger bounds (`--bounds ci`, `--bounds deep`) explore more of the same, but no second purge; [the margins](#margins-of-the-bounds) tell how far that reaches in steps.",
            "One partition with one owner. Replication, elections and the repair of journals are not modelled; what they must come to is that the owner's log is one order.",
            "Metadata is one actor that decides in order. It is applied by gateway and owner later, each at its own time.",
            "The network loses nothing by itself: a lost reply is a reply that is never delivered. Clients wait for one answer of each kind at a time.",
            "A file is whole or gone: torn writes are not modelled. A power loss keeps any subset of the operations that were not synced, names as well as contents.",
            "Polls by time, consumer groups with more than two partitions, and changes of the number of partitions are left out.",
            "The step in which the owner learns that the gateway has given up is one step: a race between that and an acceptance in the same instant is not modelled.",
        ]
        .map(str::to_owned),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_every_decision_about_the_model_when_listed_should_be_linked() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/decisions");
        let entries = std::fs::read_dir(folder).expect("the decisions");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        // What we build with and how our engine works are no decisions about the model.
        let others = ["dependencies.md", "compiled-engine.md", "reductions.md"];
        for name in names.filter(|name| !others.contains(&name.as_str())) {
            assert!(DECISIONS.iter().any(|(known, _)| *known == name), "{name} is not in the book");
        }
    }

    #[test]
    fn given_the_scenarios_of_open_questions_when_looked_up_should_exist() {
        for name in QUESTIONS.iter().flat_map(|(_, names)| *names) {
            assert!(fencepost_spec::library::scenario(name).is_ok(), "{name}");
        }
    }
}
