//! The command `benchmarks peers-agree`: the twins of the core are the same transition system.

use crate::contestant::Contestant;
use crate::engine::{EngineName, Goal};
use crate::failure::Failure;
use crate::measurement::Measurement;
use crate::subject::{Scale, Subject};

/// Who must agree on everything. The first one is the referee.
const ENGINES: [EngineName; 5] =
    [EngineName::Plain, EngineName::StaterightDfs, EngineName::Tlc, EngineName::Spin, EngineName::SpinBfs];

/// Explores the tiny core by all engines, fenced and unfenced, and demands the same numbers. What is missing is
/// skipped, with a message.
pub fn peers_agree() -> Result<(), Failure> {
    for is_fenced in [true, false] {
        let subject = Subject::Core(Scale::Tiny, is_fenced);
        let measured = run_all(subject, Goal::All)?;
        demand_equal(subject, "distinct states", &measured, |of| Some(of.states))?;
        demand_equal(subject, "transitions", &measured, |of| Some(of.transitions))?;
        if measured.first().map(|(_, first)| first.states) != subject.known_states() {
            return Err(Failure::wrong(format!("{subject}: all agree, but not with the documented number of states")));
        }
        for (engine, measurement) in &measured {
            println!("{subject}: {} finds {} states", engine.name(), measurement.states);
        }
    }
    let subject = Subject::Core(Scale::Tiny, false);
    let measured = run_all(subject, Goal::FirstBreach)?;
    for (engine, measurement) in &measured {
        println!(
            "{subject}: {} finds a foreign bookmark in {} steps",
            engine.name(),
            measurement.story_steps.unwrap_or(0)
        );
    }
    let shortest: Vec<_> = measured.into_iter().filter(|(engine, _)| engine.tells_shortest()).collect();
    demand_equal(subject, "steps of the shortest story", &shortest, |of| of.story_steps)
}

/// Explores by all engines that are there.
fn run_all(subject: Subject, goal: Goal) -> Result<Vec<(EngineName, Measurement)>, Failure> {
    let mut measured = Vec::new();
    for engine in ENGINES {
        match Contestant::new(subject, engine).with_goal(goal).run() {
            Ok(measurement) => measured.push((engine, measurement)),
            Err(Failure::NotRun(reason)) => println!("{subject}: {} not run: {reason}", engine.name()),
            Err(failure) => return Err(failure),
        }
    }
    Ok(measured)
}

fn demand_equal(
    subject: Subject,
    what: &str,
    measured: &[(EngineName, Measurement)],
    number: impl Fn(&Measurement) -> Option<u64>,
) -> Result<(), Failure> {
    let Some((referee, first)) = measured.first() else { return Ok(()) };
    match measured.iter().find(|(_, other)| number(other) != number(first)) {
        None => Ok(()),
        Some((engine, other)) => Err(Failure::wrong(format!(
            "{subject}: {} finds {:?} {what}, {} finds {:?}",
            referee.name(),
            number(first),
            engine.name(),
            number(other)
        ))),
    }
}
