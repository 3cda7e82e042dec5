//! `--story CLAUSE[@VIEW]`.

use fencepost_checker::story::Story;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::diagnostic::Problem;

use crate::run::{ContractResult, ViewResult, shortest_breach};
use crate::select;

/// What a story is wanted about.
#[derive(Clone, Debug)]
pub(super) struct StoryRequest {
    /// The clause.
    pub clause: ClauseName,
    /// The view, if one was named.
    pub view: Option<&'static str>,
}

/// A story that was asked for, or why there is none.
pub(super) struct Told<'a> {
    /// The contract.
    pub contract: &'a str,
    /// The clause.
    pub clause: ClauseName,
    /// Where it was found.
    pub view: Option<&'a ViewResult>,
    /// The story; `None` if nothing exercises the clause there.
    pub story: Option<Story>,
}

/// Reads the requests; a view that is named must be among those that are explored.
pub(super) fn requests(texts: &[String], explored: &[&str]) -> Result<Vec<StoryRequest>, Problem> {
    texts.iter().map(|text| request(text, explored)).collect()
}

fn request(text: &str, explored: &[&str]) -> Result<StoryRequest, Problem> {
    let (clause, view) = match text.split_once('@') {
        Some((clause, view)) => (clause, Some(view)),
        None => (text, None),
    };
    let (clause, view) = (select::clause(clause)?, view.map(select::view).transpose()?);
    match view {
        Some(view) if !explored.is_empty() && !explored.contains(&view) => {
            let help = format!("add `--view {view}`, or leave out `--view`");
            Err(Problem::new(format!("a story of the view `{view}` is wanted, but it is not explored")).with_help(help))
        }
        _ => Ok(StoryRequest { clause, view }),
    }
}

/// Tells what was asked for about one contract.
pub(super) fn tell<'a>(request: &StoryRequest, result: &'a ContractResult) -> Told<'a> {
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
fn most_telling(result: &ContractResult, clause: ClauseName) -> Option<&ViewResult> {
    let views = || result.views.iter();
    let answered = shortest_breach(views().filter(|view| view.answered_for), clause);
    let violated = answered.or_else(|| shortest_breach(views(), clause)).map(|(view, _)| view);
    let has_witness = |view: &&ViewResult| view.clause(clause).is_some_and(|it| it.finding.witness.is_some());
    violated.or_else(|| views().find(has_witness)).or_else(|| views().find(|view| view.clause(clause).is_some()))
}

impl Told<'_> {
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
