//! Which clause forbids a line: the one named by the smallest set of fences whose removal makes the line allowed.

use std::collections::BTreeMap;

use fencepost_spec::contract::Choices;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::fence::Fence;

use super::{Ending, Followed, Options, walk};
use crate::recording::Recording;

/// Pairs of fences are tried only up to this line, so that the search ends soon.
const MOST_LINES_FOR_PAIRS: usize = 500;

/// The smallest set of fences (at most two) without which the recording is allowed up to and including a line.
///
/// Of several sets of the same size the one counts whose fences refused something last: at that line, if they can be found there.
///
/// # Errors
/// A [`Problem`] with a line that cannot be followed.
pub(super) fn fences(
    recording: &Recording,
    choices: &Choices,
    options: &Options,
    line: usize,
    refusals: &BTreeMap<Fence, usize>,
) -> Result<Vec<Fence>, Problem> {
    let mut all: Vec<Fence> = choices.fences.keys().copied().collect();
    all.sort_by_key(|fence| std::cmp::Reverse(refusals.get(fence).copied()));
    for fence in &all {
        if allows(recording, choices, options, line, &[*fence])? {
            return Ok(vec![*fence]);
        }
    }
    if line > MOST_LINES_FOR_PAIRS {
        return Ok(Vec::new());
    }
    for (index, first) in all.iter().enumerate() {
        for second in &all[index + 1..] {
            if allows(recording, choices, options, line, &[*first, *second])? {
                return Ok(vec![*first, *second]);
            }
        }
    }
    Ok(Vec::new())
}

fn allows(
    recording: &Recording,
    choices: &Choices,
    options: &Options,
    line: usize,
    without: &[Fence],
) -> Result<bool, Problem> {
    let mut changed = choices.clone();
    changed.fences.retain(|fence, _| !without.contains(fence));
    let mut followed = Followed::new("", recording);
    Ok(matches!(walk(recording, &changed, options, line, &mut followed)?, Ending::Allowed))
}
