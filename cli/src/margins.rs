//! Whether the bounds are large enough: how far the views of a contract reach beyond the stories of the mutants of each clause.
//!
//! A mutant of a clause is a named change that must break it ([`Clause::mutant`]), or the removal of any fence of the same contract
//! that turns out to break it.

mod budgets;
mod measured;

use std::fmt;

use fencepost_checker::engine::{Breach, Stop};
use fencepost_models::family::{ModelledFamily, refused_term};
use fencepost_spec::clause::{Change, Clause};
use fencepost_spec::family::{Choosing, Family, Iggy};

use crate::run::{Action, ContractResult, RunOptions, ViewResult, run_contract, shortest_breach};

pub use measured::Measured;

/// A margin of fewer steps is a warning.
pub const FEWEST_STEPS: i64 = 2;

/// What a margin tells and what it does not.
pub const MEANING: &str = "The bound is the deepest level, under the unchanged contract, of the view in which the story is told. The margin tells that a mistake whose story takes that many steps more than the longest of these stories still has room in that view; it is measured in steps of the history, not in budgets: a mistake that needs a second purge is out of reach of a view with one purge, however large the margin.";

/// What the mutants of a clause tell about the bounds.
pub struct Margin<F: Family = Iggy> {
    /// The clause.
    pub clause: F::Clause,
    /// The contract that its mutants change.
    pub contract: String,
    /// The deepest level, under the unchanged contract, of the view in which the longest story is told. If none is told: of the
    /// views in which the contract exercises and keeps the clause.
    pub bound_steps: u32,
    /// How many mutants break the clause.
    pub mutants: usize,
    /// What came of the mutants.
    pub outcome: Outcome<F>,
}

/// What came of the mutants of a clause.
pub enum Outcome<F: Family = Iggy> {
    /// The named mutant is caught. Of all mutants, this one has the longest shortest story.
    Caught(Hardest<F>),
    /// No view catches the named mutant.
    NotCaught(MutantName<F>),
    /// Some exploration ended early: nothing is known.
    Stopped(Stop),
}

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantName<F: Family = Iggy> {
    /// A change that makes the clause hold first, if need be.
    pub repair: Option<Change<F>>,
    /// The change that ought to break it.
    pub change: Change<F>,
}

/// The mutant that is hardest to catch.
pub struct Hardest<F: Family = Iggy> {
    /// The mutant.
    pub mutant: MutantName<F>,
    /// The view with its shortest story.
    pub view: &'static str,
    /// Steps of that story; for liveness, stem and loop.
    pub story_steps: usize,
    /// The margin.
    pub judged: Judged,
    /// The budgets of the view that the story uses up.
    pub uses_up: Vec<String>,
}

/// A margin, and whether it is a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// By how many steps the bound goes beyond the story; negative if it falls short.
    pub margin_steps: i64,
    /// Whether that is too little.
    pub is_warning: bool,
}

/// Compares a bound with a story.
pub fn judge(bound_steps: u32, story_steps: usize) -> Judged {
    let margin_steps = i64::from(bound_steps) - i64::try_from(story_steps).unwrap_or(i64::MAX);
    Judged { margin_steps, is_warning: margin_steps < FEWEST_STEPS }
}

/// A mutant, explored.
struct Mutant<F: ModelledFamily> {
    change: Change<F>,
    result: ContractResult<F>,
}

/// A mutant, and the shortest story in which it breaks a clause.
type Caught<'a, F> = (&'a Mutant<F>, (&'a ViewResult<F>, &'a Breach<Action<F>>));

/// The margins of the clauses whose mutants change one of the explored contracts, in the order of the clauses. All views of
/// the contracts must have been explored.
pub fn margins<F: Measured>(results: &[ContractResult<F>], options: &RunOptions<'_>) -> Vec<Margin<F>> {
    let mut margins: Vec<Margin<F>> = results.iter().flat_map(|result| margins_of(result, options)).collect();
    margins.sort_by_key(|margin| margin.clause);
    margins
}

fn margins_of<F: Measured>(result: &ContractResult<F>, options: &RunOptions<'_>) -> Vec<Margin<F>> {
    let clauses = F::clauses().iter().filter(|clause| clause.mutant.contract == result.contract.name);
    let (repaired, others): (Vec<&Clause<F>>, Vec<&Clause<F>>) =
        clauses.partition(|clause| clause.mutant.repair.is_some());
    let mut margins = Vec::new();
    for clause in repaired {
        let repair: Vec<Change<F>> = clause.mutant.repair.into_iter().collect();
        margins.extend(margins_over(&changed(result, &repair, options), &[clause], options));
    }
    if !others.is_empty() {
        margins.extend(margins_over(result, &others, options));
    }
    margins
}

/// The margins of clauses whose mutants change the same contract, repaired or not.
fn margins_over<F: Measured>(
    unchanged: &ContractResult<F>,
    clauses: &[&Clause<F>],
    options: &RunOptions<'_>,
) -> Vec<Margin<F>> {
    let mut changes: Vec<Change<F>> = clauses.iter().map(|clause| clause.mutant.change).collect();
    changes.extend(unchanged.contract.choices.fences().keys().map(|fence| Change::Without(*fence)));
    let mut mutants: Vec<Mutant<F>> = Vec::new();
    for change in changes {
        if mutants.iter().all(|mutant| mutant.change != change) {
            mutants.push(Mutant { change, result: mutated(unchanged, change, options) });
        }
    }
    clauses.iter().map(|clause| margin(clause, unchanged, &mutants)).collect()
}

/// A mutant, explored where it can differ from the unchanged contract.
fn mutated<F: Measured>(
    unchanged: &ContractResult<F>,
    change: Change<F>,
    options: &RunOptions<'_>,
) -> ContractResult<F> {
    let can_differ = |view: &&ViewResult<F>| match change {
        Change::Without(fence) if F::only_refuses(fence) => view.happened(&refused_term(fence)),
        _ => true,
    };
    let views: Vec<&'static str> = unchanged.views.iter().filter(can_differ).map(|view| view.view.name).collect();
    changed(unchanged, &[change], &RunOptions { views: Some(&views), ..*options })
}

/// A contract with changes, explored.
fn changed<F: Measured>(
    result: &ContractResult<F>,
    changes: &[Change<F>],
    options: &RunOptions<'_>,
) -> ContractResult<F> {
    let mut contract = result.contract.clone();
    for change in changes {
        contract.choices = match fencepost_spec::family::changed::<F>(&contract.choices, *change) {
            Ok(choices) => choices,
            Err(error) => unreachable!("the changes of the specification are possible: {error}"),
        };
    }
    run_contract(contract, options)
}

fn margin<F: Measured>(clause: &Clause<F>, unchanged: &ContractResult<F>, mutants: &[Mutant<F>]) -> Margin<F> {
    // Where the contract itself breaks the clause, a mutant breaks it, too, and that tells nothing.
    let kept: Vec<&ViewResult<F>> = unchanged.views.iter().filter(|view| keeps(view, clause.name)).collect();
    let exercised = kept.iter().filter(|view| view.clause(clause.name).is_some_and(|it| it.finding.exercised > 0));
    let deepest = exercised.map(|view| view.depth).max().unwrap_or(0);
    let caught: Vec<Caught<'_, F>> = mutants
        .iter()
        .filter_map(|mutant| {
            let is_kept = |view: &&ViewResult<F>| kept.iter().any(|kept| kept.view.name == view.view.name);
            Some((mutant, shortest_breach(mutant.result.views.iter().filter(is_kept), clause.name)?))
        })
        .collect();
    let stopped = mutants.iter().map(|mutant| &mutant.result).chain([unchanged]).find_map(ContractResult::stopped);
    let is_named_caught = caught.iter().any(|(mutant, _)| mutant.change == clause.mutant.change);
    let steps = |(_, (_, breach)): &Caught<'_, F>| breach.trace.actions.len();
    let repair = clause.mutant.repair;
    let depth_of = |name: &str| kept.iter().find(|view| view.view.name == name).map_or(0, |view| view.depth);
    // Of equals `max_by_key` takes the last, hence the reversal: the named mutant comes first.
    let (bound_steps, outcome) = match (stopped, caught.iter().rev().max_by_key(|found| steps(found))) {
        (Some(stop), _) => (deepest, Outcome::Stopped(stop)),
        (None, Some((mutant, found))) if is_named_caught => {
            let (bound_steps, name) = (depth_of(found.0.view.name), MutantName { repair, change: mutant.change });
            (bound_steps, Outcome::Caught(hardest(name, bound_steps, *found)))
        }
        (None, _) => (deepest, Outcome::NotCaught(MutantName { repair, change: clause.mutant.change })),
    };
    Margin {
        clause: clause.name,
        contract: unchanged.contract.name.clone(),
        bound_steps,
        mutants: caught.len(),
        outcome,
    }
}

/// Whether a clause is judged in a view and not broken.
fn keeps<F: ModelledFamily>(view: &ViewResult<F>, clause: F::Clause) -> bool {
    view.clause(clause).is_some_and(|result| result.finding.broken.is_none())
}

fn hardest<F: Measured>(
    mutant: MutantName<F>,
    bound_steps: u32,
    (view, breach): (&ViewResult<F>, &Breach<Action<F>>),
) -> Hardest<F> {
    let story_steps = breach.trace.actions.len();
    Hardest {
        mutant,
        view: view.view.name,
        story_steps,
        judged: judge(bound_steps, story_steps),
        uses_up: F::used_up(&view.view.bounds, &breach.trace),
    }
}

impl<F: Family> fmt::Display for MutantName<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |change: Change<F>| match change {
            Change::Without(fence) => format!("without {fence}"),
            Change::Choose(key, value) => format!("{key} = {value}"),
        };
        let repair = self.repair.map(|repair| word(repair) + ", then ").unwrap_or_default();
        formatter.pad(&(repair + &word(self.change)))
    }
}

impl<F: Family> Margin<F> {
    /// Whether no view catches the named mutant.
    pub fn is_failure(&self) -> bool {
        matches!(self.outcome, Outcome::NotCaught(_))
    }

    /// Whether the bound goes too little beyond the longest story.
    pub fn is_warning(&self) -> bool {
        matches!(&self.outcome, Outcome::Caught(hardest) if hardest.judged.is_warning)
    }

    /// Why nothing is known, if so.
    pub fn stopped(&self) -> Option<Stop> {
        match self.outcome {
            Outcome::Stopped(stop) => Some(stop),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use fencepost_spec::clause::ClauseName;

    use super::*;

    #[test]
    fn given_a_bound_when_it_goes_two_steps_beyond_the_story_should_be_no_warning() {
        assert_eq!(judge(12, 10), Judged { margin_steps: 2, is_warning: false });
        assert_eq!(judge(38, 14), Judged { margin_steps: 24, is_warning: false });
    }

    #[test]
    fn given_a_bound_when_it_goes_less_than_two_steps_beyond_the_story_should_warn() {
        assert_eq!(judge(11, 10), Judged { margin_steps: 1, is_warning: true });
        assert_eq!(judge(10, 10), Judged { margin_steps: 0, is_warning: true });
    }

    #[test]
    fn given_a_bound_when_it_falls_short_of_the_story_should_warn_with_a_negative_margin() {
        assert_eq!(judge(0, 7), Judged { margin_steps: -7, is_warning: true });
    }

    #[test]
    fn given_the_mutants_of_the_clauses_when_named_should_say_what_changes() {
        let named = |clause: ClauseName| {
            let mutant = &clause.clause().mutant;
            MutantName { repair: mutant.repair, change: mutant.change }.to_string()
        };
        assert_eq!(named(ClauseName::NoSkip), "without commit-purge-generation-on-arrival");
        assert_eq!(named(ClauseName::EveryRequestIsAnswered), "full_queue = dropped");
        assert_eq!(
            named(ClauseName::RevocationDrainsOrTimesOut),
            "join_takes_partition = when-reported-drained, then without revocation-drained-before-move"
        );
    }
}
