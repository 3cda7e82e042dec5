//! The gateway, home of the connections: it checks membership on its mirror of metadata, which may lag, and adds identities that a
//! request does not state.

use fencepost_spec::contract::{WireIdentity, WithoutIdentity};

use crate::fault::Planted;
use crate::fences::{commit_member_at_dispatch, poll_member_at_dispatch};
use crate::identities::Identities;
use crate::metadata::View;
use crate::request::{Answer, Ask, Request};
use crate::rules::Rules;

/// Lets a request pass, with the identities added that it does not state.
///
/// # Errors
/// The answer to a request that is refused.
pub(crate) fn dispatch(choices: &Rules, mirror: &View, request: &mut Request) -> Result<(), Answer> {
    if let Some(client) = request.client.as_ref().filter(|_| request.is_of_group) {
        let owns = mirror.group.owns(client);
        let is_free = mirror.group.revoked_for.is_none() || choices.planted(Planted::PendingRevocationMayPoll);
        let outcome = match request.ask {
            Ask::Poll { .. } => poll_member_at_dispatch(choices, owns && is_free),
            _ => commit_member_at_dispatch(choices, owns),
        };
        if let Some(refusal) = outcome.refusal() {
            return Err(Answer::of_fence(refusal.answer, matches!(request.ask, Ask::Delete)));
        }
    }
    let assignment = request.is_of_group.then(|| mirror.group.assignment(choices.assignment_compared_by));
    match request.ask {
        Ask::Poll { .. } => bind_poll(choices, mirror, request, assignment),
        Ask::Store { .. } | Ask::Delete => return bind_commit(choices, mirror, request, assignment),
        Ask::Send { .. } => bind_incarnation(choices, mirror, request),
    }
    Ok(())
}

fn bind_poll(choices: &Rules, mirror: &View, request: &mut Request, assignment: Option<u64>) {
    if choices.poll_identity_on_wire == WireIdentity::PartitionContext {
        request.named.incarnation = request.named.incarnation.or(Some(mirror.incarnation));
        request.named.assignment = request.named.assignment.or(assignment);
    }
    request.assignment = request.named.assignment.or(assignment);
}

fn bind_incarnation(choices: &Rules, mirror: &View, request: &mut Request) {
    if !choices.planted(Planted::IncarnationBoundOnArrival) {
        request.named.incarnation = request.named.incarnation.or(Some(mirror.incarnation));
    }
}

/// Adds identities to a commit, or refuses one that names none, where the contract says so.
fn bind_commit(choices: &Rules, mirror: &View, request: &mut Request, assignment: Option<u64>) -> Result<(), Answer> {
    if choices.planted(Planted::CommitStampedAtGateway) {
        let stamp = Identities { incarnation: None, purge_generation: Some(mirror.purge_generation), assignment };
        request.named = stamp.on_wire(choices.commit_identity_on_wire);
    }
    let is_bare = choices.commit_identity_on_wire != WireIdentity::Nothing && request.named == Identities::default();
    if is_bare && choices.commit_without_identity == WithoutIdentity::Refused {
        let answer = choices.answer_to_commit_without_identity();
        return Err(Answer::of_fence(answer, matches!(request.ask, Ask::Delete)));
    }
    bind_incarnation(choices, mirror, request);
    let has_assignment = matches!(
        choices.commit_identity_on_wire,
        WireIdentity::PurgeAndGroupGeneration | WireIdentity::PartitionContext
    );
    if has_assignment && choices.commit_without_identity == WithoutIdentity::BoundToInstalledOwner {
        request.named.assignment = request.named.assignment.or(assignment);
    }
    Ok(())
}
