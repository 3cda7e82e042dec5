//! Spin on `peers/core.pml`: translated to C, compiled, and then run; only the run is measured.

use std::path::Path;
use std::process::Command;

use super::PeerTask;
use super::child::{self, Ended};
use super::tools::require_spin;
use crate::engine::EngineName;
use crate::failure::Failure;
use crate::measurement::Measurement;
use crate::subject::Subject;

const MODEL: &str = include_str!("../../peers/core.pml");

/// Longest path that a depth-first search may follow. Every path of the core ends, since budgets are spent; a longer
/// one would be an error that Spin reports.
const LONGEST_PATH: &str = "-m1000";

/// States that are allowed for where their number is not known.
const MANY_STATES: u64 = 1 << 24;

pub(super) fn run(task: &PeerTask, engine: EngineName) -> Result<Measurement, Failure> {
    require_spin()?;
    let folder = child::folder()?;
    child::write(folder.path(), "core.pml", MODEL)?;
    build(task, engine, folder.path())?;
    let table = format!("-w{}", table_bits(task));
    let mut command = Command::new(folder.path().join("pan"));
    // A breadth-first search has no stack.
    command.args((engine != EngineName::SpinBfs).then_some(LONGEST_PATH)).arg(table);
    let ended = child::run(&mut command, folder.path())?;
    measurement(&ended).ok_or_else(|| {
        Failure::wrong(format!("Spin's output was not understood (exit code {:?}):\n{}", ended.code, ended.output))
    })
}

/// Size of the hash table, as a power of two: at least twice as many places as states, so that chains are short, and no
/// more than necessary, since it counts as memory.
fn table_bits(task: &PeerTask) -> u32 {
    let states = Subject::Core(task.scale, task.is_fenced).known_states().unwrap_or(MANY_STATES);
    (2 * states).next_power_of_two().ilog2()
}

fn build(task: &PeerTask, engine: EngineName, folder: &Path) -> Result<(), Failure> {
    let size = task.scale.size(task.is_fenced);
    let constants = [
        format!("-DCONSUMERS={}", size.consumers),
        format!("-DPOLLS={}", size.polls),
        format!("-DCOMMITS={}", size.commits),
        format!("-DPURGES={}", size.purges),
        format!("-DMESSAGES={}", size.messages),
        format!("-DFENCED={}", u8::from(size.is_fenced)),
        format!("-DJUDGED={}", u8::from(task.is_judged)),
    ];
    let variant = match engine {
        EngineName::SpinBfs => Some("-DBFS"),
        EngineName::SpinCollapse => Some("-DCOLLAPSE"),
        EngineName::SpinHc4 => Some("-DHC4"),
        _ => None,
    };
    succeed("spin", Command::new("spin").arg("-a").args(constants).arg("core.pml"), folder)?;
    // One process has nothing that partial-order reduction could reduce; without it Spin is a little faster and
    // smaller.
    let options = ["-O2", "-DSAFETY", "-DNOFAIR", "-DNOREDUCE", "-o", "pan", "pan.c"];
    succeed("gcc", Command::new("gcc").args(variant).args(options), folder)
}

fn succeed(name: &str, command: &mut Command, folder: &Path) -> Result<(), Failure> {
    let ended = child::run(command, folder)?;
    if ended.code == Some(0) { Ok(()) } else { Err(Failure::wrong(format!("{name} failed:\n{}", ended.output))) }
}

fn measurement(ended: &Ended) -> Option<Measurement> {
    let output = &ended.output;
    if ended.code != Some(0) || output.contains("max search depth too small") {
        return None;
    }
    let errors: u64 = output.lines().find_map(|line| line.split_once("errors: "))?.1.trim().parse().ok()?;
    let story_steps = if errors == 0 { None } else { Some(story_steps(output)?) };
    Some(Measurement {
        states: child::number_before(output, "states, stored")?,
        // Spin counts the one initial state as a transition.
        transitions: child::number_before(output, "transitions (=")?.saturating_sub(1),
        seconds: ended.seconds,
        peak_bytes: ended.peak_bytes,
        story_steps,
    })
}

/// Steps of the counterexample: the first one is at depth 0. The error must be the broken promise, not an envelope
/// too many.
fn story_steps(output: &str) -> Option<u64> {
    let line = output.lines().find(|line| line.contains("assertion violated") && line.contains("bookmark"))?;
    let depth: u64 = line.split_once("(at depth ")?.1.trim_end_matches(')').parse().ok()?;
    Some(depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(output: &str) -> Ended {
        Ended { output: output.to_owned(), code: Some(0), seconds: 1.0, peak_bytes: Some(2) }
    }

    const COUNTS: &str = "     137 states, stored\n      247 transitions (= stored+matched)\n";

    #[test]
    fn given_the_output_of_a_violated_run_when_read_should_tell_counts_and_steps() {
        let output = format!(
            "pan:1: assertion violated ((bookmark==0)||(x==history)) (at depth 4)\n\
             State-vector 36 byte, depth reached 4, errors: 1\n{COUNTS}"
        );
        let expected =
            Measurement { states: 137, transitions: 246, seconds: 1.0, peak_bytes: Some(2), story_steps: Some(5) };
        assert_eq!(measurement(&ended(&output)), Some(expected));
    }

    #[test]
    fn given_a_run_that_was_cut_when_read_should_not_be_understood() {
        let output = format!("error: max search depth too small\nState-vector 36 byte, errors: 0\n{COUNTS}");
        assert_eq!(measurement(&ended(&output)), None);
    }

    #[test]
    fn given_an_envelope_too_many_when_read_should_not_be_taken_for_the_broken_promise() {
        let output = format!("pan:1: assertion violated (polls[0]==0) (at depth 4)\nerrors: 1\n{COUNTS}");
        assert_eq!(measurement(&ended(&output)), None);
    }

    #[test]
    fn given_known_numbers_of_states_when_a_table_is_sized_should_have_twice_as_many_places() {
        let task = PeerTask { scale: crate::subject::Scale::Large, is_fenced: true, is_judged: true };
        assert_eq!(table_bits(&task), 22);
    }
}
