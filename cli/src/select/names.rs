//! Views, clauses and fences by name, among those of one family or of several.

use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::{Choosing, Family, Iggy};
use fencepost_spec::fence::Fence;
use fencepost_spec::kafkajs::KafkaJs;
use fencepost_spec::library;
use fencepost_spec::words::Word;

fencepost_spec::words! {
    /// What a name can be the name of.
    pub enum NameKind {
        /// A view.
        View = "view",
        /// A clause.
        Clause = "clause",
        /// A fence.
        Fence = "fence",
    }
}

/// The names that a family knows.
pub struct Names {
    family: &'static str,
    views: Vec<&'static str>,
    clauses: Vec<&'static str>,
    fences: Vec<&'static str>,
}

impl Names {
    /// The names of a family.
    pub fn of<F: Family>() -> Self {
        Self { family: F::NAME, views: F::VIEWS.to_vec(), clauses: words::<F::Clause>(), fences: words::<F::Fence>() }
    }

    /// The names of a family for a command that also explores its views for scale.
    pub fn with_scale_views<F: Family>() -> Self {
        let mut names = Self::of::<F>();
        names.views.extend(F::SCALE_VIEWS);
        names
    }

    /// The names of one kind.
    pub fn all(&self, kind: NameKind) -> &[&'static str] {
        match kind {
            NameKind::View => &self.views,
            NameKind::Clause => &self.clauses,
            NameKind::Fence => &self.fences,
        }
    }

    /// Whether the family knows a name.
    pub fn has(&self, kind: NameKind, name: &str) -> bool {
        self.all(kind).contains(&name)
    }
}

fn words<W: Word>() -> Vec<&'static str> {
    W::ALL.iter().map(|value| value.word()).collect()
}

/// A name that one of some families knows.
///
/// # Errors
/// A [`Problem`] that names the nearest that these families know, or the family that the name is of.
pub fn among(kind: NameKind, name: &str, families: &[Names]) -> Result<&'static str, Problem> {
    let mut known: Vec<&'static str> = Vec::new();
    for word in families.iter().flat_map(|names| names.all(kind)) {
        if !known.contains(word) {
            known.push(word);
        }
    }
    if let Some(word) = known.iter().find(|word| **word == name) {
        return Ok(word);
    }
    let every = [Names::of::<Iggy>(), Names::of::<KafkaJs>()];
    Err(match every.iter().find(|names| names.has(kind, name)) {
        None => library::unknown(kind.word(), name, known.iter().copied()),
        Some(Names { family, .. }) => {
            Problem::new(format!("`{name}` is a {kind} of the family {family}, of which nothing is explored here"))
                .with_help(format!("there are: {}", known.join(", ")))
        }
    })
}

/// The view of the Iggy family with a name.
///
/// # Errors
/// A [`Problem`] that names the nearest view.
pub fn view(name: &str) -> Result<&'static str, Problem> {
    among(NameKind::View, name, &[Names::of::<Iggy>()])
}

/// The fence of the Iggy family with a name.
///
/// # Errors
/// A [`Problem`] that names the nearest fence.
pub fn fence(name: &str) -> Result<Fence, Problem> {
    among(NameKind::Fence, name, &[Names::of::<Iggy>()])?.parse().map_err(Problem::new)
}

/// Removes fences from contracts of a family; tells for each fence the contracts that had none.
///
/// # Errors
/// A [`Problem`], if no contract has a fence that is to be removed.
pub fn remove_fences<F: Family>(contracts: &mut [Contract<F>], fences: &[F::Fence]) -> Result<Vec<String>, Problem> {
    let mut remarks = Vec::new();
    for fence in fences {
        let without: Vec<&str> = contracts
            .iter()
            .filter(|contract| !contract.choices.fences().contains_key(fence))
            .map(|contract| contract.name.as_str())
            .collect();
        if without.len() == contracts.len() {
            let had: Vec<&str> = contracts
                .iter()
                .flat_map(|contract| contract.choices.fences().keys().map(|fence| fence.word()))
                .collect();
            let message = format!("none of the checked contracts has the fence `{fence}`");
            return Err(Problem::new(message).with_help(format!("there are: {}", each_once(had).join(", "))));
        }
        if !without.is_empty() {
            remarks.push(format!("no fence {fence} to remove in {}", without.join(", ")));
        }
    }
    for contract in contracts {
        contract.choices.fences_mut().retain(|fence, _| !fences.contains(fence));
    }
    Ok(remarks)
}

fn each_once(mut words: Vec<&str>) -> Vec<&str> {
    words.sort_unstable();
    words.dedup();
    words
}
