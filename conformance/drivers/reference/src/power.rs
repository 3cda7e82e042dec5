//! What a power loss would leave at any moment, and what recovery makes of it: the partition itself is not touched.
//!
//! Every image is recovered by the code that a new process runs, on a copy that has the image, what metadata says, and nothing else.
//! Recovery can be cut off, too: before each of its own storage calls power is lost once more, and what is left then is recovered again.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use fencepost_driver::{Field, Fields, Observation, Status};
use fencepost_storage::{Fingerprint, Handle, MemoryStorage, Policy, Storage, StorageError};

use crate::cluster::{Cluster, Names};
use crate::disk::{Backing, Disk};
use crate::executor::{Executor, Home, Spawner};
use crate::fault::Fault;
use crate::gates::{Gates, Name};
use crate::metadata::Metadata;
use crate::observe::observe;
use crate::owner::recover;
use crate::rules::Rules;
use crate::subject::Reference;

/// Where the samples above the cap begin: the same images are taken each time.
const SEED: u64 = 1;

/// What is looked at in a recovered partition.
const FIELDS: [Field; 7] = [
    Field::Status,
    Field::StartOffset,
    Field::NextOffset,
    Field::Messages,
    Field::Bookmarks,
    Field::BookmarkFiles,
    Field::PurgeGeneration,
];

/// One state that a recovered partition is in.
#[derive(Clone, Debug)]
pub struct RecoveredState {
    /// What is seen of it. A partition that cannot serve at all is seen as fenced, and nothing else of it.
    pub observation: Observation,
    /// The image that was recovered, in words.
    pub image: String,
    /// The image that a second power loss left during that recovery, in words, if there was one.
    pub interrupted: Option<String>,
}

/// The power-loss images of one moment, recovered.
#[derive(Clone, Debug, Default)]
pub struct PowerLoss {
    /// Subsets of the unsynced operations that were looked at.
    pub subsets: u64,
    /// Distinct images among them.
    pub images: u64,
    /// Images of a second power loss, while the first was recovered from.
    pub second_images: u64,
    /// Whether images were left out because there were more than the cap.
    pub is_capped: bool,
    /// The states that were recovered, each once, with the first image that leads there.
    pub states: Vec<RecoveredState>,
}

/// What recovery makes of one image.
struct Outcome {
    observation: Observation,
    /// What it makes of the images of a second power loss, each with words for the image.
    second: Vec<(Observation, String)>,
    second_images: u64,
    is_capped: bool,
}

/// All that recovery depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Found {
    image: Fingerprint,
    incarnation: u64,
    purge_generation: u64,
    cut_off: u64,
    journal: Vec<Name>,
    policy: Policy,
}

/// Takes power-loss images, and remembers what recovery made of those that it knows.
#[derive(Default)]
pub struct PowerImages {
    /// For which contract.
    choices: Option<Rc<Rules>>,
    known: HashMap<Found, Rc<Outcome>>,
}

impl PowerImages {
    /// What a power loss now could leave under a policy, recovered. `None`: there is no world yet, or its files are not in memory.
    ///
    /// More than `cap` subsets are not all looked at; see [`MemoryStorage::images`].
    pub fn of(&mut self, reference: &Reference, policy: Policy, cap: u64) -> Option<PowerLoss> {
        let cluster = reference.cluster().ok()?;
        let backing = cluster.disk.backing.borrow();
        let Backing::Memory(storage) = &*backing else { return None };
        if !self.choices.as_ref().is_some_and(|known| Rc::ptr_eq(known, &cluster.choices)) {
            self.choices = Some(Rc::clone(&cluster.choices));
            self.known.clear();
        }
        let set = storage.images(policy, cap, SEED);
        let mut loss = PowerLoss {
            subsets: set.examined,
            images: set.images.len() as u64,
            is_capped: set.capped,
            ..PowerLoss::default()
        };
        let mut seen = Vec::new();
        for image in &set.images {
            let found = found(cluster, image.fingerprint, policy);
            let make = || Rc::new(outcome(cluster, storage.image(&image.choice), policy, cap));
            let outcome = Rc::clone(self.known.entry(found).or_insert_with(make));
            loss.second_images += outcome.second_images;
            loss.is_capped |= outcome.is_capped;
            let first = (&outcome.observation, None);
            for (observation, interrupted) in
                std::iter::once(first).chain(outcome.second.iter().map(|(o, w)| (o, Some(w))))
            {
                if !seen.contains(observation) {
                    seen.push(observation.clone());
                    let image = storage.describe(&image.choice);
                    let (observation, interrupted) = (observation.clone(), interrupted.cloned());
                    loss.states.push(RecoveredState { observation, image, interrupted });
                }
            }
        }
        Some(loss)
    }
}

fn found(cluster: &Cluster, image: Fingerprint, policy: Policy) -> Found {
    let metadata = cluster.metadata.borrow();
    Found {
        image,
        incarnation: metadata.at_owner.incarnation,
        purge_generation: metadata.at_owner.purge_generation,
        cut_off: cluster.cut_off.get(),
        journal: cluster.peer_journal.borrow().clone(),
        policy,
    }
}

/// Recovers an image, and all that a second power loss leaves of it meanwhile.
fn outcome(cluster: &Cluster, image: MemoryStorage, policy: Policy, cap: u64) -> Outcome {
    let trail = Rc::new(RefCell::new(Vec::new()));
    let first = image.fingerprint();
    let watched = Watched { storage: image, trail: Rc::clone(&trail) };
    let (observation, last) = recovered(cluster, watched);
    let mut outcome = Outcome { observation, second: Vec::new(), second_images: 0, is_capped: false };
    let mut seen = HashSet::from([first]);
    for storage in trail.take().iter().chain(&last) {
        let set = storage.images(policy, cap, SEED);
        outcome.is_capped |= set.capped;
        for image in set.images.iter().filter(|image| seen.insert(image.fingerprint)) {
            outcome.second_images += 1;
            let watched = Watched { storage: storage.image(&image.choice), trail: Rc::default() };
            let (observation, _) = recovered(cluster, watched);
            if observation != outcome.observation && outcome.second.iter().all(|(known, _)| *known != observation) {
                outcome.second.push((observation, storage.describe(&image.choice)));
            }
        }
    }
    outcome
}

/// A new process recovers from these files: what is seen of it then, and the files.
fn recovered(cluster: &Cluster, files: Watched) -> (Observation, Option<MemoryStorage>) {
    let (gates, spawner) = (Rc::new(Gates::default()), Spawner::default());
    let deaf = match cluster.choices.fault() {
        Some(Fault::Deaf(site)) => Some(site),
        _ => None,
    };
    let disk = Rc::new(Disk::new(Backing::Watched(Box::new(files)), Rc::clone(&gates), deaf, Rc::default()));
    let mut executor = Executor::new(spawner.clone());
    let copy = Rc::new(rebooted(cluster, gates, spawner.clone(), Rc::clone(&disk)));
    spawner.spawn(Home::Process, recover(Rc::clone(&copy)));
    executor.run();
    let fields = FIELDS.iter().fold(Fields::NONE, |fields, field| fields.with(*field));
    let mut observation = observe(&copy, fields);
    if copy.owner.borrow().is_none() {
        observation.status = Some(Status::Fenced);
    }
    // Tasks and owner hold each other.
    executor.end_all();
    copy.owner.borrow_mut().take();
    let files = match &*disk.backing.borrow() {
        Backing::Watched(files) => Some(files.storage.clone()),
        _ => None,
    };
    (observation, files)
}

/// The cluster around a new process: no client, and of metadata what the owner has applied.
fn rebooted(cluster: &Cluster, gates: Rc<Gates>, spawner: Spawner, disk: Rc<Disk>) -> Cluster {
    let at_owner = cluster.metadata.borrow().at_owner.clone();
    let mut metadata = Metadata::new((*at_owner.group).clone());
    metadata.at_owner = at_owner;
    let names = &cluster.names;
    Cluster {
        choices: Rc::clone(&cluster.choices),
        sizes: cluster.sizes,
        gates,
        spawner,
        disk,
        names: Names {
            nothing: Rc::clone(&names.nothing),
            gateway: Rc::clone(&names.gateway),
            owner: Rc::clone(&names.owner),
            group: Rc::clone(&names.group),
        },
        metadata: RefCell::new(metadata),
        clients: RefCell::default(),
        begun: RefCell::default(),
        given_up: RefCell::default(),
        delivered: Cell::new(None),
        owner: RefCell::new(None),
        cut_off: Cell::new(cluster.cut_off.get()),
        peer_journal: RefCell::new(cluster.peer_journal.borrow().clone()),
    }
}

/// Files in memory that are kept as they were before each call that changes or syncs them.
#[derive(Debug)]
pub struct Watched {
    storage: MemoryStorage,
    trail: Rc<RefCell<Vec<MemoryStorage>>>,
}

impl Watched {
    fn changing(&mut self) -> &mut MemoryStorage {
        self.trail.borrow_mut().push(self.storage.clone());
        &mut self.storage
    }
}

impl Storage for Watched {
    fn create(&mut self, path: &str) -> Result<Handle, StorageError> {
        self.changing().create(path)
    }

    fn open(&mut self, path: &str) -> Result<Handle, StorageError> {
        self.storage.open(path)
    }

    fn close(&mut self, handle: Handle) -> Result<(), StorageError> {
        self.storage.close(handle)
    }

    fn read_into(&mut self, handle: Handle, offset: u64, buffer: &mut [u8]) -> Result<usize, StorageError> {
        self.storage.read_into(handle, offset, buffer)
    }

    fn length(&mut self, handle: Handle) -> Result<u64, StorageError> {
        self.storage.length(handle)
    }

    fn write(&mut self, handle: Handle, offset: u64, bytes: &[u8]) -> Result<(), StorageError> {
        self.changing().write(handle, offset, bytes)
    }

    fn truncate(&mut self, handle: Handle, length: u64) -> Result<(), StorageError> {
        self.changing().truncate(handle, length)
    }

    fn sync_file(&mut self, handle: Handle) -> Result<(), StorageError> {
        self.changing().sync_file(handle)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), StorageError> {
        self.changing().rename(from, to)
    }

    fn remove(&mut self, path: &str) -> Result<(), StorageError> {
        self.changing().remove(path)
    }

    fn create_directory(&mut self, path: &str) -> Result<(), StorageError> {
        self.changing().create_directory(path)
    }

    fn sync_directory(&mut self, path: &str) -> Result<(), StorageError> {
        self.changing().sync_directory(path)
    }

    fn entries(&mut self, path: &str) -> Result<Vec<String>, StorageError> {
        self.storage.entries(path)
    }

    fn exists(&mut self, path: &str) -> Result<bool, StorageError> {
        self.storage.exists(path)
    }

    fn begin_group(&mut self, label: &str) {
        self.storage.begin_group(label);
    }
}
