//! Contracts, scenarios, views, clauses and fences by name, and contracts and scenarios by file.
//!
//! A command that has a use for every family takes its contracts from [`chosen`]; one that knows the Iggy family only from
//! [`contracts`] or [`contract`], which say so of a contract of another family.

mod names;

use std::fs::File;
use std::io::Read;

use fencepost_models::family::{ModelledFamily, passed_term, refused_term};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::{Problem, nearest};
use fencepost_spec::family::{Family, Iggy};
use fencepost_spec::kafkajs::{self, KafkaJs};
use fencepost_spec::library::{self, KAFKAJS_SCENARIOS, SCENARIOS};
use fencepost_spec::scenario::{Scenario, parse_scenario};
use fencepost_spec::words::Word;
use serde::Deserialize;
use toml::Spanned;

pub use names::{NameKind, Names, among, fence, remove_fences, view};

/// The largest input file that is read.
const MOST_FILE_BYTES: u64 = 1 << 20;

fencepost_spec::words! {
    /// The families, in the order of the reports.
    pub enum FamilyName {
        /// Apache Iggy.
        Iggy = "iggy",
        /// KafkaJS.
        KafkaJs = "kafkajs",
    }
}

/// Contracts of every family.
#[derive(Default)]
pub struct Chosen {
    /// Those of the Iggy family, in the order in which they were named.
    pub iggy: Vec<Contract>,
    /// Those of the KafkaJS family, in the order in which they were named.
    pub kafkajs: Vec<Contract<KafkaJs>>,
}

impl Chosen {
    /// The names that the families of these contracts know, with those of the views for scale.
    pub fn names(&self) -> Vec<Names> {
        let iggy = (!self.iggy.is_empty()).then(Names::with_scale_views::<Iggy>);
        let kafkajs = (!self.kafkajs.is_empty()).then(Names::with_scale_views::<KafkaJs>);
        iggy.into_iter().chain(kafkajs).collect()
    }
}

/// The contracts with these names or files, each once; all that are built in, of every family, if nothing is named.
///
/// # Errors
/// A [`Problem`] with the first of them that cannot be used.
pub fn chosen(named: &[String]) -> Result<Chosen, Problem> {
    let mut chosen = Chosen::default();
    let every: Vec<String> = built_in().map(|(name, _)| (*name).to_owned()).collect();
    for name in each_first(if named.is_empty() { &every } else { named }) {
        let source = Source::of(name)?;
        match source.family {
            FamilyName::Iggy => chosen.iggy.push(source.contract()?),
            FamilyName::KafkaJs => chosen.kafkajs.push(source.contract()?),
        }
    }
    Ok(chosen)
}

/// The contracts of the Iggy family with these names or files, each once; all that are built in if nothing is named.
///
/// # Errors
/// A [`Problem`] with the first of them that cannot be used; `command` is named in it if that takes no such family.
pub fn contracts(named: &[String], command: &str) -> Result<Vec<Contract>, Problem> {
    if named.is_empty() {
        return Iggy::CONTRACTS.iter().map(|(name, _)| contract(name, command)).collect();
    }
    each_first(named).map(|name| contract(name, command)).collect()
}

/// One contract of the Iggy family by name, or by file if `named` ends in `.toml` or has a slash.
///
/// # Errors
/// A [`Problem`] that names the place in the file, or the nearest name, or the `command` that takes no such family.
pub fn contract(named: &str, command: &str) -> Result<Contract, Problem> {
    let source = Source::of(named)?;
    match source.family {
        FamilyName::Iggy => source.contract(),
        family => {
            let message = format!("`{named}` is a contract of the family {family}, which `{command}` does not take");
            let taken: Vec<&str> = Iggy::CONTRACTS.iter().map(|(name, _)| *name).collect();
            Err(Problem::new(message).with_help(format!("it takes contracts of the family iggy: {}", taken.join(", "))))
        }
    }
}

/// What was named, without repetitions.
fn each_first(named: &[String]) -> impl Iterator<Item = &String> {
    named.iter().enumerate().filter(|(index, name)| !named[..*index].contains(name)).map(|(_, name)| name)
}

/// Name and text of the contracts that are built in, of every family.
fn built_in() -> impl Iterator<Item = &'static (&'static str, &'static str)> + Clone {
    Iggy::CONTRACTS.iter().chain(KafkaJs::CONTRACTS)
}

/// The text of a contract.
struct Source {
    file: String,
    text: String,
    family: FamilyName,
}

impl Source {
    /// Finds the text, and the family that it names.
    fn of(named: &str) -> Result<Self, Problem> {
        let (file, text) = if is_file(named) {
            (named.to_owned(), read_file(named)?)
        } else {
            let Some((name, text)) = built_in().find(|(name, _)| *name == named) else {
                return Err(library::unknown("contract", named, built_in().map(|(name, _)| *name)));
            };
            (format!("spec/contracts/{name}.toml"), (*text).to_owned())
        };
        let family = family_in(&file, &text)?;
        Ok(Self { file, text, family })
    }

    /// The contract, whose impossibilities are demanded to be actions or outcomes.
    fn contract<F: ModelledFamily>(&self) -> Result<Contract<F>, Problem> {
        let contract = library::parse_contract(&self.file, &self.text)?;
        demand_known_terms(&self.file, &self.text, &contract)?;
        Ok(contract)
    }
}

/// The family that a file names. What is too broken to name one is left to the parser of the Iggy family.
fn family_in(file: &str, text: &str) -> Result<FamilyName, Problem> {
    #[derive(Deserialize)]
    struct Header {
        family: Spanned<String>,
    }
    let Some(word) = library::family_of(text) else { return Ok(FamilyName::Iggy) };
    word.parse().map_err(|_: String| {
        let place = toml::from_str(text).map_or(0..0, |header: Header| header.family.span());
        let accepted: Vec<&str> = FamilyName::ALL.iter().map(|family| family.word()).collect();
        let meant = nearest(&word, accepted.iter().copied()).map(|near| format!("did you mean `{near}`? "));
        Problem::at(file, text, place, format!("unknown family `{word}`")).with_help(format!(
            "{}accepted: {}",
            meant.unwrap_or_default(),
            accepted.join(", ")
        ))
    })
}

/// Scenarios of every family.
#[derive(Default)]
pub struct ChosenScenarios {
    /// Those of the Iggy family, in the order in which they were named.
    pub iggy: Vec<Scenario>,
    /// Those of the KafkaJS family, in the order in which they were named.
    pub kafkajs: Vec<kafkajs::scenario::Scenario>,
}

/// The scenarios with these names or files, each once; all that are built in, of every family, if nothing is named.
///
/// # Errors
/// A [`Problem`] with the first of them that cannot be used: it names the place in the file, or the nearest name.
pub fn chosen_scenarios(named: &[String]) -> Result<ChosenScenarios, Problem> {
    let mut chosen = ChosenScenarios::default();
    let every: Vec<String> = built_in_scenarios().map(|(name, _)| (*name).to_owned()).collect();
    for name in each_first(if named.is_empty() { &every } else { named }) {
        let (file, text) = scenario_text(name)?;
        match family_in(&file, &text)? {
            FamilyName::Iggy => chosen.iggy.push(parse_scenario(&file, &text)?),
            FamilyName::KafkaJs => chosen.kafkajs.push(kafkajs::scenario::parse_scenario(&file, &text)?),
        }
    }
    Ok(chosen)
}

/// The scenarios of the Iggy family with these names or files, each once; all that are built in if nothing is named.
///
/// # Errors
/// A [`Problem`] with the first of them that cannot be used.
pub fn scenarios(named: &[String]) -> Result<Vec<Scenario>, Problem> {
    if named.is_empty() {
        return SCENARIOS.iter().map(|(name, _)| library::scenario(name)).collect();
    }
    let scenario = |name: &String| scenario_text(name).and_then(|(file, text)| parse_scenario(&file, &text));
    each_first(named).map(scenario).collect()
}

/// Name and text of the scenarios that are built in, of every family.
fn built_in_scenarios() -> impl Iterator<Item = &'static (&'static str, &'static str)> + Clone {
    SCENARIOS.iter().chain(KAFKAJS_SCENARIOS)
}

/// The name of a scenario's file, and its text.
fn scenario_text(named: &str) -> Result<(String, String), Problem> {
    if is_file(named) {
        return Ok((named.to_owned(), read_file(named)?));
    }
    match built_in_scenarios().find(|(name, _)| *name == named) {
        Some((name, text)) => Ok((format!("spec/scenarios/{name}.toml"), (*text).to_owned())),
        None => Err(library::unknown("scenario", named, built_in_scenarios().map(|(name, _)| *name))),
    }
}

/// Whether an argument means a file.
pub fn is_file(named: &str) -> bool {
    named.ends_with(".toml") || named.contains('/')
}

/// The text of a file of at most 1 MiB.
///
/// # Errors
/// A [`Problem`] that says why it cannot be read.
pub fn read_file(path: &str) -> Result<String, Problem> {
    let cannot = |reason: String| Problem::new(format!("cannot read `{path}`: {reason}"));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_FILE_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > MOST_FILE_BYTES {
        return Err(cannot("it has more than 1 MiB".to_owned()));
    }
    String::from_utf8(bytes)
        .map_err(|error| cannot(format!("it is no text in UTF-8 (byte {})", error.utf8_error().valid_up_to() + 1)))
}

/// Demands that everything a contract calls impossible is an action or an outcome.
fn demand_known_terms<F: ModelledFamily>(file: &str, text: &str, contract: &Contract<F>) -> Result<(), Problem> {
    if contract.impossible.is_empty() {
        return Ok(());
    }
    let terms = terms::<F>();
    for impossible in &contract.impossible {
        let what = &impossible.what;
        if terms.contains(what) {
            continue;
        }
        let message = format!("there is no action or outcome `{what}`");
        let problem = match text.find(&format!("\"{what}\"")) {
            Some(start) => Problem::at(file, text, start..start + what.len() + 2, message),
            None => Problem::new(message),
        };
        return Err(match nearest(what, terms.iter().map(String::as_str)) {
            Some(word) => problem.with_help(format!("did you mean `{word}`?")),
            None => problem.with_help("accepted: an action, or a fence followed by `passed` or `refused`"),
        });
    }
    Ok(())
}

/// Every action and every outcome of a family, without numbers.
fn terms<F: ModelledFamily>() -> Vec<String> {
    let actions = F::actions().into_iter().map(str::to_owned);
    let outcomes = F::Fence::ALL.iter().flat_map(|fence| [passed_term(*fence), refused_term(*fence)]);
    actions.chain(outcomes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_families_when_named_should_be_the_words_that_they_have_for_themselves() {
        let words: Vec<&str> = FamilyName::ALL.iter().map(|family| family.word()).collect();
        assert_eq!(words, [Iggy::NAME, KafkaJs::NAME]);
    }
}
