//! Threads that stay for a whole exploration and come together many thousand times: they wait by looking, since to be woken
//! takes the system longer than most of what they do.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What all threads do together, each its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// Expand states.
    Expand,
    /// Find out what is new.
    Keep,
    /// Give what is new its numbers.
    Number,
    /// Go home.
    Leave,
}

impl Job {
    const ALL: [Self; 4] = [Self::Expand, Self::Keep, Self::Number, Self::Leave];
}

/// Something of which several threads can each do a share.
pub(super) trait Shared: Send + Sync {
    /// Does the share of one thread.
    fn work(&self, job: Job, thread: usize);
}

/// The threads, as they see each other.
pub(super) struct Crew {
    threads: usize,
    /// Four times the number of the job, plus what it is.
    order: AtomicU64,
    /// How many threads have finished the job.
    finished: AtomicUsize,
    /// Whether a thread panicked.
    is_broken: AtomicBool,
}

/// Looks that a thread takes before it lets others have the processor between two looks.
const EAGER_LOOKS: u32 = 4_000;

impl Crew {
    /// Lets `lead` lead `threads` threads, of which the calling one is the first, over something they share.
    ///
    /// # Panics
    /// If one of the threads does.
    pub(super) fn gather<S: Shared, T>(threads: usize, shared: &RwLock<S>, lead: impl FnOnce(&Self) -> T) -> T {
        let crew = Self {
            threads,
            order: AtomicU64::new(0),
            finished: AtomicUsize::new(0),
            is_broken: AtomicBool::new(false),
        };
        std::thread::scope(|scope| {
            let crew = &crew;
            let helpers: Vec<_> = (1..threads).map(|thread| scope.spawn(move || crew.follow(thread, shared))).collect();
            let result = {
                let _dismissal = Dismissal(crew);
                lead(crew)
            };
            for helper in helpers {
                if let Err(panic) = helper.join() {
                    std::panic::resume_unwind(panic);
                }
            }
            result
        })
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Has all threads do their share of a job, or the calling one all shares if there is little to do.
    pub(super) fn together<S: Shared>(&self, shared: &RwLock<S>, job: Job, is_little: bool) {
        if is_little || self.threads == 1 {
            (0..self.threads).for_each(|thread| read(shared).work(job, thread));
            return;
        }
        self.finished.store(0, Ordering::Relaxed);
        self.call(job);
        read(shared).work(job, 0);
        wait_until(|| self.finished.load(Ordering::Acquire) == self.threads - 1);
        assert!(!self.is_broken.load(Ordering::Relaxed), "a thread of the exploration panicked");
    }

    fn call(&self, job: Job) {
        let before = self.order.load(Ordering::Relaxed);
        self.order.store((before / 4 + 1) * 4 + job as u64, Ordering::Release);
    }

    /// What the other threads do: one job after the other.
    fn follow<S: Shared>(&self, thread: usize, shared: &RwLock<S>) {
        let mut done = 0;
        loop {
            wait_until(|| self.order.load(Ordering::Acquire) != done);
            done = self.order.load(Ordering::Acquire);
            let job = Job::ALL[(done % 4) as usize];
            if job == Job::Leave {
                return;
            }
            let _finish = Finish(self);
            read(shared).work(job, thread);
        }
    }
}

/// Reports, even if it panicked, that a thread finished its share.
struct Finish<'a>(&'a Crew);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Relaxed);
        }
        self.0.finished.fetch_add(1, Ordering::Release);
    }
}

/// Sends the other threads home, even if the leading one panicked.
struct Dismissal<'a>(&'a Crew);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.call(Job::Leave);
    }
}

fn wait_until(is_so: impl Fn() -> bool) {
    let mut looks = 0;
    while !is_so() {
        if looks < EAGER_LOOKS {
            looks += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

/// Looks at what is shared.
pub(super) fn read<S>(shared: &RwLock<S>) -> RwLockReadGuard<'_, S> {
    shared.read().unwrap_or_else(PoisonError::into_inner)
}

/// Changes what is shared, between two jobs.
pub(super) fn write<S>(shared: &RwLock<S>) -> RwLockWriteGuard<'_, S> {
    shared.write().unwrap_or_else(PoisonError::into_inner)
}
