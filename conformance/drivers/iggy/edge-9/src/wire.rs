//! The client of the servers that fence by partition context: positions, checkpoints, refusals 87 and 5009, no purge.

use std::time::Duration;

use iggy::prelude::{
    AutoLogin, Checkpoint, CommitPolicy, Consumer, ConsumerOffsetClient, IggyDuration, IggyError, MessageClient,
    NonZeroIggyDuration, PollOptions, StreamClient, StreamCreateOptions, TcpClient, TcpClientConfig,
    TcpClientReconnectionConfig, TopicClient, TopicCreateOptions,
};

use crate::shared::wire::{Place, PollRequest, Polled, TOPIC, Wire, payload_of, strategy_of};

/// `iggy` 0.11.1-edge.9.
pub struct Edge9;

impl Wire for Edge9 {
    type Position = Checkpoint;

    const CLIENT: &'static str = "iggy 0.11.1-edge.9";
    const ALWAYS_STATES_IDENTITIES: bool = true;
    const PURGES: bool = false;

    fn configuration(address: &str) -> Result<TcpClientConfig, IggyError> {
        let interval = NonZeroIggyDuration::new(Duration::from_secs(1)).map_err(|_| IggyError::InvalidConfiguration)?;
        Ok(TcpClientConfig {
            server_address: address.to_owned(),
            auto_login: AutoLogin::Disabled,
            nodelay: true,
            reconnection: TcpClientReconnectionConfig {
                enabled: false,
                max_retries: Some(0),
                interval,
                reestablish_after: IggyDuration::from(Duration::ZERO),
            },
            ..TcpClientConfig::default()
        })
    }

    async fn create_stream(client: &TcpClient, name: &str) -> Result<(), IggyError> {
        client.create_stream(name, &StreamCreateOptions::default()).await.map(|_| ())
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

    async fn purge(_client: &TcpClient, _place: &Place) -> Result<(), IggyError> {
        Err(IggyError::FeatureUnavailable)
    }

    async fn poll(client: &TcpClient, place: &Place, poll: &PollRequest) -> Result<Polled<Checkpoint>, IggyError> {
        let options = PollOptions {
            count: poll.count,
            commit: if poll.automatic_commit { CommitPolicy::OnRead } else { CommitPolicy::Manual },
            ..PollOptions::default()
        };
        let strategy = strategy_of(poll.start);
        let batch = client
            .poll_messages(&place.stream, &place.topic, place.partition, &poll.consumer, &strategy, options)
            .await?;
        let positioned = batch.messages.iter().enumerate().filter_map(|(index, message)| {
            Some((message.header.offset, payload_of(message), batch.checkpoint_at(index)?))
        });
        Ok(Polled {
            partition: batch.partition_id,
            current_offset: batch.current_offset,
            messages: positioned.collect(),
        })
    }

    async fn store(
        client: &TcpClient,
        place: &Place,
        consumer: &Consumer,
        offset: u64,
        position: Option<&Checkpoint>,
    ) -> Result<(), IggyError> {
        match position {
            Some(checkpoint) => client.store_consumer_position(consumer, &place.stream, &place.topic, checkpoint).await,
            None => {
                client.store_consumer_offset(consumer, &place.stream, &place.topic, Some(place.partition), offset).await
            }
        }
    }
}
