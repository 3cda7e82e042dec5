//! What `ask` says: the exploration that it makes, and of it only what the clients get. Nothing here knows positions or steps of a
//! driver, so that it can be held against what the follower finds.

use std::collections::BTreeSet;

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Stop, Task};
use fencepost_driver::Reply;
use fencepost_models::iggy::messages::Answer;
use fencepost_models::iggy::scenario::{self, ScenarioGuide};
use fencepost_models::iggy::system;
use fencepost_spec::contract::Choices;
use fencepost_spec::scenario::Scenario;

use super::graph::Heard;
use crate::replay::names;

/// By step of a scenario: the answer that its client got.
pub type Answers = Vec<Option<Reply>>;

/// What `ask` says of a scenario that a contract has everything for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The answers of each completed course. None: the scenario is not possible.
    pub courses: BTreeSet<Answers>,
    /// Why the exploration ended early, if it did.
    pub stopped: Option<Stop>,
}

/// Asks.
pub fn ask(scenario: &Scenario, choices: &Choices) -> Said {
    let model = system::model(choices, &scenario::bounds(scenario));
    let guide = ScenarioGuide::new(scenario, &model.cfg, None);
    let limits = Limits::default();
    let task = Task {
        model: &model,
        guide: &guide,
        clauses: &[],
        liveness: &[],
        limits: &limits,
        threads: 1,
        progress: &Quiet,
    };
    let stopped = Compiled { is_unbounded: true }.explore(&task).stopped;
    let joint = guide.joint_answers();
    let courses = joint.iter().map(|joint| {
        let first = |sent: u8, number: u8| joint.firsts.get(&sent).copied().unwrap_or(number);
        joint.answers.iter().map(|answer| answer.as_ref().map(|answer| reply(answer, &first))).collect()
    });
    Said { courses: courses.collect(), stopped }
}

/// An answer as a client reads it; `first` gives the number of the first message of a request.
fn reply(answer: &Answer, first: &dyn Fn(u8, u8) -> u8) -> Reply {
    match answer {
        Answer::Batch(batch) => {
            let messages = batch.messages.iter().map(|placed| {
                let first = first(placed.message.sent, placed.message.number);
                (u64::from(placed.offset), names::payload(&placed.message, first))
            });
            Reply::Batch { messages: messages.collect() }
        }
        Answer::Empty => Reply::Empty {},
        Answer::Sentinel => Reply::Sentinel {},
        Answer::Done => Reply::Acknowledged {},
        Answer::Code(code) => Reply::Code { code: code.0 },
        Answer::Disconnected => Reply::Disconnected {},
    }
}

impl Said {
    /// With how many of these answers, from the first on, some course agrees, if it is not all of them and no more. The number of all
    /// means that every course with these answers has another one besides.
    pub fn differs(&self, heard: &[Heard]) -> Option<usize> {
        let has = |course: &&Answers, heard: &Heard| {
            course.get(heard.step).is_some_and(|it| it.as_ref() == Some(&heard.reply))
        };
        let mut agreeing: Vec<&Answers> = self.courses.iter().collect();
        if agreeing.is_empty() {
            return Some(0);
        }
        for (index, answer) in heard.iter().enumerate() {
            agreeing.retain(|course| has(course, answer));
            if agreeing.is_empty() {
                return Some(index);
            }
        }
        let count = |course: &&Answers| course.iter().flatten().count() == heard.len();
        (!agreeing.iter().any(count)).then_some(heard.len())
    }
}
