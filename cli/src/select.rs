//! Contracts, scenarios, views, clauses and fences by name, and contracts and scenarios by file.

use std::fs::File;
use std::io::Read;

use fencepost_models::iggy::vocabulary::{ActionKind, passed_term, refused_term};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::{Problem, nearest};
use fencepost_spec::fence::Fence;
use fencepost_spec::library::{self, CONTRACTS, SCENARIOS, VIEWS};
use fencepost_spec::scenario::{Scenario, parse_scenario};

/// The largest input file that is read.
const MOST_FILE_BYTES: u64 = 1 << 20;

/// The contracts with these names or files, each once; all that are built in if nothing is named.
///
/// # Errors
/// A [`Problem`] with the first of them that cannot be used.
pub fn contracts(named: &[String]) -> Result<Vec<Contract>, Problem> {
    if named.is_empty() {
        return CONTRACTS.iter().map(|(name, _)| contract(name)).collect();
    }
    let is_first = |(index, name): &(usize, &String)| !named[..*index].contains(name);
    named.iter().enumerate().filter(is_first).map(|(_, name)| contract(name)).collect()
}

/// One contract by name, or by file if `named` ends in `.toml` or has a slash.
///
/// # Errors
/// A [`Problem`] that names the place in the file, or the nearest name.
pub fn contract(named: &str) -> Result<Contract, Problem> {
    let (file, text) = if is_file(named) {
        (named.to_owned(), read_file(named)?)
    } else {
        let known = CONTRACTS.iter().find(|(name, _)| *name == named);
        let Some((name, text)) = known else {
            let names = CONTRACTS.iter().map(|(name, _)| *name);
            return Err(library::unknown("contract", named, names));
        };
        (format!("spec/contracts/{name}.toml"), (*text).to_owned())
    };
    let contract = library::parse_contract(&file, &text)?;
    demand_known_terms(&file, &text, &contract)?;
    Ok(contract)
}

/// The scenarios with these names or files, each once; all that are built in if nothing is named.
///
/// # Errors
/// A [`Problem`] with the first of them that cannot be used.
pub fn scenarios(named: &[String]) -> Result<Vec<Scenario>, Problem> {
    if named.is_empty() {
        return SCENARIOS.iter().map(|(name, _)| library::scenario(name)).collect();
    }
    let is_first = |(index, name): &(usize, &String)| !named[..*index].contains(name);
    named.iter().enumerate().filter(is_first).map(|(_, name)| scenario(name)).collect()
}

/// One scenario by name, or by file if `named` ends in `.toml` or has a slash.
///
/// # Errors
/// A [`Problem`] that names the place in the file, or the nearest name.
pub fn scenario(named: &str) -> Result<Scenario, Problem> {
    if is_file(named) { parse_scenario(named, &read_file(named)?) } else { library::scenario(named) }
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
fn demand_known_terms(file: &str, text: &str, contract: &Contract) -> Result<(), Problem> {
    let terms = terms();
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

/// Every action and every outcome, without numbers.
fn terms() -> Vec<String> {
    let actions = ActionKind::ALL.iter().map(|kind| kind.word().to_owned());
    let outcomes = Fence::ALL.iter().flat_map(|fence| [passed_term(*fence), refused_term(*fence)]);
    actions.chain(outcomes).collect()
}

/// The view with a name.
///
/// # Errors
/// A [`Problem`] that names the nearest view.
pub fn view(name: &str) -> Result<&'static str, Problem> {
    let known = VIEWS.iter().copied();
    known.clone().find(|view| *view == name).ok_or_else(|| library::unknown("view", name, known))
}

/// The clause with a name.
///
/// # Errors
/// A [`Problem`] that names the nearest clause.
pub fn clause(name: &str) -> Result<ClauseName, Problem> {
    let known = ClauseName::ALL.iter().map(|clause| clause.word());
    name.parse().map_err(|_| library::unknown("clause", name, known))
}

/// The fence with a name.
///
/// # Errors
/// A [`Problem`] that names the nearest fence.
pub fn fence(name: &str) -> Result<Fence, Problem> {
    let known = Fence::ALL.iter().map(|fence| fence.word());
    name.parse().map_err(|_| library::unknown("fence", name, known))
}

/// Removes fences from contracts; tells for each fence the contracts that had none.
///
/// # Errors
/// A [`Problem`], if no contract has a fence that is to be removed.
pub fn remove_fences(contracts: &mut [Contract], fences: &[Fence]) -> Result<Vec<String>, Problem> {
    let mut remarks = Vec::new();
    for fence in fences {
        let without: Vec<&str> = contracts
            .iter()
            .filter(|contract| !contract.choices.has(*fence))
            .map(|contract| contract.name.as_str())
            .collect();
        if without.len() == contracts.len() {
            let had: Vec<&str> = contracts
                .iter()
                .flat_map(|contract| contract.choices.fences.keys().map(|fence| fence.word()))
                .collect();
            let message = format!("none of the checked contracts has the fence `{fence}`");
            return Err(Problem::new(message).with_help(format!("there are: {}", each_once(had).join(", "))));
        }
        if !without.is_empty() {
            remarks.push(format!("no fence {fence} to remove in {}", without.join(", ")));
        }
    }
    for contract in contracts {
        contract.choices.fences.retain(|fence, _| !fences.contains(fence));
    }
    Ok(remarks)
}

fn each_once(mut words: Vec<&str>) -> Vec<&str> {
    words.sort_unstable();
    words.dedup();
    words
}
