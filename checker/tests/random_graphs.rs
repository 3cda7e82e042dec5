//! Random small graphs, on which everything can be found out by brute force.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use fencepost_checker::clause::{Clause, Judgement, LivenessClause};
use fencepost_checker::describe::Transition;
use fencepost_checker::engine::{Limits, Trace};
use fencepost_checker::story::replay;
use proptest::prelude::*;
use support::{Arc, Graph, arc, explore_with};

const STATES: u8 = 9;
const TERMS: usize = 3;

fn graphs() -> impl Strategy<Value = Graph> {
    let arcs = prop::collection::vec((0..STATES, 0..STATES, 0..TERMS), 0..22);
    let fair = prop::collection::vec(any::<bool>(), TERMS);
    (prop::collection::vec(0..STATES, 1..3), arcs, fair).prop_map(|(initial, arcs, fair)| Graph {
        initial,
        arcs: arcs.into_iter().map(|(from, to, term)| arc(from, to, term)).collect(),
        fair,
    })
}

/// The reachable states, by depth-first search.
fn reachable(graph: &Graph) -> BTreeSet<u8> {
    let mut known = BTreeSet::new();
    let mut open = graph.initial.clone();
    while let Some(state) = open.pop() {
        if known.insert(state) {
            open.extend(graph.arcs.iter().filter(|arc| arc.from == state).map(|arc| arc.to));
        }
    }
    known
}

/// The least number of steps to each reachable state, by relaxing all edges until nothing changes.
fn distances(graph: &Graph) -> BTreeMap<u8, usize> {
    let mut distances: BTreeMap<u8, usize> = graph.initial.iter().map(|state| (*state, 0)).collect();
    loop {
        let before = distances.clone();
        for arc in &graph.arcs {
            if let Some(distance) = distances.get(&arc.from).map(|distance| distance + 1) {
                let known = distances.entry(arc.to).or_insert(distance);
                *known = distance.min(*known);
            }
        }
        if distances == before {
            return distances;
        }
    }
}

/// The least number of steps after which a fair execution can stay in `waiting` for ever, if there is one: tries every set
/// of states as the set visited again and again.
fn steps_to_wait_for_ever(graph: &Graph, waiting: &BTreeSet<u8>) -> Option<usize> {
    let distances = distances(graph);
    let states: Vec<u8> = reachable(graph).intersection(waiting).copied().collect();
    let is_member = |bits: u32, index: usize| bits & (1 << index) != 0;
    let sets = (1_u32..1 << states.len()).map(|bits| -> BTreeSet<u8> {
        states.iter().enumerate().filter(|(index, _)| is_member(bits, *index)).map(|(_, state)| *state).collect()
    });
    let fair = sets.filter(|inside| is_fair_for_ever(graph, inside));
    fair.filter_map(|inside| inside.iter().map(|state| distances[state]).min()).min()
}

/// Whether an execution that visits exactly these states again and again can be fair.
fn is_fair_for_ever(graph: &Graph, inside: &BTreeSet<u8>) -> bool {
    let leaving = |state: u8| graph.arcs.iter().filter(move |arc| arc.from == state);
    let internal: Vec<&Arc> =
        graph.arcs.iter().filter(|a| inside.contains(&a.from) && inside.contains(&a.to)).collect();
    // An execution may rest where no fair action is possible.
    if inside.len() == 1 && inside.iter().all(|state| leaving(*state).all(|arc| !graph.fair[arc.term])) {
        return true;
    }
    if internal.is_empty() {
        return false;
    }
    let mut connected: BTreeSet<(u8, u8)> = internal.iter().map(|arc| (arc.from, arc.to)).collect();
    for middle in inside {
        let into: Vec<u8> = connected.iter().filter(|(_, to)| to == middle).map(|(from, _)| *from).collect();
        let out: Vec<u8> = connected.iter().filter(|(from, _)| from == middle).map(|(_, to)| *to).collect();
        connected.extend(into.iter().flat_map(|from| out.iter().map(move |to| (*from, *to))));
    }
    let is_connected = inside.iter().all(|from| inside.iter().all(|to| connected.contains(&(*from, *to))));
    let is_fair = |term: usize| {
        let is_taken = internal.iter().any(|arc| arc.term == term);
        is_taken || inside.iter().any(|state| leaving(*state).all(|arc| arc.term != term))
    };
    is_connected && (0..TERMS).filter(|term| graph.fair[*term]).all(is_fair)
}

/// Asserts that a lasso is a fair execution that waits for ever.
fn assert_lasso(graph: &Graph, trace: &Trace<Arc>, waiting: &BTreeSet<u8>) {
    let states = replay(graph, trace).expect("the lasso replays");
    let start = trace.loop_start.expect("a lasso has a loop");
    let inside = &states[start..];
    assert!(inside.iter().all(|state| waiting.contains(state)), "the loop waits");
    let leaving = |state: u8| graph.arcs.iter().filter(move |arc| arc.from == state);
    if start == trace.actions.len() {
        assert!(
            leaving(states[start]).all(|arc| !graph.fair[arc.term]),
            "an execution rests where nothing fair is possible"
        );
    }
    for term in (0..TERMS).filter(|term| graph.fair[*term]) {
        let is_taken = trace.actions[start..].iter().any(|arc| arc.term == term);
        let is_disabled = inside.iter().any(|state| leaving(*state).all(|arc| arc.term != term));
        assert!(is_taken || is_disabled, "the loop is fair to term {term}");
    }
}

fn avoid(target: u8) -> Clause<Graph> {
    Clause::on_state("avoid", move |transition: &Transition<'_, Graph>| {
        if *transition.after == target { Judgement::Broken("reached".to_owned()) } else { Judgement::Upheld }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn given_any_graph_when_explored_should_find_what_a_naive_search_finds(graph in graphs()) {
        let exploration = explore_with(&graph, &[], &[], &Limits::default(), 1);
        let reachable = reachable(&graph);
        prop_assert_eq!(exploration.states, reachable.len() as u64);
        let executed = graph.arcs.iter().filter(|arc| reachable.contains(&arc.from)).count();
        prop_assert_eq!(exploration.transitions, executed as u64);
        let distances = distances(&graph);
        let at = |depth| distances.values().filter(|distance| **distance == depth).count() as u64;
        let levels: Vec<u64> = (0..=exploration.depth as usize).map(at).collect();
        prop_assert_eq!(exploration.states_per_level, levels);
    }

    #[test]
    fn given_any_graph_and_target_when_judged_should_break_in_as_few_steps_as_possible(graph in graphs(), target in 0..STATES) {
        let exploration = explore_with(&graph, &[avoid(target)], &[], &Limits::default(), 1);
        let distances = distances(&graph);
        // A breach is a transition, so an initial target must be reached once more.
        let arcs = graph.arcs.iter().filter(|arc| arc.to == target);
        let shortest = arcs.filter_map(|arc| distances.get(&arc.from)).min().map(|distance| distance + 1);
        let found = exploration.findings[0].broken.as_ref().map(|breach| breach.trace.actions.len());
        prop_assert_eq!(found, shortest);
        if let Some(breach) = &exploration.findings[0].broken {
            let states = replay(&graph, &breach.trace).expect("the breach replays");
            prop_assert_eq!(states.last(), Some(&target));
        }
    }

    #[test]
    fn given_any_graph_and_waiting_states_when_judged_should_agree_with_brute_force(
        graph in graphs(),
        waiting in prop::collection::btree_set(0..STATES, 0..usize::from(STATES)),
    ) {
        let set = waiting.clone();
        let clause = LivenessClause::new("goal", 1, "waits", move |state: &u8, _| set.contains(state));
        let exploration = explore_with(&graph, &[], &[clause], &Limits::default(), 1);
        let finding = &exploration.findings[0];
        prop_assert_eq!(finding.exercised, reachable(&graph).intersection(&waiting).count() as u64);
        let stem = finding.broken.as_ref().and_then(|breach| breach.trace.loop_start);
        prop_assert_eq!(stem, steps_to_wait_for_ever(&graph, &waiting));
        if let Some(breach) = &finding.broken {
            assert_lasso(&graph, &breach.trace, &waiting);
        }
    }
}
