//! Consumers that can change places, and what each value becomes when they do: one function a type.
//!
//! Two consumers can, if they have the same budgets, whatever their names, and if nothing in the budgets of others is about one of them: an
//! operator's script that names a consumer keeps him where he is. The world at the start need not look the same to both: a member that owns
//! the partition and one that does not still behave alike. Some views have none who can:
//!
//! - With power losses the order in which the bookmarks of several consumers are unlinked is part of the state, and it is that of their indices.
//! - What happens once, in scenarios and recordings, is somebody's.

use std::collections::{BTreeMap, VecDeque};

use fencepost_checker::symmetry::{Permutation, Symmetry};
use fencepost_spec::identity::Origin;

use super::bounds::{Bounds, ConsumerBounds};
use super::disk::{self, BookmarkFile, Disk, Image};
use super::gateway::Gateway;
use super::ledger::Ledger;
use super::messages::{Command, Commit, Decree, Envelope, Group, Inner, Key, PRODUCER, Poll, RequestId};
use super::metadata::Metadata;
use super::owner::{Ghost, Operation, Owner, Read, Work};
use super::system::{FIRST_CONSUMER_INDEX, IggyModel, NodeState, Setup};

/// The symmetry of the consumers of a view.
#[derive(Clone, Debug)]
pub struct LikeConsumers {
    /// How many consumers there are.
    consumers: usize,
    /// The indices of the actors that can change places, by class.
    classes: Vec<Vec<usize>>,
}

impl LikeConsumers {
    /// The consumers that can change places under these budgets.
    pub fn of(setup: &Setup) -> Self {
        let bounds = &setup.bounds;
        Self { consumers: bounds.consumers.len(), classes: classes(bounds) }
    }
}

/// The actors that can change places, by class; classes of one are left out.
fn classes(bounds: &Bounds) -> Vec<Vec<usize>> {
    if bounds.power_losses > 0 || !bounds.once.is_empty() {
        return Vec::new();
    }
    let named: Vec<u8> = bounds.scripts.iter().flatten().filter_map(|command| named_in(*command)).collect();
    let mut classes: Vec<(ConsumerBounds, Vec<usize>)> = Vec::new();
    for (index, consumer) in (0..).zip(&bounds.consumers) {
        if named.contains(&index) {
            continue;
        }
        let nameless = ConsumerBounds { name: String::new(), ..consumer.clone() };
        let actor = FIRST_CONSUMER_INDEX + usize::from(index);
        match classes.iter_mut().find(|(known, _)| *known == nameless) {
            Some((_, members)) => members.push(actor),
            None => classes.push((nameless, vec![actor])),
        }
    }
    classes.into_iter().map(|(_, members)| members).filter(|members| members.len() > 1).collect()
}

/// The consumer that a command names.
fn named_in(command: Command) -> Option<u8> {
    match command {
        Command::Join(consumer) | Command::Leave(consumer) | Command::Disconnect(consumer) => Some(consumer),
        Command::Empty | Command::Recreate | Command::Retain(_) => None,
    }
}

impl Symmetry<IggyModel> for LikeConsumers {
    fn permutations(&self) -> Vec<Permutation> {
        Permutation::within(FIRST_CONSUMER_INDEX + self.consumers, &self.classes)
    }

    fn rename_state(&self, permutation: &Permutation, state: &NodeState) -> NodeState {
        self.under(permutation).node(state)
    }

    fn rename_message(&self, permutation: &Permutation, message: &Envelope) -> Envelope {
        self.under(permutation).envelope(message)
    }

    fn rename_history(&self, permutation: &Permutation, history: &Ledger) -> Ledger {
        self.under(permutation).ledger(history)
    }
}

impl LikeConsumers {
    fn under<'a>(&'a self, permutation: &'a Permutation) -> Renaming<'a> {
        Renaming { consumers: self.consumers, permutation }
    }
}

/// What names become under one permutation.
struct Renaming<'a> {
    consumers: usize,
    permutation: &'a Permutation,
}

impl Renaming<'_> {
    /// The index of a consumer.
    fn consumer(&self, index: u8) -> u8 {
        let place = self.permutation.of(FIRST_CONSUMER_INDEX + usize::from(index)) - FIRST_CONSUMER_INDEX;
        u8::try_from(place).unwrap_or(u8::MAX)
    }

    /// The number of a client. Producer and operator have numbers above all consumers.
    fn client(&self, client: u8) -> u8 {
        if client < PRODUCER { self.consumer(client) } else { client }
    }

    fn request(&self, id: RequestId) -> RequestId {
        RequestId { client: self.client(id.client), ..id }
    }

    fn key(&self, key: Key) -> Key {
        match key {
            Key::Consumer(index) => Key::Consumer(self.consumer(index)),
            Key::Group => Key::Group,
        }
    }

    fn keyed<V>(&self, values: &BTreeMap<Key, V>, value: impl Fn(&V) -> V) -> BTreeMap<Key, V> {
        values.iter().map(|(key, before)| (self.key(*key), value(before))).collect()
    }

    fn origin(&self, origin: Origin) -> Origin {
        match origin {
            Origin::Read { .. } => origin,
            Origin::Deliberate { client, request } => Origin::Deliberate { client: self.client(client), request },
        }
    }

    /// The number of a slot: its consumer comes first, then which of his reads it names.
    fn slot(&self, slot: u8) -> u8 {
        let consumers = u8::try_from(self.consumers).unwrap_or(u8::MAX);
        self.consumer(slot % consumers) + slot / consumers * consumers
    }

    fn inner(&self, inner: Inner) -> Inner {
        match inner {
            Inner::Open(slot) => Inner::Open(self.slot(slot)),
            Inner::OpenNewBytes(slot) => Inner::OpenNewBytes(self.slot(slot)),
            Inner::Complete(slot) => Inner::Complete(self.slot(slot)),
            Inner::Expire(slot) => Inner::Expire(self.slot(slot)),
            Inner::GatewayGivesUp(slot) => Inner::GatewayGivesUp(self.slot(slot)),
            Inner::CommitOldest
            | Inner::PurgeStep { .. }
            | Inner::ResumePurge
            | Inner::Restart
            | Inner::PowerLoss(_)
            | Inner::ReportDrained
            | Inner::ResurrectBookmarks => inner,
        }
    }

    fn command(&self, command: Command) -> Command {
        match command {
            Command::Join(consumer) => Command::Join(self.consumer(consumer)),
            Command::Leave(consumer) => Command::Leave(self.consumer(consumer)),
            Command::Disconnect(consumer) => Command::Disconnect(self.consumer(consumer)),
            Command::Empty | Command::Recreate | Command::Retain(_) => command,
        }
    }

    fn group(&self, group: &Group) -> Group {
        Group {
            members: group.members.iter().map(|member| self.consumer(*member)).collect(),
            owners: group.owners.iter().map(|owner| owner.map(|owner| self.consumer(owner))).collect(),
            revoked_for: group.revoked_for.map(|member| self.consumer(member)),
            ..*group
        }
    }

    fn decree(&self, decree: &Decree) -> Decree {
        Decree { group: self.group(&decree.group), ..*decree }
    }

    fn poll(&self, poll: &Poll) -> Poll {
        Poll { id: self.request(poll.id), key: self.key(poll.key), ..*poll }
    }

    fn commit(&self, commit: &Commit) -> Commit {
        let (id, key, origin) = (self.request(commit.id), self.key(commit.key), self.origin(commit.origin));
        Commit { id, key, origin, ..*commit }
    }

    fn envelope(&self, envelope: &Envelope) -> Envelope {
        match envelope {
            Envelope::Poll(poll) => Envelope::Poll(self.poll(poll)),
            Envelope::Commit(commit) => Envelope::Commit(self.commit(commit)),
            Envelope::Reply(id, answer) => Envelope::Reply(self.request(*id), answer.clone()),
            Envelope::Command { number, command, in_flight } => {
                Envelope::Command { number: *number, command: self.command(*command), in_flight: *in_flight }
            }
            Envelope::Apply(decree) => Envelope::Apply(self.decree(decree)),
            Envelope::Gather(number, command) => Envelope::Gather(*number, self.command(*command)),
            Envelope::Gathered(number, command, in_flight) => {
                Envelope::Gathered(*number, self.command(*command), *in_flight)
            }
            Envelope::Once(number, command) => Envelope::Once(*number, self.command(*command)),
            Envelope::Inner(inner) => Envelope::Inner(self.inner(*inner)),
            Envelope::Produce(_)
            | Envelope::Acknowledged(..)
            | Envelope::Applied(_)
            | Envelope::Drained(_)
            | Envelope::RevocationTimesOut
            | Envelope::Act(..)
            | Envelope::Send(..)
            | Envelope::Next(_) => envelope.clone(),
        }
    }

    /// What consumers, producer and operator know names nobody.
    fn node(&self, node: &NodeState) -> NodeState {
        match node {
            NodeState::Metadata(metadata) => {
                NodeState::Metadata(Metadata { decree: self.decree(&metadata.decree), ..metadata.clone() })
            }
            NodeState::Gateway(gateway) => NodeState::Gateway(Gateway { mirror: self.decree(&gateway.mirror) }),
            NodeState::Owner(owner) => NodeState::Owner(Box::new(self.owner(owner))),
            NodeState::Producer(_) | NodeState::Operator(_) | NodeState::Consumer(_) => node.clone(),
        }
    }

    fn owner(&self, owner: &Owner) -> Owner {
        Owner {
            applied: self.decree(&owner.applied),
            bookmarks: self.keyed(&owner.bookmarks, |file| self.bookmark(file)),
            reads: self.reads(&owner.reads),
            pipeline: self.operations(&owner.pipeline),
            queue: self.operations(&owner.queue),
            disk: self.disk(&owner.disk),
            ghost: self.ghost(&owner.ghost),
            ..owner.clone()
        }
    }

    /// Reads stand in the order of their names; those of one name (names can be used again) stay in their order.
    fn reads(&self, reads: &[Read]) -> Vec<Read> {
        let rename = |read: &Read| Read { id: self.request(read.id), key: self.key(read.key), ..read.clone() };
        let mut reads: Vec<Read> = reads.iter().map(rename).collect();
        reads.sort_by_key(|read| read.id);
        reads
    }

    /// Operations stand in the order in which they arrived.
    fn operations(&self, operations: &VecDeque<Operation>) -> VecDeque<Operation> {
        let rename = |operation: &Operation| {
            let (request, work) = (self.request(operation.request), self.work(&operation.work));
            Operation { request, work, ..operation.clone() }
        };
        operations.iter().map(rename).collect()
    }

    fn work(&self, work: &Work) -> Work {
        match work {
            Work::Append(_) => work.clone(),
            Work::Commit { key, action, automatic, origin } => Work::Commit {
                key: self.key(*key),
                action: *action,
                automatic: *automatic,
                origin: self.origin(*origin),
            },
        }
    }

    fn bookmark(&self, file: &BookmarkFile) -> BookmarkFile {
        BookmarkFile { origin: self.origin(file.origin), ..*file }
    }

    fn disk(&self, disk: &Disk) -> Disk {
        Disk {
            durable: self.image(&disk.durable),
            unsynced: disk.unsynced.iter().map(|operation| self.unsynced(operation)).collect(),
            saved_bookmarks: self.keyed(&disk.saved_bookmarks, |file| self.bookmark(file)),
        }
    }

    fn image(&self, image: &Image) -> Image {
        Image { bookmarks: self.keyed(&image.bookmarks, |file| self.bookmark(file)), ..image.clone() }
    }

    fn unsynced(&self, operation: &disk::Operation) -> disk::Operation {
        match operation {
            disk::Operation::WriteBookmark(key, file) => {
                disk::Operation::WriteBookmark(self.key(*key), self.bookmark(file))
            }
            disk::Operation::RemoveBookmark(key) => disk::Operation::RemoveBookmark(self.key(*key)),
            disk::Operation::Append(..)
            | disk::Operation::RemoveSegment
            | disk::Operation::CreateSegment(..)
            | disk::Operation::AdvanceStart(_) => operation.clone(),
        }
    }

    /// Deliberate positions stand in the order in which they took effect.
    fn ghost(&self, ghost: &Ghost) -> Ghost {
        let position =
            |(key, request, offset): &(Key, RequestId, u8)| (self.key(*key), self.request(*request), *offset);
        Ghost {
            accounted: self.keyed(&ghost.accounted, |bits| *bits),
            positions: ghost.positions.iter().map(position).collect(),
            acknowledged: self.keyed(&ghost.acknowledged, |offset| *offset),
            ..*ghost
        }
    }

    fn ledger(&self, ledger: &Ledger) -> Ledger {
        let deliberate = ledger.deliberate.iter();
        let rename = |((client, request), current): (&(u8, u8), &_)| ((self.client(*client), *request), *current);
        Ledger { deliberate: deliberate.map(rename).collect(), ..ledger.clone() }
    }
}
