//! One function a table.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::cells::{NOTHING, grouped, maybe, maybe_count, three_digits};
use crate::contest::{Contest, Runs};
use crate::contestant::Contestant;
use crate::engine::{Goal, Identity};
use crate::groups::REFERENCE;

/// A table with one column of text at the left; numbers follow.
fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled).set_header(header.to_vec());
    for column in 1..header.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn finished(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The subjects of some contestants.
pub(super) fn subjects(contestants: &[Contestant]) -> String {
    let names: BTreeSet<_> = contestants.iter().map(|contestant| contestant.subject).collect();
    names.iter().map(|subject| format!("`{subject}`")).collect::<Vec<_>>().join(", ")
}

/// The seconds of the reference on the same subject, for the same goal.
fn reference_seconds(contest: &Contest, contestant: &Contestant) -> Option<f64> {
    let reference = Contestant { engine: REFERENCE, threads: 1, ..*contestant };
    contest.runs(&reference)?.seconds()
}

/// Who is who: language, representation, and what to know when comparing.
pub(super) fn who_is_who(contestants: &[Contestant]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled).set_header([
        "engine",
        "model and representation",
        "states told apart",
        "first counterexample",
    ]);
    let engines: BTreeSet<_> = contestants.iter().map(|contestant| contestant.engine).collect();
    for engine in engines {
        table.add_row([engine.name(), engine.representation(), engine.identity_in_words(), engine.story_in_words()]);
    }
    finished(&table)
}

/// States, time and memory of explorations of all states.
pub(super) fn all_states(contest: &Contest, contestants: &[Contestant]) -> String {
    let mut table = table(&[
        "engine",
        "threads",
        "states",
        "transitions",
        "seconds",
        "from - to",
        "rate",
        "bytes per state",
        "ratio",
    ]);
    for contestant in contestants {
        let Some(runs) = contest.runs(contestant) else { continue };
        let seconds = runs.seconds();
        let states = runs.first().map(|first| first.states);
        let range = runs.range_seconds().map(|(low, high)| format!("{} - {}", three_digits(low), three_digits(high)));
        let rate = seconds.zip(states).map(|(seconds, states)| states as f64 / seconds / contestant.threads as f64);
        let ratio = reference_seconds(contest, contestant).zip(seconds).map(|(reference, seconds)| reference / seconds);
        table.add_row([
            contestant.engine.name().to_owned(),
            contestant.threads.to_string(),
            maybe_count(states),
            maybe_count(runs.first().map(|first| first.transitions)),
            maybe(seconds),
            range.unwrap_or_else(|| NOTHING.to_owned()),
            maybe(rate),
            maybe(runs.peak_bytes().zip(states).map(|(bytes, states)| bytes / states as f64)),
            maybe(ratio),
        ]);
    }
    finished(&table)
}

/// How much two threads help; empty if nobody ran on two.
pub(super) fn scaling(contest: &Contest, contestants: &[Contestant]) -> String {
    let mut table = table(&["engine", "seconds on 1 thread", "on 2 threads", "times faster"]);
    for contestant in contestants.iter().filter(|contestant| contestant.threads == 2) {
        let seconds_on = |threads| contest.runs(&contestant.with_threads(threads)).and_then(Runs::seconds);
        if let Some((one, two)) = seconds_on(1).zip(seconds_on(2)) {
            let numbers = [one, two, one / two].map(three_digits);
            table.add_row(std::iter::once(contestant.engine.name().to_owned()).chain(numbers).collect::<Vec<_>>());
        }
    }
    if table.row_count() == 0 { String::new() } else { finished(&table) }
}

/// Time and length of the first counterexample.
pub(super) fn first_breach(contest: &Contest, contestants: &[Contestant]) -> String {
    let mut table = table(&["engine", "seconds", "steps of the story", "states"]);
    for contestant in contestants {
        let Some(runs) = contest.runs(contestant) else { continue };
        table.add_row([
            contestant.engine.name().to_owned(),
            maybe(runs.seconds()),
            maybe_count(runs.first().and_then(|first| first.story_steps)),
            maybe_count(runs.first().map(|first| first.states)),
        ]);
    }
    finished(&table)
}

/// Seconds of each engine at each size, one column a size.
pub(super) fn growth(contest: &Contest, contestants: &[Contestant]) -> String {
    let mut seconds: BTreeMap<_, BTreeMap<_, Option<f64>>> = BTreeMap::new();
    let mut states = BTreeMap::new();
    for contestant in contestants {
        let runs = contest.runs(contestant);
        seconds.entry(contestant.engine).or_default().insert(contestant.subject, runs.and_then(Runs::seconds));
        if let Some(first) = runs.and_then(Runs::first) {
            states.insert(contestant.subject, first.states);
        }
    }
    let titles = states.iter().map(|(subject, states)| format!("seconds for {subject} ({})", grouped(*states)));
    let header: Vec<String> = std::iter::once("engine".to_owned()).chain(titles).collect();
    let mut table = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for (engine, seconds) in &seconds {
        let cells = states.keys().map(|subject| maybe(seconds.get(subject).copied().flatten()));
        table.add_row(std::iter::once(engine.name().to_owned()).chain(cells).collect::<Vec<_>>());
    }
    finished(&table)
}

/// What must be said beside the tables: who did not run, and who lost states.
pub(super) fn notes(contest: &Contest, contestants: &[Contestant]) -> Vec<String> {
    let mut notes = BTreeSet::new();
    for contestant in contestants {
        let Some(runs) = contest.runs(contestant) else { continue };
        let name = contestant.engine.name();
        if let Some(reason) = &runs.not_run {
            notes.insert(format!("`{name}` not run: {reason}."));
        }
        let is_lossy = contestant.goal == Goal::All && contestant.engine.identity() == Identity::Lossy;
        if let (true, Some(first), Some(known)) = (is_lossy, runs.first(), contestant.subject.known_states()) {
            let lost = known.saturating_sub(first.states);
            let share = 100.0 * lost as f64 / known as f64;
            let (lost, known) = (grouped(lost), grouped(known));
            notes.insert(format!("`{name}` lost {lost} of {known} states ({share:.2} %) and says nothing of it."));
        }
    }
    notes.into_iter().collect()
}
