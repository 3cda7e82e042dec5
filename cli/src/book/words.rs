//! Sentences for what has only a word in the data: identities, fences, places, choices, views.

use fencepost_spec::fence::{Checkpoint, Fence};
use fencepost_spec::identity::IdentityKind;

/// What an identity is.
pub(super) fn identity(kind: IdentityKind) -> &'static str {
    match kind {
        IdentityKind::PartitionHistory => "the sequence of messages that the owner serves now; only the owner knows it",
        IdentityKind::PurgeGeneration => "how often the partition was purged, as committed in metadata",
        IdentityKind::Incarnation => "one life of the partition, from its creation to its deletion",
        IdentityKind::Membership => "whether the client is a member of the group that owns the partition",
        IdentityKind::GroupGeneration => "how often the group changed, wherever in the group that was",
        IdentityKind::OwnerGeneration => "the change that gave this partition its present owner",
        IdentityKind::MetadataFloor => "how much of the metadata the answering server must have applied",
        IdentityKind::Caller => "whether somebody still waits for the answer",
        IdentityKind::OperationOrder => {
            "the place of an operation in the order of the partition, before or after the last purge"
        }
        IdentityKind::Offset => {
            "a number, compared with the numbers that exist; it names no history, so it replaces no identity"
        }
        IdentityKind::Durability => "what is known to be on the disk",
    }
}

/// The rule of every fence, in one sentence.
const FENCES: &[(Fence, &str)] = &[
    (Fence::PollMemberAtDispatch, "A group poll goes on to the owner only for a member that may poll the partition."),
    (Fence::CommitMemberAtDispatch, "A group commit goes on to the owner only for a member that owns the partition."),
    (Fence::PollIncarnationOnArrival, "A poll that names an incarnation is served by that incarnation or refused."),
    (
        Fence::WriteIncarnationOnArrival,
        "A write that names an incarnation, or was bound to one at the gateway, reaches that incarnation or is refused.",
    ),
    (
        Fence::MetadataFloorOnArrival,
        "A request that knows of a newer state than the owner has applied is sent away to come again.",
    ),
    (
        Fence::CommitPurgeGenerationOnArrival,
        "A commit carries the purge generation of its read, and that must be the current one.",
    ),
    (
        Fence::CommitAssignmentOnArrival,
        "A commit carries the assignment of its read, and that must be the current one.",
    ),
    (Fence::StoreInRangeOnArrival, "A store names an offset that exists."),
    (Fence::BookmarkExistsOnDelete, "A delete finds a bookmark."),
    (
        Fence::CommitHistoryOnPromotion,
        "A manual commit that waited gets its place only in the history in which it began to wait.",
    ),
    (
        Fence::CommitAssignmentOnPromotion,
        "A manual commit that waited gets its place only under the assignment of its read.",
    ),
    (
        Fence::AutomaticStoreHistoryOnPromotion,
        "An automatic store that waited gets its place only in the history in which it began to wait.",
    ),
    (Fence::CompletionCapacityBeforeRead, "A read starts only if there is room for its completion."),
    (Fence::CallerPresentAtCompletion, "A completed read counts only while somebody waits for it."),
    (Fence::PollHistoryAtCompletion, "A completed read counts only in the history in which it was planned."),
    (
        Fence::PollAssignmentAtCompletion,
        "A completed group read counts only under the assignment under which it was dispatched.",
    ),
    (
        Fence::AutomaticStoreAssignmentAtCompletion,
        "A group read with automatic commit counts only under the assignment under which it was dispatched.",
    ),
    (Fence::AutomaticStoreForwardOnly, "An automatic store leaves a bookmark alone that is further on."),
    (Fence::OperationAfterPurgeAtCommit, "An operation that got its place before a purge has no effect after it."),
    (Fence::PartitionDirectorySynced, "A purge is recorded as done only when the removal of the segments is durable."),
    (Fence::BookmarkDirectorySynced, "A purge is recorded as done only when the removal of the bookmarks is durable."),
    (Fence::BookmarksUnlinked, "A purge is recorded as done only when every old bookmark is unlinked."),
    (Fence::NewStartRecordedFirst, "With kept numbering, the new start is durable before old messages go."),
    (
        Fence::BookmarkGenerationAtLoad,
        "Recovery loads a bookmark only if it carries the purge generation that the partition recovered.",
    ),
    (Fence::PurgeFinishedBeforeServing, "A purge that was begun is finished before the recovered partition serves."),
    (Fence::RevocationDrainedBeforeMove, "A revoked partition moves only when what was served from it is committed."),
];

/// The rule of a fence; a test excludes that there is none.
pub(super) fn fence(fence: Fence) -> &'static str {
    FENCES.iter().find(|(known, _)| *known == fence).map_or("", |(_, rule)| rule)
}

/// A place where fences stand, in words.
pub(super) fn checkpoint(checkpoint: Checkpoint) -> &'static str {
    match checkpoint {
        Checkpoint::GatewayAtDispatch => "At the gateway, when the request is dispatched",
        Checkpoint::OwnerOnArrival => "At the owner, when the request arrives",
        Checkpoint::OwnerOnPromotion => "At the owner, when a queued operation gets its place",
        Checkpoint::OwnerAtCompletion => "At the owner, when a read completes",
        Checkpoint::OwnerAtCommit => "At the owner, when an operation commits",
        Checkpoint::OwnerDuringPurge => "At the owner, during a purge",
        Checkpoint::Recovery => "In recovery",
        Checkpoint::Metadata => "In metadata",
    }
}

/// What is known and what is not at a place where fences stand.
pub(super) fn checkpoint_note(checkpoint: Checkpoint) -> &'static str {
    match checkpoint {
        Checkpoint::GatewayAtDispatch => {
            "The gateway is the home of the connection. It knows a mirror of the metadata that may lag. A check here saves work. It protects no effect, because everything can change before the request arrives."
        }
        Checkpoint::OwnerOnArrival => {
            "The owner orders everything that happens to the partition. A commit that gets its place at once takes effect in this step."
        }
        Checkpoint::OwnerOnPromotion => {
            "A full pipeline makes operations wait. What was true when they arrived must still be true when they get their place, for that is when they take effect."
        }
        Checkpoint::OwnerAtCompletion => {
            "A read runs beside the owner. Its batch is granted, and progress moves, in one step of the owner. What is compared in that step cannot change before the effect."
        }
        Checkpoint::OwnerAtCommit => "An operation has its place and is now applied.",
        Checkpoint::OwnerDuringPurge => {
            "What the disk holds decides which history recovery finds. These are fences against a power loss, not against a client."
        }
        Checkpoint::Recovery => "Recovery reads what the disk held. The next steps of the clients rest on it.",
        Checkpoint::Metadata => "Metadata decides who owns the partition.",
    }
}

/// What is chosen by a key of a contract.
pub(super) fn choice(key: &str) -> Option<&'static str> {
    Some(match key {
        "numbering_at_purge" => "Numbering at a purge",
        "emptying" => "How a topic is emptied",
        "emptying_acknowledged" => "The operator is answered",
        "effect_of_read" => "A read takes effect",
        "bookmark_of_automatic_store" => "An automatic store moves the bookmark",
        "poll_identity_on_wire" => "Identity on a poll",
        "commit_identity_on_wire" => "Identity on a commit",
        "batch_identity_captured" => "Identity of a batch is captured",
        "assignment_compared_by" => "An assignment is compared by",
        "commit_without_identity" => "A commit without identity is",
        "client_commits" => "Clients commit",
        "route_after_refusal" => "A client's route after a refusal is",
        "bookmark_carries" => "A bookmark file carries",
        "bookmark_above_head_at_boot" => "A bookmark above the head at boot is",
        "full_queue" => "A request at a full queue is",
        "gateway_time_out" => "The gateway gives up with",
        "messages_survive_power_loss" => "Acknowledged messages survive a power loss",
        "commits_durable" => "Acknowledged commits are durable",
        "parked_polls" => "Polls may wait at the owner",
        "join_takes_partition" => "A join takes a partition",
        _ => return None,
    })
}

/// What a view explores.
pub(super) fn view(name: &str) -> Option<&'static str> {
    Some(match name {
        "purge-with-pending-polls" => {
            "One consumer polls, with and without automatic commit, and commits what it read, while the topic is emptied."
        }
        "queued-operations-with-purge" => "Operations wait for their place while the topic is emptied.",
        "polls-with-reassignment" => "Two members poll while the partition moves between them.",
        "commits-with-reassignment" => {
            "Two members read and commit while one leaves, joins again and regains the partition."
        }
        "join-with-drain" => "A join takes the partition from a member that is still working on it.",
        "power-loss-during-purge" => {
            "A purge step by step, with failing syncs, a restart, and a power loss that keeps any part of what was not synced."
        }
        "restart" => "A restart and a power loss without a purge; bookmarks above the head.",
        "delete-and-recreate" => "The topic is deleted and created again under the same name.",
        "three-aspects" => "A purge, a reassignment and a restart together.",
        "liveness" => "Polls without end, with a full pipeline and a moving partition.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_every_choice_fence_and_view_when_named_should_have_words() {
        let contract = fencepost_spec::library::contract("owner-installed").expect("a built-in contract");
        for (key, _) in contract.choices.words() {
            assert!(choice(key).is_some(), "{key}");
        }
        for known in Fence::ALL {
            assert!(!fence(*known).is_empty(), "{known}");
        }
        for name in fencepost_spec::library::VIEWS {
            assert!(view(name).is_some(), "{name}");
        }
    }
}
