//! What the actors say to each other. Answers carry what the request was about, as a closure of the client would remember it.
//!
//! Fields that are called *ghost* are notes of the referee: they travel along, and no fence looks at them.

use serde::{Deserialize, Serialize};

use super::bounds::UserAct;

/// How many partitions there are; each is led by a node of its own.
pub const PARTITIONS: usize = fencepost_spec::kafkajs::scenario::PARTITIONS as usize;

/// Who awaits an answer inside of the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Task {
    /// The fetcher of a node.
    Fetcher(u8),
    /// The worker that has a batch of a partition.
    Worker(u8),
    /// The application, which commits an offset itself.
    User,
}

/// What a commit stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Position {
    /// The next offset to read.
    Offset(u8),
    /// -1 or -2: where the log ends or starts, whenever somebody asks.
    Logical,
}

/// Ghost: what an offset came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// A fetch (or a committed offset) of this assignment of the partition.
    Assignment(u8),
    /// The user's own choice.
    Chosen,
}

/// One partition of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    /// What is stored.
    pub position: Position,
    /// The partition's version when it was sent.
    pub version: u8,
    /// Ghost: the partition's true version when it was sent.
    pub truth: u8,
    /// Ghost: where it comes from.
    pub origin: Origin,
}

/// What a commit is for, inside of the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Purpose {
    /// A seek is carried out.
    Seek,
    /// An offset out of range is replaced by a logical one.
    Reset,
    /// Processed offsets are committed.
    Progress,
}

/// A commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Commit {
    /// What it is for.
    pub purpose: Purpose,
    /// The generation of the manager that sends it.
    pub generation: u8,
    /// What is committed.
    pub entries: [Option<Entry>; PARTITIONS],
}

/// A request to the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Request {
    /// What did the group commit?
    Offsets([bool; PARTITIONS]),
    /// Commit this.
    Commit(Commit),
    /// Join the group again, and sync: both are one step here.
    Join,
}

/// What the group committed of one partition, as the coordinator answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Committed {
    /// A number, or nothing usable.
    pub offset: Option<u8>,
    /// Ghost: whether nobody but the partition's owner made it unusable.
    pub legitimate: bool,
    /// Ghost: the number of the partition's assignment by then.
    pub assignment: u8,
    /// Ghost: up to where another member was handed records by then.
    pub handed: u8,
}

/// An assignment, as a join is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Joined {
    /// The new generation.
    pub generation: u8,
    /// Which partitions are ours.
    pub assigned: [bool; PARTITIONS],
    /// Ghost: the number of each partition's assignment.
    pub assignments: [u8; PARTITIONS],
    /// Ghost: what the group had committed by then.
    pub committed: [Option<u8>; PARTITIONS],
    /// Ghost: up to where somebody was handed records by then.
    pub handed: [u8; PARTITIONS],
}

/// The coordinator's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Answer {
    /// To `Offsets`; for partitions that were asked for.
    Offsets([Option<Committed>; PARTITIONS]),
    /// The commit took effect.
    Committed(Commit),
    /// The commit was refused: its generation is not the current one.
    IllegalGeneration,
    /// The consumer has joined.
    Joined(Joined),
}

/// What a fetch finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Fetched {
    /// Records from the first to the last of these offsets.
    Records(u8, u8),
    /// A control record at this offset, which is handed to nobody.
    Control(u8),
    /// Nothing yet.
    Empty,
    /// The offset is out of range.
    OutOfRange,
    /// The node leads the partition no more.
    NotLeader,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Envelope {
    /// The fetcher of a node may begin a round.
    Round(u8),
    /// The handler of a partition may return.
    HandlerReturns(u8),
    /// The application may act.
    User(UserAct),
    /// A request to the coordinator, with its number where answers come out of order: requests are taken in order all the same.
    Ask(Task, Request, u8),
    /// The coordinator's answer.
    Answered(Task, Answer),
    /// Where does the log of the node's partition end (or start)?
    List(Task),
    /// The answer: the partition and the offset.
    Listed(Task, u8, u8),
    /// Fetch from this offset.
    Fetch(u8, u8),
    /// The answer to the fetcher of a node.
    FetchAnswered(u8, Fetched),
    /// The other member may commit.
    OtherCommits,
    /// Leadership may move for a moment.
    LeadershipMoves,
    /// Retention may remove records.
    Retention,
}
