//! The node that leads a partition: its log.

use serde::{Deserialize, Serialize};

use super::bounds::{LogBounds, ResetTo};
use super::messages::{Envelope, Fetched};
use super::system::{Address, Reaction, Setup};

/// Most records of one answer.
const BATCH: u8 = 2;

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Broker {
    /// The first offset that there is.
    pub start: u8,
    /// The offset behind the last record.
    pub end: u8,
    /// Where the control record is.
    pub control: Option<u8>,
    /// Where retention will move the start to.
    pub retained_from: Option<u8>,
    /// Whether the next fetch finds no leader here.
    pub moved: bool,
    /// How often leadership may still move.
    pub moves: u8,
}

impl Broker {
    /// A node at the start.
    pub fn new(log: &LogBounds, moves: u8) -> Self {
        let LogBounds { start, end, control, retained_from, .. } = *log;
        Self { start, end, control, retained_from, moved: false, moves }
    }

    /// What a fetch finds.
    fn fetched(&self, from: u8) -> Fetched {
        if from < self.start || from > self.end {
            return Fetched::OutOfRange;
        }
        if from == self.end {
            return Fetched::Empty;
        }
        if self.control == Some(from) {
            return Fetched::Control(from);
        }
        let limit = self.control.filter(|control| *control > from).unwrap_or(self.end);
        Fetched::Records(from, (from + BATCH).min(limit) - 1)
    }
}

/// Reacts to a message, or not.
pub fn react(setup: &Setup, node: u8, state: &Broker, message: &Envelope) -> Option<Reaction<Broker>> {
    let mut reaction = Reaction::new(*state);
    match *message {
        Envelope::Fetch(fetcher, from) => {
            let moved = std::mem::take(&mut reaction.state.moved);
            let fetched = if moved { Fetched::NotLeader } else { state.fetched(from) };
            reaction.send(Address::Consumer, Envelope::FetchAnswered(fetcher, fetched));
        }
        Envelope::List(task) => {
            let offset = match setup.bounds.reset_to {
                ResetTo::Earliest => state.start,
                ResetTo::Latest => state.end,
            };
            reaction.send(Address::Consumer, Envelope::Listed(task, node, offset));
        }
        Envelope::LeadershipMoves if !state.moved => {
            reaction.state.moved = true;
            reaction.state.moves -= 1;
            if reaction.state.moves > 0 {
                reaction.send(Address::Broker(node), Envelope::LeadershipMoves);
            }
        }
        Envelope::Retention => reaction.state.start = reaction.state.retained_from.take()?,
        _ => return None,
    }
    Some(reaction)
}
