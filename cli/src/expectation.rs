//! Verdicts compared with what a contract expects, in either direction: a fixed bug must be recorded, too.

use fencepost_checker::verdict::Verdict;
use fencepost_models::family::{BoundsSet, ModelledFamily};
use fencepost_spec::contract::{Expectation, ExpectedVerdict};
use fencepost_spec::family::{Family, Iggy};

use crate::run::{ContractResult, Summary};

/// A verdict that is not the expected one.
pub struct Unexpected<'a, F: Family = Iggy> {
    /// The clause.
    pub clause: F::Clause,
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
pub fn unexpected<F: ModelledFamily>(result: &ContractResult<F>) -> Vec<Unexpected<'_, F>> {
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
            let verdict = view.verdict(*clause);
            if let Some(expected) = contradicted::<F>(expectation, view.view.name, result.bounds, verdict) {
                let story_steps = view.clause(*clause).and_then(|clause| clause.story_steps());
                let view = Some(view.view.name);
                found.push(Unexpected { clause: *clause, view, expected, verdict, story_steps, expectation });
            }
        }
    }
    found
}

/// The expectation that a verdict in a view contradicts, if it does.
///
/// A view that the file does not list is expected to agree with the summary, or not to exercise the clause. The list is about
/// the size `quick`; in a larger size a view may find what only other views found before, and so agree with the summary. Of a view for scale nothing is
/// expected, so what is absent in it contradicts nothing.
pub fn contradicted<F: Family>(
    expectation: &Expectation,
    view: &str,
    bounds: BoundsSet,
    verdict: Verdict,
) -> Option<ExpectedVerdict> {
    if F::SCALE_VIEWS.contains(&view) {
        return is_unexpected(expectation.verdict, verdict, false).then_some(expectation.verdict);
    }
    let listed = expectation.views.get(view);
    let is_silent = matches!(verdict, Verdict::Vacuous | Verdict::NotChecked);
    let agrees_with_summary = bounds != BoundsSet::Quick && !is_unexpected(expectation.verdict, verdict, true);
    if agrees_with_summary || listed.is_none() && is_silent {
        return None;
    }
    let expected = *listed.unwrap_or(&expectation.verdict);
    is_unexpected(expected, verdict, true).then_some(expected)
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

impl<F: ModelledFamily> Summary<'_, F> {
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
    fn expectation(summary: ExpectedVerdict, views: &[(&str, ExpectedVerdict)]) -> Expectation {
        let views = views.iter().map(|(view, verdict)| ((*view).to_owned(), *verdict)).collect();
        Expectation { verdict: summary, because: "a test".to_owned(), link: String::new(), views }
    }

    #[test]
    fn given_a_listed_view_when_it_agrees_with_the_summary_should_be_unexpected_in_the_quick_size_only() {
        let expectation = expectation(ExpectedVerdict::Violated, &[("restart", ExpectedVerdict::Holds)]);
        let judge = |bounds, verdict| contradicted::<Iggy>(&expectation, "restart", bounds, verdict);
        assert_eq!(judge(BoundsSet::Quick, Verdict::Violated), Some(ExpectedVerdict::Holds));
        for bounds in [BoundsSet::Ci, BoundsSet::Deep] {
            assert_eq!(judge(bounds, Verdict::Violated), None);
            assert_eq!(judge(bounds, Verdict::HoldsExhaustive), None);
            assert_eq!(judge(bounds, Verdict::Vacuous), Some(ExpectedVerdict::Holds));
        }
    }

    #[test]
    fn given_a_view_for_scale_when_something_is_absent_in_it_should_not_be_unexpected() {
        let judge = |summary, verdict| {
            contradicted::<Iggy>(&expectation(summary, &[]), Iggy::SCALE_VIEWS[0], BoundsSet::Quick, verdict)
        };
        assert_eq!(judge(ExpectedVerdict::Violated, Verdict::HoldsExhaustive), None);
        assert_eq!(judge(ExpectedVerdict::Holds, Verdict::Vacuous), None);
        assert_eq!(judge(ExpectedVerdict::Holds, Verdict::Violated), Some(ExpectedVerdict::Holds));
    }

    #[test]
    fn given_a_view_that_is_not_listed_when_it_contradicts_the_summary_should_be_unexpected_in_every_size() {
        let expectation = expectation(ExpectedVerdict::Holds, &[]);
        for bounds in BoundsSet::ALL {
            let judge = |verdict| contradicted::<Iggy>(&expectation, "restart", *bounds, verdict);
            assert_eq!(judge(Verdict::Violated), Some(ExpectedVerdict::Holds));
            assert_eq!(judge(Verdict::HoldsExhaustive), None);
            assert_eq!(judge(Verdict::Vacuous), None);
        }
    }
}
