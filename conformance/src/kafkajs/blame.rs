//! Which change of the contract would allow what was seen, and so which clause an implementation breaks.

use std::sync::Arc;

use fencepost_models::kafkajs::system::Setup;
use fencepost_spec::clause::Change;
use fencepost_spec::family::Choosing;
use fencepost_spec::kafkajs::{Choices, ClauseName};

use super::change::{self, KafkaJsChange};
use super::compare::difference;
use super::simulation::Simulation;
use super::step::Observation;
use super::trace::Trace;

/// Choices that no implementation is explained by: how long a lock waits, and fences that compare too much.
const STRICTER: &[&str] = &["lock_time_out", "assignment_raises"];

/// Most changes that are tried together.
const MOST_CHANGES: usize = 3;

/// All changes that make a contract allow more, or something else.
fn candidates(choices: &Choices) -> Vec<KafkaJsChange> {
    let fences = choices.fences().keys().map(|fence| Change::Without(*fence));
    let stated = choices.words();
    let is_other = |key: &str, value: &str| stated.iter().all(|(name, now)| *name != key || now != value);
    let choices = change::values().into_iter().filter(|(key, _)| !STRICTER.contains(key)).flat_map(|(key, values)| {
        values.into_iter().filter(move |value| is_other(key, value)).map(move |value| Change::Choose(key, value))
    });
    fences.chain(choices).collect()
}

/// The smallest sets of changes that allow all that was seen: all of the smallest size, in a fixed order. None: no change that is
/// known explains it.
pub fn explanations(trace: &Trace, seen: &[Observation]) -> Vec<Vec<KafkaJsChange>> {
    let candidates = candidates(&trace.setup.choices);
    for size in 1..=MOST_CHANGES {
        let mut found = Vec::new();
        subsets(&candidates, size, &mut Vec::new(), &mut |changes| {
            if allows(trace, seen, changes) {
                found.push(changes.to_vec());
            }
        });
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn subsets(
    rest: &[KafkaJsChange],
    size: usize,
    chosen: &mut Vec<KafkaJsChange>,
    visit: &mut impl FnMut(&[KafkaJsChange]),
) {
    if size == 0 {
        return visit(chosen);
    }
    for (index, change) in rest.iter().enumerate() {
        chosen.push(*change);
        subsets(&rest[index + 1..], size - 1, chosen, visit);
        chosen.pop();
    }
}

/// Choices with several changes.
///
/// # Panics
/// If a change names a choice or value that does not exist.
pub fn changed(choices: &Choices, changes: &[KafkaJsChange]) -> Choices {
    changes.iter().fold(choices.clone(), |choices, change| match choices.changed(*change) {
        Ok(changed) => changed,
        Err(error) => panic!("changes name what exists: {error}"),
    })
}

/// Whether the contract with some changes allows everything that was seen.
fn allows(trace: &Trace, seen: &[Observation], changes: &[KafkaJsChange]) -> bool {
    let choices = changed(&trace.setup.choices, changes);
    let setup = Setup { choices, bounds: trace.setup.bounds.clone() };
    let mut simulation = Simulation::new(Arc::new(setup));
    trace
        .steps
        .iter()
        .zip(seen)
        .all(|(taken, seen)| simulation.take(&taken.step).is_ok() && difference(&simulation.observe(), seen).is_none())
}

/// The clause that a change gives up.
pub fn clause_of(change: KafkaJsChange) -> ClauseName {
    match change {
        Change::Without(fence) => fence.description().clause,
        Change::Choose("reset_recorded", _) => ClauseName::NoLogicalOffsetCommitted,
        Change::Choose("seek_without_automatic_commits", _) => ClauseName::SeekIsHonoured,
        Change::Choose(..) => ClauseName::NoUndefinedOffset,
    }
}
