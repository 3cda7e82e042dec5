//! What changed from one look to the next.

use std::collections::BTreeMap;

use fencepost_driver::{Field, Observation, Park, ParkKind, Status, World};
use serde::Serialize;
use serde_json::{Map, Value};

use super::calls::Operations;

/// A field that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The field.
    pub field: Field,
    /// Its value before.
    pub from: Value,
    /// Its value now.
    pub to: Value,
    /// The same in words; empty if the words of the step say it already.
    pub text: String,
}

/// What is known by looking: the last value of every field that was seen.
pub(super) struct Known(Map<String, Value>);

impl Known {
    /// What holds at the start of a world, as the protocol says.
    pub(super) fn at_start(world: &World) -> Self {
        let messages = world.messages.iter().cloned().zip(0u64..).map(|(payload, offset)| (offset, payload));
        let first = world.members.first().cloned().unwrap_or_default();
        let observation = Observation {
            status: Some(Status::Serving),
            start_offset: Some(0),
            next_offset: Some(world.messages.len() as u64),
            messages: Some(messages.collect()),
            bookmarks: Some(world.bookmarks.clone()),
            bookmark_files: Some(world.bookmarks.clone()),
            last_polled: Some(BTreeMap::new()),
            purge_generation: Some(0),
            incarnation: Some(0),
            group_generation: Some(u64::from(!world.members.is_empty())),
            partition_owner: Some(first.clone()),
            mirrored_owner: Some(first),
            prepared: Some(0),
            queued: Some(0),
            unsynced: Some(Vec::new()),
            parked: Some(Vec::new()),
        };
        Self(map(&observation))
    }

    /// Writes that a power loss could lose, as they were seen last.
    pub(super) fn unsynced(&self) -> Vec<String> {
        self.0.get(Field::Unsynced.key()).map(words).unwrap_or_default()
    }

    /// Takes a look into account; what changed, in the order of the fields. `own` is the operation of the step: where it waits now is
    /// told by the words of the step.
    pub(super) fn take(&mut self, seen: &Observation, operations: &Operations<'_>, own: Option<&str>) -> Vec<Change> {
        let mut seen = map(seen);
        let mut changes = Vec::new();
        for field in Field::ALL {
            let Some(to) = seen.remove(field.key()) else { continue };
            let from = self.0.insert(field.key().to_owned(), to.clone()).unwrap_or(Value::Null);
            if from != to {
                let text = match field {
                    Field::Parked => parked(&from, &to, operations, own),
                    field => in_words(*field, &from, &to),
                };
                changes.push(Change { field: *field, from, to, text });
            }
        }
        changes
    }
}

fn map(observation: &Observation) -> Map<String, Value> {
    match serde_json::to_value(observation) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// The texts of a list of texts.
fn words(value: &Value) -> Vec<String> {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// What a field is called in a sentence.
pub(super) fn name(field: Field) -> &'static str {
    match field {
        Field::Status => "status of the owner",
        Field::StartOffset => "offset at which the partition starts",
        Field::NextOffset => "offset of the next message",
        Field::Messages => "the committed messages",
        Field::Bookmarks => "the bookmarks in memory",
        Field::BookmarkFiles => "the bookmarks in files",
        Field::LastPolled => "the highest offset served to the group",
        Field::PurgeGeneration => "purge generation recorded by the owner",
        Field::Incarnation => "incarnation that the owner serves",
        Field::GroupGeneration => "group generation applied by the owner",
        Field::PartitionOwner => "owner of the partition, as the owner task applied it",
        Field::MirroredOwner => "owner of the partition, as the gateway's mirror has it",
        Field::Prepared => "prepared operations",
        Field::Queued => "queued operations",
        Field::Unsynced => "unsynced writes",
        Field::Parked => "everything that waits for the runner",
    }
}

/// A change of a field in words.
fn in_words(field: Field, from: &Value, to: &Value) -> String {
    let keyed = |one: &str| of_keys(one, from, to);
    match field {
        Field::Bookmarks => keyed("bookmark of"),
        Field::BookmarkFiles => keyed("bookmark file of"),
        Field::LastPolled => keyed("last polled of"),
        Field::Messages => messages(from, to),
        _ => format!("{}: {} -> {}", name(field), plain(from), plain(to)),
    }
}

/// A change of offsets by key: a phrase for each key that changed.
fn of_keys(what: &str, from: &Value, to: &Value) -> String {
    let empty = Map::new();
    let (from, to) = (from.as_object().unwrap_or(&empty), to.as_object().unwrap_or(&empty));
    let mut keys: Vec<&String> = from.keys().chain(to.keys()).collect();
    keys.sort();
    keys.dedup();
    let text = |value: Option<&Value>| value.map_or("none".to_owned(), plain);
    let phrase = |key: &&String| format!("{what} {key}: {} -> {}", text(from.get(*key)), text(to.get(*key)));
    let changed = keys.iter().filter(|key| from.get(**key) != to.get(**key));
    changed.map(phrase).collect::<Vec<_>>().join("; ")
}

/// Messages that are new and those that are gone.
fn messages(from: &Value, to: &Value) -> String {
    let of = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (from, to) = (of(from), of(to));
    let listed = |of: &[Value], other: &[Value]| {
        of.iter().filter(|one| !other.contains(one)).map(message).collect::<Vec<_>>().join(", ")
    };
    let (new, gone) = (listed(&to, &from), listed(&from, &to));
    let phrases = [("new message", new), ("gone message", gone)].into_iter().filter(|(_, list)| !list.is_empty());
    let plural = |list: &str| if list.contains(", ") { "s" } else { "" };
    let phrases: Vec<String> = phrases.map(|(what, list)| format!("{what}{} {list}", plural(&list))).collect();
    if phrases.is_empty() { "the messages have another order".to_owned() } else { phrases.join("; ") }
}

/// An offset and its payload.
pub(super) fn message(pair: &Value) -> String {
    match pair.as_array().map(Vec::as_slice) {
        Some([offset, Value::String(payload)]) => format!("{offset}: {payload}"),
        _ => pair.to_string(),
    }
}

/// A value without the marks of JSON where a person does not need them.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "not seen".to_owned(),
        Value::String(text) if text.is_empty() => "nobody".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(_) => format!("[{}]", words(value).join(", ")),
        other => other.to_string(),
    }
}

/// What waits now and did not wait before, but for what the step itself moved.
fn parked(from: &Value, to: &Value, operations: &Operations<'_>, own: Option<&str>) -> String {
    let before = words(from);
    let new = words(to).into_iter().filter(|park| !before.contains(park));
    let parks = new.filter_map(|park| park.parse::<Park>().ok()).filter(|park| own != Some(park.name.as_str()));
    let commit = |park: &Park| own.is_some() && park.kind == ParkKind::Commit;
    let phrases: Vec<String> = parks.filter(|park| !commit(park)).map(|park| waits(&park, operations)).collect();
    if phrases.is_empty() { String::new() } else { format!("waits now: {}", phrases.join("; ")) }
}

/// What waits at a place.
pub(super) fn waits(park: &Park, operations: &Operations<'_>) -> String {
    let what = operations.noun(&park.name);
    match park.kind {
        ParkKind::Request => format!("{what}, on its way to the gateway"),
        ParkKind::Gather => format!("{what}: the owner is asked whether batches are under way"),
        ParkKind::Gathered => format!("{what}: the owner's word on batches under way, on its way to the gateway"),
        ParkKind::Propose => format!("{what}, on its way to metadata"),
        ParkKind::Arrival => format!("{what}, on its way to the owner"),
        ParkKind::Open => format!("{what}: its file, to be opened"),
        ParkKind::Complete => format!("{what}: its read, to be completed"),
        ParkKind::Wait => format!("{what}, for messages"),
        ParkKind::Reply => format!("the answer to {what}, on its way"),
        ParkKind::Apply => format!("a decision of metadata for the {}", park.name),
        ParkKind::Commit => "the oldest prepared operation, to commit".to_owned(),
        ParkKind::Purge => "the next step of the purge".to_owned(),
        ParkKind::FinishPurge => "the unfinished purge, to be done again".to_owned(),
        ParkKind::ReportDrained => "the owner's word that the revoked partition is drained".to_owned(),
        ParkKind::Drained => "the owner's word that the partition is drained, on its way to metadata".to_owned(),
        ParkKind::Applied => format!("the owner's word that emptying {} is applied, on its way to metadata", park.name),
        ParkKind::GatewayTimeOut => format!("the gateway's timer for {what}"),
        ParkKind::RevocationTimeOut => "the timer of the revocation".to_owned(),
        ParkKind::Inner => format!("`{park}`, a place that the contract does not have"),
    }
}
