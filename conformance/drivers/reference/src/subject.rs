//! The reference partition as a subject: steps in, looks out.

use std::cell::Cell;
use std::rc::Rc;

use fencepost_driver::{
    Answer, Call, Capabilities, Crash, CrashKind, Failure, Fields, Observation, Park, ParkKind, Progress, Subject,
    World,
};
use fencepost_storage::MemoryStorage;
use futures::FutureExt;

use crate::cluster::Cluster;
use crate::disk::{Backing, Disk};
use crate::executor::{Executor, Home, Spawner};
use crate::fault::Fault;
use crate::gates::{Gates, Name};
use crate::network;
use crate::observe::{observe, parked};
use crate::owner::{found, recover};
use crate::settings::Contract;

/// The reference partition, with what is around it.
pub struct Reference {
    fault: Option<Fault>,
    /// How often the fault mattered.
    landed: Rc<Cell<u64>>,
    gates: Rc<Gates>,
    spawner: Spawner,
    executor: Executor,
    disk: Rc<Disk>,
    contract: Option<Contract>,
    cluster: Option<Rc<Cluster>>,
    /// Whether the owner's process runs.
    is_up: bool,
    /// The files at the start of the world that was made last, to be taken again for an equal one.
    fresh: Option<(World, Box<MemoryStorage>)>,
}

impl Reference {
    /// A reference partition over a backing, with a fault if one is wanted.
    pub fn new(backing: Backing, fault: Option<Fault>) -> Self {
        let (gates, spawner) = (Rc::new(Gates::default()), Spawner::default());
        let deaf = match fault {
            Some(Fault::Deaf(site)) => Some(site),
            _ => None,
        };
        let landed = Rc::new(Cell::new(0));
        let disk = Rc::new(Disk::new(backing, Rc::clone(&gates), deaf, Rc::clone(&landed)));
        let executor = Executor::new(spawner.clone());
        Self { fault, landed, gates, spawner, executor, disk, contract: None, cluster: None, is_up: false, fresh: None }
    }

    /// A reference partition in memory, without a fault.
    pub fn in_memory() -> Self {
        Self::new(Backing::memory(), None)
    }

    /// How often the code of the fault ran so far, over all resets: the branch of a planted one, the place at which a fence that is
    /// missing would have been asked, a sync call that does nothing.
    pub fn landed(&self) -> u64 {
        self.landed.get()
    }

    pub(crate) fn cluster(&self) -> Result<&Rc<Cluster>, Failure> {
        self.cluster.as_ref().ok_or_else(|| Failure::out_of_order("there is no world yet"))
    }

    /// Ends everything of the world before.
    fn end(&mut self) {
        self.executor.end_all();
        if let Some(cluster) = self.cluster.take() {
            cluster.owner.borrow_mut().take();
        }
    }

    /// Writes the files of a world, or takes them again.
    fn write_files(&mut self, world: &World, cluster: &Cluster) -> Result<(), Failure> {
        let failed = |error| Failure::failed(format!("the files of the world cannot be written: {error}"));
        if let (Some((known, files)), Backing::Memory(storage)) = (&self.fresh, &mut *self.disk.backing.borrow_mut())
            && known == world
        {
            storage.clone_from(files);
            return Ok(());
        }
        self.disk.backing.borrow_mut().clear().map_err(failed)?;
        self.disk.holds_calls.set(false);
        let written = found(cluster, world).now_or_never();
        written.unwrap_or(Ok(())).map_err(failed)?;
        self.disk.crash_process();
        if let Backing::Memory(storage) = &*self.disk.backing.borrow() {
            self.fresh = Some((world.clone(), storage.clone()));
        }
        Ok(())
    }

    fn refused(reason: impl Into<String>) -> Progress {
        Progress::Refused { reason: reason.into() }
    }
}

impl Subject for Reference {
    fn capabilities(&self) -> Capabilities {
        let crashes = match &*self.disk.backing.borrow() {
            Backing::Memory(_) => vec![CrashKind::Process, CrashKind::Power],
            Backing::Directory(..) | Backing::Watched(_) => vec![CrashKind::Process],
        };
        Capabilities {
            subject: "fencepost-reference".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            calls: Call::KINDS.iter().map(|kind| (*kind).to_owned()).collect(),
            parks: ParkKind::ALL.to_vec(),
            observables: Fields::all(),
            crashes,
            is_deterministic: true,
        }
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        self.end();
        let contract = match self.contract.take() {
            Some(contract) if contract.is_worded(&world.settings) => contract,
            _ => Contract::read(&world.settings, self.fault, &self.landed)?,
        };
        let choices = contract.choices();
        self.contract = Some(contract);
        let (gates, spawner, disk) = (Rc::clone(&self.gates), self.spawner.clone(), Rc::clone(&self.disk));
        let cluster = Rc::new(Cluster::new(world, choices, gates, spawner, disk));
        self.write_files(world, &cluster)?;
        self.disk.begin_to_follow(world.loses_power);
        self.spawner.spawn(Home::Outside, network::follow_at_gateway(Rc::clone(&cluster)));
        self.spawner.spawn(Home::Outside, network::time_out_revocations(Rc::clone(&cluster)));
        self.spawner.spawn(Home::Process, recover(Rc::clone(&cluster)));
        self.executor.run();
        self.disk.holds_calls.set(world.holds_inner_steps);
        if cluster.owner.borrow().is_none() {
            return Err(Failure::failed("the files of the world cannot be recovered"));
        }
        self.cluster = Some(cluster);
        self.is_up = true;
        Ok(())
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        let cluster = Rc::clone(self.cluster()?);
        if !self.is_up {
            return Ok(Self::refused("the process is down"));
        }
        let name = Name::from(operation);
        if let Err(network::Senseless(reason)) = network::begin(&cluster, Rc::clone(&name), call) {
            return Ok(Self::refused(reason));
        }
        // A name may be used again when its operation has ended.
        cluster.given_up.borrow_mut().retain(|other| *other != name);
        cluster.begun.borrow_mut().push(name);
        self.executor.run();
        Ok(Progress::Parked)
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        let cluster = Rc::clone(self.cluster()?);
        let is_ready = self.is_up && cluster.is_ready(park.kind, &park.name);
        if !is_ready || !self.gates.open(park.kind, &park.name, answer) {
            return Ok(Self::refused(format!("nothing waits at {park}")));
        }
        self.executor.run();
        Ok(cluster.delivered.take().map_or(Progress::Parked, Progress::done))
    }

    fn parked(&self) -> Vec<Park> {
        self.cluster.as_ref().map(|cluster| parked(cluster)).unwrap_or_default()
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        Ok(observe(self.cluster()?, fields))
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        let cluster = self.cluster()?;
        let begun = cluster.begun.borrow();
        let Some(name) = begun.iter().find(|name| &***name == operation) else {
            return Ok(Self::refused(format!("`{operation}` was never begun")));
        };
        cluster.given_up.borrow_mut().push(Rc::clone(name));
        Ok(Progress::Parked)
    }

    fn crash(&mut self, crash: &Crash) -> Result<Progress, Failure> {
        let cluster = Rc::clone(self.cluster()?);
        if let (Crash::Power { .. }, Backing::Directory(..)) = (crash, &*self.disk.backing.borrow()) {
            return Ok(Progress::Unsupported { reason: "the power of a real machine is not cut".to_owned() });
        }
        self.executor.end_process();
        cluster.owner.borrow_mut().take();
        self.disk.crash_process();
        self.is_up = false;
        if let Crash::Power { keep } = crash
            && !self.disk.lose_power(keep)
        {
            return Err(Failure::failed("the power loss could not be applied"));
        }
        self.executor.run();
        Ok(Progress::Parked)
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        let cluster = Rc::clone(self.cluster()?);
        if self.is_up {
            return Ok(Self::refused("the process runs"));
        }
        self.spawner.spawn(Home::Process, recover(Rc::clone(&cluster)));
        self.is_up = true;
        self.executor.run();
        Ok(Progress::Parked)
    }
}
