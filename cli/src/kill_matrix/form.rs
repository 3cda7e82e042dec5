//! The page with the table.

use fencepost_reference::Fault;

use super::alternatives;
use super::gates::{Caught, Gates};
use super::power::Images;
use super::words;
use super::{Matrix, Outcome, Row};
use crate::output::grouped;

/// The page.
pub(super) fn page(matrix: &Matrix) -> String {
    let mut text = format!("{}\n{}\n", HEAD.replace("BOUNDS", &matrix.bounds.to_string()), TABLE_HEAD);
    for row in &matrix.rows {
        text += &line(row);
    }
    text += &alternatives_text(matrix);
    text += &power(&matrix.power);
    text += &totals(matrix);
    text
}

const HEAD: &str = "\
# Kill matrix

Written by `fencepost kill-matrix --bounds BOUNDS`; do not edit. `--check` compares this file with what is written now.

Each row is a fault that was planted in the reference partition, and the trace that catches it, chosen from the explored model and then
shrunk. The shipped views are tried first; a view whose name begins with `narrow-` was made for its fault, since no shipped view of this
size comes by it. A contract named with `--without` or `--with` is a changed one: under the built-in contracts another fence or choice hides
the fault. *Clause* is the clause whose change explains what was seen; in italics, no change of the
contract explains it, and the clause is named by what was seen. *Sees* is the least that one must see of the implementation to notice
the fault by some trace of that view: the answers to clients only, also what is in memory, or everything. The five gates: the code of
the fault ran on this trace (**l**anded), the same reference without it agrees on the trace (**b**uilt), steps were done (**r**an), the
trace diverges (**f**ailed), and for the expected clause (**c**lause), or for one of the alternatives that are listed below the table with a
reason. A gate that is not passed is a `-`.
";

const TABLE_HEAD: &str = "\
| Fault | What is wrong | Source | Contract and view | Trace | Steps | Clause | First difference | Sees | Gates |
| --- | --- | --- | --- | --- | ---: | --- | --- | --- | --- |";

/// The line of a fault, with its end.
pub(super) fn line(row: &Row) -> String {
    let Row { fault, outcome, .. } = row;
    let start = format!("| `{fault}` | {} | {} |", cell(&fault.sentence()), cell(fault.source()));
    match outcome {
        Outcome::Survives(proof) => {
            let word = if proof.holds { "cannot show" } else { "**survives**" };
            format!("{start} {word} | {} | | {} | | | `-----` |\n", cell(&proof.text), fault.expected())
        }
        Outcome::Caught(caught) => {
            let divergence = &caught.divergence;
            format!(
                "{start} {} {} | {} | {} | {} | {} | {} | `{}` |\n",
                divergence.contract,
                divergence.view,
                cell(&words::steps(&divergence.found)),
                divergence.steps(),
                clause(*fault, caught),
                cell(&difference(caught)),
                caught.weakest,
                gates(caught.gates),
            )
        }
    }
}

fn clause(fault: Fault, caught: &Caught) -> String {
    let Some(clause) = caught.divergence.blame.clause else { return "none".to_owned() };
    let name = if caught.symptom.is_some() { format!("*{clause}*") } else { clause.to_string() };
    if clause == fault.expected() { name } else { format!("{name} (expected {})", fault.expected()) }
}

/// The first difference, short: the field, or the answer that was seen and the one that was allowed.
fn difference(caught: &Caught) -> String {
    let first = caught.divergence.found.first();
    match first.field {
        Some(field) => field.key().to_owned(),
        None => format!("{} instead of {}", first.seen, first.allowed),
    }
}

fn gates(gates: Gates) -> String {
    let all =
        [(gates.landed, 'l'), (gates.built, 'b'), (gates.ran, 'r'), (gates.failed, 'f'), (gates.expected_clause, 'c')];
    all.iter().map(|(passed, letter)| if *passed { *letter } else { '-' }).collect()
}

/// Text that a cell of a table can hold.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn alternatives_text(matrix: &Matrix) -> String {
    let lines = matrix.rows.iter().filter_map(|row| {
        let Outcome::Caught(caught) = &row.outcome else { return None };
        let clause = caught.divergence.blame.clause?;
        let reason = alternatives::reason(row.fault, clause)?;
        (clause != row.fault.expected()).then(|| format!("- `{}` shows by {clause}: {reason}\n", row.fault))
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n## Alternatives\n\n{lines}") }
}

const POWER_HEAD: &str = "
## Power loss at every moment

Power is lost after every step of the owner and before every storage call, on the traces of every view that loses power, under the policy
`posix-weak`: with the partition as it is, and with each sync made to do nothing. Every image is recovered, and its recovery is cut off by
a second power loss before each of its own storage calls. Forbidden are moments at which something is recovered that the contract does not
allow after a power loss there. `docs/results/power-loss.md` has the numbers of each contract, view and policy.

| Partition | Moments | Images | Second images | Distinct recovered states | Forbidden moments |
| --- | ---: | ---: | ---: | ---: | ---: |
";

fn power(all: &[Images]) -> String {
    let lines = all.iter().map(|images| {
        format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            images.deaf.as_ref().map_or_else(|| "as it is".to_owned(), |fault| format!("`{fault}`")),
            grouped(images.moments),
            grouped(images.images),
            grouped(images.second_images),
            grouped(images.recovered_states as u64),
            grouped(images.forbidden_moments),
        )
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("{POWER_HEAD}{lines}") }
}

fn totals(matrix: &Matrix) -> String {
    let totals = matrix.totals();
    let list = |faults: &[String]| {
        if faults.is_empty() { String::new() } else { format!(": {}", faults.join(", ")) }
    };
    format!(
        "\n## Totals\n\n\
        - {} rows, {} caught with all five gates.\n\
        - Caught, but not with all gates: {}{}.\n\
        - Cannot show, with a reason in the row: {}{}.\n\
        - Not explained: {}{}.\n\
        - {} traces and {} steps were replayed on faulty partitions. They are from {} traces of the views, {} the reference without a \
        fault agrees.\n\n\
        ```console\n\
        fencepost kill-matrix --bounds {bounds}                  # write this file\n\
        fencepost kill-matrix --bounds {bounds} --check          # compare it\n\
        fencepost kill-matrix --bounds {bounds} --fault WORD     # the whole page of one row\n\
        ```\n",
        totals.rows,
        totals.caught,
        totals.partly.len(),
        list(&totals.partly),
        totals.proved.len(),
        list(&totals.proved),
        totals.unexplained.len(),
        list(&totals.unexplained),
        grouped(totals.traces),
        grouped(totals.steps),
        grouped(matrix.stocked as u64),
        match matrix.left_out {
            0 => "on all of which".to_owned(),
            count => format!("on all but {} of which", grouped(count as u64)),
        },
        bounds = matrix.bounds,
    )
}
