//! Scenarios: a bug report or an open question as data. Steps, what comes after what, and what each contract makes of it.
//!
//! A scenario fixes what it names and nothing else: every step of the system that it does not mention may happen whenever
//! it can, in every order.

mod checks;
mod circles;
mod file;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::clause::ClauseName;
use crate::event::EventKind;

pub use file::parse_scenario;

/// The `format` of a scenario file.
pub const SCENARIO_FORMAT: &str = "fencepost-scenario/1";
/// Most steps of a scenario.
pub const MOST_STEPS: usize = 32;
/// Most messages that a scenario may start with or send at once.
pub const MOST_MESSAGES: u8 = 8;
/// Most messages that a scenario may have in all; an offset that it names is below that, too.
pub const MOST_OFFSETS: u8 = 60;

crate::words! {
    /// What somebody does in a step.
    pub enum Verb {
        /// A consumer polls.
        Poll = "poll",
        /// A consumer stores an offset that it read (or, if it did not read it, a position of its own choice).
        Store = "store",
        /// A consumer stores a position of its own choice, whatever it read.
        StorePosition = "store a position",
        /// A consumer deletes its bookmark.
        DeleteBookmark = "delete its bookmark",
        /// A consumer gives up waiting for the answer to another step.
        GiveUp = "give up",
        /// The producer sends messages.
        Send = "send",
        /// The operator empties the topic: a purge, or deletion and re-creation where there is no purge.
        EmptyTheTopic = "empty the topic",
        /// The operator deletes the topic and creates it again.
        ReCreateTheTopic = "delete and re-create the topic",
        /// A consumer joins the group.
        Join = "join",
        /// A member leaves the group.
        Leave = "leave",
        /// A member's session ends.
        Disconnect = "disconnect",
        /// The oldest messages expire.
        ExpireMessages = "expire messages",
        /// The owner's process dies and recovers; what the operating system holds survives.
        Restart = "restart",
        /// The machine loses its power, and the owner recovers.
        LosePower = "lose power",
        /// Syncing the partition directory fails during the purge.
        FailToSyncPartition = "fail to sync the partition",
        /// Syncing the directory of bookmarks fails during the purge.
        FailToSyncBookmarks = "fail to sync the bookmarks",
        /// Unlinking the bookmarks fails during the purge.
        FailToUnlinkBookmarks = "fail to unlink the bookmarks",
        /// The gateway gives up waiting for the poll of another step and answers in place of the owner.
        GatewayGivesUp = "let the gateway give up",
        /// A pending revocation times out.
        RevocationTimesOut = "let the revocation time out",
    }
}

crate::words! {
    /// Which unsynced operations survive a power loss.
    pub enum Survivors {
        /// Every subset is tried.
        Any = "any",
        /// None.
        None = "none",
        /// All.
        All = "all",
    }
}

crate::words! {
    /// Where a poll starts.
    pub enum From {
        /// After the bookmark.
        Next = "next",
        /// At the first message.
        First = "first",
        /// At the last messages.
        Last = "last",
        /// At `offset`.
        Offset = "offset",
    }
}

crate::words! {
    /// What a step is answered with, if the scenario demands something.
    pub enum ExpectedAnswer {
        /// Anything.
        Any = "any",
        /// A batch of messages.
        Messages = "messages",
        /// No messages, from the partition itself.
        Nothing = "nothing",
        /// A refusal, the sentinel reply included.
        Refused = "refused",
        /// The acknowledgement of a write.
        Done = "done",
        /// The client never gets the answer.
        Lost = "lost",
    }
}

/// How the world is when the scenario starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// Messages in the log.
    pub messages: u8,
    /// Individual consumers.
    pub consumers: Vec<String>,
    /// Consumers that are members of the group, or will be.
    pub group: Vec<String>,
    /// Those of them who are members at the start, in the order of their joining. The first owns the partition.
    pub members: Vec<String>,
    /// Partitions of the topic; the first has the log. A join moves it only if there are two.
    pub partitions: Option<u8>,
    /// Bookmark that an individual consumer (by its name) or the group (`group`) has at the start.
    pub bookmarks: BTreeMap<String, u8>,
    /// Clients that send no identities.
    pub old_clients: Vec<String>,
    /// Operations that may be prepared at once; without it every operation commits at once.
    pub prepare_slots: Option<u8>,
    /// Operations that may wait for a place; needs `prepare_slots`.
    pub queue_slots: Option<u8>,
    /// Reads that may run at once.
    pub read_slots: Option<u8>,
    /// Whether messages are in memory, so that no read needs a file.
    pub resident: bool,
}

/// A reference to an event of a step: `step` for its end, or `step:phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Index of the step.
    pub step: usize,
    /// The event, or the step's end.
    pub phase: Option<EventKind>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub id: String,
    /// Who does it: a consumer, `producer`, `operator` or `environment`.
    pub who: String,
    /// What.
    pub does: Verb,
    /// Where a poll starts.
    pub from: From,
    /// Offset of a store or poll.
    pub offset: Option<u8>,
    /// How many messages.
    pub count: u8,
    /// Whether a poll commits automatically.
    pub automatic_commit: bool,
    /// Whether a poll may wait at the owner.
    pub may_wait: bool,
    /// The step that a give-up is about.
    pub of: Option<usize>,
    /// What survives a power loss.
    pub survivors: Survivors,
    /// The demanded answer.
    pub answer: ExpectedAnswer,
    /// The demanded offsets of a batch: the first and the last.
    pub offsets: Option<(u8, u8)>,
    /// What must have happened before an event of this step.
    pub conditions: BTreeMap<EventKind, Vec<Reference>>,
}

/// What a contract is expected to answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioExpectation<C = ClauseName> {
    /// Whether the scenario is possible; absent: not applicable.
    pub possible: Option<bool>,
    /// The clauses that break in some course of it.
    #[serde(default = "Vec::new")]
    pub breaks: Vec<C>,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name, kebab-case.
    pub name: String,
    /// One line.
    pub title: String,
    /// The question it answers, in words.
    pub question: String,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// The world at the start.
    pub start: Start,
    /// The steps.
    pub steps: Vec<Step>,
    /// What is expected, by contract.
    pub expect: BTreeMap<String, ScenarioExpectation>,
}

impl Verb {
    /// Who may do it.
    fn doer(self) -> Doer {
        match self {
            Self::Poll | Self::Store | Self::StorePosition | Self::DeleteBookmark | Self::GiveUp => Doer::Consumer,
            Self::Join | Self::Leave | Self::Disconnect => Doer::Member,
            Self::Send => Doer::Named("producer"),
            Self::EmptyTheTopic | Self::ReCreateTheTopic => Doer::Named("operator"),
            Self::ExpireMessages
            | Self::Restart
            | Self::LosePower
            | Self::FailToSyncPartition
            | Self::FailToSyncBookmarks
            | Self::FailToUnlinkBookmarks
            | Self::GatewayGivesUp
            | Self::RevocationTimesOut => Doer::Named("environment"),
        }
    }

    /// The events that a step with this verb goes through, in order; the last one is its end.
    pub fn phases(self) -> &'static [EventKind] {
        use EventKind as Event;
        match self {
            Self::Poll => &[
                Event::Sent,
                Event::Dispatched,
                Event::Arrived,
                Event::Opened,
                Event::Completed,
                Event::GatewayGaveUp,
                Event::GivenUp,
                Event::Answered,
            ],
            Self::Store | Self::StorePosition | Self::DeleteBookmark => {
                &[Event::Sent, Event::Dispatched, Event::Arrived, Event::Committed, Event::GivenUp, Event::Answered]
            }
            Self::Send => &[Event::Sent, Event::Dispatched, Event::Arrived, Event::Committed, Event::Answered],
            Self::EmptyTheTopic | Self::ReCreateTheTopic | Self::Join | Self::Leave | Self::Disconnect => {
                &[Event::Sent, Event::Decided, Event::Mirrored, Event::Applied, Event::Answered]
            }
            Self::ExpireMessages => &[Event::Sent, Event::Retained, Event::Answered],
            Self::GiveUp
            | Self::Restart
            | Self::LosePower
            | Self::FailToSyncPartition
            | Self::FailToSyncBookmarks
            | Self::FailToUnlinkBookmarks
            | Self::GatewayGivesUp
            | Self::RevocationTimesOut => &[Event::Sent, Event::Answered],
        }
    }
}

enum Doer {
    Consumer,
    Member,
    Named(&'static str),
}
