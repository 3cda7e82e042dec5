//! The names of all actions and outcomes: what is counted.

use fencepost_spec::kafkajs::Fence;
pub use fencepost_spec::kafkajs::event::ActionKind;

use super::bounds::UserAct;
use super::marks::Mark;
use super::messages::{Answer, Envelope, Fetched, Purpose, Request};
use crate::family::{passed_term, refused_term};

/// The kind of a message's delivery.
pub fn kind_of(message: &Envelope) -> ActionKind {
    use ActionKind as Kind;
    match message {
        Envelope::Round(_) => Kind::RoundBegins,
        Envelope::HandlerReturns(_) => Kind::HandlerReturns,
        Envelope::User(UserAct::Seek { .. }) => Kind::UserSeeks,
        Envelope::User(UserAct::Pause { .. }) => Kind::UserPauses,
        Envelope::User(UserAct::Resume { .. }) => Kind::UserResumes,
        Envelope::User(UserAct::Commit { .. }) => Kind::UserCommits,
        Envelope::Ask(_, Request::Offsets(_), _) => Kind::CoordinatorLooksUpOffsets,
        Envelope::Ask(_, Request::Commit(_), _) => Kind::CoordinatorTakesCommit,
        Envelope::Ask(_, Request::Join, _) => Kind::CoordinatorAssigns,
        Envelope::Answered(_, Answer::Offsets(_)) => Kind::OffsetsArrive,
        Envelope::Answered(_, Answer::Committed(commit)) => match commit.purpose {
            Purpose::Seek => Kind::SeekIsAcknowledged,
            Purpose::Reset => Kind::ResetIsAcknowledged,
            Purpose::Progress => Kind::CommitIsAcknowledged,
        },
        Envelope::Answered(_, Answer::IllegalGeneration) => Kind::CommitIsRefused,
        Envelope::Answered(_, Answer::Joined(_)) => Kind::AssignmentArrives,
        Envelope::List(_) => Kind::NodeListsOffset,
        Envelope::Listed(..) => Kind::ListedOffsetArrives,
        Envelope::Fetch(..) => Kind::NodeReadsLog,
        Envelope::FetchAnswered(_, fetched) => match fetched {
            Fetched::Records(..) => Kind::RecordsArrive,
            Fetched::Control(_) => Kind::ControlRecordArrives,
            Fetched::Empty => Kind::EmptyAnswerArrives,
            Fetched::OutOfRange => Kind::OutOfRangeArrives,
            Fetched::NotLeader => Kind::NotLeaderArrives,
        },
        Envelope::OtherCommits => Kind::OtherMemberCommits,
        Envelope::LeadershipMoves => Kind::LeadershipMoves,
        Envelope::Retention => Kind::RetentionRemovesRecords,
    }
}

/// The most steps of others that are counted one by one.
pub const MOST_WAITED_STEPS: usize = 12;

/// The term of an action.
pub fn action_term(message: &Envelope) -> usize {
    kind_of(message) as usize
}

/// The outcome in which the lock is granted after some steps of others.
pub fn granted_term(steps: usize) -> String {
    match steps {
        MOST_WAITED_STEPS => format!("lock granted after {MOST_WAITED_STEPS} steps of others or more"),
        1 => "lock granted after 1 step of others".to_owned(),
        _ => format!("lock granted after {steps} steps of others"),
    }
}

/// All terms: the actions, then each fence passed, then each fence refused, then how long the lock was waited for.
pub fn vocabulary() -> Vec<String> {
    let mut terms: Vec<String> = ActionKind::ALL.iter().map(|kind| kind.to_string()).collect();
    terms.extend(Fence::ALL.iter().map(|fence| passed_term(*fence)));
    terms.extend(Fence::ALL.iter().map(|fence| refused_term(*fence)));
    terms.extend((0..=MOST_WAITED_STEPS).map(granted_term));
    terms
}

/// Adds the terms of the outcomes among `marks`.
pub fn outcome_terms(marks: &[Mark], terms: &mut Vec<usize>) {
    let passed = ActionKind::ALL.len();
    let refused = passed + Fence::ALL.len();
    let granted = refused + Fence::ALL.len();
    for mark in marks {
        match mark {
            Mark::Passed(fence) => terms.push(passed + *fence as usize),
            Mark::Refused { fence, .. } => terms.push(refused + *fence as usize),
            Mark::LockGranted(steps) => terms.push(granted + usize::from(*steps).min(MOST_WAITED_STEPS)),
            _ => {}
        }
    }
    terms.sort_unstable();
    terms.dedup();
}
