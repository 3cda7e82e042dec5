//! A contract: a set of typed choices, so that two designs can be compared line by line.
//!
//! A contract file states only what it changes against the contract it builds on; [`crate::library`] resolves that.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::family::{Family, Iggy};
use crate::fence::Fence;
use crate::reply::{Code, INVALID_OFFSET};

/// The `format` of a contract file.
pub const CONTRACT_FORMAT: &str = "fencepost-contract/1";

crate::words! {
    /// What a purge does to the numbers of messages.
    pub enum Numbering {
        /// Offsets start again at zero: another history.
        Restart = "restart",
        /// Offsets go on; the start offset advances.
        Continue = "continue",
    }
}

crate::words! {
    /// How an operator empties a topic.
    pub enum Emptying {
        /// By purging it (deletion and re-creation is possible, too).
        Purge = "purge",
        /// Only by deleting it and creating it again; there is no purge.
        DeletionAndReCreation = "deletion-and-re-creation",
    }
}

crate::words! {
    /// A moment at which the operator's purge, or deletion and re-creation, is acknowledged.
    pub enum Acknowledged {
        /// When metadata has committed it; owners apply it later.
        WhenCommitted = "when-committed",
        /// When the owner has applied it.
        WhenApplied = "when-applied",
    }
}

crate::words! {
    /// When a read has its effect on progress and its batch is granted.
    pub enum ReadEffect {
        /// In the detached read itself, when it is done.
        WhenDone = "when-done",
        /// On the owner, in one step of its own.
        WhenCompleted = "when-completed",
    }
}

crate::words! {
    /// In which order an automatic store touches the bookmark in memory and asks for admission.
    pub enum AutomaticStoreOrder {
        /// The bookmark moves first; admission can still be denied.
        BeforeAdmission = "before-admission",
        /// The bookmark moves only if the store is admitted.
        AfterAdmission = "after-admission",
    }
}

crate::words! {
    /// Identities that a request carries on the wire.
    pub enum WireIdentity {
        /// None.
        Nothing = "nothing",
        /// The purge generation of the read.
        PurgeGeneration = "purge-generation",
        /// The purge generation and the group generation of the read.
        PurgeAndGroupGeneration = "purge-and-group-generation",
        /// Incarnation, owner generation and metadata floor.
        PartitionContext = "partition-context",
    }
}

crate::words! {
    /// When the identities that a batch carries are captured.
    pub enum Capture {
        /// When the read is planned (a group's assignment: when the poll is dispatched to be planned).
        WhenPlanned = "when-planned",
        /// When the read completes.
        WhenCompleted = "when-completed",
    }
}

crate::words! {
    /// Which number names an assignment.
    pub enum AssignmentNumber {
        /// The group generation.
        GroupGeneration = "group-generation",
        /// The owner generation of the partition.
        OwnerGeneration = "owner-generation",
    }
}

crate::words! {
    /// What a commit without identities gets at the gateway, from an old client for example, where the contract has identities on
    /// the wire.
    pub enum WithoutIdentity {
        /// It is accepted.
        Accepted = "accepted",
        /// It is refused.
        Refused = "refused",
        /// It is bound to what the caller owns by the gateway's mirror.
        BoundToInstalledOwner = "bound-to-installed-owner",
    }
}

crate::words! {
    /// What a client commits.
    pub enum ClientCommits {
        /// An offset, stamped with the client's cached route.
        BareOffset = "bare-offset",
        /// A checkpoint taken from a batch, with the identities of that batch.
        Checkpoint = "checkpoint",
    }
}

crate::words! {
    /// What a client does with its cached route after a refusal.
    pub enum RouteAfterRefusal {
        /// Drops it; the next request is bound anew.
        Dropped = "dropped",
        /// Keeps it.
        Kept = "kept",
    }
}

crate::words! {
    /// What a bookmark's file carries beside the offset.
    pub enum BookmarkCarries {
        /// Nothing.
        Nothing = "nothing",
        /// The purge generation under which it was stored.
        PurgeGeneration = "purge-generation",
    }
}

crate::words! {
    /// What recovery makes of a bookmark above the recovered head.
    pub enum AboveHead {
        /// The head; on an empty log that means offset zero, so the first new message is passed.
        ClampedToHead = "clamped-to-head",
        /// No bookmark on an empty log, else the head.
        Absent = "absent",
    }
}

crate::words! {
    /// What happens to a request when pipeline and queue are full.
    pub enum FullQueue {
        /// It is dropped without an answer.
        Dropped = "dropped",
        /// It is refused with 58.
        Refused = "refused",
    }
}

crate::words! {
    /// What the gateway says when it gives up waiting for the owner.
    pub enum GatewayTimeOut {
        /// An empty batch.
        EmptyBatch = "empty-batch",
        /// That the outcome is unknown.
        OutcomeUnknown = "outcome-unknown",
    }
}

crate::words! {
    /// Whether acknowledged commits survive restart and power loss.
    pub enum CommitsDurable {
        /// Not promised.
        NotPromised = "not-promised",
        /// Durable when acknowledged.
        WhenAcknowledged = "when-acknowledged",
    }
}

crate::words! {
    /// When a join takes a partition from a live member.
    pub enum JoinTakes {
        /// At once, if no batch was under way when the owner was asked before the join was proposed; else when it is drained.
        IfIdleWhenAsked = "if-idle-when-asked",
        /// Always when the owner reports that it is drained; from then on the owner grants the group nothing more.
        WhenReportedDrained = "when-reported-drained",
    }
}

/// The answer with which a fence refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceAnswer {
    /// An error code.
    Code(Code),
    /// An empty batch with the sentinel partition.
    Sentinel,
    /// No answer: there is nobody to answer, or the refused step is no request.
    Silent,
}

impl std::fmt::Display for FenceAnswer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => code.fmt(formatter),
            Self::Sentinel => formatter.write_str("the empty reply with the sentinel partition"),
            Self::Silent => formatter.write_str("no answer"),
        }
    }
}

/// Declares the choices of a family: a struct with a field a choice and the fences that exist.
macro_rules! choices {
    ($(#[$outer:meta])* of $family:ty; $($(#[$doc:meta])* $key:ident: $type:ty),+ $(,)?) => {
        $(#[$outer])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
        pub struct Choices {
            $($(#[$doc])* pub $key: $type,)+
            /// The fences that exist, each with the answer it refuses with.
            #[serde(skip)]
            pub fences: std::collections::BTreeMap<Fence, $crate::contract::FenceAnswer>,
        }

        /// The choices that a contract file states: those that it changes.
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct ChangedChoices { $($key: Option<$type>,)+ }

        impl $crate::family::Choosing for Choices {
            type Fence = Fence;
            type Changed = ChangedChoices;

            fn over(changed: ChangedChoices, base: Option<&Self>) -> Result<Self, &'static str> {
                Ok(Self {
                    $($key: match (changed.$key, base) {
                        (Some(value), _) => value,
                        (None, Some(base)) => base.$key,
                        (None, None) => return Err(stringify!($key)),
                    },)+
                    fences: base.map(|base| base.fences.clone()).unwrap_or_default(),
                })
            }

            fn fences(&self) -> &std::collections::BTreeMap<Fence, $crate::contract::FenceAnswer> {
                &self.fences
            }

            fn fences_mut(&mut self) -> &mut std::collections::BTreeMap<Fence, $crate::contract::FenceAnswer> {
                &mut self.fences
            }

            fn words(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($key), self.$key.to_string())),+]
            }
        }

        impl Choices {
            /// Key and value of every choice, as words, in the order of the definition.
            pub fn words(&self) -> Vec<(&'static str, String)> {
                $crate::family::Choosing::words(self)
            }

            /// Whether a fence exists.
            pub fn has(&self, fence: Fence) -> bool {
                self.fences.contains_key(&fence)
            }

            /// The choices with one named change.
            ///
            /// # Errors
            /// A message, if the key or the value is unknown.
            pub fn changed(&self, change: $crate::clause::Change<$family>) -> Result<Self, String> {
                $crate::family::changed::<$family>(self, change)
            }

            /// The choices with another value, in the words of a contract's file, for one key.
            ///
            /// # Errors
            /// A message, if the key or the value is unknown.
            pub fn changed_to(&self, key: &str, value: &str) -> Result<Self, String> {
                $crate::family::changed_to(self, key, value)
            }
        }
    };
}
pub(crate) use choices;

choices! {
    /// The choices of the Iggy family. Every one of them is a question of the discussion or a fact of the code.
    of Iggy;
    /// What a purge does to the numbers of messages.
    numbering_at_purge: Numbering,
    /// How an operator empties a topic.
    emptying: Emptying,
    /// When the operator is told that the topic is empty.
    emptying_acknowledged: Acknowledged,
    /// When a read has its effect.
    effect_of_read: ReadEffect,
    /// Order of an automatic store's effect in memory and its admission.
    bookmark_of_automatic_store: AutomaticStoreOrder,
    /// Identities on a poll.
    poll_identity_on_wire: WireIdentity,
    /// Identities on a store or delete.
    commit_identity_on_wire: WireIdentity,
    /// When the identities returned with a batch are captured.
    batch_identity_captured: Capture,
    /// Which number names an assignment.
    assignment_compared_by: AssignmentNumber,
    /// What a commit without identities gets.
    commit_without_identity: WithoutIdentity,
    /// What clients commit.
    client_commits: ClientCommits,
    /// What clients do with a route after a refusal.
    route_after_refusal: RouteAfterRefusal,
    /// What a bookmark's file carries.
    bookmark_carries: BookmarkCarries,
    /// A bookmark above the head at boot.
    bookmark_above_head_at_boot: AboveHead,
    /// A full queue.
    full_queue: FullQueue,
    /// The gateway's time-out.
    gateway_time_out: GatewayTimeOut,
    /// Whether acknowledged messages survive power loss, names included.
    messages_survive_power_loss: bool,
    /// Whether acknowledged commits are durable.
    commits_durable: CommitsDurable,
    /// Whether a poll may wait at the owner for messages.
    parked_polls: bool,
    /// When a join takes a partition from a live member.
    join_takes_partition: JoinTakes,
}

impl Choices {
    /// The answer with which a fence refuses, if the fence exists.
    pub fn answer(&self, fence: Fence) -> Option<FenceAnswer> {
        self.fences.get(&fence).copied()
    }

    /// The answer to a commit without identities, where it is [`WithoutIdentity::Refused`]: that of the fence that would compare its purge
    /// generation. A contract without that fence refuses it for good as well, since the same client would only send the same again.
    pub fn answer_to_commit_without_identity(&self) -> FenceAnswer {
        self.answer(Fence::CommitPurgeGenerationOnArrival).unwrap_or(FenceAnswer::Code(INVALID_OFFSET))
    }
}

crate::words! {
    /// The verdict that a contract expects of a clause.
    pub enum ExpectedVerdict {
        /// It holds, exhaustively within the bounds.
        Holds = "holds",
        /// It is violated.
        Violated = "violated",
        /// Nothing exercises it.
        Vacuous = "vacuous",
    }
}

/// What a contract expects of one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The summary over the views that the contract answers for.
    pub verdict: ExpectedVerdict,
    /// Why, in one sentence.
    pub because: String,
    /// Where the reason can be read: an issue, a pull request, a recording or a scenario.
    pub link: String,
    /// Views whose verdict differs from the summary in the size `quick` (for a violated clause: views in which it is vacuous
    /// are not listed). In larger sizes a view may have caught up with the summary.
    pub views: BTreeMap<String, ExpectedVerdict>,
}

/// Something that cannot happen under a contract although others do it, and why.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Impossible {
    /// Name of the action or fence outcome.
    pub what: String,
    /// Why it cannot happen.
    pub because: String,
}

/// A contract of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract<F: Family = Iggy> {
    /// Name, kebab-case.
    pub name: String,
    /// What it is, one line.
    pub title: String,
    /// The contract it builds on.
    pub builds_on: Option<String>,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// What clients, SDKs and tests would notice: material for release notes.
    pub visible_changes: Vec<String>,
    /// What it costs, in the eyes of its authors or reviewers.
    pub costs: Vec<String>,
    /// The views that its summary verdicts rest on.
    pub answers_for: Vec<String>,
    /// The choices, resolved.
    pub choices: F::Choices,
    /// Keys and fences that this contract states itself, for display.
    pub stated: Vec<String>,
    /// What it expects of every clause.
    pub expected: BTreeMap<F::Clause, Expectation>,
    /// What cannot happen under it.
    pub impossible: Vec<Impossible>,
    /// Fences that another fence implies: removing the first alone changes nothing.
    pub implied_by: BTreeMap<F::Fence, F::Fence>,
}
