//! The core of the fencing contract - poll, purge and commit - as a small actor model that other model checkers can
//! hold as well.
//!
//! One owner keeps a partition: its current history, a log of always the same number of messages, and one bookmark
//! that all consumers share. A purge starts the next history, whose offsets restart. A read is planned when the poll
//! arrives and completes later; two fences protect the bookmark: a read completes, and a commit is stored, only if
//! the history that it comes from is still the current one. Without the fences a *foreign* bookmark, one of an older
//! history, is reachable.
//!
//! `peers/core.tla` and `peers/core.pml` describe the same transition system: the numbers of distinct states are
//! equal. For that:
//!
//! - Every envelope is in the network at most once, so that the network is a set: requests are numbered, and each
//!   kind of request waits for its answer.
//! - What an actor does by itself is a standing token, a message to itself that is sent again by the step that uses
//!   it. So tokens are always there, and the peers leave them out.
//! - Every reaction changes something, except that a token whose budget is spent, or that must wait for an answer,
//!   has no effect. Stateright drops such steps; in the peers that is the guard of the step.

use std::borrow::Cow;

use stateright::actor::{Actor, ActorModel, ActorModelState, Envelope, Id, Network, Out};
use stateright::{Expectation, Property};

/// Name of the clause that the fences protect, and of the model's property.
pub const NO_FOREIGN_BOOKMARK: &str = "no-foreign-bookmark";

/// Index of the owner among the actors.
pub const OWNER: usize = 0;
/// Index of the operator among the actors.
pub const OPERATOR: usize = 1;
/// Index of the first consumer among the actors.
pub const FIRST_CONSUMER: usize = 2;

/// How large the world is, and whether the two fences are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreSize {
    /// Consumers.
    pub consumers: u8,
    /// Polls that each consumer may begin.
    pub polls: u8,
    /// Commits that each consumer may begin.
    pub commits: u8,
    /// Purges that the operator may begin.
    pub purges: u8,
    /// Messages in the log of every history.
    pub messages: u8,
    /// Whether completions and commits are fenced.
    pub is_fenced: bool,
}

/// The last offset that was stored as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bookmark {
    /// The offset.
    pub offset: u8,
    /// For the referee: the history it was read in. No fence sees it.
    pub history: u8,
}

/// A read under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Read {
    /// The poll that it answers.
    pub request: u8,
    /// Whether its completion stores the bookmark.
    pub is_automatic: bool,
    /// The history in which it was planned.
    pub history: u8,
    /// The one message that it reads; `None` if there was none after the bookmark.
    pub offset: Option<u8>,
}

/// What the owner knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// The current history: how many purges there were.
    pub history: u8,
    /// The bookmark.
    pub bookmark: Option<Bookmark>,
    /// The read under way of each consumer.
    pub reads: Vec<Option<Read>>,
}

/// What the operator knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operator {
    /// Purges begun so far.
    pub purges_begun: u8,
    /// Whether the last one is not acknowledged yet.
    pub is_waiting: bool,
}

/// What a consumer knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Consumer {
    /// Polls begun so far; the number of the last one.
    pub polls_begun: u8,
    /// Whether the last poll is not answered yet.
    pub waits_for_poll: bool,
    /// Commits begun so far; the number of the last one.
    pub commits_begun: u8,
    /// Whether the last commit is not answered yet.
    pub waits_for_commit: bool,
    /// What it read last.
    pub last_read: Option<Bookmark>,
}

/// The state of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// The owner.
    Owner(Owner),
    /// The operator.
    Operator(Operator),
    /// A consumer.
    Consumer(Consumer),
}

/// What the actors say to each other, and the tokens with which they move themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// Token: a consumer may poll, with automatic commit or without.
    MayPoll {
        /// Whether the completion stores the bookmark.
        is_automatic: bool,
    },
    /// Token: a consumer may commit what it read last.
    MayCommit,
    /// Token: the operator may purge.
    MayPurge,
    /// Consumer to owner: read on after the bookmark.
    Poll {
        /// Number of the request.
        request: u8,
        /// Whether the completion stores the bookmark.
        is_automatic: bool,
    },
    /// Owner to itself: the read of a consumer has come to its end.
    Complete {
        /// Index of the consumer.
        consumer: u8,
        /// Number of the request.
        request: u8,
    },
    /// Owner to consumer: what was read.
    Batch {
        /// Number of the request.
        request: u8,
        /// The history that was read.
        history: u8,
        /// The offset of the message; `None` if there was none.
        offset: Option<u8>,
    },
    /// Owner to consumer: the read was refused.
    Refused {
        /// Number of the request.
        request: u8,
    },
    /// Consumer to owner: store a bookmark.
    Commit {
        /// Number of the request.
        request: u8,
        /// The bookmark, with the history that it comes from.
        bookmark: Bookmark,
    },
    /// Owner to consumer: whether the commit was stored.
    Committed {
        /// Number of the request.
        request: u8,
        /// Whether it was.
        is_stored: bool,
    },
    /// Operator to owner: empty the log and begin this history.
    Purge {
        /// The history to begin.
        history: u8,
    },
    /// Owner to operator: this history has begun.
    Purged {
        /// The history.
        history: u8,
    },
}

/// One actor of the core.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// How large the world is.
    pub size: CoreSize,
}

/// The core as an actor model.
pub type CoreModel = ActorModel<Node, CoreSize, ()>;
/// A state of the core.
pub type CoreState = ActorModelState<Node, ()>;

impl Node {
    fn owner_reacts(&self, owner: &mut Cow<Owner>, source: Id, message: Message, out: &mut Out<Self>) {
        match message {
            Message::Poll { request, is_automatic } => {
                let read = self.plan(owner, request, is_automatic);
                let consumer = usize::from(source) - FIRST_CONSUMER;
                owner.to_mut().reads[consumer] = Some(read);
                out.send(Id::from(OWNER), Message::Complete { consumer: consumer as u8, request });
            }
            Message::Complete { consumer, .. } => self.complete(owner.to_mut(), consumer, out),
            Message::Commit { request, bookmark } => {
                let is_stored = self.is_current(owner, bookmark.history);
                if is_stored {
                    owner.to_mut().bookmark = Some(bookmark);
                }
                out.send(source, Message::Committed { request, is_stored });
            }
            Message::Purge { history } => {
                let owner = owner.to_mut();
                (owner.history, owner.bookmark) = (history, None);
                out.send(source, Message::Purged { history });
            }
            _ => {}
        }
    }

    /// What a poll will read: the message after the bookmark, whatever history the bookmark is of.
    fn plan(&self, owner: &Owner, request: u8, is_automatic: bool) -> Read {
        let next = owner.bookmark.map_or(0, |bookmark| bookmark.offset + 1);
        let offset = (next < self.size.messages).then_some(next);
        Read { request, is_automatic, history: owner.history, offset }
    }

    fn complete(&self, owner: &mut Owner, consumer: u8, out: &mut Out<Self>) {
        let Some(read) = owner.reads[usize::from(consumer)].take() else { return };
        let Read { request, history, offset, .. } = read;
        let answer = if self.is_current(owner, history) {
            if let (true, Some(offset)) = (read.is_automatic, offset) {
                owner.bookmark = Some(Bookmark { offset, history });
            }
            Message::Batch { request, history, offset }
        } else {
            Message::Refused { request }
        };
        out.send(Id::from(FIRST_CONSUMER + usize::from(consumer)), answer);
    }

    /// The fence, if there is one: the history is still the current one.
    fn is_current(&self, owner: &Owner, history: u8) -> bool {
        !self.size.is_fenced || history == owner.history
    }

    fn operator_reacts(&self, id: Id, operator: &mut Cow<Operator>, message: Message, out: &mut Out<Self>) {
        match message {
            Message::MayPurge if !operator.is_waiting && operator.purges_begun < self.size.purges => {
                let operator = operator.to_mut();
                operator.purges_begun += 1;
                operator.is_waiting = true;
                out.send(Id::from(OWNER), Message::Purge { history: operator.purges_begun });
                out.send(id, message);
            }
            Message::Purged { .. } => operator.to_mut().is_waiting = false,
            _ => {}
        }
    }

    fn consumer_reacts(&self, id: Id, consumer: &mut Cow<Consumer>, message: Message, out: &mut Out<Self>) {
        match (message, consumer.last_read) {
            (Message::MayPoll { is_automatic }, _)
                if !consumer.waits_for_poll && consumer.polls_begun < self.size.polls =>
            {
                let consumer = consumer.to_mut();
                consumer.polls_begun += 1;
                consumer.waits_for_poll = true;
                out.send(Id::from(OWNER), Message::Poll { request: consumer.polls_begun, is_automatic });
                out.send(id, message);
            }
            (Message::MayCommit, Some(bookmark))
                if !consumer.waits_for_commit && consumer.commits_begun < self.size.commits =>
            {
                let consumer = consumer.to_mut();
                consumer.commits_begun += 1;
                consumer.waits_for_commit = true;
                out.send(Id::from(OWNER), Message::Commit { request: consumer.commits_begun, bookmark });
                out.send(id, message);
            }
            (Message::Batch { history, offset, .. }, _) => {
                let consumer = consumer.to_mut();
                consumer.waits_for_poll = false;
                if let Some(offset) = offset {
                    consumer.last_read = Some(Bookmark { offset, history });
                }
            }
            (Message::Refused { .. }, _) => consumer.to_mut().waits_for_poll = false,
            (Message::Committed { .. }, _) => consumer.to_mut().waits_for_commit = false,
            _ => {}
        }
    }
}

/// Lets an actor react to its own part of [`NodeState`], and keeps the rule that an untouched state stays borrowed.
fn within<S: Clone>(part: &S, wrap: fn(S) -> NodeState, react: impl FnOnce(&mut Cow<S>)) -> Option<NodeState> {
    let mut part = Cow::Borrowed(part);
    react(&mut part);
    match part {
        Cow::Owned(part) => Some(wrap(part)),
        Cow::Borrowed(_) => None,
    }
}

impl Actor for Node {
    type Msg = Message;
    type State = NodeState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, id: Id, _storage: &Option<()>, _out: &mut Out<Self>) -> NodeState {
        match usize::from(id) {
            OWNER => {
                let reads = vec![None; usize::from(self.size.consumers)];
                NodeState::Owner(Owner { history: 0, bookmark: None, reads })
            }
            OPERATOR => NodeState::Operator(Operator { purges_begun: 0, is_waiting: false }),
            _ => NodeState::Consumer(Consumer::default()),
        }
    }

    fn on_msg(&self, id: Id, state: &mut Cow<NodeState>, source: Id, message: Message, out: &mut Out<Self>) {
        let after = match &**state {
            NodeState::Owner(owner) => {
                within(owner, NodeState::Owner, |owner| self.owner_reacts(owner, source, message, out))
            }
            NodeState::Operator(operator) => {
                within(operator, NodeState::Operator, |operator| self.operator_reacts(id, operator, message, out))
            }
            NodeState::Consumer(consumer) => {
                within(consumer, NodeState::Consumer, |consumer| self.consumer_reacts(id, consumer, message, out))
            }
        };
        if let Some(after) = after {
            *state = Cow::Owned(after);
        }
    }
}

/// Whether the owner's bookmark, if there is one, was read in the current history. It is so for all other actors.
pub fn is_bookmark_own(state: &NodeState) -> bool {
    match state {
        NodeState::Owner(owner) => owner.bookmark.is_none_or(|bookmark| bookmark.history == owner.history),
        _ => true,
    }
}

/// The tokens that stand in the network.
fn tokens(size: CoreSize) -> impl Iterator<Item = Envelope<Message>> {
    let to_itself = |index: usize, msg| Envelope { src: Id::from(index), dst: Id::from(index), msg };
    let consumer_tokens =
        [Message::MayPoll { is_automatic: false }, Message::MayPoll { is_automatic: true }, Message::MayCommit];
    (0..usize::from(size.consumers))
        .flat_map(move |index| consumer_tokens.map(|token| to_itself(FIRST_CONSUMER + index, token)))
        .chain([to_itself(OPERATOR, Message::MayPurge)])
}

fn model_with(size: CoreSize, property: Property<CoreModel>) -> CoreModel {
    let mut model = ActorModel::new(size, ())
        .actors((0..FIRST_CONSUMER + usize::from(size.consumers)).map(|_| Node { size }))
        .init_network(Network::new_unordered_nonduplicating(tokens(size)));
    model.properties.push(property);
    model
}

/// The actor model of the core, with [`NO_FOREIGN_BOOKMARK`] as its property.
pub fn core_model(size: CoreSize) -> CoreModel {
    let condition = |_: &CoreModel, state: &CoreState| is_bookmark_own(&state.actor_states[OWNER]);
    model_with(size, Property { expectation: Expectation::Always, name: NO_FOREIGN_BOOKMARK, condition })
}

/// The same with a property that always holds, so that Stateright explores all states although the fences are missing.
pub fn core_model_without_verdict(size: CoreSize) -> CoreModel {
    model_with(size, Property { expectation: Expectation::Always, name: "anything", condition: |_, _| true })
}
