//! Requests and those who make them, in words.

use std::collections::BTreeMap;

use fencepost_driver::{Call, Start, Step};

use crate::replay::runner::Done;

/// The operations of a story, with what they ask for.
pub(super) struct Operations<'a>(BTreeMap<&'a str, &'a Call>);

impl<'a> Operations<'a> {
    /// Those that are begun in a transcript.
    pub(super) fn of(transcript: &'a [Done]) -> Self {
        let steps = transcript.iter().flat_map(|(steps, _)| steps);
        Self(
            steps
                .filter_map(|step| match step {
                    Step::Start { operation, call } => Some((operation.as_str(), call)),
                    _ => None,
                })
                .collect(),
        )
    }

    /// An operation as a noun: `poll A.1`.
    pub(super) fn noun(&self, operation: &str) -> String {
        match self.0.get(operation) {
            Some(Call::Poll { .. }) => format!("poll {operation}"),
            Some(Call::Store { .. }) => format!("store {operation}"),
            Some(Call::Delete { .. }) => format!("delete {operation}"),
            Some(Call::Send { .. }) => format!("send {operation}"),
            Some(Call::Empty {}) => format!("the emptying ({operation})"),
            Some(Call::Recreate {}) => format!("the re-creation ({operation})"),
            Some(Call::Join { consumer }) => format!("the join of {consumer} ({operation})"),
            Some(Call::Leave { consumer }) => format!("the leaving of {consumer} ({operation})"),
            Some(Call::Disconnect { consumer }) => format!("the end of the session of {consumer} ({operation})"),
            Some(Call::Expire { .. }) => format!("the expiry ({operation})"),
            None => operation.to_owned(),
        }
    }

    /// Who asked: the name before the number of the operation.
    pub(super) fn caller(&self, operation: &str) -> String {
        operation.rsplit_once('.').map_or(operation, |(client, _)| client).to_owned()
    }

    /// Who asked, in a sentence.
    pub(super) fn caller_in_words(&self, operation: &str) -> String {
        match self.caller(operation).as_str() {
            "operator" => "the operator".to_owned(),
            "producer" => "the producer".to_owned(),
            consumer => consumer.to_owned(),
        }
    }
}

/// A request as a sentence.
pub(super) fn asks(call: &Call) -> String {
    match call {
        Call::Poll { consumer, start, count, automatic_commit, may_wait } => {
            let start = match start {
                Start::Next => "after its bookmark".to_owned(),
                Start::First => "at the first message".to_owned(),
                Start::Last => "at the last messages".to_owned(),
                Start::Offset { offset } => format!("at offset {offset}"),
            };
            let commits = if *automatic_commit { ", with automatic commit" } else { "" };
            let waits = if *may_wait { ", and may wait" } else { "" };
            format!("{consumer} polls {start}, at most {count}{commits}{waits}")
        }
        Call::Store { consumer, offset, batch_of: Some(poll) } => {
            format!("{consumer} stores offset {offset}, from the batch of {poll}")
        }
        Call::Store { consumer, offset, batch_of: None } => {
            format!("{consumer} stores offset {offset}, a position of its own choice")
        }
        Call::Delete { consumer } => format!("{consumer} deletes its bookmark"),
        Call::Send { payloads } => format!("the producer sends {}", payloads.join(", ")),
        Call::Empty {} => "the operator empties the topic".to_owned(),
        Call::Recreate {} => "the operator deletes the topic and creates it again".to_owned(),
        Call::Join { consumer } => format!("{consumer} joins the group"),
        Call::Leave { consumer } => format!("{consumer} leaves the group"),
        Call::Disconnect { consumer } => format!("the session of {consumer} ends"),
        Call::Expire { count: 1 } => "the oldest message expires".to_owned(),
        Call::Expire { count } => format!("the {count} oldest messages expire"),
    }
}
