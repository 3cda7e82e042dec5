//! Explorations of model x guide.

mod support;

use std::hash::{Hash, Hasher};

use fencepost_checker::clause::{Clause, Judgement, LivenessClause};
use fencepost_checker::describe::Transition;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::Guide;
use fencepost_checker::plain::Plain;
use support::{Graph, arc};

/// Allows only the given terms, in this order; other terms are forbidden unless `lets_others_pass`.
struct Line {
    terms: Vec<usize>,
    lets_others_pass: bool,
    stops: bool,
}

impl Guide<Graph> for Line {
    type State = usize;

    fn start(&self) -> usize {
        0
    }

    fn next(&self, at: &usize, transition: &Transition<'_, Graph>) -> Option<usize> {
        match self.terms.get(*at) {
            Some(term) if *term == transition.action.term => Some(at + 1),
            _ => self.lets_others_pass.then_some(*at),
        }
    }

    fn progress(&self, at: &usize) -> usize {
        *at
    }

    fn is_finished(&self, at: &usize) -> bool {
        *at == self.terms.len()
    }

    fn stops_when_finished(&self) -> bool {
        self.stops
    }
}

/// 0 -a-> 1 -b-> 2 -a-> 0, and 0 -b-> 3.
fn graph() -> Graph {
    Graph { initial: vec![0], arcs: vec![arc(0, 1, 0), arc(0, 3, 1), arc(1, 2, 1), arc(2, 0, 0)], fair: vec![true; 3] }
}

fn explore(guide: &Line) -> Exploration<Graph, Line> {
    let clauses = [Clause::on_state("any", |_: &Transition<'_, Graph>| Judgement::Upheld)];
    let liveness = [LivenessClause::new("never rests", 1, "rests", |_: &u8, _| true)];
    let limits = Limits::default();
    let (model, threads, progress) = (&graph(), 2, &Quiet);
    Plain.explore(&Task { model, guide, clauses: &clauses, liveness: &liveness, limits: &limits, threads, progress })
}

#[test]
fn given_a_line_that_the_model_can_follow_when_explored_should_be_finished_by_that_line() {
    let exploration = explore(&Line { terms: vec![0, 1, 0, 1], lets_others_pass: false, stops: false });
    assert_eq!(exploration.states, 5);
    assert_eq!((exploration.transitions, exploration.findings[0].exercised), (4, 4), "what is forbidden is not judged");
    assert_eq!(exploration.term_counts, [2, 2, 0]);
    let finished = exploration.finished.expect("the line is possible");
    assert_eq!(finished.actions.iter().map(|arc| arc.to).collect::<Vec<_>>(), [1, 2, 0, 3]);
    assert_eq!(exploration.finished_states, 1);
    assert_eq!(exploration.furthest.1, [(3, 4)]);
}

#[test]
fn given_a_line_that_the_model_cannot_follow_when_explored_should_tell_how_far_it_came() {
    let exploration = explore(&Line { terms: vec![0, 1, 2], lets_others_pass: false, stops: false });
    assert!(exploration.finished.is_none());
    assert_eq!(exploration.finished_states, 0);
    let (progress, states, trace) = exploration.furthest;
    assert_eq!((progress, states), (2, vec![(2, 2)]));
    assert_eq!(trace.expect("the way there").actions.len(), 2);
}

#[test]
fn given_a_guide_that_lets_others_pass_when_explored_should_keep_equal_states_of_different_progress_apart() {
    let exploration = explore(&Line { terms: vec![1], lets_others_pass: true, stops: false });
    // Progress 0: 0 and 1. Progress 1: 3 and 2, then on to 0, 1.
    assert_eq!(exploration.states, 6);
    assert_eq!(exploration.finished_states, 4);
    assert_eq!(exploration.finished.expect("b is possible").actions, [arc(0, 3, 1)]);
    assert_eq!(exploration.furthest.1, [(3, 1), (2, 1), (0, 1), (1, 1)]);
}

#[test]
fn given_a_guide_that_stops_when_finished_when_explored_should_not_look_further() {
    let exploration = explore(&Line { terms: vec![1], lets_others_pass: true, stops: true });
    assert_eq!((exploration.states, exploration.finished_states), (4, 2));
    assert!(exploration.findings[1].broken.is_none(), "a state that was not expanded is no end");
}

/// Counts steps modulo seven, in numbers that all share one hash.
struct Steps;

#[derive(Clone, PartialEq)]
struct Colliding(u8);

impl Hash for Colliding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(7);
    }
}

impl Guide<Graph> for Steps {
    type State = Colliding;

    fn start(&self) -> Colliding {
        Colliding(0)
    }

    fn next(&self, at: &Colliding, _transition: &Transition<'_, Graph>) -> Option<Colliding> {
        Some(Colliding((at.0 + 1) % 7))
    }

    fn progress(&self, at: &Colliding) -> usize {
        usize::from(at.0)
    }

    fn is_finished(&self, _at: &Colliding) -> bool {
        false
    }
}

#[test]
fn given_guide_states_that_share_one_hash_when_explored_should_tell_them_apart_by_equality() {
    let model = Graph { initial: vec![0], arcs: vec![arc(0, 1, 0), arc(1, 0, 0)], fair: vec![true] };
    let limits = Limits::default();
    let task = Task {
        model: &model,
        guide: &Steps,
        clauses: &[],
        liveness: &[],
        limits: &limits,
        threads: 1,
        progress: &Quiet,
    };
    assert_eq!(Plain.explore(&task).states, 14);
}
