//! Which reactions count as the same when few traces are wanted.
//!
//! An exact reaction is a state of the consumer with a message. An abstract one forgets numbers (offsets, versions, generations, rounds
//! that are left) and keeps what the code branches on: where each fetcher is, what is known, and whether what is under way is stale.

use fencepost_models::kafkajs::consumer::{Batch, Consumer, Phase, Slot, Stage, Under, Wants};
use fencepost_models::kafkajs::messages::{Answer, Envelope, Fetched, PARTITIONS, Request};
use fencepost_models::kafkajs::vocabulary::{ActionKind, kind_of};

/// A reaction, exact or abstract, as a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// The whole state and the message.
    Exact(Box<Consumer>, Envelope),
    /// What counts of both.
    Abstract(Box<(Situation, ActionKind, u8)>),
}

/// What counts of a state of the consumer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Situation {
    fetchers: [Place; PARTITIONS],
    partitions: [Known; PARTITIONS],
    batches: Vec<(u8, Kind, Stage, bool)>,
    has_topic: (bool, bool),
    asked: Vec<Asked>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Idle { may_begin: bool },
    Seeking,
    Waiting { resolves: bool },
    Resolving { stale: [bool; PARTITIONS], pending: [bool; PARTITIONS], listing: [bool; PARTITIONS] },
    Fetching { stale: bool },
    Resetting,
    Joining,
    Handing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Known {
    assigned: bool,
    committed: bool,
    slot: Option<bool>,
    sought: bool,
    paused: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Records,
    Control,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asked {
    Offsets,
    Commit { of_former: bool },
    Join,
}

/// What counts of a reaction.
pub fn abstracted(consumer: &Consumer, message: &Envelope) -> Reaction {
    let of = match message {
        Envelope::Round(it) | Envelope::HandlerReturns(it) | Envelope::FetchAnswered(it, _) => *it,
        Envelope::Answered(task, answer) => match answer {
            Answer::Joined(joined) => joined.assigned.iter().fold(0, |bits, is_ours| bits << 1 | u8::from(*is_ours)),
            _ => u8::from(*task >= fencepost_models::kafkajs::messages::Task::Fetcher(1)),
        },
        _ => 0,
    };
    Reaction::Abstract(Box::new((situation(consumer), kind_of(message), of)))
}

fn situation(consumer: &Consumer) -> Situation {
    let batch = |batch: &Batch| {
        let kind = match batch.fetched {
            Fetched::Records(..) => Kind::Records,
            Fetched::Control(_) => Kind::Control,
            _ => Kind::Other,
        };
        (batch.partition, kind, batch.stage, is_stale(consumer, usize::from(batch.partition), batch.under))
    };
    let asked = |(_, request): &(_, Request)| match request {
        Request::Offsets(_) => Asked::Offsets,
        Request::Commit(commit) => Asked::Commit { of_former: commit.generation != consumer.manager.generation },
        Request::Join => Asked::Join,
    };
    Situation {
        fetchers: std::array::from_fn(|node| place(consumer, node)),
        partitions: std::array::from_fn(|partition| known(consumer, partition)),
        batches: consumer.batches.iter().map(batch).collect(),
        has_topic: (consumer.manager.has_topic(), consumer.topic_is_known),
        asked: consumer.queue.iter().map(asked).collect(),
    }
}

fn is_stale(consumer: &Consumer, partition: usize, under: Under) -> bool {
    under.truth != consumer.truths[partition] || under.manager != consumer.manager.generation
}

fn place(consumer: &Consumer, node: usize) -> Place {
    match consumer.fetchers[node] {
        Phase::Idle => Place::Idle { may_begin: consumer.rounds[node] > 0 },
        Phase::Seeking { .. } => Place::Seeking,
        Phase::WaitingForLock { wants, .. } => Place::Waiting { resolves: matches!(wants, Wants::Resolve(_)) },
        Phase::Resolving(resolving) => {
            let is_stale = |partition: usize| {
                resolving.manager != consumer.manager.generation
                    || resolving.truths[partition] != consumer.truths[partition]
            };
            Place::Resolving {
                stale: std::array::from_fn(is_stale),
                pending: resolving.pending,
                listing: resolving.listing,
            }
        }
        Phase::Fetching(under) => Place::Fetching { stale: is_stale(consumer, node, under) },
        Phase::Resetting => Place::Resetting,
        Phase::Joining => Place::Joining,
        Phase::Handing => Place::Handing,
    }
}

fn known(consumer: &Consumer, partition: usize) -> Known {
    let committed = consumer.committed[partition];
    Known {
        assigned: consumer.manager.assigned[partition],
        committed: committed.is_some(),
        slot: match consumer.manager.resolved[partition] {
            Slot::Absent => None,
            Slot::Undefined => Some(false),
            Slot::At { offset, .. } => Some(committed != Some(offset)),
        },
        sought: consumer.seeks[partition].is_some(),
        paused: consumer.paused[partition],
    }
}
