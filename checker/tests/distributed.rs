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
use std::path::Path;
use std::time::Duration;

use fencepost_checker::archive::Archive;
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

impl Case {
    fn engine<'c>(&self, cluster: &'c Cluster) -> Distributed<'c> {
        Distributed { cluster, is_unbounded: self.is_unbounded }
    }

    fn task<'t>(&'t self, limits: &'t Limits) -> Task<'t, Marked, Unguided> {
        let Self { system, clauses, .. } = self;
        Task { model: system, guide: &Unguided, clauses, liveness: &[], limits, threads: 1, progress: &Quiet }
    }
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
            scope.spawn(move || {
                let cluster = Cluster::connect(&places, Some(listener), PATIENCE).expect("all come");
                let result = work(&cluster);
                cluster.finish();
                result
            })
        };
        let threads: Vec<_> = listeners.into_iter().enumerate().map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn given_random_actors_when_explored_by_several_processes_should_be_told_alike() {
    let cases = cases(300);
    let expected = expected(&cases);
    for processes in [1, 2, 3] {
        let told = in_processes(processes, |cluster| {
            let tell = |case: &Case| text_without_guide(case.engine(cluster).explore(&case.task(&case.limits)));
            cases.iter().map(tell).collect::<Vec<_>>()
        });
        compare(&expected, &told);
    }
}

#[test]
fn given_explorations_that_ended_early_when_resumed_by_several_processes_should_be_told_as_if_they_had_not() {
    let cases = cases(120);
    let expected = expected(&cases);
    for processes in [1, 2, 3] {
        let folder = tempfile::tempdir().expect("a folder");
        let told = in_processes(processes, |cluster| {
            let tell = |(number, case): (usize, &Case)| interrupted(cluster, folder.path(), number, case);
            cases.iter().enumerate().map(tell).collect::<Vec<_>>()
        });
        for time in 0..2 {
            let told = told.iter().map(|told| told.iter().map(|it| it[time].clone()).collect());
            compare(&expected, &told.collect::<Vec<_>>());
        }
    }
}

/// What is told of a case after it ended early several times, with another process having fewer levels each time; and what is told then
/// if it is asked once more.
fn interrupted(cluster: &Cluster, folder: &Path, number: usize, case: &Case) -> [String; 2] {
    let (process, engine) = (cluster.process(), case.engine(cluster));
    let archive = Archive::open(&folder.join(format!("{number}-{process}")), "the case").expect("a folder of its own");
    let explore = |limits: &Limits| {
        text_without_guide(engine.explore_archived(&case.task(limits), &archive).expect("there is room"))
    };
    for time in 0..3 {
        let depth = 2 * time;
        let max_depth = Some(case.limits.max_depth.map_or(depth, |most| most.min(depth)));
        explore(&Limits { max_depth, ..case.limits.clone() });
        if process == (number + time as usize) % cluster.processes() {
            archive.forget_from(archive.levels().saturating_sub(time)).expect("what was written is removed");
        }
    }
    [explore(&case.limits), explore(&case.limits)]
}

/// What the referee tells.
fn expected(cases: &[Case]) -> Vec<String> {
    let tell = |Case { system, clauses, limits, is_unbounded }: &Case| {
        let question = Question { system, clauses, liveness: &[], limits, is_unbounded: *is_unbounded };
        text_without_guide(question.ask(&Plain, &Unguided, 1))
    };
    cases.iter().map(tell).collect()
}

/// Compares what each process tells of each case with what the referee does.
fn compare(expected: &[String], told: &[Vec<String>]) {
    for (process, texts) in told.iter().enumerate() {
        assert_eq!(texts.len(), expected.len());
        for (case, (expected, text)) in expected.iter().zip(texts).enumerate() {
            let place = format!("case {case}, process {process} of {}", told.len());
            assert!(expected == text, "{place}: {}", difference(expected, text));
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
