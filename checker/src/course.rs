//! What every search keeps beside its states: the time, and how far the guide came.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::engine::{Limits, Progress, Stop};
use crate::memory::resident_bytes;

/// Shortest time between two updates of the progress.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// How many of the furthest states are kept.
const MOST_FURTHEST: usize = 64;

/// The clock of a search.
pub(crate) struct Clock {
    started: Instant,
    told: Instant,
}

impl Clock {
    /// Starts now.
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { started: now, told: now }
    }

    /// Whether a search may go on, as far as time, memory and interruptions are concerned.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), Stop> {
        self.check_time(limits)?;
        let is_too_much = |most: u64| resident_bytes().is_some_and(|bytes| bytes > most);
        if limits.max_memory_bytes.is_some_and(is_too_much) {
            return Err(Stop::Memory);
        }
        Ok(())
    }

    /// Whether a search may go on, as far as time and interruptions are concerned.
    pub(crate) fn check_time(&self, limits: &Limits) -> Result<(), Stop> {
        if limits.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        if limits.max_time.is_some_and(|most| self.started.elapsed() >= most) {
            return Err(Stop::Time);
        }
        Ok(())
    }

    /// Tells the progress if it is time to; `counts` gives states and transitions.
    pub(crate) fn tell(
        &mut self,
        progress: &dyn Progress,
        depth: u32,
        level: &Range<u32>,
        counts: impl Fn() -> (u64, u64),
    ) {
        if self.told.elapsed() >= UPDATE_INTERVAL {
            self.told = Instant::now();
            let (states, transitions) = counts();
            progress.update(states, transitions, depth, level.len() as u64);
        }
    }
}

/// Which states the guide calls finished, and which came furthest.
#[derive(Default)]
pub(crate) struct Reached {
    pub(crate) first_finished: Option<u32>,
    pub(crate) finished_states: u64,
    /// The greatest progress, and the first states that have it.
    pub(crate) progress: usize,
    pub(crate) furthest: Vec<u32>,
}

impl Reached {
    /// Notes a new state.
    pub(crate) fn note(&mut self, state: u32, progress: usize, is_finished: bool) {
        if is_finished {
            self.finished_states += 1;
            self.first_finished.get_or_insert(state);
        }
        if progress > self.progress {
            self.progress = progress;
            self.furthest.clear();
        }
        if progress == self.progress && self.furthest.len() < MOST_FURTHEST {
            self.furthest.push(state);
        }
    }
}
