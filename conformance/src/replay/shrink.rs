//! Fewer steps that still show the same divergence.
//!
//! Delta debugging over the steps of a trace. The model is the judge of what is still a legal trace: a step that is not possible any
//! more, after others were left out, is left out as well. The kind of the divergence and the change of the contract that explains it stay
//! the same, so that no other fault is shrunk instead.

use fencepost_driver::Subject;
use fencepost_models::iggy::bounds::Bounds;
use fencepost_spec::contract::Choices;

use super::blame::{Blame, Evidence};
use super::runner::{Found, Runner, Walked};
use super::trace::TraceStep;

/// The most candidates that are tried.
const MOST_CANDIDATES: usize = 2_000;

/// Shrinks divergences of one view.
pub struct Shrinker<'a, 'b> {
    /// Moves the subject.
    pub runner: &'a Runner<'b>,
    /// The contract's choices.
    pub choices: &'a Choices,
    /// The bounds of the view.
    pub bounds: &'a Bounds,
}

impl Shrinker<'_, '_> {
    /// The clause that a divergence leaves.
    pub fn blame(&self, found: &Found) -> Blame {
        self.evidence(found).blame()
    }

    fn evidence<'c>(&'c self, found: &'c Found) -> Evidence<'c> {
        Evidence { choices: self.choices, bounds: self.bounds, grip: self.runner.grip(), transcript: &found.transcript }
    }

    /// The fewest steps found that show the same divergence as `found`, and what was seen on them.
    pub fn shrink(&self, subject: &mut dyn Subject, steps: &[TraceStep], found: &Found, blame: &Blame) -> Found {
        let mut search = Search { shrinker: self, subject, blame, kind_of: found, tried: 0, best: None };
        let mut left: Vec<TraceStep> = steps.to_vec();
        if !search.shows(&left) {
            return found.clone();
        }
        left = search.as_seen(&left);
        let mut size = left.len().div_ceil(2).max(1);
        while search.tried < MOST_CANDIDATES {
            let mut is_smaller = false;
            let mut start = left.len();
            while start > 0 && search.tried < MOST_CANDIDATES {
                let end = start;
                start = start.saturating_sub(size);
                let without: Vec<TraceStep> = left[..start].iter().chain(&left[end..]).cloned().collect();
                if search.shows(&without) {
                    left = search.as_seen(&without);
                    start = start.min(left.len());
                    is_smaller = true;
                }
            }
            if size == 1 && !is_smaller {
                break;
            }
            size = if is_smaller { size } else { size / 2 }.max(1).min(left.len().max(1));
        }
        search.best.unwrap_or_else(|| found.clone())
    }
}

struct Search<'a, 'b, 'c> {
    shrinker: &'a Shrinker<'a, 'b>,
    subject: &'c mut dyn Subject,
    blame: &'a Blame,
    kind_of: &'a Found,
    tried: usize,
    best: Option<Found>,
}

impl Search<'_, '_, '_> {
    /// Whether these steps show the divergence; if so they are remembered.
    fn shows(&mut self, steps: &[TraceStep]) -> bool {
        self.tried += 1;
        let walk = self.shrinker.runner.walk_tracking(self.subject, steps);
        let Walked::Diverged(found) = walk.walked else { return false };
        let is_same = found.first().kind == self.kind_of.first().kind && self.is_explained(&found);
        let is_shorter = self.best.as_ref().is_none_or(|best| found.transcript.len() <= best.transcript.len());
        if is_same && is_shorter {
            self.best = Some(*found);
        }
        is_same && is_shorter
    }

    fn is_explained(&self, found: &Found) -> bool {
        let evidence = self.shrinker.evidence(found);
        match &self.blame.different {
            Some(different) => evidence.is_explained_by(different),
            None => true,
        }
    }

    /// The steps that were really taken, as a plan.
    fn as_seen(&self, planned: &[TraceStep]) -> Vec<TraceStep> {
        let Some(best) = &self.best else { return planned.to_vec() };
        let taken = best.transcript.iter().filter(|(steps, _)| !steps.is_empty());
        taken.map(|(steps, seen)| TraceStep { steps: steps.clone(), allowed: seen.clone() }).collect()
    }
}
