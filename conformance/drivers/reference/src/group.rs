//! The consumer group as metadata knows it: members, who owns which partition, and the numbers that name assignments.

use std::rc::Rc;

use fencepost_spec::contract::AssignmentNumber;

use crate::gates::Name;

/// The group at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// In the order of their joining.
    members: Vec<Name>,
    /// The owner of each partition; the first partition is the one that has a log here.
    owners: Vec<Option<Name>>,
    /// Moves with every change of the group.
    pub(crate) generation: u64,
    /// Moves with every change of the owner of the first partition, and never comes back, not even when the topic is created again.
    pub(crate) owner_generation: u64,
    /// Who gets the first partition when it is drained.
    pub(crate) revoked_for: Option<Name>,
}

impl Group {
    /// A group at the start of a world.
    pub(crate) fn new(members: &[Name], partitions: u64) -> Self {
        let generation = u64::from(!members.is_empty());
        let owners = vec![None; usize::try_from(partitions.max(1)).unwrap_or(1)];
        let mut group = Self { members: members.to_vec(), owners, generation, owner_generation: 0, revoked_for: None };
        group.deal();
        group
    }

    /// The owner of the first partition.
    pub(crate) fn owner(&self) -> Option<&Name> {
        self.owners[0].as_ref()
    }

    /// Whether a client owns the first partition; one that is being revoked is still owned.
    pub(crate) fn owns(&self, client: &Name) -> bool {
        self.owner() == Some(client)
    }

    /// The number that names the assignment of the first partition.
    pub(crate) fn assignment(&self, number: AssignmentNumber) -> u64 {
        match number {
            AssignmentNumber::GroupGeneration => self.generation,
            AssignmentNumber::OwnerGeneration => self.owner_generation,
        }
    }

    /// How many partitions the topic has.
    pub(crate) fn partitions(&self) -> usize {
        self.owners.len()
    }

    /// A client joins. A partition that a live member owns moves at once, or when it is drained. False: it was a member before.
    pub(crate) fn join(&mut self, client: &Name, waits_for_drain: bool) -> bool {
        if self.members.contains(client) {
            return false;
        }
        self.members.push(Rc::clone(client));
        self.generation += 1;
        if self.owners.iter().any(Option::is_none) {
            self.give_unowned(client);
        } else if let Some(partition) = self.excess() {
            if partition == 0 && waits_for_drain {
                self.revoked_for = Some(Rc::clone(client));
            } else {
                self.give(partition, Some(Rc::clone(client)));
            }
        }
        true
    }

    fn give_unowned(&mut self, client: &Name) {
        for partition in 0..self.owners.len() {
            if self.owners[partition].is_none() {
                self.give(partition, Some(Rc::clone(client)));
            }
        }
    }

    /// The first partition of a member that has more than one, apart from one that is being revoked.
    fn excess(&self) -> Option<usize> {
        (0..self.owners.len()).find(|partition| {
            let owned = self.owners.iter().filter(|owner| **owner == self.owners[*partition]).count();
            owned > 1 && !(*partition == 0 && self.revoked_for.is_some())
        })
    }

    fn give(&mut self, partition: usize, owner: Option<Name>) {
        if partition == 0 && self.owners[0] != owner {
            self.owner_generation += 1;
        }
        self.owners[partition] = owner;
    }

    /// Deals all partitions out anew, in turn.
    fn deal(&mut self) {
        for partition in 0..self.owners.len() {
            let owner = self.members.get(partition % self.members.len().max(1)).cloned();
            self.give(partition, owner);
        }
    }

    /// A member leaves, or its session ends. False: it was none.
    pub(crate) fn leave(&mut self, client: &Name) -> bool {
        let Some(place) = self.members.iter().position(|member| member == client) else {
            return false;
        };
        self.members.remove(place);
        self.generation += 1;
        self.revoked_for = None;
        self.deal();
        true
    }

    /// A pending revocation is completed; by a report only if the group is still at its generation. False: there is nothing to do.
    pub(crate) fn complete_revocation(&mut self, reported_at: Option<u64>) -> bool {
        if reported_at.is_some_and(|generation| generation != self.generation) {
            return false;
        }
        let Some(target) = self.revoked_for.take() else {
            return false;
        };
        self.generation += 1;
        self.give(0, Some(target));
        true
    }

    /// The group of a topic that is created again: its members join again, and it counts from the beginning, but for the assignments.
    pub(crate) fn begin_again(&self) -> Self {
        let group = Self::new(&self.members, self.owners.len() as u64);
        Self { owner_generation: self.owner_generation + group.owner_generation, ..group }
    }
}

#[cfg(test)]
mod tests {
    use super::Group;
    use crate::gates::Name;

    #[test]
    fn given_a_topic_that_is_created_again_when_it_is_assigned_should_not_bring_an_old_assignment_back() {
        let mut group = Group::new(&[Name::from("A")], 1);
        for _ in 0..3 {
            let before = group.owner_generation;
            group = group.begin_again();
            assert!(group.owner_generation > before, "{before} comes back");
            assert_eq!(group.generation, 1);
        }
    }
}
