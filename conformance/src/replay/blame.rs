//! Which clause an implementation leaves: the one of the smallest change of the contract under which everything that was seen is
//! allowed.

use std::sync::LazyLock;

use fencepost_models::iggy::bounds::Bounds;
use fencepost_spec::clause::{CLAUSES, Change, ClauseName};
use fencepost_spec::contract::{Choices, Contract};
use fencepost_spec::fence::Fence;
use fencepost_spec::library;

use super::runner::Done;
use super::tracker::{Grip, Tracked, Tracker};
use super::walker::Walker;

/// The built-in contracts, read once: they tell which other choices and answers there are.
static CONTRACTS: LazyLock<Vec<Contract>> =
    LazyLock::new(|| library::CONTRACTS.iter().filter_map(|(name, _)| library::contract(name).ok()).collect());

/// A change of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Different {
    /// These fences are missing.
    Without(Vec<Fence>),
    /// A choice is another one.
    Chosen(String, String),
    /// A fence is there that the contract does not have.
    With(Fence),
}

impl std::fmt::Display for Different {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Without(fences) => {
                let names: Vec<String> = fences.iter().map(ToString::to_string).collect();
                write!(formatter, "without {}", names.join(" and "))
            }
            Self::Chosen(key, value) => write!(formatter, "{key} = {value}"),
            Self::With(fence) => write!(formatter, "with {fence}"),
        }
    }
}

/// Who is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// The clause, if one can be named.
    pub clause: Option<ClauseName>,
    /// The change under which it would be allowed; none: no change that was tried.
    pub different: Option<Different>,
}

/// What was seen, and where: everything that blame needs.
pub struct Evidence<'a> {
    /// The contract's choices.
    pub choices: &'a Choices,
    /// The bounds of the view.
    pub bounds: &'a Bounds,
    /// What the driver holds back and what is compared.
    pub grip: &'a Grip,
    /// What was done and seen, the step that is not allowed last.
    pub transcript: &'a [Done],
}

impl Evidence<'_> {
    /// Whether all of it is allowed with these choices.
    fn is_allowed(&self, choices: &Choices) -> bool {
        let walker = Walker::new("", choices, self.bounds);
        let tracker = Tracker::new(&walker, self.grip);
        let mut positions = tracker.start();
        for (steps, seen) in self.transcript {
            if steps.is_empty() {
                return tracker.look(&positions, &seen.observation).is_none();
            }
            match tracker.after(&positions, steps, seen) {
                Tracked::Agree(agreeing) => positions = agreeing,
                _ => return false,
            }
        }
        true
    }

    /// Whether a change allows all of it.
    pub fn is_explained_by(&self, different: &Different) -> bool {
        changed(self.choices, different).is_some_and(|choices| self.is_allowed(&choices))
    }

    /// Looks for the smallest change: one fence less, another choice, one fence more, two fences less.
    pub fn blame(&self) -> Blame {
        let explained = |different: &Different| self.is_explained_by(different);
        let different = single(self.choices).into_iter().find(explained);
        let different = different.or_else(|| pairs(self.choices).into_iter().find(explained));
        Blame { clause: different.as_ref().and_then(clause_of), different }
    }
}

/// All changes of one thing.
fn single(choices: &Choices) -> Vec<Different> {
    let less = choices.fences.keys().map(|fence| Different::Without(vec![*fence]));
    let words = choices.words();
    let mut chosen = Vec::new();
    for (key, value) in &words {
        for other in CONTRACTS.iter().flat_map(|contract| contract.choices.words()) {
            let different = Different::Chosen((*key).to_owned(), other.1.clone());
            if other.0 == *key && other.1 != *value && !chosen.contains(&different) {
                chosen.push(different);
            }
        }
    }
    let more = Fence::ALL.iter().filter(|fence| !choices.has(**fence)).map(|fence| Different::With(*fence));
    less.chain(chosen).chain(more).collect()
}

fn pairs(choices: &Choices) -> Vec<Different> {
    let fences: Vec<Fence> = choices.fences.keys().copied().collect();
    let of = |(index, first): (usize, &Fence)| {
        let first = *first;
        fences[index + 1..].iter().map(move |second| Different::Without(vec![first, *second])).collect::<Vec<_>>()
    };
    fences.iter().enumerate().flat_map(of).collect()
}

/// The choices after a change; `None` if there is no such change.
fn changed(choices: &Choices, different: &Different) -> Option<Choices> {
    match different {
        Different::Without(fences) => {
            let mut changed = choices.clone();
            changed.fences.retain(|fence, _| !fences.contains(fence));
            Some(changed)
        }
        Different::Chosen(key, value) => choices.changed_to(key, value).ok(),
        Different::With(fence) => {
            let answer = CONTRACTS.iter().filter_map(|contract| contract.choices.answer(*fence)).next()?;
            let mut changed = choices.clone();
            changed.fences.insert(*fence, answer);
            Some(changed)
        }
    }
}

/// The clause that a change concerns.
pub fn clause_of(different: &Different) -> Option<ClauseName> {
    match different {
        Different::Without(fences) => fences.first().map(|fence| fence.description().clause),
        Different::With(_) => Some(ClauseName::NoNeedlessRefusal),
        Different::Chosen(key, value) => {
            let of_mutant = CLAUSES.iter().find(|clause| match clause.mutant.change {
                Change::Choose(mutated, chosen) => mutated == key && chosen == value,
                Change::Without(_) => false,
            });
            of_mutant.map(|clause| clause.name).or_else(|| of_choice(key))
        }
    }
}

/// The clause that a choice serves, where no mutant of a clause names it.
fn of_choice(key: &str) -> Option<ClauseName> {
    Some(match key {
        "commits_durable" => ClauseName::AcknowledgedCommitStands,
        "messages_survive_power_loss" | "numbering_at_purge" => ClauseName::OneHistoryAfterRecovery,
        "bookmark_carries" => ClauseName::OneHistoryAfterRecovery,
        "bookmark_above_head_at_boot" => ClauseName::NoSkip,
        "effect_of_read" => ClauseName::NoStaleBatch,
        "bookmark_of_automatic_store" => ClauseName::RejectionIsInert,
        "batch_identity_captured" | "commit_identity_on_wire" | "commit_without_identity" | "client_commits" => {
            ClauseName::CommitUnderReadingAssignment
        }
        "poll_identity_on_wire" => ClauseName::StalePollIsRetryable,
        "assignment_compared_by" => ClauseName::NoNeedlessRefusal,
        "emptying_acknowledged" | "emptying" => ClauseName::AcknowledgedPurgeIsFinal,
        "full_queue" => ClauseName::EveryRequestIsAnswered,
        "gateway_time_out" => ClauseName::SilentAdvanceOnlyAfterAcceptance,
        "parked_polls" | "route_after_refusal" => ClauseName::LiveMessagesAreServed,
        "join_takes_partition" => ClauseName::RevocationDrainsOrTimesOut,
        _ => return None,
    })
}
