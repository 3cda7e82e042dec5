//! What the document is about, where it belongs, how to read it, and how to reproduce it.

use super::chapters::paragraphs;
use super::evidence::Evidence;
use super::markdown::{command, heading, list, paragraph, table, to_heading};
use super::stories::Stories;
use super::{answers, identities, open, recordings, words};
use crate::output::grouped;

/// The heading of the chapter.
pub(super) const HEADING: &str = "Scope and home";

/// The words for verdicts.
const VERDICTS: &[(&str, &str)] = &[
    (
        "holds (exhaustive)",
        "Every execution within the bounds was explored, and the clause was exercised and never broken.",
    ),
    ("holds up to depth N", "Every execution of at most N steps was explored, and none broke the clause."),
    ("violated", "An execution breaks the clause. The shortest one is told."),
    ("vacuous", "Everything was explored, and nothing exercised the clause."),
    ("stopped (reason)", "The exploration ended early without a breach. Nothing is known."),
    ("not checked", "No exploration looked at the clause."),
];

/// How each kind of statement can be seen again.
const COMMANDS: &[(&str, &str)] = &[
    ("The table of verdicts", "fencepost check"),
    ("A story of a violation", "fencepost check CONTRACT --story CLAUSE@VIEW"),
    ("What a fence is needed for", "fencepost check CONTRACT --without FENCE"),
    ("Whether the views are large enough", "fencepost check --margins"),
    ("The answers to a scenario", "fencepost ask SCENARIO"),
    ("The whole course of a scenario", "fencepost ask SCENARIO --contract CONTRACT --story"),
    ("A recording of real code", "fencepost follow FILE --contract CONTRACT"),
    ("This document", "fencepost book --check"),
];

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "This document specifies how a partition of Apache Iggy fences polls and consumer offsets. A *fence* is a check of named identities at a named place that protects a named effect. For each fence the document says which identity must still be current, where that is checked, what the check protects, and what a client may conclude from the answer.",
        "It describes eight *contracts*: the code as it was on 2026-08-21, the code after #4119, the designs that the maintainers discuss, and what the published crates document. They are compared line by line, so that a choice can be made with its consequences in view.",
    ]);
    text.push_str(&paragraph(&format!(
        "{} takes each point and each open question of the discussion in turn. {} lists what nobody has decided yet.",
        to_heading("Answers first", answers::HEADING),
        to_heading("What is still open", open::HEADING)
    )));
    text.push_str(&home());
    text.push_str(&reading(evidence));
    text.push_str(&making());
    text
}

fn home() -> String {
    let mut text = heading(3, "Where it belongs");
    text.push_str(&paragraphs(&[
        "No document of this kind exists upstream. What is written down is in the documentation of modules, each about its own part. This document would sit beside:",
    ]));
    text.push_str(&list(
        [
            "`core/server/src/partition_reconciler.rs`: partitions that are created, deleted and created again, and the fences around that;",
            "`core/shard/src/poll.rs` and `core/shard/src/poll/completion.rs`: how a completed read is accepted;",
            "`core/partitions/src/poll_plan.rs`: what a read captures when it is planned;",
            "the purge in `core/partitions`, file `iggy_partition.rs`: order of the steps, purge floor, purge generation;",
            "the documentation of `IggyConsumer` and of the poll interface: what an application may rely on, and how it recovers from a lost reply.",
        ]
        .map(str::to_owned),
    ));
    text.push_str(&paragraphs(&[
        "Consensus and sessions are outside the scope. They appear only as far as polls and offsets meet them: metadata decides first and is applied later, and a session can end.",
    ]));
    text
}

fn reading(evidence: &Evidence) -> String {
    let mut text = heading(3, "How to read a verdict");
    text.push_str(&paragraphs(&[
        "A *clause* is one promise. A verdict says what is known about a clause under a contract, in these words and no others:",
    ]));
    let rows: Vec<Vec<String>> =
        VERDICTS.iter().map(|(word, meaning)| vec![format!("*{word}*"), (*meaning).to_owned()]).collect();
    text.push_str(&table(&["Verdict", "Meaning"], &rows));
    text.push_str(&paragraphs(&[
        "A *view* is a small world: a number of messages, polls, commits, purges, joins, leaves and failures, explored to the end. A verdict holds within these bounds, not beyond them; [a chapter of its own](#margins-of-the-bounds) tells how far they reach. A violation needs no such care: its story is an execution that anybody can check by hand.",
        "A contract names the views that it answers for. Its verdicts rest on those. The other views are explored, too, and shown apart.",
    ]));
    text.push_str(&views(evidence));
    text
}

fn views(evidence: &Evidence) -> String {
    let Some(first) = evidence.contracts.first() else { return String::new() };
    let row = |index: usize| {
        let name = first.views[index].view.name;
        let views = || evidence.contracts.iter().filter_map(|result| result.view(name));
        let least = views().map(|view| view.states).min().unwrap_or(0);
        let most = views().map(|view| view.states).max().unwrap_or(0);
        let depth = views().map(|view| view.depth).max().unwrap_or(0);
        let states = if least == most { grouped(most) } else { format!("{} to {}", grouped(least), grouped(most)) };
        vec![format!("`{name}`"), words::view(name).unwrap_or_default().to_owned(), states, depth.to_string()]
    };
    let rows: Vec<Vec<String>> = (0..first.views.len()).map(row).collect();
    let introduction = format!(
        "The views at the bounds `{}`, with their numbers of states over the contracts and the longest way to a state:",
        first.bounds
    );
    paragraph(&introduction) + &table(&["View", "What happens in it", "States", "Depth"], &rows)
}

fn making() -> String {
    let mut text = heading(3, "How it was made, and how to see it again");
    text.push_str(&paragraphs(&[
        "Metadata, gateway, owner, disk, consumers, producer and operator are actors of a model. Each contract is data that the actors obey. Every step that can happen next is taken, in every order, until no new state appears. At every step each clause is judged by what really happened, which no fence can see.",
    ]));
    text.push_str(&paragraph(&format!(
        "The model is held against real code as well: {} of the code of 2026-08-21 are followed step by step, and every one of them must be possible in the model.",
        to_heading("recordings", recordings::HEADING)
    )));
    text.push_str(&paragraph(&format!(
        "Words with a fixed meaning are in {}. The parts of the model are described in [the architecture](architecture.md), its choices in [the decisions](decisions/model-choices.md).",
        to_heading("Terms", identities::TERMS)
    )));
    let rows: Vec<Vec<String>> =
        COMMANDS.iter().map(|(what, command)| vec![(*what).to_owned(), format!("`{command}`")]).collect();
    text.push_str(&table(&["To see", "Run"], &rows));
    text.push_str(&paragraphs(&["Without an installed binary, at the root of the repository:"]));
    text + &command("cargo run --release -- check")
}
