//! Answers compared with what a scenario expects, in either direction: a question that is settled must be recorded, too.

use fencepost_spec::words::Word;

use super::answer::{Answer, AskResult};
use super::family::{Askable, Expected};

/// How an answer differs from the expectation, one sentence each. A contract without an expectation is not compared, and
/// what was stopped contradicts nothing by what it lacks.
pub(super) fn unexpected<F: Askable>(scenario: &F::Scenario, result: &AskResult<F::Clause>) -> Vec<String> {
    let Some(expected) = F::expected(scenario, &result.contract) else { return Vec::new() };
    if matches!(result.answer, Answer::Unknown) {
        return Vec::new();
    }
    if expected.possible != result.possible() {
        return vec![format!("expected {}, found {}", word(expected.possible), word(result.possible()))];
    }
    differences(&expected, result)
}

fn differences<C: Word>(expected: &Expected<'_, C>, result: &AskResult<C>) -> Vec<String> {
    let broken = result.broken();
    let lacks = expected.breaks.iter().filter(|clause| !broken.contains(clause) && result.stopped.is_none());
    let adds = broken.iter().filter(|clause| !expected.breaks.contains(clause));
    let lacks = lacks.map(|clause| format!("{clause} was expected to break, and does not"));
    let adds = adds.map(|clause| format!("{clause} breaks, which was not expected"));
    lacks.chain(adds).collect()
}

/// The word for whether a scenario is possible.
pub(super) fn word(possible: Option<bool>) -> &'static str {
    match possible {
        Some(true) => "possible",
        Some(false) => "impossible",
        None => "not applicable",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fencepost_checker::engine::Stop;
    use fencepost_checker::story::Story;
    use fencepost_spec::clause::ClauseName;
    use fencepost_spec::family::Iggy;
    use fencepost_spec::scenario::{Scenario, ScenarioExpectation};

    use super::*;
    use crate::ask::answer::Possible;

    fn unexpected(scenario: &Scenario, result: &AskResult) -> Vec<String> {
        super::unexpected::<Iggy>(scenario, result)
    }

    fn scenario(possible: Option<bool>, breaks: &[ClauseName]) -> Scenario {
        let mut scenario = fencepost_spec::library::scenario("disk-read-ends-after-purge").expect("built in");
        let expectation = ScenarioExpectation { possible, breaks: breaks.to_vec() };
        scenario.expect = BTreeMap::from([("kept-numbering".to_owned(), expectation)]);
        scenario
    }

    fn result(answer: Answer, stopped: Option<Stop>) -> AskResult {
        AskResult { contract: "kept-numbering".to_owned(), answer, stopped, states: 1, depth: 1, seconds: 0.0 }
    }

    fn possible(broken: &[ClauseName]) -> Answer {
        let story = Story { title: String::new(), lines: Vec::new(), loop_start: None, ending: String::new() };
        Answer::Possible(Possible {
            answers: BTreeMap::new(),
            broken: broken.to_vec(),
            always_broken: Vec::new(),
            story,
            breaches: Vec::new(),
        })
    }

    #[test]
    fn given_other_clauses_when_compared_should_be_unexpected_in_either_direction() {
        let expected = scenario(Some(true), &[ClauseName::NoSkip]);
        assert!(unexpected(&expected, &result(possible(&[ClauseName::NoSkip]), None)).is_empty());
        assert_eq!(unexpected(&expected, &result(possible(&[]), None)).len(), 1);
        let both = possible(&[ClauseName::NoSkip, ClauseName::NoStaleBatch]);
        assert_eq!(unexpected(&expected, &result(both, None)), ["no-stale-batch breaks, which was not expected"]);
    }

    #[test]
    fn given_another_possibility_when_compared_should_be_unexpected() {
        for (expected, found) in [(None, possible(&[])), (Some(false), possible(&[]))] {
            assert_eq!(unexpected(&scenario(expected, &[]), &result(found, None)).len(), 1);
        }
        let not_applicable = Answer::NotApplicable("a test".to_owned());
        assert!(unexpected(&scenario(None, &[]), &result(not_applicable.clone(), None)).is_empty());
        assert_eq!(unexpected(&scenario(Some(true), &[]), &result(not_applicable, None)).len(), 1);
    }

    #[test]
    fn given_a_stopped_exploration_when_compared_should_contradict_by_what_it_found_only() {
        let expected = scenario(Some(true), &[ClauseName::NoSkip]);
        assert!(unexpected(&expected, &result(Answer::Unknown, Some(Stop::Time))).is_empty());
        assert!(unexpected(&expected, &result(possible(&[]), Some(Stop::Time))).is_empty());
        let other = possible(&[ClauseName::NoStaleBatch]);
        assert_eq!(unexpected(&expected, &result(other, Some(Stop::Time))).len(), 1);
    }

    #[test]
    fn given_no_expectation_when_compared_should_not_be_unexpected() {
        let mut result = result(possible(&[ClauseName::NoSkip]), None);
        result.contract = "mine".to_owned();
        assert!(unexpected(&scenario(Some(false), &[]), &result).is_empty());
    }
}
