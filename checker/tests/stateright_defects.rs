//! Small models of known answer on which Stateright's own engines (0.31.0) go wrong. Its numbers are pinned here as the
//! documentation of why the verdict must not come from it; if one changes, Stateright was probably repaired.

mod support;

use std::borrow::Cow;
use std::time::Duration;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::engine::Limits;
use fencepost_checker::named::Named;
use stateright::actor::{Actor, ActorModel, Id, Network, Out, model_timeout};
use stateright::util::HashableHashSet;
use stateright::{Checker, Model, Property};
use support::{arc, explore, explore_with, judge_liveness};

/// Sets to which elements are added one by one.
#[derive(Clone)]
struct GrowingSets<const SETS: usize> {
    elements: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Insert {
    set: usize,
    element: u8,
}

impl<const SETS: usize> Model for GrowingSets<SETS> {
    // An array feeds its elements to the hasher one after the other, just as neighbouring fields are.
    type State = [HashableHashSet<u8>; SETS];
    type Action = Insert;

    fn init_states(&self) -> Vec<Self::State> {
        vec![std::array::from_fn(|_| HashableHashSet::new())]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Insert>) {
        for (set, members) in state.iter().enumerate() {
            let missing = (0..self.elements).filter(|element| !members.contains(element));
            actions.extend(missing.map(|element| Insert { set, element }));
        }
    }

    fn next_state(&self, state: &Self::State, action: Insert) -> Option<Self::State> {
        let mut state = state.clone();
        state[action.set].insert(action.element);
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("true", |_, _| true)]
    }
}

#[test]
fn given_two_neighbouring_hash_sets_when_explored_should_find_all_256_states() {
    let model = GrowingSets::<2> { elements: 4 };
    assert_eq!(explore(&Named::from_debug(model.clone(), ["Insert"])).states, 256);
    assert_eq!(model.checker().spawn_bfs().join().unique_state_count(), 224, "Stateright takes 32 states for others");
}

#[test]
fn given_three_neighbouring_hash_sets_when_explored_should_find_all_512_states() {
    let model = GrowingSets::<3> { elements: 3 };
    assert_eq!(explore(&Named::from_debug(model.clone(), ["Insert"])).states, 512);
    assert_eq!(model.checker().spawn_bfs().join().unique_state_count(), 326, "Stateright takes 186 states for others");
}

/// An actor with a timer that fires once.
struct OneShot;

impl Actor for OneShot {
    type Msg = ();
    type State = ();
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _id: Id, _storage: &Option<()>, out: &mut Out<Self>) {
        out.set_timer((), model_timeout());
    }

    fn on_timeout(&self, _id: Id, _state: &mut Cow<()>, _timer: &(), _out: &mut Out<Self>) {}
}

fn one_shot_timers(actors: usize) -> ActorModel<OneShot, (), ()> {
    ActorModel::new((), ())
        .actors((0..actors).map(|_| OneShot))
        .init_network(Network::new_unordered_nonduplicating([]))
        .property(stateright::Expectation::Always, "true", |_, _| true)
}

#[test]
fn given_actors_with_one_shot_timers_when_explored_should_find_every_set_of_timers() {
    for (actors, stateright) in [(2, 3), (3, 4), (4, 5)] {
        let reference = one_shot_timers(actors).checker().spawn_bfs().join();
        assert_eq!(reference.unique_state_count(), stateright, "Stateright, {actors} actors");
        let model = Named::from_debug(one_shot_timers(actors), ["Timeout"]);
        let exploration = explore(&model);
        assert_eq!(exploration.states, 1 << actors, "{actors} actors");
        assert_eq!(exploration.term_counts, [exploration.transitions, 0], "timeouts only");
    }
}

/// Counts up to 100; a shortcut leads from 1 to 60.
#[derive(Clone)]
struct Ladder;

impl Model for Ladder {
    type State = u32;
    type Action = u32;

    fn init_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, actions: &mut Vec<u32>) {
        if *state < 100 {
            actions.push(state + 1);
        }
    }

    fn next_state(&self, _state: &u32, to: u32) -> Option<u32> {
        Some(to)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("below three", |_, state| *state < 3),
            Property::sometimes("never true", |_, state| *state == 1_000),
        ]
    }
}

#[test]
fn given_an_open_second_property_when_explored_should_still_report_the_shortest_breach() {
    let below_three = Clause::on_state("below three", |transition: &_| {
        let transition: &fencepost_checker::describe::Transition<'_, Named<Ladder>> = transition;
        if *transition.after < 3 { Judgement::Upheld } else { Judgement::Broken("three or more".to_owned()) }
    });
    let never = Clause::on_state("never exercised", |_: &_| Judgement::Silent);
    let model = Named::from_debug(Ladder, ["1"]);
    let exploration = explore_with(&model, &[below_three, never], &[], &Limits::default(), 1);
    let breach = exploration.findings[0].broken.as_ref().expect("three is reached");
    assert_eq!(breach.trace.actions, [1, 2, 3]);
    assert_eq!(exploration.states, 101, "exploration goes on after a breach");

    let reference = Ladder.checker().spawn_bfs().join();
    let steps = reference.discovery("below three").expect("three is reached").into_actions().len();
    assert_eq!(steps, 100, "Stateright keeps overwriting the shortest one");
}

#[test]
fn given_a_model_without_properties_when_explored_should_explore_it_all() {
    #[derive(Clone)]
    struct Count;
    impl Model for Count {
        type State = u32;
        type Action = u32;
        fn init_states(&self) -> Vec<u32> {
            vec![0]
        }
        fn actions(&self, state: &u32, actions: &mut Vec<u32>) {
            actions.extend((*state < 1_000).then_some(state + 1));
        }
        fn next_state(&self, _state: &u32, to: u32) -> Option<u32> {
            Some(to)
        }
    }
    assert_eq!(explore(&Named::from_debug(Count, ["1"])).states, 1_001);
    let reference = Count.checker().timeout(Duration::from_secs(10)).spawn_bfs().join();
    assert_eq!(reference.unique_state_count(), 1, "Stateright has nothing to look for");
}

/// Two states that lead to each other, and a goal that nothing leads to.
#[derive(Clone)]
struct Cycle;

impl Model for Cycle {
    type State = u8;
    type Action = u8;

    fn init_states(&self) -> Vec<u8> {
        vec![0]
    }

    fn actions(&self, state: &u8, actions: &mut Vec<u8>) {
        actions.push(1 - state);
    }

    fn next_state(&self, _state: &u8, to: u8) -> Option<u8> {
        Some(to)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::eventually("goal", |_, state| *state == 2)]
    }
}

#[test]
fn given_a_cycle_that_avoids_the_goal_when_judged_should_find_a_lasso() {
    let exploration = judge_liveness(&Named::from_debug(Cycle, ["0", "1"]), |state| *state != 2);
    let breach = exploration.findings[0].broken.as_ref().expect("the goal is never reached");
    assert_eq!(breach.trace.actions, [1, 0]);
    assert_eq!(breach.trace.loop_start, Some(0));
    let reference = Cycle.checker().spawn_bfs().join();
    assert!(reference.discovery("goal").is_none(), "Stateright looks at paths without cycles only");
}

#[test]
fn given_a_join_that_avoids_the_goal_when_judged_should_find_the_way_around_it() {
    // 0 -> 1 (goal) -> 3 and 0 -> 2 -> 3: the obligation is remembered in the state, as it must be.
    let arcs = vec![arc(0, 1, 0), arc(0, 2, 0), arc(1, 13, 0), arc(2, 3, 0)];
    let graph = support::Graph { initial: vec![0], arcs, fair: vec![true] };
    let exploration = judge_liveness(&graph, |state| ![1, 13].contains(state));
    let breach = exploration.findings[0].broken.as_ref().expect("the way over 2 misses the goal");
    assert_eq!(breach.trace.actions.iter().map(|arc| arc.to).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(breach.trace.loop_start, Some(2), "nothing can happen in 3");
}
