//! What a client can see of the server.

use std::collections::BTreeMap;
use std::time::Duration;

use fencepost_driver::{Failure, Field, Fields, Observation, Start};
use iggy::prelude::{Consumer, ConsumerOffsetClient, Identifier};
use tokio::time::sleep;

use super::connection::Role;
use super::stage::{Crew, Stage};
use super::wire::{GROUP, PollRequest, Wire};

/// The fields that can be seen.
pub fn observables() -> Fields {
    [Field::StartOffset, Field::NextOffset, Field::Messages, Field::Bookmarks, Field::MirroredOwner]
        .into_iter()
        .fold(Fields::NONE, Fields::with)
}

/// Most messages that a look reads.
const MOST_MESSAGES: u32 = 10_000;
/// How often a look is repeated until two in a row agree.
const MOST_LOOKS: usize = 50;

/// The key of an individual consumer's bookmark, or of the group's, as the client library names it.
///
/// # Errors
/// A [`Failure`] for a name that the library does not take.
pub fn consumer_named(key: &str, is_of_group: bool) -> Result<Consumer, Failure> {
    let name = if is_of_group { GROUP } else { key };
    let identifier = Identifier::named(name).map_err(|error| Failure::failed(format!("`{name}`: {error}")))?;
    Ok(if is_of_group { Consumer::group(identifier) } else { Consumer::new(identifier) })
}

/// Looks. One look takes several requests; what it shows counts only if a second one shows the same, because something that the
/// server had acknowledged already may have been applied in between.
///
/// # Errors
/// A [`Failure`], if the server refuses or does not answer.
pub async fn look<W: Wire>(
    crew: &mut Crew<'_>,
    stage: &Stage,
    individuals: &[String],
    fields: Fields,
) -> Result<Observation, Failure> {
    let mut before = glance::<W>(crew, stage, individuals, fields).await?;
    for _ in 0..MOST_LOOKS {
        let after = glance::<W>(crew, stage, individuals, fields).await?;
        if after == before {
            return Ok(after);
        }
        before = after;
        sleep(Duration::from_millis(1)).await;
    }
    Err(Failure::failed("what is seen of the partition does not come to rest"))
}

async fn glance<W: Wire>(
    crew: &mut Crew<'_>,
    stage: &Stage,
    individuals: &[String],
    fields: Fields,
) -> Result<Observation, Failure> {
    let mut seen = Observation::default();
    let log = Fields::NONE.with(Field::StartOffset).with(Field::NextOffset).with(Field::Messages);
    if !fields.and(log).is_empty() {
        look_at_messages::<W>(crew, stage, &mut seen).await?;
    }
    if fields.has(Field::Bookmarks) {
        seen.bookmarks = Some(bookmarks::<W>(crew, stage, individuals).await?);
    }
    if fields.has(Field::MirroredOwner) {
        seen.mirrored_owner = stage.owner::<W>(crew).await?;
    }
    Ok(seen.only(fields))
}

/// An individual consumer of its own polls from the first message and stores nothing, so nobody's progress moves.
async fn look_at_messages<W: Wire>(crew: &mut Crew<'_>, stage: &Stage, seen: &mut Observation) -> Result<(), Failure> {
    let poll = PollRequest {
        consumer: consumer_named("fencepost-observer", false)?,
        start: Start::First,
        count: MOST_MESSAGES,
        automatic_commit: false,
    };
    let place = &stage.place;
    let polled = crew
        .ask::<W, _>(&Role::Observer, "looking at the messages", async |client| W::poll(client, place, &poll).await)
        .await?;
    seen.next_offset = match polled.messages.last() {
        Some((offset, ..)) => Some(offset + 1),
        // An empty partition reports 0 as its current offset. Whether a message at 0 was there before cannot be told, and in
        // the servers that these clients speak to numbering starts again when a partition is emptied.
        None if polled.current_offset == 0 => Some(0),
        None => Some(polled.current_offset + 1),
    };
    // A partition without messages starts where the next one will be.
    seen.start_offset = polled.messages.first().map(|(offset, ..)| *offset).or(seen.next_offset);
    seen.messages = Some(polled.messages.into_iter().map(|(offset, payload, _)| (offset, payload)).collect());
    Ok(())
}

async fn bookmarks<W: Wire>(
    crew: &mut Crew<'_>,
    stage: &Stage,
    individuals: &[String],
) -> Result<BTreeMap<String, u64>, Failure> {
    let mut bookmarks = BTreeMap::new();
    let keys = individuals.iter().map(|name| (name.as_str(), false)).chain([(GROUP, true)]);
    for (key, is_of_group) in keys {
        let consumer = consumer_named(key, is_of_group)?;
        let place = &stage.place;
        let stored = crew
            .ask::<W, _>(&Role::Observer, "looking at a bookmark", async |client| {
                client.get_consumer_offset(&consumer, &place.stream, &place.topic, Some(place.partition)).await
            })
            .await?;
        if let Some(stored) = stored {
            bookmarks.insert(key.to_owned(), stored.stored_offset);
        }
    }
    Ok(bookmarks)
}
