//! What is measured of one run.

use serde::{Deserialize, Serialize};

/// What is measured of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Distinct states found.
    pub states: u64,
    /// Executed transitions, those to known states included, initial states not. Engines that stop at a counterexample
    /// count differently at that point.
    pub transitions: u64,
    /// Seconds of wall time: of the exploration alone in our process, of the whole process for another tool.
    pub seconds: f64,
    /// Most resident memory of the exploring process, in bytes; `None` if nobody could tell, as of a very short run of
    /// another tool.
    pub peak_bytes: Option<u64>,
    /// Steps of the counterexample, if one was found.
    pub story_steps: Option<u64>,
}

/// What a contestant says, as one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran.
    Measured(Measurement),
    /// It could not run, for this reason, and that is no error.
    NotRun(String),
}

/// Most resident memory that a process has had so far, in bytes; `None` where the system does not tell.
///
/// Reads the line `VmHWM` of `/proc/PROCESS/status`, which states kilobytes whatever the page size; `process` is a
/// number or `self`.
pub fn peak_bytes_of(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// The middle one of some numbers, or the mean of the two middle ones; `None` if there are none.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    let (&low, &high) = (numbers.get(numbers.len().checked_sub(1)? / 2)?, numbers.get(numbers.len() / 2)?);
    Some((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_an_odd_or_even_number_of_numbers_when_the_median_is_taken_should_be_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([]), None);
    }
}
