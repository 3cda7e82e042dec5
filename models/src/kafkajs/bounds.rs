//! How large a world is explored: one `Bounds` is one set of budgets over the same actors.

use serde::{Deserialize, Serialize};

use super::messages::PARTITIONS;

/// Where a partition without a usable offset is begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ResetTo {
    /// At the first record that there is (`fromBeginning: true`).
    Earliest,
    /// Behind the last record.
    Latest,
}

/// What a round asks the offset manager for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RoundCovers {
    /// Offsets of all assigned partitions, though it fetches from one node: several rounds over the same partitions overlap,
    /// as in the concurrent fetches of #570.
    AllPartitions,
    /// Offsets of the partitions that its own node leads: one loop for each node, as from 2.0.0 on.
    OwnNode,
}

/// Something that the application does once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum UserAct {
    /// It seeks.
    Seek {
        /// The partition.
        partition: u8,
        /// Where to.
        offset: u8,
    },
    /// It pauses a partition.
    Pause {
        /// The partition.
        partition: u8,
    },
    /// It resumes a partition.
    Resume {
        /// The partition.
        partition: u8,
    },
    /// It commits an offset itself.
    Commit {
        /// The partition.
        partition: u8,
        /// The next offset to read.
        offset: u8,
    },
}

/// A commit of another member, at a time when the partition is not ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OtherCommit {
    /// The partition.
    pub partition: u8,
    /// The next offset to read.
    pub offset: u8,
}

/// The log of one partition at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LogBounds {
    /// The first offset that there is.
    pub start: u8,
    /// The offset behind the last record.
    pub end: u8,
    /// What the group has committed; `None`: nothing.
    pub committed: Option<u8>,
    /// A control record: fetched alone, and handed to nobody.
    pub control: Option<u8>,
    /// Where retention moves the start to, once.
    pub retained_from: Option<u8>,
}

impl Default for LogBounds {
    fn default() -> Self {
        Self { start: 0, end: 4, committed: Some(1), control: None, retained_from: None }
    }
}

/// The budgets of one view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The partitions; partition `p` is led by node `p`.
    pub logs: [LogBounds; PARTITIONS],
    /// Where a partition without a usable offset is begun.
    pub reset_to: ResetTo,
    /// What a round asks for.
    pub round_covers: RoundCovers,
    /// How many rounds the fetcher of each node begins.
    pub rounds: [u8; PARTITIONS],
    /// How often each node answers that it leads no more.
    pub not_leader: [u8; PARTITIONS],
    /// What this consumer is assigned by each of its joins after the first.
    pub assignments: Vec<[bool; PARTITIONS]>,
    /// What the other member commits, in this order, whenever the partition is not ours.
    pub other_commits: Vec<OtherCommit>,
    /// What the application does, in this order.
    pub user: Vec<UserAct>,
    /// Whether offsets are committed automatically.
    pub automatic: bool,
    /// How many handlers run at once.
    pub concurrency: u8,
    /// Whether the coordinator's answers come in the order of the requests, as on one connection. They do not while the coordinator
    /// moves: answers of the old connection are still on their way.
    pub in_order: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            logs: [LogBounds::default(); PARTITIONS],
            reset_to: ResetTo::Latest,
            round_covers: RoundCovers::OwnNode,
            rounds: [1, 1],
            not_leader: [0, 0],
            assignments: Vec::new(),
            other_commits: Vec::new(),
            user: Vec::new(),
            automatic: true,
            concurrency: 1,
            in_order: true,
        }
    }
}
