//! The stories of a scenario: a course from its start to its end, or to where it does not go on.

use fencepost_checker::clause::Judgement;
use fencepost_checker::describe::{Described, Transition};
use fencepost_checker::engine::Trace;
use fencepost_checker::story::{ReplayError, Story, replay, tidy_under};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::words::Word;

use super::family::Askable;
use crate::run::Action;

/// A clause that breaks in a course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenClause<C = ClauseName> {
    /// The clause.
    pub clause: C,
    /// The line of the story, from 1.
    pub line: usize,
    /// Why, in words.
    pub reason: String,
}

/// Tells a course that reaches the end of its scenario, and where clauses break in it.
pub(super) fn course<F: Askable>(
    model: &F::Model,
    guide: &F::Guide,
    trace: &Trace<Action<F>>,
    title: String,
) -> (Story, Vec<BrokenClause<F::Clause>>) {
    must(tidy_under(model, guide, trace).and_then(|trace| {
        let broken = broken_clauses::<F>(model, &trace)?;
        let text = |it: &BrokenClause<F::Clause>| format!("{} breaks in line {}: {}", it.clause, it.line, it.reason);
        let ending = match broken.is_empty() {
            true => "no clause breaks on the way".to_owned(),
            false => broken.iter().map(text).collect::<Vec<_>>().join("\n"),
        };
        Ok((Story::of(model, title, &trace, ending)?, broken))
    }))
}

/// Tells a course that does not reach the end.
pub(super) fn dead_end<F: Askable>(
    model: &F::Model,
    guide: &F::Guide,
    trace: &Trace<Action<F>>,
    title: String,
    obstacle: &str,
) -> Story {
    let ending = format!("it does not go on from here: {obstacle}");
    must(tidy_under(model, guide, trace).and_then(|trace| Story::of(model, title, &trace, ending)))
}

fn must<T>(told: Result<T, ReplayError>) -> T {
    match told {
        Ok(told) => told,
        Err(error) => unreachable!("a trace of a model under a guide can be told by them: {error}"),
    }
}

/// The first breach of each clause on the way.
fn broken_clauses<F: Askable>(
    model: &F::Model,
    trace: &Trace<Action<F>>,
) -> Result<Vec<BrokenClause<F::Clause>>, ReplayError> {
    let states = replay(model, trace)?;
    let mut broken: Vec<BrokenClause<F::Clause>> = Vec::new();
    let names = F::Clause::ALL.iter().copied().filter(|name| !F::clause(*name).liveness);
    let clauses: Vec<_> = names.zip(F::safety(model)).collect();
    for (index, (action, pair)) in trace.actions.iter().zip(states.windows(2)).enumerate() {
        let facts = model.facts(&pair[0], action, &pair[1]);
        let transition = Transition { before: &pair[0], action, after: &pair[1], facts: &facts };
        for (name, clause) in &clauses {
            match clause.judge(&transition) {
                Judgement::Broken(reason) if broken.iter().all(|known| known.clause != *name) => {
                    broken.push(BrokenClause { clause: *name, line: index + 1, reason });
                }
                _ => {}
            }
        }
    }
    Ok(broken)
}
