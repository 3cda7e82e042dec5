//! The compiled engine: an exact breadth-first search over actor systems, by look-ups.
//!
//! Each situation of an actor, each envelope, inbox and history gets a number when it is first met, found by hash and
//! decided by full equality. A state of the system is a short row of such numbers, and no two states have the same. What an event
//! does to an actor in a situation is computed once, by the actor's own code, judged once, and remembered: a step of the system
//! is a few look-ups. Threads look up without locks; what is new waits for the end of a block of states.
//! The new states of a block are put in the order of (state, action), so that every number, every trace and every level is
//! the same for any number of threads, and the same as that of [`crate::plain`].

mod block;
mod counts;
mod cover;
mod crew;
mod dictionary;
pub mod distributed;
mod expand;
mod intern;
mod judged;
mod layout;
pub(crate) mod network;
mod record;
mod report;
mod resume;
mod room;
mod settled;
mod shelf;
mod situation;
mod states;
mod step;
mod symmetry;
mod tables;
mod turned;
mod visited;

use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};

use crate::actor_system::ActorSystem;
use crate::course::{Clock, Reached};
use crate::cover::{Abstraction, Cover, CoveringEngine};
use crate::engine::{Engine, Exploration, Stop, Task};
use crate::guide::Guide;

use block::{Block, Worker};
use counts::{Counts, Step};
use cover::{Covering, Sighting, Sightings};
use crew::{Crew, read, write};
use expand::Boundary;
use intern::NOTHING;
use room::Room;
use settled::lock;
use states::States;
use symmetry::{Form, Images, Reduction};
use tables::Tables;
use visited::Visited;

pub use symmetry::Reduced;

/// The exact breadth-first engine over actor systems.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compiled {
    /// Whether the caller knows that the model's boundary holds in all states, so that it need not be asked.
    pub is_unbounded: bool,
}

impl<M: ActorSystem> Engine<M> for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn explore<G: Guide<M>>(&self, task: &Task<'_, M, G>) -> Exploration<M, G> {
        self.search(task, None, None).into_exploration()
    }
}

impl<M: ActorSystem> CoveringEngine<M> for Compiled {
    fn explore_covering<G: Guide<M>>(
        &self,
        task: &Task<'_, M, G>,
        abstraction: &dyn Abstraction<M>,
    ) -> (Exploration<M, G>, Cover<M::Action>) {
        let search = self.search(task, Some(Covering::new(abstraction)), None);
        let cover = search.cover();
        (search.into_exploration(), cover)
    }
}

impl Compiled {
    /// A search that has ended.
    fn search<'a, M: ActorSystem, G: Guide<M>>(
        self,
        task: &'a Task<'a, M, G>,
        covering: Option<Covering<'a, M>>,
        reduction: Option<Reduction<'a, M>>,
    ) -> Search<'a, M, G> {
        let search = Search { covering, reduction, ..Search::new(task, !self.is_unbounded) };
        let (search, ended) = search.conduct(None, |_, _| Ok(()));
        Search { stopped: ended.err(), ..search }
    }
}

/// Explores level by level until nothing is new or a limit is reached, from the last known level on, if there is one. Each level that
/// is closed is kept.
fn run<M: ActorSystem, G: Guide<M>, E: From<Stop>>(
    search: &RwLock<Search<'_, M, G>>,
    crew: &Crew,
    known: Option<Range<u32>>,
    mut keep: impl FnMut(&Search<'_, M, G>, Range<u32>) -> Result<(), E>,
) -> Result<(), E> {
    let mut level = match known {
        Some(level) => level,
        None => {
            let first = 0..write(search).add_initial_states()?;
            keep(&read(search), first.clone())?;
            first
        }
    };
    while !level.is_empty() {
        let depth = read(search).enter_level()?;
        let outcome = expand_level(search, crew, level.clone(), depth);
        level = write(search).leave_level(level.end);
        outcome?;
        keep(&read(search), level.clone())?;
    }
    Ok(())
}

fn expand_level<M: ActorSystem, G: Guide<M>>(
    search: &RwLock<Search<'_, M, G>>,
    crew: &Crew,
    level: Range<u32>,
    depth: u32,
) -> Result<(), Stop> {
    let block_size = block::size(crew.threads());
    let mut start = level.start;
    while start < level.end {
        write(search).check_limits(start)?;
        let end = level.end.min(start.saturating_add(block_size));
        block::expand_block(search, crew, start..end)?;
        start = end;
        write(search).tell_progress(depth, &level);
    }
    Ok(())
}

/// Most threads that are used.
const MOST_THREADS: usize = 1024;

/// Most states that the numbers can tell apart.
const MOST_STATES: u64 = NOTHING as u64;

/// A search under way.
struct Search<'a, M: ActorSystem, G: Guide<M>> {
    task: &'a Task<'a, M, G>,
    /// Whether a state may be out of the model's boundary.
    is_bounded: bool,
    tables: Tables<'a, M, G>,
    covering: Option<Covering<'a, M>>,
    reduction: Option<Reduction<'a, M>>,
    visited: Visited,
    /// All states, in the order in which the plain engine finds them; of a reduced search, in the form that stands for the whole orbit.
    states: States,
    /// From which state each was first reached, as rows of one cell.
    parents: States,
    room: Room,
    /// One a thread.
    workers: Vec<Mutex<Worker>>,
    block: Block,
    levels: Vec<u64>,
    reached: Reached,
    stopped: Option<Stop>,
    clock: Clock,
}

impl<'a, M: ActorSystem, G: Guide<M>> Search<'a, M, G> {
    fn new(task: &'a Task<'a, M, G>, is_bounded: bool) -> Self {
        let threads = task.threads.clamp(1, MOST_THREADS);
        let tables = Tables::new(task.model, task.guide, task.clauses);
        Self {
            task,
            is_bounded,
            states: States::new(tables.layout.width()),
            tables,
            covering: None,
            reduction: None,
            visited: Visited::new(threads),
            parents: States::new(1),
            room: Room::new(None),
            workers: (0..threads).map(|_| Mutex::new(Worker::new(Counts::new(task.clauses.len())))).collect(),
            block: Block::default(),
            levels: Vec::new(),
            reached: Reached::default(),
            stopped: None,
            clock: Clock::start(),
        }
    }

    /// Explores from the last known level on, if there is one, and has each closed level kept; the search, and how it ended.
    fn conduct<E: From<Stop>>(
        self,
        known: Option<Range<u32>>,
        keep: impl FnMut(&Search<'_, M, G>, Range<u32>) -> Result<(), E>,
    ) -> (Self, Result<(), E>) {
        let threads = self.workers.len();
        let search = RwLock::new(self);
        let ended = Crew::gather(threads, &search, |crew| run(&search, crew, known, keep));
        (search.into_inner().unwrap_or_else(PoisonError::into_inner), ended)
    }

    /// The depth of the level to expand, if it may be expanded.
    fn enter_level(&self) -> Result<u32, Stop> {
        let depth = self.levels.len() as u32 - 1;
        if self.task.limits.max_depth.is_some_and(|most| depth >= most) { Err(Stop::Depth) } else { Ok(depth) }
    }

    /// The next level, which starts at `start`.
    fn leave_level(&mut self, start: u32) -> Range<u32> {
        let level = start..self.len();
        if !level.is_empty() {
            self.levels.push(level.len() as u64);
        }
        level
    }

    fn len(&self) -> u32 {
        self.states.len()
    }

    /// The boundary, if a state may be out of it.
    fn boundary(&self) -> Option<Boundary<'_>> {
        self.is_bounded.then_some(Boundary { visited: &self.visited, states: &self.states })
    }

    /// Adds the distinct initial states within the boundary, and tells how many there are.
    fn add_initial_states(&mut self) -> Result<u32, Stop> {
        let mut outcome = Ok(());
        for state in self.task.model.init_states() {
            if !self.task.model.within_boundary(&state) {
                continue;
            }
            if self.is_full() {
                outcome = Err(Stop::States);
                break;
            }
            let row = self.tables.row_of(&state);
            let (Form { hash, turn }, row) = self.form_of_row(row);
            self.settle();
            let number = self.len();
            let owner = self.visited.owner(hash);
            let known = self.visited.of_owner(owner).find_or_insert(hash, number, |other| self.states.is(other, &row));
            if known.is_none() {
                let sighting = self.covering.as_ref().map(|covering| covering.initially(&self.tables, &row));
                self.add(&row, NOTHING, turn, sighting);
            }
        }
        if self.len() > 0 {
            self.levels.push(u64::from(self.len()));
        }
        outcome.map(|()| self.len())
    }

    /// Makes settled what threads added.
    fn settle(&mut self) {
        self.tables.settle();
        if let Some(covering) = &mut self.covering {
            covering.settle(&self.tables);
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.settle();
        }
    }

    /// Takes back what was counted from step `cut` on, until before the expansion of state `end`.
    fn take_back(&mut self, cut: Step, end: u32) {
        let mut later = Counts::new(self.task.clauses.len());
        let mut sightings = Sightings::default();
        let (mut scratch, mut images) = (expand::Scratch::default(), Images::default());
        for from in cut.from..end {
            self.load(from, &mut images, &mut scratch.row);
            self.tables.successors(self.boundary(), &mut scratch, |successor| {
                let step = Step { from, event: successor.event };
                if !self.tables.is_before(step, cut) {
                    later.count(&self.tables, &successor, step);
                    if let Some(covering) = &self.covering {
                        covering.see(&self.tables, &mut sightings, &successor, step);
                    }
                }
            });
        }
        self.take_back_sightings(&sightings, cut);
        let mut counts = self.merged_counts();
        counts.subtract(&self.tables, &later, cut);
        for worker in &mut self.workers {
            let nothing = Counts::new(self.task.clauses.len());
            let counts = std::mem::replace(&mut counts, nothing);
            worker.get_mut().unwrap_or_else(PoisonError::into_inner).counts = counts;
        }
    }

    /// What all threads counted together.
    fn merged_counts(&self) -> Counts {
        let mut merged = Counts::new(self.task.clauses.len());
        for worker in &self.workers {
            merged.merge(&self.tables, &lock(worker).counts);
        }
        merged
    }

    /// Adds a new state, in its form, and remembers what the guide says about it.
    fn add(&mut self, row: &[u32], parent: u32, turn: u16, sighting: Option<Sighting>) {
        let (progress, is_finished) = self.tables.guide_at(row);
        let number = self.len();
        self.states.push(row);
        self.parents.push(&[parent]);
        if let (Some(covering), Some(sighting)) = (&mut self.covering, sighting) {
            covering.add_state(sighting);
        }
        if let Some(reduction) = &mut self.reduction {
            reduction.add_state(turn);
        }
        self.reached.note(number, progress, is_finished);
    }

    /// Whether one more state would be too many.
    fn is_full(&self) -> bool {
        u64::from(self.len()) >= self.task.limits.max_states.unwrap_or(MOST_STATES).min(MOST_STATES)
    }

    fn tell_progress(&mut self, depth: u32, level: &Range<u32>) {
        let states = u64::from(self.len());
        let workers = &self.workers;
        let transitions = |worker: &Mutex<Worker>| lock(worker).counts.transitions();
        self.clock.tell(self.task.progress, depth, level, || (states, workers.iter().map(transitions).sum()));
    }
}
