//! Scenarios of the KafkaJS family: which actions happen in one of its views, how often, and what comes after what.
//!
//! A scenario fixes what it names and nothing else. Actions of a kind (and number) that it names happen exactly as often as it
//! has steps for them; everything else may happen whenever it can, in every order.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::event::ActionKind;
use super::{ClauseName, KafkaJs, VIEWS};
use crate::diagnostic::{Problem, nearest, parse_toml};
use crate::family::Family;
use crate::library::expect_word;
use crate::scenario::{MOST_STEPS, SCENARIO_FORMAT, ScenarioExpectation};

/// How many partitions, and nodes that lead one each, there are.
pub const PARTITIONS: u8 = 2;

/// One step: an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub id: String,
    /// What happens.
    pub happens: ActionKind,
    /// The number of the partition or node that it is about; `None`: any.
    pub of: Option<u8>,
    /// The steps that have happened before, by index. A step with the same `happens` and `of` that stands before it is among them.
    pub after: Vec<usize>,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name, kebab-case.
    pub name: String,
    /// One line.
    pub title: String,
    /// The question it answers, in words.
    pub question: String,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// The view in which it plays.
    pub view: String,
    /// The steps.
    pub steps: Vec<Step>,
    /// What is expected, by contract.
    pub expect: BTreeMap<String, ScenarioExpectation<ClauseName>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    format: Spanned<String>,
    name: String,
    family: Spanned<String>,
    title: String,
    question: String,
    #[serde(default)]
    sources: Vec<String>,
    view: Spanned<String>,
    step: Vec<StepFile>,
    #[serde(default)]
    expect: BTreeMap<Spanned<String>, ScenarioExpectation<ClauseName>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    id: Spanned<String>,
    happens: Spanned<ActionKind>,
    of: Option<Spanned<u8>>,
    #[serde(default)]
    after: Vec<Spanned<String>>,
}

/// Reads a scenario file.
///
/// # Errors
/// A [`Problem`] with file, line, column, the offending text and what would be accepted.
pub fn parse_scenario(file: &str, text: &str) -> Result<Scenario, Problem> {
    let parsed: ScenarioFile = parse_toml(file, text)?;
    expect_word(file, text, &parsed.format, &[SCENARIO_FORMAT], "format")?;
    expect_word(file, text, &parsed.family, &[KafkaJs::NAME], "family")?;
    expect_word(file, text, &parsed.view, VIEWS, "view")?;
    let reader = Reader { file, text, steps: &parsed.step };
    reader.check_number_of_steps()?;
    let steps = (0..parsed.step.len()).map(|index| reader.step(index)).collect::<Result<Vec<_>, _>>()?;
    reader.refuse_circles(&steps)?;
    let contracts: Vec<&str> = KafkaJs::CONTRACTS.iter().map(|(name, _)| *name).collect();
    let mut expect = BTreeMap::new();
    for (name, expectation) in parsed.expect {
        expect_word(file, text, &name, &contracts, "contract")?;
        expect.insert(name.into_inner(), expectation);
    }
    Ok(Scenario {
        name: parsed.name,
        title: parsed.title,
        question: parsed.question,
        sources: parsed.sources,
        view: parsed.view.into_inner(),
        steps,
        expect,
    })
}

/// Reads one file.
struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    steps: &'a [StepFile],
}

impl StepFile {
    fn number(&self) -> Option<u8> {
        self.of.as_ref().map(|of| *of.get_ref())
    }

    fn is_like(&self, other: &Self) -> bool {
        self.happens.get_ref() == other.happens.get_ref()
    }
}

impl Reader<'_> {
    fn problem(&self, span: Range<usize>, message: String) -> Problem {
        Problem::at(self.file, self.text, span, message)
    }

    fn check_number_of_steps(&self) -> Result<(), Problem> {
        let number = self.steps.len();
        if (1..=MOST_STEPS).contains(&number) {
            return Ok(());
        }
        let place = self.steps.get(MOST_STEPS).map_or(0..0, |step| step.id.span());
        Err(self.problem(place, format!("a scenario has 1 to {MOST_STEPS} steps, not {number}")))
    }

    fn step(&self, index: usize) -> Result<Step, Problem> {
        let step = &self.steps[index];
        self.check_name(index)?;
        self.check_number(step)?;
        let mut after = step.after.iter().map(|name| self.index(name)).collect::<Result<Vec<_>, _>>()?;
        let is_the_same = |other: &StepFile| other.is_like(step) && other.number() == step.number();
        after.extend(self.steps[..index].iter().rposition(is_the_same));
        after.sort_unstable();
        after.dedup();
        Ok(Step { id: step.id.get_ref().clone(), happens: *step.happens.get_ref(), of: step.number(), after })
    }

    fn check_name(&self, index: usize) -> Result<(), Problem> {
        let id = &self.steps[index].id;
        if id.get_ref().is_empty() {
            return Err(self.problem(id.span(), "the name of a step is not empty".to_owned()));
        }
        if self.steps[..index].iter().any(|other| other.id.get_ref() == id.get_ref()) {
            return Err(self.problem(id.span(), format!("there are two steps `{}`", id.get_ref())));
        }
        Ok(())
    }

    /// Checks that `of` means something, and that it is clear which step an action is.
    fn check_number(&self, step: &StepFile) -> Result<(), Problem> {
        let happens = *step.happens.get_ref();
        let Some(of) = &step.of else {
            let Some(other) = self.steps.iter().find(|other| other.is_like(step) && other.of.is_some()) else {
                return Ok(());
            };
            let message =
                format!("the step `{}` says of which `{happens}` it is, this one does not", other.id.get_ref());
            return Err(self.problem(step.happens.span(), message).with_help("add `of` here, or remove it there"));
        };
        if !happens.has_number() {
            return Err(self.problem(of.span(), format!("`{happens}` has no `of`")));
        }
        if *of.get_ref() >= PARTITIONS {
            let problem = self.problem(of.span(), format!("there is no partition or node {}", of.get_ref()));
            return Err(problem.with_help(format!("there are 0 to {}", PARTITIONS - 1)));
        }
        Ok(())
    }

    /// The step of this name.
    fn index(&self, name: &Spanned<String>) -> Result<usize, Problem> {
        let ids = || self.steps.iter().map(|step| step.id.get_ref().as_str());
        ids().position(|id| id == name.get_ref()).ok_or_else(|| {
            let problem = self.problem(name.span(), format!("there is no step `{}`", name.get_ref()));
            match nearest(name.get_ref(), ids()) {
                Some(near) => problem.with_help(format!("did you mean `{near}`?")),
                None => problem.with_help(format!("steps: {}", ids().collect::<Vec<_>>().join(", "))),
            }
        })
    }

    /// Steps must not wait for each other in a circle.
    fn refuse_circles(&self, steps: &[Step]) -> Result<(), Problem> {
        let mut done = vec![false; steps.len()];
        let is_due = |done: &[bool], index: usize| !done[index] && steps[index].after.iter().all(|other| done[*other]);
        while let Some(index) = (0..steps.len()).find(|index| is_due(&done, *index)) {
            done[index] = true;
        }
        let awaited = |index: usize| steps[index].after.iter().copied().find(|other| !done[*other]);
        let Some(mut at) = (0..steps.len()).find(|index| !done[*index]) else { return Ok(()) };
        let mut way = Vec::new();
        while !way.contains(&at) {
            way.push(at);
            at = awaited(at).unwrap_or(at);
        }
        let circle = way.iter().skip_while(|index| **index != at);
        let names: Vec<&str> = circle.map(|index| steps[*index].id.as_str()).collect();
        let message = match names[..] {
            [name] => format!("the step {name} waits for itself"),
            _ => format!("the steps {} wait for each other in a circle", names.join(", ")),
        };
        let help = "take one of them out of an `after` list; steps with the same `happens` and `of` come in the order of the file";
        Err(self.problem(self.steps[at].id.span(), message).with_help(help))
    }
}
