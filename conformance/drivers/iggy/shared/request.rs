//! Single requests of consumers, the producer and the operator.

use fencepost_driver::{Call, Failure, Progress, Reply};
use iggy::prelude::{
    ConsumerGroupClient, ConsumerOffsetClient, IggyError, IggyMessage, MessageClient, Partitioning, TcpClient,
    UserClient,
};
use tokio::time::sleep;

use super::answer::{Trouble, reply_of};
use super::connection::{Role, within};
use super::look::consumer_named;
use super::stage::Crew;
use super::subject::{Server, no_world};
use super::wire::{GROUP, Place, PollRequest, Wire};

impl<W: Wire> Server<W> {
    /// Puts messages and bookmarks where the world wants them.
    pub(super) async fn furnish(&mut self) -> Result<(), Failure> {
        let messages = self.world.messages.clone();
        if !messages.is_empty() {
            self.settled("sending the first messages", &Call::Send { payloads: messages }).await?;
        }
        for (key, offset) in self.world.bookmarks.clone() {
            let holder = self.world.members.first().cloned();
            match (key == GROUP, holder) {
                (true, None) => self.store_without_members(offset).await?,
                (true, Some(consumer)) => self.store_first(consumer, offset).await?,
                (false, _) => self.store_first(key, offset).await?,
            }
        }
        Ok(())
    }

    async fn store_first(&mut self, consumer: String, offset: u64) -> Result<(), Failure> {
        self.settled("storing the first bookmark", &Call::Store { consumer, offset, batch_of: None }).await
    }

    /// Only a member may store the group's bookmark: the operator is one for a moment.
    async fn store_without_members(&mut self, offset: u64) -> Result<(), Failure> {
        let place = self.place()?;
        let group = consumer_named(GROUP, true)?;
        self.crew()
            .ask::<W, _>(&Role::Operator, "storing the first bookmark of the group", async |client| {
                client.join_consumer_group(&place.stream, &place.topic, &place.group).await?;
                W::store(client, &place, &group, offset, None).await?;
                client.leave_consumer_group(&place.stream, &place.topic, &place.group).await
            })
            .await
    }

    async fn settled(&mut self, what: &str, call: &Call) -> Result<(), Failure> {
        match self.carry_out("", call).await? {
            Progress::Done { reply: Reply::Acknowledged {}, .. } => Ok(()),
            other => Err(Failure::failed(format!("{what}: the server answered {other:?}"))),
        }
    }

    fn place(&self) -> Result<Place, Failure> {
        Ok(self.stage.as_ref().ok_or_else(no_world)?.place.clone())
    }

    fn is_of_group(&self, consumer: &str) -> bool {
        self.world.clients.iter().any(|client| client.name == consumer && client.is_of_group)
            || self.world.members.iter().any(|member| member == consumer)
    }

    /// Sends a request and waits for the answer.
    pub(super) async fn carry_out(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        let place = self.place()?;
        match call {
            Call::Poll { consumer, start, count, automatic_commit, .. } => {
                let poll = PollRequest {
                    consumer: consumer_named(consumer, self.is_of_group(consumer))?,
                    start: *start,
                    count: u32::try_from(*count).unwrap_or(u32::MAX),
                    automatic_commit: *automatic_commit,
                };
                self.poll(operation, consumer, &place, &poll).await
            }
            Call::Store { consumer, offset, batch_of } => {
                self.store(consumer, &place, *offset, batch_of.as_deref()).await
            }
            Call::Delete { consumer } => {
                let key = consumer_named(consumer, self.is_of_group(consumer))?;
                self.acknowledged(&Role::Consumer(consumer.clone()), async |client| {
                    client.delete_consumer_offset(&key, &place.stream, &place.topic, Some(place.partition)).await
                })
                .await
            }
            Call::Send { payloads } => self.send(&place, payloads).await,
            Call::Empty {} | Call::Recreate {} => self.empty(&place, matches!(call, Call::Recreate {})).await,
            Call::Join { consumer } => self.join(consumer, &place).await,
            Call::Leave { consumer } => self.leave(consumer, &place).await,
            Call::Disconnect { consumer } => self.disconnect(consumer).await,
            Call::Expire { .. } => Ok(Progress::Unsupported { reason: "messages do not expire one by one".to_owned() }),
        }
    }

    /// Makes a request that is only acknowledged.
    async fn acknowledged(
        &mut self,
        role: &Role,
        request: impl AsyncFnOnce(&TcpClient) -> Result<(), IggyError>,
    ) -> Result<Progress, Failure> {
        match self.answer_to(role, request).await? {
            Ok(()) => Ok(Progress::done(Reply::Acknowledged {})),
            Err(trouble) => trouble.progress(),
        }
    }

    async fn answer_to<T>(
        &mut self,
        role: &Role,
        request: impl AsyncFnOnce(&TcpClient) -> Result<T, IggyError>,
    ) -> Result<Result<T, Trouble>, Failure> {
        let client = self.connections.client::<W>(&self.options, role).await?;
        let answer = within(self.options.request_time_out, request(&client)).await;
        if let Err(trouble) = &answer {
            self.connections.note(role, trouble);
        }
        Ok(answer)
    }

    async fn poll(
        &mut self,
        operation: &str,
        consumer: &str,
        place: &Place,
        poll: &PollRequest,
    ) -> Result<Progress, Failure> {
        let role = Role::Consumer(consumer.to_owned());
        match self.answer_to(&role, async |client| W::poll(client, place, poll).await).await? {
            Ok(polled) => {
                let reply = reply_of(&polled);
                let positions = polled.messages.into_iter().map(|(offset, _, position)| (offset, position)).collect();
                self.batches.insert(operation.to_owned(), positions);
                Ok(Progress::done(reply))
            }
            Err(trouble) => trouble.progress(),
        }
    }

    /// A store from a batch carries the position of that batch, unless the contract's clients commit bare offsets.
    async fn store(
        &mut self,
        consumer: &str,
        place: &Place,
        offset: u64,
        batch_of: Option<&str>,
    ) -> Result<Progress, Failure> {
        let commits_bare = self.world.settings.choices.get("client_commits").is_some_and(|word| word == "bare-offset");
        let position = match batch_of.filter(|_| !commits_bare) {
            None => None,
            Some(poll) => match self.batches.get(poll).and_then(|batch| batch.get(&offset)) {
                Some(position) => Some(position.clone()),
                None => {
                    let reason = format!("no batch of `{poll}` with offset {offset} came to the client");
                    return Ok(Progress::Unsupported { reason });
                }
            },
        };
        let key = consumer_named(consumer, self.is_of_group(consumer))?;
        self.acknowledged(&Role::Consumer(consumer.to_owned()), async |client| {
            W::store(client, place, &key, offset, position.as_ref()).await
        })
        .await
    }

    async fn send(&mut self, place: &Place, payloads: &[String]) -> Result<Progress, Failure> {
        let messages: Result<Vec<IggyMessage>, IggyError> = payloads.iter().map(|payload| payload.parse()).collect();
        let mut messages = messages.map_err(|error| Failure::failed(format!("a payload cannot be sent: {error}")))?;
        let partition = Partitioning::partition_id(place.partition);
        self.acknowledged(&Role::Producer, async |client| {
            client.send_messages(&place.stream, &place.topic, &partition, &mut messages).await.map(|_| ())
        })
        .await
    }

    async fn empty(&mut self, place: &Place, recreates: bool) -> Result<Progress, Failure> {
        let progress = if W::PURGES && !recreates {
            self.acknowledged(&Role::Operator, async |client| W::purge(client, place).await).await?
        } else {
            let stage = self.stage.as_mut().ok_or_else(no_world)?;
            let mut crew = Crew { options: &self.options, connections: &mut self.connections };
            stage.raise_again::<W>(&mut crew).await?;
            Progress::done(Reply::Acknowledged {})
        };
        sleep(self.options.settling_time).await;
        Ok(progress)
    }

    async fn join(&mut self, consumer: &str, place: &Place) -> Result<Progress, Failure> {
        let role = Role::Consumer(consumer.to_owned());
        let progress = self
            .acknowledged(&role, async |client| {
                client.join_consumer_group(&place.stream, &place.topic, &place.group).await
            })
            .await?;
        if progress == Progress::done(Reply::Acknowledged {}) {
            let stage = self.stage.as_mut().ok_or_else(no_world)?;
            let mut crew = Crew { options: &self.options, connections: &mut self.connections };
            stage.joined::<W>(&mut crew, consumer).await?;
        }
        sleep(self.options.settling_time).await;
        Ok(progress)
    }

    async fn leave(&mut self, consumer: &str, place: &Place) -> Result<Progress, Failure> {
        let role = Role::Consumer(consumer.to_owned());
        let progress = self
            .acknowledged(&role, async |client| {
                client.leave_consumer_group(&place.stream, &place.topic, &place.group).await
            })
            .await?;
        self.gone(consumer, &progress).await?;
        Ok(progress)
    }

    /// The session ends by a log-out, which the server answers: that the other end hangs up it may notice whenever it likes.
    async fn disconnect(&mut self, consumer: &str) -> Result<Progress, Failure> {
        let role = Role::Consumer(consumer.to_owned());
        let progress = self.acknowledged(&role, async |client| client.logout_user().await).await?;
        self.connections.close(&role).await;
        self.gone(consumer, &progress).await?;
        Ok(progress)
    }

    async fn gone(&mut self, consumer: &str, progress: &Progress) -> Result<(), Failure> {
        if *progress == Progress::done(Reply::Acknowledged {}) {
            self.stage.as_mut().ok_or_else(no_world)?.left(consumer);
        }
        sleep(self.options.settling_time).await;
        Ok(())
    }
}
