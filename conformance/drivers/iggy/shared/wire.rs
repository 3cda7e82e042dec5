//! The part of a published client in which the two versions differ.

use fencepost_driver::Start;
use iggy::prelude::{Consumer, Identifier, IggyError, IggyMessage, PollingStrategy, TcpClient, TcpClientConfig};

/// Name of the topic in the stream of a world.
pub const TOPIC: &str = "topic";
/// Name of the group, and the key of its bookmark.
pub const GROUP: &str = "group";

/// Where requests of a world go.
#[derive(Clone, Debug)]
pub struct Place {
    /// The stream.
    pub stream: Identifier,
    /// The topic.
    pub topic: Identifier,
    /// The group.
    pub group: Identifier,
    /// The partition that is tried, by its number at the server.
    pub partition: u32,
}

impl Place {
    /// The place in a stream, at the partition with this number.
    ///
    /// # Errors
    /// The client's error for a name that it does not take.
    pub fn new(stream: &str, partition: u32) -> Result<Self, IggyError> {
        Ok(Self {
            stream: Identifier::named(stream)?,
            topic: Identifier::named(TOPIC)?,
            group: Identifier::named(GROUP)?,
            partition,
        })
    }
}

/// A poll.
#[derive(Clone, Debug)]
pub struct PollRequest {
    /// Who polls.
    pub consumer: Consumer,
    /// Where it starts.
    pub start: Start,
    /// How many messages at most.
    pub count: u32,
    /// Whether the server stores the last offset of the batch.
    pub automatic_commit: bool,
}

/// The answer to a poll, with what the client library gives for a later commit of each message.
#[derive(Clone, Debug)]
pub struct Polled<P> {
    /// The partition that the reply names.
    pub partition: u32,
    /// The commit offset of the partition.
    pub current_offset: u64,
    /// Offset, payload and position of each message.
    pub messages: Vec<(u64, String, P)>,
}

/// One published client.
pub trait Wire {
    /// What a batch gives for a commit of one of its messages.
    type Position: Clone;

    /// Name and version of the client library.
    const CLIENT: &'static str;
    /// Whether every request states the identities that the client knows, so that it cannot play an old client.
    const ALWAYS_STATES_IDENTITIES: bool;
    /// Whether the protocol has a purge. Where it has none, the topic is emptied by deletion and re-creation.
    const PURGES: bool;

    /// The settings of a connection that neither reconnects nor signs in by itself.
    ///
    /// # Errors
    /// The client's error for a duration that it does not take.
    fn configuration(address: &str) -> Result<TcpClientConfig, IggyError>;

    /// Creates a stream.
    ///
    /// # Errors
    /// The server's refusal, or that there was no answer.
    async fn create_stream(client: &TcpClient, name: &str) -> Result<(), IggyError>;

    /// Creates the topic.
    ///
    /// # Errors
    /// The server's refusal, or that there was no answer.
    async fn create_topic(
        client: &TcpClient,
        place: &Place,
        partitions: u32,
        is_resident: bool,
    ) -> Result<(), IggyError>;

    /// Purges the topic. Only called where [`Wire::PURGES`].
    ///
    /// # Errors
    /// The server's refusal, or that there was no answer.
    async fn purge(client: &TcpClient, place: &Place) -> Result<(), IggyError>;

    /// Polls the partition of the place, without the library's own choice of a partition.
    ///
    /// # Errors
    /// The server's refusal, or that there was no answer.
    async fn poll(client: &TcpClient, place: &Place, poll: &PollRequest) -> Result<Polled<Self::Position>, IggyError>;

    /// Stores an offset; with a position, under the identities of the batch that it comes from.
    ///
    /// # Errors
    /// The server's refusal, or that there was no answer.
    async fn store(
        client: &TcpClient,
        place: &Place,
        consumer: &Consumer,
        offset: u64,
        position: Option<&Self::Position>,
    ) -> Result<(), IggyError>;
}

/// The client's word for the start of a poll.
pub fn strategy_of(start: Start) -> PollingStrategy {
    match start {
        Start::Next => PollingStrategy::next(),
        Start::First => PollingStrategy::first(),
        Start::Last => PollingStrategy::last(),
        Start::Offset { offset } => PollingStrategy::offset(offset),
    }
}

/// The payload of a message, as it was sent.
pub fn payload_of(message: &IggyMessage) -> String {
    String::from_utf8_lossy(&message.payload).into_owned()
}
