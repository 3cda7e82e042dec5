//! What an offset manager knows: the next offset of each partition, once it was asked for.

use fencepost_spec::kafkajs::choices::UnknownOffset;
use serde::{Deserialize, Serialize};

use super::super::marks::Mark;
use super::super::messages::{Origin, PARTITIONS};
use super::{Ended, Step};

/// The next offset to fetch, as a manager knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Slot {
    /// There is no entry.
    Absent,
    /// There is an entry without a value.
    Undefined,
    /// An offset.
    At {
        /// The offset.
        offset: u8,
        /// The partition's version when it was noted.
        version: u8,
        /// Ghost: the partition's true version when it was noted.
        truth: u8,
        /// Ghost: what it comes from.
        origin: Origin,
    },
}

/// An offset manager: there is a new one in each generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Manager {
    /// Its generation, which names it.
    pub generation: u8,
    /// The partitions that it was made for.
    pub assigned: [bool; PARTITIONS],
    /// What it knows.
    pub resolved: [Slot; PARTITIONS],
    /// Partitions in its list of logical offsets, where there is one.
    pub logical: [bool; PARTITIONS],
    /// The fetcher that holds its lock.
    pub locked_by: Option<u8>,
}

impl Manager {
    /// A manager that knows nothing.
    pub fn new(generation: u8, assigned: [bool; PARTITIONS]) -> Self {
        Self {
            generation,
            assigned,
            resolved: [Slot::Absent; PARTITIONS],
            logical: [false; PARTITIONS],
            locked_by: None,
        }
    }

    /// Whether it has the topic at all: without any partition of it, it has no entry to put an offset in.
    pub fn has_topic(&self) -> bool {
        self.assigned.contains(&true)
    }
}

impl Step<'_> {
    /// The next offset of a partition, as the current manager answers. `None`: it has thrown.
    pub(super) fn next_offset(&mut self, partition: usize) -> Option<u8> {
        let under = self.state().under(partition);
        let state = self.state();
        if !matches!(state.manager.resolved[partition], Slot::At { .. }) {
            state.manager.resolved[partition] = match state.committed[partition] {
                Some(offset) => Slot::At {
                    offset,
                    version: under.version,
                    truth: under.truth,
                    origin: Origin::Assignment(under.assignment),
                },
                None => Slot::Undefined,
            };
        }
        match (state.manager.resolved[partition], self.setup.choices.unknown_offset) {
            (Slot::At { offset, .. }, _) => {
                self.reaction.mark(Mark::NextOffset { partition, offset });
                Some(offset)
            }
            (_, UnknownOffset::Throws) => {
                self.crash(partition, "reads an undefined offset, and throws");
                None
            }
            (_, UnknownOffset::Zero) => {
                let what = "takes an unknown offset for zero";
                self.reaction.mark(Mark::UnknownUsed { partition, what });
                self.reaction.mark(Mark::NextOffset { partition, offset: 0 });
                Some(0)
            }
        }
    }

    /// Notes that everything up to an offset is processed.
    pub(super) fn resolve_offset(&mut self, partition: usize, last: u8, assignment: u8) -> Option<()> {
        if !self.state().manager.has_topic() {
            self.crash(partition, "notes an offset for a topic that the generation does not have");
            return None;
        }
        let under = self.state().under(partition);
        self.state().manager.resolved[partition] = Slot::At {
            offset: last + 1,
            version: under.version,
            truth: under.truth,
            origin: Origin::Assignment(assignment),
        };
        Some(())
    }

    /// Forgets what is known of a partition. Without the topic there is nothing to forget it in.
    pub(super) fn clear(&mut self, partition: usize, manager: u8) -> Option<()> {
        if !self.state().topic_is_known {
            self.crash(partition, "forgets an offset of a topic that the generation does not have");
            return None;
        }
        let state = self.state();
        state.committed[partition] = None;
        if state.manager.generation == manager {
            state.manager.resolved[partition] = Slot::Absent;
        }
        Some(())
    }

    /// An exception ends the consumer.
    pub(super) fn crash(&mut self, partition: usize, what: &'static str) {
        self.reaction.mark(Mark::UnknownUsed { partition, what });
        self.state().ended = Some(Ended::Crashed);
    }
}
