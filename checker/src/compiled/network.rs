//! The network as inboxes, one for each receiver, and what a step does to an inbox.
//!
//! An inbox is a row of envelope numbers. Unordered, they stand in the order of their numbers; ordered, the flows stand one after
//! the other in that of their senders and receivers, each from its head on. An unordered network that duplicates also remembers what was
//! delivered last, which no inbox does.

use std::hash::Hash;

use stateright::actor::{Envelope, Id, Network};

/// The kind of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkKind {
    /// Unordered; what was delivered stays, and the last of it is remembered.
    Duplicating,
    /// Unordered; each copy is delivered once.
    NonDuplicating,
    /// In the order of sending, for each pair of actors.
    Ordered,
}

impl NetworkKind {
    /// The kind of a network.
    pub(crate) fn of<Msg: Eq + Hash>(network: &Network<Msg>) -> Self {
        match network {
            Network::UnorderedDuplicating(..) => Self::Duplicating,
            Network::UnorderedNonDuplicating(_) => Self::NonDuplicating,
            Network::Ordered(_) => Self::Ordered,
        }
    }

    /// The network of this kind with these envelopes.
    pub(crate) fn network<Msg: Clone + Eq + Hash>(
        self,
        envelopes: impl IntoIterator<Item = Envelope<Msg>>,
        last: Option<Envelope<Msg>>,
    ) -> Network<Msg> {
        match self {
            Self::Duplicating => Network::new_unordered_duplicating_with_last_msg(envelopes, last),
            Self::NonDuplicating => Network::new_unordered_nonduplicating(envelopes),
            Self::Ordered => Network::new_ordered(envelopes),
        }
    }
}

/// What is taken out of an inbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Taken {
    /// Nothing.
    Nothing,
    /// The envelope with this number is delivered.
    Delivered(u32),
    /// The envelope with this number is lost.
    Lost(u32),
}

/// What a step does to one inbox: envelopes are taken out, then others come in, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Delta {
    pub(crate) taken: Taken,
    pub(crate) sent: Vec<u32>,
}

/// The inbox after a step; `flow` tells between whom an envelope travels.
pub(crate) fn apply(kind: NetworkKind, inbox: &[u32], delta: &Delta, flow: impl Fn(u32) -> (Id, Id)) -> Vec<u32> {
    let mut inbox = inbox.to_vec();
    match (kind, delta.taken) {
        (_, Taken::Nothing) | (NetworkKind::Duplicating, Taken::Delivered(_)) => {}
        (_, Taken::Delivered(envelope) | Taken::Lost(envelope)) => {
            let place = inbox.iter().position(|other| *other == envelope);
            inbox.remove(place.unwrap_or_else(|| unreachable!("only what is in the network can be taken out")));
        }
    }
    for &envelope in &delta.sent {
        let place = match kind {
            NetworkKind::Ordered => inbox.partition_point(|other| flow(*other) <= flow(envelope)),
            _ => inbox.partition_point(|other| *other < envelope),
        };
        if kind != NetworkKind::Duplicating || inbox.get(place) != Some(&envelope) {
            inbox.insert(place, envelope);
        }
    }
    inbox
}

/// The distinct envelopes of an inbox that can be delivered: all, or the head of each flow.
pub(crate) fn deliverable(kind: NetworkKind, inbox: &[u32], flow: impl Fn(u32) -> (Id, Id)) -> Vec<u32> {
    let mut deliverable = inbox.to_vec();
    match kind {
        NetworkKind::Ordered => deliverable.dedup_by_key(|envelope| flow(*envelope)),
        _ => deliverable.dedup(),
    }
    deliverable
}

/// The envelopes of a network, in an order in which sending them gives the same network again, and the last delivered one.
pub(crate) fn parts<Msg: Clone + Eq + Hash>(network: &Network<Msg>) -> (Vec<Envelope<Msg>>, Option<Envelope<Msg>>) {
    let mut envelopes = Vec::new();
    match network {
        Network::UnorderedDuplicating(known, last) => {
            return (known.iter().cloned().collect(), last.clone());
        }
        Network::UnorderedNonDuplicating(counts) => {
            for (envelope, count) in counts.iter() {
                envelopes.extend(std::iter::repeat_n(envelope, *count).cloned());
            }
        }
        // Not with Stateright's own iterator, which never ends on an ordered network.
        Network::Ordered(flows) => {
            for ((src, dst), messages) in flows {
                let envelope = |msg: &Msg| Envelope { src: *src, dst: *dst, msg: msg.clone() };
                envelopes.extend(messages.iter().map(envelope));
            }
        }
    }
    (envelopes, None)
}
