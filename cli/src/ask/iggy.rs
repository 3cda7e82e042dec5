//! Scenarios of the Iggy family.

use std::collections::BTreeSet;

use fencepost_checker::describe::{Described, Transition};
use fencepost_checker::guide::Guide;
use fencepost_models::iggy::scenario::{self, Progress, ScenarioGuide, Stuck, answers_by_step};
use fencepost_models::iggy::system::{self, IggyModel, IggyState};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Choices;
use fencepost_spec::event::EventKind;
use fencepost_spec::family::Iggy;
use fencepost_spec::scenario::{ExpectedAnswer, Scenario, Step};
use stateright::Model;

use super::family::{Askable, Expected, Found, Head};
use crate::run::Action;

impl Askable for Iggy {
    type Scenario = Scenario;
    type Guide = ScenarioGuide;

    const FINDINGS: &'static str = "what the clients get, and what breaks";
    const NO_FINDINGS: &'static str = "";
    const SEVEREST: &'static [ClauseName] = &[
        ClauseName::NoSkip,
        ClauseName::AcknowledgedCommitStands,
        ClauseName::NoForeignProgress,
        ClauseName::NoStaleBatch,
        ClauseName::AcknowledgedPurgeIsFinal,
        ClauseName::OneHistoryAfterRecovery,
        ClauseName::CommitUnderReadingAssignment,
    ];

    fn head(scenario: &Scenario) -> Head<'_> {
        let Scenario { name, title, question, sources, .. } = scenario;
        Head { name, title, question, sources }
    }

    fn steps(scenario: &Scenario) -> Vec<&str> {
        scenario.steps.iter().map(|step| step.id.as_str()).collect()
    }

    fn expected<'a>(scenario: &'a Scenario, contract: &str) -> Option<Expected<'a, ClauseName>> {
        let expected = scenario.expect.get(contract)?;
        Some(Expected { possible: expected.possible, breaks: &expected.breaks })
    }

    fn applies(scenario: &Scenario, choices: &Choices) -> Result<(), String> {
        scenario::applies(scenario, choices)
    }

    fn world(scenario: &Scenario, choices: &Choices) -> IggyModel {
        system::model(choices, &scenario::bounds(scenario))
    }

    fn guide(scenario: &Scenario, model: &IggyModel, must_break: Option<ClauseName>) -> ScenarioGuide {
        ScenarioGuide::new(scenario, &model.cfg, must_break)
    }

    fn found(scenario: &Scenario, guide: &ScenarioGuide) -> Found<ClauseName> {
        let courses = guide.courses();
        let answers = answers_by_step(scenario, &courses);
        Found { broken: courses.broken, always_broken: courses.always_broken.unwrap_or_default(), answers }
    }

    fn obstacle(
        scenario: &Scenario,
        model: &IggyModel,
        guide: &ScenarioGuide,
        furthest: &[(IggyState, Progress)],
    ) -> String {
        obstacle(scenario, model, guide, furthest)
    }
}

/// What does not go on in the states that get furthest: an answer that is not the demanded one, or a step that stands still.
fn obstacle(
    scenario: &Scenario,
    model: &IggyModel,
    guide: &ScenarioGuide,
    furthest: &[(IggyState, Progress)],
) -> String {
    let refused: BTreeSet<(usize, String)> =
        furthest.iter().flat_map(|(state, at)| undemanded_answers(model, guide, state, at)).collect();
    if let Some((step, _)) = refused.first() {
        let answers: Vec<&str> =
            refused.iter().filter(|(other, _)| other == step).map(|(_, answer)| answer.as_str()).collect();
        let step = &scenario.steps[*step];
        return format!("`{}` gets {}, not {}", step.id, answers.join(" or "), demanded(step));
    }
    let stuck = furthest.first().and_then(|(_, at)| guide.stuck(at));
    stuck.map_or_else(|| "nothing more happens".to_owned(), |stuck| stuck_text(scenario, &stuck))
}

fn stuck_text(scenario: &Scenario, stuck: &Stuck) -> String {
    let (step, event) = (&scenario.steps[stuck.event.0], stuck.event.1);
    let is_of_one_event = step.does.phases() == [EventKind::Sent, EventKind::Answered];
    let name = if is_of_one_event { step.id.clone() } else { format!("{}:{event}", step.id) };
    let waits = stuck.awaited_by.map(|waits| format!(", for which `{}` waits", scenario.steps[waits].id));
    format!("`{name}` does not happen{}", waits.unwrap_or_default())
}

/// The answers that would come next and that the scenario does not allow: the step and the answer.
fn undemanded_answers(
    model: &IggyModel,
    guide: &ScenarioGuide,
    state: &IggyState,
    at: &Progress,
) -> Vec<(usize, String)> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let undemanded = |action: &Action| {
        let after = model.next_state(state, action.clone())?;
        let facts = model.facts(state, action, &after);
        let transition = Transition { before: state, action, after: &after, facts: &facts };
        if guide.next(at, &transition).is_some() { None } else { guide.undemanded_answer(&transition) }
    };
    actions.iter().filter_map(undemanded).collect()
}

/// The demanded answer of a step, in words.
fn demanded(step: &Step) -> String {
    let kind = match step.answer {
        ExpectedAnswer::Any => "an answer",
        ExpectedAnswer::Messages => "messages",
        ExpectedAnswer::Nothing => "an empty batch",
        ExpectedAnswer::Refused => "a refusal",
        ExpectedAnswer::Done => "an acknowledgement",
        ExpectedAnswer::Lost => "silence",
    };
    match step.offsets {
        Some((first, last)) if first == last => format!("offset {first}"),
        Some((first, last)) => format!("offsets {first} to {last}"),
        None => kind.to_owned(),
    }
}
