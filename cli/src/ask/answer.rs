//! One scenario asked of one contract: whether it is possible, what the clients get, what breaks, and the shortest story.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use fencepost_checker::engine::{Exploration, Stop, Task, Trace};
use fencepost_checker::story::Story;
use fencepost_models::iggy::scenario::{self, ScenarioGuide, answers_by_step};
use fencepost_models::iggy::system::{self, IggyModel};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;
use fencepost_spec::scenario::Scenario;

use super::telling::{self, BrokenClause};
use crate::exploring::{Budget, EngineName};
use crate::run::{Action, ProgressMaker};

/// The clauses in the order of which is told first when several break: what hurts an application most stands first.
const SEVEREST: &[ClauseName] = &[
    ClauseName::NoSkip,
    ClauseName::AcknowledgedCommitStands,
    ClauseName::NoForeignProgress,
    ClauseName::NoStaleBatch,
    ClauseName::AcknowledgedPurgeIsFinal,
    ClauseName::OneHistoryAfterRecovery,
    ClauseName::CommitUnderReadingAssignment,
];

/// What stands for the answer that never came.
pub const NO_ANSWER: &str = "no answer";

/// How a scenario is explored.
pub struct AskOptions<'a> {
    /// The engine.
    pub engine: EngineName,
    /// Worker threads.
    pub threads: usize,
    /// When to stop.
    pub budget: &'a Budget,
    /// Who is told about the progress, given the names of contract and scenario.
    pub progress: &'a ProgressMaker<'a>,
}

/// What a contract makes of a scenario.
#[derive(Clone, Debug)]
pub struct AskResult {
    /// Name of the contract.
    pub contract: String,
    /// The answer.
    pub answer: Answer,
    /// Why the exploration ended early, if it did: then more answers and breaches may be possible.
    pub stopped: Option<Stop>,
    /// Distinct states of the exploration of all courses.
    pub states: u64,
    /// Its last level that had states.
    pub depth: u32,
    /// How long it took, the search for the story included.
    pub seconds: f64,
}

/// Whether a scenario is possible.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The contract has nothing for some step of it, for this reason.
    NotApplicable(String),
    /// It is possible.
    Possible(Possible),
    /// No course leads to its end.
    Impossible(Impossible),
    /// The exploration ended before a course was found, and before it was sure that there is none.
    Unknown,
}

/// What was found in the courses of a possible scenario.
#[derive(Clone, Debug)]
pub struct Possible {
    /// The answers that the client of a step got in some course, by the step's name; [`NO_ANSWER`] if none.
    pub answers: BTreeMap<String, BTreeSet<String>>,
    /// The clauses that break in some course, the severest first.
    pub broken: Vec<ClauseName>,
    /// Those that break in every course.
    pub always_broken: Vec<ClauseName>,
    /// The shortest course in which the severest of them breaks, or the shortest course.
    pub story: Story,
    /// What breaks in that course, in the order of its lines.
    pub breaches: Vec<BrokenClause>,
}

/// How far an impossible scenario gets.
#[derive(Clone, Debug)]
pub struct Impossible {
    /// What does not go on, in words.
    pub obstacle: String,
    /// One of the courses that get furthest.
    pub story: Story,
}

impl AskResult {
    /// Whether the scenario is possible; `None` if it is not applicable or not known.
    pub fn possible(&self) -> Option<bool> {
        match self.answer {
            Answer::Possible(_) => Some(true),
            Answer::Impossible(_) => Some(false),
            Answer::NotApplicable(_) | Answer::Unknown => None,
        }
    }

    /// The clauses that break in some course.
    pub fn broken(&self) -> &[ClauseName] {
        match &self.answer {
            Answer::Possible(possible) => &possible.broken,
            _ => &[],
        }
    }

    /// The story, if there is one.
    pub fn story(&self) -> Option<&Story> {
        match &self.answer {
            Answer::Possible(possible) => Some(&possible.story),
            Answer::Impossible(impossible) => Some(&impossible.story),
            Answer::NotApplicable(_) | Answer::Unknown => None,
        }
    }
}

/// Asks a contract about a scenario.
pub fn ask(scenario: &Scenario, contract: &Contract, options: &AskOptions<'_>) -> AskResult {
    let started = Instant::now();
    let mut result = AskResult {
        contract: contract.name.clone(),
        answer: Answer::Unknown,
        stopped: None,
        states: 0,
        depth: 0,
        seconds: 0.0,
    };
    if let Err(reason) = scenario::applies(scenario, &contract.choices) {
        result.answer = Answer::NotApplicable(reason);
        return result;
    }
    let model = system::model(&contract.choices, &scenario::bounds(scenario));
    let guide = ScenarioGuide::new(scenario, &model.cfg, None);
    let asked = Asked { scenario, contract, model: &model, guide: &guide };
    let exploration = asked.explore(&guide, options);
    result.stopped = exploration.stopped;
    result.states = exploration.states;
    result.depth = exploration.depth;
    result.answer = match (&exploration.finished, exploration.stopped) {
        (Some(shortest), _) => Answer::Possible(asked.possible(shortest, options)),
        (None, None) => Answer::Impossible(asked.impossible(&exploration)),
        (None, Some(_)) => Answer::Unknown,
    };
    result.seconds = started.elapsed().as_secs_f64();
    result
}

/// The clauses of a set, the severest first.
fn by_severity(clauses: &BTreeSet<ClauseName>) -> Vec<ClauseName> {
    let rest = ClauseName::ALL.iter().filter(|clause| !SEVEREST.contains(clause));
    SEVEREST.iter().chain(rest).copied().filter(|clause| clauses.contains(clause)).collect()
}

/// A scenario on the model of a contract.
struct Asked<'a> {
    scenario: &'a Scenario,
    contract: &'a Contract,
    model: &'a IggyModel,
    guide: &'a ScenarioGuide,
}

impl Asked<'_> {
    fn title(&self, what: &str) -> String {
        format!("{} in {}: {what}", self.scenario.name, self.contract.name)
    }

    fn explore(&self, guide: &ScenarioGuide, options: &AskOptions<'_>) -> Exploration<IggyModel, ScenarioGuide> {
        let progress = (options.progress)(&self.contract.name, &self.scenario.name);
        let task = Task {
            model: self.model,
            guide,
            clauses: &[],
            liveness: &[],
            limits: &options.budget.limits(),
            threads: options.threads,
            progress: &*progress,
        };
        options.engine.explore(&task)
    }

    fn possible(&self, shortest: &Trace<Action>, options: &AskOptions<'_>) -> Possible {
        let courses = self.guide.courses();
        let broken = by_severity(&courses.broken);
        let always_broken = by_severity(&courses.always_broken.clone().unwrap_or_default());
        let severest = broken.first().copied();
        let searched = severest.filter(|clause| !always_broken.contains(clause)).and_then(|clause| {
            let guide = ScenarioGuide::new(self.scenario, &self.model.cfg, Some(clause));
            let trace = self.explore(&guide, options).finished?;
            Some(telling::course(self.model, &guide, &trace, self.title(&format!("{clause} breaks"))))
        });
        let (story, breaches) = searched.unwrap_or_else(|| {
            let breaks = severest.filter(|clause| always_broken.contains(clause));
            let what = breaks.map_or_else(|| "possible".to_owned(), |clause| format!("{clause} breaks"));
            telling::course(self.model, self.guide, shortest, self.title(&what))
        });
        let mut answers = answers_by_step(self.scenario, &courses);
        for answers in answers.values_mut().filter(|answers| answers.contains("")) {
            answers.remove("");
            answers.insert(NO_ANSWER.to_owned());
        }
        Possible { answers, broken, always_broken, story, breaches }
    }

    fn impossible(&self, exploration: &Exploration<IggyModel, ScenarioGuide>) -> Impossible {
        let (_, states, trace) = &exploration.furthest;
        let obstacle = telling::obstacle(self.scenario, self.model, self.guide, states);
        let story = match trace {
            Some(trace) => telling::dead_end(self.model, self.guide, trace, self.title("impossible"), &obstacle),
            None => unreachable!("an exploration has an initial state"),
        };
        Impossible { obstacle, story }
    }
}
