//! Stories: traces told in words, as text and as Mermaid sequence diagrams.

mod mermaid;

use std::fmt;

use stateright::Model;

use crate::describe::{Described, Telling, Transition};
use crate::engine::Trace;
use crate::guide::{Guide, Unguided};

/// One numbered line of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryLine {
    /// Number, from 1.
    pub number: usize,
    /// What happened.
    pub telling: Telling,
}

/// A trace in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What the story is about.
    pub title: String,
    /// The steps, in order.
    pub lines: Vec<StoryLine>,
    /// Index of the line from which the rest repeats for ever; the number of lines if nothing can happen any more.
    pub loop_start: Option<usize>,
    /// How it ends.
    pub ending: String,
}

/// Why a trace cannot be replayed on a model: it was made by another model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The model has no initial state with this index.
    NoInitialState(usize),
    /// The action with this index (from 0) is not possible where the trace takes it.
    Impossible(usize),
    /// The loop does not lead back to where it starts.
    LoopIsOpen,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInitialState(index) => write!(formatter, "the model has no initial state number {}", index + 1),
            Self::Impossible(index) => {
                write!(formatter, "step {} of the trace is not possible in the model", index + 1)
            }
            Self::LoopIsOpen => write!(formatter, "the loop of the trace does not lead back to its start"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// A state of a model, and of the guide that walks along.
pub type GuidedState<M, G> = (<M as Model>::State, <G as Guide<M>>::State);

/// The states that a trace passes, the initial one first.
pub fn replay<M: Described>(model: &M, trace: &Trace<M::Action>) -> Result<Vec<M::State>, ReplayError> {
    let initial = model.init_states().into_iter().nth(trace.initial);
    let mut at = initial.ok_or(ReplayError::NoInitialState(trace.initial))?;
    let mut states = Vec::with_capacity(trace.actions.len() + 1);
    for (index, action) in trace.actions.iter().enumerate() {
        let next = model.next_state(&at, action.clone()).ok_or(ReplayError::Impossible(index))?;
        states.push(std::mem::replace(&mut at, next));
    }
    states.push(at);
    match trace.loop_start {
        Some(start) if states.get(start) != states.last() => Err(ReplayError::LoopIsOpen),
        _ => Ok(states),
    }
}

/// The same trace with each step as late as it can be: what belongs together stands together.
///
/// Two neighbouring steps change places if they can be taken in either order with the same outcome. The last step, which
/// breaks the clause, stays where it is, and so does the state before it. A lasso is left as it is.
///
/// # Errors
/// A [`ReplayError`], if the trace is not one of this model.
pub fn tidy<M: Described>(model: &M, trace: &Trace<M::Action>) -> Result<Trace<M::Action>, ReplayError>
where
    M::Action: PartialEq,
{
    tidy_under(model, &Unguided, trace)
}

/// As [`tidy`], for a trace that a guide allows: the guide allows the result, too, and ends in the same state.
///
/// # Errors
/// A [`ReplayError`], if the trace is not one of this model, or if the guide does not allow it.
pub fn tidy_under<M: Described, G: Guide<M>>(
    model: &M,
    guide: &G,
    trace: &Trace<M::Action>,
) -> Result<Trace<M::Action>, ReplayError>
where
    M::Action: PartialEq,
{
    let take = |(state, at): &GuidedState<M, G>, action: &M::Action| {
        let mut possible = Vec::new();
        model.actions(state, &mut possible);
        possible.contains(action).then(|| guided_step(model, guide, state, at, action)).flatten()
    };
    let mut states = replay_under(model, guide, trace)?;
    let mut actions = trace.actions.clone();
    if trace.loop_start.is_some() || actions.len() < 3 {
        return Ok(trace.clone());
    }
    for first in (0..actions.len() - 2).rev() {
        for at in first..actions.len() - 2 {
            let middle = take(&states[at], &actions[at + 1]);
            let after = middle.as_ref().and_then(|middle| take(middle, &actions[at]));
            match middle {
                Some(middle) if after.as_ref() == Some(&states[at + 2]) => {
                    actions.swap(at, at + 1);
                    states[at + 1] = middle;
                }
                _ => break,
            }
        }
    }
    Ok(Trace { actions, ..trace.clone() })
}

/// Where a step leads in the model and in the guide, if it is possible in both.
fn guided_step<M: Described, G: Guide<M>>(
    model: &M,
    guide: &G,
    before: &M::State,
    at: &G::State,
    action: &M::Action,
) -> Option<GuidedState<M, G>> {
    let after = model.next_state(before, action.clone())?;
    let facts = model.facts(before, action, &after);
    let at = guide.next(at, &Transition { before, action, after: &after, facts: &facts })?;
    Some((after, at))
}

/// The states of model and guide that a trace passes, the initial ones first.
///
/// # Errors
/// A [`ReplayError`], if the trace is not one of this model, or if the guide does not allow it.
pub fn replay_under<M: Described, G: Guide<M>>(
    model: &M,
    guide: &G,
    trace: &Trace<M::Action>,
) -> Result<Vec<GuidedState<M, G>>, ReplayError> {
    replay(model, trace)?;
    let initial = model.init_states().into_iter().nth(trace.initial);
    let initial = initial.ok_or(ReplayError::NoInitialState(trace.initial))?;
    let mut states = vec![(initial, guide.start())];
    for (index, action) in trace.actions.iter().enumerate() {
        let (state, at) = &states[index];
        let next = guided_step(model, guide, state, at, action).ok_or(ReplayError::Impossible(index))?;
        states.push(next);
    }
    Ok(states)
}

impl Story {
    /// Tells a trace of a model; `reason` becomes the ending.
    pub fn of<M: Described>(
        model: &M,
        title: impl Into<String>,
        trace: &Trace<M::Action>,
        reason: impl Into<String>,
    ) -> Result<Self, ReplayError> {
        let states = replay(model, trace)?;
        let tell = |(index, (action, states)): (usize, (&M::Action, &[M::State]))| {
            let (before, after) = (&states[0], &states[1]);
            let facts = model.facts(before, action, after);
            let telling = model.tell(&Transition { before, action, after, facts: &facts });
            StoryLine { number: index + 1, telling }
        };
        let lines = trace.actions.iter().zip(states.windows(2)).enumerate().map(tell).collect();
        Ok(Self { title: title.into(), lines, loop_start: trace.loop_start, ending: reason.into() })
    }

    /// The story as text in aligned columns: number, who acts, on whom, what; changes stand below their line.
    pub fn to_text(&self) -> String {
        let columns = Columns::of(&self.lines);
        let mut text = String::new();
        push_line(&mut text, &self.title);
        for (index, line) in self.lines.iter().enumerate() {
            if self.loop_start == Some(index) {
                push_line(&mut text, "from here the following repeats for ever:");
            }
            push_line(&mut text, &columns.format(line));
            for change in &line.telling.changes {
                push_line(&mut text, &format!("{}  · {change}", " ".repeat(columns.indent())));
            }
        }
        push_line(&mut text, &self.ending);
        text
    }

    /// The story as a Mermaid sequence diagram.
    pub fn to_mermaid(&self) -> String {
        mermaid::diagram(self)
    }
}

/// Adds a line without blanks at its end; an empty line is left out.
fn push_line(text: &mut String, line: &str) {
    let line = line.trim_end();
    if !line.is_empty() {
        text.push_str(line);
        text.push('\n');
    }
}

/// Widths of the columns of a story.
struct Columns {
    number: usize,
    actor: usize,
    /// With the arrow; 0 if all steps are inner ones.
    towards: usize,
}

impl Columns {
    fn of(lines: &[StoryLine]) -> Self {
        let width = |cell: fn(&Telling) -> String| {
            lines.iter().map(|line| cell(&line.telling).chars().count()).max().unwrap_or(0)
        };
        Self {
            number: lines.len().to_string().len(),
            actor: width(|telling| telling.actor.clone()),
            towards: width(arrow),
        }
    }

    /// Where the text of a line starts.
    fn indent(&self) -> usize {
        let towards = if self.towards == 0 { 0 } else { self.towards + 1 };
        2 + self.number + 2 + self.actor + 1 + towards + 1
    }

    fn format(&self, line: &StoryLine) -> String {
        let StoryLine { number, telling } = line;
        let mut text = format!("  {number:>0$}  {1:<2$} ", self.number, telling.actor, self.actor);
        if self.towards > 0 {
            text.push_str(&format!("{:<1$} ", arrow(telling), self.towards));
        }
        format!("{text} {}", telling.text)
    }
}

/// The arrow to another participant; empty for an inner step.
fn arrow(telling: &Telling) -> String {
    if telling.towards == telling.actor { String::new() } else { format!("-> {}", telling.towards) }
}
