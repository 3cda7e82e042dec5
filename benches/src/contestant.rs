//! One run of one engine on one subject, in this process.

use crate::engine::{EngineName, Goal};
use crate::failure::Failure;
use crate::in_process;
use crate::measurement::Measurement;
use crate::peers;
use crate::subject::Subject;

/// Who explores what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Contestant {
    /// What is explored.
    pub subject: Subject,
    /// By whom.
    pub engine: EngineName,
    /// On how many threads.
    pub threads: usize,
    /// What for.
    pub goal: Goal,
}

impl Contestant {
    /// Explores all states, on one thread.
    pub fn new(subject: Subject, engine: EngineName) -> Self {
        Self { subject, engine, threads: 1, goal: Goal::All }
    }

    /// The same for another goal.
    pub fn with_goal(self, goal: Goal) -> Self {
        Self { goal, ..self }
    }

    /// The same on some number of threads.
    pub fn with_threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Whether a counterexample should be found, or none.
    pub fn expects_breach(&self) -> bool {
        self.goal == Goal::FirstBreach
    }

    /// Its name for messages.
    pub fn title(&self) -> String {
        let Self { subject, engine, threads, goal } = self;
        let threads = if *threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        format!("{} on {subject}, {threads}, goal {}", engine.name(), goal.name())
    }

    /// Runs it here and now.
    pub fn run(&self) -> Result<Measurement, Failure> {
        if self.threads == 0 {
            return Err(Failure::wrong("an engine needs at least one thread"));
        }
        let measurement = if self.engine.is_peer() { peers::run(self)? } else { in_process::run(self)? };
        let broken_by_design = matches!(self.subject, Subject::Core(_, false));
        match (measurement.story_steps, self.goal) {
            (None, Goal::FirstBreach) => Err(Failure::wrong(format!("{}: no counterexample was found", self.title()))),
            (Some(_), Goal::All) if !broken_by_design => {
                Err(Failure::wrong(format!("{}: a counterexample was found", self.title())))
            }
            _ => Ok(measurement),
        }
    }
}
