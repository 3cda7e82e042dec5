//! The successors of a state, by look-ups.

use crate::actor_system::ActorSystem;
use crate::describe::Transition;
use crate::guide::Guide;

use super::intern::NOTHING;
use super::layout::{change, row_hash};
use super::network::NetworkKind;
use super::situation::{CRASHES, LOCAL_KINDS};
use super::step::Kind;
use super::tables::{Tables, delivery_of};

/// A transition out of a state.
pub(super) struct Successor<'a> {
    /// The event that is taken.
    pub(super) event: u32,
    /// The number of the transition's class.
    pub(super) class: u32,
    /// What the clauses say that had to see the whole state.
    pub(super) seen: &'a [(usize, Kind)],
    /// The state it leads to.
    pub(super) row: &'a [u32],
    /// The hash of that state.
    pub(super) hash: u64,
}

/// Memory that is used again and again; one a thread.
#[derive(Default)]
pub(super) struct Scratch {
    /// The state that is expanded.
    pub(super) row: Vec<u32>,
    after: Vec<u32>,
    /// What can be delivered: the rank of the envelope in the upper half, its number in the lower.
    deliverable: Vec<u64>,
    seen: Vec<(usize, Kind)>,
}

/// A column that no actor has: that of an event without an actor.
const NO_ACTOR: usize = usize::MAX;

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// Visits the transitions out of the state in `scratch.row`, in the order of Stateright's actions.
    pub(super) fn successors(
        &self,
        is_bounded: bool,
        scratch: &mut Scratch,
        mut visit: impl FnMut(Successor<'_>),
    ) {
        if self.is_cut(&scratch.row) {
            return;
        }
        let mut walk = Walk { tables: self, is_bounded, hash: row_hash(&scratch.row), scratch, visit: &mut visit };
        if self.is_lossy() {
            walk.list_deliverable(self.layout.actors + 1);
            for place in 0..walk.scratch.deliverable.len() {
                walk.step(NO_ACTOR, self.loss_of(walk.scratch.deliverable[place] as u32));
            }
        }
        walk.list_deliverable(self.layout.actors);
        for place in 0..walk.scratch.deliverable.len() {
            let envelope = walk.scratch.deliverable[place] as u32;
            walk.step(self.settled.receivers[envelope as usize] as usize, delivery_of(envelope));
        }
        if self.settled.has_local_events {
            walk.local_steps();
        }
    }
}

/// A walk over the transitions out of one state.
struct Walk<'w, 'a, M: ActorSystem, G: Guide<M>, V> {
    tables: &'w Tables<'a, M, G>,
    /// Whether a state may be out of the model's boundary.
    is_bounded: bool,
    /// The hash of the state.
    hash: u64,
    scratch: &'w mut Scratch,
    visit: &'w mut V,
}

impl<M: ActorSystem, G: Guide<M>, V: FnMut(Successor<'_>)> Walk<'_, '_, M, G, V> {
    /// Lists what can be delivered from the first `inboxes` inboxes, in the order of Stateright's actions.
    #[inline]
    fn list_deliverable(&mut self, inboxes: usize) {
        let (settled, first) = (&self.tables.settled, self.tables.layout.actors);
        let list = &mut self.scratch.deliverable;
        list.clear();
        for inbox in &self.scratch.row[first..first + inboxes] {
            let ranked = |envelope: &u32| u64::from(settled.ranks[*envelope as usize]) << 32 | u64::from(*envelope);
            list.extend(settled.deliverable[*inbox as usize].iter().map(ranked));
        }
        list.sort_unstable();
    }

    fn local_steps(&mut self) {
        let (tables, actors) = (self.tables, self.tables.layout.actors);
        let is_crashed = |situation: &&u32| tables.settled.is_crashed[**situation as usize];
        let crashed = self.scratch.row[..actors].iter().filter(is_crashed).count();
        let can_crash = crashed < tables.model().max_crashes;
        for kind in (0..LOCAL_KINDS).filter(|kind| *kind != CRASHES || can_crash) {
            for column in 0..actors {
                for event in &tables.settled.local_events[self.scratch.row[column] as usize][kind] {
                    self.step(column, *event);
                }
            }
        }
    }

    /// Visits the transition by an event of the actor of `column`, if it is one.
    #[inline]
    fn step(&mut self, column: usize, event: u32) {
        let (tables, layout, scratch) = (self.tables, self.tables.layout, &mut *self.scratch);
        let situation = if column == NO_ACTOR { NOTHING } else { scratch.row[column] };
        let key = [situation, event, scratch.row[layout.context()]];
        let outcome = tables.steps.get_or(key, || tables.outcome(&scratch.row, column, event));
        if outcome.class == NOTHING {
            return;
        }
        let mut hash = self.hash;
        scratch.after.clear();
        scratch.after.extend_from_slice(&scratch.row);
        if column != NO_ACTOR {
            change(&mut scratch.after, &mut hash, column, outcome.situation);
        }
        change(&mut scratch.after, &mut hash, layout.context(), outcome.context);
        tables.move_envelopes(&mut scratch.after, &mut hash, event, outcome.moves);
        let (class, depends) = (outcome.class >> 1, outcome.class & 1 != 0);
        scratch.seen.clear();
        if (depends || self.is_bounded || !tables.guide.reads_steps_only())
            && !self.look(&mut hash, event, class)
        {
            return;
        }
        let Scratch { after, seen, .. } = &*self.scratch;
        (self.visit)(Successor { event, class, seen, row: after, hash });
    }

    /// Looks at whole states, for what no step alone can tell: the boundary, the guide, clauses. Leaves in `scratch` what the
    /// clauses say; whether the step is allowed.
    fn look(&mut self, hash: &mut u64, event: u32, class: u32) -> bool {
        let (tables, scratch) = (self.tables, &mut *self.scratch);
        let (before, after) = (tables.whole(&scratch.row), tables.whole(&scratch.after));
        if self.is_bounded && !tables.system.within_boundary(&after) {
            return false;
        }
        let action = tables.action(event);
        let facts = tables.system.facts(&before, &action, &after);
        let transition = Transition { before: &before, action: &action, after: &after, facts: &facts };
        if !tables.guide.reads_steps_only() {
            let column = tables.layout.context();
            let (history, guide) = *tables.contexts.get(scratch.after[column]);
            let Some(next) = tables.guide.next(&tables.guides.get(guide), &transition) else { return false };
            let context = tables.contexts.intern((history, tables.guides.intern(next)));
            change(&mut scratch.after, hash, column, context);
        }
        let class = tables.classes.get(class);
        let depend = class.kinds.iter().enumerate().filter(|(_, kind)| **kind == Kind::Depends);
        let judge = |index: usize| Kind::of(&tables.clauses[index].judge(&transition));
        scratch.seen.extend(depend.map(|(index, _)| (index, judge(index))));
        true
    }
}

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// Moves envelopes out of and into inboxes.
    #[inline]
    fn move_envelopes(&self, row: &mut [u32], hash: &mut u64, event: u32, moves: u32) {
        let mut go = |moves: &[(u32, u32)]| {
            for &(column, delta) in moves {
                let inbox = self.inbox_step(row[column as usize], delta);
                change(row, hash, column as usize, inbox);
            }
        };
        match self.settled.moves.get(moves as usize) {
            Some(moves) => go(moves),
            None => go(&self.moves.get(moves)),
        }
        if self.kind == NetworkKind::Duplicating && event & 1 == 0 {
            change(row, hash, self.layout.last(), (event >> 1) + 1);
        }
    }
}
