//! What happened, one line a step.

use fencepost_driver::{Progress, Reply, Step, World};
use serde::Serialize;

use super::calls::Operations;
use super::changes::{Change, Known};
use super::tell::{Teller, Told};
use crate::replay::divergence::DivergenceKind;
use crate::replay::runner::Done;

/// One line of a story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Who acts.
    pub actor: String,
    /// Whom it concerns; the same as `actor` for an inner step.
    pub towards: String,
    /// What happens, in words.
    pub text: String,
    /// The steps of the driver: one, or those that belong together; none if only what is inside of the implementation goes on.
    pub steps: Vec<Step>,
    /// The answer that a client got.
    pub answer: Option<Reply>,
    /// What changed since the line before.
    pub changes: Vec<Change>,
}

/// Tells a transcript, the step that diverges last.
pub(super) fn story(world: &World, transcript: &[Done], kind: DivergenceKind) -> Vec<Line> {
    let operations = Operations::of(transcript);
    let mut known = Known::at_start(world);
    let mut lines = Vec::new();
    let mut rest = transcript;
    while let [first, others @ ..] = rest {
        let pair = others.first().filter(|second| belong_together(&first.0, &second.0));
        let (_, seen) = pair.unwrap_or(first);
        rest = if pair.is_some() { &others[1..] } else { others };
        let steps: Vec<Step> = first.0.iter().chain(pair.iter().flat_map(|second| &second.0)).cloned().collect();
        let teller = Teller { operations: &operations, unsynced: known.unsynced(), seen };
        let mut told = tell(&teller, &steps);
        if rest.is_empty() {
            told.text.push_str(&failure(kind, &seen.progress));
        }
        let answer = match &seen.progress {
            Progress::Done { reply, .. } => Some(reply.clone()),
            _ => None,
        };
        let changes = known.take(&seen.observation, &operations, operation_of(&steps));
        let Told { actor, towards, text } = told;
        lines.push(Line { number: lines.len() + 1, actor, towards, text, steps, answer, changes });
    }
    lines
}

/// Whether a request is sent as soon as it is begun, or the process is started as soon as it died.
fn belong_together(first: &[Step], second: &[Step]) -> bool {
    match (first, second) {
        ([Step::Start { operation, .. }], [Step::Resume { park, .. }]) => park.name == *operation,
        ([Step::Crash { .. }], [Step::Restart {}]) => true,
        _ => false,
    }
}

fn tell(teller: &Teller<'_>, steps: &[Step]) -> Told {
    match steps {
        [Step::Start { operation, call }, Step::Resume { park, answer }] => teller.sent(operation, call, park, *answer),
        [first, ..] => teller.step(first),
        [] => Told {
            actor: "owner".to_owned(),
            towards: "owner".to_owned(),
            text: "everything inside of the implementation goes on to its end".to_owned(),
        },
    }
}

/// The operation that steps concern.
fn operation_of(steps: &[Step]) -> Option<&str> {
    match steps.last()? {
        Step::Start { operation, .. } | Step::Cancel { operation } => Some(operation),
        Step::Resume { park, .. } => Some(&park.name),
        Step::Crash { .. } | Step::Restart {} => None,
    }
}

/// What went wrong in the last step, where the words of the step do not say it.
fn failure(kind: DivergenceKind, progress: &Progress) -> String {
    match (kind, progress) {
        (_, Progress::Refused { .. }) => ", but the implementation refuses this step".to_owned(),
        (DivergenceKind::Hang, _) => ", but there is no answer in time".to_owned(),
        (DivergenceKind::PanicOrExit, _) => ", but the implementation panics or ends".to_owned(),
        (DivergenceKind::Protocol, _) => ", but the driver's answer does not keep to the protocol".to_owned(),
        _ => String::new(),
    }
}

/// The world at the start, in words.
pub(super) fn start(world: &World, contract: &str) -> String {
    let mut sentences = vec![messages(world), group(world)];
    for client in world.clients.iter().filter(|client| !world.members.contains(&client.name)) {
        let what = if client.is_of_group { "is of the group and has not joined yet" } else { "polls for itself" };
        sentences.push(format!("{} {what}", client.name));
    }
    let old: Vec<&str> =
        world.clients.iter().filter(|client| client.is_old).map(|client| client.name.as_str()).collect();
    if !old.is_empty() {
        sentences.push(format!("{} sends no identities (old client)", old.join(" and ")));
    }
    if world.settings.contract != contract && !world.settings.contract.is_empty() {
        sentences.push(format!("the implementation is configured as {}", world.settings.contract));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join("; ")
}

fn messages(world: &World) -> String {
    let listed: Vec<String> =
        world.messages.iter().enumerate().map(|(offset, payload)| format!("{offset}: {payload}")).collect();
    let messages = match listed.as_slice() {
        [] => "no messages".to_owned(),
        [one] => format!("message {one}"),
        several => format!("messages {}", several.join(", ")),
    };
    let bookmarks: Vec<String> =
        world.bookmarks.iter().map(|(key, offset)| format!("bookmark of {key} at {offset}")).collect();
    let bookmarks = if bookmarks.is_empty() { "no bookmarks".to_owned() } else { bookmarks.join(", ") };
    format!("{messages}; {bookmarks}")
}

fn group(world: &World) -> String {
    let partitions = if world.partitions == 1 { "the partition".to_owned() } else { "the tried partition".to_owned() };
    match world.members.as_slice() {
        [] => String::new(),
        [one] => format!("{one} is the only member of the group and owns {partitions}"),
        [first, ..] => {
            format!("{} are members of the group, and {first} owns {partitions}", world.members.join(" and "))
        }
    }
}
