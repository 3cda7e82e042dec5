//! Which change of the contract would allow what was seen, and so which clause an implementation breaks.

use std::sync::Arc;

use fencepost_models::kafkajs::system::Setup;
use fencepost_spec::clause::Change;
use fencepost_spec::family::Choosing;
use fencepost_spec::kafkajs::choices::{
    AcknowledgementWithoutTopic, ResetRecorded, SeekWithoutAutomaticCommits, UnknownOffset,
};
use fencepost_spec::kafkajs::{Choices, ClauseName, KafkaJs};

use super::compare::difference;
use super::simulation::Simulation;
use super::step::Observation;
use super::trace::Trace;

/// One change of a contract.
pub type KafkaJsChange = Change<KafkaJs>;

/// Most changes that are tried together.
const MOST_CHANGES: usize = 3;

/// All changes that make a contract allow more, or something else.
fn candidates(choices: &Choices) -> Vec<KafkaJsChange> {
    let fences = choices.fences().keys().map(|fence| Change::Without(*fence));
    let others = |key: &'static str, words: Vec<&'static str>| {
        let now = choices.words().into_iter().find(|(name, _)| *name == key).map(|(_, value)| value);
        let differs = move |word: &&'static str| now.as_deref() != Some(*word);
        words.into_iter().filter(differs).map(move |word| Change::Choose(key, word)).collect::<Vec<_>>()
    };
    let choices = [
        others("unknown_offset", UnknownOffset::ALL.iter().map(|it| it.word()).collect()),
        others("reset_recorded", ResetRecorded::ALL.iter().map(|it| it.word()).collect()),
        others(
            "seek_without_automatic_commits",
            SeekWithoutAutomaticCommits::ALL.iter().map(|it| it.word()).collect(),
        ),
        others(
            "acknowledgement_without_topic",
            AcknowledgementWithoutTopic::ALL.iter().map(|it| it.word()).collect(),
        ),
    ];
    fences.chain(choices.into_iter().flatten()).collect()
}

/// The smallest sets of changes that allow what was seen up to and in a step: all of the smallest size, in a fixed order. None: no
/// change that is known explains it.
pub fn explanations(trace: &Trace, step: usize, seen: &Observation) -> Vec<Vec<KafkaJsChange>> {
    let candidates = candidates(&trace.setup.choices);
    for size in 1..=MOST_CHANGES {
        let mut found = Vec::new();
        subsets(&candidates, size, &mut Vec::new(), &mut |changes| {
            if allows(trace, step, seen, changes) {
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

/// Whether the contract with some changes allows everything that was seen up to a step.
fn allows(trace: &Trace, step: usize, seen: &Observation, changes: &[KafkaJsChange]) -> bool {
    let choices = changed(&trace.setup.choices, changes);
    let setup = Setup { choices, bounds: trace.setup.bounds.clone() };
    let mut simulation = Simulation::new(Arc::new(setup));
    for (index, taken) in trace.steps[..=step].iter().enumerate() {
        let expected = if index == step { seen } else { &taken.allowed };
        if simulation.take(&taken.step).is_err() || difference(&simulation.observe(), expected).is_some() {
            return false;
        }
    }
    true
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

/// A change in words, as a deviation names it.
pub fn words(change: KafkaJsChange) -> String {
    match change {
        Change::Without(fence) => format!("without {fence}"),
        Change::Choose(key, value) => format!("{key} = {value}"),
    }
}
