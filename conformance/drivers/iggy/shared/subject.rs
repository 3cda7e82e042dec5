//! The server as a subject: requests wait in the driver until the runner lets them go, then they are sent and answered.

use std::collections::BTreeMap;
use std::process;
use std::time::Instant;

use fencepost_driver::{
    Answer, Call, Capabilities, Crash, Failure, Fields, Observation, Park, ParkKind, Progress, Subject, World,
};
use tokio::runtime::Runtime;
use tokio::time::sleep;

use super::connection::{Connections, Role};
use super::look::{look, observables};
use super::options::Options;
use super::stage::{Crew, Litter, Stage};
use super::wire::Wire;

/// A request that was begun and not sent yet.
#[derive(Clone, Debug)]
struct Waiting {
    park: Park,
    call: Call,
    is_abandoned: bool,
}

/// One server, seen from outside.
pub struct Server<W: Wire> {
    pub(super) options: Options,
    pub(super) connections: Connections,
    pub(super) stage: Option<Stage>,
    pub(super) world: World,
    /// Positions by the operation of the poll that brought them, and offset.
    pub(super) batches: BTreeMap<String, BTreeMap<u64, W::Position>>,
    waiting: BTreeMap<String, Waiting>,
    litter: Litter,
    worlds: u64,
}

/// The subject: a server and the runtime on which the client library works.
pub struct IggySubject<W: Wire> {
    runtime: Runtime,
    server: Server<W>,
}

impl<W: Wire> IggySubject<W> {
    /// A subject that has not connected yet.
    pub fn new(runtime: Runtime, options: Options, litter: Litter) -> Self {
        let server = Server {
            options,
            connections: Connections::default(),
            stage: None,
            world: World::default(),
            batches: BTreeMap::new(),
            waiting: BTreeMap::new(),
            litter,
            worlds: 0,
        };
        Self { runtime, server }
    }

    /// Deletes what the driver made at the server, and closes the connections.
    ///
    /// # Errors
    /// A [`Failure`], if something may be left at the server.
    pub fn clean_up(&mut self) -> Result<(), Failure> {
        let Self { runtime, server } = self;
        runtime.block_on(async {
            let result = server.strike().await;
            server.connections.close_all().await;
            result
        })
    }
}

impl<W: Wire> Server<W> {
    pub(super) fn crew(&mut self) -> Crew<'_> {
        Crew { options: &self.options, connections: &mut self.connections }
    }

    async fn strike(&mut self) -> Result<(), Failure> {
        self.waiting.clear();
        self.batches.clear();
        // A connection that was lost must not stand in the way of cleaning up.
        self.connections.close_lost().await;
        let Some(stage) = self.stage.take() else {
            // A world that was not finished.
            self.litter.remove::<W>(&self.options).await;
            return Ok(());
        };
        let mut crew = Crew { options: &self.options, connections: &mut self.connections };
        stage.strike::<W>(&mut crew, &self.litter).await
    }

    async fn make(&mut self, world: &World) -> Result<(), Failure> {
        self.strike().await?;
        self.world = world.clone();
        self.worlds += 1;
        let stream = format!("{}-{}-{}", self.options.stream_prefix, process::id(), self.worlds);
        let mut crew = Crew { options: &self.options, connections: &mut self.connections };
        let raised = Stage::raise::<W>(&mut crew, &self.litter, stream, world).await;
        if raised.is_err() {
            self.litter.remove::<W>(&self.options).await;
        }
        self.stage = Some(raised?);
        self.furnish().await?;
        self.await_world().await
    }

    /// Waits until the server shows the world as it was asked for.
    async fn await_world(&mut self) -> Result<(), Failure> {
        let deadline = Instant::now() + self.options.request_time_out;
        loop {
            let seen = self.look(observables()).await?;
            let offsets = (0..).zip(self.world.messages.iter().cloned()).collect::<Vec<(u64, String)>>();
            let owner = self.world.members.first().cloned().unwrap_or_default();
            let owner_is_right = seen.mirrored_owner.as_ref().is_none_or(|found| *found == owner);
            if seen.messages.as_ref() == Some(&offsets)
                && seen.bookmarks.as_ref() == Some(&self.world.bookmarks)
                && owner_is_right
            {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Failure::failed(format!("the world could not be made; the server shows {seen:?}")));
            }
            sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    async fn look(&mut self, fields: Fields) -> Result<Observation, Failure> {
        let individuals: Vec<String> =
            self.world.clients.iter().filter(|client| !client.is_of_group).map(|client| client.name.clone()).collect();
        let stage = self.stage.as_ref().ok_or_else(no_world)?;
        let mut crew = Crew { options: &self.options, connections: &mut self.connections };
        look::<W>(&mut crew, stage, &individuals, fields.and(observables())).await
    }

    fn begin(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        let Some(stage) = &self.stage else { return Err(no_world()) };
        if let Some(reason) = self.unsupported(call) {
            return Ok(Progress::Unsupported { reason });
        }
        // Names may be used again when the operation before has ended.
        if self.waiting.contains_key(operation) {
            return Err(Failure::out_of_order(format!("an operation `{operation}` waits already")));
        }
        let kind = match call {
            Call::Poll { .. } | Call::Store { .. } | Call::Delete { .. } | Call::Send { .. } => ParkKind::Request,
            Call::Join { .. } if stage.has_several_partitions => ParkKind::Request,
            _ => ParkKind::Propose,
        };
        let waiting = Waiting { park: Park::new(kind, operation), call: call.clone(), is_abandoned: false };
        self.waiting.insert(operation.to_owned(), waiting);
        Ok(Progress::Parked)
    }

    fn unsupported(&self, call: &Call) -> Option<String> {
        let consumer = match call {
            // Where no poll ever waits, one that may wait is answered at once like any other.
            Call::Poll { may_wait: true, .. } if self.polls_wait() => {
                return Some("a poll that waits at the owner cannot be held".to_owned());
            }
            Call::Expire { .. } => return Some("a client cannot let single messages expire".to_owned()),
            Call::Poll { consumer, .. } | Call::Store { consumer, .. } | Call::Delete { consumer } => consumer,
            _ => return None,
        };
        let is_old = self.world.clients.iter().any(|client| client.name == *consumer && client.is_old);
        (is_old && W::ALWAYS_STATES_IDENTITIES)
            .then(|| format!("{} states identities in every request, {consumer} would be an older client", W::CLIENT))
    }

    fn polls_wait(&self) -> bool {
        self.world.settings.choices.get("parked_polls").is_some_and(|word| word == "true")
    }

    async fn go_on(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        if answer != Answer::Proceed {
            return Ok(Progress::Unsupported {
                reason: "nothing can be made to fail or to time out at the server".to_owned(),
            });
        }
        let Some(waiting) = self.waiting.get_mut(&park.name).filter(|waiting| waiting.park == *park) else {
            return Ok(Progress::Refused { reason: format!("nothing waits at {park}") });
        };
        if matches!(waiting.call, Call::Join { .. }) && park.kind == ParkKind::Request {
            // The server asks for batches under way and proposes in one go; the step that can be held is the later one.
            waiting.park = Park::new(ParkKind::Propose, park.name.as_str());
            return Ok(Progress::Parked);
        }
        let Some(waiting) = self.waiting.remove(&park.name) else { return Err(no_world()) };
        if let Some(reason) = self.connections.lost(&role_of(&waiting.call)) {
            return Ok(Progress::Unsupported { reason });
        }
        let progress = self.carry_out(&park.name, &waiting.call).await?;
        if waiting.is_abandoned {
            self.batches.remove(&park.name);
            return Ok(Progress::Parked);
        }
        Ok(progress)
    }
}

/// Over whose connection a call goes.
fn role_of(call: &Call) -> Role {
    match call {
        Call::Poll { consumer, .. }
        | Call::Store { consumer, .. }
        | Call::Delete { consumer }
        | Call::Join { consumer }
        | Call::Leave { consumer }
        | Call::Disconnect { consumer } => Role::Consumer(consumer.clone()),
        Call::Send { .. } => Role::Producer,
        Call::Empty {} | Call::Recreate {} | Call::Expire { .. } => Role::Operator,
    }
}

pub(super) fn no_world() -> Failure {
    Failure::out_of_order("there is no world yet: the first reset is missing, or it failed")
}

impl<W: Wire> Subject for IggySubject<W> {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            subject: "iggy".to_owned(),
            version: W::CLIENT.to_owned(),
            calls: Call::KINDS.iter().filter(|kind| **kind != "expire").map(|kind| (*kind).to_owned()).collect(),
            parks: vec![ParkKind::Request, ParkKind::Propose],
            observables: observables(),
            crashes: Vec::new(),
            is_deterministic: false,
        }
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        let Self { runtime, server } = self;
        runtime.block_on(async {
            if let Err(failure) = server.make(world).await {
                // The server may have been started anew since the last world: then all connections are dead.
                let had_connections = server.worlds > 1;
                server.connections.close_all().await;
                if !had_connections {
                    return Err(failure);
                }
                server.make(world).await?;
            }
            Ok(())
        })
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        self.server.begin(operation, call)
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        let Self { runtime, server } = self;
        runtime.block_on(server.go_on(park, answer))
    }

    fn parked(&self) -> Vec<Park> {
        let mut parks: Vec<Park> = self.server.waiting.values().map(|waiting| waiting.park.clone()).collect();
        parks.sort();
        parks
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        let Self { runtime, server } = self;
        runtime.block_on(server.look(fields))
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        match self.server.waiting.get_mut(operation) {
            Some(waiting) => {
                waiting.is_abandoned = true;
                Ok(Progress::Parked)
            }
            None => Ok(Progress::Refused { reason: format!("`{operation}` does not wait for an answer") }),
        }
    }

    fn crash(&mut self, _crash: &Crash) -> Result<Progress, Failure> {
        Ok(Progress::Unsupported { reason: "the server is the user's: this driver does not end it".to_owned() })
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        Ok(Progress::Unsupported { reason: "the server is the user's: this driver does not start it".to_owned() })
    }
}

#[cfg(test)]
#[path = "subject_tests.rs"]
mod tests;
