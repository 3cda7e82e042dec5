//! One power-loss image.

use super::choice::{ImageChoice, OperationId};
use super::operation::{Change, Operation};
use super::policy::Rules;
use super::tree::{Inode, Node, ROOT, Tree};
use super::{MemoryStorage, Standing, sweep};

/// What becomes of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Lost,
    Kept,
    Torn(usize),
}

/// The prefix that stays of a torn write; none if it cannot be torn.
pub(crate) fn torn_length(operation: &Operation) -> Option<usize> {
    match &operation.change {
        Change::Write { bytes, .. } if bytes.len() > 1 => Some(bytes.len() / 2),
        _ => None,
    }
}

impl MemoryStorage {
    /// The file system after a power loss that these operations survive: everything in it is durable, no handle is open, no
    /// fault is armed. Deaf sites stay deaf, and what they counted is kept.
    ///
    /// An operation whose parents do not survive does not survive either; ids that are not pending are passed over.
    pub fn image(&self, choice: &ImageChoice) -> Self {
        let mut tree = self.durable.clone();
        for (operation, fate) in self.operations.iter().zip(self.fates(choice)) {
            match fate {
                Fate::Lost => {}
                Fate::Kept => tree.apply(&operation.change, None),
                Fate::Torn(length) => tree.apply(&operation.change, Some(length)),
            }
        }
        self.rebooted(&tree)
    }

    /// The choice that keeps exactly the chosen logical writes: those of [`MemoryStorage::pending_groups`] whose bit in `mask`
    /// is set, the oldest at bit 0; bit 63 stands for all from the 64th on. What is built on an operation of a group that is
    /// not chosen is lost with it.
    pub fn image_of_groups(&self, mask: u64) -> ImageChoice {
        let groups: Vec<u32> = self.pending_groups().iter().map(|group| group.group).collect();
        let chosen = |operation: &&Operation| {
            let bit = groups.iter().position(|&group| group == operation.group).unwrap_or(0).min(63);
            operation.standing != Standing::Durable && mask >> bit & 1 == 1
        };
        let kept = self.operations.iter().filter(chosen).map(|operation| operation.id).collect();
        self.choice(&self.fates(&ImageChoice { kept, torn: Vec::new() }))
    }

    /// Tells an image in words: what survived of the unsynced operations, one line each.
    pub fn describe(&self, choice: &ImageChoice) -> String {
        let fates = self.fates(choice);
        let unsynced = |operation: &Operation| operation.standing != Standing::Durable;
        let all = self.operations.iter().filter(|operation| unsynced(operation)).count();
        let told = self.operations.iter().zip(&fates).filter(|(operation, _)| unsynced(operation));
        let survivors = told.clone().filter(|(_, fate)| **fate != Fate::Lost).count();
        let mut text = format!("{survivors} of {all} unsynced operations survive");
        for (operation, fate) in told {
            let fate = match fate {
                Fate::Lost => "lost".to_owned(),
                Fate::Kept => "kept".to_owned(),
                Fate::Torn(length) => format!("torn after {length} bytes"),
            };
            text.push_str(&format!("\n  {fate}: {} {}", operation.id, self.details(operation)));
            let label = self.labels.text(operation.label);
            if !label.is_empty() {
                text.push_str(&format!(" ({label})"));
            }
        }
        text
    }

    /// What a choice makes of every operation.
    fn fates(&self, choice: &ImageChoice) -> Vec<Fate> {
        let rules = Rules::of_words(self);
        let mut fates: Vec<Fate> = Vec::with_capacity(self.operations.len());
        for (index, operation) in self.operations.iter().enumerate() {
            let possible = rules.needs[index].iter().all(|&needed| fates[needed] == Fate::Kept);
            let torn = choice.torn.iter().find(|(id, _)| *id == operation.id).map(|&(_, length)| length);
            fates.push(match torn {
                _ if rules.forced[index] => Fate::Kept,
                _ if !possible => Fate::Lost,
                Some(length) if operation.change.kind() == super::operation::ChangeKind::Write => Fate::Torn(length),
                _ if choice.kept.contains(&operation.id) => Fate::Kept,
                _ => Fate::Lost,
            });
        }
        fates
    }

    /// The choice that has these fates.
    pub(crate) fn choice(&self, fates: &[Fate]) -> ImageChoice {
        let mut choice = ImageChoice::default();
        for (operation, fate) in self.operations.iter().zip(fates) {
            let id: OperationId = operation.id;
            match fate {
                _ if operation.standing == Standing::Durable => {}
                Fate::Lost => {}
                Fate::Kept => choice.kept.push(id),
                Fate::Torn(length) => choice.torn.push((id, *length)),
            }
        }
        choice
    }

    /// A storage that shows what can be reached in a tree, all of it durable. Inodes are numbered anew.
    fn rebooted(&self, tree: &Tree) -> Self {
        let found = tree.reachable();
        let mut renumbered = vec![ROOT; tree.len()];
        for (number, &(inode, ..)) in found.iter().enumerate() {
            renumbered[inode as usize] = number as Inode;
        }
        let mut storage = Self {
            names: self.names.clone(),
            labels: self.labels.clone(),
            next_operation: self.next_operation,
            group: self.group,
            label: self.label,
            next_handle: self.next_handle,
            sites: self.sites.clone(),
            places: Vec::with_capacity(found.len()),
            volatile: Tree::empty(),
            durable: Tree::empty(),
            operations: Vec::new(),
            handles: Default::default(),
            faults: super::Faults::default(),
            free: Vec::new(),
            sweep_at: sweep::FIRST,
        };
        for &(inode, directory, name) in &found {
            storage.places.push((renumbered[directory as usize], name));
            storage.volatile.adopt(tree, inode, &renumbered);
        }
        storage.durable = storage.volatile.clone();
        storage
    }
}

impl Tree {
    /// Takes a file, or a directory with its inodes numbered anew, from another tree.
    fn adopt(&mut self, other: &Self, inode: Inode, renumbered: &[Inode]) {
        match other.directory(inode) {
            Some(names) => {
                let names = names.iter().map(|(&name, &child)| (name, renumbered[child as usize]));
                self.push(Node::Directory(names.collect()));
            }
            None => self.share(other, inode),
        }
    }
}
