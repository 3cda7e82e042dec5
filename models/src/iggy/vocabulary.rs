//! The names of all actions and outcomes: what is counted, and what weak fairness speaks of.

use fencepost_spec::fence::Fence;
use stateright::actor::Id;

use super::consumer::REUSED_POLL;
use super::marks::Mark;
use super::messages::{Act, Command, Envelope, Inner, PRODUCER, RequestId};
use super::system::{Address, Setup};

pub use crate::family::{passed_term, refused_term, without_number};

fencepost_spec::words! {
    /// A kind of action.
    pub enum ActionKind {
        /// A consumer polls.
        ConsumerPolls = "consumer-polls",
        /// A consumer stores the offset of what it read.
        ConsumerStores = "consumer-stores",
        /// A consumer stores a position of its own choice.
        ConsumerSeeks = "consumer-seeks",
        /// A consumer deletes its bookmark.
        ConsumerDeletes = "consumer-deletes",
        /// A consumer gives up waiting for a poll.
        ConsumerGivesUpPoll = "consumer-gives-up-poll",
        /// A consumer gives up waiting for a commit.
        ConsumerGivesUpCommit = "consumer-gives-up-commit",
        /// A consumer gets an answer.
        ConsumerGetsAnswer = "consumer-gets-answer",
        /// The producer sends.
        ProducerSends = "producer-sends",
        /// The producer gets an answer.
        ProducerGetsAnswer = "producer-gets-answer",
        /// The operator commands.
        OperatorCommands = "operator-commands",
        /// The operator gets an acknowledgement.
        OperatorGetsAcknowledgement = "operator-gets-acknowledgement",
        /// The gateway dispatches (or refuses) a poll.
        GatewayDispatchesPoll = "gateway-dispatches-poll",
        /// The gateway dispatches (or refuses) a commit.
        GatewayDispatchesCommit = "gateway-dispatches-commit",
        /// The gateway dispatches a send.
        GatewayDispatchesSend = "gateway-dispatches-send",
        /// The gateway's mirror follows the metadata.
        GatewayAppliesMetadata = "gateway-applies-metadata",
        /// The gateway asks the owner before it proposes a join, or forwards the answer.
        GatewayGathersForJoin = "gateway-gathers-for-join",
        /// Metadata decides an emptying.
        MetadataDecidesEmptying = "metadata-decides-emptying",
        /// Metadata decides a join, leave or disconnect.
        MetadataDecidesMembership = "metadata-decides-membership",
        /// Metadata hears that an emptying is applied.
        MetadataAcknowledgesEmptying = "metadata-acknowledges-emptying",
        /// Metadata completes a revocation that is drained.
        MetadataCompletesRevocation = "metadata-completes-revocation",
        /// A revocation times out.
        RevocationTimesOut = "revocation-times-out",
        /// A poll arrives at the owner.
        PollArrives = "poll-arrives",
        /// A commit arrives at the owner.
        CommitArrives = "commit-arrives",
        /// A send arrives at the owner.
        SendArrives = "send-arrives",
        /// The owner applies metadata.
        OwnerAppliesMetadata = "owner-applies-metadata",
        /// The owner answers whether a join must wait.
        OwnerAnswersGather = "owner-answers-gather",
        /// The owner reports that a revoked partition is drained.
        OwnerReportsDrained = "owner-reports-drained",
        /// Old messages go.
        RetentionRemovesMessages = "retention-removes-messages",
        /// A read opens its file.
        ReadOpens = "read-opens",
        /// A read finds the new bytes of a replaced file.
        ReadFindsNewBytes = "read-finds-new-bytes",
        /// A read completes, or a parked poll wakes.
        ReadCompletes = "read-completes",
        /// The wait of a parked poll is over.
        ParkedPollExpires = "parked-poll-expires",
        /// The gateway gives up waiting for a poll.
        GatewayGivesUpPoll = "gateway-gives-up-poll",
        /// The oldest prepared operation commits.
        OperationCommits = "operation-commits",
        /// A step of a purge.
        PurgeSteps = "purge-steps",
        /// A sync or unlink of a purge fails.
        PurgeStepFails = "purge-step-fails",
        /// An unfinished purge is begun again after recovery.
        PurgeResumes = "purge-resumes",
        /// The owner restarts.
        OwnerRestarts = "owner-restarts",
        /// Power is lost.
        PowerIsLost = "power-is-lost",
        /// The harness puts saved bookmarks back.
        BookmarksAreResurrected = "bookmarks-are-resurrected",
    }
}

impl ActionKind {
    /// Whether only a recording's harness does this, never a broker or its clients.
    pub fn is_of_a_harness(self) -> bool {
        self == Self::BookmarksAreResurrected
    }
}

/// The kind of the delivery of a message, and which of several it is (a consumer, a read), from 1; 0 if there is one only.
pub fn kind_of(receiver: Id, message: &Envelope) -> (ActionKind, usize) {
    use ActionKind as Kind;
    let at_owner = Address::of(receiver) == Address::Owner;
    let whose = |id: RequestId| if id.client >= PRODUCER { 0 } else { usize::from(id.client) + 1 };
    let consumer = match Address::of(receiver) {
        Address::Consumer(index) => usize::from(index) + 1,
        _ => 0,
    };
    match message {
        Envelope::Act(_, act) => (act_kind(act), consumer),
        Envelope::Send(..) => (Kind::ProducerSends, 0),
        Envelope::Next(_) | Envelope::Once(..) => (Kind::OperatorCommands, 0),
        Envelope::Reply(..) if consumer == 0 => (Kind::ProducerGetsAnswer, 0),
        // Fairness must not mistake the answer to a poll for the answer to a commit.
        Envelope::Reply(id, _) => (Kind::ConsumerGetsAnswer, 2 * consumer - usize::from(id.number == REUSED_POLL)),
        Envelope::Acknowledged(..) => (Kind::OperatorGetsAcknowledgement, 0),
        Envelope::Poll(poll) if at_owner => (Kind::PollArrives, whose(poll.id)),
        Envelope::Poll(poll) => (Kind::GatewayDispatchesPoll, whose(poll.id)),
        Envelope::Commit(commit) if at_owner => (Kind::CommitArrives, whose(commit.id)),
        Envelope::Commit(commit) => (Kind::GatewayDispatchesCommit, whose(commit.id)),
        Envelope::Produce(_) if at_owner => (Kind::SendArrives, 0),
        Envelope::Produce(_) => (Kind::GatewayDispatchesSend, 0),
        Envelope::Apply(_) if at_owner => (Kind::OwnerAppliesMetadata, 0),
        Envelope::Apply(_) => (Kind::GatewayAppliesMetadata, 0),
        Envelope::Gather(..) => (Kind::OwnerAnswersGather, 0),
        Envelope::Gathered(..) => (Kind::GatewayGathersForJoin, 0),
        Envelope::Command { command, .. } => (command_kind(*command, receiver), 0),
        Envelope::Applied(_) => (Kind::MetadataAcknowledgesEmptying, 0),
        Envelope::Drained(_) => (Kind::MetadataCompletesRevocation, 0),
        Envelope::RevocationTimesOut => (Kind::RevocationTimesOut, 0),
        Envelope::Inner(inner) => inner_kind(*inner),
    }
}

fn act_kind(act: &Act) -> ActionKind {
    match act {
        Act::Poll { .. } => ActionKind::ConsumerPolls,
        Act::StoreLast | Act::Store(_) => ActionKind::ConsumerStores,
        Act::Seek(_) => ActionKind::ConsumerSeeks,
        Act::Delete => ActionKind::ConsumerDeletes,
        Act::GiveUpPoll => ActionKind::ConsumerGivesUpPoll,
        Act::GiveUpCommit => ActionKind::ConsumerGivesUpCommit,
    }
}

fn command_kind(command: Command, receiver: Id) -> ActionKind {
    match command {
        Command::Empty | Command::Recreate => ActionKind::MetadataDecidesEmptying,
        Command::Retain(_) => ActionKind::RetentionRemovesMessages,
        Command::Join(_) if Address::of(receiver) == Address::Gateway => ActionKind::GatewayGathersForJoin,
        Command::Join(_) | Command::Leave(_) | Command::Disconnect(_) => ActionKind::MetadataDecidesMembership,
    }
}

fn inner_kind(inner: Inner) -> (ActionKind, usize) {
    let slot = |slot: u8| usize::from(slot) + 1;
    match inner {
        Inner::Open(read) => (ActionKind::ReadOpens, slot(read)),
        Inner::OpenNewBytes(read) => (ActionKind::ReadFindsNewBytes, slot(read)),
        Inner::Complete(read) => (ActionKind::ReadCompletes, slot(read)),
        Inner::Expire(read) => (ActionKind::ParkedPollExpires, slot(read)),
        Inner::GatewayGivesUp(read) => (ActionKind::GatewayGivesUpPoll, slot(read)),
        Inner::CommitOldest => (ActionKind::OperationCommits, 0),
        Inner::PurgeStep { fails: false } => (ActionKind::PurgeSteps, 0),
        Inner::PurgeStep { fails: true } => (ActionKind::PurgeStepFails, 0),
        Inner::ResumePurge => (ActionKind::PurgeResumes, 0),
        Inner::Restart => (ActionKind::OwnerRestarts, 0),
        Inner::PowerLoss(_) => (ActionKind::PowerIsLost, 0),
        Inner::ReportDrained => (ActionKind::OwnerReportsDrained, 0),
        Inner::ResurrectBookmarks => (ActionKind::BookmarksAreResurrected, 0),
    }
}

/// How many of one kind are told apart, with the one that stands for none.
fn width(setup: &Setup) -> usize {
    1 + (2 * setup.bounds.consumers.len()).max(usize::from(setup.bounds.slots()))
}

/// The term of an action.
pub fn action_term(setup: &Setup, receiver: Id, message: &Envelope) -> usize {
    let (kind, which) = kind_of(receiver, message);
    kind as usize * width(setup) + which.min(width(setup) - 1)
}

/// All terms: the actions (of each kind, `width` many), then each fence passed, then each fence refused.
pub fn vocabulary(setup: &Setup) -> Vec<String> {
    let mut terms = Vec::new();
    for kind in ActionKind::ALL {
        for which in 0..width(setup) {
            terms.push(if which == 0 { kind.to_string() } else { format!("{kind} ({which})") });
        }
    }
    terms.extend(Fence::ALL.iter().map(|fence| passed_term(*fence)));
    terms.extend(Fence::ALL.iter().map(|fence| refused_term(*fence)));
    terms
}

/// Whether a fence does nothing but refuse, so that a contract without it behaves the same wherever it never refuses. The
/// others decide something else as well, when they do not refuse: what a refusal elsewhere answers, whether a poll waits for
/// room, what a bookmark in memory becomes, the order of the steps of a purge.
pub fn only_refuses(fence: Fence) -> bool {
    !matches!(
        fence,
        Fence::CommitPurgeGenerationOnArrival
            | Fence::CompletionCapacityBeforeRead
            | Fence::AutomaticStoreForwardOnly
            | Fence::NewStartRecordedFirst
    )
}

/// Adds the terms of fence outcomes.
pub fn outcome_terms(setup: &Setup, marks: &[Mark], terms: &mut Vec<usize>) {
    let first = ActionKind::ALL.len() * width(setup);
    for mark in marks {
        match mark {
            Mark::Passed(fence) => terms.push(first + *fence as usize),
            Mark::Refused { refusal, .. } => terms.push(first + Fence::ALL.len() + refusal.fence as usize),
            _ => {}
        }
    }
    terms.sort_unstable();
    terms.dedup();
}

/// Whether an action must be taken at last if it stays possible: what the broker, the network and a polling client do.
/// Failures, crashes, commands and clients that give up are choices of the environment.
pub fn is_fair(setup: &Setup, term: usize) -> bool {
    use ActionKind as Kind;
    let kind = ActionKind::ALL.get(term / width(setup)).copied();
    !matches!(
        kind,
        None | Some(
            Kind::ConsumerStores
                | Kind::ConsumerSeeks
                | Kind::ConsumerDeletes
                | Kind::ConsumerGivesUpPoll
                | Kind::ConsumerGivesUpCommit
                | Kind::ProducerSends
                | Kind::OperatorCommands
                | Kind::ReadFindsNewBytes
                | Kind::GatewayGivesUpPoll
                | Kind::PurgeStepFails
                | Kind::OwnerRestarts
                | Kind::PowerIsLost
                | Kind::BookmarksAreResurrected
        )
    )
}
