//! The gateway: the home of a connection. It checks membership on a mirror of the metadata that may lag, then forwards.

use fencepost_spec::contract::{AssignmentNumber, FenceAnswer, WireIdentity, WithoutIdentity};
use fencepost_spec::event::EventKind;
use fencepost_spec::fence::{self, Fence};
use fencepost_spec::identity::Context;
use fencepost_spec::reply::NOT_ACCEPTED;
use serde::{Deserialize, Serialize};

use super::marks::Mark;
use super::messages::{Answer, Commit, Decree, Envelope, Key, OPERATOR, Poll, Produce, RequestId};
use super::producer::address;
use super::system::{Address, Reaction, Setup};

/// What the gateway knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gateway {
    /// Its mirror of the metadata.
    pub mirror: Decree,
}

/// The reaction of the gateway, if there is one.
pub fn react(setup: &Setup, state: &Gateway, message: &Envelope) -> Option<Reaction<Gateway>> {
    let mut reaction = Reaction::new(state.clone());
    match message {
        Envelope::Apply(decree) => {
            if decree.operation != state.mirror.operation + 1 {
                return None;
            }
            reaction.state.mirror = decree.clone();
            let request = (decree.cause > 0).then_some(RequestId { client: OPERATOR, number: decree.cause });
            reaction.mark(Mark::Event(EventKind::Mirrored, request));
        }
        Envelope::Poll(poll) => dispatch_poll(setup, &mut reaction, poll),
        Envelope::Commit(commit) => dispatch_commit(setup, &mut reaction, commit),
        Envelope::Produce(produce) => dispatch_produce(&mut reaction, produce),
        Envelope::Command { number, command, .. } => reaction.send(Address::Owner, Envelope::Gather(*number, *command)),
        Envelope::Gathered(number, command, in_flight) => {
            let decided = Envelope::Command { number: *number, command: *command, in_flight: *in_flight };
            reaction.send(Address::Metadata, decided);
        }
        _ => return None,
    }
    Some(reaction)
}

fn dispatched(reaction: &mut Reaction<Gateway>, id: RequestId) {
    reaction.mark(Mark::Event(EventKind::Dispatched, Some(id)));
}

/// What the answer of a fence looks like to a client.
pub fn answer_of(answer: FenceAnswer) -> Answer {
    match answer {
        FenceAnswer::Code(code) => Answer::Code(code),
        FenceAnswer::Sentinel => Answer::Sentinel,
        FenceAnswer::Silent => Answer::Code(NOT_ACCEPTED),
    }
}

/// The number that names the assignment of partition 0 under a contract.
pub fn assignment_number(setup: &Setup, decree: &Decree) -> u8 {
    match setup.choices.assignment_compared_by {
        AssignmentNumber::GroupGeneration => decree.group.generation,
        AssignmentNumber::OwnerGeneration => decree.group.owner_generation,
    }
}

/// Adds what the request does not state, from the mirror.
fn bind(setup: &Setup, mirror: &Decree, key: Key, context: &mut Context) {
    context.incarnation.get_or_insert(mirror.incarnation);
    context.purge_generation.get_or_insert(mirror.purge_generation);
    if key == Key::Group {
        context.assignment.get_or_insert(assignment_number(setup, mirror));
    }
}

fn dispatch_poll(setup: &Setup, reaction: &mut Reaction<Gateway>, poll: &Poll) {
    dispatched(reaction, poll.id);
    let mirror = reaction.state.mirror.clone();
    let mut poll = *poll;
    if poll.key == Key::Group {
        let may_poll = mirror.group.owners[0] == Some(poll.id.client) && mirror.group.revoked_for.is_none();
        let outcome = fence::poll_member_at_dispatch(&setup.choices, may_poll);
        if let Some(refusal) = reaction.fence(Fence::PollMemberAtDispatch, outcome, Some(poll.id), None) {
            reaction.mark(Mark::Denied(poll.id));
            reaction.send(address(poll.id), Envelope::Reply(poll.id, answer_of(refusal.answer)));
            return;
        }
        if poll.assignment == 0 {
            poll.assignment = mirror.group.owner_generation;
        }
    }
    bind(setup, &mirror, poll.key, &mut poll.context);
    reaction.send(Address::Owner, Envelope::Poll(poll));
}

fn dispatch_commit(setup: &Setup, reaction: &mut Reaction<Gateway>, commit: &Commit) {
    dispatched(reaction, commit.id);
    let mirror = reaction.state.mirror.clone();
    let mut commit = *commit;
    if commit.key == Key::Group {
        let owns = mirror.group.owners[0] == Some(commit.id.client);
        let outcome = fence::commit_member_at_dispatch(&setup.choices, owns);
        if let Some(refusal) = reaction.fence(Fence::CommitMemberAtDispatch, outcome, Some(commit.id), None) {
            reaction.mark(Mark::Denied(commit.id));
            reaction.send(address(commit.id), Envelope::Reply(commit.id, answer_of(refusal.answer)));
            return;
        }
    }
    let has_identity = setup.choices.commit_identity_on_wire != WireIdentity::Nothing;
    if has_identity && !commit.bind && commit.context == Context::default() {
        match setup.choices.commit_without_identity {
            WithoutIdentity::Accepted => {}
            WithoutIdentity::BoundToInstalledOwner => commit.bind = true,
            WithoutIdentity::Refused => {
                let answer = answer_of(setup.choices.answer_to_commit_without_identity());
                reaction.mark(Mark::Denied(commit.id));
                reaction.send(address(commit.id), Envelope::Reply(commit.id, answer));
                return;
            }
        }
    }
    if commit.bind {
        bind(setup, &mirror, commit.key, &mut commit.context);
    }
    commit.context.incarnation.get_or_insert(mirror.incarnation);
    reaction.send(Address::Owner, Envelope::Commit(commit));
}

fn dispatch_produce(reaction: &mut Reaction<Gateway>, produce: &Produce) {
    dispatched(reaction, produce.id);
    let mut produce = *produce;
    produce.context.incarnation.get_or_insert(reaction.state.mirror.incarnation);
    reaction.send(Address::Owner, Envelope::Produce(produce));
}
