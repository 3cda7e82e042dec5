//! The file of a scenario, read into a [`Scenario`].

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{
    ExpectedAnswer, From, MOST_MESSAGES, Reference, SCENARIO_FORMAT, Scenario, ScenarioExpectation, Start, Step,
    Survivors, Verb,
};
use crate::diagnostic::{Problem, nearest, parse_toml};
use crate::event::EventKind;
use crate::library::{CONTRACTS, expect_word};

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
    start: Spanned<Start>,
    step: Vec<Spanned<StepFile>>,
    #[serde(default)]
    expect: BTreeMap<Spanned<String>, ScenarioExpectation>,
}

/// One step as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StepFile {
    pub(super) id: Spanned<String>,
    pub(super) who: Spanned<String>,
    pub(super) does: Spanned<Verb>,
    pub(super) from: Option<Spanned<From>>,
    pub(super) offset: Option<Spanned<u8>>,
    pub(super) count: Option<Spanned<u8>>,
    pub(super) automatic_commit: Option<Spanned<bool>>,
    pub(super) may_wait: Option<Spanned<bool>>,
    pub(super) of: Option<Spanned<String>>,
    pub(super) survivors: Option<Spanned<Survivors>>,
    pub(super) answer: Option<Spanned<ExpectedAnswer>>,
    pub(super) offsets: Option<Spanned<(u8, u8)>>,
    #[serde(default)]
    after: Vec<Spanned<String>>,
    #[serde(default)]
    dispatched_after: Vec<Spanned<String>>,
    #[serde(default)]
    arrives_after: Vec<Spanned<String>>,
    #[serde(default)]
    opens_after: Vec<Spanned<String>>,
    #[serde(default)]
    completes_after: Vec<Spanned<String>>,
    #[serde(default)]
    commits_after: Vec<Spanned<String>>,
    #[serde(default)]
    decided_after: Vec<Spanned<String>>,
    #[serde(default)]
    applied_after: Vec<Spanned<String>>,
    #[serde(default)]
    mirrored_after: Vec<Spanned<String>>,
    #[serde(default)]
    answered_after: Vec<Spanned<String>>,
}

/// Reads a scenario file.
///
/// # Errors
/// A [`Problem`] with file, line, column, the offending text and what would be accepted.
pub fn parse_scenario(file: &str, text: &str) -> Result<Scenario, Problem> {
    let parsed: ScenarioFile = parse_toml(file, text)?;
    expect_word(file, text, &parsed.format, &[SCENARIO_FORMAT], "format")?;
    expect_word(file, text, &parsed.family, &["iggy"], "family")?;
    let reader = Reader { file, text };
    reader.check_start(&parsed.start)?;
    reader.check_steps(&parsed.step, parsed.start.get_ref())?;
    let start = parsed.start.into_inner();
    let known = Known {
        ids: parsed.step.iter().map(|step| step.get_ref().id.get_ref().clone()).collect(),
        verbs: parsed.step.iter().map(|step| *step.get_ref().does.get_ref()).collect(),
        doers: parsed.step.iter().map(|step| step.get_ref().who.get_ref().clone()).collect(),
    };
    let mut steps = Vec::new();
    for step in parsed.step {
        steps.push(reader.step(step.into_inner(), &start, &known)?);
    }
    reader.refuse_circles(&steps)?;
    let contracts: Vec<&str> = CONTRACTS.iter().map(|(name, _)| *name).collect();
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
        start,
        steps,
        expect,
    })
}

/// What is known of all steps before each is read.
pub(super) struct Known {
    /// Their names.
    pub(super) ids: Vec<String>,
    /// What is done in them.
    pub(super) verbs: Vec<Verb>,
    /// Who does it.
    pub(super) doers: Vec<String>,
}

/// Reads one file.
pub(super) struct Reader<'a> {
    /// Its name.
    pub(super) file: &'a str,
    /// Its text.
    pub(super) text: &'a str,
}

impl Reader<'_> {
    /// A problem at a place in the file.
    pub(super) fn problem(&self, span: std::ops::Range<usize>, message: String) -> Problem {
        Problem::at(self.file, self.text, span, message)
    }

    fn step(&self, step: StepFile, start: &Start, known: &Known) -> Result<Step, Problem> {
        let does = *step.does.get_ref();
        self.check_doer(&step, start)?;
        self.check_keys(&step)?;
        self.check_values(&step)?;
        let of = step.of.as_ref().map(|of| self.given_up(&step, of, known)).transpose()?;
        let conditions = self.conditions(&step, known)?;
        Ok(Step {
            id: step.id.into_inner(),
            who: step.who.into_inner(),
            does,
            from: step.from.map_or(From::Next, Spanned::into_inner),
            offset: step.offset.map(Spanned::into_inner),
            count: step.count.map_or(MOST_MESSAGES, Spanned::into_inner),
            automatic_commit: step.automatic_commit.is_some_and(Spanned::into_inner),
            may_wait: step.may_wait.is_some_and(Spanned::into_inner),
            of,
            survivors: step.survivors.map_or(Survivors::Any, Spanned::into_inner),
            answer: step.answer.map_or(ExpectedAnswer::Any, Spanned::into_inner),
            offsets: step.offsets.map(Spanned::into_inner),
            conditions,
        })
    }

    fn conditions(&self, step: &StepFile, known: &Known) -> Result<BTreeMap<EventKind, Vec<Reference>>, Problem> {
        let does = *step.does.get_ref();
        let mut conditions = BTreeMap::new();
        for (phase, references) in [
            (EventKind::Sent, &step.after),
            (EventKind::Dispatched, &step.dispatched_after),
            (EventKind::Arrived, &step.arrives_after),
            (EventKind::Opened, &step.opens_after),
            (EventKind::Completed, &step.completes_after),
            (EventKind::Committed, &step.commits_after),
            (EventKind::Decided, &step.decided_after),
            (EventKind::Applied, &step.applied_after),
            (EventKind::Mirrored, &step.mirrored_after),
            (EventKind::Answered, &step.answered_after),
        ] {
            if let Some(first) = references.first().filter(|_| !does.phases().contains(&phase)) {
                return Err(self.problem(first.span(), format!("`{does}` is never {phase}")));
            }
            let resolved: Result<Vec<Reference>, Problem> =
                references.iter().map(|reference| self.reference(reference, known)).collect();
            conditions.insert(phase, resolved?);
        }
        conditions.retain(|_, references| !references.is_empty());
        Ok(conditions)
    }

    /// The step of this name.
    pub(super) fn step_index(&self, place: &Spanned<String>, id: &str, known: &Known) -> Result<usize, Problem> {
        known.ids.iter().position(|other| other == id).ok_or_else(|| {
            let problem = self.problem(place.span(), format!("there is no step `{id}`"));
            match nearest(id, known.ids.iter().map(String::as_str)) {
                Some(near) => problem.with_help(format!("did you mean `{near}`?")),
                None => problem.with_help(format!("steps: {}", known.ids.join(", "))),
            }
        })
    }

    fn reference(&self, place: &Spanned<String>, known: &Known) -> Result<Reference, Problem> {
        let (id, phase) = match place.get_ref().split_once(':') {
            Some((id, phase)) => (id, Some(phase)),
            None => (place.get_ref().as_str(), None),
        };
        let step = self.step_index(place, id, known)?;
        let Some(phase) = phase else { return Ok(Reference { step, phase: None }) };
        let possible = known.verbs[step].phases();
        match possible.iter().find(|kind| kind.word() == phase) {
            Some(kind) => Ok(Reference { step, phase: Some(*kind) }),
            None => {
                let words = possible.iter().map(|kind| kind.word());
                let problem = self.problem(place.span(), format!("the step `{id}` is never `{phase}`"));
                Err(match nearest(phase, words.clone()) {
                    Some(near) => problem.with_help(format!("did you mean `{id}:{near}`?")),
                    None => problem.with_help(format!("phases: {}", words.collect::<Vec<_>>().join(", "))),
                })
            }
        }
    }
}
