//! Which contracts are asked about which scenarios; every problem with the input comes before anything is explored.

use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::Iggy;
use fencepost_spec::kafkajs::KafkaJs;

use super::answer::{AskOptions, ask};
use super::family::Askable;
use super::{AskArguments, Asked, Report, Reports};
use crate::select::{self, NameKind, Names, among, remove_fences};

/// The plans of all families.
pub(super) struct Plans {
    iggy: Plan<Iggy>,
    kafkajs: Plan<KafkaJs>,
    without: Vec<&'static str>,
}

/// What is to be asked in one family.
struct Plan<F: Askable> {
    scenarios: Vec<F::Scenario>,
    contracts: Vec<Contract<F>>,
    removed: Vec<F::Fence>,
    remarks: Vec<String>,
}

impl Plans {
    /// Reads the arguments.
    pub(super) fn of(arguments: &AskArguments) -> Result<Self, Problem> {
        let scenarios = select::chosen_scenarios(&arguments.scenarios)?;
        let contracts = select::chosen(&arguments.contracts)?;
        let all_named = !arguments.scenarios.is_empty() && !arguments.contracts.is_empty();
        let mut iggy = Plan::of(scenarios.iggy, contracts.iggy, all_named)?;
        let mut kafkajs = Plan::of(scenarios.kafkajs, contracts.kafkajs, all_named)?;
        let families: Vec<Names> = iggy.names().into_iter().chain(kafkajs.names()).collect();
        let fences = arguments.without.iter().map(|name| among(NameKind::Fence, name, &families));
        let without = fences.collect::<Result<Vec<_>, _>>()?;
        iggy.remove(&without)?;
        kafkajs.remove(&without)?;
        Ok(Self { iggy, kafkajs, without })
    }

    /// Asks everything.
    pub(super) fn reports(self, options: &AskOptions<'_>, stories: bool) -> Reports {
        let (iggy, kafkajs) = (self.iggy.report(options), self.kafkajs.report(options));
        Reports { iggy, kafkajs, without: self.without, stories }
    }
}

impl<F: Askable> Plan<F> {
    /// A contract is asked about scenarios of its own family. What was not named and has nobody to ask, or nothing to be asked
    /// about, is left out; what was named is not.
    fn of(mut scenarios: Vec<F::Scenario>, mut contracts: Vec<Contract<F>>, all_named: bool) -> Result<Self, Problem> {
        let family = F::NAME;
        match (scenarios.first(), contracts.first()) {
            (None, Some(contract)) if all_named => {
                let message = format!(
                    "`{}` is a contract of the family {family}, and no scenario of that family is named",
                    contract.name
                );
                return Err(Problem::new(message).with_help("a contract is asked about scenarios of its own family"));
            }
            (Some(scenario), None) if all_named => {
                let name = F::head(scenario).name;
                let message =
                    format!("`{name}` is a scenario of the family {family}, and no contract of that family is named");
                let contracts: Vec<&str> = F::CONTRACTS.iter().map(|(name, _)| *name).collect();
                return Err(Problem::new(message).with_help(format!("there are: {}", contracts.join(", "))));
            }
            (Some(_), Some(_)) => {}
            _ => {
                scenarios.clear();
                contracts.clear();
            }
        }
        Ok(Self { scenarios, contracts, removed: Vec::new(), remarks: Vec::new() })
    }

    /// The names of the family, if something of it is asked.
    fn names(&self) -> Option<Names> {
        (!self.contracts.is_empty()).then(Names::of::<F>)
    }

    /// Removes those of the fences that are of this family.
    fn remove(&mut self, fences: &[&'static str]) -> Result<(), Problem> {
        if self.contracts.is_empty() {
            return Ok(());
        }
        self.removed = fences.iter().filter_map(|fence| fence.parse().ok()).collect();
        self.remarks = remove_fences(&mut self.contracts, &self.removed)?;
        Ok(())
    }

    fn report(self, options: &AskOptions<'_>) -> Report<F> {
        let asked = |scenario: F::Scenario| {
            let results = self.contracts.iter().map(|contract| ask(&scenario, contract, options)).collect();
            Asked { scenario, results }
        };
        let scenarios = self.scenarios.into_iter().map(asked).collect();
        Report { scenarios, removed: self.removed, remarks: self.remarks }
    }
}
