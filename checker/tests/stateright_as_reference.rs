//! Where Stateright's own engine (0.31.0) can be trusted it finds as many states as ours. Where it finds fewer, one of its
//! defects explains it: states that feed every hasher the same.

#[path = "support/random_actors.rs"]
mod model;
#[path = "support/same_answers.rs"]
mod same;

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

use fencepost_checker::engine::Limits;
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use model::{Change, Order, Recipe, Wires, recipes};
use proptest::prelude::*;
use same::Question;
use stateright::actor::{Actor, ActorModel, Id, Network, Out, model_timeout};
use stateright::{Checker, Expectation, Model};

/// What each of some actors waits for, once.
#[derive(Clone, Copy, Debug)]
enum Once {
    /// A time-out.
    Timer,
    /// A choice.
    Choice,
}

impl Actor for Once {
    type Msg = ();
    type State = ();
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _id: Id, _storage: &Option<()>, out: &mut Out<Self>) {
        match self {
            Self::Timer => out.set_timer((), model_timeout()),
            Self::Choice => out.choose_random("choice", vec![()]),
        }
    }

    fn on_timeout(&self, _id: Id, _state: &mut Cow<'_, ()>, _timer: &(), _out: &mut Out<Self>) {}

    fn on_random(&self, _id: Id, _state: &mut Cow<'_, ()>, _random: &(), _out: &mut Out<Self>) {}
}

fn actors_that_wait(once: Once, actors: usize) -> ActorModel<Once, (), ()> {
    ActorModel::new((), ())
        .actors((0..actors).map(|_| once))
        .init_network(Network::new_unordered_nonduplicating([]))
        .property(Expectation::Always, "true", |_, _| true)
}

/// Writes down what a value feeds to a hasher.
#[derive(Default)]
struct Tape(Vec<u8>);

impl Tape {
    fn of(value: &impl Hash) -> Vec<u8> {
        let mut tape = Self::default();
        value.hash(&mut tape);
        tape.0
    }
}

impl Hasher for Tape {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// All states of a model, told apart by equality.
fn reachable<M: Model<State: Clone + Debug + PartialEq>>(model: &M) -> Vec<M::State> {
    let (mut states, mut actions, mut place) = (model.init_states(), Vec::new(), 0);
    while let Some(state) = states.get(place).cloned() {
        model.actions(&state, &mut actions);
        for next in actions.drain(..).filter_map(|action| model.next_state(&state, action)) {
            if !states.contains(&next) {
                states.push(next);
            }
        }
        place += 1;
    }
    states
}

#[test]
fn given_actors_that_each_wait_once_when_counted_should_differ_by_the_states_that_hash_alike() {
    for once in [Once::Timer, Once::Choice] {
        for (actors, ours, stateright) in [(2, 4, 3), (3, 8, 4), (4, 16, 5)] {
            let model = actors_that_wait(once, actors);
            let states = reachable(&model);
            let tapes: HashSet<Vec<u8>> = states.iter().map(Tape::of).collect();
            assert_eq!((states.len(), tapes.len()), (ours, stateright), "{once:?}, {actors} actors");
            let (system, limits) = (Named::from_debug(model, ["Timeout", "SelectRandom"]), Limits::default());
            let question =
                Question { system: &system, clauses: &[], liveness: &[], limits: &limits, is_unbounded: true };
            assert_eq!(question.told(&Unguided).states, ours as u64, "{once:?}, {actors} actors");
            let bfs = actors_that_wait(once, actors).checker().spawn_bfs().join().unique_state_count();
            let dfs = actors_that_wait(once, actors).checker().spawn_dfs().join().unique_state_count();
            assert_eq!((bfs, dfs), (stateright, stateright), "{once:?}, {actors} actors");
        }
    }
}

/// The same actors without timers and choices; and, unless messages stay in the network anyway, such that nobody can send for
/// ever: an actor sends when its state grows, and its storage is its state.
fn finite(mut recipe: Recipe) -> Recipe {
    let is_finite = recipe.wires == Wires::Duplicating;
    recipe.tables.truncate(3);
    for table in &mut recipe.tables {
        for reaction in table.starts.iter_mut().chain(&mut table.reactions) {
            reaction.orders.retain(|order| matches!(order, Order::Send(..) | Order::Save(_)));
        }
        if is_finite {
            continue;
        }
        let first = if let Change::To(state) = table.starts[0].change { state } else { 0 };
        table.starts[0].orders.push(Order::Save(first));
        for (storage, reaction) in (0..).zip(&mut table.starts[1..]) {
            (reaction.change, reaction.orders) = (Change::To(storage), Vec::new());
        }
        table.for_each_state(|state, reaction| match reaction.change {
            Change::To(next) if next > state => reaction.orders.push(Order::Save(next)),
            Change::To(_) => (reaction.change, reaction.orders) = (Change::Equal, Vec::new()),
            Change::Untouched | Change::Equal => reaction.orders.clear(),
        });
    }
    recipe
}

/// More states than any of these models may have, so that Stateright, which keeps the way to each, does not take too long.
const MOST_STATES: u64 = 3_000;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn given_finite_actors_without_timers_and_choices_when_counted_should_agree_with_stateright(any in recipes()) {
        let recipe = finite(any);
        let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
        let (system, is_unbounded) = (recipe.named(), recipe.rules.is_unbounded);
        let question = Question { system: &system, clauses: &[], liveness: &[], limits: &limits, is_unbounded };
        let told = question.compare(&Unguided).map_err(TestCaseError::fail)?;
        prop_assume!(told.stopped.is_none());
        let reference = recipe.actors().checker().spawn_dfs().join();
        prop_assert_eq!(reference.unique_state_count() as u64, told.states);
        let starts = told.states_per_level.first().copied().unwrap_or(0);
        prop_assert_eq!(reference.state_count() as u64, told.transitions + starts, "transitions");
    }
}

#[test]
fn given_a_sample_of_finite_actors_when_explored_should_mostly_be_neither_tiny_nor_too_large() {
    use proptest::strategy::ValueTree;
    let (mut runner, strategy) = (proptest::test_runner::TestRunner::deterministic(), recipes());
    let (mut tiny, mut fair, mut large) = ([0; 3], [0; 3], [0; 3]);
    for _ in 0..300 {
        let recipe = finite(strategy.new_tree(&mut runner).expect("nothing is filtered").current());
        let limits = Limits { max_states: Some(MOST_STATES), ..Limits::default() };
        let system = recipe.named();
        let question = Question { system: &system, clauses: &[], liveness: &[], limits: &limits, is_unbounded: false };
        let states = question.ask(&fencepost_checker::plain::Plain, &Unguided, 1).states;
        let counts = if states < 10 {
            &mut tiny
        } else if states < MOST_STATES {
            &mut fair
        } else {
            &mut large
        };
        counts[recipe.wires as usize] += 1;
    }
    println!("by network: tiny {tiny:?}, fair {fair:?}, large {large:?}");
    assert!(fair.iter().all(|count| *count > 20), "{tiny:?} {fair:?} {large:?}");
}
