//! The predicate of each clause, over the marks of a step.

use fencepost_checker::actor_system::ActorStep;
use fencepost_checker::clause::{Clause, Judgement};
use fencepost_spec::kafkajs::ClauseName;

use super::marks::{Mark, Standing};
use super::messages::{Origin, Position, Purpose};
use super::system::KafkaJsModel;

/// The predicates of the safety clauses, in the order of [`ClauseName::ALL`].
pub fn safety() -> Vec<Clause<KafkaJsModel>> {
    ClauseName::ALL.iter().map(|name| clause(*name)).collect()
}

fn clause(name: ClauseName) -> Clause<KafkaJsModel> {
    Clause::on_step(name.word(), move |step: &ActorStep<'_, KafkaJsModel>| judge(name, step.facts()))
}

/// Judges the marks of a step: broken by the first that breaks the clause, upheld if some exercises it.
pub fn judge(name: ClauseName, marks: &[Mark]) -> Judgement {
    let mut judgement = Judgement::Silent;
    for mark in marks {
        match judge_mark(name, mark) {
            Judgement::Silent => {}
            Judgement::Upheld => judgement = Judgement::Upheld,
            broken => return broken,
        }
    }
    judgement
}

/// What tells breaches of the same clause apart, in a few words; often nothing.
pub fn circumstance(name: ClauseName, marks: &[Mark]) -> &'static str {
    let of_mark = |mark: &Mark| match (name, mark) {
        (ClauseName::NoUndefinedOffset, Mark::UnknownUsed { what, .. }) => Some(*what),
        (_, Mark::Stored { owned: true, after: Standing { legitimate: false, .. }, .. })
            if judge_mark(name, mark) != Judgement::Upheld =>
        {
            Some("after regaining the partition")
        }
        _ => None,
    };
    marks.iter().find_map(of_mark).unwrap_or_default()
}

fn judge_mark(name: ClauseName, mark: &Mark) -> Judgement {
    match (name, mark) {
        (ClauseName::NoUndefinedOffset, Mark::UnknownUsed { partition, what }) => {
            Judgement::Broken(format!("the consumer {what} (p{partition})"))
        }
        (ClauseName::NoUndefinedOffset, Mark::Fetched { .. }) => Judgement::Upheld,
        (ClauseName::PauseIsHonoured, Mark::Handed { partition, paused: true, .. }) => {
            Judgement::Broken(format!("p{partition} is paused, and a handler gets records of it"))
        }
        (ClauseName::SeekIsHonoured, Mark::Handed { partition, sought: true, .. }) => Judgement::Broken(format!(
            "the user has sought p{partition} elsewhere, and a handler gets records that were fetched before"
        )),
        (ClauseName::PauseIsHonoured | ClauseName::SeekIsHonoured, Mark::Handed { .. }) => Judgement::Upheld,
        (ClauseName::NoNeedlessRefusal, Mark::Refused { fence, needless: true }) => {
            Judgement::Broken(format!("{fence} refuses what is current"))
        }
        (ClauseName::NoNeedlessRefusal, Mark::Passed(_) | Mark::Refused { .. }) => Judgement::Upheld,
        (_, Mark::Fetched { partition, offset, sought, floor, handed }) => {
            judge_fetch(name, *partition, *offset, (*sought, *floor, *handed))
        }
        (_, Mark::Stored { partition, purpose, before, after, .. }) => {
            judge_stored(name, *partition, *purpose, *before, *after)
        }
        _ => Judgement::Silent,
    }
}

type Wanted = (Option<u8>, Option<u8>, u8);

fn judge_fetch(name: ClauseName, partition: usize, offset: u8, (sought, floor, handed): Wanted) -> Judgement {
    match (name, sought, floor) {
        (ClauseName::SeekIsHonoured, Some(sought), _) => verdict(offset == sought, || {
            format!("the user sought p{partition} to {sought}, and the next fetch of it is at {offset}")
        }),
        (ClauseName::FirstFetchNotBehindCommits, _, Some(floor)) => verdict(offset >= floor, || {
            format!(
                "the group had committed {floor} of p{partition} before it was assigned, and its first fetch is at {offset}"
            )
        }),
        (ClauseName::NoSkip, ..) => verdict(offset <= handed, || {
            format!("the fetch of p{partition} at {offset} passes records from {handed} on, which nobody was handed")
        }),
        _ => Judgement::Silent,
    }
}

fn judge_stored(
    name: ClauseName,
    partition: usize,
    purpose: Purpose,
    before: Option<Standing>,
    after: Standing,
) -> Judgement {
    let goes_back = goes_back(before, after);
    match (name, after.by) {
        (ClauseName::NoLogicalOffsetCommitted, _) => verdict(after.position != Position::Logical, || {
            format!("a logical offset is stored as the group's progress of p{partition}")
        }),
        (ClauseName::CommitUnderReadingAssignment, Origin::Assignment(_)) => verdict(after.legitimate, || {
            format!(
                "{} of p{partition} takes effect that derives from a fetch under a former assignment",
                kind(purpose)
            )
        }),
        (ClauseName::AcknowledgedCommitStands, Origin::Assignment(older)) => {
            let Some(Standing { by: Origin::Assignment(newer), .. }) = before else { return Judgement::Silent };
            verdict(older >= newer || !goes_back, || {
                format!("the group's progress of p{partition} goes {}", change(before, after))
            })
        }
        (ClauseName::AutomaticProgressMonotone, Origin::Assignment(_)) if purpose == Purpose::Progress => {
            let is_after_seek = before.is_some_and(|before| before.by == Origin::Chosen);
            verdict(is_after_seek || !goes_back, || {
                format!("an automatic commit moves the group's progress of p{partition} {}", change(before, after))
            })
        }
        _ => Judgement::Silent,
    }
}

fn verdict(holds: bool, reason: impl FnOnce() -> String) -> Judgement {
    if holds { Judgement::Upheld } else { Judgement::Broken(reason()) }
}

fn kind(purpose: Purpose) -> &'static str {
    if purpose == Purpose::Reset { "a reset" } else { "a commit" }
}

/// Whether the group's progress gets smaller, or stops to be a number.
fn goes_back(before: Option<Standing>, after: Standing) -> bool {
    match (before.map(|before| before.position), after.position) {
        (Some(Position::Offset(before)), Position::Offset(after)) => after < before,
        (Some(Position::Offset(_)), Position::Logical) => true,
        _ => false,
    }
}

fn change(before: Option<Standing>, after: Standing) -> String {
    let text = |position: Position| match position {
        Position::Offset(offset) => offset.to_string(),
        Position::Logical => "a logical offset".to_owned(),
    };
    let from = before.map_or_else(|| "nothing".to_owned(), |before| text(before.position));
    format!("from {from} to {}", text(after.position))
}
