//! Asks the referee and the compiled engine the same, and compares everything that they tell.

// Every test file that compiles this module uses a part of it.
#![allow(dead_code)]

use std::fmt::Debug;

use fencepost_checker::actor_system::ActorSystem;
use fencepost_checker::clause::{Clause, LivenessClause};
use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::{Guide, Unguided};
use fencepost_checker::plain::Plain;

/// What is explored.
pub struct Question<'a, M: ActorSystem> {
    pub system: &'a M,
    pub clauses: &'a [Clause<M>],
    pub liveness: &'a [LivenessClause<M>],
    pub limits: &'a Limits,
    /// Whether the boundary is the trivial one.
    pub is_unbounded: bool,
}

impl<M: ActorSystem<Action: Debug>> Question<'_, M> {
    /// Asks one engine.
    pub fn ask<G: Guide<M>>(&self, engine: &impl Engine<M>, guide: &G, threads: usize) -> Exploration<M, G> {
        let Question { system, clauses, liveness, limits, .. } = self;
        engine.explore(&Task { model: *system, guide, clauses, liveness, limits, threads, progress: &Quiet })
    }

    /// Asks both engines, the compiled one on any number of threads; gives what the referee says, or how they differ.
    pub fn compare<G: Guide<M>>(&self, guide: &G) -> Result<Exploration<M, G>, String> {
        let expected = self.ask(&Plain, guide, 1);
        let expected_text = text(&expected);
        let boundaries: &[bool] = if self.is_unbounded { &[false, true] } else { &[false] };
        for &is_unbounded in boundaries {
            for threads in [1, 2, 4] {
                let found = self.ask(&Compiled { is_unbounded }, guide, threads);
                let (place, found_text) = (format!("{threads} threads, is_unbounded: {is_unbounded}"), text(&found));
                if found_text != expected_text {
                    return Err(format!("{place}: {}", difference(&expected_text, &found_text)));
                }
                if found.furthest.1 != expected.furthest.1 {
                    return Err(format!("{place}: the furthest states are others"));
                }
            }
        }
        Ok(expected)
    }

    /// The same, of engines that must agree.
    ///
    /// # Panics
    /// If the engines differ.
    pub fn told<G: Guide<M>>(&self, guide: &G) -> Exploration<M, G> {
        self.compare(guide).unwrap_or_else(|difference| panic!("{difference}"))
    }
}

/// What an exploration without a guide tells, as text: nothing is finished or further than anything else.
pub fn text_without_guide<M: ActorSystem<Action: Debug>>(told: Exploration<M, Unguided>) -> String {
    text(&Exploration { furthest: (0, Vec::new(), None), ..told })
}

/// Everything that an exploration tells, as text, but the furthest states: the text of their sets has no fixed order.
pub fn text<M: ActorSystem<Action: Debug>, G: Guide<M>>(told: &Exploration<M, G>) -> String {
    let Exploration { states, transitions, depth, states_per_level, stopped, term_counts, findings, .. } = told;
    let (progress, furthest, way) = &told.furthest;
    format!(
        "{:#?}",
        (
            (("states", states), ("transitions", transitions), ("depth", depth), ("levels", states_per_level)),
            (("stopped", stopped), ("terms", term_counts), ("findings", findings)),
            (("finished", &told.finished), ("finished states", told.finished_states)),
            (("furthest", progress), furthest.len(), way),
        )
    )
}

/// Two texts, from a little before the first line that differs.
pub fn difference(expected: &str, found: &str) -> String {
    let same = expected.lines().zip(found.lines()).take_while(|(one, other)| one == other).count();
    let rest = |text: &str| text.lines().skip(same.saturating_sub(6)).take(30).collect::<Vec<_>>().join("\n");
    format!("expected ...\n{}\n, found ...\n{}", rest(expected), rest(found))
}
