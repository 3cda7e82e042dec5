//! The stories of a scenario: a course from its start to its end, or to where it does not go on.

use std::collections::BTreeSet;

use fencepost_checker::clause::Judgement;
use fencepost_checker::describe::{Described, Transition};
use fencepost_checker::engine::Trace;
use fencepost_checker::guide::Guide;
use fencepost_checker::story::{ReplayError, Story, replay, tidy_under};
use fencepost_models::iggy::clauses;
use fencepost_models::iggy::scenario::{Progress, ScenarioGuide, Stuck};
use fencepost_models::iggy::system::{IggyModel, IggyState};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::event::EventKind;
use fencepost_spec::scenario::{ExpectedAnswer, Scenario, Step};
use stateright::Model;

use crate::run::Action;

/// A clause that breaks in a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenClause {
    /// The clause.
    pub clause: ClauseName,
    /// The line of the story, from 1.
    pub line: usize,
    /// Why, in words.
    pub reason: String,
}

/// Tells a course that reaches the end of its scenario, and where clauses break in it.
pub(super) fn course(
    model: &IggyModel,
    guide: &ScenarioGuide,
    trace: &Trace<Action>,
    title: String,
) -> (Story, Vec<BrokenClause>) {
    must(tidy_under(model, guide, trace).and_then(|trace| {
        let broken = broken_clauses(model, &trace)?;
        let text = |it: &BrokenClause| format!("{} breaks in line {}: {}", it.clause, it.line, it.reason);
        let ending = match broken.is_empty() {
            true => "no clause breaks on the way".to_owned(),
            false => broken.iter().map(text).collect::<Vec<_>>().join("\n"),
        };
        Ok((Story::of(model, title, &trace, ending)?, broken))
    }))
}

/// Tells a course that does not reach the end.
pub(super) fn dead_end(
    model: &IggyModel,
    guide: &ScenarioGuide,
    trace: &Trace<Action>,
    title: String,
    obstacle: &str,
) -> Story {
    let ending = format!("it does not go on from here: {obstacle}");
    must(tidy_under(model, guide, trace).and_then(|trace| Story::of(model, title, &trace, ending)))
}

fn must<T>(told: Result<T, ReplayError>) -> T {
    match told {
        Ok(told) => told,
        Err(error) => unreachable!("a trace of a model under a guide can be told by them: {error}"),
    }
}

/// The first breach of each clause on the way.
fn broken_clauses(model: &IggyModel, trace: &Trace<Action>) -> Result<Vec<BrokenClause>, ReplayError> {
    let states = replay(model, trace)?;
    let mut broken: Vec<BrokenClause> = Vec::new();
    let names = ClauseName::ALL.iter().copied().filter(|name| !name.clause().liveness);
    let clauses: Vec<_> = names.zip(clauses::safety(&model.cfg)).collect();
    for (index, (action, pair)) in trace.actions.iter().zip(states.windows(2)).enumerate() {
        let facts = model.facts(&pair[0], action, &pair[1]);
        let transition = Transition { before: &pair[0], action, after: &pair[1], facts: &facts };
        for (name, clause) in &clauses {
            match clause.judge(&transition) {
                Judgement::Broken(reason) if broken.iter().all(|known| known.clause != *name) => {
                    broken.push(BrokenClause { clause: *name, line: index + 1, reason });
                }
                _ => {}
            }
        }
    }
    Ok(broken)
}

/// What does not go on in the states that get furthest: an answer that is not the demanded one, or a step that stands still.
pub(super) fn obstacle(
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
