//! Scenarios of the KafkaJS family.

use std::collections::BTreeMap;

use fencepost_models::kafkajs::scenario::{self, Progress, ScenarioGuide};
use fencepost_models::kafkajs::system::{KafkaJsModel, KafkaJsState};
use fencepost_spec::kafkajs::scenario::Scenario;
use fencepost_spec::kafkajs::{Choices, ClauseName, KafkaJs};

use super::family::{Askable, Expected, Found, Head};

impl Askable for KafkaJs {
    type Scenario = Scenario;
    type Guide = ScenarioGuide;

    const FINDINGS: &'static str = "what breaks";
    const NO_FINDINGS: &'static str = "nothing breaks";
    const SEVEREST: &'static [ClauseName] = &[
        ClauseName::NoSkip,
        ClauseName::NoUndefinedOffset,
        ClauseName::SeekIsHonoured,
        ClauseName::AcknowledgedCommitStands,
        ClauseName::AutomaticProgressMonotone,
        ClauseName::CommitUnderReadingAssignment,
        ClauseName::FirstFetchNotBehindCommits,
    ];

    fn head(scenario: &Scenario) -> Head<'_> {
        let Scenario { name, title, question, sources, .. } = scenario;
        Head { name, title, question, sources }
    }

    fn steps(scenario: &Scenario) -> Vec<&str> {
        scenario.steps.iter().map(|step| step.id.as_str()).collect()
    }

    fn expected<'a>(scenario: &'a Scenario, contract: &str) -> Option<Expected<'a, ClauseName>> {
        let expected = scenario.expect.get(contract)?;
        Some(Expected { possible: expected.possible, breaks: &expected.breaks })
    }

    fn applies(_scenario: &Scenario, _choices: &Choices) -> Result<(), String> {
        Ok(())
    }

    fn world(scenario: &Scenario, choices: &Choices) -> KafkaJsModel {
        scenario::model(scenario, choices)
    }

    fn guide(scenario: &Scenario, _model: &KafkaJsModel, must_break: Option<ClauseName>) -> ScenarioGuide {
        ScenarioGuide::new(scenario, must_break)
    }

    fn found(_scenario: &Scenario, guide: &ScenarioGuide) -> Found<ClauseName> {
        let courses = guide.courses();
        let always_broken = courses.always_broken.unwrap_or_default();
        Found { broken: courses.broken, always_broken, answers: BTreeMap::new() }
    }

    fn obstacle(
        scenario: &Scenario,
        _model: &KafkaJsModel,
        guide: &ScenarioGuide,
        furthest: &[(KafkaJsState, Progress)],
    ) -> String {
        let stuck = furthest.first().and_then(|(_, at)| guide.stuck(at));
        let Some(stuck) = stuck else { return "nothing more happens".to_owned() };
        let id = |step: usize| &scenario.steps[step].id;
        let waits = stuck.awaited_by.map(|waits| format!(", for which `{}` waits", id(waits)));
        format!("`{}` does not happen{}", id(stuck.step), waits.unwrap_or_default())
    }
}
