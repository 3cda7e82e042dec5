//! The contracts and scenarios that are built in, and the loader of contract files.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::clause::ClauseName;
use crate::contract::{
    CONTRACT_FORMAT, ChangedChoices, Contract, Expectation, ExpectedVerdict, FenceAnswer, Impossible,
};
use crate::diagnostic::{Problem, nearest, parse_toml};
use crate::fence::Fence;
use crate::reply::Code;
use crate::scenario::{Scenario, parse_scenario};

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

/// Name and text of the scenarios that are built in, in the order of the reports.
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

/// A built-in scenario by name.
///
/// # Errors
/// A [`Problem`] that names the nearest scenario.
pub fn scenario(name: &str) -> Result<Scenario, Problem> {
    let Some((name, text)) = SCENARIOS.iter().find(|(known, _)| *known == name) else {
        return Err(unknown("scenario", name, SCENARIOS.iter().map(|(known, _)| *known)));
    };
    parse_scenario(&format!("spec/scenarios/{name}.toml"), text)
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ContractFile {
    format: Spanned<String>,
    name: Spanned<String>,
    family: Spanned<String>,
    title: String,
    builds_on: Option<Spanned<String>>,
    sources: Vec<String>,
    #[serde(default)]
    visible_changes: Vec<String>,
    #[serde(default)]
    costs: Vec<String>,
    answers_for: Vec<Spanned<String>>,
    choices: Spanned<ChangedChoices>,
    #[serde(default)]
    fences: BTreeMap<Fence, Spanned<FenceSetting>>,
    expected: Spanned<BTreeMap<ClauseName, ExpectationFile>>,
    #[serde(default)]
    impossible: Vec<Impossible>,
    #[serde(default)]
    implied_by: BTreeMap<Fence, Fence>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FenceSetting {
    Code(u16),
    Word(String),
    Exists(bool),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectationFile {
    verdict: ExpectedVerdict,
    because: String,
    link: String,
    #[serde(default)]
    views: BTreeMap<Spanned<String>, ExpectedVerdict>,
}

/// A built-in contract by name.
///
/// # Errors
/// A [`Problem`] that names the nearest contract.
pub fn contract(name: &str) -> Result<Contract, Problem> {
    let Some((name, text)) = CONTRACTS.iter().find(|(known, _)| *known == name) else {
        return Err(unknown("contract", name, CONTRACTS.iter().map(|(known, _)| *known)));
    };
    parse_contract(&format!("spec/contracts/{name}.toml"), text)
}

/// All built-in contracts.
///
/// # Errors
/// A [`Problem`], if a built-in file is broken; a test excludes that.
pub fn contracts() -> Result<Vec<Contract>, Problem> {
    CONTRACTS.iter().map(|(name, _)| contract(name)).collect()
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

/// Reads a contract file.
///
/// # Errors
/// A [`Problem`] with file, line, column, the offending text and what would be accepted.
pub fn parse_contract(file: &str, text: &str) -> Result<Contract, Problem> {
    let parsed: ContractFile = parse_toml(file, text)?;
    let at = |place: &std::ops::Range<usize>, message: String| Problem::at(file, text, place.clone(), message);
    expect_word(file, text, &parsed.format, &[CONTRACT_FORMAT], "format")?;
    expect_word(file, text, &parsed.family, &["iggy"], "family")?;
    let base = match &parsed.builds_on {
        None => None,
        Some(name) if name.get_ref() == parsed.name.get_ref() => {
            return Err(at(&name.span(), "a contract cannot build on itself".to_owned()));
        }
        Some(name) => {
            let known: Vec<&str> = CONTRACTS.iter().map(|(known, _)| *known).collect();
            expect_word(file, text, name, &known, "contract")?;
            Some(contract(name.get_ref())?)
        }
    };
    for view in &parsed.answers_for {
        expect_word(file, text, view, VIEWS, "view")?;
    }
    let choices_place = parsed.choices.span();
    let mut choices = parsed
        .choices
        .into_inner()
        .over(base.as_ref().map(|base| &base.choices))
        .map_err(|key| at(&choices_place, format!("the choice `{key}` is missing, and there is no `builds_on`")))?;
    let mut stated = Vec::new();
    for (fence, setting) in &parsed.fences {
        stated.push(fence.word().to_owned());
        match fence_answer(setting.get_ref()) {
            Ok(Some(answer)) => choices.fences.insert(*fence, answer),
            Ok(None) => choices.fences.remove(fence),
            Err(message) => return Err(at(&setting.span(), message)),
        };
    }
    if let Some(base) = &base {
        let before = base.choices.words();
        stated.extend(choices.words().into_iter().filter(|word| !before.contains(word)).map(|(key, _)| key.to_owned()));
    }
    let expected = expectations(file, text, parsed.expected)?;
    Ok(Contract {
        name: parsed.name.into_inner(),
        title: parsed.title,
        builds_on: parsed.builds_on.map(Spanned::into_inner),
        sources: parsed.sources,
        visible_changes: parsed.visible_changes,
        costs: parsed.costs,
        answers_for: parsed.answers_for.into_iter().map(Spanned::into_inner).collect(),
        choices,
        stated,
        expected,
        impossible: parsed.impossible,
        implied_by: parsed.implied_by,
    })
}

fn expectations(
    file: &str,
    text: &str,
    parsed: Spanned<BTreeMap<ClauseName, ExpectationFile>>,
) -> Result<BTreeMap<ClauseName, Expectation>, Problem> {
    let place = parsed.span();
    let parsed = parsed.into_inner();
    if let Some(missing) = ClauseName::ALL.iter().find(|clause| !parsed.contains_key(clause)) {
        return Err(Problem::at(file, text, place, format!("no expectation for the clause `{missing}`"))
            .with_help("every contract states the expected verdict of every clause"));
    }
    let mut expected = BTreeMap::new();
    for (clause, entry) in parsed {
        let mut views = BTreeMap::new();
        for (view, verdict) in entry.views {
            expect_word(file, text, &view, VIEWS, "view")?;
            views.insert(view.into_inner(), verdict);
        }
        let expectation = Expectation { verdict: entry.verdict, because: entry.because, link: entry.link, views };
        expected.insert(clause, expectation);
    }
    Ok(expected)
}

fn fence_answer(setting: &FenceSetting) -> Result<Option<FenceAnswer>, String> {
    match setting {
        FenceSetting::Code(code) if Code(*code).meaning().is_some() => Ok(Some(FenceAnswer::Code(Code(*code)))),
        FenceSetting::Code(code) => Err(format!("{code} is no code of the table of replies")),
        FenceSetting::Word(word) if word == "sentinel" => Ok(Some(FenceAnswer::Sentinel)),
        FenceSetting::Exists(true) => Ok(Some(FenceAnswer::Silent)),
        FenceSetting::Exists(false) => Ok(None),
        FenceSetting::Word(word) => Err(format!(
            "`{word}` is no answer; accepted: a code, \"sentinel\", true (no answer), false (no such fence)"
        )),
    }
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
