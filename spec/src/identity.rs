//! The identities that make a poll or a commit valid.
//!
//! A request is valid as long as the identities it was made under are current. *Current* is the newest history or
//! assignment that the partition's owner has applied; what metadata decided and the owner has not applied is not current yet.

use serde::{Deserialize, Serialize};

crate::words! {
    /// A kind of identity, as named on the wire or compared by a fence.
    pub enum IdentityKind {
        /// Names the sequence of messages that the owner serves now; known to the owner only.
        PartitionHistory = "partition-history",
        /// Number of purges of the partition, committed in metadata; starts again at zero for a re-created partition.
        PurgeGeneration = "purge-generation",
        /// Names one life of the partition: changes when it is deleted and created again.
        Incarnation = "incarnation",
        /// Whether the client is a member of the group that owns the partition.
        Membership = "membership",
        /// Number of changes of the group; moves with every join and leave, also when this partition's owner stays.
        GroupGeneration = "group-generation",
        /// Number of the change that gave this partition its owner; moves only when this partition's assignment changes.
        OwnerGeneration = "owner-generation",
        /// How much of the metadata the answering server must have applied.
        MetadataFloor = "metadata-floor",
        /// Whether the caller still waits for the answer.
        Caller = "caller",
        /// The place of an operation in the partition's order, compared with the place of the last purge.
        OperationOrder = "operation-order",
        /// An offset, compared with the offsets that exist. No identity at all, which is why it cannot replace one.
        Offset = "offset",
        /// What is known to be durable.
        Durability = "durability",
    }
}

impl IdentityKind {
    /// What makes a value of this kind stale.
    pub fn invalidated_by(self) -> &'static str {
        match self {
            Self::PartitionHistory => {
                "purge with restarted numbering, deletion and re-creation, rebuilding the partition"
            }
            Self::PurgeGeneration => "purge (not deletion and re-creation, which starts the count again at zero)",
            Self::Incarnation => "deletion and re-creation",
            Self::Membership => "leave, disconnect, a join that takes the partition; restored by regaining it",
            Self::GroupGeneration => "every join, leave, disconnect and completed revocation of the group",
            Self::OwnerGeneration => "every change of this partition's owner, regaining included",
            Self::MetadataFloor => "nothing: a server only comes to satisfy it",
            Self::Caller => "a time-out of the gateway, a closed connection",
            Self::OperationOrder => "purge: operations ordered before it have no effect after it",
            Self::Offset => "purge with restarted numbering (silently: the number may exist again)",
            Self::Durability => "power loss",
        }
    }
}

/// Identity of a sequence of messages, as the referee sees it: never compared by a fence, never on the wire.
///
/// Numbers that a broker uses (a purge generation, an incarnation) can repeat or be lost. This one cannot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct History {
    /// How often the partition was created again.
    pub incarnation: u8,
    /// How many purges restarted its numbering in this incarnation.
    pub restarts: u8,
    /// How often recovery found no log and started an empty one at another number than the one that was lost.
    pub losses: u8,
}

impl std::fmt::Display for History {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = 1 + u32::from(self.restarts) + u32::from(self.losses);
        match self.incarnation {
            0 => write!(formatter, "history {number}"),
            incarnation => write!(formatter, "history {number} of incarnation {}", incarnation + 1),
        }
    }
}

/// A number that names the assignment of the partition to a member: the owner generation, as the referee counts it.
///
/// Zero means that nobody ever owned the partition.
pub type Assignment = u8;

/// Identities that a client sends with a request, or gets with a batch. `None` where the contract has no such field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Context {
    /// Incarnation of the partition.
    pub incarnation: Option<u8>,
    /// Purge generation of the partition.
    pub purge_generation: Option<u8>,
    /// Group generation, or the owner generation of the partition, as the contract chooses.
    pub assignment: Option<u8>,
}

/// What a read or a commit came from, as the referee sees it. It sticks to bookmarks and queued commits; no fence can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// Derived from a read of this history, made under this assignment (zero for an individual consumer).
    Read {
        /// History that was read.
        history: History,
        /// Assignment under which the read was made.
        assignment: Assignment,
    },
    /// A position that the client chose itself with this request number; it belongs to what was current when it was sent.
    Deliberate {
        /// Number of the client.
        client: u8,
        /// Number of its request.
        request: u8,
    },
}
