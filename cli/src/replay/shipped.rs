//! The drivers that are shipped, by name: where their program is and what they are followed in.

use std::path::Path;

use fencepost_spec::diagnostic::Problem;
use fencepost_spec::kafkajs::ClauseName;
use serde::Deserialize;

/// The manifests of the shipped drivers.
const MANIFESTS: &[(&str, &str)] = &[
    ("conformance/drivers/iggy/driver.toml", include_str!("../../../conformance/drivers/iggy/driver.toml")),
    ("conformance/drivers/kafkajs/driver.toml", include_str!("../../../conformance/drivers/kafkajs/driver.toml")),
];

/// The `format` of a manifest.
const FORMAT: &str = "fencepost-driver-manifest/1";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: String,
    driver: Vec<ShippedDriver>,
}

/// A shipped driver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShippedDriver {
    /// Its name on the command line.
    pub(super) name: String,
    /// What it drives, one line.
    pub(super) about: String,
    /// Its program, from the root of the repository.
    program: String,
    /// What builds it, from the root of the repository.
    pub(super) build: String,
    /// The contract that it is followed in, if none is named.
    pub(super) contract: String,
    /// The family of that contract.
    #[serde(default = "iggy")]
    pub(super) family: String,
    /// What it can be told to drive, if there is a choice.
    #[serde(default)]
    pub(super) options: Vec<OptionSet>,
    /// How it is driven over TCP, if it is.
    pub(super) tcp: Option<OverTcp>,
}

fn iggy() -> String {
    "iggy".to_owned()
}

/// One of the things that a driver can be told to drive.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionSet {
    /// The version of a package.
    pub(super) package: String,
    /// The level.
    pub(super) level: u8,
    /// The contract that it agrees with.
    pub(super) own_contract: String,
    /// With these changes.
    #[serde(default)]
    pub(super) own_changes: Vec<String>,
}

/// How a driver is driven over TCP.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OverTcp {
    /// Its program, from the root of the repository.
    pub(super) program: String,
    /// What installs what it needs, from the root of the repository.
    pub(super) build: String,
    /// What is run.
    pub(super) schedules: Vec<ScheduleSet>,
}

/// A schedule for some versions of a package, and what is to be seen.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScheduleSet {
    /// The versions.
    pub(super) packages: Vec<String>,
    /// The name of the schedule.
    pub(super) schedule: String,
    /// The contract of these versions.
    pub(super) contract: String,
    /// The view of the model that has the same in it.
    pub(super) view: String,
    /// The clause that the schedule tries.
    pub(super) clause: ClauseName,
    /// Whether the race that it is about comes about.
    pub(super) raced: bool,
    /// Whether the clause is broken.
    pub(super) broken: bool,
    /// Why.
    pub(super) because: String,
}

/// All shipped drivers.
pub(super) fn all() -> Vec<ShippedDriver> {
    let parsed = MANIFESTS.iter().map(|(path, text)| match toml::from_str::<Manifest>(text) {
        Ok(manifest) if manifest.format == FORMAT => manifest.driver,
        Ok(manifest) => unreachable!("{path} has the format {}", manifest.format),
        Err(error) => unreachable!("{path} is read by a test: {error}"),
    });
    parsed.flatten().collect()
}

/// The shipped driver with a name.
pub(super) fn named(name: &str) -> Option<ShippedDriver> {
    all().into_iter().find(|driver| driver.name == name)
}

impl ShippedDriver {
    /// The path of its program.
    ///
    /// # Errors
    /// A [`Problem`], if it is not built.
    pub(super) fn program(&self) -> Result<String, Problem> {
        if Path::new(&self.program).is_file() {
            return Ok(self.program.clone());
        }
        Err(Problem::new(format!("the driver `{}` is not built: there is no `{}`", self.name, self.program))
            .with_help(format!("in the root of the repository, run {}", self.build)))
    }
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn given_the_shipped_manifests_when_read_should_name_known_contracts() {
        let drivers = all();
        assert!(!drivers.is_empty());
        for driver in drivers {
            let chosen = crate::select::chosen(std::slice::from_ref(&driver.contract));
            let chosen = chosen.unwrap_or_else(|problem| panic!("{}: {problem}", driver.name));
            let count = if driver.family == "iggy" { chosen.iggy.len() } else { chosen.kafkajs.len() };
            assert_eq!(count, 1, "{}", driver.name);
        }
    }
}
