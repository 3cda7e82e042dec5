//! Which versions of the package are driven at which level, and in which contract each agrees: from the manifest.

use fencepost_conformance::kafkajs::change::{self, KafkaJsChange};
use fencepost_conformance::kafkajs::child::Target;
use fencepost_conformance::kafkajs::deviations::{self, Deviation};
use fencepost_spec::diagnostic::Problem;

use super::super::shipped::{OptionSet, ShippedDriver};
use super::KafkaJsArguments;

const DEVIATIONS: (&str, &str) = (
    "conformance/drivers/kafkajs/deviations.toml",
    include_str!("../../../../conformance/drivers/kafkajs/deviations.toml"),
);

/// One version at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) target: Target,
    /// The contract in which it agrees, with changes.
    pub(super) own_contract: String,
    pub(super) own_changes: Vec<KafkaJsChange>,
}

/// The versions and levels that are meant: all of the manifest, if nothing is named.
pub(super) fn chosen(driver: &ShippedDriver, arguments: &KafkaJsArguments) -> Result<Vec<Chosen>, Problem> {
    let is_meant = |options: &&OptionSet| {
        (arguments.packages.is_empty() || arguments.packages.contains(&options.package))
            && (arguments.levels.is_empty() || arguments.levels.contains(&options.level))
    };
    demand_known(driver, &arguments.packages)?;
    let chosen: Vec<Chosen> = driver.options.iter().filter(is_meant).map(read).collect::<Result<_, _>>()?;
    if chosen.is_empty() {
        let sets = driver.options.iter().map(|options| format!("{} at level {}", options.package, options.level));
        return Err(Problem::new("no version that was named is driven at a level that was named")
            .with_help(format!("there are: {}", sets.collect::<Vec<_>>().join(", "))));
    }
    Ok(chosen)
}

/// Refuses a version that the driver does not have.
pub(super) fn demand_known(driver: &ShippedDriver, packages: &[String]) -> Result<(), Problem> {
    let mut known: Vec<&str> = driver.options.iter().map(|options| options.package.as_str()).collect();
    known.dedup();
    match packages.iter().find(|package| !known.contains(&package.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(Problem::new(format!("the driver `kafkajs` has no package `{unknown}`"))
            .with_help(format!("accepted: {}", known.join(", ")))),
    }
}

fn read(options: &OptionSet) -> Result<Chosen, Problem> {
    let changes = options.own_changes.iter().map(|text| change::parse(text));
    let own_changes = changes.collect::<Result<_, _>>().map_err(Problem::new)?;
    let target = Target { package: options.package.clone(), level: options.level };
    Ok(Chosen { target, own_contract: options.own_contract.clone(), own_changes })
}

/// The known deviations of the shipped driver.
pub(super) fn deviations() -> Result<Vec<Deviation>, Problem> {
    deviations::parse(DEVIATIONS.0, DEVIATIONS.1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fencepost_conformance::kafkajs::blame::changed;
    use fencepost_spec::kafkajs::KafkaJs;
    use fencepost_spec::library;

    use super::*;
    use crate::replay::shipped;

    #[test]
    fn given_each_version_when_its_deviations_are_applied_should_give_its_own_contract() {
        let driver = shipped::named("kafkajs").expect("a shipped driver");
        let deviations = deviations().unwrap_or_else(|problem| panic!("{problem}"));
        for Chosen { target, own_contract, own_changes } in
            chosen(&driver, &KafkaJsArguments::default()).unwrap_or_else(|problem| panic!("{problem}"))
        {
            let of = |name: &str| library::contract_of::<KafkaJs>(name).expect("a built-in contract").choices;
            let concerns = |deviation: &&Deviation| deviation.concerns(&target, &driver.contract);
            let changes: Vec<KafkaJsChange> = deviations.iter().filter(concerns).map(|it| it.change).collect();
            let deviating = changed(&of(&driver.contract), &changes);
            let own = changed(&of(&own_contract), &own_changes);
            let fences =
                |choices: &fencepost_spec::kafkajs::Choices| choices.fences.keys().copied().collect::<BTreeSet<_>>();
            assert_eq!(fences(&deviating), fences(&own), "{target:?}");
            assert_eq!(deviating.words(), own.words(), "{target:?}");
        }
    }
}
