//! The scenarios, each with the answer of every contract.

use fencepost_checker::story::Story;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::event::EventKind;
use fencepost_spec::scenario::{ExpectedAnswer, From, Reference, Scenario, Step, Survivors, Verb};

use super::chapters::paragraphs;
use super::evidence::{Asked, Evidence};
use super::markdown::{
    cell_lines, clause, code, contract, contracts, heading, paragraph, scenario as link, scenario_heading, sentence,
    source, table,
};
use super::stories::Stories;
use crate::ask::answer::{Answer, AskResult, Possible};
use crate::output::counted;

/// The heading of the chapter.
pub(super) const HEADING: &str = "Scenarios";

/// Scenarios with a diagram: those about regaining, which no shortest story of a violation needs.
const TOLD: &[&str] = &["delayed-commit-after-regaining", "poll-in-flight-across-regaining"];

/// The chapter.
pub(super) fn chapter(evidence: &Evidence, _: &Stories) -> String {
    let mut text = paragraphs(&[
        "A scenario is a bug report or an open question as data: steps, and what must have happened before each of them. What it does not name may happen whenever it can, in every order. A contract makes it possible, impossible, or it does not apply.",
        "For each step the tables give the answers that its client gets, with a bar between answers of different courses. A clause that breaks *in some courses* does not break in all of them. `fencepost ask NAME --story` tells the shortest course of each answer.",
    ]);
    let all = evidence.contract_names();
    let row = |asked: &Asked| {
        let breaking = asked.breaking();
        let breaks = if breaking.is_empty() { "none".to_owned() } else { contracts(&breaking, &all) };
        vec![link(&asked.scenario.name), asked.scenario.question.clone(), breaks]
    };
    let rows: Vec<Vec<String>> = evidence.scenarios.iter().map(row).collect();
    text.push_str(&table(&["Scenario", "Question", "Breaks a clause under"], &rows));
    text.extend(evidence.scenarios.iter().map(section));
    text
}

fn section(asked: &Asked) -> String {
    let scenario = &asked.scenario;
    let mut text = heading(3, &scenario_heading(&scenario.name));
    text.push_str(&paragraph(&format!("{} *{}*", sentence(&scenario.title), scenario.question)));
    text.push_str(&paragraph(&start(scenario)));
    text.push_str(&steps(scenario));
    text.push_str(&table(&["Contracts", "Answer", "What the clients get", "What breaks"], &rows(asked)));
    text.push_str(&course(asked));
    let file = format!("[`spec/scenarios/{0}.toml`](../spec/scenarios/{0}.toml)", scenario.name);
    let sources: Vec<String> =
        scenario.sources.iter().map(|text| source(text)).filter(|text| !text.is_empty()).collect();
    let sources = if sources.is_empty() { String::new() } else { format!(" Source: {}.", sources.join("; ")) };
    text + &paragraph(&format!("File: {file}.{sources}"))
}

/// The shortest course under the first contract under which a clause breaks, if it is told.
fn course(asked: &Asked) -> String {
    let breaking = asked.results.iter().find(|result| !result.broken().is_empty());
    let story = breaking.and_then(|result| Some((result, result.story()?)));
    match story.filter(|_| TOLD.contains(&asked.scenario.name.as_str())) {
        None => String::new(),
        Some((result, story)) => {
            let ending = story.ending.replace('\n', "; ");
            let untitled = Story { title: String::new(), ending, ..story.clone() };
            let introduction = format!("The shortest course under {}:", contract(&result.contract));
            format!("{}```mermaid\n{}```\n\n", paragraph(&introduction), untitled.to_mermaid())
        }
    }
}

/// The world at the start.
fn start(scenario: &Scenario) -> String {
    let start = &scenario.start;
    let mut parts = match start.messages {
        0 => vec!["The log is empty".to_owned()],
        1 => vec!["The log holds 1 message".to_owned()],
        count => vec![format!("The log holds {count} messages")],
    };
    if start.resident {
        parts.push("all of it in memory".to_owned());
    }
    if !start.group.is_empty() {
        let members = if start.members.is_empty() { "nobody".to_owned() } else { start.members.join(", ") };
        parts.push(format!("members of the group: {members}"));
    }
    if start.partitions == Some(2) {
        parts.push("the topic has two partitions".to_owned());
    }
    parts.extend(start.bookmarks.iter().map(|(name, offset)| {
        let whose = if name == "group" { "the group" } else { name };
        format!("the bookmark of {whose} is {offset}")
    }));
    if !start.old_clients.is_empty() {
        parts.push(format!("old clients: {}", start.old_clients.join(", ")));
    }
    if let Some(slots) = start.prepare_slots {
        let waiting = start.queue_slots.unwrap_or(0);
        parts.push(format!("{} may be prepared at once, {waiting} may wait", counted(usize::from(slots), "operation")));
    }
    if let Some(slots) = start.read_slots {
        parts.push(format!("{} may run at once", counted(usize::from(slots), "read")));
    }
    parts.join("; ") + "."
}

fn steps(scenario: &Scenario) -> String {
    let step = |(number, step): (usize, &Step)| {
        let mut text = format!("{number}. **{}**: {}.", step.id, doing(scenario, step));
        for (event, references) in &step.conditions {
            text.push_str(&format!(" {} {}.", condition(*event, step.does), after(scenario, references)));
        }
        text.push_str(&demand(step));
        text + "\n"
    };
    (1..).zip(&scenario.steps).map(step).collect::<String>() + "\n"
}

fn doing(scenario: &Scenario, step: &Step) -> String {
    let who = match step.who.as_str() {
        "producer" | "operator" => format!("the {}", step.who),
        other => other.to_owned(),
    };
    let messages = counted(usize::from(step.count), "message");
    let offset = step.offset.unwrap_or(0);
    let of = step.of.map(|of| code(&scenario.steps[of].id)).unwrap_or_default();
    match step.does {
        Verb::Poll => {
            let from = match step.from {
                From::Next => "after the bookmark".to_owned(),
                From::First => "from the first message".to_owned(),
                From::Last => "for the last messages".to_owned(),
                From::Offset => format!("from offset {offset}"),
            };
            let automatic = if step.automatic_commit { ", with automatic commit" } else { "" };
            let waits = if step.may_wait { ", and may wait at the owner" } else { "" };
            format!("{who} polls {from}, up to {messages}{automatic}{waits}")
        }
        Verb::Store => format!("{who} stores offset {offset}"),
        Verb::StorePosition => format!("{who} stores offset {offset} as a position of its own choice"),
        Verb::DeleteBookmark => format!("{who} deletes its bookmark"),
        Verb::GiveUp => format!("{who} gives up waiting for the answer to {of}"),
        Verb::Send => format!("{who} sends {messages}"),
        Verb::EmptyTheTopic => format!("{who} empties the topic"),
        Verb::ReCreateTheTopic => format!("{who} deletes the topic and creates it again"),
        Verb::Join => format!("{who} joins the group"),
        Verb::Leave => format!("{who} leaves the group"),
        Verb::Disconnect => format!("the session of {who} ends"),
        Verb::ExpireMessages => format!("the oldest {messages} expire"),
        Verb::Restart => "the owner's process dies and recovers".to_owned(),
        Verb::LosePower => format!("power is lost and the owner recovers{}", survivors(step.survivors)),
        Verb::FailToSyncPartition => "syncing the partition directory fails during the purge".to_owned(),
        Verb::FailToSyncBookmarks => "syncing the directory of bookmarks fails during the purge".to_owned(),
        Verb::FailToUnlinkBookmarks => "unlinking the bookmarks fails during the purge".to_owned(),
        Verb::GatewayGivesUp => format!("the gateway gives up waiting for {of}, and answers in place of the owner"),
        Verb::RevocationTimesOut => "the pending revocation times out".to_owned(),
    }
}

fn survivors(survivors: Survivors) -> &'static str {
    match survivors {
        Survivors::Any => "; any part of what was not synced survives",
        Survivors::None => "; nothing that was not synced survives",
        Survivors::All => "; everything survives that was written",
    }
}

/// How a condition on an event of a step begins.
fn condition(event: EventKind, verb: Verb) -> String {
    match event {
        EventKind::Sent if verb.phases() == [EventKind::Sent, EventKind::Answered] => "It happens after".to_owned(),
        EventKind::Sent => "It is sent after".to_owned(),
        EventKind::Arrived => "It arrives after".to_owned(),
        EventKind::Opened => "Its file is opened after".to_owned(),
        EventKind::Completed => "It completes after".to_owned(),
        EventKind::Committed => "It commits after".to_owned(),
        other => format!("It is {other} after"),
    }
}

fn after(scenario: &Scenario, references: &[Reference]) -> String {
    let reference = |reference: &Reference| {
        let step = code(&scenario.steps[reference.step].id);
        match reference.phase {
            None => step,
            Some(EventKind::Sent) => format!("{step} is sent"),
            Some(EventKind::Arrived) => format!("{step} has arrived"),
            Some(EventKind::Completed) => format!("{step} has completed"),
            Some(EventKind::Committed) => format!("{step} has committed"),
            Some(EventKind::GatewayGaveUp) => format!("the gateway has given up on {step}"),
            Some(EventKind::GivenUp) => format!("{step} is given up"),
            Some(phase) => format!("{step} is {phase}"),
        }
    };
    references.iter().map(reference).collect::<Vec<_>>().join(" and ")
}

/// What the scenario demands of the answer.
fn demand(step: &Step) -> String {
    let demanded = match (step.answer, step.offsets) {
        (_, Some((first, last))) if first == last => format!("offset {first}"),
        (_, Some((first, last))) => format!("offsets {first} to {last}"),
        (ExpectedAnswer::Any, None) => return String::new(),
        (ExpectedAnswer::Messages, None) => "messages".to_owned(),
        (ExpectedAnswer::Nothing, None) => "an empty batch".to_owned(),
        (ExpectedAnswer::Refused, None) => "a refusal".to_owned(),
        (ExpectedAnswer::Done, None) => "an acknowledgement".to_owned(),
        (ExpectedAnswer::Lost, None) => return " Its answer is lost.".to_owned(),
    };
    format!(" It must get {demanded}.")
}

/// The answers; contracts with the same one share a row.
fn rows(asked: &Asked) -> Vec<Vec<String>> {
    let mut groups: Vec<(Vec<String>, [String; 3])> = Vec::new();
    for result in &asked.results {
        let row = row(&asked.scenario, result);
        let name = contract(&result.contract);
        match groups.iter_mut().find(|(_, other)| *other == row) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], row)),
        }
    }
    let cells = |(names, row): (Vec<String>, [String; 3])| std::iter::once(cell_lines(names)).chain(row).collect();
    groups.into_iter().map(cells).collect()
}

fn row(scenario: &Scenario, result: &AskResult) -> [String; 3] {
    match &result.answer {
        Answer::NotApplicable(reason) => ["does not apply".to_owned(), sentence(reason), String::new()],
        Answer::Impossible(impossible) => ["impossible".to_owned(), sentence(&impossible.obstacle), String::new()],
        Answer::Unknown => ["not known".to_owned(), String::new(), String::new()],
        Answer::Possible(possible) => ["possible".to_owned(), answers(scenario, possible), breaches(possible)],
    }
}

fn answers(scenario: &Scenario, possible: &Possible) -> String {
    let steps = scenario.steps.iter().filter_map(|step| Some((&step.id, possible.answers.get(&step.id)?)));
    cell_lines(steps.map(|(id, answers)| {
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        format!("{}: {}", code(id), answers.join(" | "))
    }))
}

fn breaches(possible: &Possible) -> String {
    let breach = |name: &ClauseName| {
        let always = if possible.always_broken.contains(name) { "" } else { " (in some courses)" };
        match possible.breaches.iter().find(|breach| breach.clause == *name) {
            Some(breach) => format!("{}{always}: {}", clause(*name), breach.reason),
            None => format!("{}{always}", clause(*name)),
        }
    };
    if possible.broken.is_empty() { "nothing".to_owned() } else { cell_lines(possible.broken.iter().map(breach)) }
}

/// What contracts make of a scenario, in one line.
pub(super) fn in_short(asked: &Asked) -> String {
    let groups = vec![
        ("breaks a clause under", asked.breaking()),
        ("harmless under", asked.harmless()),
        ("impossible under", asked.impossible()),
        ("does not apply to", asked.not_applicable()),
    ];
    format!("{}: {}.", link(&asked.scenario.name), divided(groups))
}

/// All contracts divided into groups; the last of the greatest groups becomes "every other contract".
fn divided(groups: Vec<(&str, Vec<&str>)>) -> String {
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, group)| !group.is_empty()).collect();
    if let [(what, _)] = groups.as_slice() {
        return format!("{what} every contract");
    }
    let greatest = groups.iter().enumerate().max_by_key(|(_, (_, group))| group.len()).map_or(0, |(index, _)| index);
    let (what, rest) = groups.remove(greatest);
    let names = |names: &[&str]| names.iter().map(|name| contract(name)).collect::<Vec<_>>().join(", ");
    let mut parts: Vec<String> = groups.iter().map(|(what, group)| format!("{what} {}", names(group))).collect();
    let rest = if rest.len() > 2 { "every other contract".to_owned() } else { names(&rest) };
    parts.push(format!("{what} {rest}"));
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_groups_of_contracts_when_divided_should_end_with_the_others() {
        let groups = vec![("breaks under", vec!["a", "b", "c"]), ("harmless under", vec!["d"]), ("not for", vec![])];
        assert_eq!(divided(groups), "harmless under [`d`](#contract-d); breaks under every other contract");
        assert_eq!(
            divided(vec![("breaks under", vec![]), ("harmless under", vec!["d"])]),
            "harmless under every contract"
        );
    }
}
