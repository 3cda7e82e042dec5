//! The contracts and scenarios that are built in, and the loader of contract files.

mod contract_file;

use toml::Spanned;

use crate::contract::Contract;
use crate::diagnostic::{Problem, nearest};
use crate::family::Family;
use crate::kafkajs;
use crate::scenario::{Scenario, parse_scenario};

pub use contract_file::{family_of, parse_contract};

macro_rules! built_in {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../", $folder, "/", $name, ".toml")))),+]
    };
}

/// Name and text of the contracts that are built in; a contract comes after the one it builds on.
pub const CONTRACTS: &[(&str, &str)] = built_in!("contracts":
    "iggy-2026-08",
    "iggy-poll-completion",
    "kept-numbering",
    "reset-with-generation",
    "deferred-poll",
    "fenced-commits",
    "owner-installed",
    "owner-installed-bare-offsets",
);

/// Name and text of the contracts of the KafkaJS family that are built in; a contract comes after the one it builds on.
pub const KAFKAJS_CONTRACTS: &[(&str, &str)] = built_in!("contracts":
    "kafkajs-unguarded",
    "kafkajs-lock",
    "kafkajs-lock-scaled-time-out",
    "kafkajs-lock-without-time-out",
    "kafkajs-two-lists",
    "kafkajs-guard",
    "kafkajs-captured-manager",
    "kafkajs-partition-version",
);

/// Name and text of the scenarios of the Iggy family that are built in, in the order of the reports.
pub const SCENARIOS: &[(&str, &str)] = built_in!("scenarios":
    "disk-read-ends-after-purge",
    "refused-poll-can-be-repeated",
    "stale-last-polled-holds-up-a-join",
    "queued-automatic-store-crosses-purge",
    "queued-store-crosses-purge",
    "manual-commit-of-a-read-before-purge",
    "manual-commit-on-the-purged-partition",
    "send-after-acknowledged-purge",
    "poll-after-acknowledged-purge",
    "store-after-acknowledged-purge",
    "bookmark-returns-after-power-loss",
    "segment-returns-after-power-loss",
    "bookmark-cannot-be-unlinked",
    "power-lost-half-way-through-purge",
    "acknowledged-commit-and-power-loss",
    "successful-poll-is-no-durable-commit",
    "store-arrives-after-re-creation",
    "disk-read-ends-after-re-creation",
    "commit-read-before-re-creation",
    "commit-sent-again-after-re-creation",
    "ownership-lost-during-a-disk-read",
    "poll-in-flight-across-regaining",
    "parked-poll-and-reassignment",
    "delayed-commit-after-regaining",
    "abandoned-batch-committed-after-regaining",
    "commit-sent-again-after-refusal",
    "queued-store-crosses-reassignment",
    "join-under-a-pending-read",
    "join-takes-a-served-batch",
    "join-gets-a-drained-partition",
    "commit-that-knows-more-than-the-owner",
    "poll-that-knows-more-than-the-owner",
    "client-moves-past-messages-itself",
    "session-ends-with-a-commit-under-way",
    "join-elsewhere-in-the-group",
    "reply-lost-after-acceptance",
    "gateway-gives-up-before-completion",
    "completion-capacity-exhausted",
    "bookmark-from-before-a-purge",
    "bookmark-below-the-start-after-retention",
    "old-client-sends-no-identity",
    "old-client-commits-in-peace",
    "bookmark-above-the-head-after-power-loss",
    "completions-out-of-order",
    "store-beyond-the-head",
    "delete-of-a-missing-bookmark",
    "not-an-owner",
    "commit-by-a-former-member",
);

/// Name and text of the scenarios of the KafkaJS family that are built in, in the order of the reports.
pub const KAFKAJS_SCENARIOS: &[(&str, &str)] = built_in!("scenarios":
    "two-fetches-out-of-range",
    "recovery-waits-for-the-lock",
    "seek-and-the-commit-of-a-neighbour",
    "seek-against-an-older-lookup",
    "old-answer-fills-the-new-manager",
    "out-of-range-after-loss",
    "records-after-loss",
    "records-from-before-regaining",
    "records-of-a-kept-partition",
    "handler-outlives-its-topic",
    "round-outlives-its-topic",
);

/// A built-in scenario of the Iggy family by name.
///
/// # Errors
/// A [`Problem`] that names the nearest scenario.
pub fn scenario(name: &str) -> Result<Scenario, Problem> {
    let Some((name, text)) = SCENARIOS.iter().find(|(known, _)| *known == name) else {
        return Err(unknown("scenario", name, SCENARIOS.iter().map(|(known, _)| *known)));
    };
    parse_scenario(&format!("spec/scenarios/{name}.toml"), text)
}

/// A built-in scenario of the KafkaJS family by name.
///
/// # Errors
/// A [`Problem`] that names the nearest scenario.
pub fn kafkajs_scenario(name: &str) -> Result<kafkajs::scenario::Scenario, Problem> {
    let Some((name, text)) = KAFKAJS_SCENARIOS.iter().find(|(known, _)| *known == name) else {
        return Err(unknown("scenario", name, KAFKAJS_SCENARIOS.iter().map(|(known, _)| *known)));
    };
    kafkajs::scenario::parse_scenario(&format!("spec/scenarios/{name}.toml"), text)
}

/// The views of the Iggy family, in the order of the reports.
pub const VIEWS: &[&str] = &[
    "purge-with-pending-polls",
    "queued-operations-with-purge",
    "polls-with-reassignment",
    "commits-with-reassignment",
    "join-with-drain",
    "power-loss-during-purge",
    "restart",
    "delete-and-recreate",
    "three-aspects",
    "liveness",
];

/// The views for scale of the Iggy family: for measuring engines and reductions, not for judging contracts.
pub const SCALE_VIEWS: &[&str] = &["two-like-consumers"];

/// A built-in contract of the Iggy family by name.
///
/// # Errors
/// A [`Problem`] that names the nearest contract.
pub fn contract(name: &str) -> Result<Contract, Problem> {
    contract_of(name)
}

/// A built-in contract of a family by name.
///
/// # Errors
/// A [`Problem`] that names the nearest contract.
pub fn contract_of<F: Family>(name: &str) -> Result<Contract<F>, Problem> {
    let Some((name, text)) = F::CONTRACTS.iter().find(|(known, _)| *known == name) else {
        return Err(unknown("contract", name, F::CONTRACTS.iter().map(|(known, _)| *known)));
    };
    parse_contract(&format!("spec/contracts/{name}.toml"), text)
}

/// All built-in contracts of the Iggy family.
///
/// # Errors
/// A [`Problem`], if a built-in file is broken; a test excludes that.
pub fn contracts() -> Result<Vec<Contract>, Problem> {
    contracts_of()
}

/// All built-in contracts of a family.
///
/// # Errors
/// A [`Problem`], if a built-in file is broken; a test excludes that.
pub fn contracts_of<F: Family>() -> Result<Vec<Contract<F>>, Problem> {
    F::CONTRACTS.iter().map(|(name, _)| contract_of(name)).collect()
}

/// A problem with a word that names nothing.
pub fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let all = known.clone().collect::<Vec<_>>().join(", ");
    let help = match nearest(name, known) {
        Some(word) => format!("did you mean `{word}`? There are: {all}"),
        None => format!("there are: {all}"),
    };
    Problem::new(format!("there is no {kind} `{name}`")).with_help(help)
}

/// Demands that a word of a file is one of `known`.
pub(crate) fn expect_word(
    file: &str,
    text: &str,
    word: &Spanned<String>,
    known: &[&str],
    kind: &str,
) -> Result<(), Problem> {
    if known.contains(&word.get_ref().as_str()) {
        return Ok(());
    }
    let help = match nearest(word.get_ref(), known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("accepted: {}", known.join(", ")),
    };
    Err(Problem::at(file, text, word.span(), format!("unknown {kind} `{}`", word.get_ref())).with_help(help))
}
