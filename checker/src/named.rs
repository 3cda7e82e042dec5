//! Names for models that have none, so that any Stateright model can be tried on our engines.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use stateright::actor::{Actor, ActorModel};
use stateright::{Expectation, Model};

use crate::clause::{Clause, Judgement};
use crate::describe::{Described, Telling, Transition};
use crate::engine::{Engine, Limits, Quiet, Task};
use crate::guide::Unguided;
use crate::plain::Plain;

/// The term of actions whose name is not in the vocabulary.
pub const OTHER: &str = "other";

type NameOf<A> = Box<dyn Fn(&A) -> String + Send + Sync>;

/// A model whose actions get names from a function: one term a name, no outcomes, all actions fair unless said otherwise.
pub struct Named<M: Model> {
    model: Arc<M>,
    vocabulary: Vec<String>,
    is_fair: Vec<bool>,
    name_of: NameOf<M::Action>,
}

impl<M: Model> Named<M> {
    /// A model whose actions are named by `name_of`; names outside of `names` count as [`OTHER`].
    pub fn new<N: Into<String>>(
        model: M,
        names: impl IntoIterator<Item = N>,
        name_of: impl Fn(&M::Action) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::of(Arc::new(model), names, name_of)
    }

    fn of<N: Into<String>>(
        model: Arc<M>,
        names: impl IntoIterator<Item = N>,
        name_of: impl Fn(&M::Action) -> String + Send + Sync + 'static,
    ) -> Self {
        let mut vocabulary: Vec<String> = names.into_iter().map(Into::into).collect();
        if !vocabulary.iter().any(|name| name == OTHER) {
            vocabulary.push(OTHER.to_owned());
        }
        let is_fair = vec![true; vocabulary.len()];
        Self { model, vocabulary, is_fair, name_of: Box::new(name_of) }
    }

    /// A model whose actions are named by the first word of their debug text.
    pub fn from_debug<N: Into<String>>(model: M, names: impl IntoIterator<Item = N>) -> Self
    where
        M::Action: Debug + 'static,
    {
        Self::new(model, names, first_word)
    }

    /// As [`Named::from_debug`], with the names that an exploration within `limits` comes across, in alphabetical order.
    pub fn discover(model: M, limits: &Limits) -> Self
    where
        M: Send + Sync,
        M::State: Clone + Hash + PartialEq + Send + Sync,
        M::Action: Clone + Debug + Send + Sync + 'static,
    {
        let names = Arc::new(Mutex::new(BTreeSet::new()));
        let collected = Arc::clone(&names);
        let nameless = Self::new(model, [OTHER], move |action| {
            collected.lock().unwrap_or_else(PoisonError::into_inner).insert(first_word(action));
            OTHER.to_owned()
        });
        Plain.explore(&Task {
            model: &nameless,
            guide: &Unguided,
            clauses: &[],
            liveness: &[],
            limits,
            threads: 1,
            progress: &Quiet,
        });
        let names = std::mem::take(&mut *names.lock().unwrap_or_else(PoisonError::into_inner));
        Self::of(nameless.model, names, first_word)
    }

    /// Exempts the actions with these names from weak fairness.
    pub fn with_unfair(mut self, names: &[&str]) -> Self {
        for (name, is_fair) in self.vocabulary.iter().zip(&mut self.is_fair) {
            *is_fair &= !names.contains(&name.as_str());
        }
        self
    }

    /// The model itself.
    pub fn inner(&self) -> &M {
        &self.model
    }

    /// The model's own properties as clauses, and the names of those that are none: what must hold `eventually` is no matter of
    /// one transition, and is checked as a [`LivenessClause`](crate::clause::LivenessClause).
    ///
    /// An `always` property is broken by the first transition that leads to a state without it (by any transition, if it does
    /// not hold initially); a `sometimes` property is upheld by a transition that leads to a state with it, so that it is
    /// vacuous if there is none. They read whole states, so an engine can remember nothing of what they say.
    pub fn properties(&self) -> (Vec<Clause<Self>>, Vec<&'static str>)
    where
        Self: Described<State = M::State>,
        M: Send + Sync + 'static,
    {
        let (mut clauses, mut others) = (Vec::new(), Vec::new());
        for property in self.model.properties() {
            let (model, holds) = (Arc::clone(&self.model), property.condition);
            let initially = self.model.init_states().iter().all(|state| holds(&model, state));
            match property.expectation {
                Expectation::Eventually => others.push(property.name),
                Expectation::Always => clauses.push(Clause::on_state(property.name, move |step| {
                    if initially && holds(&model, step.after) {
                        Judgement::Upheld
                    } else {
                        Judgement::Broken(
                            if initially { "it does not hold" } else { "it does not hold initially" }.into(),
                        )
                    }
                })),
                Expectation::Sometimes => clauses.push(Clause::on_state(property.name, move |step| {
                    if holds(&model, step.after) { Judgement::Upheld } else { Judgement::Silent }
                })),
            }
        }
        (clauses, others)
    }
}

impl<A, C, H> Named<ActorModel<A, C, H>>
where
    A: Actor<Msg: Ord + 'static, Timer: Ord + 'static, Random: 'static>,
    H: Clone + Debug + Hash,
{
    /// An actor model whose actions are named by their kinds.
    pub fn actors(model: ActorModel<A, C, H>) -> Self {
        Self::from_debug(model, ["Deliver", "Drop", "Timeout", "Crash", "Recover", "SelectRandom"])
    }
}

/// The first word of the debug text.
fn first_word(action: &impl Debug) -> String {
    let text = format!("{action:?}");
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '-';
    let word: String =
        text.trim_start_matches(|character| !is_part(character)).chars().take_while(|&c| is_part(c)).collect();
    if word.is_empty() { OTHER.to_owned() } else { word }
}

impl<M: Model> Model for Named<M> {
    type State = M::State;
    type Action = M::Action;

    fn init_states(&self) -> Vec<Self::State> {
        self.model.init_states()
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>) {
        self.model.actions(state, actions);
    }

    fn next_state(&self, last_state: &Self::State, action: Self::Action) -> Option<Self::State> {
        self.model.next_state(last_state, action)
    }

    fn within_boundary(&self, state: &Self::State) -> bool {
        self.model.within_boundary(state)
    }
}

impl<M> Described for Named<M>
where
    M: Model + Send + Sync,
    M::State: Clone + Hash + PartialEq + Send + Sync,
    M::Action: Clone + Debug + Send + Sync,
{
    type Facts = ();

    fn facts(&self, _before: &Self::State, _action: &Self::Action, _after: &Self::State) {}

    fn vocabulary(&self) -> Vec<String> {
        self.vocabulary.clone()
    }

    fn action_term(&self, action: &Self::Action) -> usize {
        let place = |name: &str| self.vocabulary.iter().position(|known| known == name);
        place(&(self.name_of)(action)).or_else(|| place(OTHER)).unwrap_or(0)
    }

    fn outcome_terms(&self, _facts: &(), _terms: &mut Vec<usize>) {}

    fn is_fair(&self, action_term: usize) -> bool {
        self.is_fair.get(action_term).copied().unwrap_or(false)
    }

    fn tell(&self, transition: &Transition<'_, Self>) -> Telling {
        let name = "model".to_owned();
        let text = self.model.format_action(transition.action);
        Telling { actor: name.clone(), towards: name, text, changes: Vec::new() }
    }
}
