//! The partition's owner: one task takes one message at a time from its inbox and orders everything; reads run beside it.

mod apply;
mod commits;
mod completion;
mod order;
mod polls;
mod purge;
mod recovery;
mod state;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fencepost_driver::{Answer as Opened, ParkKind, Status};
use fencepost_spec::reply::NOT_ACCEPTED;
use futures::StreamExt;
use futures::channel::{mpsc, oneshot};

use crate::cluster::Cluster;
use crate::executor::Home;
use crate::fences::revocation_drained_before_move;
use crate::files::Directories;
use crate::gates::Name;
use crate::identities::{Identities, ordered};
use crate::network;
use crate::request::{Answer, Answering, Ask, Request};

pub(crate) use recovery::{found, recover};
use state::{Operation, Poll, Read, State};

/// What comes into the owner's inbox.
pub(crate) enum Message {
    /// A request, and where its answer goes.
    Request(Request, Answering),
    /// A read has found what it will find.
    Completed(Read),
    /// An automatic store of a read that had its effect by itself.
    StoreOf(Operation),
    /// A poll that waits is woken, or its time is over.
    Woken(Poll, Opened),
    /// The oldest prepared operation is replicated.
    Replicated,
    /// There is a decision of metadata to apply.
    Decided,
    /// The oldest messages expire.
    Expire(u64, Answering),
    /// Are batches under way?
    Gather(oneshot::Sender<bool>),
    /// A revoked partition is drained, and that may be reported.
    Drained,
    /// A purge that was begun in an earlier life is to be finished.
    FinishPurge,
}

/// The owner's process.
pub(crate) struct Owner {
    cluster: Rc<Cluster>,
    inbox: mpsc::UnboundedSender<Message>,
    state: RefCell<State>,
}

impl Owner {
    /// Begins to serve from a recovered state.
    fn serve(cluster: &Rc<Cluster>, state: State) -> Rc<Self> {
        let (inbox, messages) = mpsc::unbounded();
        let owner = Rc::new(Self { cluster: Rc::clone(cluster), inbox, state: RefCell::new(state) });
        let spawner = &cluster.spawner;
        spawner.spawn(Home::Process, Rc::clone(&owner).run(messages));
        let names = &cluster.names;
        let standing = [
            (ParkKind::Commit, &names.nothing),
            (ParkKind::Apply, &names.owner),
            (ParkKind::FinishPurge, &names.nothing),
            (ParkKind::ReportDrained, &names.nothing),
        ];
        for (kind, name) in standing {
            spawner.spawn(Home::Process, Rc::clone(&owner).stand_ready(kind, Rc::clone(name)));
        }
        *cluster.owner.borrow_mut() = Some(Rc::clone(&owner));
        owner
    }

    /// Puts a message into the inbox.
    pub(crate) fn tell(&self, message: Message) {
        // The receiver lives as long as the process.
        let _ = self.inbox.unbounded_send(message);
    }

    /// The owner task.
    async fn run(self: Rc<Self>, mut messages: mpsc::UnboundedReceiver<Message>) {
        while let Some(message) = messages.next().await {
            self.take(message).await;
        }
    }

    /// Waits at a place for its turn, again and again.
    async fn stand_ready(self: Rc<Self>, kind: ParkKind, name: Name) {
        loop {
            self.cluster.gates.wait(kind, &name).await;
            self.tell(match kind {
                ParkKind::Commit => Message::Replicated,
                ParkKind::FinishPurge => Message::FinishPurge,
                ParkKind::ReportDrained => Message::Drained,
                _ => Message::Decided,
            });
        }
    }

    async fn take(self: &Rc<Self>, message: Message) {
        match message {
            Message::Request(request, answering) if matches!(request.ask, Ask::Poll { .. }) => {
                self.poll_arrives(request, answering).await;
            }
            Message::Request(request, answering) => self.write_arrives(request, answering).await,
            Message::Completed(read) => self.complete(read).await,
            Message::StoreOf(operation) => self.store_of_read_arrives(operation).await,
            Message::Woken(poll, opened) => self.woken(poll, opened).await,
            Message::Replicated => self.commit_oldest().await,
            Message::Decided => self.apply_next().await,
            Message::Expire(count, answering) => self.expire(count, answering).await,
            Message::Gather(answering) => {
                // Who asked may be gone.
                let _ = answering.send(self.state.borrow().has_batches_under_way(&self.cluster));
            }
            Message::Drained => self.report_drained(),
            Message::FinishPurge => self.finish_purge().await,
        }
    }

    /// Whether a place at which the owner stands ready has something to do.
    pub(crate) fn is_ready(&self, kind: ParkKind) -> bool {
        let state = self.state.borrow();
        match kind {
            ParkKind::Commit => !state.prepared.is_empty(),
            ParkKind::FinishPurge => state.unfinished_purge.is_some() && state.status == Status::Serving,
            ParkKind::ReportDrained => {
                state.group.revoked_for.is_some()
                    && state.reported_at != Some(state.group.generation)
                    && !state.has_batches_under_way(&self.cluster)
            }
            _ => true,
        }
    }

    fn report_drained(&self) {
        if !self.is_ready(ParkKind::ReportDrained) {
            return;
        }
        let generation = self.state.borrow().group.generation;
        self.state.borrow_mut().reported_at = Some(generation);
        self.cluster.spawner.spawn(Home::Outside, network::tell_drained(Rc::clone(&self.cluster), generation));
    }

    async fn expire(&self, count: u64, answering: Answering) {
        if self.state.borrow().status != Status::Serving {
            answer(answering, Answer::code(NOT_ACCEPTED));
            return;
        }
        let (at, file, start) = {
            let state = self.state.borrow();
            let start = state.log.start.saturating_add(count).min(state.log.next);
            (state.at.clone(), state.generation, start)
        };
        let recorded = file.record(&self.cluster.disk, &at, file.recorded.generation, start).await;
        let mut state = self.state.borrow_mut();
        match recorded {
            Ok(file) => {
                state.generation = file;
                state.log.start_at(start);
            }
            Err(_) => state.status = Status::Fenced,
        }
        answer(answering, Answer::acknowledged());
    }

    /// The directories of the partition that is served.
    pub(crate) fn directories(&self) -> Directories {
        self.state.borrow().at.clone()
    }

    /// Looks at the state, and changes nothing.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.borrow())
    }
}

impl State {
    /// Whether something was served to the group that is not committed.
    fn has_batches_under_way(&self, cluster: &Cluster) -> bool {
        let stored = self.bookmarks.get(&cluster.names.group).copied();
        let last_polled = self.last_polled;
        let (served, stored) = match last_polled {
            Some(served) => {
                let (served, stored) = ordered(served, stored);
                (Some(served), stored)
            }
            None => (None, None),
        };
        revocation_drained_before_move(&cluster.choices, served, stored).refusal().is_some()
    }

    /// What the owner has applied, as the metadata floor compares it.
    fn applied(&self, cluster: &Cluster) -> Identities {
        Identities {
            incarnation: Some(self.incarnation),
            purge_generation: Some(self.generation.recorded.generation),
            assignment: Some(self.assignment(cluster)),
        }
    }

    /// The number of the assignment that the owner has applied.
    fn assignment(&self, cluster: &Cluster) -> u64 {
        self.group.assignment(cluster.choices.assignment_compared_by)
    }
}

/// Bookmarks by key.
pub(crate) type Bookmarks = BTreeMap<Name, u64>;

/// Sends an answer. Nobody may wait for it any more.
fn answer(answering: Answering, answer: Answer) {
    let _ = answering.send(answer);
}
