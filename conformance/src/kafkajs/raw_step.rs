//! A step as it stands in a recording, and what it means to a consumer that has asked certain requests.

use std::collections::BTreeMap;

use fencepost_models::kafkajs::messages::{Committed, Fetched, Joined, PARTITIONS};
use serde::Deserialize;

use super::simulation::{Simulation, Waiting};
use super::step::{Content, Step};

/// A step, unread.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawStep {
    #[serde(rename = "do")]
    what: String,
    #[serde(default)]
    #[allow(dead_code, reason = "the model begins with all partitions")]
    assignment: Option<Vec<u8>>,
    /// Whether offsets are committed automatically.
    #[serde(default)]
    pub automatic: Option<bool>,
    /// Whether a partition without offset is begun at the first record.
    #[serde(default)]
    pub from_beginning: Option<bool>,
    /// How many handlers run at once.
    #[serde(default)]
    pub concurrency: Option<u8>,
    #[serde(default)]
    node: Option<u8>,
    #[serde(default)]
    offsets_for: Option<Vec<u8>>,
    #[serde(default)]
    request: Option<u64>,
    #[serde(default)]
    value: Option<RawValue>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    partition: Option<u8>,
    #[serde(default)]
    offset: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawValue {
    #[serde(default)]
    offsets: Option<BTreeMap<String, String>>,
    #[serde(default)]
    generation: Option<u8>,
    #[serde(default)]
    assignment: Option<Vec<usize>>,
    #[serde(default)]
    records: Option<[String; 2]>,
}

impl RawStep {
    /// Whether it is the first step.
    pub fn is_begin(&self) -> bool {
        self.what == "begin"
    }

    /// Whether it is a round over more than one partition.
    pub fn covers_all(&self) -> bool {
        self.offsets_for.as_ref().is_some_and(|partitions| partitions.len() > 1)
    }

    /// The step. `None`: it answers a request that this consumer has not sent.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&self, simulation: &Simulation) -> Result<Option<Step>, String> {
        let step = match self.what.as_str() {
            "begin" => Step::Begin {
                automatic: self.automatic.unwrap_or(true),
                from_beginning: self.from_beginning.unwrap_or(false),
                concurrency: self.concurrency.unwrap_or(1),
            },
            "round" => Step::Round { node: self.node()?, offsets_for: self.offsets_for.clone().unwrap_or_default() },
            "answer" => return self.answer(simulation),
            "handler-ends" => Step::HandlerEnds(self.partition()?),
            "seek" => Step::Seek(self.partition()?, self.offset()?),
            "pause" => Step::Pause(self.partition()?),
            "resume" => Step::Resume(self.partition()?),
            "commit" => Step::Commit(self.partition()?, self.offset()?),
            other => return Err(fencepost_spec::diagnostic::unknown_word(other, WORDS.iter().copied())),
        };
        Ok(Some(step))
    }

    fn node(&self) -> Result<u8, String> {
        in_range(self.node, "node")
    }

    fn partition(&self) -> Result<u8, String> {
        in_range(self.partition, "partition")
    }

    fn offset(&self) -> Result<u8, String> {
        number(self.offset.as_deref().unwrap_or_default())
    }

    fn answer(&self, simulation: &Simulation) -> Result<Option<Step>, String> {
        let request = self.request.ok_or("an answer names its `request`")?;
        let Some(waiting) = simulation.waiting(request) else { return Ok(None) };
        let content = match (self.error.as_deref(), &self.value) {
            (Some("out-of-range"), None) => Content::Fetched(Fetched::OutOfRange),
            (Some("not-leader"), None) => Content::Fetched(Fetched::NotLeader),
            (Some("illegal-generation"), None) => Content::IllegalGeneration,
            (Some(other), _) => {
                let known = ["out-of-range", "not-leader", "illegal-generation"];
                return Err(fencepost_spec::diagnostic::unknown_word(other, known.iter().copied()));
            }
            (None, Some(value)) => value.read(waiting)?,
            (None, None) => return Err("an answer has a `value` or an `error`".to_owned()),
        };
        Ok(Some(Step::Answer { request, content }))
    }
}

const WORDS: &[&str] = &["begin", "round", "answer", "handler-ends", "seek", "pause", "resume", "commit"];

impl RawValue {
    fn read(&self, waiting: Waiting) -> Result<Content, String> {
        Ok(match waiting {
            Waiting::Offsets(known) => Content::Offsets(self.committed(known)?),
            Waiting::Listed(node) => Content::Listed(node, self.offset_of(usize::from(node))?.unwrap_or(0)),
            Waiting::Commit => Content::Stored,
            Waiting::Join(known) => Content::Joined(self.joined(known)?),
            Waiting::Fetch(at) => Content::Fetched(self.fetched(at)?),
        })
    }

    fn offset_of(&self, partition: usize) -> Result<Option<u8>, String> {
        let text = self.offsets.as_ref().and_then(|offsets| offsets.get(&partition.to_string()));
        text.filter(|text| text.as_str() != "-1").map(|text| number(text)).transpose()
    }

    fn committed(&self, assignments: [u8; PARTITIONS]) -> Result<[Option<Committed>; PARTITIONS], String> {
        let mut committed = [None; PARTITIONS];
        for (partition, place) in committed.iter_mut().enumerate() {
            if self.offsets.as_ref().is_some_and(|offsets| offsets.contains_key(&partition.to_string())) {
                let offset = self.offset_of(partition)?;
                let assignment = assignments[partition];
                *place = Some(Committed { offset, legitimate: true, assignment, handed: 0 });
            }
        }
        Ok(committed)
    }

    /// A partition that comes or goes has another assignment than before.
    fn joined(&self, known: [u8; PARTITIONS]) -> Result<Joined, String> {
        let generation = self.generation.ok_or("the answer to a join has a `generation`")?;
        let ours = self.assignment.as_deref().unwrap_or_default();
        let assigned: [bool; PARTITIONS] = std::array::from_fn(|partition| ours.contains(&partition));
        let assignments = std::array::from_fn(|partition| match (known[partition], assigned[partition]) {
            (0, _) => generation,
            (number, true) => number,
            (number, false) => number.wrapping_add(1),
        });
        Ok(Joined { generation, assigned, assignments, committed: [None; PARTITIONS], handed: [0; PARTITIONS] })
    }

    fn fetched(&self, at: u8) -> Result<Fetched, String> {
        let Some([first, last]) = &self.records else { return Ok(Fetched::Empty) };
        let (first, last) = (number(first)?, number(last)?);
        Ok(if last < at { Fetched::Control(at) } else { Fetched::Records(first.max(at), last) })
    }
}

/// The number of a node or partition.
fn in_range(number: Option<u8>, what: &str) -> Result<u8, String> {
    match number {
        Some(number) if usize::from(number) < PARTITIONS => Ok(number),
        Some(number) => Err(format!("there is no {what} {number}: there are 0 to {}", PARTITIONS - 1)),
        None => Err(format!("the step names no `{what}`")),
    }
}

/// An offset; the model knows small ones only.
fn number(text: &str) -> Result<u8, String> {
    const MOST: u8 = 200;
    match text.parse::<u8>() {
        Ok(number) if number <= MOST => Ok(number),
        _ => Err(format!("`{text}` is no offset from 0 to {MOST}")),
    }
}
