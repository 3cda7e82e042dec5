//! What processes send each other in one exploration: parcels of bytes, in rounds. A round ends when every process has got everything
//! that was sent to it in the round.

use std::collections::VecDeque;
use std::sync::mpsc::TryRecvError;

use super::cluster::{Cluster, Lost};
use super::courier::{Command, Event, Parcel};

/// The post between the processes.
pub(super) struct Post<'c> {
    cluster: &'c Cluster,
    round: u64,
    /// Parcels of the next round: a faster process may be in it already.
    early: VecDeque<Parcel>,
}

impl<'c> Post<'c> {
    /// Opens the post; all processes must open theirs in the same order.
    ///
    /// # Errors
    /// If a process is lost.
    pub(super) fn open(cluster: &'c Cluster) -> Result<Self, Lost> {
        cluster.order(Command::Open)?;
        Ok(Self { cluster, round: 0, early: VecDeque::new() })
    }

    /// Sends something to a process in this round. What one process sends another arrives in the order of sending.
    ///
    /// # Errors
    /// If a process is lost.
    pub(super) fn send(&self, to: usize, content: Vec<u8>) -> Result<(), Lost> {
        let (from, round) = (self.cluster.process(), self.round);
        self.cluster.order(Command::Carry(Parcel { to, from, round, content }))
    }

    /// Sends something to all processes, this one included.
    ///
    /// # Errors
    /// If a process is lost.
    pub(super) fn send_to_all(&self, content: &[u8]) -> Result<(), Lost> {
        (0..self.cluster.processes()).try_for_each(|to| self.send(to, content.to_vec()))
    }

    /// Hands over the parcels of this round that have arrived, with who sent them.
    ///
    /// # Errors
    /// If a process is lost.
    pub(super) fn collect(&mut self, mut take: impl FnMut(usize, &[u8])) -> Result<(), Lost> {
        self.hand_over_early(&mut take);
        loop {
            match self.cluster.events().try_recv() {
                Ok(Event::Arrived(parcel)) => self.hand_over(parcel, &mut take),
                Ok(Event::RoundEnded(_)) => unreachable!("a round ends after this process has ended it"),
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => return Err(Lost),
            }
        }
    }

    /// Ends the round: hands over everything that was sent to this process in it, as soon as it comes.
    ///
    /// # Errors
    /// If a process is lost.
    pub(super) fn end_round(&mut self, mut take: impl FnMut(usize, &[u8])) -> Result<(), Lost> {
        self.cluster.order(Command::EndRound(self.round))?;
        self.hand_over_early(&mut take);
        loop {
            match self.cluster.events().recv() {
                Ok(Event::Arrived(parcel)) => self.hand_over(parcel, &mut take),
                Ok(Event::RoundEnded(round)) => {
                    debug_assert_eq!(round, self.round);
                    self.round += 1;
                    return Ok(());
                }
                Err(_) => return Err(Lost),
            }
        }
    }

    fn hand_over_early(&mut self, take: &mut impl FnMut(usize, &[u8])) {
        for parcel in std::mem::take(&mut self.early) {
            self.hand_over(parcel, take);
        }
    }

    fn hand_over(&mut self, parcel: Parcel, take: &mut impl FnMut(usize, &[u8])) {
        if parcel.round == self.round {
            take(parcel.from, &parcel.content);
        } else {
            self.early.push_back(parcel);
        }
    }
}

impl Drop for Post<'_> {
    fn drop(&mut self) {
        // If a process is lost there is nothing to close.
        self.cluster.order(Command::Close).ok();
    }
}
