//! Verdicts compared with what a contract expects, in either direction: a fixed bug must be recorded, too.

use fencepost_checker::verdict::Verdict;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::{Expectation, ExpectedVerdict};

use crate::run::{ContractResult, Summary};

/// A verdict that is not the expected one.
pub struct Unexpected<'a> {
    /// The clause.
    pub clause: ClauseName,
    /// The view, or nothing if it is about the summary.
    pub view: Option<&'a str>,
    /// The verdict that the contract expects.
    pub expected: ExpectedVerdict,
    /// The verdict that was found.
    pub verdict: Verdict,
    /// Steps of the shortest story, if it is violated.
    pub story_steps: Option<usize>,
    /// What the contract says about the expectation.
    pub expectation: &'a Expectation,
}

/// All verdicts of a contract that are not as expected, summaries before views.
pub fn unexpected(result: &ContractResult) -> Vec<Unexpected<'_>> {
    let mut found = Vec::new();
    for summary in result.summaries() {
        let Some(expectation) = result.contract.expected.get(&summary.clause) else { continue };
        if is_unexpected(expectation.verdict, summary.verdict, result.covers_its_question()) {
            found.push(Unexpected {
                clause: summary.clause,
                view: None,
                expected: expectation.verdict,
                verdict: summary.verdict,
                story_steps: summary.story_steps(),
                expectation,
            });
        }
    }
    for view in &result.views {
        for (clause, expectation) in &result.contract.expected {
            let listed = expectation.views.get(view.view.name);
            let verdict = view.verdict(*clause);
            // A view that the file does not list is expected to agree with the summary, or not to exercise the clause.
            let silent = matches!(verdict, Verdict::Vacuous | Verdict::NotChecked);
            let expected = *listed.unwrap_or(&expectation.verdict);
            if (listed.is_some() || !silent) && is_unexpected(expected, verdict, true) {
                let story_steps = view.clause(*clause).and_then(|clause| clause.story_steps());
                let view = Some(view.view.name);
                found.push(Unexpected { clause: *clause, view, expected, verdict, story_steps, expectation });
            }
        }
    }
    found
}

/// Whether a verdict contradicts an expectation. What was stopped contradicts nothing; where only some of the views were
/// explored (`complete` is false), neither does the absence of something.
pub fn is_unexpected(expected: ExpectedVerdict, verdict: Verdict, complete: bool) -> bool {
    use ExpectedVerdict as Expected;
    match verdict {
        Verdict::Violated => expected != Expected::Violated,
        Verdict::Stopped(_) | Verdict::HoldsUpToDepth(_) => false,
        Verdict::HoldsExhaustive => expected == Expected::Vacuous || complete && expected == Expected::Violated,
        Verdict::Vacuous | Verdict::NotChecked => complete && expected != Expected::Vacuous,
    }
}

impl Summary<'_> {
    /// Steps of the shortest story.
    pub fn story_steps(&self) -> Option<usize> {
        self.breach.map(|(_, breach)| breach.trace.actions.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_checker::engine::Stop;

    #[test]
    fn given_all_views_when_verdicts_differ_should_be_unexpected_in_either_direction() {
        assert!(is_unexpected(ExpectedVerdict::Violated, Verdict::HoldsExhaustive, true));
        assert!(is_unexpected(ExpectedVerdict::Holds, Verdict::Violated, true));
        assert!(is_unexpected(ExpectedVerdict::Holds, Verdict::Vacuous, true));
        assert!(is_unexpected(ExpectedVerdict::Holds, Verdict::NotChecked, true));
        assert!(is_unexpected(ExpectedVerdict::Vacuous, Verdict::HoldsExhaustive, true));
        assert!(!is_unexpected(ExpectedVerdict::Vacuous, Verdict::Vacuous, true));
    }

    #[test]
    fn given_some_views_when_something_is_absent_should_not_be_unexpected() {
        assert!(!is_unexpected(ExpectedVerdict::Violated, Verdict::HoldsExhaustive, false));
        assert!(!is_unexpected(ExpectedVerdict::Holds, Verdict::Vacuous, false));
        assert!(is_unexpected(ExpectedVerdict::Holds, Verdict::Violated, false));
    }

    #[test]
    fn given_a_stopped_exploration_when_compared_should_not_be_unexpected() {
        for expected in ExpectedVerdict::ALL {
            assert!(!is_unexpected(*expected, Verdict::Stopped(Stop::Interrupted), true));
        }
    }
}
