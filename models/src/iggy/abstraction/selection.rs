//! Which traces are worth a replay: at least one for each abstract transition, as far as the step that is taken can tell states apart.
//!
//! A step of a consumer is the same step whatever the owner is doing. So each kind of action is crossed with those predicates only
//! that its step reads or changes (for the owner also those about what is stale), with the outcomes of its fences, and with what the
//! clauses said. Crossing all predicates with all kinds gives more than ten times as many traces; what is given up is a fault that shows only
//! together with a condition which the step has no business with.

use std::collections::HashSet;
use std::sync::Arc;

use fencepost_checker::cover::{Cover, CoverStep, ItemKind, Label, Said};

use super::Predicate;
use crate::iggy::system::Setup;
use crate::iggy::vocabulary::{self, ActionKind};

/// The name of a step: its kind of action, the outcomes of its fences, what the clauses said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The kind of action; which consumer or read it is of makes no difference.
    pub kind: Option<ActionKind>,
    /// The fences that passed or refused, as in the vocabulary.
    pub outcomes: Vec<String>,
    /// What each safety clause said.
    pub said: Vec<Said>,
}

impl Name {
    fn of(vocabulary: &[String], label: &Label) -> Self {
        let (mut kind, mut outcomes) = (None, Vec::new());
        for term in label.terms.iter().filter_map(|term| vocabulary.get(*term)) {
            match vocabulary::without_number(term).parse::<ActionKind>() {
                Ok(action) => kind = Some(action),
                Err(_) => outcomes.push(term.clone()),
            }
        }
        Self { kind, outcomes, said: label.said.clone() }
    }
}

/// An abstract transition as a selection tells them apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AbstractStep {
    /// What the step is called.
    pub name: Arc<Name>,
    /// The predicates that hold before, of those that the step concerns.
    pub before: u64,
    /// The same afterwards.
    pub after: u64,
}

/// By step of a cover: the abstract transition that it shows.
pub fn abstract_steps<A>(setup: &Setup, cover: &Cover<A>) -> Vec<AbstractStep> {
    let vocabulary = vocabulary::vocabulary(setup);
    let names: Vec<(Arc<Name>, u64)> = cover
        .labels
        .iter()
        .map(|label| {
            let name = Name::of(&vocabulary, label);
            let concerned = name.kind.map_or(u64::MAX, concerned);
            (Arc::new(name), concerned)
        })
        .collect();
    let of_step = |step: &CoverStep<A>| {
        let (name, concerned) = &names[step.label];
        AbstractStep { name: Arc::clone(name), before: step.before & concerned, after: step.after & concerned }
    };
    cover.steps.iter().map(of_step).collect()
}

/// The last steps of the traces of a view that are worth a replay, as indices into the steps of its cover. What other views have
/// `shown` needs no trace here; what these traces come by is added to it.
pub fn select<A>(setup: &Setup, cover: &Cover<A>, shown: &mut HashSet<AbstractStep>) -> Vec<usize> {
    let steps = abstract_steps(setup, cover);
    cover.select_by(ItemKind::AbstractTransition, |step| Some(steps[step].clone()), shown)
}

const fn bits(predicates: &[Predicate]) -> u64 {
    let (mut bits, mut index) = (0, 0);
    while index < predicates.len() {
        bits |= 1 << predicates[index] as u64;
        index += 1;
    }
    bits
}

const STATUS: u64 = bits(&[
    Predicate::PurgeRecordsStart,
    Predicate::PurgeReplacesSegment,
    Predicate::PurgeSyncsPartition,
    Predicate::PurgeRemovesBookmarks,
    Predicate::PurgeSyncsBookmarks,
    Predicate::PurgeWritesMarker,
    Predicate::OwnerFenced,
    Predicate::MarkerBehind,
]);
const LOG: u64 = bits(&[Predicate::LogNotEmpty]);
const READS: u64 = bits(&[
    Predicate::ReadPlanned,
    Predicate::ReadOpened,
    Predicate::PollParked,
    Predicate::ReadOfOlderHistory,
    Predicate::ReadOfOlderAssignment,
    Predicate::ReadWithoutCaller,
]);
const OPERATIONS: u64 = bits(&[
    Predicate::OperationPrepared,
    Predicate::OperationQueued,
    Predicate::OperationOfOlderHistory,
    Predicate::OperationOfOlderAssignment,
]);
const BOOKMARKS: u64 = bits(&[
    Predicate::BookmarkPresent,
    Predicate::BookmarkAboveHead,
    Predicate::BookmarkAutomatic,
    Predicate::BookmarkForeign,
    Predicate::BookmarkFileDiffers,
]);
const LAST_POLLED: u64 = bits(&[Predicate::LastPolledPresent, Predicate::LastPolledForeign]);
const DISK: u64 = bits(&[Predicate::UnsyncedNames, Predicate::UnsyncedData]);
const METADATA: u64 = bits(&[
    Predicate::MirrorBehind,
    Predicate::OwnerBehind,
    Predicate::EmptyingNotApplied,
    Predicate::MirrorAssignmentDiffers,
    Predicate::RevocationPending,
]);
const CONSUMERS: u64 = bits(&[
    Predicate::ConsumerAwaitsPoll,
    Predicate::ConsumerAwaitsCommit,
    Predicate::BatchOfThisHistory,
    Predicate::BatchOfOlderHistory,
    Predicate::BatchOfOlderAssignment,
]);
const DRAIN: u64 = bits(&[Predicate::DrainReported, Predicate::RevocationPending]);

/// What no step of the owner may be blind to: something of another history or of an older assignment is there.
const STALE: u64 = bits(&[
    Predicate::ReadOfOlderHistory,
    Predicate::ReadOfOlderAssignment,
    Predicate::OperationOfOlderHistory,
    Predicate::OperationOfOlderAssignment,
    Predicate::BookmarkForeign,
    Predicate::LastPolledForeign,
]);

/// The predicates that a kind of action reads or changes, and for steps of the owner those that fences are about.
pub fn concerned(kind: ActionKind) -> u64 {
    use ActionKind as Kind;
    match kind {
        Kind::ConsumerPolls
        | Kind::ConsumerStores
        | Kind::ConsumerSeeks
        | Kind::ConsumerDeletes
        | Kind::ConsumerGivesUpPoll
        | Kind::ConsumerGivesUpCommit
        | Kind::ConsumerGetsAnswer => CONSUMERS,
        Kind::ProducerSends | Kind::ProducerGetsAnswer | Kind::OperatorCommands | Kind::OperatorGetsAcknowledgement => {
            0
        }
        Kind::GatewayDispatchesPoll
        | Kind::GatewayDispatchesCommit
        | Kind::GatewayDispatchesSend
        | Kind::GatewayAppliesMetadata
        | Kind::GatewayGathersForJoin
        | Kind::MetadataDecidesEmptying
        | Kind::MetadataDecidesMembership
        | Kind::MetadataAcknowledgesEmptying
        | Kind::MetadataCompletesRevocation
        | Kind::RevocationTimesOut => METADATA,
        Kind::OwnerAnswersGather | Kind::OwnerReportsDrained => STALE | LOG | LAST_POLLED | BOOKMARKS | DRAIN,
        Kind::PollArrives | Kind::ReadCompletes | Kind::ParkedPollExpires => {
            STALE | STATUS | LOG | READS | OPERATIONS | BOOKMARKS | LAST_POLLED | DRAIN
        }
        Kind::CommitArrives | Kind::OperationCommits => STALE | STATUS | LOG | OPERATIONS | BOOKMARKS,
        Kind::SendArrives => STALE | STATUS | LOG | OPERATIONS,
        Kind::RetentionRemovesMessages => STALE | STATUS | LOG | BOOKMARKS,
        Kind::ReadOpens | Kind::ReadFindsNewBytes | Kind::GatewayGivesUpPoll => STALE | STATUS | LOG | READS,
        Kind::OwnerAppliesMetadata => STALE | STATUS | LOG | READS | OPERATIONS | BOOKMARKS | LAST_POLLED | DRAIN,
        Kind::PurgeSteps | Kind::PurgeStepFails | Kind::PurgeResumes => {
            STALE | STATUS | LOG | READS | OPERATIONS | BOOKMARKS | DISK
        }
        Kind::OwnerRestarts | Kind::PowerIsLost => STALE | STATUS | LOG | READS | OPERATIONS | BOOKMARKS | DISK,
        Kind::BookmarksAreResurrected => STALE | BOOKMARKS | DISK,
    }
}
