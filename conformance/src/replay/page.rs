//! The page of a divergence: everything that somebody needs who has not seen the run, in three forms.
//!
//! [`Page::of`] tells a [`Divergence`] in words of people. [`Page::text`] is for a terminal, [`Page::markdown`] for an issue, and a page
//! can be serialized as an entry of `divergences` in a JSON report.

mod answers;
mod calls;
mod change;
mod changes;
mod differences;
mod form;
mod pasted;
mod story;
mod tell;
mod wrap;

pub use change::ChangeOfContract;
pub use changes::Change;
pub use differences::Group;
pub use story::Line;

use fencepost_driver::World;
use fencepost_spec::clause::ClauseName;
use serde::Serialize;

use super::divergence::{Divergence, DivergenceKind};

/// Columns that a page in text uses at most.
pub const WIDTH_COLUMNS: usize = 120;

/// A divergence, told. Serialized, it is an entry of `divergences` in a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page {
    /// How the implementation leaves the contract.
    pub kind: DivergenceKind,
    /// The clause that it leaves, if one can be named.
    pub clause: Option<ClauseName>,
    /// How many things happen until it shows.
    pub steps: usize,
    /// Whether it is a known deviation.
    pub known: bool,
    /// The issue of the known deviation.
    pub known_link: Option<String>,
    /// The contract.
    pub contract: String,
    /// The view in whose bounds it was found.
    pub view: String,
    /// Name and version of the implementation.
    pub subject: String,
    /// Everything above in one sentence.
    pub title: String,
    /// What the clause promises, one sentence.
    pub promise: Option<String>,
    /// The world at the start, in words.
    pub start: String,
    /// What happened, the step that diverges last.
    pub story: Vec<Line>,
    /// What was seen there and what was allowed, by field; the first of them is the first that differs.
    pub differences: Vec<Group>,
    /// The change of the contract that would allow it, if one was found.
    pub change: Option<ChangeOfContract>,
    /// How many steps the trace had before it was shrunk.
    pub steps_before_shrinking: usize,
    /// The world at the start, as a driver is told.
    pub world: World,
    /// The command that finds it again.
    pub command: String,
    /// A Rust test that shows it, written against the trait `Subject` only.
    pub test: String,
}

impl Page {
    /// Tells a divergence.
    pub fn of(divergence: &Divergence) -> Self {
        let Divergence { contract, view, subject, world, found, blame, .. } = divergence;
        let kind = found.first().kind;
        let clause = blame.clause;
        let left = match clause {
            Some(clause) => format!("clause {clause} is left"),
            None => "the contract is left".to_owned(),
        };
        let title = format!("{contract}: {left} ({kind}) by {subject} in view {view}");
        let story = story::story(world, &found.transcript, kind);
        let test = pasted::test(divergence, &title);
        Self {
            kind,
            clause,
            steps: divergence.steps(),
            known: divergence.known.is_some(),
            known_link: divergence.known.clone(),
            contract: contract.clone(),
            view: view.clone(),
            subject: subject.clone(),
            title,
            promise: clause.map(|clause| clause.clause().promise.to_owned()),
            start: story::start(world, contract),
            story,
            differences: differences::groups(&found.differences),
            change: blame.different.as_ref().map(|different| ChangeOfContract::of(different, contract, world)),
            steps_before_shrinking: divergence.steps_before_shrinking,
            world: world.clone(),
            command: divergence.command.clone(),
            test,
        }
    }

    /// The page for a terminal, in lines of at most [`WIDTH_COLUMNS`] columns, as far as words allow.
    pub fn text(&self) -> String {
        form::text(self)
    }

    /// The page for an issue, with the story as a Mermaid sequence diagram, too.
    pub fn markdown(&self) -> String {
        form::markdown(self)
    }
}
