//! What a search found, in the words of [`crate::engine`].

use stateright::Model;

use crate::actor_system::ActorSystem;
use crate::clause::{Judgement, LivenessClause};
use crate::describe::Transition;
use crate::engine::{Breach, Exploration, Finding, Trace};
use crate::guide::Guide;
use crate::liveness::{Edge, Edges, Graph, Lasso, Turn, Waiting};

use super::Search;
use super::counts::{Count, Counts, Step};
use super::expand::Scratch;
use super::intern::NOTHING;
use super::step::Kind;
use super::symmetry::{Form, Images};
use super::tables::Tables;

impl<M: ActorSystem, G: Guide<M>> Search<'_, M, G> {
    /// Tells what the search found.
    pub(super) fn into_exploration(self) -> Exploration<M, G> {
        let counts = self.merged_counts();
        let mut findings: Vec<_> = (0..self.task.clauses.len()).map(|clause| self.finding(clause, &counts)).collect();
        findings.extend(self.liveness_findings());
        let furthest = self.reached.furthest.iter().map(|number| {
            let row = self.row(*number);
            (self.tables.whole(&row), (*self.tables.guide_state(&row)).clone())
        });
        Exploration {
            states: u64::from(self.len()),
            transitions: counts.transitions(),
            depth: (self.levels.len() as u32).saturating_sub(1),
            finished: self.reached.first_finished.map(|number| self.trace(number)),
            term_counts: self.term_counts(&counts),
            stopped: self.stopped,
            findings,
            finished_states: self.reached.finished_states,
            furthest: (
                self.reached.progress,
                furthest.collect(),
                self.reached.furthest.first().map(|first| self.trace(*first)),
            ),
            states_per_level: self.levels,
        }
    }

    fn term_counts(&self, counts: &Counts) -> Vec<u64> {
        let mut terms = vec![0; self.tables.terms];
        for (class, count) in self.tables.classes.read().list().iter().zip(&counts.classes) {
            for term in &class.terms {
                terms[*term] += count.transitions;
            }
        }
        terms
    }

    fn row(&self, number: u32) -> Vec<u32> {
        let mut row = Vec::new();
        self.load(number, &mut Images::default(), &mut row);
        row
    }

    /// The transitions of a state, in order: event and successor.
    pub(super) fn transitions(&self, from: u32) -> Vec<(u32, u32)> {
        let (mut transitions, mut scratch, mut row) = (Vec::new(), Scratch::default(), Vec::new());
        let mut images = Images::default();
        self.load(from, &mut images, &mut scratch.row);
        self.tables.successors(self.boundary(), &mut scratch, |successor| {
            let Form { hash, turn } = self.form(&images, &successor);
            row.clear();
            self.write_form(&images, &successor, turn, &mut row);
            // After a stop some that were found have numbers, and no place among the states.
            let is_same = |number| number < self.len() && self.states.is(number, &row);
            let found = self.visited.find(hash, is_same);
            transitions.push((successor.event, found.unwrap_or(NOTHING)));
        });
        transitions.sort_by_key(|(event, _)| self.tables.order(*event));
        transitions
    }

    /// The first found, and so a shortest, way to a state.
    fn trace(&self, number: u32) -> Trace<M::Action> {
        let (mut at, mut actions) = (number, Vec::new());
        loop {
            let parent = self.parents.first_cell(at);
            if parent == NOTHING {
                break;
            }
            let first = self.transitions(parent).into_iter().find(|(_, successor)| *successor == at);
            actions.extend(first.map(|(event, _)| self.tables.action(event)));
            at = parent;
        }
        actions.reverse();
        Trace { initial: 0, actions, loop_start: None }
    }

    /// The shortest way to take a step.
    fn trace_of_step(&self, step: Step) -> Trace<M::Action> {
        let mut trace = self.trace(step.from);
        trace.actions.push(self.tables.action(step.event));
        trace
    }

    fn finding(&self, clause: usize, counts: &Counts) -> Finding<M::Action> {
        let [upheld, broken] = self.became_of(clause, counts);
        let breach = |step: Step| Breach {
            reason: self.tables.reason(clause, &self.row(step.from), step.event),
            trace: self.trace_of_step(step),
        };
        Finding {
            clause: self.task.clauses[clause].name.clone(),
            exercised: upheld.transitions + broken.transitions,
            witness: upheld.first.map(|step| self.trace_of_step(step)),
            broken: broken.first.map(breach),
        }
    }

    /// The transitions that upheld a clause, and those that broke it.
    fn became_of(&self, clause: usize, counts: &Counts) -> [Count; 2] {
        let mut became = counts.seen[clause];
        for (class, count) in self.tables.classes.read().list().iter().zip(&counts.classes) {
            match class.kinds[clause] {
                Kind::Silent | Kind::Depends => {}
                Kind::Upheld => self.tables.add_count(&mut became[0], count),
                Kind::Broken => self.tables.add_count(&mut became[1], count),
            }
        }
        became
    }

    /// Judges the liveness clauses, which takes the whole graph: after an early stop only their waiting states are counted.
    fn liveness_findings(&self) -> Vec<Finding<M::Action>> {
        if self.task.liveness.is_empty() {
            return Vec::new();
        }
        let edges = self.stopped.is_none().then(|| self.edges());
        let fair: Vec<bool> = (0..self.tables.terms).map(|term| self.task.model.is_fair(term)).collect();
        let is_cut = |number: u32| self.tables.is_cut(&self.row(number));
        let graph = edges.as_ref().map(|edges| Graph { edges, fair: &fair, is_cut: &is_cut });
        self.task.liveness.iter().map(|clause| self.liveness_finding(clause, graph.as_ref())).collect()
    }

    /// All transitions, found once more.
    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for from in 0..self.len() {
            for (action, (event, to)) in (0..).zip(self.transitions(from)) {
                let term = self.task.model.action_term(&self.tables.action(event)) as u32;
                edges.push(from, Edge { to, term, action });
            }
        }
        edges.finish(self.len());
        edges
    }

    fn liveness_finding(&self, clause: &LivenessClause<M>, graph: Option<&Graph<'_>>) -> Finding<M::Action> {
        let mut waiting = Waiting::new(clause.obligations);
        for number in 0..self.len() {
            let state = self.tables.whole(&self.row(number));
            waiting.add(|obligation| clause.waits(&state, obligation));
        }
        let shortest = graph.and_then(|graph| waiting.shortest_lasso(graph));
        let broken = shortest.map(|lasso| Breach { reason: clause.reason.clone(), trace: self.trace_of_lasso(&lasso) });
        Finding { clause: clause.name.clone(), exercised: waiting.states(), witness: None, broken }
    }

    fn trace_of_lasso(&self, lasso: &Lasso) -> Trace<<M as Model>::Action> {
        let mut trace = self.trace(lasso.entry);
        trace.loop_start = Some(trace.actions.len());
        let event = |turn: &Turn| self.transitions(turn.from)[turn.action as usize].0;
        trace.actions.extend(lasso.turns.iter().map(|turn| self.tables.action(event(turn))));
        trace
    }
}

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// Why an event in the state of a row breaks a clause: judged once more, on the whole states.
    ///
    /// # Panics
    /// If it cannot be taken there, or does not break the clause.
    pub(super) fn reason(&self, clause: usize, row: &[u32], event: u32) -> String {
        let (model, before, action) = (self.system, self.whole(row), self.action(event));
        let Some(after) = model.next_state(&before, action.clone()) else {
            unreachable!("a step that was taken can be taken again")
        };
        let facts = model.facts(&before, &action, &after);
        let transition = Transition { before: &before, action: &action, after: &after, facts: &facts };
        match self.clauses[clause].judge(&transition) {
            Judgement::Broken(reason) => reason,
            other => unreachable!("a judgement depends on what its clause says that it reads, not {other:?}"),
        }
    }
}
