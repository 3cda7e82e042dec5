//! One scenario asked of one contract: whether it is possible, what the clients get, what breaks, and the shortest story.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use fencepost_checker::engine::{Exploration, Stop, Task, Trace};
use fencepost_checker::story::Story;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;
use fencepost_spec::words::Word;

use super::family::Askable;
use super::telling::{self, BrokenClause};
use crate::exploring::{Budget, EngineName};
use crate::run::{Action, ProgressMaker};

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
pub struct AskResult<C = ClauseName> {
    /// Name of the contract.
    pub contract: String,
    /// The answer.
    pub answer: Answer<C>,
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
pub enum Answer<C = ClauseName> {
    /// The contract has nothing for some step of it, for this reason.
    NotApplicable(String),
    /// It is possible.
    Possible(Possible<C>),
    /// No course leads to its end.
    Impossible(Impossible),
    /// The exploration ended before a course was found, and before it was sure that there is none.
    Unknown,
}

/// What was found in the courses of a possible scenario.
#[derive(Clone, Debug)]
pub struct Possible<C = ClauseName> {
    /// The answers that the client of a step got in some course, by the step's name; [`NO_ANSWER`] if none.
    pub answers: BTreeMap<String, BTreeSet<String>>,
    /// The clauses that break in some course, the severest first.
    pub broken: Vec<C>,
    /// Those that break in every course.
    pub always_broken: Vec<C>,
    /// The shortest course in which the severest of them breaks, or the shortest course.
    pub story: Story,
    /// What breaks in that course, in the order of its lines.
    pub breaches: Vec<BrokenClause<C>>,
}

/// How far an impossible scenario gets.
#[derive(Clone, Debug)]
pub struct Impossible {
    /// What does not go on, in words.
    pub obstacle: String,
    /// One of the courses that get furthest.
    pub story: Story,
}

impl<C> AskResult<C> {
    /// Whether the scenario is possible; `None` if it is not applicable or not known.
    pub fn possible(&self) -> Option<bool> {
        match self.answer {
            Answer::Possible(_) => Some(true),
            Answer::Impossible(_) => Some(false),
            Answer::NotApplicable(_) | Answer::Unknown => None,
        }
    }

    /// The clauses that break in some course.
    pub fn broken(&self) -> &[C] {
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
pub fn ask<F: Askable>(
    scenario: &F::Scenario,
    contract: &Contract<F>,
    options: &AskOptions<'_>,
) -> AskResult<F::Clause> {
    let started = Instant::now();
    let mut result = AskResult {
        contract: contract.name.clone(),
        answer: Answer::Unknown,
        stopped: None,
        states: 0,
        depth: 0,
        seconds: 0.0,
    };
    if let Err(reason) = F::applies(scenario, &contract.choices) {
        result.answer = Answer::NotApplicable(reason);
        return result;
    }
    let model = F::world(scenario, &contract.choices);
    let guide = F::guide(scenario, &model, None);
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
fn by_severity<F: Askable>(clauses: &BTreeSet<F::Clause>) -> Vec<F::Clause> {
    let rest = F::Clause::ALL.iter().filter(|clause| !F::SEVEREST.contains(clause));
    F::SEVEREST.iter().chain(rest).copied().filter(|clause| clauses.contains(clause)).collect()
}

/// A scenario on the model of a contract.
struct Asked<'a, F: Askable> {
    scenario: &'a F::Scenario,
    contract: &'a Contract<F>,
    model: &'a F::Model,
    guide: &'a F::Guide,
}

impl<F: Askable> Asked<'_, F> {
    fn title(&self, what: &str) -> String {
        format!("{} in {}: {what}", F::head(self.scenario).name, self.contract.name)
    }

    fn explore(&self, guide: &F::Guide, options: &AskOptions<'_>) -> Exploration<F::Model, F::Guide> {
        let progress = (options.progress)(&self.contract.name, F::head(self.scenario).name);
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

    fn possible(&self, shortest: &Trace<Action<F>>, options: &AskOptions<'_>) -> Possible<F::Clause> {
        let found = F::found(self.scenario, self.guide);
        let broken = by_severity::<F>(&found.broken);
        let always_broken = by_severity::<F>(&found.always_broken);
        let severest = broken.first().copied();
        let searched = severest.filter(|clause| !always_broken.contains(clause)).and_then(|clause| {
            let guide = F::guide(self.scenario, self.model, Some(clause));
            let trace = self.explore(&guide, options).finished?;
            Some(telling::course::<F>(self.model, &guide, &trace, self.title(&format!("{clause} breaks"))))
        });
        let (story, breaches) = searched.unwrap_or_else(|| {
            let breaks = severest.filter(|clause| always_broken.contains(clause));
            let what = breaks.map_or_else(|| "possible".to_owned(), |clause| format!("{clause} breaks"));
            telling::course::<F>(self.model, self.guide, shortest, self.title(&what))
        });
        let mut answers = found.answers;
        for answers in answers.values_mut().filter(|answers| answers.contains("")) {
            answers.remove("");
            answers.insert(NO_ANSWER.to_owned());
        }
        Possible { answers, broken, always_broken, story, breaches }
    }

    fn impossible(&self, exploration: &Exploration<F::Model, F::Guide>) -> Impossible {
        let (_, states, trace) = &exploration.furthest;
        let obstacle = F::obstacle(self.scenario, self.model, self.guide, states);
        let story = match trace {
            Some(trace) => telling::dead_end::<F>(self.model, self.guide, trace, self.title("impossible"), &obstacle),
            None => unreachable!("an exploration has an initial state"),
        };
        Impossible { obstacle, story }
    }
}
