//! The group coordinator: generation, assignment, committed offsets; and the other member, who commits there.

use fencepost_spec::kafkajs::fence;
use serde::{Deserialize, Serialize};

use super::marks::{Mark, Standing};
use super::messages::{Answer, Commit, Committed, Envelope, Joined, Origin, PARTITIONS, Position, Request, Task};
use super::system::{Address, Reaction, Setup};

/// The state of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Coordinator {
    /// The group generation.
    pub generation: u8,
    /// Which partitions the consumer has.
    pub assigned: [bool; PARTITIONS],
    /// What stands committed.
    pub committed: [Option<Standing>; PARTITIONS],
    /// How many requests were taken, where they have numbers.
    pub taken: u8,
    /// How many commits of the other member were made.
    pub other_commits: u8,
    /// Ghost: the number of the assignment of each partition; odd: ours.
    pub assignments: [u8; PARTITIONS],
    /// Ghost: up to where another member was handed records.
    pub handed: [u8; PARTITIONS],
}

impl Coordinator {
    /// The coordinator at the start: the consumer has joined generation 1 and has all partitions.
    pub fn new(setup: &Setup) -> Self {
        let committed = setup.bounds.logs.map(|log| {
            log.committed.map(|offset| Standing {
                position: Position::Offset(offset),
                by: Origin::Assignment(0),
                legitimate: true,
            })
        });
        Self {
            generation: 1,
            assigned: [true; PARTITIONS],
            committed,
            taken: 0,
            other_commits: 0,
            assignments: [1; PARTITIONS],
            handed: [0; PARTITIONS],
        }
    }

    fn answer_offsets(&self, asked: [bool; PARTITIONS]) -> Answer {
        let answer = |partition: usize| {
            asked[partition].then(|| Committed {
                offset: number(self.committed[partition]),
                legitimate: self.committed[partition].is_none_or(|standing| standing.legitimate),
                assignment: self.assignments[partition],
                handed: self.handed[partition],
            })
        };
        Answer::Offsets(std::array::from_fn(answer))
    }

    /// Gives the consumer its next assignment. A partition that goes to the other member, or comes back, gets another number.
    fn assign(&mut self, assigned: [bool; PARTITIONS]) -> Answer {
        self.generation += 1;
        for (partition, is_ours) in assigned.into_iter().enumerate() {
            if self.assigned[partition] != is_ours {
                self.assignments[partition] += 1;
            }
        }
        self.assigned = assigned;
        Answer::Joined(Joined {
            generation: self.generation,
            assigned,
            assignments: self.assignments,
            committed: self.committed.map(number),
            handed: self.handed,
        })
    }
}

/// What stands committed, if it is a number.
fn number(standing: Option<Standing>) -> Option<u8> {
    match standing.map(|standing| standing.position) {
        Some(Position::Offset(offset)) => Some(offset),
        _ => None,
    }
}

/// Reacts to a message, or not.
pub fn react(setup: &Setup, state: &Coordinator, message: &Envelope) -> Option<Reaction<Coordinator>> {
    let mut reaction = Reaction::new(*state);
    if let Envelope::Ask(_, _, number) = message {
        if *number != state.taken {
            return None;
        }
        reaction.state.taken += u8::from(!setup.bounds.in_order);
    }
    match *message {
        Envelope::Ask(task, Request::Offsets(asked), _) => {
            reaction.send(Address::Consumer, Envelope::Answered(task, state.answer_offsets(asked)));
        }
        Envelope::Ask(task, Request::Commit(commit), _) => take_commit(setup, &mut reaction, task, commit),
        Envelope::Ask(task, Request::Join, _) => {
            let joins = usize::from(state.generation - 1);
            let assigned = setup.bounds.assignments.get(joins).copied().unwrap_or(state.assigned);
            let answer = reaction.state.assign(assigned);
            reaction.send(Address::Consumer, Envelope::Answered(task, answer));
        }
        Envelope::OtherCommits => other_commits(setup, &mut reaction)?,
        _ => return None,
    }
    Some(reaction)
}

/// Kafka compares the generation, and nothing else: neither who has the partition, nor whether the offset goes back.
fn take_commit(setup: &Setup, reaction: &mut Reaction<Coordinator>, task: Task, commit: Commit) {
    let outcome = fence::generation_at_coordinator(&setup.choices, commit.generation, reaction.state.generation);
    let stale = commit.generation != reaction.state.generation;
    if reaction.fence(fence::Fence::GenerationAtCoordinator, outcome, !stale) {
        return reaction.send(Address::Consumer, Envelope::Answered(task, Answer::IllegalGeneration));
    }
    for (partition, entry) in commit.entries.into_iter().enumerate() {
        let Some(entry) = entry else { continue };
        let current = reaction.state.assigned[partition].then(|| reaction.state.assignments[partition]);
        let legitimate = match entry.origin {
            Origin::Assignment(number) => current == Some(number),
            Origin::Chosen => true,
        };
        let after = Standing { position: entry.position, by: entry.origin, legitimate };
        let before = reaction.state.committed[partition].replace(after);
        reaction.mark(Mark::Stored { partition, purpose: commit.purpose, before, after, owned: current.is_some() });
    }
    reaction.send(Address::Consumer, Envelope::Answered(task, Answer::Committed(commit)));
}

/// The other member commits the next offset of its script, if it has the partition.
fn other_commits(setup: &Setup, reaction: &mut Reaction<Coordinator>) -> Option<()> {
    let state = &mut reaction.state;
    let commit = *setup.bounds.other_commits.get(usize::from(state.other_commits))?;
    let partition = usize::from(commit.partition);
    if state.assigned[partition] {
        return None;
    }
    let by = Origin::Assignment(state.assignments[partition]);
    state.committed[partition] = Some(Standing { position: Position::Offset(commit.offset), by, legitimate: true });
    state.handed[partition] = state.handed[partition].max(commit.offset);
    state.other_commits += 1;
    if usize::from(state.other_commits) < setup.bounds.other_commits.len() {
        reaction.send(Address::Coordinator, Envelope::OtherCommits);
    }
    Some(())
}
