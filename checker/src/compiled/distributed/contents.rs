//! Hashes of states that are the same in every process: by what the numbers stand for, not by the numbers.

use std::hash::BuildHasher;

use foldhash::quality::FixedState;

use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::super::dictionary::{bytes_of, envelope_bytes, situation_bytes};
use super::super::intern::mix;
use super::super::layout::Layout;
use super::super::tables::Tables;

/// Seed of the hashes: the same in all processes.
const SEED: u64 = 0x6F77_6E65_7273_6869;

/// The hashes of all values, by number.
pub(super) struct Contents {
    /// By column: an odd number. As in [`Layout`] the hash of a row is a sum.
    factors: Vec<u64>,
    envelopes: Vec<u64>,
    situations: Vec<u64>,
    inboxes: Vec<u64>,
    contexts: Vec<u64>,
    hasher: FixedState,
}

impl Contents {
    /// No values yet.
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            factors: {
                let mask: u64 = std::env::var("COLS").ok().and_then(|it| it.parse().ok()).unwrap_or(u64::MAX);
                (1..=layout.width() as u64)
                    .map(|column| if mask >> (column - 1) & 1 == 1 { mix(column ^ SEED) | 1 } else { 0 })
                    .collect()
            },
            envelopes: Vec::new(),
            situations: Vec::new(),
            inboxes: Vec::new(),
            contexts: Vec::new(),
            hasher: FixedState::with_seed(SEED),
        }
    }

    /// Takes in the values that are new.
    pub(super) fn settle<M: PortableSystem>(&mut self, tables: &Tables<'_, M, Unguided>) {
        for envelope in &tables.envelopes.read().list()[self.envelopes.len()..] {
            self.envelopes.push(self.hasher.hash_one(envelope_bytes(envelope)));
        }
        for number in self.situations.len()..tables.situations.read().list().len() {
            self.situations.push(self.situation(tables, number as u32));
        }
        for number in self.inboxes.len()..tables.inboxes.read().list().len() {
            self.inboxes.push(self.inbox(tables, number as u32));
        }
        for number in self.contexts.len()..tables.contexts.read().list().len() {
            self.contexts.push(self.context(tables, number as u32));
        }
    }

    /// The hash of a row.
    pub(super) fn row<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, row: &[u32]) -> u64 {
        let summand = |(column, cell)| self.cell(tables, column, cell).wrapping_mul(self.factors[column]);
        row.iter().copied().enumerate().map(summand).fold(0, u64::wrapping_add)
    }

    /// By how much the hash changes when a cell does.
    #[inline]
    pub(super) fn change<M: PortableSystem>(
        &self,
        tables: &Tables<'_, M, Unguided>,
        column: usize,
        before: u32,
        after: u32,
    ) -> u64 {
        let change = self.cell(tables, column, after).wrapping_sub(self.cell(tables, column, before));
        change.wrapping_mul(self.factors[column])
    }

    /// The hash of what stands in a cell. What was met since the last time is put together for it.
    #[inline]
    fn cell<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, column: usize, cell: u32) -> u64 {
        let layout = &tables.layout;
        let number = cell as usize;
        let known = if column < layout.actors {
            self.situations.get(number)
        } else if column < layout.context() {
            self.inboxes.get(number)
        } else if column == layout.context() {
            self.contexts.get(number)
        } else if cell == 0 {
            return 0;
        } else {
            self.envelopes.get(number - 1)
        };
        known.copied().unwrap_or_else(|| self.fresh(tables, column, cell))
    }

    #[cold]
    fn fresh<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, column: usize, cell: u32) -> u64 {
        let layout = &tables.layout;
        if column < layout.actors {
            self.situation(tables, cell)
        } else if column < layout.context() {
            self.inbox(tables, cell)
        } else if column == layout.context() {
            self.context(tables, cell)
        } else {
            self.envelope(tables, cell - 1)
        }
    }

    fn situation<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, number: u32) -> u64 {
        self.hasher.hash_one(situation_bytes(&tables.situations.get(number)))
    }

    fn envelope<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, number: u32) -> u64 {
        let known = self.envelopes.get(number as usize).copied();
        known.unwrap_or_else(|| self.hasher.hash_one(envelope_bytes(&tables.envelopes.get(number))))
    }

    /// A sum, since the order in which envelopes stand in an inbox may depend on their numbers.
    fn inbox<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, number: u32) -> u64 {
        let hashes = tables.inboxes.get(number);
        hashes.iter().map(|envelope| mix(self.envelope(tables, *envelope))).fold(0, u64::wrapping_add)
    }

    fn context<M: PortableSystem>(&self, tables: &Tables<'_, M, Unguided>, number: u32) -> u64 {
        let (history, _) = *tables.contexts.get(number);
        self.hasher.hash_one(bytes_of(&*tables.histories.get(history)))
    }
}
