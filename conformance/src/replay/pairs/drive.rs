//! Drives an implementation along a course, and takes the answers that its clients get.

use fencepost_driver::{Failure, Progress, Step, Subject};

use super::graph::{Heard, heard};
use crate::replay::session::Way;
use crate::replay::tracker::reply_text;
use crate::replay::walker::Walker;

/// What came of driving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Driven {
    /// It went along; the answers in the order in which its clients got them.
    Along(Vec<Heard>),
    /// It did not go along.
    Off(Off),
}

/// Where an implementation does not do what its own contract says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Off {
    /// The number of the step on the way, from 1.
    pub number: usize,
    /// The step.
    pub steps: Vec<Step>,
    /// What it did.
    pub seen: String,
    /// What its contract allows there.
    pub allowed: String,
}

/// Drives an implementation, configured by the contract of the walker, along a way through that contract's model.
///
/// # Errors
/// The [`Failure`] of the implementation, or that the way is none.
pub fn drive(walker: &Walker, way: &Way, subject: &mut dyn Subject) -> Result<Driven, Failure> {
    let is_none = || Failure::failed("the way does not lead through the model");
    let (initial, actions) = way;
    let mut at = walker.start().into_iter().nth(*initial).ok_or_else(is_none)?;
    let mut answers = Vec::new();
    subject.reset(&walker.world)?;
    for (index, action) in actions.iter().enumerate() {
        let (after, moved) = walker.take(&at, action).ok_or_else(is_none)?;
        let mut seen = Progress::Parked;
        for step in &moved.steps {
            seen = subject.perform(step)?;
        }
        if !is_alike(&seen, &moved.progress) {
            let (seen, allowed) = (progress_text(&seen), progress_text(&moved.progress));
            return Ok(Driven::Off(Off { number: index + 1, steps: moved.steps, seen, allowed }));
        }
        // The answer is the one that was seen; which step of the scenario it belongs to is the runner's knowledge.
        answers.extend(heard(action, &crate::replay::walker::Move { progress: seen, ..moved }));
        at = after;
    }
    Ok(Driven::Along(answers))
}

fn is_alike(seen: &Progress, allowed: &Progress) -> bool {
    match (seen, allowed) {
        (Progress::Done { reply: seen, .. }, Progress::Done { reply: allowed, .. }) => seen == allowed,
        (seen, allowed) => seen == allowed,
    }
}

fn progress_text(progress: &Progress) -> String {
    match progress {
        Progress::Parked => "no answer".to_owned(),
        Progress::Done { reply, .. } => reply_text(reply),
        Progress::Refused { reason } => format!("the step is refused: {reason}"),
        Progress::Unsupported { reason } => format!("the step is not supported: {reason}"),
    }
}
