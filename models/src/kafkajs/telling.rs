//! How a step reads in a story.

use fencepost_checker::describe::{Telling, Transition};
use stateright::actor::Id;

use super::bounds::UserAct;
use super::consumer::{Consumer, Ended, Slot};
use super::marks::{Asked, Mark};
use super::messages::{
    Answer, Commit, Committed, Entry, Envelope, Fetched, PARTITIONS, Position, Purpose, Request, Task,
};
use super::system::{Address, KafkaJsModel, consumer_of, coordinator_of};

type Step<'a> = Transition<'a, KafkaJsModel>;

/// Tells one step.
pub fn tell(_model: &KafkaJsModel, receiver: Id, message: &Envelope, transition: &Step<'_>) -> Telling {
    let (actor, towards) = participants(Address::of(receiver), message);
    Telling { actor, towards, text: text(message, transition), changes: changes(transition) }
}

/// Who acts, and on whom. An answer is shown in the direction in which it travels.
fn participants(receiver: Address, message: &Envelope) -> (String, String) {
    let consumer = || name(Address::Consumer);
    match message {
        Envelope::User(_) | Envelope::HandlerReturns(_) => ("user".to_owned(), consumer()),
        Envelope::Answered(..) => (name(Address::Coordinator), consumer()),
        Envelope::Listed(_, node, _) | Envelope::FetchAnswered(node, _) => (name(Address::Broker(*node)), consumer()),
        Envelope::OtherCommits => ("other member".to_owned(), name(Address::Coordinator)),
        _ => (name(receiver), name(receiver)),
    }
}

fn name(address: Address) -> String {
    match address {
        Address::Consumer => "consumer".to_owned(),
        Address::Coordinator => "coordinator".to_owned(),
        Address::Broker(node) => format!("node {node}"),
    }
}

/// What happens, without what changes.
fn text(message: &Envelope, transition: &Step<'_>) -> String {
    match message {
        Envelope::Round(node) => format!("the fetcher of node {node} begins a round"),
        Envelope::HandlerReturns(partition) => format!("the handler of p{partition} returns"),
        Envelope::User(act) => user_text(*act),
        Envelope::Ask(task, Request::Offsets(asked), _) => {
            format!("looks up, for {}, what is committed of {}", task_name(*task), partitions(*asked))
        }
        Envelope::Ask(_, Request::Commit(commit), _) => commit_text(commit, transition),
        Envelope::Ask(task, Request::Join, _) => format!("answers the join of {}", task_name(*task)),
        Envelope::Answered(task, answer) => answer_text(*task, *answer),
        Envelope::List(task) => format!("looks up, for {}, where the log is to be begun", task_name(*task)),
        Envelope::Listed(task, partition, offset) => {
            format!("answers {}: p{partition} is to be begun at {offset}", task_name(*task))
        }
        Envelope::Fetch(node, offset) => format!("reads p{node} at {offset}"),
        Envelope::FetchAnswered(node, fetched) => format!("answers the fetch of p{node}: {}", fetched_text(*fetched)),
        Envelope::OtherCommits => "processes records and commits".to_owned(),
        Envelope::LeadershipMoves => "loses the lead of its partition for a moment".to_owned(),
        Envelope::Retention => "removes old records".to_owned(),
    }
}

fn user_text(act: UserAct) -> String {
    match act {
        UserAct::Seek { partition, offset } => format!("seeks p{partition} to {offset}"),
        UserAct::Pause { partition } => format!("pauses p{partition}"),
        UserAct::Resume { partition } => format!("resumes p{partition}"),
        UserAct::Commit { partition, offset } => format!("commits {offset} of p{partition}"),
    }
}

/// The name of whoever waits for an answer.
pub fn task_name(task: Task) -> String {
    match task {
        Task::Fetcher(node) => format!("the fetcher of node {node}"),
        Task::Worker(partition) => format!("the worker of p{partition}"),
        Task::User => "the user".to_owned(),
    }
}

fn partitions(chosen: [bool; PARTITIONS]) -> String {
    let names: Vec<String> = (0..PARTITIONS).filter(|it| chosen[*it]).map(|it| format!("p{it}")).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" and ") }
}

fn commit_text(commit: &Commit, transition: &Step<'_>) -> String {
    let what = format!("{}, of generation {}", entries(commit), commit.generation);
    let is_refused = transition.facts.iter().any(|mark| matches!(mark, Mark::Refused { .. }));
    match is_refused {
        true => {
            format!("refuses the commit of {what}: the generation is {}", coordinator_of(transition.before).generation)
        }
        false => format!("stores {what}"),
    }
}

fn entries(commit: &Commit) -> String {
    let text = |(partition, entry): (usize, &Option<Entry>)| {
        entry.map(|entry| match entry.position {
            Position::Offset(offset) => format!("{offset} for p{partition}"),
            Position::Logical => format!("a logical offset for p{partition}"),
        })
    };
    commit.entries.iter().enumerate().filter_map(text).collect::<Vec<_>>().join(" and ")
}

fn answer_text(task: Task, answer: Answer) -> String {
    let whom = task_name(task);
    match answer {
        Answer::Offsets(offsets) => {
            let text = |(partition, committed): (usize, &Option<Committed>)| {
                committed.map(|committed| match committed.offset {
                    Some(offset) => format!("{offset} of p{partition}"),
                    None => format!("no number of p{partition}"),
                })
            };
            let texts: Vec<String> = offsets.iter().enumerate().filter_map(text).collect();
            format!("answers {whom}: committed is {}", texts.join(" and "))
        }
        Answer::Committed(commit) => match commit.purpose {
            Purpose::Seek => format!("acknowledges the seek of {whom}"),
            Purpose::Reset => format!("acknowledges the reset of {whom}"),
            Purpose::Progress => format!("acknowledges the commit of {whom}"),
        },
        Answer::IllegalGeneration => format!("refuses the commit of {whom}: illegal generation"),
        Answer::Joined(joined) => {
            format!(
                "answers the join of {whom}: generation {}, with {}",
                joined.generation,
                partitions(joined.assigned)
            )
        }
    }
}

fn fetched_text(fetched: Fetched) -> String {
    match fetched {
        Fetched::Records(first, last) if first == last => format!("record {first}"),
        Fetched::Records(first, last) => format!("records {first} to {last}"),
        Fetched::Control(offset) => format!("a control record at {offset}"),
        Fetched::Empty => "nothing yet".to_owned(),
        Fetched::OutOfRange => "offset out of range".to_owned(),
        Fetched::NotLeader => "not leader".to_owned(),
    }
}

/// What changed: what was sent, what a fence refused, and what the consumer and the coordinator know now.
fn changes(transition: &Step<'_>) -> Vec<String> {
    let mut changes: Vec<String> = transition.facts.iter().filter_map(mark_text).collect();
    let (before, after) = (consumer_of(transition.before), consumer_of(transition.after));
    changes.extend(known_changes(before, after));
    for partition in 0..PARTITIONS {
        let is_paused = |consumer: &Consumer| consumer.paused[partition];
        if is_paused(before) != is_paused(after) {
            changes.push(format!("p{partition} is {}", if is_paused(after) { "paused" } else { "active" }));
        }
    }
    let (stood, stands) = (coordinator_of(transition.before), coordinator_of(transition.after));
    for partition in 0..PARTITIONS {
        if stood.committed[partition] != stands.committed[partition] {
            let position = stands.committed[partition].map(|standing| standing.position);
            changes.push(format!("the group's progress of p{partition} is {}", position_text(position)));
        }
    }
    if stood.generation != stands.generation {
        changes.push(format!("generation {}: the consumer has {}", stands.generation, partitions(stands.assigned)));
    }
    match after.ended {
        Some(Ended::Crashed) => changes.push("the consumer crashes".to_owned()),
        Some(Ended::Stopped) => changes.push("the fetchers stop, to join again".to_owned()),
        None => {}
    }
    changes
}

fn position_text(position: Option<Position>) -> String {
    match position {
        Some(Position::Offset(offset)) => offset.to_string(),
        Some(Position::Logical) => "a logical offset".to_owned(),
        None => "nothing".to_owned(),
    }
}

fn mark_text(mark: &Mark) -> Option<String> {
    match mark {
        Mark::Asked(Asked::Coordinator(_, Request::Offsets(asked))) => {
            Some(format!("it asks the coordinator for the offsets of {}", partitions(*asked)))
        }
        Mark::Asked(Asked::Coordinator(_, Request::Commit(commit))) => Some(format!("it commits {}", entries(commit))),
        Mark::Asked(Asked::Coordinator(_, Request::Join)) => Some("it joins the group again".to_owned()),
        Mark::Asked(Asked::List(_, node)) => Some(format!("it asks node {node} where p{node} is to be begun")),
        Mark::Asked(Asked::Fetch(node, offset)) => Some(format!("it fetches p{node} at {offset}")),
        Mark::Refused { fence, .. } => Some(format!("refused by {fence}")),
        Mark::LockGranted(0) => None,
        Mark::LockGranted(steps) => Some(format!("the lock is granted after {steps} steps of others")),
        Mark::UnknownUsed { partition, what } => Some(format!("it {what} (p{partition})")),
        Mark::Handed { partition, .. } => Some(format!("they go to the handlers of p{partition}")),
        Mark::Passed(_) | Mark::NextOffset { .. } | Mark::Fetched { .. } | Mark::Stored { .. } => None,
    }
}

/// What the offset managers know now.
fn known_changes(before: &Consumer, after: &Consumer) -> Vec<String> {
    let mut changes = Vec::new();
    for partition in 0..PARTITIONS {
        if before.committed[partition] != after.committed[partition] {
            let text = after.committed[partition].map_or_else(|| "unknown".to_owned(), |offset| offset.to_string());
            changes.push(format!("committed, as the consumer knows: p{partition} {text}"));
        }
        let slot = |consumer: &Consumer| match consumer.manager.resolved[partition] {
            Slot::Absent => "absent".to_owned(),
            Slot::Undefined => "undefined".to_owned(),
            Slot::At { offset, .. } => offset.to_string(),
        };
        if slot(before) != slot(after) {
            changes.push(format!("next offset of p{partition}: {}", slot(after)));
        }
    }
    changes
}
