//! As one state machine: messages once sent can be read for ever, and a manager may obey twice.

use std::collections::BTreeSet;

use stateright::{Model, Property};

use super::{NO_MIXED_DECISION, Phase, is_consistent};

/// What was ever sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// This manager is prepared.
    IsPrepared(usize),
    /// All are to commit.
    Commit,
    /// All are to abort.
    Abort,
}

/// One step of a participant; managers are named by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The coordinator decides to commit.
    DecideCommit,
    /// The coordinator decides to abort.
    DecideAbort,
    /// The coordinator hears that a manager is prepared.
    HearPrepared(usize),
    /// A manager prepares.
    Prepare(usize),
    /// A manager aborts by itself.
    GiveUp(usize),
    /// A manager commits as it was told.
    ObeyCommit(usize),
    /// A manager aborts as it was told.
    ObeyAbort(usize),
}

/// The state of all participants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// How far each manager is.
    pub managers: Vec<Phase>,
    /// How far the coordinator is.
    pub coordinator: Phase,
    /// Whom the coordinator knows to be prepared.
    pub heard: Vec<bool>,
    /// What was ever sent.
    pub sent: BTreeSet<Message>,
}

/// The protocol with some number of managers.
#[derive(Clone)]
pub struct TwoPhaseCommit {
    /// How many managers there are.
    pub managers: usize,
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            managers: vec![Phase::Undecided; self.managers],
            coordinator: Phase::Undecided,
            heard: vec![false; self.managers],
            sent: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let is_open = state.coordinator == Phase::Undecided;
        if is_open {
            if state.heard.iter().all(|heard| *heard) {
                actions.push(Action::DecideCommit);
            }
            actions.push(Action::DecideAbort);
        }
        for manager in 0..self.managers {
            if is_open && state.sent.contains(&Message::IsPrepared(manager)) {
                actions.push(Action::HearPrepared(manager));
            }
            if state.managers[manager] == Phase::Undecided {
                actions.extend([Action::Prepare(manager), Action::GiveUp(manager)]);
            }
            if state.sent.contains(&Message::Commit) {
                actions.push(Action::ObeyCommit(manager));
            }
            if state.sent.contains(&Message::Abort) {
                actions.push(Action::ObeyAbort(manager));
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::DecideCommit => {
                state.coordinator = Phase::Committed;
                state.sent.insert(Message::Commit);
            }
            Action::DecideAbort => {
                state.coordinator = Phase::Aborted;
                state.sent.insert(Message::Abort);
            }
            Action::HearPrepared(manager) => state.heard[manager] = true,
            Action::Prepare(manager) => {
                state.managers[manager] = Phase::Prepared;
                state.sent.insert(Message::IsPrepared(manager));
            }
            Action::GiveUp(manager) | Action::ObeyAbort(manager) => state.managers[manager] = Phase::Aborted,
            Action::ObeyCommit(manager) => state.managers[manager] = Phase::Committed,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(NO_MIXED_DECISION, |_, state| is_state_consistent(state))]
    }
}

/// Whether no manager committed what another one aborted.
pub fn is_state_consistent(state: &State) -> bool {
    is_consistent(state.managers.iter().copied())
}
