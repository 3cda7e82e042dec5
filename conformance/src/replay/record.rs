//! What was seen on a replay of a server, as a recording that [`crate::follow`] reads: format `iggy-server/1`.

use std::collections::BTreeMap;

use fencepost_driver::{Call, Certainty, Observation, ParkKind, Progress, Reply, Start, Step, World};
use serde_json::{Value, json};

use super::names;
use super::runner::Done;
use crate::recording::server::SENTINEL_PARTITION;

/// The name of the group in recordings.
const GROUP: &str = "grp";

/// The recording of what was done; `None` if something was done that the format has no word for.
pub fn server_recording(world: &World, transcript: &[Done]) -> Option<String> {
    let mut lines = Vec::new();
    if !world.messages.is_empty() {
        let prefix = names::initial_payload(0);
        let prefix = prefix.trim_end_matches('0');
        lines.push(json!({"op": "produce", "count": world.messages.len(), "payload": prefix}));
    }
    if !world.bookmarks.is_empty() || world.partitions != 1 {
        return None;
    }
    lines.extend(world.members.iter().map(|member| json!({"op": "join", "group": GROUP, "member": member})));
    let mut text: String = lines.iter().map(|request| line(request, &json!({"ok": true}))).collect();
    let mut calls = BTreeMap::new();
    let mut bookmarks = BTreeMap::new();
    for (steps, seen) in transcript {
        match steps.as_slice() {
            [Step::Start { operation, call }] => {
                calls.insert(operation.clone(), call.clone());
            }
            [Step::Resume { park, .. }] if matches!(park.kind, ParkKind::Request | ParkKind::Propose) => {
                let Progress::Done { reply, certainty: Certainty::Definite } = &seen.progress else { return None };
                let request = request(world, calls.get(&park.name)?)?;
                text += &line(&request, &answer(reply, &seen.observation)?);
                text += &looks(world, &seen.observation, &mut bookmarks);
            }
            _ => return None,
        }
    }
    Some(text)
}

fn line(request: &Value, answer: &Value) -> String {
    format!("{}\n", json!({"request": request, "answer": answer}))
}

fn request(world: &World, call: &Call) -> Option<Value> {
    let mut request = match call {
        Call::Poll { start, count, automatic_commit, .. } => {
            let (strategy, value) = match start {
                Start::Next => ("next", None),
                Start::First => ("first", None),
                Start::Last => ("last", None),
                Start::Offset { offset } => ("offset", Some(*offset)),
            };
            let mut poll = json!({"op": "poll", "strategy": strategy, "count": count, "auto_commit": automatic_commit});
            if let Some(value) = value {
                poll["value"] = json!(value);
            }
            poll
        }
        Call::Store { offset, .. } => json!({"op": "store", "offset": offset}),
        Call::Delete { .. } => json!({"op": "delete"}),
        Call::Send { payloads } => {
            let prefix = payloads.first()?.strip_suffix('0')?;
            json!({"op": "produce", "count": payloads.len(), "payload": prefix})
        }
        Call::Empty {} => json!({"op": "purge_topic"}),
        Call::Join { consumer } => json!({"op": "join", "group": GROUP, "member": consumer}),
        Call::Leave { consumer } => json!({"op": "leave", "group": GROUP, "member": consumer}),
        Call::Recreate {} | Call::Disconnect { .. } | Call::Expire { .. } => return None,
    };
    if let Call::Poll { consumer, .. } | Call::Store { consumer, .. } | Call::Delete { consumer } = call {
        name(world, consumer, &mut request);
    }
    Some(request)
}

/// Says who asks.
fn name(world: &World, consumer: &str, request: &mut Value) {
    if world.clients.iter().any(|client| client.name == consumer && client.is_of_group) {
        request["group"] = json!(GROUP);
        request["member"] = json!(consumer);
    } else {
        request["consumer"] = json!(consumer);
    }
}

fn answer(reply: &Reply, seen: &Observation) -> Option<Value> {
    let mut answer = match reply {
        Reply::Batch { messages } => json!({"messages": messages, "partition": 0}),
        Reply::Empty {} => json!({"messages": [], "partition": 0}),
        Reply::Sentinel {} => return Some(json!({"messages": [], "partition": SENTINEL_PARTITION})),
        Reply::Acknowledged {} => return Some(json!({"ok": true})),
        Reply::Code { code } => return Some(json!({"code": code})),
        Reply::Disconnected {} => return None,
    };
    if let Some(last) = seen.next_offset.and_then(|next| next.checked_sub(1)) {
        answer["current_offset"] = json!(last);
    }
    Some(answer)
}

/// The bookmarks that moved, as questions for them.
fn looks(world: &World, seen: &Observation, known: &mut BTreeMap<String, u64>) -> String {
    let Some(bookmarks) = &seen.bookmarks else { return String::new() };
    let mut text = String::new();
    let keys: std::collections::BTreeSet<&String> = bookmarks.keys().chain(known.keys()).collect();
    for key in keys.into_iter().filter(|key| bookmarks.get(*key) != known.get(*key)) {
        let mut request = json!({"op": "get_offset"});
        let member = world.clients.iter().find(|client| client.is_of_group && key == names::GROUP);
        name(world, member.map_or(key.as_str(), |member| &member.name), &mut request);
        text += &line(&request, &json!({"stored_offset": bookmarks.get(key)}));
    }
    known.clone_from(bookmarks);
    text
}
