//! The consumer of the model alone, moved by the same steps as the implementation.
//!
//! The answers come from a trace, so neither coordinator nor nodes are needed. Under a changed contract the same steps tell
//! whether that contract would allow what was seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use fencepost_models::kafkajs::bounds::{RoundCovers, UserAct};
use fencepost_models::kafkajs::consumer::{self, Consumer, Ended, Phase, Slot, Stage};
use fencepost_models::kafkajs::marks::{Asked, Mark};
use fencepost_models::kafkajs::messages::{
    Answer, Commit, Envelope, Fetched, PARTITIONS, Position, Request as Question,
};
use fencepost_models::kafkajs::system::Setup;

use super::step::{Content, Handler, Observation, Request, Step, by_partition};

/// The name of every exception of the offset manager.
pub const EXCEPTION: &str = "TypeError";

/// Why the consumer of a contract cannot take a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPossible;

/// What a request that is not answered waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Committed offsets; with the assignments that the consumer knows of.
    Offsets([u8; PARTITIONS]),
    /// Where the log of a node begins or ends.
    Listed(u8),
    /// An acknowledgement.
    Commit,
    /// An assignment; with those that the consumer knows of.
    Join([u8; PARTITIONS]),
    /// Records from an offset on.
    Fetch(u8),
}

/// The consumer, and the requests that it waits for.
#[derive(Clone, Debug)]
pub struct Simulation {
    setup: Arc<Setup>,
    state: Consumer,
    outstanding: BTreeMap<u64, Asked>,
    last_id: u64,
    /// What the manager answered in the last step.
    told: BTreeMap<String, String>,
}

impl Simulation {
    /// The consumer at the start.
    pub fn new(setup: Arc<Setup>) -> Self {
        let state = Consumer::new(&setup);
        Self { setup, state, outstanding: BTreeMap::new(), last_id: 0, told: BTreeMap::new() }
    }

    /// The state of the consumer.
    pub fn consumer(&self) -> &Consumer {
        &self.state
    }

    /// Takes a step.
    ///
    /// # Errors
    /// If the consumer cannot take it.
    pub fn take(&mut self, step: &Step) -> Result<(), NotPossible> {
        let envelope = match step {
            Step::Begin { .. } => return Ok(()),
            Step::Round { node, .. } => Envelope::Round(*node),
            Step::Answer { request, content } => self.answer(*request, *content)?,
            Step::HandlerEnds(partition) => Envelope::HandlerReturns(*partition),
            Step::Seek(partition, offset) => Envelope::User(UserAct::Seek { partition: *partition, offset: *offset }),
            Step::Pause(partition) => Envelope::User(UserAct::Pause { partition: *partition }),
            Step::Resume(partition) => Envelope::User(UserAct::Resume { partition: *partition }),
            Step::Commit(partition, offset) => {
                Envelope::User(UserAct::Commit { partition: *partition, offset: *offset })
            }
        };
        self.deliver(&envelope)
    }

    /// Delivers a message of the model to the consumer.
    ///
    /// # Errors
    /// If the consumer cannot take it.
    pub fn deliver(&mut self, envelope: &Envelope) -> Result<(), NotPossible> {
        let reaction = consumer::react(&self.setup, &self.state, envelope).ok_or(NotPossible)?;
        self.state = reaction.state;
        self.told.clear();
        for mark in &reaction.marks {
            match mark {
                Mark::Asked(asked) => {
                    self.last_id += 1;
                    self.outstanding.insert(self.last_id, *asked);
                }
                Mark::NextOffset { partition, offset } => {
                    self.told.insert(partition.to_string(), offset.to_string());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The step that a message of the model is, and what it answers is no longer outstanding.
    pub fn step_of(&mut self, envelope: &Envelope) -> Step {
        match *envelope {
            Envelope::Round(node) => Step::Round { node, offsets_for: self.offsets_for(node) },
            Envelope::HandlerReturns(partition) => Step::HandlerEnds(partition),
            Envelope::User(UserAct::Seek { partition, offset }) => Step::Seek(partition, offset),
            Envelope::User(UserAct::Pause { partition }) => Step::Pause(partition),
            Envelope::User(UserAct::Resume { partition }) => Step::Resume(partition),
            Envelope::User(UserAct::Commit { partition, offset }) => Step::Commit(partition, offset),
            Envelope::Answered(task, answer) => {
                let is_asked = |asked: &Asked| match (asked, answer) {
                    (Asked::Coordinator(who, Question::Offsets(_)), Answer::Offsets(_))
                    | (Asked::Coordinator(who, Question::Join), Answer::Joined(_))
                    | (Asked::Coordinator(who, Question::Commit(_)), Answer::IllegalGeneration) => *who == task,
                    (Asked::Coordinator(who, Question::Commit(commit)), Answer::Committed(stored)) => {
                        *who == task && *commit == stored
                    }
                    _ => false,
                };
                let content = match answer {
                    Answer::Offsets(offsets) => Content::Offsets(offsets),
                    Answer::Committed(_) => Content::Stored,
                    Answer::IllegalGeneration => Content::IllegalGeneration,
                    Answer::Joined(joined) => Content::Joined(joined),
                };
                self.answering(is_asked, content)
            }
            Envelope::Listed(task, node, offset) => {
                self.answering(|asked| *asked == Asked::List(task, node), Content::Listed(node, offset))
            }
            Envelope::FetchAnswered(node, fetched) => {
                self.answering(|asked| matches!(asked, Asked::Fetch(of, _) if *of == node), Content::Fetched(fetched))
            }
            _ => unreachable!("only messages to the consumer are steps: {envelope:?}"),
        }
    }

    fn answering(&mut self, is_asked: impl Fn(&Asked) -> bool, content: Content) -> Step {
        match self.outstanding.iter().find(|(_, asked)| is_asked(asked)).map(|(id, _)| *id) {
            Some(request) => {
                self.outstanding.remove(&request);
                Step::Answer { request, content }
            }
            None => unreachable!("what is answered was asked: {content:?}"),
        }
    }

    fn offsets_for(&self, node: u8) -> Vec<u8> {
        let all: Vec<u8> = (0..PARTITIONS).filter_map(|partition| u8::try_from(partition).ok()).collect();
        match self.setup.bounds.round_covers {
            RoundCovers::AllPartitions => all,
            RoundCovers::OwnNode => vec![node],
        }
    }

    /// The message that answers a request, with what this consumer remembers of the request.
    fn answer(&mut self, request: u64, content: Content) -> Result<Envelope, NotPossible> {
        let asked = self.outstanding.get(&request).copied().ok_or(NotPossible)?;
        let envelope = match (asked, content) {
            (Asked::Coordinator(task, Question::Offsets(pending)), Content::Offsets(offsets)) => {
                let fits = (0..PARTITIONS).all(|partition| pending[partition] == offsets[partition].is_some());
                fits.then_some(Envelope::Answered(task, Answer::Offsets(offsets)))
            }
            (Asked::Coordinator(task, Question::Commit(commit)), Content::Stored) => {
                Some(Envelope::Answered(task, Answer::Committed(commit)))
            }
            (Asked::Coordinator(task, Question::Commit(_)), Content::IllegalGeneration) => {
                Some(Envelope::Answered(task, Answer::IllegalGeneration))
            }
            (Asked::Coordinator(task, Question::Join), Content::Joined(joined)) => {
                Some(Envelope::Answered(task, Answer::Joined(joined)))
            }
            (Asked::List(task, node), Content::Listed(partition, offset)) if node == partition => {
                Some(Envelope::Listed(task, partition, offset))
            }
            (Asked::Fetch(node, _), Content::Fetched(fetched)) => Some(Envelope::FetchAnswered(node, fetched)),
            _ => None,
        };
        self.outstanding.remove(&request);
        envelope.ok_or(NotPossible)
    }

    /// The offset at which a request fetches, if it is a fetch that is not answered.
    pub fn fetched_at(&self, request: u64) -> Option<u8> {
        match self.outstanding.get(&request) {
            Some(Asked::Fetch(_, offset)) => Some(*offset),
            _ => None,
        }
    }

    /// What a request waits for, if it is not answered.
    pub fn waiting(&self, request: u64) -> Option<Waiting> {
        Some(match self.outstanding.get(&request)? {
            Asked::Coordinator(_, Question::Offsets(_)) => Waiting::Offsets(self.state.assignments),
            Asked::Coordinator(_, Question::Commit(_)) => Waiting::Commit,
            Asked::Coordinator(_, Question::Join) => Waiting::Join(self.state.assignments),
            Asked::List(_, node) => Waiting::Listed(*node),
            Asked::Fetch(_, offset) => Waiting::Fetch(*offset),
        })
    }

    /// What is seen of the consumer now.
    pub fn observe(&self) -> Observation {
        let is_over = self.state.ended.is_some();
        let reset =
            if self.setup.bounds.reset_to == fencepost_models::kafkajs::bounds::ResetTo::Latest { "-1" } else { "-2" };
        let requests = self.outstanding.iter().map(|(id, asked)| request(*id, asked, reset));
        let running = |batch: &consumer::Batch| match (batch.stage, batch.fetched) {
            (Stage::Running, Fetched::Records(first, last)) => {
                Some(Handler { partition: batch.partition, first: first.to_string(), last: last.to_string() })
            }
            _ => None,
        };
        let mut handlers: Vec<Handler> = self.state.batches.iter().filter_map(running).collect();
        handlers.sort_by_key(|handler| handler.partition);
        let is_idle = |node: &u8| self.state.fetchers[usize::from(*node)] == Phase::Idle;
        Observation {
            requests: if is_over { Vec::new() } else { requests.collect() },
            handlers: if is_over { Vec::new() } else { handlers },
            idle: if is_over { Vec::new() } else { (0..2).filter(is_idle).collect() },
            ended: self.state.ended.map(|ended| match ended {
                Ended::Stopped => "stopped".to_owned(),
                Ended::Crashed => EXCEPTION.to_owned(),
            }),
            committed: Some(by_partition(&self.state.committed.map(|it| it.map(|offset| Some(offset.to_string()))))),
            resolved: Some(by_partition(&self.state.manager.resolved.map(|slot| match slot {
                Slot::Absent => None,
                Slot::Undefined => Some(None),
                Slot::At { offset, .. } => Some(Some(offset.to_string())),
            }))),
            next_offsets: Some(self.told.clone()),
        }
    }
}

fn request(id: u64, asked: &Asked, reset: &str) -> Request {
    let chosen = |partitions: &[bool; PARTITIONS]| {
        (0..PARTITIONS).filter(|it| partitions[*it]).filter_map(|it| u8::try_from(it).ok()).collect()
    };
    match asked {
        Asked::Coordinator(_, Question::Offsets(partitions)) => {
            Request::OffsetFetch { id, partitions: chosen(partitions) }
        }
        Asked::Coordinator(_, Question::Commit(Commit { generation, entries, .. })) => {
            let text = |position: Position| match position {
                Position::Offset(offset) => offset.to_string(),
                Position::Logical => reset.to_owned(),
            };
            let offsets = by_partition(&entries.map(|entry| entry.map(|entry| text(entry.position))));
            Request::Commit { id, generation: *generation, offsets }
        }
        Asked::Coordinator(_, Question::Join) => Request::Join { id },
        Asked::List(_, node) => Request::ListOffsets { id, node: *node, partitions: vec![*node] },
        Asked::Fetch(node, offset) => {
            Request::Fetch { id, node: *node, offsets: [(node.to_string(), offset.to_string())].into() }
        }
    }
}
