//! The messages that a partition serves.

use serde::{Deserialize, Serialize};

use super::messages::{Message, Placed};

/// Committed messages with their offsets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Log {
    /// Offset of the first message that is still there, or of the next one if none is.
    pub start: u8,
    /// The messages from `start` on.
    pub messages: Vec<Message>,
}

impl Log {
    /// The offset that the next message gets.
    pub fn next_offset(&self) -> u8 {
        self.start + u8::try_from(self.messages.len()).unwrap_or(u8::MAX)
    }

    /// The offset of the last message.
    pub fn last_offset(&self) -> Option<u8> {
        (!self.messages.is_empty()).then(|| self.next_offset() - 1)
    }

    /// The messages at offsets `from..=to`, at most `count`.
    pub fn read(&self, from: u8, to: u8, count: u8) -> Vec<Placed> {
        (from.max(self.start)..=to)
            .map_while(|offset| {
                let message = *self.messages.get(usize::from(offset - self.start))?;
                Some(Placed { offset, message })
            })
            .take(usize::from(count))
            .collect()
    }

    /// Drops messages below `start`.
    pub fn advance_start(&mut self, start: u8) {
        let dropped = usize::from(start.saturating_sub(self.start)).min(self.messages.len());
        self.messages.drain(..dropped);
        self.start = self.start.max(start);
    }

    /// Offsets that exist, with their messages.
    pub fn placed(&self) -> impl Iterator<Item = Placed> + '_ {
        (self.start..).zip(&self.messages).map(|(offset, message)| Placed { offset, message: *message })
    }
}
