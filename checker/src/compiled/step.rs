//! What one event does to one actor: computed once, remembered, and counted by number from then on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stateright::actor::{Actor, Envelope, Id, Out, is_no_op, is_no_op_with_timer};

use crate::actor_system::ActorSystem;
use crate::clause::{Clause, Judgement, Reads};
use crate::describe::Transition;
use crate::guide::Guide;

use super::intern::NOTHING;
use super::network::{Delta, NetworkKind, Taken};
use super::settled::pair;
use super::situation::{Local, Situation};
use super::tables::{Event, LocalOf, Tables};

/// An actor's reaction to an event, whatever the history is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reaction {
    /// The situation of the actor afterwards.
    situation: u32,
    /// The envelopes that it sends, in order.
    sends: Vec<u32>,
    /// What happens to the inboxes.
    moves: u32,
}

/// What a step does to inboxes: columns, and the number of what happens to each.
pub(super) type Moves = Vec<(u32, u32)>;

/// What an event in a situation and a context leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    /// The situation afterwards.
    pub(super) situation: u32,
    /// The context afterwards.
    pub(super) context: u32,
    /// What happens to the inboxes.
    pub(super) moves: u32,
    /// Twice the number of the class, plus 1 if some clause must see the whole state; [`NOTHING`] if it is no transition.
    pub(super) class: u32,
}

const NO_TRANSITION: Outcome = Outcome { situation: NOTHING, context: NOTHING, moves: NOTHING, class: NOTHING };

/// What a clause says of all transitions of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Kind {
    /// Nothing.
    #[default]
    Silent,
    /// They uphold it.
    Upheld,
    /// They break it.
    Broken,
    /// It depends on more than the step.
    Depends,
}

impl Kind {
    /// The kind of a judgement.
    pub(super) fn of(judgement: &Judgement) -> Self {
        match judgement {
            Judgement::Silent => Self::Silent,
            Judgement::Upheld => Self::Upheld,
            Judgement::Broken(_) => Self::Broken,
        }
    }
}

/// What is counted about a transition. There are few classes, so counting one number a transition counts everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Class {
    /// The terms, each once.
    pub(super) terms: Vec<usize>,
    /// What each clause says.
    pub(super) kinds: Vec<Kind>,
}

impl Class {
    /// The clauses that must see more than the step.
    pub(super) fn depends(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.kinds).filter(|(_, kind)| **kind == Kind::Depends).map(|(clause, _)| clause)
    }
}

impl<M: ActorSystem, G: Guide<M>> Tables<'_, M, G> {
    /// What an event leads to, if the actor of `column` (none for a loss) and the context are as in `row`.
    pub(super) fn outcome(&self, row: &[u32], column: usize, event: u32) -> Outcome {
        let what = self.event(event);
        let before = if column < self.layout.actors { row[column] } else { NOTHING };
        let number = self.reactions.get_or(pair(before, event), || self.intern_reaction(before, &what));
        if number == NOTHING {
            return NO_TRANSITION;
        }
        let reaction = self.known_reactions.get(number);
        let (history, guide) = *self.contexts.get(row[self.layout.context()]);
        let history = self.record(history, &what, &reaction.sends);
        let context = self.contexts.intern((history, guide));
        let mut after = row.to_vec();
        if column < self.layout.actors {
            after[column] = reaction.situation;
        }
        after[self.layout.context()] = context;
        self.classify(row, event, &after, &reaction)
    }

    /// The outcome of a reaction that leads from one tuple to another, if the guide allows it.
    fn classify(&self, before: &[u32], event: u32, after: &[u32], reaction: &Reaction) -> Outcome {
        let action = self.action(event);
        let (states, context) =
            ([self.without_network(before), self.without_network(after)], after[self.layout.context()]);
        let facts = self.system.facts(&states[0], &action, &states[1]);
        let transition = Transition { before: &states[0], action: &action, after: &states[1], facts: &facts };
        let context = match self.guided(context, &transition) {
            Some(context) => context,
            None => return NO_TRANSITION,
        };
        let mut terms = vec![self.system.action_term(&action)];
        self.system.outcome_terms(&facts, &mut terms);
        terms.retain(|term| *term < self.terms);
        terms.sort_unstable();
        terms.dedup();
        let kinds: Vec<Kind> = self.clauses.iter().map(|clause| kind_of(clause, &transition)).collect();
        let depends = u32::from(kinds.contains(&Kind::Depends));
        let class = self.classes.intern(Class { terms, kinds }) << 1 | depends;
        Outcome { situation: reaction.situation, context, moves: reaction.moves, class }
    }

    /// The context after a step if the guide looks at steps only; `None` if it does not allow it.
    fn guided(&self, context: u32, transition: &Transition<'_, M>) -> Option<u32> {
        if !self.guide.reads_steps_only() {
            return Some(context);
        }
        let (history, guide) = *self.contexts.get(context);
        let next = self.guide.next(&self.guides.get(guide), transition)?;
        Some(self.contexts.intern((history, self.guides.intern(next))))
    }

    /// The number of the history after an event.
    fn record(&self, history: u32, event: &Event<M>, sends: &[u32]) -> u32 {
        let model = self.model();
        let mut latest: Option<M::History> = None;
        let before = self.histories.get(history);
        let envelopes = self.envelopes.read();
        let travelling = |number: u32| {
            let Envelope { src, dst, msg } = &**envelopes.get(number);
            Envelope { src: *src, dst: *dst, msg }
        };
        if let Event::Deliver(envelope) = event {
            latest = (model.record_msg_in)(&model.cfg, &before, travelling(*envelope));
        }
        for send in sends {
            let now = latest.as_ref().unwrap_or(&before);
            latest = (model.record_msg_out)(&model.cfg, now, travelling(*send)).or(latest);
        }
        drop(envelopes);
        latest.map_or(history, |history| self.histories.intern(history))
    }

    /// The number of a reaction; [`NOTHING`] if the event does nothing here.
    fn intern_reaction(&self, situation: u32, event: &Event<M>) -> u32 {
        let reaction = match event {
            Event::Local(local) => match &**local {
                Local::Drop(envelope) => {
                    let moves = self.intern_moves(Taken::Lost(*envelope), &[]);
                    Some(Reaction { situation, sends: Vec::new(), moves })
                }
                local => self.react_locally(&self.situations.get(situation), local),
            },
            Event::Deliver(envelope) => self.react(&self.situations.get(situation), *envelope),
        };
        reaction.map_or(NOTHING, |reaction| self.known_reactions.intern(reaction))
    }

    /// The reaction to a delivery. As in Stateright, what neither changes the state nor commands anything is no transition,
    /// except on an ordered network.
    fn react(&self, before: &Arc<Situation<M::Actor>>, envelope: u32) -> Option<Reaction> {
        if before.is_crashed {
            return None;
        }
        let Envelope { src, msg, .. } = (*self.envelopes.get(envelope)).clone();
        let (mut state, mut out) = (Cow::Borrowed(&*before.state), Out::new());
        let actor = &self.model().actors[before.index];
        actor.on_msg(Id::from(before.index), &mut state, src, msg, &mut out);
        if is_no_op(&state, &out) && self.kind != NetworkKind::Ordered {
            return None;
        }
        let mut after = Situation::clone(before);
        replace(&mut after, state);
        Some(self.reaction(after, Taken::Delivered(envelope), out))
    }

    /// The reaction to an event that needs no message.
    fn react_locally(&self, before: &Arc<Situation<M::Actor>>, local: &LocalOf<M::Actor>) -> Option<Reaction> {
        let (id, actor) = (Id::from(before.index), &self.model().actors[before.index]);
        let (mut state, mut out) = (Cow::Borrowed(&*before.state), Out::new());
        let mut after = Situation::clone(before);
        match local {
            Local::Drop(_) => unreachable!("a loss is no event of an actor"),
            Local::Timeout(_, timer) => {
                actor.on_timeout(id, &mut state, timer, &mut out);
                if is_no_op_with_timer(&state, &out, timer) {
                    return None;
                }
                after.timers.cancel(timer);
            }
            Local::Crash(_) => {
                after.timers.cancel_all();
                after.choices.map.clear();
                after.is_crashed = true;
            }
            Local::Recover(_) => {
                state = Cow::Owned(actor.on_start(id, &before.storage, &mut out));
                after.is_crashed = false;
            }
            Local::Choose(_, key, random) => {
                actor.on_random(id, &mut state, random, &mut out);
                after.choices.remove(key);
            }
        }
        replace(&mut after, state);
        Some(self.reaction(after, Taken::Nothing, out))
    }

    fn reaction(&self, mut after: Situation<M::Actor>, taken: Taken, out: Out<M::Actor>) -> Reaction {
        let src = Id::from(after.index);
        let sends = after.obey(out).into_iter().map(|(dst, msg)| self.envelopes.intern(Envelope { src, dst, msg }));
        let sends: Vec<u32> = sends.collect();
        let moves = self.intern_moves(taken, &sends);
        Reaction { situation: self.situations.intern(after), sends, moves }
    }

    /// The number of what happens to the inboxes if one envelope is taken out and others are sent.
    fn intern_moves(&self, taken: Taken, sends: &[u32]) -> u32 {
        let column = |envelope: u32| self.layout.inbox(self.envelopes.get(envelope).dst) as u32;
        let mut deltas: BTreeMap<u32, Delta> = BTreeMap::new();
        let untouched = || Delta { taken: Taken::Nothing, sent: Vec::new() };
        match taken {
            Taken::Delivered(_) if self.kind == NetworkKind::Duplicating => {}
            Taken::Delivered(envelope) | Taken::Lost(envelope) => {
                deltas.insert(column(envelope), Delta { taken, sent: Vec::new() });
            }
            Taken::Nothing => {}
        }
        for &send in sends {
            deltas.entry(column(send)).or_insert_with(untouched).sent.push(send);
        }
        let number = |(column, mut delta): (u32, Delta)| {
            if self.kind != NetworkKind::Ordered {
                // The order makes no difference then, and equal deltas are looked up together.
                delta.sent.sort_unstable();
            }
            (column, self.deltas.intern(delta))
        };
        self.moves.intern(deltas.into_iter().map(number).collect())
    }
}

/// Puts a new state in place, if there is one.
fn replace<A: Actor>(situation: &mut Situation<A>, state: Cow<'_, A::State>) {
    if let Cow::Owned(state) = state {
        situation.state = Arc::new(state);
    }
}

/// What a clause says of all transitions with this step.
fn kind_of<M: ActorSystem>(clause: &Clause<M>, transition: &Transition<'_, M>) -> Kind {
    match clause.reads() {
        Reads::State => Kind::Depends,
        Reads::Actor(index) if crate::actor_system::acting(transition.action) != Some(index) => Kind::Depends,
        Reads::Actor(_) | Reads::History => Kind::of(&clause.judge(transition)),
        Reads::Step => {
            let ruling = clause.rule(transition);
            if ruling.elsewhere.is_none() { Kind::of(&ruling.judgement) } else { Kind::Depends }
        }
    }
}
