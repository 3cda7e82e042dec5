//! What a search found, in the words of [`crate::engine`].

use stateright::Model;

use crate::clause::LivenessClause;
use crate::describe::Described;
use crate::engine::{Breach, Exploration, Finding, Trace};
use crate::guide::Guide;
use crate::liveness::{Graph, Lasso, Waiting};

use super::Search;
use super::expand::{Step, Tally};

impl<M: Described, G: Guide<M>> Search<'_, M, G> {
    /// Tells what the search found.
    pub(super) fn into_exploration(mut self) -> Exploration<M, G> {
        let tallies = std::mem::take(&mut self.counts.clauses);
        let mut findings: Vec<_> = tallies
            .into_iter()
            .zip(self.task.clauses)
            .map(|(tally, clause)| self.finding(clause.name.clone(), tally))
            .collect();
        findings.extend(self.liveness_findings());
        let states = self.reached.furthest.iter().map(|&id| {
            let node = self.store.node(id);
            (node.state.clone(), node.guide.clone())
        });
        let furthest =
            (self.reached.progress, states.collect(), self.reached.furthest.first().map(|&id| self.trace(id)));
        Exploration {
            states: u64::from(self.store.len()),
            transitions: self.counts.transitions,
            depth: (self.levels.len() as u32).saturating_sub(1),
            finished: self.reached.first_finished.map(|id| self.trace(id)),
            states_per_level: self.levels,
            stopped: self.stopped,
            term_counts: self.counts.terms,
            findings,
            finished_states: self.reached.finished_states,
            furthest,
        }
    }

    fn trace(&self, id: u32) -> Trace<M::Action> {
        self.store.trace(self.task.model, id)
    }

    /// The shortest way to take a step.
    fn trace_of_step(&self, step: Step) -> Trace<M::Action> {
        let mut trace = self.trace(step.from);
        trace.actions.extend(self.store.action(self.task.model, step.from, step.action));
        trace
    }

    fn finding(&self, clause: String, tally: Tally) -> Finding<M::Action> {
        let broken = tally.broken.map(|(step, reason)| Breach { reason, trace: self.trace_of_step(step) });
        let witness = tally.upheld.map(|step| self.trace_of_step(step));
        Finding { clause, exercised: tally.exercised, witness, broken }
    }

    /// Judges the liveness clauses, which takes the whole graph: after an early stop only their waiting states are counted.
    fn liveness_findings(&mut self) -> Vec<Finding<M::Action>> {
        if self.task.liveness.is_empty() {
            return Vec::new();
        }
        self.edges.finish(self.store.len());
        let fair: Vec<bool> = (0..self.counts.terms.len()).map(|term| self.task.model.is_fair(term)).collect();
        let is_cut = |id: u32| {
            let guide = self.task.guide;
            guide.stops_when_finished() && guide.is_finished(&self.store.node(id).guide)
        };
        let graph = Graph { edges: &self.edges, fair: &fair, is_cut: &is_cut };
        self.task.liveness.iter().map(|clause| self.liveness_finding(clause, &graph)).collect()
    }

    fn liveness_finding(&self, clause: &LivenessClause<M>, graph: &Graph<'_>) -> Finding<M::Action> {
        let mut waiting = Waiting::new(clause.obligations);
        for node in self.store.nodes() {
            waiting.add(|obligation| clause.waits(&node.state, obligation));
        }
        let shortest = self.stopped.is_none().then(|| waiting.shortest_lasso(graph)).flatten();
        let broken = shortest.map(|lasso| Breach { reason: clause.reason.clone(), trace: self.trace_of_lasso(&lasso) });
        Finding { clause: clause.name.clone(), exercised: waiting.states(), witness: None, broken }
    }

    fn trace_of_lasso(&self, lasso: &Lasso) -> Trace<<M as Model>::Action> {
        let mut trace = self.trace(lasso.entry);
        trace.loop_start = Some(trace.actions.len());
        let actions = lasso.turns.iter().map(|turn| self.store.action(self.task.model, turn.from, turn.action));
        trace.actions.extend(actions.flatten());
        trace
    }
}
