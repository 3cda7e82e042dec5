//! The thread that runs Timely: it carries parcels between processes, in rounds.
//!
//! The dataflow is short: parcels come in, are exchanged by the number of the process that they are for, and are put into a letterbox. The
//! round is the timestamp. That all parcels of a round have arrived everywhere is what Timely's progress tracking tells.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use timely::WorkerConfig;
use timely::communication::allocator::Allocator;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::generic::OutputBuilderSession;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Exchange, Input, Probe};
use timely::dataflow::{InputHandleVec, ProbeHandle};
use timely::worker::Worker;

/// How long the courier sleeps at most if there is nothing to do.
const NAP: Duration = Duration::from_millis(20);

/// Bytes for one process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parcel {
    pub(super) to: usize,
    pub(super) from: usize,
    pub(super) round: u64,
    #[serde(with = "serde_bytes")]
    pub(super) content: Vec<u8>,
}

/// An order to the courier.
pub(super) enum Command {
    /// Opens a post; all processes open theirs in the same order.
    Open,
    /// Carries a parcel.
    Carry(Parcel),
    /// Ends the round with this number.
    EndRound(u64),
    /// Closes the post.
    Close,
    /// Ends.
    Leave,
}

/// What the courier tells.
pub(super) enum Event {
    /// A parcel has arrived.
    Arrived(Parcel),
    /// All processes have ended the round, and all of its parcels have arrived.
    RoundEnded(u64),
}

/// A post that is open.
struct Open {
    input: InputHandleVec<u64, Parcel>,
    probe: ProbeHandle<u64>,
    /// The round that is being ended.
    ending: Option<u64>,
}

/// Carries until it is told to leave. After a loss Timely's queues panic, and so does this.
pub(super) fn carry(allocator: Allocator, orders: &Receiver<Command>, telling: &Sender<Event>) {
    let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
    let mut post: Option<Open> = None;
    loop {
        let mut is_busy = false;
        for order in orders.try_iter() {
            is_busy = true;
            match (order, &mut post) {
                (Command::Open, _) => post = Some(open(&mut worker, telling.clone())),
                (Command::Carry(parcel), Some(post)) => post.input.send(parcel),
                (Command::EndRound(round), Some(post)) => {
                    post.input.advance_to(round + 1);
                    post.ending = Some(round);
                }
                (Command::Carry(_) | Command::EndRound(_), None) => unreachable!("a post is opened before it is used"),
                (Command::Close, _) => post = None,
                (Command::Leave, _) => {
                    drop(post);
                    while worker.has_dataflows() {
                        worker.step_or_park(Some(NAP));
                    }
                    return;
                }
            }
        }
        if let Some(post) = post.as_mut().filter(|_| is_busy) {
            post.input.flush();
        }
        worker.step_or_park(Some(if is_busy { Duration::ZERO } else { NAP }));
        if let Some(Open { probe, ending, .. }) = &mut post
            && let Some(round) = ending.take_if(|round| !probe.less_than(&(*round + 1)))
            && telling.send(Event::RoundEnded(round)).is_err()
        {
            return;
        }
    }
}

fn open(worker: &mut Worker, telling: Sender<Event>) -> Open {
    let (mut input, probe) = (InputHandleVec::new(), ProbeHandle::new());
    worker.dataflow::<u64, _, _>(|scope| {
        let parcels = scope.input_from(&mut input).exchange(|parcel: &Parcel| parcel.to as u64);
        let delivered = parcels.unary(Pipeline, "letterbox", |_, _| {
            move |input, _: &mut OutputBuilderSession<'_, u64, CapacityContainerBuilder<Vec<()>>>| {
                input.for_each(|_, parcels: &mut Vec<Parcel>| {
                    for parcel in parcels.drain(..) {
                        // Nobody listens any more if the exploration panicked, which ends the process.
                        telling.send(Event::Arrived(parcel)).ok();
                    }
                });
            }
        });
        delivered.probe_with(&probe);
    });
    Open { input, probe, ending: None }
}
