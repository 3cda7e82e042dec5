//! The places where work waits until the runner lets it go on.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! park_kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal),+ $(,)?) => {
        /// A kind of place where work waits.
        ///
        /// All but [`ParkKind::GatewayTimeOut`], [`ParkKind::RevocationTimeOut`] and [`ParkKind::Inner`] are steps of the model.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ParkKind { $($(#[$doc])* $name),+ }

        impl ParkKind {
            /// All kinds, in a fixed order.
            pub const ALL: &'static [ParkKind] = &[$(ParkKind::$name),+];

            /// The word on the wire.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }
        }
    };
}

park_kinds! {
    /// A request is on its way to the gateway (the home of the connection). It may have been sent long ago. Names the operation.
    Request = "request",
    /// A join is on its way to the owner, which is asked whether batches are under way. Names the operation.
    Gather = "gather",
    /// The owner's answer to that is on its way back to the gateway. Names the operation.
    Gathered = "gathered",
    /// A command is on its way to the replicated metadata. Names the operation.
    Propose = "propose",
    /// A request has passed the gateway and is on its way to the owner. Names the operation.
    Arrival = "arrival",
    /// A read is planned (cursor and ceiling are fixed), its file is not open yet. Names the operation.
    Open = "open",
    /// A read has found what it will find; the owner has not completed it yet. Names the operation.
    Complete = "complete",
    /// A poll waits at the owner for messages. Names the operation.
    Wait = "wait",
    /// The answer is on its way to the client or operator. Names the operation.
    Reply = "reply",
    /// Something that metadata decided is to be applied next; names `gateway` or `owner`.
    Apply = "apply",
    /// The oldest prepared operation of the partition is to commit. Names nothing.
    Commit = "commit",
    /// The next step of a purge, when purges go step by step. Names nothing.
    Purge = "purge",
    /// Recovery found a purge that was not finished; it is to be done again. Names nothing.
    FinishPurge = "finish-purge",
    /// The owner may report that the revoked partition is drained. Names nothing.
    ReportDrained = "report-drained",
    /// That report is on its way to metadata. Names the group generation.
    Drained = "drained",
    /// The owner's word that an emptying is applied is on its way to metadata. Names the number of the emptying, from 1.
    Applied = "applied",
    /// A timer: the gateway gives up waiting for the owner's answer to a poll and answers itself. Names the operation. Not listed.
    GatewayTimeOut = "gateway-time-out",
    /// A timer: a pending revocation times out. Names nothing. Not listed.
    RevocationTimeOut = "revocation-time-out",
    /// A place that only this implementation has, inside of one step of the model. Names what waits, freely.
    Inner = "inner",
}

impl fmt::Display for ParkKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

impl FromStr for ParkKind {
    type Err = UnknownPark;

    fn from_str(text: &str) -> Result<Self, UnknownPark> {
        Self::ALL.iter().copied().find(|kind| kind.word() == text).ok_or_else(|| UnknownPark(text.to_owned()))
    }
}

/// A place where work waits: a kind, and what waits there. On the wire `kind:name`, or `kind` where there is nothing to name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Park {
    /// The kind of place.
    pub kind: ParkKind,
    /// The operation (or whatever the kind names) that waits there; empty where there is nothing to name.
    pub name: String,
}

impl Park {
    /// A place with a name.
    pub fn new(kind: ParkKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into() }
    }

    /// A place that needs no name.
    pub fn only(kind: ParkKind) -> Self {
        Self::new(kind, "")
    }
}

impl fmt::Display for Park {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => formatter.write_str(self.kind.word()),
            name => write!(formatter, "{}:{name}", self.kind.word()),
        }
    }
}

/// A text that names no park.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPark(pub String);

impl fmt::Display for UnknownPark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<&str> = ParkKind::ALL.iter().map(|kind| kind.word()).collect();
        write!(formatter, "`{}` is no kind of park; known are {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownPark {}

impl FromStr for Park {
    type Err = UnknownPark;

    fn from_str(text: &str) -> Result<Self, UnknownPark> {
        let (kind, name) = text.split_once(':').unwrap_or((text, ""));
        Ok(Self::new(kind.parse()?, name))
    }
}

impl TryFrom<String> for Park {
    type Error = UnknownPark;

    fn try_from(text: String) -> Result<Self, UnknownPark> {
        text.parse()
    }
}

impl From<Park> for String {
    fn from(park: Park) -> Self {
        park.to_string()
    }
}
