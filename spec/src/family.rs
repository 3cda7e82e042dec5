//! Families of contracts: the same machinery of contracts, clauses and fences over different systems.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::de::DeserializeOwned;

use crate::clause::{CLAUSES, Change, Clause, ClauseName};
use crate::contract::{self, FenceAnswer};
use crate::fence::Fence;
use crate::library;
use crate::words::Word;

/// A family: systems that are alike enough to be described by the same choices, and judged by the same clauses.
pub trait Family: Copy + Debug + Default + PartialEq + Eq + Send + Sync + 'static {
    /// What it promises.
    type Clause: Word + DeserializeOwned;
    /// The checks that keep the promises.
    type Fence: Word + DeserializeOwned;
    /// What a contract chooses.
    type Choices: Choosing<Fence = Self::Fence>;

    /// The word for it in contract files and reports.
    const NAME: &'static str;
    /// Its views, in the order of the reports.
    const VIEWS: &'static [&'static str];
    /// Its views for scale, in the order of the reports: nobody answers for them, and they are explored only if they are named.
    const SCALE_VIEWS: &'static [&'static str];
    /// Name and text of the contracts that are built in; a contract comes after the one it builds on.
    const CONTRACTS: &'static [(&'static str, &'static str)];

    /// The promises, in the order of `Clause::ALL`.
    fn clauses() -> &'static [Clause<Self>];

    /// What a fence protects, in words.
    fn protects(fence: Self::Fence) -> &'static str;

    /// Whether it has a view with this name, for scale or not.
    fn has_view(name: &str) -> bool {
        Self::VIEWS.contains(&name) || Self::SCALE_VIEWS.contains(&name)
    }

    /// The promise with a name.
    fn clause(name: Self::Clause) -> &'static Clause<Self> {
        match Self::clauses().iter().find(|clause| clause.name == name) {
            Some(clause) => clause,
            None => unreachable!("every clause is in the table: {name}"),
        }
    }
}

/// The choices of a contract, without knowing which there are.
pub trait Choosing: Clone + Debug + PartialEq + Eq + Send + Sync + 'static {
    /// The fences of the family.
    type Fence: Word;
    /// Some of the choices, as a file states them.
    type Changed: DeserializeOwned;

    /// The choices after these changes.
    ///
    /// # Errors
    /// The key that is missing, if there is no contract to build on.
    fn over(changed: Self::Changed, base: Option<&Self>) -> Result<Self, &'static str>;

    /// The fences that exist, each with the answer it refuses with.
    fn fences(&self) -> &BTreeMap<Self::Fence, FenceAnswer>;

    /// The same, to change them.
    fn fences_mut(&mut self) -> &mut BTreeMap<Self::Fence, FenceAnswer>;

    /// Key and value of every choice, as words, in the order of the definition.
    fn words(&self) -> Vec<(&'static str, String)>;
}

/// Choices with one named change.
///
/// # Errors
/// A message, if the key or the value is unknown.
pub fn changed<F: Family>(choices: &F::Choices, change: Change<F>) -> Result<F::Choices, String> {
    match change {
        Change::Without(fence) => {
            let mut changed = choices.clone();
            changed.fences_mut().remove(&fence);
            Ok(changed)
        }
        Change::Choose(key, value) => changed_to(choices, key, value),
    }
}

/// Choices with another value, in the words of a contract's file, for one key.
pub(crate) fn changed_to<C: Choosing>(choices: &C, key: &str, value: &str) -> Result<C, String> {
    let quoted = if value == "true" || value == "false" { value.to_owned() } else { format!("\"{value}\"") };
    let changed = toml::from_str(&format!("{key} = {quoted}")).map_err(|error| error.message().to_owned())?;
    C::over(changed, Some(choices)).map_err(str::to_owned)
}

/// The family of Apache Iggy: the owner of a partition, and the clients around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iggy;

impl Family for Iggy {
    type Clause = ClauseName;
    type Fence = Fence;
    type Choices = contract::Choices;

    const NAME: &'static str = "iggy";
    const VIEWS: &'static [&'static str] = library::VIEWS;
    const SCALE_VIEWS: &'static [&'static str] = library::SCALE_VIEWS;
    const CONTRACTS: &'static [(&'static str, &'static str)] = library::CONTRACTS;

    fn clauses() -> &'static [Clause] {
        CLAUSES
    }

    fn protects(fence: Fence) -> &'static str {
        fence.description().protects
    }
}
