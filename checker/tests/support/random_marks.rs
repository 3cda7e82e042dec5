//! Random actor models with facts about their steps, and with outcomes.

use fencepost_checker::actor_system::{ActorSystem, acting};
use fencepost_checker::describe::{Described, Telling, Transition};
use stateright::Model;
use stateright::actor::{ActorModel, ActorModelState};

use crate::model::{Action, NamedActors, RandomHistory, Rules, TableActor};

type State = ActorModelState<TableActor, RandomHistory>;

/// A fact: what the actor that acts is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub u8);

/// How many outcomes are in the vocabulary; there are more.
const OUTCOMES: usize = 6;

/// Named random actors that also state facts. Some outcomes are stated twice, some are not in the vocabulary.
pub struct Marked(pub NamedActors);

impl Model for Marked {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        self.0.init_states()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.0.actions(state, actions);
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        self.0.next_state(state, action)
    }

    fn within_boundary(&self, state: &State) -> bool {
        self.0.within_boundary(state)
    }
}

impl Described for Marked {
    type Facts = Vec<Mark>;

    fn facts(&self, before: &State, action: &Action, after: &State) -> Vec<Mark> {
        let Some(index) = acting(action) else { return Vec::new() };
        let sum = *before.actor_states[index] + *after.actor_states[index];
        let choices = after.random_choices[index].map.len() as u8;
        let timers = after.timers_set[index].iter().count() as u8;
        let storage = after.actor_storages[index].unwrap_or(0);
        vec![Mark(sum), Mark(choices + timers), Mark(storage + u8::from(after.crashed[index]))]
    }

    fn vocabulary(&self) -> Vec<String> {
        let mut names: Vec<String> = (0..OUTCOMES).map(|outcome| format!("outcome {outcome}")).collect();
        names.extend(self.0.vocabulary());
        names
    }

    fn action_term(&self, action: &Action) -> usize {
        self.0.action_term(action) + OUTCOMES
    }

    fn outcome_terms(&self, facts: &Vec<Mark>, terms: &mut Vec<usize>) {
        // Those beyond the outcomes have no place in any vocabulary.
        let term = |mark: &Mark| if usize::from(mark.0) < OUTCOMES { mark.0.into() } else { usize::MAX };
        terms.extend(facts.iter().map(term));
    }

    fn is_fair(&self, action_term: usize) -> bool {
        action_term.checked_sub(OUTCOMES).is_some_and(|term| self.0.is_fair(term))
    }

    fn tell(&self, transition: &Transition<'_, Self>) -> Telling {
        let Transition { before, action, after, .. } = *transition;
        self.0.tell(&Transition { before, action, after, facts: &() })
    }
}

impl ActorSystem for Marked {
    type Actor = TableActor;
    type Configuration = Rules;
    type History = RandomHistory;

    fn actor_model(&self) -> &ActorModel<TableActor, Rules, RandomHistory> {
        self.0.inner()
    }
}
