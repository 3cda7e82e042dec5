//! The client of the server of August 2026: polls by 100, offsets by 120 to 122, purge by 305, no identities on the wire.

use std::time::Duration;

use iggy::prelude::{
    AutoLogin, Consumer, ConsumerOffsetClient, IggyDuration, IggyError, MessageClient, StreamClient, TcpClient,
    TcpClientConfig, TcpClientReconnectionConfig, TopicClient, TopicCreateOptions,
};

use crate::shared::wire::{Place, PollRequest, Polled, TOPIC, Wire, payload_of, strategy_of};

/// `iggy` 0.11.0-edge.4.
pub struct Edge4;

impl Wire for Edge4 {
    type Position = ();

    const CLIENT: &'static str = "iggy 0.11.0-edge.4";
    const ALWAYS_STATES_IDENTITIES: bool = false;
    const PURGES: bool = true;

    fn configuration(address: &str) -> Result<TcpClientConfig, IggyError> {
        Ok(TcpClientConfig {
            server_address: address.to_owned(),
            auto_login: AutoLogin::Disabled,
            nodelay: true,
            // With reconnection switched off this client hides every error behind `Disconnected`. Switched on without automatic
            // sign-in it tries one connection and reports errors as they are.
            reconnection: TcpClientReconnectionConfig {
                enabled: true,
                max_retries: Some(0),
                interval: IggyDuration::from(Duration::from_millis(1)),
                reestablish_after: IggyDuration::from(Duration::ZERO),
            },
            ..TcpClientConfig::default()
        })
    }

    async fn create_stream(client: &TcpClient, name: &str) -> Result<(), IggyError> {
        client.create_stream(name).await.map(|_| ())
    }

    async fn create_topic(
        client: &TcpClient,
        place: &Place,
        partitions: u32,
        is_resident: bool,
    ) -> Result<(), IggyError> {
        let options = TopicCreateOptions {
            partitions_count: Some(partitions),
            // What is saved at once is read from its file afterwards, not from memory.
            messages_required_to_save: (!is_resident).then_some(1),
            ..TopicCreateOptions::default()
        };
        client.create_topic(&place.stream, TOPIC, &options).await.map(|_| ())
    }

    async fn purge(client: &TcpClient, place: &Place) -> Result<(), IggyError> {
        client.purge_topic(&place.stream, &place.topic).await
    }

    async fn poll(client: &TcpClient, place: &Place, poll: &PollRequest) -> Result<Polled<()>, IggyError> {
        // With a partition named, the client neither chooses one nor tries again after a fence.
        let batch = client
            .poll_messages(
                &place.stream,
                &place.topic,
                Some(place.partition),
                &poll.consumer,
                &strategy_of(poll.start),
                poll.count,
                poll.automatic_commit,
            )
            .await?;
        Ok(Polled {
            partition: batch.partition_id,
            current_offset: batch.current_offset,
            messages: batch.messages.iter().map(|message| (message.header.offset, payload_of(message), ())).collect(),
        })
    }

    async fn store(
        client: &TcpClient,
        place: &Place,
        consumer: &Consumer,
        offset: u64,
        _position: Option<&()>,
    ) -> Result<(), IggyError> {
        client.store_consumer_offset(consumer, &place.stream, &place.topic, Some(place.partition), offset).await
    }
}
