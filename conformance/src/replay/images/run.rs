//! Moves an implementation along traces, and loses power everywhere.

use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fencepost_driver::{Answer as How, Failure, Observation, Park, ParkKind, Progress, Seen, Step};
use fencepost_models::iggy::bounds::Bounds;
use fencepost_spec::contract::Choices;
use serde::Serialize;

use super::allowed::{Allowed, Fan};
use super::page::{ImagePage, Where};
use super::{ImagePolicy, Images, RecoveredState, compared};
use crate::replay::position::Position;
use crate::replay::runner::Done;
use crate::replay::session::Way;
use crate::replay::walker::{Action, Walker};

/// What is tried.
pub struct ImageRun<'a> {
    /// Name of the contract.
    pub contract: &'a str,
    /// Its choices.
    pub choices: &'a Choices,
    /// Name of the view.
    pub view: &'a str,
    /// Its bounds; they have to lose power.
    pub bounds: &'a Bounds,
    /// Under which policies.
    pub policies: &'a [ImagePolicy],
    /// How many subsets of unsynced operations are looked at, at most.
    pub cap: u64,
    /// Whether the run ends as soon as every policy but `keep-all` has found a forbidden state.
    pub is_over_when_found: bool,
    /// Set from outside (Ctrl-C) to stop.
    pub interrupt: Arc<AtomicBool>,
    /// The command that finds a divergence again.
    pub command: &'a str,
}

/// What was counted under one policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Moments at which power was lost: after a step of the owner, or before a storage call inside of one.
    pub points: u64,
    /// Subsets of the unsynced operations of the storage that were looked at.
    pub subsets: u64,
    /// Images: those of one moment are distinct.
    pub images: u64,
    /// Images of a second power loss during recovery; those of one first image are distinct.
    pub second_images: u64,
    /// Moments at which images were left out because there were too many.
    pub capped_points: u64,
    /// Moments that were passed over because the model has too many unsynced operations there.
    pub unjudged_points: u64,
    /// Subsets of the unsynced operations of the model that were compared with.
    pub allowed_subsets: u64,
    /// Moments at which something was recovered that is not allowed.
    pub forbidden_points: u64,
    /// Ways that were left because the implementation showed something else than the model, without a power loss of ours.
    pub left_ways: u64,
}

/// What came of one policy in one view.
#[derive(Clone, Debug, Default)]
pub struct Imaged {
    /// Counts.
    pub counts: Counts,
    /// The distinct states that were recovered, as JSON.
    pub recovered: BTreeSet<String>,
    /// The forbidden state that needs the fewest steps, told.
    pub divergence: Option<ImagePage>,
}

impl ImageRun<'_> {
    /// Loses power everywhere on these ways, and gives what came of it, by policy in their order.
    ///
    /// # Errors
    /// A [`Failure`] of the implementation: it cannot be moved along the ways, or gives no images.
    pub fn run(&self, subject: &mut dyn Images, ways: &[Way]) -> Result<Vec<Imaged>, Failure> {
        let walker = Walker::new(self.contract, self.choices, self.bounds);
        let mut course = Course {
            run: self,
            walker: &walker,
            allowed: Allowed::default(),
            been: HashSet::new(),
            imaged: self.policies.iter().map(|_| Imaged::default()).collect(),
            transcript: Vec::new(),
        };
        // Short ways first: what is found first needs the fewest steps.
        let mut ways: Vec<&Way> = ways.iter().collect();
        ways.sort_by_key(|(_, actions)| actions.len());
        for (initial, actions) in ways {
            if self.interrupt.load(Ordering::Relaxed) || self.is_over_when_found && course.has_found_all() {
                break;
            }
            course.way(subject, *initial, actions)?;
        }
        Ok(course.imaged)
    }
}

struct Course<'a> {
    run: &'a ImageRun<'a>,
    walker: &'a Walker,
    allowed: Allowed,
    /// The ways that were begun: what lies on them was looked at.
    been: HashSet<u64>,
    imaged: Vec<Imaged>,
    transcript: Vec<Done>,
}

impl Course<'_> {
    fn has_found_all(&self) -> bool {
        let mut all = self.run.policies.iter().zip(&self.imaged);
        all.all(|(policy, imaged)| *policy == ImagePolicy::KeepAll || imaged.divergence.is_some())
    }

    fn way(&mut self, subject: &mut dyn Images, initial: usize, actions: &[Action]) -> Result<(), Failure> {
        let Some(mut at) = self.walker.start().into_iter().nth(initial) else { return Ok(()) };
        let mut world = self.walker.world.clone();
        world.holds_inner_steps = true;
        subject.reset(&world)?;
        self.transcript.clear();
        let mut hasher = DefaultHasher::new();
        initial.hash(&mut hasher);
        for action in actions {
            let Some((after, moved)) = self.walker.take(&at, action) else { return Ok(()) };
            format!("{:?}", moved.steps).hash(&mut hasher);
            let is_new = self.been.insert(hasher.finish());
            let observation = self.walker.look(&after, self.walker.fields());
            let seen = Seen { progress: moved.progress.clone(), observation };
            self.transcript.push((moved.steps.clone(), seen));
            let is_held = self.step(subject, &moved.steps, (&at, &after), is_new)?;
            if subject.observe(compared())? != self.walker.look(&after, compared()) {
                // That is for a replay without images to tell.
                self.imaged.iter_mut().for_each(|imaged| imaged.counts.left_ways += 1);
                return Ok(());
            }
            if is_new && (is_held || at.owner() != after.owner()) {
                self.judge(subject, &[&after], None)?;
            }
            at = after;
        }
        Ok(())
    }

    /// Takes the steps of one action, and loses power before every storage call in them if they are new. Whether there was one.
    fn step(
        &mut self,
        subject: &mut dyn Images,
        steps: &[Step],
        (before, after): (&Position, &Position),
        is_new: bool,
    ) -> Result<bool, Failure> {
        let mut is_held = false;
        for step in steps {
            demand(step, subject.perform(step)?)?;
            while let Some(park) = subject.parked().into_iter().find(|park| park.kind == ParkKind::Inner) {
                is_held = true;
                if is_new {
                    // Once power was lost, what was before is over.
                    let fans: &[&Position] = if *step == (Step::Restart {}) { &[after] } else { &[before, after] };
                    self.judge(subject, fans, Some(&park))?;
                }
                let step = Step::Resume { park, answer: How::Proceed };
                demand(&step, subject.perform(&step)?)?;
            }
        }
        Ok(is_held)
    }

    /// Loses power now; what is recovered has to be allowed at one of these positions.
    fn judge(&mut self, subject: &mut dyn Images, at: &[&Position], inside: Option<&Park>) -> Result<(), Failure> {
        let fans: Option<Vec<Rc<Fan>>> = at.iter().map(|at| self.allowed.after_power_loss(self.walker, at)).collect();
        for index in 0..self.imaged.len() {
            let policy = self.run.policies[index];
            let counts = &mut self.imaged[index].counts;
            counts.points += 1;
            let Some(fans) = &fans else {
                counts.unjudged_points += 1;
                continue;
            };
            let recovered = subject.recovered(policy, self.run.cap)?;
            counts.subsets += recovered.subsets;
            counts.images += recovered.images;
            counts.second_images += recovered.second_images;
            counts.capped_points += u64::from(recovered.is_capped);
            counts.allowed_subsets += fans.iter().map(|fan| fan.subsets).sum::<u64>();
            let allowed = |seen: &Observation| fans.iter().any(|fan| fan.states.contains(seen));
            let forbidden = recovered.states.iter().find(|state| !allowed(&state.observation));
            counts.forbidden_points += u64::from(forbidden.is_some());
            for state in &recovered.states {
                self.imaged[index].recovered.insert(json(&state.observation));
            }
            if let Some(state) = forbidden {
                self.tell(index, state, fans, inside);
            }
        }
        Ok(())
    }

    /// Tells a forbidden state, unless one is known that needs fewer steps.
    fn tell(&mut self, index: usize, state: &RecoveredState, fans: &[Rc<Fan>], inside: Option<&Park>) {
        let steps = self.transcript.len();
        if self.imaged[index].divergence.as_ref().is_some_and(|known| known.steps <= steps) {
            return;
        }
        let run = self.run;
        let place = Where {
            contract: run.contract,
            view: run.view,
            policy: run.policies[index],
            world: &self.walker.world,
            transcript: &self.transcript,
            inside,
            command: run.command,
        };
        let mut allowed: Vec<&Observation> = Vec::new();
        for state in fans.iter().flat_map(|fan| &fan.states) {
            if !allowed.contains(&state) {
                allowed.push(state);
            }
        }
        self.imaged[index].divergence = Some(ImagePage::of(&place, state, &allowed));
    }
}

/// A state as JSON, to be counted and shown.
pub(super) fn json(state: &Observation) -> String {
    serde_json::to_string(state).unwrap_or_else(|error| error.to_string())
}

fn demand(step: &Step, progress: Progress) -> Result<(), Failure> {
    match progress {
        Progress::Refused { reason } | Progress::Unsupported { reason } => {
            Err(Failure::failed(format!("{step:?} cannot be taken: {reason}; replay without images first")))
        }
        Progress::Parked | Progress::Done { .. } => Ok(()),
    }
}
