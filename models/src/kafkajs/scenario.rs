//! Scenarios on the model: the world that a scenario plays in, and the guide that keeps its order of actions.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use fencepost_checker::clause::Judgement;
use fencepost_checker::describe::{Transition, delivery};
use fencepost_checker::guide::Guide;
use fencepost_spec::kafkajs::event::ActionKind;
use fencepost_spec::kafkajs::scenario::{Scenario, Step};
use fencepost_spec::kafkajs::{Choices, ClauseName};

use super::bounds::{Bounds, UserAct};
use super::clauses::judge;
use super::messages::{Envelope, Task};
use super::system::{self, Address, KafkaJsModel};
use super::views::views;
use super::vocabulary::kind_of;
use crate::family::{BoundsSet, View};

/// The view in which a scenario plays, in its smallest size.
pub fn view(scenario: &Scenario) -> View<Bounds> {
    match views(BoundsSet::Quick).into_iter().find(|view| view.name == scenario.view) {
        Some(view) => view,
        None => unreachable!("a scenario names a view of the family: {}", scenario.view),
    }
}

/// The model of a contract's choices in the world of a scenario.
pub fn model(scenario: &Scenario, choices: &Choices) -> KafkaJsModel {
    system::model(choices, &view(scenario).bounds)
}

/// The number that the `of` of a step speaks of.
///
/// What an answer or a request is about, and who waits for it, have the same number but for two: when a fetcher resolves, it is the
/// fetcher's, whatever partitions it asks for; and what is done for the application has none.
pub fn number_of(receiver: Address, message: &Envelope) -> Option<u8> {
    match *message {
        Envelope::Round(number)
        | Envelope::HandlerReturns(number)
        | Envelope::Fetch(number, _)
        | Envelope::FetchAnswered(number, _) => Some(number),
        Envelope::User(
            UserAct::Seek { partition, .. }
            | UserAct::Pause { partition }
            | UserAct::Resume { partition }
            | UserAct::Commit { partition, .. },
        ) => Some(partition),
        Envelope::Ask(task, ..) | Envelope::Answered(task, _) | Envelope::List(task) | Envelope::Listed(task, ..) => {
            match task {
                Task::Fetcher(number) | Task::Worker(number) => Some(number),
                Task::User => None,
            }
        }
        Envelope::LeadershipMoves | Envelope::Retention => match receiver {
            Address::Broker(node) => Some(node),
            Address::Consumer | Address::Coordinator => None,
        },
        Envelope::OtherCommits => None,
    }
}

/// How far a scenario is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Progress {
    /// A bit for each step that has happened.
    happened: u32,
    /// A bit for each clause that broke on the way.
    broken: u32,
}

/// What the completed courses of a scenario had in common and not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Courses {
    /// The clauses that broke in some course.
    pub broken: BTreeSet<ClauseName>,
    /// The clauses that broke in every course.
    pub always_broken: Option<BTreeSet<ClauseName>>,
}

/// Where a scenario does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The step that does not happen.
    pub step: usize,
    /// A step that waits for it.
    pub awaited_by: Option<usize>,
}

/// The guide of a scenario.
pub struct ScenarioGuide {
    steps: Vec<Step>,
    must_break: Option<ClauseName>,
    courses: Mutex<Courses>,
}

impl ScenarioGuide {
    /// The guide of a scenario. With `must_break`, only courses in which that clause breaks are complete.
    pub fn new(scenario: &Scenario, must_break: Option<ClauseName>) -> Self {
        Self { steps: scenario.steps.clone(), must_break, courses: Mutex::default() }
    }

    /// What was seen in the completed courses of an exploration.
    pub fn courses(&self) -> Courses {
        self.courses.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The steps that have happened after an action; `None` if the scenario does not allow it. Of several steps with the same
    /// kind and number the later one waits for the one before, so that it is never in doubt which of them an action is.
    fn happens(&self, happened: u32, kind: ActionKind, number: Option<u8>) -> Option<u32> {
        let is_meant = |step: &Step| step.happens == kind && step.of.is_none_or(|of| Some(of) == number);
        if !self.steps.iter().any(is_meant) {
            return Some(happened);
        }
        let has = |index: usize| happened >> index & 1 == 1;
        let is_due =
            |(index, step): (usize, &Step)| is_meant(step) && !has(index) && step.after.iter().all(|other| has(*other));
        let index = self.steps.iter().enumerate().position(is_due)?;
        Some(happened | 1 << index)
    }

    fn is_complete(&self, at: &Progress) -> bool {
        at.happened.count_ones() as usize == self.steps.len()
    }

    /// The first step that waits for nothing and has not happened, and a step that waits for it.
    pub fn stuck(&self, at: &Progress) -> Option<Stuck> {
        let has = |index: usize| at.happened >> index & 1 == 1;
        let is_due = |(index, step): (usize, &Step)| !has(index) && step.after.iter().all(|other| has(*other));
        let step = self.steps.iter().enumerate().position(is_due)?;
        let awaited_by = self.steps.iter().position(|other| other.after.contains(&step));
        Some(Stuck { step, awaited_by })
    }
}

impl Guide<KafkaJsModel> for ScenarioGuide {
    type State = Progress;

    fn start(&self) -> Progress {
        Progress { happened: 0, broken: 0 }
    }

    fn next(&self, at: &Progress, transition: &Transition<'_, KafkaJsModel>) -> Option<Progress> {
        if self.is_complete(at) {
            return None;
        }
        let (receiver, _, message) = delivery(transition.action);
        let number = number_of(Address::of(receiver), message);
        let happened = self.happens(at.happened, kind_of(message), number)?;
        let is_broken = |name: &&ClauseName| matches!(judge(**name, transition.facts), Judgement::Broken(_));
        let broken = ClauseName::ALL.iter().filter(is_broken).fold(at.broken, |all, name| all | 1 << *name as u32);
        Some(Progress { happened, broken })
    }

    fn progress(&self, at: &Progress) -> usize {
        at.happened.count_ones() as usize
    }

    fn is_finished(&self, at: &Progress) -> bool {
        let has_broken = |clause: ClauseName| at.broken >> clause as u32 & 1 == 1;
        if !self.is_complete(at) || !self.must_break.is_none_or(has_broken) {
            return false;
        }
        let mut courses = self.courses.lock().unwrap_or_else(PoisonError::into_inner);
        let broken: BTreeSet<ClauseName> = ClauseName::ALL.iter().copied().filter(|name| has_broken(*name)).collect();
        let always = courses.always_broken.take();
        courses.always_broken = Some(always.map_or_else(|| broken.clone(), |always| &always & &broken));
        courses.broken.extend(broken);
        true
    }

    fn reads_steps_only(&self) -> bool {
        true
    }

    fn stops_when_finished(&self) -> bool {
        true
    }
}
