//! The driver in a process of its own: a whole trace goes out as one line, what was seen after each step comes back as one.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::step::Observation;
use super::trace::Taken;
use crate::child::{ChildCommand, ChildOptions, ChildProblem, Connection};

/// Which implementation is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The version of the npm package.
    pub package: String,
    /// 1: the class; 2: the whole consumer.
    pub level: u8,
}

/// A driver that answers.
pub struct Driver {
    lines: Connection,
    /// What it says it is.
    pub greeting: Greeting,
}

/// How a driver introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    /// Its name.
    pub driver: String,
    /// The version of the package.
    pub package: String,
    /// The version of Node.
    pub node: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    hello: Option<Greeting>,
    seen: Option<Vec<Observation>>,
    error: Option<String>,
}

/// What came of a trace.
#[derive(Debug)]
pub struct Seen {
    /// What was seen after each step, until it ended.
    pub observations: Vec<Observation>,
    /// Why the next step could not be taken, if that is what ended it.
    pub obstacle: Option<String>,
}

/// Why a driver could not be used.
#[derive(Debug)]
pub enum DriverProblem {
    /// The process.
    Child(ChildProblem),
    /// What it said, in its own words.
    Said(String),
}

impl std::fmt::Display for DriverProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Child(problem) => problem.fmt(formatter),
            Self::Said(text) => formatter.write_str(text),
        }
    }
}

impl DriverProblem {
    /// Whether it is none of the driver's: the user interrupted.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Child(ChildProblem::Interrupted))
    }
}

impl Driver {
    /// Starts `node` with the driver's program, and greets it.
    ///
    /// # Errors
    /// A [`DriverProblem`].
    pub fn start(program: &str, target: &Target, options: &ChildOptions) -> Result<Self, DriverProblem> {
        let command = ChildCommand::new("node", [program]);
        let mut lines = Connection::start(&command, options).map_err(DriverProblem::Child)?;
        let hello = json!({"hello": {"package": target.package, "level": target.level}});
        match ask(&mut lines, &hello.to_string(), options.hello_limit)? {
            Answer { hello: Some(greeting), .. } => Ok(Self { lines, greeting }),
            Answer { error: Some(text), .. } => Err(DriverProblem::Said(text)),
            Answer { .. } => Err(DriverProblem::Said("it does not answer a greeting with its own".to_owned())),
        }
    }

    /// Takes all steps of a trace; gives what was seen after each, until it ended.
    ///
    /// # Errors
    /// A [`DriverProblem`].
    pub fn run(&mut self, steps: &[Taken], limit: Duration) -> Result<Seen, DriverProblem> {
        let steps: Vec<&serde_json::Value> = steps.iter().map(|taken| &taken.json).collect();
        match ask(&mut self.lines, &json!({"run": steps}).to_string(), limit)? {
            Answer { seen: Some(observations), error, .. } => Ok(Seen { observations, obstacle: error }),
            Answer { error: Some(text), .. } => Err(DriverProblem::Said(text)),
            Answer { .. } => Err(DriverProblem::Said("it does not tell what was seen".to_owned())),
        }
    }
}

fn ask(lines: &mut Connection, line: &str, limit: Duration) -> Result<Answer, DriverProblem> {
    let answer = lines.ask_line(line, limit).map_err(DriverProblem::Child)?;
    serde_json::from_slice(&answer).map_err(|error| {
        let text = String::from_utf8_lossy(&answer);
        DriverProblem::Said(format!("its answer is not understood ({error}): {}", &text[..text.len().min(200)]))
    })
}
