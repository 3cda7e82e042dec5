//! What random actor models exercise, counted without any engine.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use stateright::Model;
use stateright::actor::{ActorModelAction, ActorModelState, Envelope, Network};

use crate::model::{Action, RandomActors, RandomHistory, Recipe, TableActor, record_in};

type State = ActorModelState<TableActor, RandomHistory>;

/// How often what happened, by name.
#[derive(Debug, Default)]
pub struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    /// Counts something.
    pub fn count(&mut self, what: impl Into<String>) {
        *self.0.entry(what.into()).or_default() += 1;
    }

    /// How often it happened.
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or(0)
    }

    /// Counts what happens in the first `most` states of a model.
    pub fn walk(&mut self, recipe: &Recipe, most: usize) {
        let model = recipe.actors();
        self.count(format!("{:?}", recipe.wires));
        let mut open: VecDeque<State> = model.init_states().into();
        let mut known: HashSet<State> = open.iter().cloned().collect();
        let mut actions = Vec::new();
        if !open.iter().all(|state| Model::within_boundary(&model, state)) {
            self.count("start out of the boundary");
            return;
        }
        while let Some(before) = open.pop_front() {
            model.actions(&before, &mut actions);
            let repeated = actions.windows(2).filter(|pair| pair[0] == pair[1]).count();
            (0..repeated).for_each(|_| self.count("the same choice twice"));
            for action in actions.drain(..) {
                let Some(after) = model.next_state(&before, action.clone()) else {
                    self.count(match &action {
                        ActorModelAction::Deliver { dst, .. } if before.crashed[usize::from(*dst)] => {
                            "delivery to the crashed"
                        }
                        ActorModelAction::Deliver { .. } => "delivery without effect",
                        _ => "time-out without effect",
                    });
                    continue;
                };
                if !Model::within_boundary(&model, &after) {
                    self.count("refused by the boundary");
                    continue;
                }
                self.count(format!("{:?}: {}", recipe.wires, kind(&action)));
                self.step(&model, &before, &action, &after);
                if known.len() < most && known.insert(after.clone()) {
                    open.push_back(after);
                }
            }
        }
    }

    /// Counts what happens in one step.
    fn step(&mut self, model: &RandomActors, before: &State, action: &Action, after: &State) {
        let is_new = |index: usize| !Arc::ptr_eq(&before.actor_states[index], &after.actor_states[index]);
        let is_equal = |index: usize| before.actor_states[index] == after.actor_states[index];
        match action {
            ActorModelAction::Deliver { src, dst, msg } => {
                let index = usize::from(*dst);
                if is_new(index) && is_equal(index) {
                    self.count("equal but owned");
                }
                let envelope = Envelope { src: *src, dst: *dst, msg };
                match record_in(&model.cfg, &before.history, envelope) {
                    Some(history) if history != before.history => self.count("history changed by in"),
                    Some(_) => self.count("history kept by in"),
                    None => self.count("history left alone by in"),
                }
            }
            ActorModelAction::Recover(id) if before.actor_storages[usize::from(*id)].is_some() => {
                self.count("recovered with storage");
            }
            ActorModelAction::Timeout(id, timer) if after.timers_set[usize::from(*id)].iter().any(|it| it == timer) => {
                self.count("timer set again");
            }
            _ => {}
        }
        if !matches!(action, ActorModelAction::Deliver { .. }) && before.history != after.history {
            self.count("history changed by out");
        }
        let actors = model.actors.len();
        if !matches!(action, ActorModelAction::Drop(_))
            && to_nobody(&after.network, actors) > to_nobody(&before.network, actors)
        {
            self.count("sent to nobody");
        }
        if matches!(action, ActorModelAction::Drop(envelope) if usize::from(envelope.dst) >= actors) {
            self.count("lost on the way to nobody");
        }
    }
}

/// The kind of an action.
fn kind(action: &Action) -> &'static str {
    match action {
        ActorModelAction::Deliver { .. } => "deliver",
        ActorModelAction::Drop(_) => "lose",
        ActorModelAction::Timeout(..) => "time out",
        ActorModelAction::Crash(_) => "crash",
        ActorModelAction::Recover(_) => "recover",
        ActorModelAction::SelectRandom { .. } => "choose",
    }
}

/// How many envelopes are on the way to no actor.
fn to_nobody(network: &Network<u8>, actors: usize) -> usize {
    match network {
        Network::UnorderedDuplicating(known, _) => known.iter().filter(|it| usize::from(it.dst) >= actors).count(),
        Network::UnorderedNonDuplicating(counts) => {
            counts.iter().filter(|(it, _)| usize::from(it.dst) >= actors).map(|(_, count)| count).sum()
        }
        Network::Ordered(flows) => {
            flows.iter().filter(|((_, dst), _)| usize::from(*dst) >= actors).map(|(_, flow)| flow.len()).sum()
        }
    }
}
