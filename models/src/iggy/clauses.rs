//! The predicate of every clause, over one transition of the system.
//!
//! A predicate reads the facts of the step, the owner's state with the referee's notes, and the ledger. None of them is
//! visible to a fence.

use fencepost_checker::actor_system::ActorStep;
use fencepost_checker::clause::{Clause, Judgement, LivenessClause};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::{GatewayTimeOut, WireIdentity};
use fencepost_spec::fence::Fence;
use fencepost_spec::identity::{History, IdentityKind, Origin};

use super::disk::BookmarkFile;
use super::marks::{Granted, Mark};
use super::messages::{Key, Strategy};
use super::owner::commits::bits_up_to;
use super::owner::polls::bit;
use super::owner::{Owner, Status, Work};
use super::system::{
    FIRST_CONSUMER_INDEX, IggyModel, IggyState, OWNER_INDEX, Setup, consumer_of, metadata_of, owner_in, owner_of,
    producer_of,
};

type Step<'a> = ActorStep<'a, IggyModel>;

/// All safety clauses.
pub fn safety(setup: &Setup) -> Vec<Clause<IggyModel>> {
    ClauseName::ALL.iter().filter(|name| !name.clause().liveness).map(|name| safety_clause(setup, *name)).collect()
}

fn safety_clause(setup: &Setup, name: ClauseName) -> Clause<IggyModel> {
    let setup = setup.clone();
    Clause::on_step(name.word(), move |step: &Step<'_>| {
        let mut judgement = Judgement::Silent;
        for mark in step.facts() {
            match judge(&setup, name, step, mark) {
                Judgement::Broken(reason) => return Judgement::Broken(reason),
                Judgement::Upheld => judgement = Judgement::Upheld,
                Judgement::Silent => {}
            }
        }
        judgement
    })
}

/// Judges one fact of a step.
fn judge(setup: &Setup, name: ClauseName, step: &Step<'_>, mark: &Mark) -> Judgement {
    match name {
        ClauseName::NoForeignProgress => no_foreign_progress(step, mark),
        ClauseName::NoSkip => no_skip(step, mark),
        ClauseName::NoStaleBatch => no_stale_batch(step, mark),
        ClauseName::StalePollIsRetryable => stale_poll_is_retryable(setup, step, mark),
        ClauseName::RejectionIsInert => rejection_is_inert(step, mark),
        ClauseName::CommitUnderReadingAssignment => commit_under_reading_assignment(step, mark),
        ClauseName::AcknowledgedCommitStands => acknowledged_commit_stands(step, mark),
        ClauseName::AutomaticProgressMonotone => automatic_progress_monotone(step, mark),
        ClauseName::OneHistoryAfterRecovery => one_history_after_recovery(step, mark),
        ClauseName::AcknowledgedPurgeIsFinal => acknowledged_purge_is_final(step, mark),
        ClauseName::SilentAdvanceOnlyAfterAcceptance => silent_advance(setup, step, mark),
        ClauseName::RevocationDrainsOrTimesOut => revocation_drains(step, mark),
        ClauseName::NoNeedlessRefusal => no_needless_refusal(step, mark),
        ClauseName::EveryRequestIsAnswered | ClauseName::LiveMessagesAreServed => Judgement::Silent,
    }
}

fn broken_if(broken: bool, reason: impl FnOnce() -> String) -> Judgement {
    if broken { Judgement::Broken(reason()) } else { Judgement::Upheld }
}

/// The owner before a step. To look at it where it does not act costs an engine time, so do it only where it is needed.
fn owner_before<'a>(step: &Step<'a>) -> &'a Owner {
    owner_in(step.before(OWNER_INDEX))
}

/// The owner after a step.
fn owner_after<'a>(step: &Step<'a>) -> &'a Owner {
    owner_in(step.after(OWNER_INDEX))
}

fn origin_history(step: &Step<'_>, origin: Origin) -> Option<History> {
    step.history_after().resolve(origin).map(|(history, _)| history)
}

fn no_foreign_progress(step: &Step<'_>, mark: &Mark) -> Judgement {
    let current = || owner_after(step).history;
    let foreign = |file: &BookmarkFile| origin_history(step, file.origin).is_some_and(|history| history != current());
    match mark {
        Mark::BookmarkMoved { after: Some(file), .. } => {
            broken_if(foreign(file), || format!("the bookmark of {} comes from another history", current()))
        }
        Mark::LastPolledMoved(_) => {
            let current = current();
            let read_in = owner_after(step).last_polled.map(|(_, history)| history);
            broken_if(read_in.is_some_and(|history| history != current), || {
                format!("last polled of {current} comes from a read of another history")
            })
        }
        Mark::Recovered(image) => broken_if(image.bookmarks.values().any(foreign), || {
            format!("a bookmark recovered into {} comes from another history", current())
        }),
        _ => Judgement::Silent,
    }
}

/// Offsets that the key was served or moved past in the current history.
fn accounted(step: &Step<'_>, owner: &Owner, key: Key) -> u64 {
    let served = owner.ghost.accounted.get(&key).copied().unwrap_or(0);
    owner.ghost.positions.iter().fold(served, |bits, (whose, request, offset)| {
        let origin = Origin::Deliberate { client: request.client, request: request.number };
        let of_this_history = origin_history(step, origin) == Some(owner.history);
        if *whose == key && of_this_history { bits | bits_up_to(*offset) } else { bits }
    })
}

fn no_skip(step: &Step<'_>, mark: &Mark) -> Judgement {
    let Mark::Granted(granted) = mark else { return Judgement::Silent };
    let owner = owner_before(step);
    if granted.strategy != Strategy::Next || granted.history != owner.history {
        return Judgement::Silent;
    }
    let known = accounted(step, owner, granted.key);
    let skipped = owner.log.placed().find(|placed| placed.offset < granted.cursor && known & bit(placed.offset) == 0);
    match skipped {
        Some(placed) => Judgement::Broken(format!(
            "Next went on at offset {}, and offset {} of {} was never served",
            granted.cursor, placed.offset, owner.history
        )),
        None => Judgement::Upheld,
    }
}

fn no_stale_batch(step: &Step<'_>, mark: &Mark) -> Judgement {
    match mark {
        Mark::Granted(granted) if !granted.batch.is_empty() && granted.caller_waits => {
            let current = owner_before(step).history;
            let stale = granted.batch.iter().find(|placed| placed.message.history != current);
            broken_if(stale.is_some(), || format!("the batch holds messages of another history than {current}"))
        }
        _ => Judgement::Silent,
    }
}

/// Whether a granted poll's history or assignment is not current any more. One that the owner has not applied yet is newer.
fn is_stale(setup: &Setup, owner: &Owner, granted: &Granted) -> bool {
    let named = setup.choices.poll_identity_on_wire != WireIdentity::Nothing;
    granted.history != owner.history
        || granted.key == Key::Group && granted.assignment < owner.assignment(Key::Group)
        || named && granted.incarnation.is_some_and(|incarnation| incarnation < owner.applied.incarnation)
}

fn stale_poll_is_retryable(setup: &Setup, step: &Step<'_>, mark: &Mark) -> Judgement {
    match mark {
        Mark::Granted(granted) if granted.caller_waits && is_stale(setup, owner_before(step), granted) => {
            let got = if granted.batch.is_empty() { "an empty batch" } else { "a batch" };
            Judgement::Broken(format!("a poll whose history or assignment is not current any more gets {got}"))
        }
        Mark::Refused { refusal, .. } => match refusal.fence {
            Fence::PollHistoryAtCompletion
            | Fence::PollAssignmentAtCompletion
            | Fence::PollIncarnationOnArrival
            | Fence::AutomaticStoreAssignmentAtCompletion => Judgement::Upheld,
            _ => Judgement::Silent,
        },
        _ => Judgement::Silent,
    }
}

fn rejection_is_inert(step: &Step<'_>, mark: &Mark) -> Judgement {
    let Mark::Denied(denied) = mark else { return Judgement::Silent };
    let owner = owner_after(step);
    let granted = step.facts().iter().any(|mark| matches!(mark, Mark::Granted(granted) if granted.id == *denied));
    let bookmark_moved = step
        .facts()
        .iter()
        .any(|mark| matches!(mark, Mark::BookmarkMoved { request: Some(request), .. } if request == denied));
    if bookmark_moved {
        return Judgement::Broken("a refused store left its bookmark behind".to_owned());
    }
    let polled_moved = step.facts().iter().any(|mark| matches!(mark, Mark::LastPolledMoved(id) if id == denied));
    if polled_moved && !granted {
        return Judgement::Broken("a refused poll moved last polled".to_owned());
    }
    let waits = owner.reads.iter().any(|read| read.id == *denied)
        || owner.pipeline.iter().chain(&owner.queue).any(|operation| {
            let automatic = matches!(operation.work, Work::Commit { automatic: true, .. });
            !automatic && operation.request == *denied
        });
    broken_if(waits, || "a refused request still waits to take effect".to_owned())
}

fn commit_under_reading_assignment(step: &Step<'_>, mark: &Mark) -> Judgement {
    match mark {
        Mark::TakesEffect { key: Key::Group, origin: Origin::Read { assignment, .. }, .. } => {
            let current = owner_before(step).assignment(Key::Group);
            broken_if(*assignment != current, || {
                format!("a commit of a read under assignment {assignment} takes effect under assignment {current}")
            })
        }
        _ => Judgement::Silent,
    }
}

fn acknowledged_commit_stands(step: &Step<'_>, mark: &Mark) -> Judgement {
    match mark {
        Mark::BookmarkMoved { before: Some(before), after, origin, key, .. } if !before.automatic => {
            let goes_back = after.is_none_or(|after| after.offset < before.offset);
            broken_if(goes_back && is_older(step, *origin, before.origin, *key), || {
                format!("the acknowledged bookmark {} is undone by a commit of an older read", before.offset)
            })
        }
        Mark::Recovered(_) => {
            let (before, after) = (owner_before(step), owner_after(step));
            if before.history != after.history || before.ghost.acknowledged.is_empty() {
                return Judgement::Silent;
            }
            let stored = |key: &Key| after.bookmarks.get(key).map(|file| file.offset);
            let lost = before.ghost.acknowledged.iter().find(|(key, offset)| stored(key) < **offset);
            broken_if(lost.is_some(), || "an acknowledged commit did not survive".to_owned())
        }
        _ => Judgement::Silent,
    }
}

/// Whether a commit comes from a read of an older history or assignment than another. Only reads count as older.
fn is_older(step: &Step<'_>, origin: Origin, than: Origin, key: Key) -> bool {
    let Origin::Read { history, assignment } = origin else { return false };
    let Some((other_history, other_assignment)) = step.history_after().resolve(than) else { return false };
    history < other_history || history == other_history && key == Key::Group && assignment < other_assignment
}

fn automatic_progress_monotone(step: &Step<'_>, mark: &Mark) -> Judgement {
    match mark {
        Mark::BookmarkMoved { before, after: Some(after), automatic: true, .. } => {
            let current = owner_after(step).history;
            let back = before.is_some_and(|before| before.written_in == current && after.offset < before.offset);
            broken_if(back, || format!("an automatic commit moved the bookmark back to {}", after.offset))
        }
        Mark::Refused { refusal, .. } if refusal.fence == Fence::AutomaticStoreForwardOnly => Judgement::Upheld,
        _ => Judgement::Silent,
    }
}

fn one_history_after_recovery(step: &Step<'_>, mark: &Mark) -> Judgement {
    let Mark::Recovered(image) = mark else { return Judgement::Silent };
    let served = owner_after(step).history;
    if image.marker.history != served {
        return Judgement::Broken(format!("it serves {served} with a marker of {}", image.marker.history));
    }
    let foreign = image.bookmarks.values().find(|file| file.written_in != served);
    match foreign {
        Some(file) => Judgement::Broken(format!("it serves {served} with a bookmark of {}", file.written_in)),
        None => Judgement::Upheld,
    }
}

fn acknowledged_purge_is_final(step: &Step<'_>, mark: &Mark) -> Judgement {
    let Mark::Removed(emptyings, messages) = mark else { return Judgement::Silent };
    let sends = &step.history_before().sends;
    let removed = messages.iter().find(|message| sends.get(&message.sent).is_some_and(|known| known >= emptyings));
    broken_if(removed.is_some(), || "a message sent after the acknowledgement is removed".to_owned())
}

fn silent_advance(setup: &Setup, step: &Step<'_>, mark: &Mark) -> Judgement {
    let Mark::Granted(granted) = mark else { return Judgement::Silent };
    let moved = step.facts().iter().any(|mark| {
        matches!(mark, Mark::BookmarkMoved { request: Some(request), .. } if *request == granted.id)
            || matches!(mark, Mark::LastPolledMoved(request) if *request == granted.id)
    });
    if !moved {
        return Judgement::Silent;
    }
    let told_nothing = !granted.caller_waits && setup.choices.gateway_time_out == GatewayTimeOut::EmptyBatch;
    broken_if(told_nothing, || "a poll that was answered with an empty batch advances progress".to_owned())
}

fn revocation_drains(step: &Step<'_>, mark: &Mark) -> Judgement {
    let Mark::MovedByJoin { timed_out } = mark else { return Judgement::Silent };
    let owner = owner_before(step);
    let stored = owner.bookmarks.get(&Key::Group).map(|file| file.offset);
    let open = owner.ghost.granted.is_some_and(|granted| stored.is_none_or(|stored| stored < granted));
    broken_if(open && !timed_out, || "the partition moves while a batch that was served is not committed".to_owned())
}

/// Fences that compare an identity of the request with the current one.
fn compares_identity(fence: Fence) -> bool {
    fence.description().identities.iter().any(|identity| {
        matches!(
            identity,
            IdentityKind::PartitionHistory
                | IdentityKind::PurgeGeneration
                | IdentityKind::GroupGeneration
                | IdentityKind::OwnerGeneration
        )
    })
}

fn no_needless_refusal(step: &Step<'_>, mark: &Mark) -> Judgement {
    match mark {
        // A position of the client's own choice is judged by the identities that it names, and those are stale here.
        Mark::Refused { refusal, origin: Some(Origin::Read { history, assignment }), .. }
            if compares_identity(refusal.fence) =>
        {
            let (history, assignment, owner) = (*history, *assignment, owner_before(step));
            let current = assignment == 0 || assignment == owner.assignment(Key::Group);
            broken_if(history == owner.history && current, || {
                format!("the fence {} refuses a request whose history and assignment are current", refusal.fence)
            })
        }
        Mark::Passed(fence) if compares_identity(*fence) => Judgement::Upheld,
        _ => Judgement::Silent,
    }
}

/// The liveness clauses.
pub fn liveness(setup: &Setup) -> Vec<LivenessClause<IggyModel>> {
    let consumers = setup.bounds.consumers.len();
    // Only those who keep polling are owed messages.
    let polling = (0..).zip(&setup.bounds.consumers).filter(|(_, consumer)| consumer.polls.is_none());
    let polling: Vec<(usize, Key)> =
        polling.map(|(index, consumer)| (usize::from(index), consumer.key(index))).collect();
    vec![
        LivenessClause::new(
            ClauseName::EveryRequestIsAnswered.word(),
            2 * consumers + 1,
            "a request is never answered, and its connection never ends",
            move |state: &IggyState, obligation| waits_for_answer(state, obligation),
        ),
        LivenessClause::new(
            ClauseName::LiveMessagesAreServed.word(),
            polling.len(),
            "a live message at or after the position of a polling consumer is never served",
            move |state: &IggyState, obligation| waits_for_message(state, polling[obligation].0, polling[obligation].1),
        ),
    ]
}

fn waits_for_answer(state: &IggyState, obligation: usize) -> bool {
    let consumers = state.actor_states.len() - FIRST_CONSUMER_INDEX;
    if obligation == 2 * consumers {
        return producer_of(state).waiting > 0;
    }
    let consumer = consumer_of(state, obligation / 2);
    if obligation.is_multiple_of(2) { consumer.poll.is_some() } else { consumer.commit.is_some() }
}

/// For a member, only while metadata says that it owns the partition.
fn waits_for_message(state: &IggyState, consumer: usize, key: Key) -> bool {
    let owner = owner_of(state);
    let group = &metadata_of(state).decree.group;
    let owns = key != Key::Group || group.owners[0].map(usize::from) == Some(consumer);
    if !owns || owner.status == Status::Fenced {
        return false;
    }
    let position = owner.bookmarks.get(&key).map_or(0, |file| file.offset.saturating_add(1));
    let served = owner.ghost.accounted.get(&key).copied().unwrap_or(0);
    owner.log.placed().any(|placed| placed.offset >= position && served & bit(placed.offset) == 0)
}
