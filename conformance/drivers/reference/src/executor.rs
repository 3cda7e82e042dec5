//! The executor: one thread, no clock. Tasks belong to the owner's process or to the world outside of it, so that a crash ends the
//! tasks of the process and no others.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::StreamExt;
use futures::stream::FuturesUnordered;

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// Where a task lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// In the process of the partition's owner: a crash ends it.
    Process,
    /// Elsewhere: clients, gateway, metadata, and what is on its way between them.
    Outside,
}

/// Hands new tasks to the executor.
#[derive(Clone, Default)]
pub(crate) struct Spawner {
    fresh: Rc<RefCell<Vec<(Home, Task)>>>,
}

impl Spawner {
    /// Begins a task; it takes its first step when the executor runs.
    pub(crate) fn spawn(&self, home: Home, task: impl Future<Output = ()> + 'static) {
        self.fresh.borrow_mut().push((home, Box::pin(task)));
    }
}

/// Remembers that some task can go on.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs tasks until none can go on.
pub(crate) struct Executor {
    process: FuturesUnordered<Task>,
    outside: FuturesUnordered<Task>,
    spawner: Spawner,
    woken: Arc<Woken>,
    waker: Waker,
}

impl Executor {
    pub(crate) fn new(spawner: Spawner) -> Self {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        Self { process: FuturesUnordered::new(), outside: FuturesUnordered::new(), spawner, woken, waker }
    }

    /// Runs until nothing moves.
    pub(crate) fn run(&mut self) {
        let mut context = Context::from_waker(&self.waker);
        loop {
            self.woken.0.store(false, Ordering::Relaxed);
            for (home, task) in self.spawner.fresh.take() {
                match home {
                    Home::Process => self.process.push(task),
                    Home::Outside => self.outside.push(task),
                }
            }
            while let Poll::Ready(Some(())) = self.process.poll_next_unpin(&mut context) {}
            while let Poll::Ready(Some(())) = self.outside.poll_next_unpin(&mut context) {}
            if !self.woken.0.load(Ordering::Relaxed) && self.spawner.fresh.borrow().is_empty() {
                return;
            }
        }
    }

    /// The owner's process dies, and its tasks with it.
    pub(crate) fn end_process(&mut self) {
        self.spawner.fresh.borrow_mut().retain(|(home, _)| *home == Home::Outside);
        self.process = FuturesUnordered::new();
    }

    /// Everything ends.
    pub(crate) fn end_all(&mut self) {
        self.end_process();
        self.outside = FuturesUnordered::new();
        self.spawner.fresh.borrow_mut().clear();
    }
}
