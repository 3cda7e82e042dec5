//! The page of results: a row per version and level, a column per clause. It has no times, so that it can be compared.

use std::fmt::Write;

use fencepost_conformance::kafkajs::change::all_words;
use fencepost_conformance::kafkajs::evidence::Evidence;
use fencepost_spec::family::Family;
use fencepost_spec::kafkajs::{ClauseName, KafkaJs};

use super::{TargetReplay, page};
use crate::output::{counted, grouped};

const INTRODUCTION: &str = "# KafkaJS, version by version

Written by `fencepost replay --driver kafkajs --results docs/results/kafkajs.md`; a test compares.

Each version of the npm package is moved along ways that come by every abstract reaction of the modelled consumer, under
`kafkajs-partition-version`: the contract in which nothing old is taken for new. Level 1 is the class `OffsetManager` with a
loop of ours around it that has no guard; level 2 the whole `Consumer`, from 2.0.0 on (before, one round fetches from all nodes:
another loop, which is not driven). A cell tells in how many steps the version breaks the clause, at the fewest, and where this is
reported, a line for each circumstance that is told apart below; each of these ways was taken on the package itself. A dot: no way
was found, within the bounds.

";

const CRASH: &str = "
## What no released version does

The seed race of #555 ends in a crash only where rounds over the same partitions overlap: at the class, in every version up to
1.12.0. At level 2 above no version crashes that way: the guard of #582 leaves the partition out. Up to 1.11.0 the `Consumer` has only
one round at a time under way, so that its rounds do not overlap; the rounds that do are those of #570's source tree, which never was a
package without the guard. Those versions are not driven at level 2; over TCP (level 3) all six are: [what each did](kafkajs-tcp.md).
";

/// The page.
pub(super) fn page(results: &[TargetReplay]) -> String {
    let (default, own): (Vec<&TargetReplay>, Vec<&TargetReplay>) =
        results.iter().partition(|result| result.contract == "kafkajs-partition-version");
    let mut text = INTRODUCTION.to_owned();
    text.push_str(&table(&default));
    text.push_str(CRASH);
    text.push_str(&own_contracts(&own));
    text.push_str(&shortest(&default));
    text
}

fn table(results: &[&TargetReplay]) -> String {
    let clauses = ClauseName::ALL;
    let mut text =
        format!("| Version | Level |{}\n", clauses.iter().map(|it| format!(" `{it}` |")).collect::<String>());
    writeln!(text, "| --- | --- |{}", " --- |".repeat(clauses.len())).ok();
    for result in results {
        let cells: String = clauses.iter().map(|clause| format!(" {} |", cell(result, *clause))).collect();
        writeln!(text, "| {} | {} |{cells}", result.target.package, result.target.level).ok();
    }
    text
}

fn cell(result: &TargetReplay, clause: ClauseName) -> String {
    let all = result.gathered.evidence.iter().filter(|evidence| evidence.clause == clause);
    let text = |evidence: &Evidence| {
        if evidence.leaves.is_none() {
            return format!("{} (by contract)", evidence.steps());
        }
        let issues: Vec<String> = page::issues(result, evidence).into_iter().map(link).collect();
        format!("{} {}", evidence.steps(), issues.join(" ")).trim_end().to_owned()
    };
    let cells: Vec<String> = all.map(text).collect();
    if cells.is_empty() { "·".to_owned() } else { cells.join("<br>") }
}

/// An issue of the package, by its number.
fn link(issue: &str) -> String {
    let number = issue.rsplit('/').next().unwrap_or(issue);
    format!("[#{number}]({issue})")
}

fn own_contracts(results: &[&TargetReplay]) -> String {
    let mut text = "\n## The contract of its own\n\nIn its own contract each version agrees on every way:\n\n\
        | Version | Level | Contract | Traces | Steps | Result |\n| --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for result in results {
        let changes =
            if result.changes.is_empty() { String::new() } else { format!(", {}", all_words(&result.changes)) };
        let count = |number: fn(&fencepost_conformance::kafkajs::session::ViewReplay) -> usize| {
            grouped(result.views.iter().map(number).sum::<usize>() as u64)
        };
        let diverged: usize = result.views.iter().map(|view| view.diverged).sum();
        let outcome =
            if diverged == 0 { "agrees".to_owned() } else { format!("{} diverge", counted(diverged, "trace")) };
        writeln!(
            text,
            "| {} | {} | `{}`{changes} | {} | {} | {outcome} |",
            result.target.package,
            result.target.level,
            result.contract,
            count(|view| view.traces),
            count(|view| view.steps),
        )
        .ok();
    }
    text
}

/// The shortest way to break each clause, on the newest version that breaks it, at the highest level.
fn shortest(results: &[&TargetReplay]) -> String {
    let mut text = "\n## The shortest way to break each clause\n\nOn the last row that breaks it so. \
        `--scripts FOLDER` writes each as a program that needs nothing but the package.\n"
        .to_owned();
    let mut kinds: Vec<(ClauseName, &str)> = Vec::new();
    for evidence in
        results.iter().flat_map(|result| &result.gathered.evidence).filter(|evidence| evidence.leaves.is_some())
    {
        let kind = (evidence.clause, evidence.circumstance);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_unstable();
    for (clause, circumstance) in kinds {
        let found = |result: &&&TargetReplay| evidence_of(result, clause, circumstance).is_some();
        let newest = results.iter().filter(found).max_by_key(|result| (result.target.level, order(results, result)));
        let Some(result) = newest else { continue };
        let Some(evidence) = evidence_of(result, clause, circumstance) else { continue };
        writeln!(
            text,
            "\n### `{}`\n\n{}\n\nkafkajs {}, level {}: {}.\n\n```text\n{}```",
            evidence.about(),
            KafkaJs::clause(clause).promise,
            result.target.package,
            result.target.level,
            evidence.reason,
            evidence.story.to_text()
        )
        .ok();
    }
    text
}

fn evidence_of<'a>(result: &'a TargetReplay, clause: ClauseName, circumstance: &str) -> Option<&'a Evidence> {
    let is_it = |evidence: &&Evidence| {
        evidence.clause == clause && evidence.circumstance == circumstance && evidence.leaves.is_some()
    };
    result.gathered.evidence.iter().find(is_it)
}

fn order(results: &[&TargetReplay], result: &TargetReplay) -> usize {
    results.iter().position(|other| std::ptr::eq(*other, result)).unwrap_or_default()
}
