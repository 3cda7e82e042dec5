//! Two-phase commit after Gray and Lamport's "Consensus on Transaction Commit": a coordinator asks nobody, managers prepare
//! on their own, and messages once sent can be read for ever. The number of states is known from TLC and Stateright.

use std::collections::BTreeSet;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::{Described, Telling, Transition};
use stateright::{Model, Property};

/// How far the decision is, at a manager or at the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    Undecided,
    Prepared,
    Committed,
    Aborted,
}

/// What was ever sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    IsPrepared(usize),
    Commit,
    Abort,
}

/// One step of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    DecideCommit,
    DecideAbort,
    HearPrepared(usize),
    Prepare(usize),
    GiveUp(usize),
    ObeyCommit(usize),
    ObeyAbort(usize),
}

/// The state of all participants.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub managers: Vec<Phase>,
    pub coordinator: Phase,
    pub heard: Vec<bool>,
    pub sent: BTreeSet<Message>,
}

/// The protocol with some number of managers.
#[derive(Clone)]
pub struct TwoPhaseCommit {
    pub managers: usize,
}

/// Whether nobody committed what somebody else aborted.
pub fn is_consistent(state: &State) -> bool {
    !(state.managers.contains(&Phase::Committed) && state.managers.contains(&Phase::Aborted))
}

/// The safety of the protocol, as a clause that is exercised whenever a manager ends up with a decision.
pub fn consistency() -> Clause<TwoPhaseCommit> {
    Clause::on_state("no-mixed-decision", |transition: &Transition<'_, TwoPhaseCommit>| match transition.after {
        state if !is_consistent(state) => Judgement::Broken("one manager committed and another aborted".to_owned()),
        state if state.managers.iter().any(|phase| matches!(phase, Phase::Committed | Phase::Aborted)) => {
            Judgement::Upheld
        }
        _ => Judgement::Silent,
    })
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
        vec![Property::always("no-mixed-decision", |_, state| is_consistent(state))]
    }
}

impl Described for TwoPhaseCommit {
    type Facts = bool;

    fn facts(&self, before: &State, _action: &Action, after: &State) -> bool {
        before != after
    }

    fn vocabulary(&self) -> Vec<String> {
        let terms = ["decide commit", "decide abort", "hear", "prepare", "give up", "obey", "changes something"];
        terms.map(String::from).to_vec()
    }

    fn action_term(&self, action: &Action) -> usize {
        match action {
            Action::DecideCommit => 0,
            Action::DecideAbort => 1,
            Action::HearPrepared(_) => 2,
            Action::Prepare(_) => 3,
            Action::GiveUp(_) => 4,
            Action::ObeyCommit(_) | Action::ObeyAbort(_) => 5,
        }
    }

    fn outcome_terms(&self, changes: &bool, terms: &mut Vec<usize>) {
        if *changes {
            // Twice, since a term counts once a transition however often it is named.
            terms.extend([6, 6]);
        }
    }

    fn is_fair(&self, action_term: usize) -> bool {
        action_term != 4
    }

    fn tell(&self, transition: &Transition<'_, Self>) -> Telling {
        let (actor, towards) = match transition.action {
            Action::DecideCommit | Action::DecideAbort => ("coordinator".to_owned(), "coordinator".to_owned()),
            Action::HearPrepared(manager) => ("coordinator".to_owned(), format!("manager {manager}")),
            Action::Prepare(manager) | Action::GiveUp(manager) => {
                (format!("manager {manager}"), format!("manager {manager}"))
            }
            Action::ObeyCommit(manager) | Action::ObeyAbort(manager) => {
                (format!("manager {manager}"), "coordinator".to_owned())
            }
        };
        let text = self.vocabulary()[self.action_term(transition.action)].clone();
        Telling { actor, towards, text, changes: Vec::new() }
    }
}
