//! The stream, topic and group of a world, as the operator makes and unmakes them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fencepost_driver::{ErrorCode, Failure, World};
use iggy::prelude::{ConsumerGroupClient, Identifier, IggyError, StreamClient, TcpClient, TopicClient};
use tokio::time::timeout;

use super::answer::Trouble;
use super::connection::{Connections, Role, sign_in, within};
use super::options::Options;
use super::wire::{GROUP, Place, TOPIC, Wire};

/// The stream that has to be deleted at the end, whichever end that is.
#[derive(Clone, Debug, Default)]
pub struct Litter(Arc<Mutex<Option<String>>>);

impl Litter {
    fn put(&self, stream: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = stream;
    }

    fn stream(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Deletes the stream over a connection of its own: the others may be busy.
    pub async fn remove<W: Wire>(&self, options: &Options) {
        let Some(stream) = self.stream() else { return };
        let (Ok(client), Ok(name)) = (sign_in::<W>(options).await, Identifier::named(&stream)) else { return };
        if within(options.request_time_out, client.delete_stream(&name)).await.is_ok() {
            self.put(None);
        }
        let _ = timeout(Duration::from_secs(1), iggy::prelude::Client::shutdown(client.as_ref())).await;
    }
}

/// What stands at the server for the present world.
#[derive(Debug)]
pub struct Stage {
    /// Where its requests go.
    pub place: Place,
    /// Members, in the order of their joining.
    pub members: Vec<String>,
    /// Whether a join has to ask for batches under way.
    pub has_several_partitions: bool,
    partitions: u32,
    is_resident: bool,
    /// Names of the members by the number that the server gave them.
    numbers: BTreeMap<u32, String>,
}

fn failed(what: &str, trouble: &Trouble) -> Failure {
    let code = if trouble.ends_connection() { ErrorCode::Unreachable } else { ErrorCode::Failed };
    Failure { code, text: format!("{what}: {}", trouble.words()), is_definite: false }
}

/// Makes requests of the operator and of members while a world is made or made again.
pub struct Crew<'a> {
    /// How to connect.
    pub options: &'a Options,
    /// The connections.
    pub connections: &'a mut Connections,
}

impl Crew<'_> {
    /// Makes one request for a role.
    ///
    /// # Errors
    /// A [`Failure`] that names what was to be done.
    pub async fn ask<W: Wire, T>(
        &mut self,
        role: &Role,
        what: &str,
        request: impl AsyncFnOnce(&TcpClient) -> Result<T, IggyError>,
    ) -> Result<T, Failure> {
        let client = self.connections.client::<W>(self.options, role).await?;
        within(self.options.request_time_out, request(&client)).await.map_err(|trouble| {
            self.connections.note(role, &trouble);
            failed(what, &trouble)
        })
    }
}

impl Stage {
    /// A stage that stands nowhere, for tests of what happens before anything is sent.
    #[cfg(test)]
    pub fn imagined(partitions: u32) -> Self {
        Self {
            place: Place::new("imagined", 0).expect("the name of a stream"),
            members: Vec::new(),
            has_several_partitions: partitions > 1,
            partitions,
            is_resident: true,
            numbers: BTreeMap::new(),
        }
    }

    /// Makes stream, topic, group and members of a world.
    ///
    /// # Errors
    /// A [`Failure`], if the server refuses or does not answer.
    pub async fn raise<W: Wire>(
        crew: &mut Crew<'_>,
        litter: &Litter,
        stream: String,
        world: &World,
    ) -> Result<Self, Failure> {
        let place = Place::new(&stream, 0).map_err(|error| Failure::failed(error.to_string()))?;
        // Nothing needs cleaning up at a server that cannot be reached.
        crew.connections.client::<W>(crew.options, &Role::Operator).await?;
        litter.put(Some(stream.clone()));
        crew.ask::<W, _>(&Role::Operator, "creating the stream", async |client| {
            W::create_stream(client, &stream).await
        })
        .await?;
        let mut stage = Self {
            place,
            members: Vec::new(),
            has_several_partitions: world.partitions > 1,
            partitions: u32::try_from(world.partitions.max(1)).unwrap_or(u32::MAX),
            is_resident: world.is_resident,
            numbers: BTreeMap::new(),
        };
        stage.raise_topic::<W>(crew, &world.members).await?;
        Ok(stage)
    }

    /// Deletes the stream, and everything in it.
    ///
    /// # Errors
    /// A [`Failure`], if the server refuses or does not answer.
    pub async fn strike<W: Wire>(self, crew: &mut Crew<'_>, litter: &Litter) -> Result<(), Failure> {
        let stream = self.place.stream;
        crew.ask::<W, _>(&Role::Operator, "deleting the stream", async |client| client.delete_stream(&stream).await)
            .await?;
        litter.put(None);
        Ok(())
    }

    /// Deletes the topic and creates it again under the same name. Members join again, in the order in which they joined.
    ///
    /// # Errors
    /// A [`Failure`], if the server refuses or does not answer.
    pub async fn raise_again<W: Wire>(&mut self, crew: &mut Crew<'_>) -> Result<(), Failure> {
        let place = self.place.clone();
        crew.ask::<W, _>(&Role::Operator, "deleting the topic", async |client| {
            client.delete_topic(&place.stream, &place.topic).await
        })
        .await?;
        let members = std::mem::take(&mut self.members);
        self.raise_topic::<W>(crew, &members).await
    }

    async fn raise_topic<W: Wire>(&mut self, crew: &mut Crew<'_>, members: &[String]) -> Result<(), Failure> {
        let place = self.place.clone();
        let (partitions, is_resident) = (self.partitions, self.is_resident);
        crew.ask::<W, _>(&Role::Operator, "creating the topic", async |client| {
            W::create_topic(client, &place, partitions, is_resident).await
        })
        .await?;
        crew.ask::<W, _>(&Role::Operator, "creating the group", async |client| {
            client.create_consumer_group(&place.stream, &place.topic, GROUP).await.map(|_| ())
        })
        .await?;
        self.numbers.clear();
        for member in members {
            crew.ask::<W, _>(&Role::Consumer(member.clone()), "joining the group", async |client| {
                client.join_consumer_group(&place.stream, &place.topic, &place.group).await
            })
            .await?;
            self.joined::<W>(crew, member).await?;
        }
        self.choose_partition::<W>(crew).await
    }

    /// A member has joined: learns its number.
    ///
    /// # Errors
    /// A [`Failure`], if the server refuses or does not answer.
    pub async fn joined<W: Wire>(&mut self, crew: &mut Crew<'_>, member: &str) -> Result<(), Failure> {
        if !self.members.iter().any(|name| name == member) {
            self.members.push(member.to_owned());
        }
        let known: Vec<(u32, Vec<u32>)> = self.members_at_server::<W>(crew).await?;
        self.numbers.retain(|number, name| name != member && known.iter().any(|(other, _)| other == number));
        let mut unknown = known.iter().map(|(number, _)| *number).filter(|number| !self.numbers.contains_key(number));
        if let (Some(number), None) = (unknown.next(), unknown.next()) {
            self.numbers.insert(number, member.to_owned());
        }
        Ok(())
    }

    /// A member has left.
    pub fn left(&mut self, member: &str) {
        self.members.retain(|name| name != member);
        self.numbers.retain(|_, name| name != member);
    }

    /// The member that owns the partition by what metadata says: empty: nobody; none: that cannot be told.
    ///
    /// # Errors
    /// A [`Failure`], if the server refuses or does not answer.
    pub async fn owner<W: Wire>(&self, crew: &mut Crew<'_>) -> Result<Option<String>, Failure> {
        let members = self.members_at_server::<W>(crew).await?;
        let owner = members.iter().find(|(_, partitions)| partitions.contains(&self.place.partition));
        Ok(match owner {
            None => Some(String::new()),
            Some((number, _)) => self.numbers.get(number).cloned(),
        })
    }

    /// Number and partitions of every member.
    async fn members_at_server<W: Wire>(&self, crew: &mut Crew<'_>) -> Result<Vec<(u32, Vec<u32>)>, Failure> {
        let place = &self.place;
        let details = crew
            .ask::<W, _>(&Role::Observer, "looking at the group", async |client| {
                client.get_consumer_group(&place.stream, &place.topic, &place.group).await
            })
            .await?;
        let members = details.map(|details| details.members).unwrap_or_default();
        Ok(members.into_iter().map(|member| (member.id, member.partitions)).collect())
    }

    /// The partition that is tried is the last one of the first member: that is the one that a join takes from it.
    async fn choose_partition<W: Wire>(&mut self, crew: &mut Crew<'_>) -> Result<(), Failure> {
        let place = &self.place;
        let details = crew
            .ask::<W, _>(&Role::Observer, "looking at the topic", async |client| {
                client.get_topic(&place.stream, &place.topic).await
            })
            .await?
            .ok_or_else(|| Failure::failed(format!("the topic `{TOPIC}` that was created is not there")))?;
        let mut partition = details.partitions.iter().map(|partition| partition.id).min();
        if let Some(first) = self.members.first() {
            let members = self.members_at_server::<W>(crew).await?;
            let owned = members.iter().find(|(number, _)| self.numbers.get(number) == Some(first));
            partition = owned.and_then(|(_, partitions)| partitions.iter().copied().max()).or(partition);
        }
        self.place.partition = partition
            .ok_or_else(|| Failure::failed(format!("the topic `{TOPIC}` that was created has no partition")))?;
        Ok(())
    }
}
