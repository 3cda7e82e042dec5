//! As actors: one coordinator and some managers, over a network that delivers each message once and in any order.
//!
//! A manager prepares or gives up by itself, and the coordinator aborts by itself: standing tokens, messages to
//! oneself that are sent again by the step that uses them. Managers acknowledge the decision. The report of a manager
//! that comes after the decision changes nothing and is not taken from the network.

use std::borrow::Cow;

use stateright::Expectation;
use stateright::actor::{Actor, ActorModel, ActorModelState, Envelope, Id, Network, Out};

use super::{NO_MIXED_DECISION, Phase, is_consistent};

/// Index of the coordinator among the actors; managers follow.
pub const COORDINATOR: usize = 0;

/// What is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// Token: a manager may prepare.
    MayPrepare,
    /// Token: a manager or the coordinator may abort by itself.
    MayAbort,
    /// Manager to coordinator: I am prepared.
    IsPrepared,
    /// Coordinator to manager: commit.
    Commit,
    /// Coordinator to manager: abort.
    Abort,
    /// Manager to coordinator: the decision has arrived.
    Acknowledged,
}

/// What the coordinator knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinator {
    /// How far the decision is.
    pub phase: Phase,
    /// Which managers are known to be prepared.
    pub heard: Vec<bool>,
    /// Which managers are known to know the decision.
    pub acknowledged: Vec<bool>,
}

/// The state of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// The coordinator.
    Coordinator(Coordinator),
    /// A manager.
    Manager(Phase),
}

/// One actor.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// How many managers there are.
    pub managers: usize,
}

/// The actor model.
pub type TwoPhaseModel = ActorModel<Node, (), ()>;

impl Node {
    fn decide(&self, coordinator: &mut Coordinator, phase: Phase, message: Message, out: &mut Out<Self>) {
        coordinator.phase = phase;
        for manager in 1..=self.managers {
            out.send(Id::from(manager), message);
        }
    }

    /// The coordinator after a message, if it changed.
    fn coordinator_reacts(
        &self,
        before: &Coordinator,
        source: Id,
        message: Message,
        out: &mut Out<Self>,
    ) -> Option<Coordinator> {
        let is_open = before.phase == Phase::Undecided;
        let mut coordinator = before.clone();
        match message {
            Message::IsPrepared if is_open => {
                coordinator.heard[usize::from(source) - 1] = true;
                if coordinator.heard.iter().all(|heard| *heard) {
                    self.decide(&mut coordinator, Phase::Committed, Message::Commit, out);
                }
            }
            Message::MayAbort if is_open => {
                self.decide(&mut coordinator, Phase::Aborted, Message::Abort, out);
                out.send(source, message);
            }
            Message::Acknowledged => coordinator.acknowledged[usize::from(source) - 1] = true,
            _ => return None,
        }
        Some(coordinator)
    }

    /// The phase of a manager after a message, if it changed.
    fn manager_reacts(&self, phase: Phase, source: Id, message: Message, out: &mut Out<Self>) -> Option<Phase> {
        match (message, phase) {
            (Message::MayPrepare, Phase::Undecided) => {
                out.send(source, message);
                out.send(Id::from(COORDINATOR), Message::IsPrepared);
                Some(Phase::Prepared)
            }
            (Message::MayAbort, Phase::Undecided) => {
                out.send(source, message);
                Some(Phase::Aborted)
            }
            (Message::Commit, _) => {
                out.send(source, Message::Acknowledged);
                Some(Phase::Committed)
            }
            (Message::Abort, _) => {
                out.send(source, Message::Acknowledged);
                Some(Phase::Aborted)
            }
            _ => None,
        }
    }
}

impl Actor for Node {
    type Msg = Message;
    type State = NodeState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, id: Id, _storage: &Option<()>, _out: &mut Out<Self>) -> NodeState {
        match usize::from(id) {
            COORDINATOR => {
                let heard = vec![false; self.managers];
                let acknowledged = heard.clone();
                NodeState::Coordinator(Coordinator { phase: Phase::Undecided, heard, acknowledged })
            }
            _ => NodeState::Manager(Phase::Undecided),
        }
    }

    fn on_msg(&self, _id: Id, state: &mut Cow<NodeState>, source: Id, message: Message, out: &mut Out<Self>) {
        let after = match &**state {
            NodeState::Coordinator(coordinator) => {
                self.coordinator_reacts(coordinator, source, message, out).map(NodeState::Coordinator)
            }
            NodeState::Manager(phase) => self.manager_reacts(*phase, source, message, out).map(NodeState::Manager),
        };
        if let Some(after) = after {
            *state = Cow::Owned(after);
        }
    }
}

/// The phase of a manager; `None` for the coordinator.
fn phase_of(state: &NodeState) -> Option<Phase> {
    match state {
        NodeState::Manager(phase) => Some(*phase),
        NodeState::Coordinator(_) => None,
    }
}

/// Whether no manager committed what another one aborted.
pub fn is_state_consistent(state: &ActorModelState<Node, ()>) -> bool {
    is_consistent(state.actor_states.iter().filter_map(|state| phase_of(state)))
}

/// The same of a step after consistent states: the manager that acts, if it has decided, must agree with all others.
/// `after` gives the state of an actor after the step.
pub fn is_step_consistent<'a>(acting: Option<usize>, managers: usize, after: impl Fn(usize) -> &'a NodeState) -> bool {
    let opposite = match acting.and_then(|index| phase_of(after(index))) {
        Some(Phase::Committed) => Phase::Aborted,
        Some(Phase::Aborted) => Phase::Committed,
        _ => return true,
    };
    (1..=managers).all(|index| phase_of(after(index)) != Some(opposite))
}

/// The actor model with some number of managers.
pub fn two_phase_model(managers: usize) -> TwoPhaseModel {
    let to_itself = |index: usize, msg| Envelope { src: Id::from(index), dst: Id::from(index), msg };
    let tokens = (1..=managers)
        .flat_map(move |index| [Message::MayPrepare, Message::MayAbort].map(|token| to_itself(index, token)))
        .chain([to_itself(COORDINATOR, Message::MayAbort)]);
    ActorModel::new((), ())
        .actors((0..=managers).map(|_| Node { managers }))
        .init_network(Network::new_unordered_nonduplicating(tokens))
        .property(Expectation::Always, NO_MIXED_DECISION, |_, state| is_state_consistent(state))
}
