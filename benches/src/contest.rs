//! Runs contestants in turn, each in a process of its own, and demands that they agree.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::contestant::Contestant;
use crate::engine::{Goal, Identity};
use crate::failure::Failure;
use crate::measurement::{Measurement, Outcome, median};

/// All runs of one contestant.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// What was measured, in order.
    pub measured: Vec<Measurement>,
    /// Why it did not run, if it did not.
    pub not_run: Option<String>,
}

impl Runs {
    /// Median of the seconds.
    pub fn seconds(&self) -> Option<f64> {
        median(self.measured.iter().map(|measurement| measurement.seconds))
    }

    /// Shortest and longest time in seconds.
    pub fn range_seconds(&self) -> Option<(f64, f64)> {
        let seconds = || self.measured.iter().map(|measurement| measurement.seconds);
        Some((seconds().min_by(f64::total_cmp)?, seconds().max_by(f64::total_cmp)?))
    }

    /// Median of the peak memory in bytes, of the runs that tell it.
    pub fn peak_bytes(&self) -> Option<f64> {
        median(self.measured.iter().filter_map(|measurement| measurement.peak_bytes).map(|bytes| bytes as f64))
    }

    /// The first measurement, for numbers that are the same in all of them.
    pub fn first(&self) -> Option<&Measurement> {
        self.measured.first()
    }
}

/// All runs of all contestants so far. Who takes part in several groups runs in the first of them only.
#[derive(Default)]
pub struct Contest {
    runs: BTreeMap<Contestant, Runs>,
}

impl Contest {
    /// The runs of a contestant.
    pub fn runs(&self, contestant: &Contestant) -> Option<&Runs> {
        self.runs.get(contestant)
    }

    /// Runs those of `contestants` that have not run, round by round, so that a slow minute of the machine hits all
    /// of them.
    pub fn hold(&mut self, contestants: &[Contestant], rounds: usize) -> Result<(), Failure> {
        let newcomers: Vec<_> = contestants.iter().filter(|contestant| !self.runs.contains_key(contestant)).collect();
        for round in 1..=rounds {
            for contestant in &newcomers {
                let runs = self.runs.entry(**contestant).or_default();
                if runs.not_run.is_some() {
                    continue;
                }
                match run_in_own_process(contestant)? {
                    Outcome::Measured(measurement) => {
                        eprintln!("round {round}: {}: {:.3} s", contestant.title(), measurement.seconds);
                        runs.measured.push(measurement);
                    }
                    Outcome::NotRun(reason) => {
                        eprintln!("{} not run: {reason}", contestant.title());
                        runs.not_run = Some(reason);
                    }
                }
            }
        }
        self.demand_agreement(contestants)
    }

    /// Demands equal numbers of states of all that lose none, run by run, and equal lengths of shortest stories.
    fn demand_agreement(&self, contestants: &[Contestant]) -> Result<(), Failure> {
        let mut agreed: BTreeMap<_, (u64, String)> = BTreeMap::new();
        for contestant in contestants {
            let (subject, engine) = (contestant.subject, contestant.engine);
            let is_judged = match contestant.goal {
                Goal::All => engine.identity() != Identity::Lossy,
                Goal::FirstBreach => engine.tells_shortest() && contestant.threads == 1,
            };
            let measured = self.runs(contestant).map(|runs| runs.measured.as_slice()).unwrap_or_default();
            for measurement in measured.iter().filter(|_| is_judged) {
                let number = match contestant.goal {
                    Goal::All => measurement.states,
                    Goal::FirstBreach => measurement.story_steps.unwrap_or(0),
                };
                let key = (subject, contestant.goal);
                let (first, whose) = agreed.entry(key).or_insert_with(|| (number, contestant.title()));
                if *first != number {
                    return Err(Failure::wrong(format!(
                        "{whose} finds {first}, {} finds {number}",
                        contestant.title()
                    )));
                }
            }
        }
        match agreed.iter().find(|((subject, goal), (states, _))| {
            *goal == Goal::All && subject.known_states().is_some_and(|known| known != *states)
        }) {
            Some(((subject, _), (states, _))) => Err(Failure::wrong(format!(
                "{subject} has {states} states, and {:?} are documented",
                subject.known_states()
            ))),
            None => Ok(()),
        }
    }
}

/// Runs a contestant by running this program again, and reads the line that it prints.
fn run_in_own_process(contestant: &Contestant) -> Result<Outcome, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::wrong(format!("{}: {error}", contestant.title()));
    let program: PathBuf = std::env::current_exe().map_err(|error| failed(&error))?;
    let output = Command::new(program)
        .arg("contestant")
        .args(["--model", &contestant.subject.to_string()])
        .args(["--engine", contestant.engine.name()])
        .args(["--threads", &contestant.threads.to_string()])
        .args(["--goal", contestant.goal.name()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineName;
    use crate::subject::{Scale, Subject};

    fn contest(numbers: &[(EngineName, u64)]) -> (Contest, Vec<Contestant>) {
        let subject = Subject::Core(Scale::Tiny, true);
        let mut contest = Contest::default();
        for (engine, states) in numbers {
            let measurement =
                Measurement { states: *states, transitions: 1, seconds: 1.0, peak_bytes: Some(1), story_steps: None };
            let runs = Runs { measured: vec![measurement], not_run: None };
            contest.runs.insert(Contestant::new(subject, *engine), runs);
        }
        let contestants = contest.runs.keys().copied().collect();
        (contest, contestants)
    }

    #[test]
    fn given_equal_numbers_of_states_when_compared_should_agree() {
        let (contest, contestants) = contest(&[(EngineName::Plain, 5065), (EngineName::Spin, 5065)]);
        assert_eq!(contest.demand_agreement(&contestants), Ok(()));
    }

    #[test]
    fn given_an_exact_contestant_with_other_states_when_compared_should_fail() {
        let (contest, contestants) = contest(&[(EngineName::Plain, 5065), (EngineName::Spin, 5064)]);
        let failure = contest.demand_agreement(&contestants).unwrap_err();
        assert!(failure.to_string().contains("5064"), "{failure}");
    }

    #[test]
    fn given_a_lossy_contestant_with_fewer_states_when_compared_should_agree() {
        let (contest, contestants) = contest(&[(EngineName::Plain, 5065), (EngineName::SpinHc4, 5000)]);
        assert_eq!(contest.demand_agreement(&contestants), Ok(()));
    }

    #[test]
    fn given_an_undocumented_number_of_states_when_compared_should_fail() {
        let (contest, contestants) = contest(&[(EngineName::Plain, 5066)]);
        assert!(contest.demand_agreement(&contestants).is_err());
    }
}
