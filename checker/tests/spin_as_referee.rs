//! The search for executions in which something waits for ever agrees with Spin's, on random small graphs.
//!
//! `random_graphs.rs` compares with brute force, which we wrote with our own understanding of weak fairness; Spin is somebody
//! else's. `support/promela.rs` says how a graph is put to Spin. States that a guide cuts off have no counterpart there:
//! `guides.rs` tests them.

#[path = "support/graph_actor.rs"]
mod actor;
#[path = "support/promela.rs"]
mod promela;
mod support;

use std::collections::HashMap;

use fencepost_checker::clause::LivenessClause;
use fencepost_checker::compiled::Compiled;
use fencepost_checker::describe::Described;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task, Trace};
use fencepost_checker::guide::Unguided;
use fencepost_checker::liveness::{self, Edge, Edges};
use fencepost_checker::plain::Plain;
use promela::{Answer, Question, ask_spin, is_spin_there, promela};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use support::{Arc, Graph, arc};

/// How many graphs share a compilation.
const BATCH: usize = 50;

/// How often is compiled.
const BATCHES: usize = 8;

fn questions() -> impl Strategy<Value = Question> {
    (2..=8_u8, 1..=4_usize).prop_flat_map(|(states, terms)| {
        let size = usize::from(states);
        let arcs = prop::collection::vec((0..states, 0..states, 0..terms), size..=3 * size);
        let fair = prop::collection::vec(prop::bool::weighted(0.85), terms);
        let waiting = prop::sample::subsequence((0..states).collect::<Vec<u8>>(), size / 2..size);
        (arcs, fair, waiting).prop_map(|(arcs, fair, waiting)| Question {
            graph: Graph {
                initial: vec![0],
                arcs: arcs.into_iter().map(|(from, to, term)| arc(from, to, term)).collect(),
                fair,
            },
            waiting,
        })
    })
}

/// The way into something that waits for ever, if an engine finds one.
fn lasso<M: Described>(
    engine: &impl Engine<M>,
    model: &M,
    waits: impl Fn(&M::State) -> bool + Send + Sync + 'static,
) -> Option<Trace<M::Action>> {
    let liveness = [LivenessClause::new("goal", 1, "it waits for ever", move |state, _| waits(state))];
    let limits = Limits::default();
    let task = Task {
        model,
        guide: &Unguided,
        clauses: &[],
        liveness: &liveness,
        limits: &limits,
        threads: 1,
        progress: &Quiet,
    };
    Some(engine.explore(&task).findings.into_iter().next()?.broken?.trace)
}

fn by_plain(Question { graph, waiting }: &Question) -> Option<Trace<Arc>> {
    let waiting = waiting.clone();
    lasso(&Plain, graph, move |state| waiting.contains(state))
}

fn by_compiled(Question { graph, waiting }: &Question) -> bool {
    let waiting = waiting.clone();
    let waits = move |state: &actor::State| waiting.contains(&state.actor_states[0]);
    lasso(&Compiled { is_unbounded: true }, &actor::of(graph), waits).is_some()
}

/// Asks the search itself, on the reachable states in the order of a breadth-first search.
fn by_search(Question { graph, waiting }: &Question) -> bool {
    let mut found = vec![0_u8];
    let mut numbers = HashMap::from([(0_u8, 0_u32)]);
    let mut edges = Edges::new();
    let mut from = 0;
    while let Some(&state) = found.get(from) {
        for (arc, action) in graph.arcs.iter().filter(|arc| arc.from == state).zip(0..) {
            let to = *numbers.entry(arc.to).or_insert_with(|| {
                found.push(arc.to);
                found.len() as u32 - 1
            });
            edges.push(from as u32, Edge { to, term: arc.term as u32, action });
        }
        from += 1;
    }
    edges.finish(found.len() as u32);
    let waiting: Vec<bool> = found.iter().map(|state| waiting.contains(state)).collect();
    let graph = liveness::Graph { edges: &edges, fair: &graph.fair, is_cut: &|_| false };
    graph.find_lasso(&waiting, u32::MAX).is_some()
}

/// The same question with no action fair.
fn without_fairness(question: &Question) -> Question {
    let mut question = question.clone();
    question.graph.fair.fill(false);
    question
}

/// Demands that all of ours say what Spin says; gives the lasso, if there is one.
///
/// # Panics
/// If they disagree.
fn demand_agreement(question: &Question, spin: bool) -> Option<Trace<Arc>> {
    let lasso = by_plain(question);
    let ours = [("plain", lasso.is_some()), ("compiled", by_compiled(question)), ("search", by_search(question))];
    for (name, answer) in ours {
        let model = promela(std::slice::from_ref(question));
        assert_eq!(answer, spin, "whether it waits for ever, by {name} (left) and Spin (right): {question:?}\n{model}");
    }
    lasso
}

/// What Spin says to each question; asked in batches, two at a time.
fn ask_spin_in_batches(questions: &[Question]) -> Vec<Answer> {
    let ask = |half: &[Question]| -> Vec<Answer> { half.chunks(BATCH).flat_map(ask_spin).collect() };
    let (one, other) = questions.split_at(questions.len() / 2);
    std::thread::scope(|scope| {
        let one = scope.spawn(|| ask(one));
        let other = ask(other);
        let one = one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        [one, other].concat()
    })
}

#[test]
fn given_random_graphs_when_something_may_wait_for_ever_should_agree_with_spin() {
    if !is_spin_there() {
        return;
    }
    let mut runner = TestRunner::deterministic();
    let mut draw = || questions().new_tree(&mut runner).expect("a question").current();
    let questions: Vec<Question> = (0..BATCH * BATCHES).map(|_| draw()).collect();
    // Round a loop; at rest; never; never, though it could if nothing were fair.
    let mut seen = [0; 4];
    for (question, spin) in questions.iter().zip(ask_spin_in_batches(&questions)) {
        demand_agreement(&without_fairness(question), spin.without_fairness);
        match demand_agreement(question, spin.under_fairness) {
            Some(trace) if trace.loop_start < Some(trace.actions.len()) => seen[0] += 1,
            Some(_) => seen[1] += 1,
            None => {
                seen[2] += 1;
                seen[3] += usize::from(spin.without_fairness);
            }
        }
    }
    assert!(seen.iter().all(|&times| times >= questions.len() / 8), "hardly compared: {seen:?}");
}

#[test]
fn given_graphs_of_known_answer_when_put_to_spin_should_be_understood() {
    if !is_spin_there() {
        return;
    }
    // 9 is where nothing waits; terms 0 and 1.
    let known: [(&str, bool, &[Arc], [bool; 2]); 8] = [
        ("a fair exit stays possible", false, &[arc(0, 0, 0), arc(0, 9, 1)], [true, true]),
        ("the exit need not be taken", true, &[arc(0, 0, 0), arc(0, 9, 1)], [true, false]),
        ("the exit comes and goes", true, &[arc(0, 1, 0), arc(1, 0, 0), arc(0, 9, 1)], [true, true]),
        ("there is an exit everywhere", false, &[arc(0, 1, 0), arc(1, 0, 0), arc(0, 9, 1), arc(1, 9, 1)], [true, true]),
        ("one action leads round or out", true, &[arc(0, 0, 0), arc(0, 9, 0)], [true, true]),
        ("a dead end", true, &[arc(0, 1, 0)], [true, true]),
        ("rest, since nothing has to be done", true, &[arc(0, 9, 1)], [true, false]),
        ("the way out is the only way", false, &[arc(0, 1, 0), arc(1, 9, 1)], [true, true]),
    ];
    let questions = known.map(|(_, _, arcs, fair)| Question {
        graph: Graph { initial: vec![0], arcs: arcs.to_vec(), fair: fair.to_vec() },
        waiting: (0..9).collect(),
    });
    for ((name, under_fairness, ..), answer) in known.into_iter().zip(ask_spin(&questions)) {
        assert_eq!(answer, Answer { under_fairness, without_fairness: true }, "{name}");
    }
}
