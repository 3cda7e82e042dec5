//! Known deviations: where a version of an implementation is known to leave a contract, and in which issue that is reported.

use fencepost_spec::diagnostic::{Problem, parse_toml};
use fencepost_spec::family::Family;
use fencepost_spec::kafkajs::{ClauseName, KafkaJs};
use serde::Deserialize;
use toml::Spanned;

use super::change::{self, KafkaJsChange};
use super::child::Target;

/// The `format` of a file of deviations.
pub const DEVIATIONS_FORMAT: &str = "fencepost-deviations/1";

/// One known deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The versions that have it.
    pub packages: Vec<String>,
    /// The levels at which it shows.
    pub levels: Vec<u8>,
    /// The contract that is left.
    pub contract: String,
    /// The clause that is given up.
    pub clause: ClauseName,
    /// The change of the contract that would allow it.
    pub change: KafkaJsChange,
    /// Where it is reported.
    pub issue: String,
    /// What it is, in a sentence.
    pub because: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: Spanned<String>,
    #[serde(default)]
    deviation: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    packages: Vec<String>,
    levels: Vec<u8>,
    contract: Spanned<String>,
    clause: ClauseName,
    change: Spanned<String>,
    issue: String,
    because: String,
}

/// Reads a file of deviations.
///
/// # Errors
/// A [`Problem`] with file, line, column, the offending text and what would be accepted.
pub fn parse(file: &str, text: &str) -> Result<Vec<Deviation>, Problem> {
    let parsed: File = parse_toml(file, text)?;
    let at = |place: std::ops::Range<usize>, message: String| Problem::at(file, text, place, message);
    if parsed.format.get_ref() != DEVIATIONS_FORMAT {
        let message = format!("unknown format `{}`", parsed.format.get_ref());
        return Err(at(parsed.format.span(), message).with_help(format!("accepted: {DEVIATIONS_FORMAT}")));
    }
    let deviation = |entry: Entry| {
        if !KafkaJs::CONTRACTS.iter().any(|(name, _)| name == entry.contract.get_ref()) {
            let names: Vec<&str> = KafkaJs::CONTRACTS.iter().map(|(name, _)| *name).collect();
            let message = format!("there is no contract `{}`", entry.contract.get_ref());
            return Err(at(entry.contract.span(), message).with_help(format!("accepted: {}", names.join(", "))));
        }
        let change = change::parse(entry.change.get_ref())
            .map_err(|help| at(entry.change.span(), "this is no change of a contract".to_owned()).with_help(help))?;
        Ok(Deviation {
            packages: entry.packages,
            levels: entry.levels,
            contract: entry.contract.into_inner(),
            clause: entry.clause,
            change,
            issue: entry.issue,
            because: entry.because,
        })
    };
    parsed.deviation.into_iter().map(deviation).collect()
}

impl Deviation {
    /// Whether it is about this implementation under this contract.
    pub fn concerns(&self, target: &Target, contract: &str) -> bool {
        self.contract == contract && self.packages.contains(&target.package) && self.levels.contains(&target.level)
    }
}

/// The first explanation of a divergence that consists of known deviations only.
pub fn known<'a>(explanations: &'a [Vec<KafkaJsChange>], known: &[&Deviation]) -> Option<&'a [KafkaJsChange]> {
    let is_known = |change: &KafkaJsChange| known.iter().any(|deviation| deviation.change == *change);
    explanations.iter().find(|changes| changes.iter().all(is_known)).map(Vec::as_slice)
}
