//! Contract files: parsed strictly, and laid over the contract that they build on.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{contract_of, expect_word};
use crate::contract::{CONTRACT_FORMAT, Contract, Expectation, ExpectedVerdict, FenceAnswer, Impossible};
use crate::diagnostic::{Problem, parse_toml};
use crate::family::{Choosing, Family};
use crate::reply::Code;
use crate::words::Word;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound = "")]
struct ContractFile<F: Family> {
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
    choices: Spanned<<F::Choices as Choosing>::Changed>,
    #[serde(default)]
    fences: BTreeMap<F::Fence, Spanned<FenceSetting>>,
    expected: Spanned<BTreeMap<F::Clause, ExpectationFile>>,
    #[serde(default)]
    impossible: Vec<Impossible>,
    #[serde(default)]
    implied_by: BTreeMap<F::Fence, F::Fence>,
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

/// Reads a contract file.
///
/// # Errors
/// A [`Problem`] with file, line, column, the offending text and what would be accepted.
pub fn parse_contract<F: Family>(file: &str, text: &str) -> Result<Contract<F>, Problem> {
    let parsed: ContractFile<F> = parse_toml(file, text)?;
    let at = |place: &std::ops::Range<usize>, message: String| Problem::at(file, text, place.clone(), message);
    expect_word(file, text, &parsed.format, &[CONTRACT_FORMAT], "format")?;
    expect_word(file, text, &parsed.family, &[F::NAME], "family")?;
    let base = match &parsed.builds_on {
        None => None,
        Some(name) if name.get_ref() == parsed.name.get_ref() => {
            return Err(at(&name.span(), "a contract cannot build on itself".to_owned()));
        }
        Some(name) => {
            let known: Vec<&str> = F::CONTRACTS.iter().map(|(known, _)| *known).collect();
            expect_word(file, text, name, &known, "contract")?;
            Some(contract_of::<F>(name.get_ref())?)
        }
    };
    for view in &parsed.answers_for {
        expect_word(file, text, view, F::VIEWS, "view")?;
    }
    let choices_place = parsed.choices.span();
    let changed = parsed.choices.into_inner();
    let mut choices = F::Choices::over(changed, base.as_ref().map(|base: &Contract<F>| &base.choices))
        .map_err(|key| at(&choices_place, format!("the choice `{key}` is missing, and there is no `builds_on`")))?;
    let mut stated = Vec::new();
    for (fence, setting) in &parsed.fences {
        stated.push(fence.word().to_owned());
        match fence_answer(setting.get_ref()) {
            Ok(Some(answer)) => choices.fences_mut().insert(*fence, answer),
            Ok(None) => choices.fences_mut().remove(fence),
            Err(message) => return Err(at(&setting.span(), message)),
        };
    }
    if let Some(base) = &base {
        let before = base.choices.words();
        stated.extend(choices.words().into_iter().filter(|word| !before.contains(word)).map(|(key, _)| key.to_owned()));
    }
    let expected = expectations::<F>(file, text, parsed.expected)?;
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

fn expectations<F: Family>(
    file: &str,
    text: &str,
    parsed: Spanned<BTreeMap<F::Clause, ExpectationFile>>,
) -> Result<BTreeMap<F::Clause, Expectation>, Problem> {
    let place = parsed.span();
    let parsed = parsed.into_inner();
    if let Some(missing) = F::Clause::ALL.iter().find(|clause| !parsed.contains_key(clause)) {
        return Err(Problem::at(file, text, place, format!("no expectation for the clause `{missing}`"))
            .with_help("every contract states the expected verdict of every clause"));
    }
    let mut expected = BTreeMap::new();
    for (clause, entry) in parsed {
        let mut views = BTreeMap::new();
        for (view, verdict) in entry.views {
            expect_word(file, text, &view, F::VIEWS, "view")?;
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

/// The family that a contract file names, if it is readable enough to tell: which parser is to read it.
pub fn family_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Header {
        family: String,
    }
    toml::from_str::<Header>(text).ok().map(|header| header.family)
}
