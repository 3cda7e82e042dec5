//! Contracts compared line by line.

use fencepost_spec::contract::Contract;

use super::evidence::Evidence;
use super::markdown::{contract, plain, table};
use super::words;

/// The choices that differ between contracts, a row each.
pub(super) fn choices(evidence: &Evidence) -> String {
    let contracts: Vec<&Contract> = evidence.contracts.iter().map(|result| &result.contract).collect();
    let titles: Vec<String> = contracts.iter().map(|it| contract(&it.name)).collect();
    let mut header = vec!["Choice"];
    header.extend(titles.iter().map(String::as_str));
    let Some(first) = contracts.first() else { return String::new() };
    let keys: Vec<&str> = first.choices.words().into_iter().map(|(key, _)| key).collect();
    let row = |key: &&str| {
        let values: Vec<String> = contracts.iter().map(|contract| value(contract, key)).collect();
        let differs = values.iter().any(|value| *value != values[0]);
        let cells = contracts.iter().zip(&values).map(|(contract, value)| {
            let base = base(&contracts, contract).map(|base| self::value(base, key));
            let shown = shown(value);
            if base.is_none_or(|base| base == *value) { shown } else { format!("**{shown}**") }
        });
        let title = words::choice(key).unwrap_or(key).to_owned();
        differs.then(|| std::iter::once(title).chain(cells).collect())
    };
    table(&header, &keys.iter().filter_map(row).collect::<Vec<Vec<String>>>())
}

/// The choices that no contract makes differently.
pub(super) fn common(evidence: &Evidence) -> Vec<String> {
    let Some(first) = evidence.contracts.first() else { return Vec::new() };
    let is_common =
        |key: &str, wanted: &str| evidence.contracts.iter().all(|result| value(&result.contract, key) == wanted);
    let words = first.contract.choices.words().into_iter().filter(|(key, value)| is_common(key, value));
    words.map(|(key, value)| format!("{}: {}", words::choice(key).unwrap_or(key), shown(&value))).collect()
}

/// The contract that one is compared with: the one that it builds on, or the first of all.
fn base<'a>(contracts: &[&'a Contract], contract: &Contract) -> Option<&'a Contract> {
    let name = contract.builds_on.as_deref();
    match contracts.iter().find(|other| name.is_some_and(|name| name == other.name)) {
        Some(base) => Some(base),
        None => contracts.first().copied().filter(|first| first.name != contract.name),
    }
}

fn value(contract: &Contract, key: &str) -> String {
    let words = contract.choices.words();
    words.into_iter().find(|(other, _)| *other == key).map(|(_, value)| value).unwrap_or_default()
}

/// A value in words that a table can break.
pub(super) fn shown(value: &str) -> String {
    match value {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        value => plain(value),
    }
}
