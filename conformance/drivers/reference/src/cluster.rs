//! Everything around the owner's process: clients, gateway, metadata, the network between them, and the disk.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use fencepost_driver::{ParkKind, Reply, World};

use crate::client::{Client, GROUP};
use crate::disk::Disk;
use crate::executor::Spawner;
use crate::fault::Planted;
use crate::gates::{Gates, Name};
use crate::group::Group;
use crate::identities::Identities;
use crate::metadata::Metadata;
use crate::owner::Owner;
use crate::rules::Rules;

/// The sizes of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) prepare_slots: Option<usize>,
    pub(crate) queue_slots: usize,
    pub(crate) read_slots: usize,
    pub(crate) is_resident: bool,
    pub(crate) purges_in_steps: bool,
    pub(crate) loses_power: bool,
}

impl Sizes {
    fn of(world: &World) -> Self {
        let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        Self {
            prepare_slots: world.prepare_slots.map(count),
            queue_slots: count(world.queue_slots),
            read_slots: count(world.read_slots),
            is_resident: world.is_resident,
            purges_in_steps: world.purges_in_steps,
            loses_power: world.loses_power,
        }
    }
}

/// Names that are used again and again.
pub(crate) struct Names {
    pub(crate) nothing: Name,
    pub(crate) gateway: Name,
    pub(crate) owner: Name,
    pub(crate) group: Name,
}

/// One world.
pub(crate) struct Cluster {
    pub(crate) choices: Rc<Rules>,
    pub(crate) sizes: Sizes,
    pub(crate) gates: Rc<Gates>,
    pub(crate) spawner: Spawner,
    pub(crate) disk: Rc<Disk>,
    pub(crate) names: Names,
    pub(crate) metadata: RefCell<Metadata>,
    pub(crate) clients: RefCell<Vec<Client>>,
    /// The operations that were begun.
    pub(crate) begun: RefCell<Vec<Name>>,
    /// The operations whose callers do not wait any more.
    pub(crate) given_up: RefCell<Vec<Name>>,
    /// The answer that somebody got in this step.
    pub(crate) delivered: Cell<Option<Reply>>,
    /// The owner's process, while it runs and has recovered.
    pub(crate) owner: RefCell<Option<Rc<Owner>>>,
    /// What is left of the operation numbers of an earlier life, under the fault that persists a cut-off.
    pub(crate) cut_off: Cell<u64>,
    /// What a peer's journal holds, under the fault that replays it.
    pub(crate) peer_journal: RefCell<Vec<Name>>,
}

impl Cluster {
    pub(crate) fn new(world: &World, choices: Rc<Rules>, gates: Rc<Gates>, spawner: Spawner, disk: Rc<Disk>) -> Self {
        let members: Vec<Name> = world.members.iter().map(|member| Name::from(member.as_str())).collect();
        let group = Group::new(&members, world.partitions);
        let key: Name = GROUP.into();
        let clients = world.clients.iter().map(|client| {
            let name = Name::from(client.name.as_str());
            // Who owns no partition has no route to one.
            let assignment = group.owns(&name).then(|| group.assignment(choices.assignment_compared_by));
            let route = match (client.is_of_group, assignment) {
                (true, None) => Identities::default(),
                _ => Identities { incarnation: Some(0), purge_generation: Some(0), assignment },
            };
            let key = if client.is_of_group { Rc::clone(&key) } else { Rc::clone(&name) };
            Client::new(name, key, client.is_of_group, client.is_old, route)
        });
        let clients = clients.collect();
        let names = Names { nothing: "".into(), gateway: "gateway".into(), owner: "owner".into(), group: key };
        Self {
            choices,
            sizes: Sizes::of(world),
            gates,
            spawner,
            disk,
            names,
            metadata: RefCell::new(Metadata::new(group)),
            clients: RefCell::new(clients),
            begun: RefCell::default(),
            given_up: RefCell::default(),
            delivered: Cell::new(None),
            owner: RefCell::new(None),
            cut_off: Cell::new(0),
            peer_journal: RefCell::default(),
        }
    }

    /// Whether this defect is planted; if so, it lands.
    pub(crate) fn has(&self, planted: Planted) -> bool {
        self.choices.planted(planted)
    }

    /// Whether a place at which something stands ready has something to do now. Timers can always fire, and are not listed.
    pub(crate) fn is_ready(&self, kind: ParkKind, name: &str) -> bool {
        match kind {
            ParkKind::Apply if name == &*self.names.gateway => self.metadata.borrow().gateway_lags(),
            ParkKind::Apply => self.metadata.borrow().owner_lags(),
            ParkKind::RevocationTimeOut => self.metadata.borrow().has_revocation(),
            ParkKind::Commit | ParkKind::FinishPurge | ParkKind::ReportDrained => {
                self.owner.borrow().as_ref().is_some_and(|owner| owner.is_ready(kind))
            }
            _ => true,
        }
    }

    /// Whether the caller of an operation does not wait any more.
    pub(crate) fn has_given_up(&self, operation: &str) -> bool {
        self.given_up.borrow().iter().any(|name| &**name == operation)
    }
}
