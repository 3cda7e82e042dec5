//! Several processes that explore together: how they find each other, and how one notices that another is gone.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use timely::CommunicationConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::initialize::{Hooks, WorkerGuards, initialize_from};

use super::courier::{self, Command, Event};
use super::greeting;

/// Where the processes are, and which of them this one is.
#[derive(Clone, Debug)]
pub struct Places {
    /// The addresses of all processes, in order.
    pub addresses: Vec<SocketAddr>,
    /// Which of them this process is.
    pub process: usize,
    /// What all must have in common: the program, its version, what it is asked. Processes with another word are refused.
    pub watchword: String,
}

/// Why processes did not come together.
#[derive(Debug)]
pub enum ConnectError {
    /// This process cannot listen where the others look for it.
    Listen(SocketAddr, io::Error),
    /// Another process could not be reached, or did not come, in time.
    Absent(usize),
    /// Another process does something else: it has another watchword.
    Different(usize),
    /// A connection failed.
    Connection(io::Error),
    /// Timely could not start its threads.
    Threads(String),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(address, error) => write!(formatter, "cannot listen at {address}: {error}"),
            Self::Absent(process) => write!(formatter, "process {process} did not come in time"),
            Self::Different(process) => write!(
                formatter,
                "process {process} was started differently: all need the same program, arguments and list of hosts"
            ),
            Self::Connection(error) => write!(formatter, "a connection to another process failed: {error}"),
            Self::Threads(text) => write!(formatter, "no thread for the exchange with other processes: {text}"),
        }
    }
}

impl std::error::Error for ConnectError {}

/// The connected processes, as one of them sees them.
///
/// Timely has a thread of its own in each process, the courier, to which orders are given. What travels between the processes is neither
/// encrypted nor signed: it belongs on one machine or a private network.
pub struct Cluster {
    process: usize,
    processes: usize,
    commands: Sender<Command>,
    events: Receiver<Event>,
    courier: Thread,
    /// There until the end.
    threads: Option<WorkerGuards<()>>,
}

/// A process that was lost. For all of this process, since Timely's threads can tell it to nobody else.
static LOST: Mutex<Option<usize>> = Mutex::new(None);

impl Cluster {
    /// A cluster of this process alone.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn alone() -> Result<Self, ConnectError> {
        let (builders, others) = CommunicationConfig::Thread.try_build().map_err(ConnectError::Threads)?;
        Self::of(builders, others, 0, 1)
    }

    /// Connects the processes at `places`; `listener` listens at the address of this one, if somebody opened it already.
    ///
    /// # Errors
    /// If not all of them come together within `patience`.
    pub fn connect(places: &Places, listener: Option<TcpListener>, patience: Duration) -> Result<Self, ConnectError> {
        let (process, processes) = (places.process, places.addresses.len());
        if processes == 1 {
            return Self::alone();
        }
        let sockets = greeting::sockets(places, listener, Instant::now() + patience)?;
        watch_threads();
        let locals = ProcessBuilder::new_typed_vector(1, Hooks::default().refill, None);
        let built = initialize_networking_from_sockets(locals, sockets, process, 1, Hooks::default());
        let (builders, guard) = built.map_err(ConnectError::Connection)?;
        Self::of(builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard), process, processes)
    }

    fn of(
        builders: Vec<AllocatorBuilder>,
        others: Box<dyn std::any::Any + Send>,
        process: usize,
        processes: usize,
    ) -> Result<Self, ConnectError> {
        let ((commands, orders), (telling, events)) = (channel(), channel());
        let orders = Mutex::new(Some((orders, telling)));
        let carry = move |allocator| {
            let (orders, telling) = orders
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
                .unwrap_or_else(|| unreachable!("there is one courier"));
            courier::carry(allocator, &orders, &telling);
        };
        let threads = initialize_from(builders, others, carry).map_err(ConnectError::Threads)?;
        let Some(courier) = threads.guards().first().map(|guard| guard.thread().clone()) else {
            return Err(ConnectError::Threads("there is no courier".to_owned()));
        };
        Ok(Self { process, processes, commands, events, courier, threads: Some(threads) })
    }

    /// Which process this is, from 0.
    pub fn process(&self) -> usize {
        self.process
    }

    /// How many processes there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Leaves the cluster when all that was to be explored together is explored, and waits until everything that was sent is away.
    ///
    /// A process that ends without it breaks its connections, by which the others notice that it is lost.
    pub fn finish(mut self) {
        if self.order(Command::Leave).is_ok() && self.lost().is_none() {
            drop(self.threads.take());
        }
    }

    /// A process that is gone before the end, if one is known to be.
    pub fn lost(&self) -> Option<usize> {
        *LOST.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the courier an order. It gets none any more after a loss.
    pub(super) fn order(&self, command: Command) -> Result<(), Lost> {
        self.commands.send(command).map_err(|_| Lost)?;
        self.courier.unpark();
        Ok(())
    }

    /// What the courier tells.
    pub(super) fn events(&self) -> &Receiver<Event> {
        &self.events
    }
}

impl Drop for Cluster {
    /// Does not wait for anybody: whoever does not [`finish`](Cluster::finish) has not done what the others wait for.
    fn drop(&mut self) {
        // Timely would wait for its threads, and those for the other processes; or panic, because one of them did.
        std::mem::forget(self.threads.take());
    }
}

/// A process is gone, so that what is under way cannot be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

/// Notes it when one of Timely's threads panics, which is how it says that a connection broke, instead of printing it.
fn watch_threads() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let thread = std::thread::current();
            let name = thread.name().and_then(|name| name.strip_prefix("timely:")).unwrap_or_default();
            let peer = name.strip_prefix("recv-").or(name.strip_prefix("send-")).and_then(|peer| peer.parse().ok());
            let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(peer) = peer {
                lost.get_or_insert(peer);
            }
            // After that the courier panics, too, since its queues do.
            let is_aftermath = lost.is_some() && !name.is_empty();
            drop(lost);
            if !is_aftermath {
                before(panic);
            }
        }));
    });
}
