//! Tables of the results, as Markdown that can be read as text, too.

mod cells;
mod tables;

use std::fmt::Write;

use crate::contest::Contest;
use crate::groups::{GroupName, REFERENCE};
use crate::machine;

/// The whole report.
pub fn text(contest: &Contest, groups: &[GroupName], rounds: usize, is_quick: bool) -> String {
    let everybody: Vec<_> = groups.iter().flat_map(|group| group.contestants(is_quick)).collect();
    let mut text = introduction(rounds, is_quick) + &tables::who_is_who(&everybody);
    for group in groups {
        let contestants = group.contestants(is_quick);
        let tables = match group {
            GroupName::Growth => vec![tables::growth(contest, &contestants)],
            GroupName::FirstBreach => vec![tables::first_breach(contest, &contestants)],
            _ => vec![tables::all_states(contest, &contestants), tables::scaling(contest, &contestants)],
        };
        let subjects = tables::subjects(&contestants);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {}\n\n{} Model: {subjects}.\n", group.heading(), group.explanation());
        for table in tables.iter().filter(|table| !table.is_empty()) {
            let _ = write!(text, "\n{table}");
        }
        for note in tables::notes(contest, &contestants) {
            let _ = write!(text, "\n{note}\n");
        }
    }
    text
}

fn introduction(rounds: usize, is_quick: bool) -> String {
    let sizes = if is_quick { "small sizes, for a look only" } else { "full sizes" };
    let rounds = if rounds == 1 { "One round".to_owned() } else { format!("Medians of {rounds} rounds") };
    format!(
        "# Benchmarks\n\n\
         Written by `cargo run --release -p fencepost-benches -- run` on {date}; {sizes}.\n\
         Machine: {processor}. Tools: {tools}.\n\n\
         {rounds}; contestants take turns, each in a process of its own. *Seconds* are those of the exploration alone \
         for engines in Rust, and of the whole run of `pan` (without compiling it) or of the Java machine (with its \
         start) for other tools. *Bytes per state* are the most resident memory of the process, divided by the distinct \
         states; of other tools it is looked at every few milliseconds, and not told for runs under 20. *Rate* is \
         distinct states per second and thread. *Ratio* is the time of `{reference}` on one thread, divided by the \
         contestant's: more than 1 is faster.\n\n\
         Engines of Fencepost judge the model's promise at transitions, of the core only at those of the owner, which \
         alone can break it. Stateright and TLC judge it in every state, Spin after every step that could break it.\n\n\
         Spin's table has at least twice as many places as there are states, its search a depth limit of 1,000 that no \
         path reaches; flags `-O2 -DSAFETY -DNOFAIR -DNOREDUCE` (one process has nothing to reduce). TLC has a heap of \
         at most 4 GiB and uses what it likes of it.\n\n",
        date = machine::today(),
        processor = machine::processor(),
        tools = machine::tools(),
        reference = REFERENCE.name(),
    )
}
