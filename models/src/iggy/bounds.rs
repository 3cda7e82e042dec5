//! How large a world is explored: one `Bounds` is one set of budgets over the same actors.

use super::messages::{Act, Command, Key};

/// One consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerBounds {
    /// Name in stories.
    pub name: String,
    /// Individual consumer or member of the group.
    pub member: bool,
    /// What it may do, each as a standing token.
    pub acts: Vec<Act>,
    /// How many polls; `None`: no limit, and request numbers are used again.
    pub polls: Option<u8>,
    /// How many manual commits (stores, deletes and seeks together).
    pub commits: Option<u8>,
    /// How often it gives up waiting.
    pub give_ups: u8,
    /// Whether it is an old client that sends no identities.
    pub old_client: bool,
}

impl ConsumerBounds {
    /// Whose progress its requests concern.
    pub fn key(&self, index: u8) -> Key {
        if self.member { Key::Group } else { Key::Consumer(index) }
    }
}

/// Something that happens once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Once {
    /// A consumer acts.
    Consumer {
        /// Index of the consumer.
        consumer: u8,
        /// Number of the step, which becomes the number of the request.
        step: u8,
        /// What it does.
        act: Act,
    },
    /// The producer sends.
    Producer {
        /// Number of the step.
        step: u8,
        /// How many messages.
        count: u8,
    },
    /// The operator commands.
    Operator {
        /// Number of the step.
        step: u8,
        /// The command.
        command: Command,
    },
}

impl Bounds {
    /// How many slots name reads: enough for the reads that each consumer can have under way at once.
    pub fn slots(&self) -> u8 {
        let outlives_its_request = self.gateway_time_outs > 0 || self.consumers.iter().any(|one| one.give_ups > 0);
        let each = match (self.once.is_empty(), outlives_its_request) {
            (false, _) => self.reads.max(1),
            (true, true) => 2,
            (true, false) => 1,
        };
        u8::try_from(self.consumers.len()).unwrap_or(u8::MAX).saturating_mul(each)
    }
}

/// How operations get their place and commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipeline {
    /// Every operation commits in the step that orders it.
    Immediate,
    /// Operations are prepared, and wait in a queue when the pipeline is full.
    Held {
        /// Capacity of the prepare pipeline.
        prepared: usize,
        /// Capacity of the request queue.
        queued: usize,
    },
}

/// One set of budgets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The consumers.
    pub consumers: Vec<ConsumerBounds>,
    /// Members of the group at the start, in the order of their joining.
    pub members: Vec<u8>,
    /// Partitions in metadata; the first has a log.
    pub partitions: u8,
    /// Messages in the log at the start.
    pub initial_messages: u8,
    /// A bookmark of each key at the start.
    pub initial_bookmarks: Vec<(Key, u8)>,
    /// The sends of the producer, in order, each with its number of messages.
    pub sends: Vec<u8>,
    /// How many sends may be under way at once.
    pub concurrent_sends: u8,
    /// The operator's scripts; each goes on on its own, one command after the other was acknowledged.
    pub scripts: Vec<Vec<Command>>,
    /// What happens once, as steps of a scenario or lines of a recording.
    pub once: Vec<Once>,
    /// Pipeline and queue.
    pub pipeline: Pipeline,
    /// Whether reads go to the disk (else they are resident and end in the step that plans them).
    pub disk_reads: bool,
    /// Whether resident and empty plans are held, too, as the recordings do.
    pub hold_plans: bool,
    /// Whether a planned read whose file was replaced may find the new bytes.
    pub new_bytes: bool,
    /// Reads that may run at once: completion slots where the contract has them.
    pub reads: u8,
    /// How often the gateway gives up.
    pub gateway_time_outs: u8,
    /// How often the process restarts.
    pub restarts: u8,
    /// How often power is lost.
    pub power_losses: u8,
    /// How many unsynced operations a power loss chooses among (2 to that power tokens); only with power losses.
    pub unsynced_operations: u8,
    /// Whether a purge goes step by step; else it is one step.
    pub purge_in_steps: bool,
    /// How many syncs or unlinks fail during purges.
    pub disk_failures: u8,
    /// How often the time-out of a pending revocation may fire.
    pub revocation_time_outs: u8,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            consumers: Vec::new(),
            members: Vec::new(),
            partitions: 1,
            initial_messages: 0,
            initial_bookmarks: Vec::new(),
            sends: Vec::new(),
            concurrent_sends: 1,
            scripts: Vec::new(),
            once: Vec::new(),
            pipeline: Pipeline::Immediate,
            disk_reads: true,
            hold_plans: false,
            new_bytes: false,
            reads: 2,
            gateway_time_outs: 0,
            restarts: 0,
            power_losses: 0,
            unsynced_operations: 0,
            purge_in_steps: false,
            disk_failures: 0,
            revocation_time_outs: 0,
        }
    }
}
