//! The words between the runner and the driver of KafkaJS: steps, and what is seen after each.

use std::collections::BTreeMap;

use fencepost_models::kafkajs::bounds::{Bounds, ResetTo};
use fencepost_models::kafkajs::messages::{Committed, Fetched, Joined, PARTITIONS};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a request is answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// What the group has committed.
    Offsets([Option<Committed>; PARTITIONS]),
    /// Where a partition's log is to be begun.
    Listed(u8, u8),
    /// A commit took effect.
    Stored,
    /// A commit is refused.
    IllegalGeneration,
    /// The consumer has joined, and synced.
    Joined(Joined),
    /// What a fetch found.
    Fetched(Fetched),
}

/// One step that the driver is told to take.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The consumer has joined: always the first step.
    Begin {
        /// Whether offsets are committed automatically.
        automatic: bool,
        /// Whether a partition without offset is begun at the first record.
        from_beginning: bool,
        /// How many handlers run at once.
        concurrency: u8,
    },
    /// An idle fetcher begins a round.
    Round {
        /// Its node.
        node: u8,
        /// The partitions whose offsets the round takes, at the level of the class.
        offsets_for: Vec<u8>,
    },
    /// A request is answered.
    Answer {
        /// Its number.
        request: u64,
        /// The answer.
        content: Content,
    },
    /// A running handler returns.
    HandlerEnds(u8),
    /// The application seeks.
    Seek(u8, u8),
    /// The application pauses a partition.
    Pause(u8),
    /// The application resumes a partition.
    Resume(u8),
    /// The application commits an offset.
    Commit(u8, u8),
}

impl Step {
    /// The first step of a view.
    pub fn begin(bounds: &Bounds) -> Self {
        Self::Begin {
            automatic: bounds.automatic,
            from_beginning: bounds.reset_to == ResetTo::Earliest,
            concurrency: bounds.concurrency,
        }
    }

    /// The step as the driver reads it. `fetched_at` tells at which offset a fetch was sent.
    pub fn to_json(&self, fetched_at: impl Fn(u64) -> Option<u8>) -> Value {
        match self {
            Self::Begin { automatic, from_beginning, concurrency } => json!({
                "do": "begin", "assignment": (0..PARTITIONS).collect::<Vec<_>>(), "automatic": automatic,
                "from_beginning": from_beginning, "concurrency": concurrency,
            }),
            Self::Round { node, offsets_for } => json!({"do": "round", "node": node, "offsets_for": offsets_for}),
            Self::Answer { request, content } => answer(*request, *content, fetched_at(*request)),
            Self::HandlerEnds(partition) => json!({"do": "handler-ends", "partition": partition}),
            Self::Seek(partition, offset) => {
                json!({"do": "seek", "partition": partition, "offset": offset.to_string()})
            }
            Self::Pause(partition) => json!({"do": "pause", "partition": partition}),
            Self::Resume(partition) => json!({"do": "resume", "partition": partition}),
            Self::Commit(partition, offset) => {
                json!({"do": "commit", "partition": partition, "offset": offset.to_string()})
            }
        }
    }
}

fn answer(request: u64, content: Content, fetched_at: Option<u8>) -> Value {
    let error = |word: &str| json!({"do": "answer", "request": request, "error": word});
    let value = match content {
        Content::Offsets(offsets) => {
            let text = |committed: &Committed| committed.offset.map_or_else(|| "-1".to_owned(), |it| it.to_string());
            json!({"offsets": by_partition(&offsets.map(|it| it.as_ref().map(text)))})
        }
        Content::Listed(partition, offset) => json!({"offsets": {partition.to_string(): offset.to_string()}}),
        Content::Stored => json!({}),
        Content::IllegalGeneration => return error("illegal-generation"),
        Content::Joined(joined) => {
            let assigned: Vec<usize> = (0..PARTITIONS).filter(|it| joined.assigned[*it]).collect();
            json!({"generation": joined.generation, "assignment": assigned})
        }
        Content::Fetched(Fetched::Records(first, last)) => json!({"records": [first.to_string(), last.to_string()]}),
        // Records below the offset asked for are passed over like a control record at that offset.
        Content::Fetched(Fetched::Control(offset)) => {
            let below = fetched_at.unwrap_or(offset).saturating_sub(1).to_string();
            json!({"records": [below, below]})
        }
        Content::Fetched(Fetched::Empty) => json!({"records": null}),
        Content::Fetched(Fetched::OutOfRange) => return error("out-of-range"),
        Content::Fetched(Fetched::NotLeader) => return error("not-leader"),
    };
    json!({"do": "answer", "request": request, "value": value})
}

/// Values by the number of their partition, as text; partitions without one are left out.
pub fn by_partition<T: Clone>(values: &[Option<T>; PARTITIONS]) -> BTreeMap<String, T> {
    let numbered = values.iter().enumerate();
    numbered.filter_map(|(partition, value)| Some((partition.to_string(), value.clone()?))).collect()
}

/// A request that is not answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "api", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// What did the group commit?
    OffsetFetch {
        /// Its number.
        id: u64,
        /// The partitions.
        partitions: Vec<u8>,
    },
    /// Commit this.
    Commit {
        /// Its number.
        id: u64,
        /// The generation.
        generation: u8,
        /// The offsets; -1 and -2 are logical.
        offsets: BTreeMap<String, String>,
    },
    /// Where does a log begin or end?
    ListOffsets {
        /// Its number.
        id: u64,
        /// The node.
        node: u8,
        /// The partitions.
        partitions: Vec<u8>,
    },
    /// Fetch.
    Fetch {
        /// Its number.
        id: u64,
        /// The node.
        node: u8,
        /// The offsets.
        offsets: BTreeMap<String, String>,
    },
    /// Join the group again.
    Join {
        /// Its number.
        id: u64,
    },
}

/// A handler that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handler {
    /// The partition.
    pub partition: u8,
    /// The first offset it was given.
    pub first: String,
    /// The last.
    pub last: String,
}

/// What is seen after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Requests that are not answered yet, in the order of their numbers.
    pub requests: Vec<Request>,
    /// Handlers that run, by partition.
    pub handlers: Vec<Handler>,
    /// Nodes whose fetchers wait for their next round.
    pub idle: Vec<u8>,
    /// Why nothing more happens: `stopped`, or an exception. Of an exception only the name counts.
    pub ended: Option<String>,
    /// The committed offsets that the managers share; seen at the level of the class only, like the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<BTreeMap<String, Option<String>>>,
    /// The next offsets that the current manager knows; `null` for an entry without a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<BTreeMap<String, Option<String>>>,
    /// What the current manager answered in this step when it was asked for next offsets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offsets: Option<BTreeMap<String, String>>,
}
