//! The distributed engine tells the same as the referee, whatever the number of processes. Here each process is a thread: they are
//! connected by TCP, and share nothing.

#[path = "support/random_judges.rs"]
mod judges;
#[path = "support/random_marks.rs"]
mod marks;
#[path = "support/random_actors.rs"]
mod model;
#[path = "support/same_answers.rs"]
mod same;

use std::net::TcpListener;
use std::time::Duration;

use fencepost_checker::clause::Clause;
use fencepost_checker::compiled::distributed::{Cluster, ConnectError, Distributed, Places};
use fencepost_checker::engine::{Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use judges::{Judges, judges};
use marks::Marked;
use model::{Recipe, recipes};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use same::{Question, difference, text_without_guide};

const PATIENCE: Duration = Duration::from_secs(20);

/// A system, the clauses that are judged, and when to stop.
struct Case {
    system: Marked,
    clauses: Vec<Clause<Marked>>,
    limits: Limits,
    is_unbounded: bool,
}

fn cases(size: usize) -> Vec<Case> {
    let states = prop_oneof![1 => 0..20_u64, 6 => 20..300_u64, 3 => 300..3_000_u64];
    let limits = (states, prop::option::weighted(0.3, 0..8_u32));
    let (mut runner, cases) = (TestRunner::deterministic(), (recipes(), judges(), limits));
    let case = |(recipe, judges, (states, max_depth)): (Recipe, Judges, (u64, Option<u32>))| Case {
        clauses: judges.clauses(recipe.tables.len()),
        is_unbounded: recipe.rules.is_unbounded,
        system: Marked(recipe.named()),
        limits: Limits { max_states: Some(states), max_depth, ..Limits::default() },
    };
    (0..size).map(|_| case(cases.new_tree(&mut runner).expect("nothing is filtered").current())).collect()
}

/// Has each of some processes do something.
fn in_processes<T: Send>(processes: usize, work: impl Fn(&Cluster) -> T + Sync) -> Vec<T> {
    let listener = || TcpListener::bind("127.0.0.1:0").expect("a free port");
    let listeners: Vec<TcpListener> = (0..processes).map(|_| listener()).collect();
    let addresses: Vec<_> = listeners.iter().map(|listener| listener.local_addr().expect("an address")).collect();
    std::thread::scope(|scope| {
        let start = |(process, listener)| {
            let places = Places { addresses: addresses.clone(), process, watchword: "the same".to_owned() };
            let work = &work;
            scope.spawn(move || work(&Cluster::connect(&places, Some(listener), PATIENCE).expect("all come")))
        };
        let threads: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn given_random_actors_when_explored_by_several_processes_should_be_told_alike() {
    let cases = cases(300);
    let expected: Vec<String> = cases
        .iter()
        .map(|Case { system, clauses, limits, is_unbounded }| {
            let is_unbounded = *is_unbounded;
            let question = Question { system, clauses, liveness: &[], limits, is_unbounded };
            text_without_guide(question.ask(&Plain, &Unguided, 1))
        })
        .collect();
    for processes in [1, 2, 3] {
        let told = in_processes(processes, |cluster| {
            let explore = |Case { system, clauses, limits, is_unbounded }: &Case| {
                let engine = Distributed { cluster, is_unbounded: *is_unbounded };
                let (guide, liveness) = (&Unguided, &[]);
                let task = Task { model: system, guide, clauses, liveness, limits, threads: 1, progress: &Quiet };
                text_without_guide(engine.explore(&task))
            };
            cases.iter().map(explore).collect::<Vec<_>>()
        });
        for (process, told) in told.iter().enumerate() {
            for (case, (expected, told)) in expected.iter().zip(told).enumerate() {
                assert!(
                    expected == told,
                    "case {case}, process {process} of {processes}: {}",
                    difference(expected, told)
                );
            }
        }
    }
}

#[test]
fn given_processes_with_other_watchwords_when_they_meet_should_not_explore_together() {
    let listeners: Vec<TcpListener> = (0..2).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let addresses: Vec<_> = listeners.iter().map(|listener| listener.local_addr().expect("an address")).collect();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let start = |(process, listener)| {
            let places = Places { addresses: addresses.clone(), process, watchword: format!("word {process}") };
            scope.spawn(move || Cluster::connect(&places, Some(listener), Duration::from_secs(2)).err())
        };
        let threads: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(matches!(outcomes[0], Some(ConnectError::Absent(1))), "{:?}", outcomes[0]);
    assert!(matches!(outcomes[1], Some(ConnectError::Different(0))), "{:?}", outcomes[1]);
}
