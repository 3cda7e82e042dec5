//! The distributed engine: the compiled engine in several processes, on [Timely Dataflow](https://docs.rs/timely).
//!
//! Each state has an owner among the processes, by a hash of what some of its actors are (`owners.rs`). A process expands the states that it owns, and hands what it finds
//! to the owners. A level is a round of the exchange: when Timely's progress tracking says that everything sent in it has arrived, each process
//! knows its states of the next level. What a state is made of has other numbers in each process, so it travels as the sender's numbers, with
//! a dictionary of what is new behind them; equality is decided by the owner, on whole values.
//!
//! The order of states, on which witnesses, breaches and cuts depend, is that of the ways to them (`paths.rs`), so that the result is the one of
//! [`Compiled`], whatever the number of processes.

mod archived;
mod batch;
mod cluster;
mod courier;
mod greeting;
mod level;
mod local;
mod outcome;
mod owners;
mod paths;
mod post;

use serde::{Deserialize, Serialize};

use crate::archive::{Archive, ArchiveError};
use crate::course::Clock;
use crate::engine::{Engine, Exploration, Stop, Task};
use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::Compiled;
use super::dictionary::{bytes_of, value_of};
use archived::Ledger;
use cluster::Lost;
use local::Local;
use paths::Path;
use post::Post;

pub use cluster::{Cluster, ConnectError, Places};

/// The distributed engine, in one of the processes. All of them must explore the same tasks in the same order.
#[derive(Clone, Copy)]
pub struct Distributed<'c> {
    /// The processes.
    pub cluster: &'c Cluster,
    /// Whether the caller knows that the model's boundary holds in all states, so that it need not be asked.
    pub is_unbounded: bool,
}

/// States that are expanded before it is looked what came from others.
const BLOCK: u32 = 256;

/// What each process tells the others at the end of a level.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Summary {
    new_states: u64,
    transitions: u64,
    stop: Option<Stop>,
}

impl Distributed<'_> {
    /// Name, as on the command line.
    pub const NAME: &'static str = "timely";

    /// Explores, level by level, and judges every clause, together with the other processes; all of them get the same result. There
    /// is no guide, so [`Exploration::furthest`] stays empty. A task with liveness clauses, which need the whole graph in one memory, is
    /// explored by each process alone.
    ///
    /// If a process is lost the result is what this one found, stopped with [`Stop::Lost`]; see [`Cluster::lost`].
    pub fn explore<M: PortableSystem>(&self, task: &Task<'_, M, Unguided>) -> Exploration<M, Unguided> {
        match self.explore_with(task, None) {
            Ok(exploration) => exploration,
            Err(error) => unreachable!("there is no archive: {error}"),
        }
    }

    /// Explores like [`Distributed::explore`], goes on after the levels that are in the archives of all processes, and adds each level that
    /// is closed. Each process has an archive of its own, which is that of the same model, boundary, clauses and number of processes.
    ///
    /// # Errors
    /// That a level cannot be written; then those before it are in the archive. Or that one in it does not fit to the task.
    pub fn explore_archived<M: PortableSystem>(
        &self,
        task: &Task<'_, M, Unguided>,
        archive: &Archive,
    ) -> Result<Exploration<M, Unguided>, ArchiveError> {
        self.explore_with(task, Some(archive))
    }

    fn explore_with<M: PortableSystem>(
        &self,
        task: &Task<'_, M, Unguided>,
        archive: Option<&Archive>,
    ) -> Result<Exploration<M, Unguided>, ArchiveError> {
        if !task.liveness.is_empty() && self.cluster.lost().is_none() {
            let (alone, engine) = (Task { threads: 1, ..*task }, Compiled { is_unbounded: self.is_unbounded });
            return match archive {
                None => Ok(engine.explore(&alone)),
                Some(archive) => engine.explore_archived(&alone, archive),
            };
        }
        let mut search = Search::new(task, self, archive);
        let outcome = match search.run(self.cluster, archive.map(Ledger::new)) {
            Ok(outcome) => outcome,
            Err(Ended::Lost) => search.lost(),
            Err(Ended::Failed(error)) => return Err(error),
        };
        Ok(search.local.into_exploration(outcome, search.levels, search.stopped))
    }
}

/// Why a search ended without a result.
enum Ended {
    /// A process is gone.
    Lost,
    /// The archive cannot be read or written.
    Failed(ArchiveError),
}

impl From<Lost> for Ended {
    fn from(Lost: Lost) -> Self {
        Self::Lost
    }
}

impl From<ArchiveError> for Ended {
    fn from(error: ArchiveError) -> Self {
        Self::Failed(error)
    }
}

/// A search under way.
struct Search<'a, M: PortableSystem> {
    task: &'a Task<'a, M, Unguided>,
    local: Local<'a, M>,
    levels: Vec<u64>,
    /// States of all processes in the closed levels.
    states: u64,
    /// Transitions of all processes in the closed levels.
    transitions: u64,
    stopped: Option<Stop>,
    clock: Clock,
}

impl<'a, M: PortableSystem> Search<'a, M> {
    fn new(task: &'a Task<'a, M, Unguided>, engine: &Distributed<'_>, archive: Option<&Archive>) -> Self {
        Self {
            task,
            local: Local::new(task, engine, archive.map(|archive| archive.folder().to_owned())),
            levels: Vec::new(),
            states: 0,
            transitions: 0,
            stopped: None,
            clock: Clock::start(),
        }
    }

    /// Explores level by level until nothing is new or a limit is reached.
    fn run(&mut self, cluster: &Cluster, mut ledger: Option<Ledger<'_>>) -> Result<outcome::Outcome, Ended> {
        let mut post = Post::open(cluster)?;
        if let Some(ledger) = &mut ledger {
            self.take_over(&mut post, ledger)?;
        }
        if self.levels.is_empty() {
            self.local.begin();
            self.close_level(&mut post, None, &mut ledger)?;
        }
        while self.stopped.is_none() && self.levels.last().is_some_and(|states| *states > 0) {
            let depth = self.levels.len() as u32 - 1;
            if self.task.limits.max_depth.is_some_and(|most| depth >= most) {
                self.stopped = Some(Stop::Depth);
                break;
            }
            let stop = self.expand_level(&mut post, depth)?;
            self.close_level(&mut post, stop, &mut ledger)?;
        }
        if self.levels.last() == Some(&0) {
            self.levels.pop();
        }
        Ok(outcome::gather(&self.local, &mut post)?)
    }

    /// Takes over the levels that all processes have, as far as the limits allow.
    fn take_over(&mut self, post: &mut Post<'_>, ledger: &mut Ledger<'_>) -> Result<(), Ended> {
        let limits = self.task.limits;
        let common = tell_all(post, &ledger.levels())?.into_iter().min().unwrap_or_default();
        for level in 0..common.min(limits.max_depth.map_or(u32::MAX, |most| most.saturating_add(1))) {
            let record = ledger.read(level)?;
            let states = self.states + record.states;
            if limits.max_states.is_some_and(|most| states > most) {
                // The search ends within this level, and finds out where.
                break;
            }
            self.levels.push(record.states);
            (self.states, self.transitions) = (states, record.transitions);
            ledger.take_over(&mut self.local, level, record)?;
        }
        Ok(())
    }

    /// Expands the level as far as the limits allow.
    fn expand_level(&mut self, post: &mut Post<'_>, depth: u32) -> Result<Option<Stop>, Lost> {
        let (states, width) = (self.local.level().len(), self.levels.last().copied().unwrap_or_default());
        let (mut start, mut stop) = (0, None);
        while start < states && stop.is_none() {
            let end = states.min(start.saturating_add(BLOCK));
            stop = self.local.check_limits(&self.clock).err();
            if stop.is_none() {
                self.local.expand(start..end);
            }
            start = end;
            self.exchange(post, false)?;
            let (known, transitions) = (self.states, self.transitions);
            let local = &self.local;
            let counts = || (known + local.new_states(), transitions.max(local.counts.transitions()));
            self.clock.tell(self.task.progress, depth, &(0..width as u32), counts);
        }
        Ok(stop)
    }

    fn exchange(&mut self, post: &mut Post<'_>, all: bool) -> Result<(), Lost> {
        for (to, batch) in self.local.batches(all) {
            post.send(to, batch)?;
        }
        let local = &mut self.local;
        if all {
            post.end_round(|from, batch| local.receive(from, batch))
        } else {
            post.collect(|from, batch| local.receive(from, batch))
        }
    }

    /// Waits for what others found, and agrees with them on what the next level is, and whether to go on. A whole level is archived.
    fn close_level(
        &mut self,
        post: &mut Post<'_>,
        stop: Option<Stop>,
        ledger: &mut Option<Ledger<'_>>,
    ) -> Result<(), Ended> {
        self.exchange(post, true)?;
        let own = Summary { new_states: self.local.new_states(), transitions: self.local.counts.transitions(), stop };
        let summaries: Vec<Summary> = tell_all(post, &own)?;
        let mut new_states: u64 = summaries.iter().map(|summary| summary.new_states).sum();
        self.transitions = summaries.iter().map(|summary| summary.transitions).sum();
        self.stopped = summaries.iter().find_map(|summary| summary.stop);
        let room = self.task.limits.max_states.map_or(u64::MAX, |most| most.saturating_sub(self.states));
        if new_states > room {
            self.cut(post, room as usize)?;
            new_states = room;
            self.stopped = Some(Stop::States);
        }
        self.local.note_firsts();
        self.local.close_level();
        self.states += new_states;
        self.levels.push(new_states);
        if let Some(ledger) = ledger.as_mut().filter(|_| self.stopped.is_none()) {
            ledger.write(&self.local, self.levels.len() as u32 - 1, new_states, self.transitions)?;
        }
        Ok(())
    }

    /// Takes back what was counted after so many of the states of this level, the first ones of all processes, were found.
    fn cut(&mut self, post: &mut Post<'_>, kept: usize) -> Result<(), Lost> {
        let mut ways: Vec<Path> = tell_all(post, &self.local.new_paths())?.into_iter().flatten().collect();
        ways.sort_unstable();
        self.local.take_back(&ways[kept]);
        Ok(())
    }

    /// What there is if a process is lost: what this one found.
    fn lost(&mut self) -> outcome::Outcome {
        self.stopped = Some(Stop::Lost);
        outcome::own(&self.local)
    }
}

/// Tells all processes something; gives what each of them told, in their order.
fn tell_all<T: Serialize + serde::de::DeserializeOwned>(post: &mut Post<'_>, told: &T) -> Result<Vec<T>, Lost> {
    post.send_to_all(&bytes_of(told))?;
    let mut heard: Vec<(usize, T)> = Vec::new();
    post.end_round(|from, bytes| heard.push((from, value_of(bytes))))?;
    heard.sort_by_key(|(from, _)| *from);
    Ok(heard.into_iter().map(|(_, told)| told).collect())
}
