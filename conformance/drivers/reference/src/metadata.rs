//! The replicated metadata: it decides in one order, acknowledges as the contract says, and is applied at gateway and owner later,
//! each at its own time and in that order.

use std::rc::Rc;

use fencepost_spec::contract::{Emptying, JoinTakes};
use fencepost_spec::fence::Fence;
use futures::channel::oneshot;

use crate::fault::Planted;
use crate::gates::Name;
use crate::group::Group;
use crate::rules::Rules;

/// A command, as it is proposed.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Empty,
    Recreate,
    /// `batches_under_way`: what the owner said when it was asked, if it was.
    Join {
        client: Name,
        batches_under_way: bool,
    },
    Leave {
        client: Name,
    },
}

/// What a decision changes at the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The partition is to be purged, up to this generation.
    Purge,
    /// The partition was deleted and created again.
    Recreation,
    /// The group changed.
    Group,
}

/// What metadata says of the partition at one moment.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) incarnation: u64,
    pub(crate) purge_generation: u64,
    pub(crate) group: Rc<Group>,
}

/// One decision, and what metadata says from then on.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub(crate) change: Change,
    pub(crate) view: View,
    /// The number of the emptying, from 1, if it is one.
    pub(crate) emptying: Option<u64>,
}

/// The metadata.
pub(crate) struct Metadata {
    newest: View,
    /// What the gateway has applied.
    pub(crate) mirror: View,
    /// What the owner has applied, or begun to apply. It is kept by metadata, so it outlives the owner's process.
    pub(crate) at_owner: View,
    decisions: Vec<Rc<Decision>>,
    gateway_applied: usize,
    owner_applied: usize,
    emptyings: u64,
    waiting: Vec<(u64, oneshot::Sender<()>)>,
}

impl Metadata {
    pub(crate) fn new(group: Group) -> Self {
        let view = View { incarnation: 0, purge_generation: 0, group: Rc::new(group) };
        Self {
            newest: view.clone(),
            mirror: view.clone(),
            at_owner: view,
            decisions: Vec::new(),
            gateway_applied: 0,
            owner_applied: 0,
            emptyings: 0,
            waiting: Vec::new(),
        }
    }

    /// What was decided last.
    pub(crate) fn newest(&self) -> &View {
        &self.newest
    }

    /// Decides a command. The number of the emptying, if it is one.
    pub(crate) fn decide(&mut self, choices: &Rules, command: &Command) -> Option<u64> {
        match command {
            Command::Empty if choices.emptying == Emptying::Purge => {
                self.newest.purge_generation += 1;
                self.emptied(Change::Purge)
            }
            Command::Empty | Command::Recreate => {
                self.newest.incarnation += 1;
                self.newest.purge_generation = 0;
                self.newest.group = Rc::new(self.newest.group.begin_again());
                self.emptied(Change::Recreation)
            }
            Command::Join { client, batches_under_way } => {
                let waits = match choices.join_takes_partition {
                    JoinTakes::WhenReportedDrained => true,
                    JoinTakes::IfIdleWhenAsked => *batches_under_way,
                };
                let fence = Fence::RevocationDrainedBeforeMove;
                let waits = waits && choices.asked(fence, choices.has(fence));
                self.group_changes(|group| group.join(client, waits))
            }
            Command::Leave { client } => self.leave(choices, client),
        }
    }

    fn leave(&mut self, choices: &Rules, client: &Name) -> Option<u64> {
        self.group_changes(|group| {
            let before = group.clone();
            let changed = group.leave(client);
            if choices.planted(Planted::RevocationSurvivesLeave) {
                group.revoked_for = before.revoked_for.clone().filter(|target| target != client);
            }
            if choices.planted(Planted::OwnerGenerationNotMoved) {
                group.owner_generation = before.owner_generation;
            }
            if choices.planted(Planted::GroupGenerationNotMovedByLeave) {
                group.generation = before.generation;
            }
            changed
        })
    }

    /// Completes a pending revocation; by a report only if the group is still at its generation.
    pub(crate) fn complete_revocation(&mut self, reported_at: Option<u64>) {
        self.group_changes(|group| group.complete_revocation(reported_at));
    }

    fn group_changes(&mut self, change: impl FnOnce(&mut Group) -> bool) -> Option<u64> {
        if change(Rc::make_mut(&mut self.newest.group)) {
            self.record(Change::Group, None);
        }
        None
    }

    fn emptied(&mut self, change: Change) -> Option<u64> {
        self.emptyings += 1;
        self.record(change, Some(self.emptyings));
        Some(self.emptyings)
    }

    fn record(&mut self, change: Change, emptying: Option<u64>) {
        self.decisions.push(Rc::new(Decision { change, view: self.newest.clone(), emptying }));
    }

    /// Waits for the owner's word that an emptying is applied.
    pub(crate) fn when_applied(&mut self, emptying: u64) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.push((emptying, sender));
        receiver
    }

    /// The owner's word that an emptying is applied.
    pub(crate) fn emptying_is_applied(&mut self, emptying: u64) {
        if let Some(place) = self.waiting.iter().position(|(waiting, _)| *waiting == emptying) {
            // Whoever asked may be gone.
            let _ = self.waiting.swap_remove(place).1.send(());
        }
    }

    /// Whether something is to be applied at the gateway.
    pub(crate) fn gateway_lags(&self) -> bool {
        self.gateway_applied < self.decisions.len()
    }

    /// Whether something is to be applied at the owner.
    pub(crate) fn owner_lags(&self) -> bool {
        self.owner_applied < self.decisions.len()
    }

    /// The gateway applies the next decision.
    pub(crate) fn apply_at_gateway(&mut self) {
        if let Some(decision) = self.decisions.get(self.gateway_applied) {
            self.mirror = decision.view.clone();
            self.gateway_applied += 1;
        }
    }

    /// The next decision that the owner applies. From now on it counts as begun.
    pub(crate) fn next_for_owner(&mut self) -> Option<Rc<Decision>> {
        let decision = Rc::clone(self.decisions.get(self.owner_applied)?);
        self.owner_applied += 1;
        self.at_owner = decision.view.clone();
        Some(decision)
    }

    /// Whether a revocation is pending.
    pub(crate) fn has_revocation(&self) -> bool {
        self.newest.group.revoked_for.is_some()
    }
}
