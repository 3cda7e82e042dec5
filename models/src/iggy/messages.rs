//! What the actors say to each other, and the tokens with which they move themselves.

use fencepost_spec::identity::{Assignment, Context, History, Origin};
use fencepost_spec::reply::Code;
use serde::{Deserialize, Serialize};

/// The number with which producers are named in a [`RequestId`].
pub const PRODUCER: u8 = 100;
/// The number with which the operator is named in a [`RequestId`].
pub const OPERATOR: u8 = 101;

/// Names one request: the client (index of a consumer, [`PRODUCER`] or [`OPERATOR`]) and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RequestId {
    /// Who asked.
    pub client: u8,
    /// Number of the request at that client. In a scenario it is the number of the scenario's step.
    pub number: u8,
}

/// Whose progress a poll or commit concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Key {
    /// The individual consumer with this index.
    Consumer(u8),
    /// The one group.
    Group,
}

/// One message of the partition's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Message {
    /// The history it was accepted in.
    pub history: History,
    /// Its number among the messages accepted in that history, from zero: with the history, its payload.
    pub number: u8,
    /// Which of the producer's requests brought it.
    pub sent: u8,
}

/// A message at an offset, as in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Placed {
    /// Its offset.
    pub offset: u8,
    /// The message.
    pub message: Message,
}

/// Where a poll starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Strategy {
    /// After the bookmark.
    Next,
    /// At the first message.
    First,
    /// At the last messages.
    Last,
    /// At an offset.
    Offset(u8),
}

/// A poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Poll {
    /// Name of the request.
    pub id: RequestId,
    /// Whose progress it concerns.
    pub key: Key,
    /// Where it starts.
    pub strategy: Strategy,
    /// How many messages it takes at most.
    pub count: u8,
    /// Whether the server stores the last offset of the batch.
    pub automatic: bool,
    /// Whether it may wait at the owner for messages.
    pub may_wait: bool,
    /// Identities that it carries; what the client did not state the gateway adds at dispatch.
    pub context: Context,
    /// For the referee: the assignment it was made under (known from dispatch on).
    pub assignment: Assignment,
}

/// What a commit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CommitAction {
    /// Stores the bookmark.
    Store(u8),
    /// Deletes the bookmark.
    Delete,
}

/// A manual commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Commit {
    /// Name of the request.
    pub id: RequestId,
    /// Whose progress it concerns.
    pub key: Key,
    /// What it does.
    pub action: CommitAction,
    /// Identities that it carries.
    pub context: Context,
    /// Whether the gateway may add identities that the client did not state.
    pub bind: bool,
    /// For the referee: what it came from.
    pub origin: Origin,
}

/// A send of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Produce {
    /// Name of the request.
    pub id: RequestId,
    /// How many messages.
    pub count: u8,
    /// Identities that it carries.
    pub context: Context,
}

/// A batch of messages with what the client may use later.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Batch {
    /// The messages, never none.
    pub messages: Vec<Placed>,
    /// Identities that the reply carries.
    pub context: Context,
    /// For the referee: the history that was read.
    pub history: History,
    /// For the referee: the assignment under which it was read.
    pub assignment: Assignment,
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Answer {
    /// Messages.
    Batch(Batch),
    /// No messages, from the partition itself.
    Empty,
    /// No messages, with the sentinel partition: the group fence refused.
    Sentinel,
    /// The write is acknowledged.
    Done,
    /// An error code.
    Code(Code),
    /// The connection ended.
    Disconnected,
}

/// The group of consumers, as metadata knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group {
    /// Group generation.
    pub generation: u8,
    /// Members in the order of their joining.
    pub members: Vec<u8>,
    /// Owner of each partition; partition 0 is the one with a log.
    pub owners: Vec<Option<u8>>,
    /// Owner generation of partition 0.
    pub owner_generation: Assignment,
    /// Member to which partition 0 moves when it is drained.
    pub revoked_for: Option<u8>,
}

/// What metadata has decided so far, as a whole, numbered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Decree {
    /// Number of the metadata operation.
    pub operation: u8,
    /// The operator's request that caused it (zero: none), for stories and scenarios.
    pub cause: u8,
    /// Incarnation of the partition.
    pub incarnation: u8,
    /// Committed purge generation of this incarnation.
    pub purge_generation: u8,
    /// How often the topic was emptied, in whichever way.
    pub emptyings: u8,
    /// The group.
    pub group: Group,
}

/// A command of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Command {
    /// Empties the topic: a purge, or deletion and re-creation where there is no purge.
    Empty,
    /// Deletes the topic and creates it again.
    Recreate,
    /// A consumer joins the group.
    Join(u8),
    /// A member leaves the group.
    Leave(u8),
    /// A member's session ends.
    Disconnect(u8),
    /// The oldest messages go, this many.
    Retain(u8),
}

/// Something a consumer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Act {
    /// Polls.
    Poll {
        /// Where to start.
        strategy: Strategy,
        /// Most messages.
        count: u8,
        /// Whether the server commits.
        automatic: bool,
        /// Whether to wait at the owner.
        may_wait: bool,
    },
    /// Stores the last offset of the last batch.
    StoreLast,
    /// Stores an offset: derived from the last batch that contains it, else a deliberate position.
    Store(u8),
    /// Stores an offset as a deliberate position.
    Seek(u8),
    /// Deletes the bookmark.
    Delete,
    /// Gives up waiting for the answer to the poll.
    GiveUpPoll,
    /// Gives up waiting for the answer to the commit.
    GiveUpCommit,
}

/// An inner step of the owner, as a standing token. A slot names a read by its consumer (see `polls::read_in`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Inner {
    /// The file of a planned read is opened; if it was replaced, nothing is found in it.
    Open(u8),
    /// The file of a planned read was replaced, and the new bytes are found in it.
    OpenNewBytes(u8),
    /// An opened read is done (and completed, in one step); a parked poll wakes.
    Complete(u8),
    /// The wait of a parked poll is over.
    Expire(u8),
    /// The gateway gives up waiting for a poll and answers in place of the owner.
    GatewayGivesUp(u8),
    /// The oldest prepared operation commits, and queued ones are promoted.
    CommitOldest,
    /// The next step of a purge; `fails` if its sync or unlink fails.
    PurgeStep {
        /// Whether it fails.
        fails: bool,
    },
    /// The purge that recovery found unfinished begins.
    ResumePurge,
    /// The process dies and recovers; what the operating system holds survives.
    Restart,
    /// Power is lost; the unsynced operations whose bit is set survive; then recovery.
    PowerLoss(u8),
    /// The owner finds the revoked partition drained and says so.
    ReportDrained,
    /// The harness undoes the last removal of bookmarks on disk.
    ResurrectBookmarks,
}

/// Everything that travels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Envelope {
    /// A poll, to the gateway or on to the owner.
    Poll(Poll),
    /// A commit, to the gateway or on to the owner.
    Commit(Commit),
    /// A send, to the gateway or on to the owner.
    Produce(Produce),
    /// The answer to a request.
    Reply(RequestId, Answer),
    /// A command, to metadata, or (a join that must gather) to the gateway, or (retention) to the owner.
    Command {
        /// Number of the command at the operator, from 1.
        number: u8,
        /// The command.
        command: Command,
        /// For a join: whether batches of partition 0 were under way when that was asked.
        in_flight: bool,
    },
    /// The command with this number is acknowledged; for an emptying, with the count of emptyings.
    Acknowledged(u8, Option<u8>),
    /// A decree is to be applied.
    Apply(Decree),
    /// The owner has applied the emptying with this count.
    Applied(u8),
    /// The gateway asks whether batches of partition 0 are under way, for a join.
    Gather(u8, Command),
    /// The owner's answer.
    Gathered(u8, Command, bool),
    /// The owner asks metadata to complete the revocation decided under this group generation.
    Drained(u8),
    /// Token of metadata: the time-out of a pending revocation fires.
    RevocationTimesOut,
    /// Token of a consumer. `step` numbers a one-shot token of a scenario; a standing token has none.
    Act(Option<u8>, Act),
    /// Token of the producer: send this many messages.
    Send(Option<u8>, u8),
    /// Token of the operator: go on with script number so-and-so.
    Next(u8),
    /// Token of the operator: one command, once.
    Once(u8, Command),
    /// Token of the owner.
    Inner(Inner),
}
