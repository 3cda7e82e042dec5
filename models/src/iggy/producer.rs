//! The producer: sends messages, one request after the other.

use fencepost_spec::event::EventKind;
use fencepost_spec::identity::Context;
use serde::{Deserialize, Serialize};

use super::marks::Mark;
use super::messages::{Answer, Envelope, PRODUCER, Produce, RequestId};
use super::system::{Address, Reaction, Setup};

/// What the producer knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Producer {
    /// How many sends it has begun.
    pub begun: u8,
    /// How many of them wait for an answer.
    pub waiting: u8,
}

/// The reaction of the producer, if there is one.
pub fn react(setup: &Setup, state: &Producer, message: &Envelope) -> Option<Reaction<Producer>> {
    let mut reaction = Reaction::new(state.clone());
    match message {
        Envelope::Send(step, count) => {
            let standing = step.is_none();
            if standing && (state.waiting >= setup.bounds.concurrent_sends) {
                return None;
            }
            let count = if standing { *setup.bounds.sends.get(usize::from(state.begun))? } else { *count };
            reaction.state.begun += 1;
            reaction.state.waiting += 1;
            let id = RequestId { client: PRODUCER, number: step.unwrap_or(state.begun + 1) };
            reaction.mark(Mark::Event(EventKind::Sent, Some(id)));
            reaction.send(Address::Gateway, Envelope::Produce(Produce { id, count, context: Context::default() }));
            if standing && usize::from(reaction.state.begun) < setup.bounds.sends.len() {
                reaction.send(Address::Producer, message.clone());
            }
        }
        Envelope::Reply(id, answer) => receive(&mut reaction, *id, answer),
        _ => return None,
    }
    Some(reaction)
}

fn receive(reaction: &mut Reaction<Producer>, id: RequestId, _answer: &Answer) {
    reaction.state.waiting = reaction.state.waiting.saturating_sub(1);
    reaction.mark(Mark::Event(EventKind::Answered, Some(id)));
}

/// The address of whoever made a request.
pub fn address(id: RequestId) -> Address {
    match id.client {
        PRODUCER => Address::Producer,
        consumer => Address::Consumer(consumer),
    }
}
