//! What values are renamed to, by number: in plain lists, since a reduced search asks for it at every cell.

use std::sync::{Mutex, PoisonError};

use super::intern::NOTHING;
use super::settled::{Apart, Places, lock, pair};

/// The numbers of renamed values, by turn and number of the value; computed once.
pub(super) struct Turned {
    /// By turn, by number: the number of the renamed value, or [`NOTHING`].
    settled: Vec<Vec<u32>>,
    fresh: Apart<Mutex<Places<u64, u32>>>,
}

impl Turned {
    /// Nothing remembered; there are so many turns.
    pub(super) fn new(turns: usize) -> Self {
        Self { settled: vec![Vec::new(); turns], fresh: Apart(Mutex::new(Places::new())) }
    }

    /// The remembered number, or else the computed one, which is remembered.
    #[inline(always)]
    pub(super) fn get_or(&self, turn: u16, number: u32, compute: impl FnOnce() -> u32) -> u32 {
        match self.settled[usize::from(turn)].get(number as usize) {
            Some(&image) if image != NOTHING => image,
            _ => self.fresh_or(pair(u32::from(turn), number), compute),
        }
    }

    #[cold]
    fn fresh_or(&self, key: u64, compute: impl FnOnce() -> u32) -> u32 {
        let known = lock(&self.fresh.0).find(key);
        known.unwrap_or_else(|| {
            // Not under the lock, since it may take long and ask for other values.
            let image = compute();
            *lock(&self.fresh.0).value_mut(key) = image;
            image
        })
    }

    /// Makes what is fresh settled.
    pub(super) fn settle(&mut self) {
        let fresh = self.fresh.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (key, image) in fresh.iter() {
            let (settled, number) = (&mut self.settled[(key >> 32) as usize], key as u32 as usize);
            if settled.len() <= number {
                settled.resize(number + 1, NOTHING);
            }
            settled[number] = image;
        }
        *fresh = Places::new();
    }
}
