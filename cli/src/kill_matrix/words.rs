//! A trace in short words, for one cell of a table.

use fencepost_conformance::replay::runner::Found;
use fencepost_driver::{Answer, Call, Crash, ParkKind, Start, Step};

/// The steps of a trace: what happens to one operation after the other, in order. `A.1: polls next, arrives; B joins; …`
pub(super) fn steps(found: &Found) -> String {
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for step in found.transcript.iter().flat_map(|(steps, _)| steps) {
        let (who, what) = told(step);
        match parts.last_mut() {
            _ if what.is_empty() => {}
            Some((last, all)) if *last == who => all.push(what),
            _ => parts.push((who, vec![what])),
        }
    }
    let part = |(who, what): &(String, Vec<String>)| format!("{who} {}", counted(what).join(", "));
    parts.iter().map(part).collect::<Vec<_>>().join("; ")
}

/// The same thing several times in a row, once with a number.
fn counted(all: &[String]) -> Vec<String> {
    let groups = all.chunk_by(|first, second| first == second);
    let one = |group: &[String]| match group {
        [only] => only.clone(),
        [first, ..] => format!("{first} {} times", group.len()),
        [] => String::new(),
    };
    groups.map(one).collect()
}

fn told(step: &Step) -> (String, String) {
    match step {
        Step::Start { operation, call } => (operation.clone(), asked(call)),
        Step::Cancel { operation } => (operation.clone(), "is given up".to_owned()),
        Step::Crash { crash: Crash::Process {} } => ("owner".to_owned(), "restarts".to_owned()),
        Step::Crash { crash: Crash::Power { keep } } if keep.is_empty() => {
            ("owner".to_owned(), "loses power".to_owned())
        }
        Step::Crash { crash: Crash::Power { keep } } => {
            let kept: Vec<String> = keep.iter().map(ToString::to_string).collect();
            ("owner".to_owned(), format!("loses power and keeps write {}", kept.join(" and ")))
        }
        Step::Restart {} => ("owner".to_owned(), String::new()),
        Step::Resume { park, answer } => resumed(park.kind, &park.name, *answer),
    }
}

fn asked(call: &Call) -> String {
    match call {
        Call::Poll { start, automatic_commit, may_wait, .. } => {
            let start = match start {
                Start::Next => "next".to_owned(),
                Start::First => "first".to_owned(),
                Start::Last => "last".to_owned(),
                Start::Offset { offset } => format!("offset {offset}"),
            };
            let automatic = if *automatic_commit { " with automatic commit" } else { "" };
            let waits = if *may_wait { " and may wait" } else { "" };
            format!("polls {start}{automatic}{waits}")
        }
        Call::Store { offset, batch_of: Some(poll), .. } => format!("stores {offset} of {poll}"),
        Call::Store { offset, .. } => format!("stores {offset}"),
        Call::Delete { .. } => "deletes".to_owned(),
        Call::Send { payloads } => format!("sends {}", payloads.len()),
        Call::Empty {} => "empties".to_owned(),
        Call::Recreate {} => "re-creates".to_owned(),
        Call::Join { consumer } => format!("{consumer} joins"),
        Call::Leave { consumer } => format!("{consumer} leaves"),
        Call::Disconnect { consumer } => format!("{consumer} disconnects"),
        Call::Expire { count } => format!("expires {count}"),
    }
}

fn resumed(kind: ParkKind, name: &str, answer: Answer) -> (String, String) {
    let who = |name: &str| if name.is_empty() { "owner".to_owned() } else { name.to_owned() };
    let what = match (kind, answer) {
        (ParkKind::Request, _) => "",
        (ParkKind::Gather, _) => "asks the owner",
        (ParkKind::Gathered, _) => "hears the owner",
        (ParkKind::Propose, _) => "is decided",
        (ParkKind::Arrival, _) => "arrives",
        (ParkKind::Open, Answer::Fail) => "finds its file gone",
        (ParkKind::Open, _) => "opens",
        (ParkKind::Complete, _) => "completes",
        (ParkKind::Wait, Answer::TimeOut) => "times out",
        (ParkKind::Wait, _) => "wakes",
        (ParkKind::Reply, _) => "is answered",
        (ParkKind::Apply, _) => "applies",
        (ParkKind::Commit, _) => "commits",
        (ParkKind::Purge, Answer::Fail) => "fails in a step of the purge",
        (ParkKind::Purge, _) => "takes a step of the purge",
        (ParkKind::FinishPurge, _) => "finishes the purge",
        (ParkKind::ReportDrained, _) => "reports that it is drained",
        (ParkKind::Drained, _) => return ("metadata".to_owned(), "hears that it is drained".to_owned()),
        (ParkKind::Applied, _) => return ("metadata".to_owned(), "hears that it is applied".to_owned()),
        (ParkKind::GatewayTimeOut, _) => return ("gateway".to_owned(), format!("gives up {name}")),
        (ParkKind::RevocationTimeOut, _) => "times the revocation out",
        (ParkKind::Inner, _) => "goes on inside",
    };
    (who(name), what.to_owned())
}
