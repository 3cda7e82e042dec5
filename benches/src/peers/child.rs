//! Runs another program and measures it: wall time, and peak memory as the system states it while the program runs.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::measurement::peak_bytes_of;

/// Longest time that a program may take.
const LONGEST: Duration = Duration::from_secs(3600);

/// Between two looks at a program, at first: fine enough for short runs.
const SHORT_PAUSE: Duration = Duration::from_millis(1);
/// Between two looks at a program that has run for some time.
const LONG_PAUSE: Duration = Duration::from_millis(5);
/// When pauses become longer.
const SOME_TIME: Duration = Duration::from_millis(200);

/// A program that ends earlier may have grown between two looks.
const SHORTEST_FOR_MEMORY_SECONDS: f64 = 0.02;

/// A program that has ended.
pub struct Ended {
    /// What it wrote to standard output.
    pub output: String,
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Wall time in seconds, start of the process included.
    pub seconds: f64,
    /// Most resident memory in bytes, as far as it was seen; `None` if the program ended before that means anything.
    pub peak_bytes: Option<u64>,
}

/// Runs a program in `folder` to its end. Its errors go to ours; its output goes to a file meanwhile, so that it
/// never waits for a reader.
pub fn run(command: &mut Command, folder: &Path) -> Result<Ended, Failure> {
    let failed = |error: std::io::Error| Failure::wrong(format!("a tool could not be run: {error}"));
    let path = folder.join("output.txt");
    let file = File::create(&path).map_err(failed)?;
    command.current_dir(folder).stdin(Stdio::null()).stdout(file);

    let started = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    let process = child.id().to_string();
    let mut peak_bytes = None;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        peak_bytes = peak_bytes.max(peak_bytes_of(&process));
        let elapsed = started.elapsed();
        if elapsed > LONGEST {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(Failure::wrong("a tool took more than an hour and was ended"));
        }
        std::thread::sleep(if elapsed < SOME_TIME { SHORT_PAUSE } else { LONG_PAUSE });
    };
    let seconds = started.elapsed().as_secs_f64();
    let peak_bytes = peak_bytes.filter(|_| seconds >= SHORTEST_FOR_MEMORY_SECONDS);
    let output = std::fs::read(&path).map_err(failed)?;
    Ok(Ended { output: String::from_utf8_lossy(&output).into_owned(), code: status.code(), seconds, peak_bytes })
}

/// A temporary folder.
pub fn folder() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|error| Failure::wrong(format!("there is no temporary folder: {error}")))
}

/// Writes a file of the model.
pub fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(folder.join(name), text)
        .map_err(|error| Failure::wrong(format!("{name} cannot be written: {error}")))
}

/// The number in front of `words`, wherever they occur first in a line of `output`; commas among its digits do not
/// count.
pub fn number_before(output: &str, words: &str) -> Option<u64> {
    let before = output.lines().find_map(|line| line.split_once(words)).map(|(before, _)| before)?;
    before.split_whitespace().next_back()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_report_of_a_tool_when_a_number_is_looked_for_should_be_the_one_before_the_words() {
        let output = "Depth= 3\n   5,065 states, stored\n 12897 transitions (= stored+matched)\n";
        assert_eq!(number_before(output, "states, stored"), Some(5065));
        assert_eq!(number_before(output, "transitions (="), Some(12897));
        assert_eq!(number_before(output, "errors"), None);
    }
}
