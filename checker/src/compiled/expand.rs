//! The successors of a state, by look-ups.

use crate::actor_system::{ActorSystem, Elsewhere};
use crate::clause::Reads;
use crate::describe::Transition;
use crate::guide::Guide;

use super::intern::{NOTHING, mix};
use super::judged::Judged;
use super::network::NetworkKind;
use super::settled::pair;
use super::states::States;
use super::step::{Kind, Outcome};
use super::tables::{Tables, delivery_of};
use super::visited::Visited;

/// A transition out of a state.
pub(super) struct Successor<'a> {
    /// The event that is taken.
    pub(super) event: u32,
    /// The number of the transition's class.
    pub(super) class: u32,
    /// What the clauses say that had to see the whole state.
    pub(super) seen: &'a [(usize, Kind)],
    /// The hash of the state it leads to.
    pub(super) hash: u64,
    /// The cells that change, each once.
    pub(super) changes: &'a [Change],
    before: &'a [u32],
}

impl Successor<'_> {
    /// The situation of the acting actor before and after, if it changes.
    #[inline]
    pub(super) fn changed_actor(&self, actors: usize) -> Option<(u32, u32)> {
        // The acting actor comes first, and no other actor changes.
        let change = self.changes.first().filter(|change| (change.column as usize) < actors)?;
        Some((change.column, change.cell))
    }

    /// The cells that it changes: column, before and after.
    #[inline]
    pub(super) fn changes(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        self.changes.iter().map(|change| {
            let column = change.column as usize;
            (column, self.before[column], change.cell)
        })
    }

    /// Adds the row of the state that the transition leads to.
    #[inline]
    pub(super) fn write_to(&self, rows: &mut Vec<u32>) {
        let start = rows.len();
        rows.extend_from_slice(self.before);
        for change in self.changes {
            rows[start + change.column as usize] = change.cell;
        }
    }
}

/// A cell of a row that a transition changes.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) column: u32,
    /// What stands there afterwards.
    pub(super) cell: u32,
}

/// Memory that is used again and again; one a thread.
#[derive(Default)]
pub(super) struct Scratch {
    /// The state that is expanded.
    pub(super) row: Vec<u32>,
    possible: Vec<Possible>,
    changes: Vec<Change>,
    seen: Vec<(usize, Kind)>,
    judged: Judged,
}

impl Scratch {
    /// The state after the changes.
    fn after(&self) -> Vec<u32> {
        let mut row = self.row.clone();
        for change in &self.changes {
            row[change.column as usize] = change.cell;
        }
        row
    }
}

/// An event that can happen to the actor of a column, and what it leads to.
#[derive(Clone, Copy)]
struct Possible {
    column: u32,
    event: u32,
    outcome: Outcome,
}

/// A column that no actor has: that of an event without an actor.
const NO_ACTOR: u32 = u32::MAX;

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// Visits the transitions out of the state in `scratch.row`, in no particular order.
    pub(super) fn successors(
        &self,
        boundary: Option<Boundary<'_>>,
        scratch: &mut Scratch,
        mut visit: impl FnMut(Successor<'_>),
    ) {
        if self.is_cut(&scratch.row) {
            return;
        }
        // Listed first and taken then, so that the processor can wait for several look-ups at once.
        scratch.possible.clear();
        self.list_deliveries(scratch);
        if self.settled.has_local_events {
            self.list_local(scratch);
        }
        if self.is_lossy() {
            self.list_losses(scratch);
        }
        let hash = self.layout.hash(&scratch.row);
        let is_careful = boundary.is_some() || !self.guide.reads_steps_only();
        for place in 0..scratch.possible.len() {
            let possible = scratch.possible[place];
            let Possible { column, event, outcome } = possible;
            let class = outcome.class;
            let mut after = hash.wrapping_add(self.change(column, event, &outcome, scratch));
            scratch.seen.clear();
            if (class & 1 != 0 || is_careful) && !self.look(&mut after, boundary, possible, scratch) {
                continue;
            }
            let Scratch { row, changes, seen, .. } = &*scratch;
            visit(Successor { event, class: class >> 1, seen, hash: after, before: row, changes });
        }
    }

    #[inline]
    fn list_deliveries(&self, scratch: &mut Scratch) {
        let actors = self.layout.actors;
        for column in 0..actors {
            for envelope in self.settled.deliverable.list(scratch.row[actors + column]) {
                self.list(column as u32, delivery_of(*envelope), scratch);
            }
        }
    }

    fn list_local(&self, scratch: &mut Scratch) {
        let actors = self.layout.actors;
        let has_crashed = |situation: &&u32| self.settled.crashes[**situation as usize].is_none();
        let crashed = scratch.row[..actors].iter().filter(has_crashed).count();
        let can_crash = crashed < self.model().max_crashes;
        for column in 0..actors {
            let situation = scratch.row[column];
            let crash = self.settled.crashes[situation as usize].filter(|_| can_crash);
            for event in self.settled.local_events.list(situation).iter().copied().chain(crash) {
                self.list(column as u32, event, scratch);
            }
        }
    }

    fn list_losses(&self, scratch: &mut Scratch) {
        for column in self.layout.inboxes() {
            for envelope in self.settled.deliverable.list(scratch.row[column]) {
                self.list(NO_ACTOR, self.loss_of(*envelope), scratch);
            }
        }
    }

    /// Lists the transition by an event of the actor of `column`, if it is one.
    #[inline(always)]
    fn list(&self, column: u32, event: u32, scratch: &mut Scratch) {
        let situation = if column == NO_ACTOR { NOTHING } else { scratch.row[column as usize] };
        let key = (pair(situation, event), scratch.row[self.layout.context()]);
        let outcome = self.steps.get_or(key, || self.outcome(&scratch.row, column as usize, event));
        if outcome.class != NOTHING {
            scratch.possible.push(Possible { column, event, outcome });
        }
    }

    /// Lists the cells that a transition changes; gives the change of the hash.
    #[inline(always)]
    fn change(&self, column: u32, event: u32, outcome: &Outcome, scratch: &mut Scratch) -> u64 {
        let Scratch { row, changes, .. } = scratch;
        changes.clear();
        let mut hash_change = 0;
        if column != NO_ACTOR {
            self.set(column, outcome.situation, row, changes, &mut hash_change);
        }
        self.set(self.layout.context() as u32, outcome.context, row, changes, &mut hash_change);
        if (outcome.moves as usize) < self.settled.moves.len() {
            self.move_envelopes(self.settled.moves.list(outcome.moves), row, changes, &mut hash_change);
        } else {
            self.move_envelopes(&self.moves.get(outcome.moves), row, changes, &mut hash_change);
        }
        if self.kind == NetworkKind::Duplicating && event & 1 == 0 {
            self.set(self.layout.last() as u32, (event >> 1) + 1, row, changes, &mut hash_change);
        }
        hash_change
    }

    #[inline(always)]
    fn move_envelopes(&self, moves: &[(u32, u32)], row: &[u32], changes: &mut Vec<Change>, hash_change: &mut u64) {
        for &(column, delta) in moves {
            self.set(column, self.inbox_step(row[column as usize], delta), row, changes, hash_change);
        }
    }

    /// Lists one cell, if it changes.
    #[inline(always)]
    fn set(&self, column: u32, cell: u32, row: &[u32], changes: &mut Vec<Change>, hash_change: &mut u64) {
        let before = row[column as usize];
        if before != cell {
            *hash_change = hash_change.wrapping_add(self.layout.hash_change(column as usize, before, cell));
            changes.push(Change { column, cell });
        }
    }

    /// Looks beyond the step, for what no step alone can tell: the boundary, the guide, clauses. Leaves in `scratch` what the
    /// clauses say; whether the step is allowed.
    fn look(&self, hash: &mut u64, boundary: Option<Boundary<'_>>, possible: Possible, scratch: &mut Scratch) -> bool {
        if let Some(boundary) = boundary {
            let row = scratch.after();
            if !boundary.is_known(*hash, &row) && !self.system.within_boundary(&self.whole(&row)) {
                return false;
            }
        }
        if !self.guide.reads_steps_only() {
            let (row, column) = (scratch.after(), self.layout.context());
            let Some(context) = self.guided_by_states(possible.event, &scratch.row, &row) else { return false };
            *hash = hash.wrapping_add(self.layout.hash_change(column, row[column], context));
            scratch.changes.push(Change { column: column as u32, cell: context });
        }
        let class = possible.outcome.class;
        if class & 1 == 0 {
            return true;
        }
        if ((class >> 1) as usize) < self.settled.depends.len() {
            self.judge(possible, self.settled.depends.list(class >> 1), scratch);
        } else {
            let clauses: Vec<u32> = self.classes.get(class >> 1).depends().collect();
            self.judge(possible, &clauses, scratch);
        }
        true
    }

    /// The context after a step if the guide looks at whole states; `None` if it does not allow the step.
    fn guided_by_states(&self, event: u32, before: &[u32], after: &[u32]) -> Option<u32> {
        let (history, guide) = *self.contexts.get(after[self.layout.context()]);
        let (before, after) = (self.whole(before), self.whole(after));
        let action = self.action(event);
        let facts = self.system.facts(&before, &action, &after);
        let transition = Transition { before: &before, action: &action, after: &after, facts: &facts };
        let next = self.guide.next(&self.guides.get(guide), &transition)?;
        Some(self.contexts.intern((history, self.guides.intern(next))))
    }

    /// Judges clauses whose judgement depends on more than the step.
    fn judge(&self, possible: Possible, clauses: &[u32], scratch: &mut Scratch) {
        for &clause in clauses {
            let kind = match self.clauses[clause as usize].reads() {
                // Another actor acts, else the step would tell: so what the clause says of its own is as it was.
                Reads::Actor(actor) => {
                    let judge = || self.rule(possible.event, clause, scratch).0;
                    self.actor_kinds.get_or(pair(clause, scratch.row[actor]), judge)
                }
                Reads::Step | Reads::History => self.judge_step(possible, clause, scratch),
                Reads::State => self.rule(possible.event, clause, scratch).0,
            };
            scratch.seen.push((clause as usize, kind));
        }
    }

    /// What a clause says that looks at several actors.
    fn judge_step(&self, possible: Possible, clause: u32, scratch: &mut Scratch) -> Kind {
        let Possible { column, event, .. } = possible;
        let step = [event, scratch.row[self.layout.context()]];
        let ask = |scratch: &mut Scratch| {
            let Scratch { row, judged, .. } = scratch;
            judged.ask(clause, step, &row[..self.layout.actors], column as usize);
        };
        ask(scratch);
        scratch.judged.answer().unwrap_or_else(|| {
            let (kind, elsewhere) = self.rule(event, clause, scratch);
            scratch.judged.note(clause, elsewhere);
            ask(scratch);
            scratch.judged.remember(kind);
            kind
        })
    }

    /// Has a clause judge the states before and after a step.
    fn rule(&self, event: u32, clause: u32, scratch: &Scratch) -> (Kind, Elsewhere) {
        let clause = &self.clauses[clause as usize];
        let is_of_actors = clause.reads() != Reads::State;
        let state = |row: &[u32]| if is_of_actors { self.without_network(row) } else { self.whole(row) };
        let (before, after, action) = (state(&scratch.row), state(&scratch.after()), self.action(event));
        let facts = self.system.facts(&before, &action, &after);
        let ruling = clause.rule(&Transition { before: &before, action: &action, after: &after, facts: &facts });
        (Kind::of(&ruling.judgement), ruling.elsewhere)
    }
}

/// The boundary of a model. A state that is known was found within it.
#[derive(Clone, Copy)]
pub(super) struct Boundary<'a> {
    pub(super) visited: &'a Visited,
    pub(super) states: &'a States,
}

impl Boundary<'_> {
    fn is_known(self, hash: u64, row: &[u32]) -> bool {
        let is_same = |number| number < self.states.len() && self.states.is(number, row);
        self.visited.find(mix(hash), is_same).is_some()
    }
}
