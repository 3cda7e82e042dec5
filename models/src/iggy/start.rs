//! The world before anything happens: initial states, and the tokens that stand in the network.

use std::collections::BTreeMap;

use fencepost_spec::identity::{History, Origin};
use stateright::actor::Envelope as Travelling;

use super::bounds::{Bounds, Once, Pipeline};
use super::consumer::Consumer;
use super::disk::{self, BookmarkFile, Disk};
use super::gateway::Gateway;
use super::log::Log;
use super::messages::{Decree, Envelope, Group, Inner, Message};
use super::metadata::Metadata;
use super::operator::Operator;
use super::owner::{self, Owner, Status};
use super::producer::Producer;
use super::system::{
    Address, FIRST_CONSUMER_INDEX, GATEWAY_INDEX, METADATA_INDEX, NodeState, OPERATOR_INDEX, OWNER_INDEX,
    PRODUCER_INDEX, Setup,
};

/// What metadata has decided before anything happens.
pub fn initial_decree(bounds: &Bounds) -> Decree {
    let owners = (0..usize::from(bounds.partitions))
        .map(|index| bounds.members.get(index % bounds.members.len().max(1)).copied())
        .collect();
    let has_members = u8::from(!bounds.members.is_empty());
    let group = Group {
        generation: has_members,
        members: bounds.members.clone(),
        owners,
        owner_generation: has_members,
        revoked_for: None,
    };
    Decree { operation: 1, group, ..Decree::default() }
}

/// The state of the actor with this index before anything happens.
pub fn initial_state(setup: &Setup, index: usize) -> NodeState {
    let bounds = &setup.bounds;
    let decree = initial_decree(bounds);
    match index {
        METADATA_INDEX => NodeState::Metadata(Metadata {
            decree,
            unacknowledged: Vec::new(),
            time_outs_left: bounds.revocation_time_outs,
        }),
        GATEWAY_INDEX => NodeState::Gateway(Gateway { mirror: decree }),
        OWNER_INDEX => NodeState::Owner(Box::new(initial_owner(setup, decree))),
        PRODUCER_INDEX => NodeState::Producer(Producer { begun: 0, waiting: 0 }),
        OPERATOR_INDEX => NodeState::Operator(Operator {
            begun: vec![0; bounds.scripts.len()],
            acknowledged: vec![0; bounds.scripts.len()],
        }),
        consumer => {
            let index = u8::try_from(consumer - FIRST_CONSUMER_INDEX).unwrap_or(u8::MAX);
            NodeState::Consumer(Consumer::new(setup, index, &decree))
        }
    }
}

fn initial_owner(setup: &Setup, decree: Decree) -> Owner {
    let bounds = &setup.bounds;
    let history = History::default();
    let messages: Vec<Message> =
        (0..bounds.initial_messages).map(|number| Message { history, number, sent: 0 }).collect();
    let mut disk = Disk::new(history);
    disk.perform(disk::Operation::Append(history, 0, messages.clone()), true);
    let mut bookmarks = BTreeMap::new();
    let mut accounted = BTreeMap::new();
    for (key, offset) in &bounds.initial_bookmarks {
        let origin = Origin::Read { history, assignment: initial_decree(bounds).group.owner_generation };
        let file = BookmarkFile { offset: *offset, generation: 0, origin, written_in: history, automatic: true };
        disk.perform(disk::Operation::WriteBookmark(*key, file), true);
        bookmarks.insert(*key, file);
        accounted.insert(*key, owner::commits::bits_up_to(*offset));
    }
    Owner {
        status: Status::Serving,
        applied: decree,
        purge_generation: 0,
        history,
        log: Log { start: 0, messages },
        bookmarks,
        last_polled: None,
        reads: Vec::new(),
        pipeline: Default::default(),
        queue: Default::default(),
        disk,
        gateway_time_outs_left: bounds.gateway_time_outs,
        restarts_left: bounds.restarts,
        power_losses_left: bounds.power_losses,
        disk_failures_left: bounds.disk_failures,
        reported_drained: None,
        ghost: owner::Ghost { accepted: bounds.initial_messages, accounted, ..Default::default() },
    }
}

/// The tokens that stand in the network at the start.
pub fn tokens(setup: &Setup) -> Vec<Travelling<Envelope>> {
    let bounds = &setup.bounds;
    let mut tokens = Vec::new();
    let mut to_itself = |to: Address, msg: Envelope| tokens.push(Travelling { src: to.id(), dst: to.id(), msg });
    for (index, consumer) in (0..).zip(&bounds.consumers) {
        for act in &consumer.acts {
            to_itself(Address::Consumer(index), Envelope::Act(None, *act));
        }
    }
    if !bounds.sends.is_empty() {
        to_itself(Address::Producer, Envelope::Send(None, 0));
    }
    for script in (0..).zip(&bounds.scripts).map(|(script, _)| script) {
        to_itself(Address::Operator, Envelope::Next(script));
    }
    for once in &bounds.once {
        match *once {
            Once::Consumer { consumer, step, act } => {
                to_itself(Address::Consumer(consumer), Envelope::Act(Some(step), act));
            }
            Once::Producer { step, count } => to_itself(Address::Producer, Envelope::Send(Some(step), count)),
            Once::Operator { step, command } => to_itself(Address::Operator, Envelope::Once(step, command)),
        }
    }
    if bounds.revocation_time_outs > 0 {
        to_itself(Address::Metadata, Envelope::RevocationTimesOut);
    }
    for inner in inner_tokens(setup) {
        to_itself(Address::Owner, Envelope::Inner(inner));
    }
    tokens
}

fn inner_tokens(setup: &Setup) -> Vec<Inner> {
    let bounds = &setup.bounds;
    let mut inner = Vec::new();
    for slot in 0..bounds.slots() {
        inner.push(Inner::Complete(slot));
        if bounds.disk_reads {
            inner.push(Inner::Open(slot));
        }
        if bounds.new_bytes {
            inner.push(Inner::OpenNewBytes(slot));
        }
        if setup.choices.parked_polls {
            inner.push(Inner::Expire(slot));
        }
        if bounds.gateway_time_outs > 0 {
            inner.push(Inner::GatewayGivesUp(slot));
        }
    }
    if bounds.pipeline != Pipeline::Immediate {
        inner.push(Inner::CommitOldest);
    }
    if bounds.purge_in_steps {
        inner.push(Inner::PurgeStep { fails: false });
    }
    if bounds.disk_failures > 0 {
        inner.push(Inner::PurgeStep { fails: true });
    }
    if bounds.restarts > 0 {
        inner.push(Inner::Restart);
    }
    if bounds.restarts > 0 || bounds.power_losses > 0 {
        inner.push(Inner::ResumePurge);
    }
    if bounds.power_losses > 0 {
        inner.extend(
            (0..1_u16 << bounds.unsynced_operations.min(8))
                .filter_map(|mask| u8::try_from(mask).ok())
                .map(Inner::PowerLoss),
        );
    }
    if bounds.partitions > 1 {
        inner.push(Inner::ReportDrained);
    }
    inner
}
