//! The consumer: one thread, whose steps are what happens between two awaits.
//!
//! `manager` is what the offset managers know, `round` a fetcher's way from its seeks to its fetch, `answers` what becomes of
//! the answer to a fetch, `work` the handlers and their commits, `lock` the lock that was proposed.

mod answers;
mod lock;
mod manager;
mod round;
mod work;

use fencepost_spec::kafkajs::choices::AssignmentRaises;

use super::bounds::UserAct;
use super::marks::{Asked, Mark};
use super::messages::{Answer, Committed, Envelope, Fetched, Joined, PARTITIONS, Purpose, Request, Task};
use super::system::{Address, Reaction, Setup};

pub use manager::{Manager, Slot};
use serde::{Deserialize, Serialize};

/// What a fetch, or a batch, was asked for under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Under {
    /// The generation of the manager that asked.
    pub manager: u8,
    /// The partition's version.
    pub version: u8,
    /// Ghost: the partition's true version.
    pub truth: u8,
    /// Ghost: the number of the partition's assignment.
    pub assignment: u8,
}

/// Where a fetcher is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// Before its next round.
    Idle,
    /// It carries out a seek.
    Seeking {
        /// The partitions that the round is about.
        covered: [bool; PARTITIONS],
    },
    /// It waits for the lock.
    WaitingForLock {
        /// What it wants the lock for.
        wants: Wants,
        /// Steps of others since it asked.
        waited_steps: u8,
    },
    /// It resolves offsets.
    Resolving(Resolving),
    /// Its fetch is under way.
    Fetching(Under),
    /// It replaces an offset out of range.
    Resetting,
    /// It joins the group again.
    Joining,
    /// It waits until its batch is processed.
    Handing,
}

/// What a fetcher wants the lock for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Wants {
    /// To resolve and use the offsets of the partitions that its round is about.
    Resolve([bool; PARTITIONS]),
    /// To reset its partition, whose fetch under this assignment was out of range.
    Reset(u8),
}

/// A resolve under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Resolving {
    /// The generation of the manager that asked.
    pub manager: u8,
    /// The partitions that the round is about.
    pub covered: [bool; PARTITIONS],
    /// The partitions that are asked for.
    pub pending: [bool; PARTITIONS],
    /// Their versions when it began.
    pub versions: [u8; PARTITIONS],
    /// Ghost: their true versions when it began.
    pub truths: [u8; PARTITIONS],
    /// What was found.
    pub found: [Option<u8>; PARTITIONS],
    /// The partitions whose leaders have yet to say where the log ends.
    pub listing: [bool; PARTITIONS],
    /// Ghost: whether the reset that makes the leader's answer necessary was the owner's.
    pub legitimate: [bool; PARTITIONS],
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Stage {
    /// No worker is free.
    Waiting,
    /// Its handler runs.
    Running,
    /// Its commit is under way.
    Committing,
}

/// A batch in the hands of the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Batch {
    /// The partition.
    pub partition: u8,
    /// What was fetched. An empty answer needs a worker, too, and no handler.
    pub fetched: Fetched,
    /// What it was fetched under.
    pub under: Under,
    /// How far it is.
    pub stage: Stage,
}

/// Why the consumer does nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ended {
    /// An exception of the offset manager crashed it.
    Crashed,
    /// A commit was refused: all fetchers stop and are waited for before it joins again. That way is clean, and not followed.
    Stopped,
}

/// The state of the consumer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Consumer {
    /// The current offset manager.
    pub manager: Manager,
    /// The committed offsets that all managers share.
    pub committed: [Option<u8>; PARTITIONS],
    /// Whether these have an entry for the topic: a manager without any partition of it makes none.
    pub topic_is_known: bool,
    /// The version of each partition; never raised where no fence compares it.
    pub versions: [u8; PARTITIONS],
    /// The fetcher of each node.
    pub fetchers: [Phase; PARTITIONS],
    /// Rounds that each fetcher may still begin.
    pub rounds: [u8; PARTITIONS],
    /// Batches in the order in which they came.
    pub batches: Vec<Batch>,
    /// Seeks that wait for the next round.
    pub seeks: [Option<u8>; PARTITIONS],
    /// Paused partitions.
    pub paused: [bool; PARTITIONS],
    /// Requests to the coordinator that wait for the answer to the one before, if answers come in order; the first is under way.
    pub queue: Vec<(Task, Request)>,
    /// How many requests were sent, where they have numbers.
    pub sent: u8,
    /// Whether and why it has ended.
    pub ended: Option<Ended>,
    /// Ghost: raised by each seek, reset, manual commit and change of assignment.
    pub truths: [u8; PARTITIONS],
    /// Ghost: the number of each partition's assignment; 0: not ours.
    pub assignments: [u8; PARTITIONS],
    /// Ghost: where a seek that was carried out wants the next fetch to be.
    pub sought: [Option<u8>; PARTITIONS],
    /// Ghost: what the group had committed when the partition was assigned, until it is fetched.
    pub floor: [Option<u8>; PARTITIONS],
    /// Ghost: up to where records were handed to the group, or passed on purpose.
    pub handed: [u8; PARTITIONS],
}

impl Consumer {
    /// The consumer at the start: it has joined, and knows no offset.
    pub fn new(setup: &Setup) -> Self {
        Self {
            manager: Manager::new(1, [true; PARTITIONS]),
            committed: [None; PARTITIONS],
            topic_is_known: true,
            versions: [0; PARTITIONS],
            fetchers: [Phase::Idle; PARTITIONS],
            rounds: setup.bounds.rounds,
            batches: Vec::new(),
            seeks: [None; PARTITIONS],
            paused: [false; PARTITIONS],
            queue: Vec::new(),
            sent: 0,
            ended: None,
            truths: [0; PARTITIONS],
            assignments: [1; PARTITIONS],
            sought: [None; PARTITIONS],
            floor: [None; PARTITIONS],
            handed: setup.bounds.logs.map(|log| log.committed.unwrap_or(log.start)),
        }
    }

    /// Seek, reset and assignment raise the version of a partition.
    fn raise(&mut self, partition: usize) {
        self.truths[partition] += 1;
        self.versions[partition] += 1;
    }

    /// What a request about a partition is made under, now.
    fn under(&self, partition: usize) -> Under {
        Under {
            manager: self.manager.generation,
            version: self.versions[partition],
            truth: self.truths[partition],
            assignment: self.assignments[partition],
        }
    }
}

/// A step of the consumer: its state, and what it does beside.
pub(super) struct Step<'a> {
    setup: &'a Setup,
    reaction: Reaction<Consumer>,
}

/// Reacts to a message, or not.
pub fn react(setup: &Setup, state: &Consumer, message: &Envelope) -> Option<Reaction<Consumer>> {
    if state.ended.is_some() {
        return None;
    }
    let mut step = Step { setup, reaction: Reaction::new(state.clone()) };
    step.take(*message)?;
    if !matches!(message, Envelope::User(_)) {
        step.pass_time(state);
    }
    Some(step.reaction)
}

impl Step<'_> {
    fn state(&mut self) -> &mut Consumer {
        &mut self.reaction.state
    }

    fn take(&mut self, message: Envelope) -> Option<()> {
        match message {
            Envelope::Round(node) => self.begin_round(node),
            Envelope::HandlerReturns(partition) => self.end_handler(partition),
            Envelope::User(act) => {
                self.act(act);
                Some(())
            }
            Envelope::Answered(task, answer) => {
                self.answered();
                self.take_answer(task, answer);
                Some(())
            }
            Envelope::Listed(Task::Fetcher(node), partition, offset) => {
                self.take_listed(node, usize::from(partition), offset);
                Some(())
            }
            Envelope::FetchAnswered(node, fetched) => {
                self.take_fetched(node, fetched);
                Some(())
            }
            _ => None,
        }
    }

    fn take_answer(&mut self, task: Task, answer: Answer) {
        match (task, answer) {
            (Task::Fetcher(node), Answer::Offsets(offsets)) => self.take_offsets(node, offsets),
            (Task::Fetcher(node), Answer::Joined(joined)) => self.install(node, joined),
            (Task::Fetcher(node), Answer::Committed(commit)) => match commit.purpose {
                Purpose::Seek => self.seek_is_stored(node, commit),
                Purpose::Reset | Purpose::Progress => self.reset_is_stored(node, commit),
            },
            (Task::Worker(partition), Answer::Committed(commit)) => self.progress_is_stored(Some(partition), commit),
            (_, Answer::Committed(commit)) => self.progress_is_stored(None, commit),
            (_, Answer::IllegalGeneration) => self.state().ended = Some(Ended::Stopped),
            (_, Answer::Offsets(_) | Answer::Joined(_)) => {}
        }
    }

    /// What the application does; then it may do the next thing.
    fn act(&mut self, act: UserAct) {
        let acts = &self.setup.bounds.user;
        let next = acts.iter().position(|it| *it == act).and_then(|index| acts.get(index + 1)).copied();
        if let Some(next) = next {
            self.reaction.send(Address::Consumer, Envelope::User(next));
        }
        match act {
            UserAct::Seek { partition, offset } => self.state().seeks[usize::from(partition)] = Some(offset),
            UserAct::Pause { partition } => self.state().paused[usize::from(partition)] = true,
            UserAct::Resume { partition } => self.state().paused[usize::from(partition)] = false,
            UserAct::Commit { partition, offset } => self.commit_by_user(usize::from(partition), offset),
        }
    }

    /// Sends a request to the coordinator. On one connection the next one is answered after the one before.
    fn ask(&mut self, task: Task, request: Request) {
        self.reaction.mark(Mark::Asked(Asked::Coordinator(task, request)));
        if !self.setup.bounds.in_order {
            let number = self.reaction.state.sent;
            self.state().sent += 1;
            return self.reaction.send(Address::Coordinator, Envelope::Ask(task, request, number));
        }
        self.state().queue.push((task, request));
        if self.reaction.state.queue.len() == 1 {
            self.reaction.send(Address::Coordinator, Envelope::Ask(task, request, 0));
        }
    }

    /// The request under way is answered: the next one goes.
    fn answered(&mut self) {
        if !self.setup.bounds.in_order {
            return;
        }
        self.state().queue.remove(0);
        if let Some((task, request)) = self.reaction.state.queue.first().copied() {
            self.reaction.send(Address::Coordinator, Envelope::Ask(task, request, 0));
        }
    }

    /// A fetcher's round is over.
    fn rest(&mut self, node: u8) {
        self.state().fetchers[usize::from(node)] = Phase::Idle;
    }

    /// A new assignment: a new manager, which empties the committed offsets that all managers share.
    fn install(&mut self, node: u8, joined: Joined) {
        let raises_all = self.setup.choices.assignment_raises == AssignmentRaises::AllPartitions;
        let state = self.state();
        state.manager = Manager::new(joined.generation, joined.assigned);
        state.committed = [None; PARTITIONS];
        state.topic_is_known = state.manager.has_topic();
        for partition in 0..PARTITIONS {
            let number = if joined.assigned[partition] { joined.assignments[partition] } else { 0 };
            if number == state.assignments[partition] {
                state.versions[partition] += u8::from(raises_all);
                continue;
            }
            state.raise(partition);
            state.assignments[partition] = number;
            state.sought[partition] = None;
            state.floor[partition] = joined.assigned[partition].then_some(joined.committed[partition]).flatten();
            state.handed[partition] = state.handed[partition].max(joined.handed[partition]);
        }
        self.rest(node);
    }
}

/// What was found of a partition, if it is a number.
fn number(committed: Option<Committed>) -> Option<u8> {
    committed.and_then(|committed| committed.offset)
}
