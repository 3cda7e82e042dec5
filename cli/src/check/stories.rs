//! `--story CLAUSE[@VIEW]`.

use fencepost_checker::story::Story;
use fencepost_models::family::ModelledFamily;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::Family;

use crate::run::{ContractResult, ViewResult, shortest_breach};
use crate::select::{NameKind, Names, among};

/// The names of a clause and a view about which a story is wanted, as one of the checked families knows them.
pub(super) struct StoryName {
    clause: &'static str,
    view: Option<&'static str>,
}

/// What a story is wanted about, in one family.
pub(super) struct StoryRequest<F: Family> {
    /// The clause.
    pub clause: F::Clause,
    /// The view, if one was named.
    pub view: Option<&'static str>,
}

/// A story that was asked for, or why there is none.
pub(super) struct Told<'a, F: ModelledFamily> {
    /// The contract.
    pub contract: &'a str,
    /// The clause.
    pub clause: F::Clause,
    /// Where it was found.
    pub view: Option<&'a ViewResult<F>>,
    /// The story; `None` if nothing exercises the clause there.
    pub story: Option<Story>,
}

/// Reads `CLAUSE[@VIEW]`: one of the checked families must know both, and a view that is named must be among those that are
/// explored.
pub(super) fn name(text: &str, families: &[Names], explored: &[&str]) -> Result<StoryName, Problem> {
    let (clause, view) = match text.split_once('@') {
        Some((clause, view)) => (clause, Some(view)),
        None => (text, None),
    };
    let clause = among(NameKind::Clause, clause, families)?;
    let view = view.map(|view| among(NameKind::View, view, families)).transpose()?;
    let is_of = |names: &Names, view: &str| names.has(NameKind::Clause, clause) && names.has(NameKind::View, view);
    match view {
        Some(view) if !explored.is_empty() && !explored.contains(&view) => {
            let help = format!("add `--view {view}`, or leave out `--view`");
            Err(Problem::new(format!("a story of the view `{view}` is wanted, but it is not explored")).with_help(help))
        }
        Some(view) if !families.iter().any(|names| is_of(names, view)) => {
            Err(Problem::new(format!("no family has both the clause `{clause}` and the view `{view}`")))
        }
        _ => Ok(StoryName { clause, view }),
    }
}

impl StoryName {
    /// What is wanted of a family; nothing, if it does not know the names.
    pub(super) fn in_family<F: Family>(&self) -> Option<StoryRequest<F>> {
        let is_known = self.view.is_none_or(F::has_view);
        let clause = self.clause.parse().ok().filter(|_| is_known)?;
        Some(StoryRequest { clause, view: self.view })
    }
}

/// Tells what was asked for about one contract.
pub(super) fn tell<'a, F: ModelledFamily>(request: &StoryRequest<F>, result: &'a ContractResult<F>) -> Told<'a, F> {
    let clause = request.clause;
    let contract = result.contract.name.as_str();
    let view = match request.view {
        Some(name) => result.view(name),
        None => most_telling(result, clause),
    };
    let story = view.and_then(|view| {
        let title = format!("{clause} in {contract}@{}: {}", view.view.name, view.verdict(clause));
        view.story(clause, &title)
    });
    Told { contract, clause, view, story }
}

/// The view with the shortest violation, those that the contract answers for first; failing that one with a witness.
fn most_telling<F: ModelledFamily>(result: &ContractResult<F>, clause: F::Clause) -> Option<&ViewResult<F>> {
    let views = || result.views.iter();
    let answered = shortest_breach(views().filter(|view| view.answered_for), clause);
    let violated = answered.or_else(|| shortest_breach(views(), clause)).map(|(view, _)| view);
    let has_witness = |view: &&ViewResult<F>| view.clause(clause).is_some_and(|it| it.finding.witness.is_some());
    violated.or_else(|| views().find(has_witness)).or_else(|| views().find(|view| view.clause(clause).is_some()))
}

impl<F: ModelledFamily> Told<'_, F> {
    /// What is said where there is no story.
    pub(super) fn absence(&self) -> String {
        let Self { contract, clause, view, .. } = self;
        match view {
            Some(view) => format!(
                "{clause} in {contract}@{}: {}; there is no step to tell of",
                view.view.name,
                view.verdict(*clause)
            ),
            None => format!("{clause} in {contract}: not checked in the explored views"),
        }
    }
}
