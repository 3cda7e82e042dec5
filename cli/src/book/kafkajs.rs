//! The chapter about the other side: the same question in a client.

use fencepost_checker::verdict::Verdict;
use fencepost_spec::contract::Contract;
use fencepost_spec::family::Family;
use fencepost_spec::kafkajs::{ClauseName, DESCRIPTIONS, KafkaJs};

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{code, heading, list, sentence, table};
use super::stories::Stories;
use crate::run::ContractResult;

/// The heading of the chapter.
pub(super) const HEADING: &str = "The same question in a client: KafkaJS";

/// The stories that the chapter tells: contract, clause, view, and why it is worth reading.
const TOLD: &[(&str, ClauseName, &str, &str)] = &[
    (
        "kafkajs-unguarded",
        ClauseName::NoUndefinedOffset,
        "overlapping-rounds",
        "The race that the discussion is about: one recovery clears what another round is about to use.",
    ),
    (
        "kafkajs-lock",
        ClauseName::NoNeedlessRefusal,
        "overlapping-rounds",
        "The lock's time-out: a round that nothing is wrong with is given up while somebody else resolves two partitions. Nothing is fetched from its node until the next round.",
    ),
    (
        "kafkajs-guard",
        ClauseName::AutomaticProgressMonotone,
        "lost-and-regained",
        "What the guard does not repair: records that were fetched before the partition was lost are processed and committed afterwards, and the group goes back.",
    ),
    (
        "kafkajs-captured-manager",
        ClauseName::NoNeedlessRefusal,
        "kept-partition",
        "What it costs to compare the manager, and not the partition.",
    ),
];

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _stories: &Stories) -> String {
    let mut text = paragraphs(&[
        "A consumer of KafkaJS asks the coordinator and the leaders of its partitions for offsets and records, and goes on with other things until the answers are there. In the meantime it may have reset an offset, carried out a seek, or got another assignment. Which identity must still be current for an answer to count? The maintainers discussed a lock, two lists and a guard; the guard was released in 1.12.0. Two more proposals compare an identity that is captured with the request, as the contracts of the Iggy family do.",
        "The model has one consumer with two partitions on two nodes, its steps split where the code awaits, the coordinator, and another member that commits while a partition is not ours. What the clauses say is in `spec/src/kafkajs/clause.rs`. A reset to latest passes live records on purpose; rejoining by the clean path, which stops all fetchers first, is not followed.",
    ]);
    text.push_str(&heading(3, "Who repairs what, at what cost"));
    text.push_str(&contracts(&evidence.kafkajs));
    text.push_str(&verdicts(&evidence.kafkajs));
    text.push_str(&heading(3, "How long the lock is waited for"));
    text.push_str(&waits(&evidence.kafkajs));
    text.push_str(&heading(3, "Why a clause of a client is violated"));
    text.push_str(&reasons(&evidence.kafkajs));
    text.push_str(&heading(3, "The fences of a client"));
    text.push_str(&fences());
    text.push_str(&stories(&evidence.kafkajs));
    text.push_str(&heading(3, "What the released versions do"));
    text.push_str(&paragraphs(&[
        "[Each version from npm](results/kafkajs.md) is replayed on the ways of this model, as a class and as a whole consumer. In a contract of its own each agrees with the model in every step; under `kafkajs-partition-version` each leaves it, and the page tells the shortest way for each clause.",
    ]));
    text
}

fn contracts(results: &[ContractResult<KafkaJs>]) -> String {
    list(results.iter().map(|result| {
        let Contract { name, title, costs, .. } = &result.contract;
        let costs: String = costs.iter().map(|cost| format!(" Cost: {}", sentence(cost))).collect();
        linked(&format!("{}: {}{costs}", code(name), sentence(title)))
    }))
}

/// Issues of KafkaJS, not of the broker that the rest of the book is about.
fn linked(text: &str) -> String {
    let mut parts = text.split('#');
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        linked.push_str(&format!("[#{number}](https://github.com/tulios/kafkajs/issues/{number}){rest}"));
    }
    linked
}

fn verdicts(results: &[ContractResult<KafkaJs>]) -> String {
    let titles: Vec<String> = results.iter().map(|result| code(&result.contract.name)).collect();
    let mut header = vec!["Clause"];
    header.extend(titles.iter().map(String::as_str));
    let cell = |result: &ContractResult<KafkaJs>, clause: ClauseName| {
        let summary = result.summary(clause);
        match (summary.verdict, summary.story_steps()) {
            (Verdict::Violated, Some(steps)) => format!("✗ {steps}"),
            (Verdict::HoldsExhaustive, _) => "holds".to_owned(),
            (verdict, _) => verdict.to_string(),
        }
    };
    let row = |clause: &ClauseName| {
        std::iter::once(code(clause.word())).chain(results.iter().map(|result| cell(result, *clause))).collect()
    };
    table(&header, &ClauseName::ALL.iter().map(row).collect::<Vec<_>>())
}

/// How many steps of others pass between a request for the lock and its grant, at most.
fn waits(results: &[ContractResult<KafkaJs>]) -> String {
    let longest = |result: &ContractResult<KafkaJs>| {
        let granted = result.views.iter().flat_map(|view| &view.terms);
        let granted = granted.filter(|(term, count)| term.starts_with("lock granted") && *count > 0);
        // The vocabulary has them in ascending order.
        granted.map(|(term, _)| term.clone()).next_back()
    };
    let given_up = |result: &ContractResult<KafkaJs>| {
        result
            .views
            .iter()
            .flat_map(|view| &view.terms)
            .any(|(term, count)| term == "lock-from-resolve-to-use refused" && *count > 0)
    };
    let line = |result: &ContractResult<KafkaJs>| {
        let granted = longest(result)?.replace("lock granted", "granted");
        let ending = if given_up(result) {
            "; a request is given up when its time-out fires"
        } else {
            "; no request is given up"
        };
        Some(format!("{}: {granted}, at most{ending}.", code(&result.contract.name)))
    };
    let mut text = paragraphs(&[
        "Whoever resolves offsets holds the lock for an answer of the coordinator and one of each leader that has to be asked, so that waiting grows with the number of partitions. A fixed time-out that is long enough for one partition is too short for two.",
    ]);
    text.push_str(&list(results.iter().filter_map(line)));
    text
}

fn reasons(results: &[ContractResult<KafkaJs>]) -> String {
    let mut text = String::new();
    for clause in ClauseName::ALL {
        let violated = results.iter().filter(|result| result.summary(*clause).verdict == Verdict::Violated);
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for result in violated {
            let Some(expected) = result.contract.expected.get(clause) else { continue };
            match groups.iter_mut().find(|(because, _)| *because == expected.because) {
                Some((_, names)) => names.push(&result.contract.name),
                None => groups.push((&expected.because, vec![&result.contract.name])),
            }
        }
        let promise = KafkaJs::clause(*clause).promise;
        text.push_str(&format!("{}: {promise}\n\n", code(clause.word())));
        let line = |(because, names): (&str, Vec<&str>)| {
            let names: Vec<String> = names.into_iter().map(code).collect();
            format!("{} ({})", because, names.join(", "))
        };
        text.push_str(&match groups.is_empty() {
            true => paragraphs(&["No proposal violates it."]),
            false => list(groups.into_iter().map(line)),
        });
    }
    text
}

fn fences() -> String {
    let row = |row: &fencepost_spec::kafkajs::fence::FenceDescription| {
        vec![
            code(row.fence.word()),
            row.checkpoint.to_string(),
            row.compares.to_owned(),
            row.protects.to_owned(),
            code(row.clause.word()),
            linked(row.source),
        ]
    };
    let rows: Vec<Vec<String>> = DESCRIPTIONS.iter().map(row).collect();
    table(&["Fence", "Where", "Compares", "Protects", "Refused by", "From"], &rows)
}

fn stories(results: &[ContractResult<KafkaJs>]) -> String {
    let mut text = String::new();
    for (contract, clause, view, why) in TOLD {
        let Some(result) = results.iter().find(|result| result.contract.name == *contract) else { continue };
        let Some(view) = result.view(view) else { continue };
        let title = format!("{clause} in {contract}@{}", view.view.name);
        let Some(story) = view.story(*clause, &title) else { continue };
        text.push_str(&heading(3, &title));
        text.push_str(&paragraphs(&[why]));
        text.push_str(&format!("```text\n{}```\n\n", story.to_text()));
    }
    text
}
