//! The replicated metadata: it decides, and is applied elsewhere later and in order.

use fencepost_spec::contract::{Acknowledged, Emptying, JoinTakes};
use fencepost_spec::event::EventKind;
use serde::{Deserialize, Serialize};

use super::marks::Mark;
use super::messages::{Command, Decree, Envelope, Group, OPERATOR, RequestId};
use super::system::{Address, Reaction, Setup};

/// What metadata knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Metadata {
    /// What it has decided.
    pub decree: Decree,
    /// Emptyings whose acknowledgement waits until the owner has applied them: count and number of the command.
    pub unacknowledged: Vec<(u8, u8)>,
    /// How often a pending revocation may still time out.
    pub time_outs_left: u8,
}

/// The reaction of metadata, if there is one.
pub fn react(setup: &Setup, state: &Metadata, message: &Envelope) -> Option<Reaction<Metadata>> {
    let mut reaction = Reaction::new(state.clone());
    match message {
        Envelope::Command { number, command, in_flight } => decide(setup, &mut reaction, *number, *command, *in_flight),
        Envelope::Applied(emptyings) => acknowledge_applied(&mut reaction, *emptyings)?,
        Envelope::Drained(generation) => {
            let group = &state.decree.group;
            if group.revoked_for.is_none() || group.generation != *generation {
                return Some(reaction.discarding());
            }
            complete_revocation(&mut reaction, false);
        }
        Envelope::RevocationTimesOut => {
            state.decree.group.revoked_for?;
            reaction.state.time_outs_left = state.time_outs_left.checked_sub(1)?;
            reaction.send(Address::Metadata, Envelope::RevocationTimesOut);
            complete_revocation(&mut reaction, true);
        }
        _ => return None,
    }
    Some(reaction)
}

fn decide(setup: &Setup, reaction: &mut Reaction<Metadata>, number: u8, command: Command, in_flight: bool) {
    let request = RequestId { client: OPERATOR, number };
    reaction.mark(Mark::Event(EventKind::Decided, Some(request)));
    let changed = match command {
        Command::Empty => empty(reaction, setup.choices.emptying == Emptying::DeletionAndReCreation),
        Command::Recreate => empty(reaction, true),
        Command::Join(member) => {
            let drains = setup.choices.join_takes_partition == JoinTakes::WhenReportedDrained;
            join(reaction, member, in_flight || drains)
        }
        Command::Leave(member) | Command::Disconnect(member) => leave(reaction, member),
        Command::Retain(_) => false,
    };
    if changed {
        announce(reaction, number);
    }
    let empties = matches!(command, Command::Empty | Command::Recreate);
    let emptyings = reaction.state.decree.emptyings;
    if empties && setup.choices.emptying_acknowledged == Acknowledged::WhenApplied {
        reaction.state.unacknowledged.push((emptyings, number));
    } else {
        reaction.send(Address::Operator, Envelope::Acknowledged(number, empties.then_some(emptyings)));
    }
}

fn announce(reaction: &mut Reaction<Metadata>, cause: u8) {
    reaction.state.decree.operation += 1;
    reaction.state.decree.cause = cause;
    let decree = reaction.state.decree.clone();
    reaction.send(Address::Gateway, Envelope::Apply(decree.clone()));
    reaction.send(Address::Owner, Envelope::Apply(decree));
}

fn acknowledge_applied(reaction: &mut Reaction<Metadata>, emptyings: u8) -> Option<()> {
    let waiting = &mut reaction.state.unacknowledged;
    let position = waiting.iter().position(|(waits_for, _)| *waits_for == emptyings)?;
    let (_, number) = waiting.remove(position);
    reaction.send(Address::Operator, Envelope::Acknowledged(number, Some(emptyings)));
    Some(())
}

/// Purges, or (`recreates`) deletes and creates again: then the purge generation starts again at zero, and so does the
/// group; its members join again in the same step, as their clients do by themselves.
fn empty(reaction: &mut Reaction<Metadata>, recreates: bool) -> bool {
    let decree = &mut reaction.state.decree;
    decree.emptyings += 1;
    if recreates {
        decree.incarnation += 1;
        decree.purge_generation = 0;
        let operation = decree.operation + 1;
        let group = &mut decree.group;
        if !group.members.is_empty() {
            group.generation = 1;
            group.owner_generation = operation;
        }
        group.revoked_for = None;
    } else {
        decree.purge_generation += 1;
    }
    true
}

/// A cooperative join: an idle member gets partitions that nobody owns, else one of a member that has too many: at once
/// if nothing of it is under way, else when it is drained.
fn join(reaction: &mut Reaction<Metadata>, member: u8, drains_first: bool) -> bool {
    let operation = reaction.state.decree.operation + 1;
    let group = &mut reaction.state.decree.group;
    if group.members.contains(&member) {
        return false;
    }
    group.members.push(member);
    group.generation += 1;
    if group.owners.iter().any(Option::is_none) {
        let was = group.owners[0];
        group.owners.iter_mut().filter(|owner| owner.is_none()).for_each(|owner| *owner = Some(member));
        if was != group.owners[0] {
            group.owner_generation = operation;
        }
        return true;
    }
    let fair_share = group.owners.len() / group.members.len();
    let owned = group.owners.iter().filter(|owner| **owner == group.owners[0]).count();
    if owned > fair_share.max(1) && group.revoked_for.is_none() {
        if drains_first {
            group.revoked_for = Some(member);
        } else {
            move_partition(group, member, operation);
            reaction.mark(Mark::MovedByJoin { timed_out: false });
        }
    }
    true
}

fn move_partition(group: &mut Group, member: u8, operation: u8) {
    group.owners[0] = Some(member);
    group.owner_generation = operation;
    group.revoked_for = None;
}

/// A leave deals all partitions out anew, at once, over those who are left.
fn leave(reaction: &mut Reaction<Metadata>, member: u8) -> bool {
    let operation = reaction.state.decree.operation + 1;
    let group = &mut reaction.state.decree.group;
    if !group.members.contains(&member) {
        return false;
    }
    group.members.retain(|other| *other != member);
    group.generation += 1;
    group.revoked_for = None;
    let was = group.owners[0];
    for index in 0..group.owners.len() {
        let left = &group.members;
        group.owners[index] = (!left.is_empty()).then(|| left[index % left.len()]);
    }
    if was != group.owners[0] {
        group.owner_generation = operation;
    }
    true
}

fn complete_revocation(reaction: &mut Reaction<Metadata>, timed_out: bool) {
    let operation = reaction.state.decree.operation + 1;
    let group = &mut reaction.state.decree.group;
    if let Some(target) = group.revoked_for {
        group.generation += 1;
        move_partition(group, target, operation);
        reaction.mark(Mark::MovedByJoin { timed_out });
    }
    announce(reaction, 0);
}
