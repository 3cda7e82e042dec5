//! The client library of a consumer: it caches a route, keeps the identities of batches, and stamps commits.

use std::rc::Rc;

use fencepost_driver::Reply;
use fencepost_spec::contract::{Choices, ClientCommits, RouteAfterRefusal};
use fencepost_spec::reply::{Code, HISTORY_UNAVAILABLE, PARTITION_NOT_OWNED, RESOURCE_NOT_FOUND};

use crate::gates::Name;
use crate::identities::Identities;

/// The key of the group's bookmark.
pub(crate) const GROUP: &str = "group";

/// What the library of one consumer remembers.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: Name,
    pub(crate) key: Name,
    pub(crate) is_of_group: bool,
    is_old: bool,
    /// The identities that it knows, stamped on requests where the wire has room for them.
    route: Identities,
    /// The identities of batches, by the poll that they came with.
    batches: Vec<(Name, Identities)>,
}

impl Client {
    pub(crate) fn new(name: Name, key: Name, is_of_group: bool, is_old: bool, route: Identities) -> Self {
        Self { name, key, is_of_group, is_old, route, batches: Vec::new() }
    }

    /// The identities that a poll names.
    pub(crate) fn stamp_poll(&self, choices: &Choices) -> Identities {
        if self.is_old {
            Identities::default()
        } else {
            self.for_this(self.route).on_wire(choices.poll_identity_on_wire)
        }
    }

    /// The identities that a commit names, of a position from the batch of this poll, if any.
    pub(crate) fn stamp_commit(&self, choices: &Choices, batch_of: Option<&str>, ignores_batch: bool) -> Identities {
        if self.is_old {
            return Identities::default();
        }
        let batch = batch_of.and_then(|poll| self.batches.iter().rev().find(|(name, _)| &**name == poll));
        let identities = match batch {
            Some((_, batch)) if choices.client_commits == ClientCommits::Checkpoint && !ignores_batch => *batch,
            _ => self.route,
        };
        self.for_this(identities).on_wire(choices.commit_identity_on_wire)
    }

    /// Individual consumers have no assignment.
    fn for_this(&self, identities: Identities) -> Identities {
        if self.is_of_group { identities } else { Identities { assignment: None, ..identities } }
    }

    /// An answer comes in.
    pub(crate) fn hear(&mut self, choices: &Choices, operation: &Name, reply: &Reply, identities: Option<Identities>) {
        // Only a batch says where it was read. An empty answer may come late, when its route was refused already.
        if let (Some(identities), Reply::Batch { .. }) = (identities, reply) {
            self.route = identities;
            self.batches.push((Rc::clone(operation), identities));
        }
        // An offset that does not exist says nothing of the route, and what was never admitted may be sent again as it is.
        let refused = match reply {
            Reply::Sentinel {} => true,
            Reply::Code { code } => {
                [HISTORY_UNAVAILABLE, PARTITION_NOT_OWNED, RESOURCE_NOT_FOUND].contains(&Code(*code))
            }
            _ => false,
        };
        if refused && choices.route_after_refusal == RouteAfterRefusal::Dropped {
            self.route = Identities::default();
        }
        // Positions of a partition that was deleted are worth nothing.
        if matches!(reply, Reply::Code { code } if *code == HISTORY_UNAVAILABLE.0) {
            self.batches.clear();
        }
    }
}
