//! Level 3: one schedule on one version of the package, over TCP, in a process of its own. One line goes out, one comes back.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::child::DriverProblem;
use crate::child::{ChildCommand, ChildOptions, Connection};

/// How long a run may take: its own waits end before.
const RUN_LIMIT: Duration = Duration::from_secs(150);

/// The member that is under test.
const READER: &str = "reader";

/// What was seen in a run.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What is judged.
    pub summary: Summary,
    /// All of it, with the events in their order.
    pub all: Value,
}

/// The part of it that every schedule has.
#[derive(Clone, Debug, Deserialize)]
pub struct Summary {
    /// The version of the package.
    pub package: String,
    /// The version of Node.
    pub node: String,
    /// Whether everything came in the order that the schedule is about.
    pub is_met: bool,
    /// Whether the race that it is about came about.
    pub is_raced: bool,
    /// How the clause that it tries is broken; none: it is kept.
    pub breach: Option<String>,
    /// The first crash of the consumer.
    pub crash: Option<String>,
    /// What kept the run from its end.
    pub unfinished: Option<String>,
    /// First and last offset of each batch that was processed, by member and partition.
    processed: BTreeMap<String, BTreeMap<u32, Vec<(u64, u64)>>>,
}

impl Summary {
    /// Where the member under test began to process each partition.
    pub fn read_from(&self) -> BTreeMap<u32, u64> {
        let partitions = self.processed.get(READER).into_iter().flatten();
        partitions.filter_map(|(partition, batches)| Some((*partition, batches.first()?.0))).collect()
    }
}

/// Runs a schedule on a version.
///
/// # Errors
/// A [`DriverProblem`]: Node, the package, Python or the cluster is not there, or does not do what it should.
pub fn run(program: &str, package: &str, schedule: &str, options: &ChildOptions) -> Result<Seen, DriverProblem> {
    let mut lines = Connection::start(&ChildCommand::new("node", [program]), options).map_err(DriverProblem::Child)?;
    let question = json!({"package": package, "schedule": schedule});
    let answer = lines.ask_line(&question.to_string(), RUN_LIMIT).map_err(DriverProblem::Child)?;
    read(&answer)
}

/// Reads the line that a run is answered with.
///
/// # Errors
/// A [`DriverProblem`]: the line is an error, or not understood.
pub fn read(answer: &[u8]) -> Result<Seen, DriverProblem> {
    let not_understood = |error: serde_json::Error| {
        let text = String::from_utf8_lossy(answer);
        let begin: String = text.chars().take(200).collect();
        DriverProblem::Said(format!("its answer is not understood ({error}): {begin}"))
    };
    let all: Value = serde_json::from_slice(answer).map_err(not_understood)?;
    if let Some(error) = all.get("error").and_then(Value::as_str) {
        return Err(DriverProblem::Said(error.to_owned()));
    }
    let summary = Summary::deserialize(&all).map_err(not_understood)?;
    Ok(Seen { summary, all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_an_answer_when_read_should_tell_where_the_reader_began() {
        let answer = br#"{"package":"2.2.4","node":"v20","is_met":true,"is_raced":true,"breach":null,"crash":null,
            "unfinished":null,"processed":{"other":{"0":[[7,8]]},"reader":{"0":[[52,53],[54,59]],"1":[]}},"events":[]}"#;
        let seen = read(answer).expect("an answer");
        assert_eq!(seen.summary.read_from(), BTreeMap::from([(0, 52)]));
        assert!(seen.all["events"].is_array());
    }

    #[test]
    fn given_an_error_when_read_should_be_a_problem_in_its_words() {
        let problem = read(br#"{"error":"there is no Python"}"#).expect_err("a problem");
        assert_eq!(problem.to_string(), "there is no Python");
        let problem = read(b"{}").expect_err("a problem");
        assert!(problem.to_string().contains("not understood"), "{problem}");
    }
}
