//! TLC on `peers/core.tla`.

use std::process::Command;

use super::PeerTask;
use super::child::{self, Ended};
use super::tools::require_tlc;
use crate::failure::Failure;
use crate::measurement::Measurement;

const MODULE: &str = include_str!("../../peers/core.tla");
const CONFIGURATION: &str = include_str!("../../peers/core.cfg");

/// Most memory that the Java machine takes for objects. TLC takes what it is given, so its peak says little about its
/// need.
const LARGEST_HEAP: &str = "-Xmx4g";

/// Exit code of a violated invariant.
const VIOLATED: i32 = 12;

pub(super) fn run(task: &PeerTask, threads: usize) -> Result<Measurement, Failure> {
    let jar = require_tlc()?;
    let folder = child::folder()?;
    child::write(folder.path(), "core.tla", MODULE)?;
    child::write(folder.path(), "core.cfg", &configuration(task))?;
    let ended = child::run(
        Command::new("java")
            .args(["-XX:+UseParallelGC", LARGEST_HEAP, "-Djava.io.tmpdir=.", "-cp"])
            .arg(jar)
            // States without successors are no error here, since every budget is spent at last.
            .args(["tlc2.TLC", "-deadlock", "-metadir", "states", "-workers", &threads.to_string(), "core"]),
        folder.path(),
    )?;
    measurement(&ended).ok_or_else(|| {
        Failure::wrong(format!("TLC's output was not understood (exit code {:?}):\n{}", ended.code, ended.output))
    })
}

fn configuration(task: &PeerTask) -> String {
    let size = task.scale.size(task.is_fenced);
    let invariant = if task.is_judged { "INVARIANT NoForeignBookmark" } else { "" };
    CONFIGURATION
        .replace("@CONSUMERS@", &size.consumers.to_string())
        .replace("@POLLS@", &size.polls.to_string())
        .replace("@COMMITS@", &size.commits.to_string())
        .replace("@PURGES@", &size.purges.to_string())
        .replace("@MESSAGES@", &size.messages.to_string())
        .replace("@IS_FENCED@", if size.is_fenced { "TRUE" } else { "FALSE" })
        .replace("@INVARIANT@", invariant)
}

fn measurement(ended: &Ended) -> Option<Measurement> {
    // Lines about the progress have the same words; the last line is the result.
    let result = ended.output.lines().rfind(|line| line.contains("distinct states found"))?;
    let story_steps = match ended.code? {
        0 => None,
        // State 1 is the initial one.
        VIOLATED => Some(ended.output.lines().filter_map(state_number).max()?.saturating_sub(1)),
        _ => return None,
    };
    Some(Measurement {
        states: child::number_before(result, "distinct states found")?,
        // TLC counts the one initial state as generated.
        transitions: child::number_before(result, "states generated")?.saturating_sub(1),
        seconds: ended.seconds,
        peak_bytes: ended.peak_bytes,
        story_steps,
    })
}

/// The number of a state in a counterexample.
fn state_number(line: &str) -> Option<u64> {
    line.strip_prefix("State ")?.split(':').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_output_of_a_violated_run_when_read_should_tell_counts_and_steps() {
        let output = "Progress(4) at 2026: 1,000 states generated (1 s/min), 900 distinct states found, 9 left.\n\
                      Error: Invariant NoForeignBookmark is violated.\nState 1: <Initial predicate>\nState 2: <Next>\n\
                      271 states generated, 155 distinct states found, 78 states left on queue.\n";
        let ended = Ended { output: output.to_owned(), code: Some(12), seconds: 1.0, peak_bytes: Some(2) };
        let expected =
            Measurement { states: 155, transitions: 270, seconds: 1.0, peak_bytes: Some(2), story_steps: Some(1) };
        assert_eq!(measurement(&ended), Some(expected));
    }

    #[test]
    fn given_a_failed_run_when_read_should_not_be_understood() {
        let ended = Ended { output: "Error: parse".to_owned(), code: Some(151), seconds: 1.0, peak_bytes: Some(2) };
        assert_eq!(measurement(&ended), None);
    }
}
