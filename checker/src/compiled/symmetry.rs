//! Reduced searches: of the states that differ only by who of some actors is who, one is kept.
//!
//! The *form* of a state is the least of the rows to which renaming leads from it, so two states have the same form exactly if they are of
//! one orbit. Forms are what is compared, looked up and kept. The *turn*, the number of the permutation that led to the form, is kept beside it: it leads
//! back to the state as it was found, which is the one that is expanded, so that every trace is an execution.
//!
//! Each value is renamed once and remembered by number. The rows that the images of a state have are put together once; of a transition only the
//! cells are renamed that it changes. Which of several rows is the least depends on the numbers of values, and so on chance, but
//! whether two forms are the same does not.

use std::sync::Arc;

use crate::actor_system::ActorSystem;
use crate::engine::{Exploration, Task};
use crate::guide::{Guide, Unguided};
use crate::symmetry::{Permutation, Symmetry, renamed_envelope};

use super::expand::{Change, Successor};
use super::intern::mix;
use super::network::NetworkKind;
use super::situation::Situation;
use super::tables::{Tables, flow};
use super::turned::Turned;
use super::{Compiled, Search};

/// An exploration that may have been reduced.
pub struct Reduced<M: ActorSystem> {
    /// What was found: `states` counts orbits, `transitions` and all counts those of the states that were kept; `depth` is less where a state's like is found earlier.
    pub exploration: Exploration<M, Unguided>,
    /// How many permutations a state was compared under; 1 if nothing could be reduced.
    pub permutations: usize,
}

impl Compiled {
    /// Explores, but of the states that a symmetry of the model makes alike only the one that is found first. Verdicts and the lengths of the shortest
    /// stories are the same, and every story is one of the model's; what is counted is less.
    ///
    /// If there are liveness clauses, which look at who waits in all states of a loop, nothing is reduced.
    ///
    /// # Panics
    /// If the first permutation of the symmetry is not the identity, if they are no group, or more than 65,536.
    pub fn explore_reduced<M: ActorSystem>(
        self,
        task: &Task<'_, M, Unguided>,
        symmetry: &dyn Symmetry<M>,
    ) -> Reduced<M> {
        let permutations = symmetry.permutations();
        let is_reduced = permutations.len() > 1 && task.liveness.is_empty();
        let reduction = is_reduced.then(|| Reduction::new(symmetry, permutations));
        let permutations = reduction.as_ref().map_or(1, |reduction| reduction.permutations.len());
        Reduced { exploration: self.search(task, None, reduction).into_exploration(), permutations }
    }
}

/// What a reduced search remembers: what each value is renamed to, by number.
pub(super) struct Reduction<'a, M: ActorSystem> {
    symmetry: &'a dyn Symmetry<M>,
    /// The permutation of each turn; that of turn 0 is the identity.
    permutations: Vec<Permutation>,
    /// By turn: the one that leads back.
    inverses: Vec<u16>,
    situations: Turned,
    envelopes: Turned,
    inboxes: Turned,
    contexts: Turned,
    /// By state: the turn from the state as it was found to its form.
    turns: Vec<u16>,
}

/// The form of a state, as far as it must be known to look it up.
pub(super) struct Form {
    /// The hash of its row.
    pub(super) hash: u64,
    /// The turn that leads to it.
    pub(super) turn: u16,
}

/// The images of a state that is expanded; memory that is used again and again, one a thread.
#[derive(Default)]
pub(super) struct Images {
    /// By turn, one row after the other; nothing, if the search is not reduced.
    rows: Vec<u32>,
    /// By turn: the hash of the row.
    hashes: Vec<u64>,
    /// The form of a state that is loaded.
    form: Vec<u32>,
}

impl<'a, M: ActorSystem> Reduction<'a, M> {
    fn new(symmetry: &'a dyn Symmetry<M>, permutations: Vec<Permutation>) -> Self {
        assert!(permutations.len() <= usize::from(u16::MAX) + 1, "a group of at most 65,536 permutations");
        assert!(permutations[0].is_identity(), "the identity comes first");
        let inverse = |permutation: &Permutation| {
            let place = permutations.iter().position(|other| *other == permutation.inverse());
            place.unwrap_or_else(|| panic!("a group has the inverse of {permutation:?}")) as u16
        };
        Self {
            symmetry,
            inverses: permutations.iter().map(inverse).collect(),
            situations: Turned::new(permutations.len()),
            envelopes: Turned::new(permutations.len()),
            inboxes: Turned::new(permutations.len()),
            contexts: Turned::new(permutations.len()),
            permutations,
            turns: Vec::new(),
        }
    }

    /// Makes settled what threads added.
    pub(super) fn settle(&mut self) {
        self.situations.settle();
        self.envelopes.settle();
        self.inboxes.settle();
        self.contexts.settle();
    }

    /// Remembers the turn of a state that is added.
    pub(super) fn add_state(&mut self, turn: u16) {
        self.turns.push(turn);
    }

    fn situation<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, turn: u16, number: u32) -> u32 {
        self.situations.get_or(turn, number, || {
            let (permutation, before) = (&self.permutations[usize::from(turn)], tables.situations.get(number));
            let state = Arc::new(self.symmetry.rename_state(permutation, &before.state));
            let index = permutation.of(before.index);
            tables.situations.intern(Situation { index, state, ..Situation::clone(&before) })
        })
    }

    fn envelope<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, turn: u16, number: u32) -> u32 {
        self.envelopes.get_or(turn, number, || {
            let (permutation, before) = (&self.permutations[usize::from(turn)], tables.envelopes.get(number));
            tables.envelopes.intern(renamed_envelope(self.symmetry, permutation, &before))
        })
    }

    fn inbox<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, turn: u16, number: u32) -> u32 {
        self.inboxes.get_or(turn, number, || {
            let before = tables.inboxes.get(number);
            let mut inbox: Vec<u32> = before.iter().map(|envelope| self.envelope(tables, turn, *envelope)).collect();
            if tables.kind == NetworkKind::Ordered {
                // Stable: the order within each flow stays.
                let envelopes = tables.envelopes.read();
                inbox.sort_by_key(|envelope| flow(envelopes.get(*envelope)));
            } else {
                inbox.sort_unstable();
            }
            tables.inboxes.intern(inbox)
        })
    }

    fn context<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, turn: u16, number: u32) -> u32 {
        self.contexts.get_or(turn, number, || {
            let (history, guide) = *tables.contexts.get(number);
            let before = tables.histories.get(history);
            let after = self.symmetry.rename_history(&self.permutations[usize::from(turn)], &before);
            tables.contexts.intern((tables.histories.intern(after), guide))
        })
    }

    /// Where a cell of a row goes in a turn, and what it becomes.
    #[inline]
    fn turned<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, turn: u16, column: usize, cell: u32) -> (usize, u32) {
        let actors = tables.layout.actors;
        let permutation = &self.permutations[usize::from(turn)];
        if turn == 0 {
            (column, cell)
        } else if column < actors {
            (permutation.of(column), self.situation(tables, turn, cell))
        } else if column < tables.layout.context() {
            // The inbox of those who are no actors comes after the inboxes of all actors, so it stays.
            (actors + permutation.of(column - actors), self.inbox(tables, turn, cell))
        } else if column == tables.layout.context() {
            (column, self.context(tables, turn, cell))
        } else {
            (column, cell.checked_sub(1).map_or(0, |envelope| self.envelope(tables, turn, envelope) + 1))
        }
    }

    /// Adds the image of a row.
    fn push_image<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, turn: u16, row: &[u32], images: &mut Vec<u32>) {
        let start = images.len();
        images.resize(start + row.len(), 0);
        for (column, cell) in row.iter().enumerate() {
            let (place, image) = self.turned(tables, turn, column, *cell);
            images[start + place] = image;
        }
    }

    /// Finds the images of a state.
    fn see<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, row: &[u32], images: &mut Images) {
        let Images { rows, hashes, .. } = images;
        rows.clear();
        hashes.clear();
        for turn in 0..self.permutations.len() as u16 {
            self.push_image(tables, turn, row, rows);
            hashes.push(tables.layout.hash(&rows[usize::from(turn) * row.len()..]));
        }
    }

    /// The form of the state to which changes lead from the state of some images: the row with the least hash, or the least of those with the same.
    /// `hash` is that of the state itself.
    fn form<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, images: &Images, hash: u64, changes: &[Change]) -> Form {
        let width = tables.layout.width();
        let mut least = Form { hash, turn: 0 };
        for turn in 1..self.permutations.len() as u16 {
            let image = &images.rows[usize::from(turn) * width..][..width];
            let hash = changes.iter().fold(images.hashes[usize::from(turn)], |hash, change| {
                let (place, cell) = self.turned(tables, turn, change.column as usize, change.cell);
                hash.wrapping_add(tables.layout.hash_change(place, image[place], cell))
            });
            let row = |turn| self.row(tables, images, changes, turn);
            if hash < least.hash || hash == least.hash && row(turn) < row(least.turn) {
                least = Form { hash, turn };
            }
        }
        least
    }

    /// The image of the state to which changes lead.
    fn row<G: Guide<M>>(&self, tables: &Tables<'_, M, G>, images: &Images, changes: &[Change], turn: u16) -> Vec<u32> {
        let mut row = Vec::new();
        self.write(tables, images, changes, turn, &mut row);
        row
    }

    /// Adds the image of the state to which changes lead.
    fn write<G: Guide<M>>(
        &self,
        tables: &Tables<'_, M, G>,
        images: &Images,
        changes: &[Change],
        turn: u16,
        rows: &mut Vec<u32>,
    ) {
        let (start, width) = (rows.len(), tables.layout.width());
        rows.extend_from_slice(&images.rows[usize::from(turn) * width..][..width]);
        for change in changes {
            let (place, cell) = self.turned(tables, turn, change.column as usize, change.cell);
            rows[start + place] = cell;
        }
    }
}

impl<M: ActorSystem, G: Guide<M>> Search<'_, M, G> {
    /// Copies the state with this number, as it was found, into `row`, and makes its images ready.
    #[inline]
    pub(super) fn load(&self, number: u32, images: &mut Images, row: &mut Vec<u32>) {
        let Some(reduction) = &self.reduction else { return self.states.load(number, row) };
        let turn = reduction.turns[number as usize];
        if turn == 0 {
            self.states.load(number, row);
        } else {
            self.states.load(number, &mut images.form);
            row.clear();
            let back = reduction.inverses[usize::from(turn)];
            reduction.push_image(&self.tables, back, &images.form, row);
        }
        reduction.see(&self.tables, row, images);
    }

    /// The form of the state to which a transition leads, if `images` are those of the state where it starts. Without a reduction it is the state itself.
    #[inline]
    pub(super) fn form(&self, images: &Images, successor: &Successor<'_>) -> Form {
        let Some(reduction) = &self.reduction else { return Form { hash: mix(successor.hash), turn: 0 } };
        let Form { hash, turn } = reduction.form(&self.tables, images, successor.hash, successor.changes);
        Form { hash: mix(hash), turn }
    }

    /// Adds the row of the form of the state to which a transition leads.
    #[inline]
    pub(super) fn write_form(&self, images: &Images, successor: &Successor<'_>, turn: u16, rows: &mut Vec<u32>) {
        match &self.reduction {
            None => successor.write_to(rows),
            Some(reduction) => reduction.write(&self.tables, images, successor.changes, turn, rows),
        }
    }

    /// The form of an initial state, with its row.
    pub(super) fn form_of_row(&self, row: Vec<u32>) -> (Form, Vec<u32>) {
        let Some(reduction) = &self.reduction else {
            return (Form { hash: mix(self.tables.layout.hash(&row)), turn: 0 }, row);
        };
        let mut images = Images::default();
        reduction.see(&self.tables, &row, &mut images);
        let Form { hash, turn } = reduction.form(&self.tables, &images, images.hashes[0], &[]);
        let form = reduction.row(&self.tables, &images, &[], turn);
        (Form { hash: mix(hash), turn }, form)
    }
}
