//! Traces for tools of others: the Informal Trace Format.
//!
//! Format: <https://apalache-mc.org/docs/adr/015adr-trace.html>. One object a trace, one state a step, with the variables `steps`
//! (what the driver does), `progress` and `observation` (what is allowed afterwards). All numbers are written as `#bigint`, because
//! offsets have 64 bits; what is seen by key is a `#map`, a message a `#tup` of offset and payload. The format has no null: what
//! is absent has no key.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Header;
use super::line::Allowed;
use super::write::Unwritable;
use crate::replay::trace::Trace;

/// The variables of a state.
const VARIABLES: [&str; 3] = ["steps", "progress", "observation"];

/// Fields that have offsets by key.
const MAPS: [&str; 3] = ["bookmarks", "bookmark_files", "last_polled"];

/// A trace as one ITF object, with a line end; `number` is its place in the file, from 1.
///
/// # Errors
/// [`Unwritable::Step`], if a step has no form in a file.
pub fn itf(header: &Header, trace: &Trace, number: usize) -> Result<String, Unwritable> {
    let mut states = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let allowed = Allowed::of(&step.allowed).ok_or(Unwritable::Step(index + 1))?;
        let mut state = Map::new();
        state.insert("#meta".to_owned(), json!({ "index": index }));
        state.insert(VARIABLES[0].to_owned(), of("", written(&step.steps)?));
        state.insert(VARIABLES[1].to_owned(), of("", written(&allowed.progress)?));
        state.insert(VARIABLES[2].to_owned(), of("", written(&allowed.observation)?));
        states.push(Value::Object(state));
    }
    let description = format!(
        "trace {number} of contract {}, view {}, bounds {}, chosen to cover {}: what is allowed after each step",
        header.contract, header.view, header.bounds, header.cover
    );
    // The values of `#meta` are texts: readers of the format expect that.
    let meta = json!({
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": super::FORMAT,
        "description": description,
        "contract": header.contract,
        "view": header.view,
        "bounds": header.bounds,
        "cover": header.cover,
        "ending": trace.ending,
        "world": written(&header.world)?.to_string(),
    });
    let itf = json!({ "#meta": meta, "params": [], "vars": VARIABLES, "states": states });
    Ok(format!("{itf}\n"))
}

fn written(value: &impl Serialize) -> Result<Value, Unwritable> {
    serde_json::to_value(value).map_err(|error| Unwritable::Output(error.into()))
}

/// A value of JSON in the words of the format; `key` is the key that it stands under.
fn of(key: &str, value: Value) -> Value {
    match value {
        Value::Number(number) => json!({ "#bigint": number.to_string() }),
        Value::Array(elements) => Value::Array(elements.into_iter().map(|element| element_of(key, element)).collect()),
        Value::Object(object) if MAPS.contains(&key) => {
            let pairs: Vec<Value> = object.into_iter().map(|(key, value)| json!([key, of("", value)])).collect();
            json!({ "#map": pairs })
        }
        Value::Object(object) => {
            let object = object.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(object.map(|(key, value)| (key.clone(), of(&key, value))).collect())
        }
        other => other,
    }
}

/// An element of a list: messages are pairs.
fn element_of(key: &str, element: Value) -> Value {
    match element {
        Value::Array(pair) if key == "messages" => {
            let pair: Vec<Value> = pair.into_iter().map(|part| of("", part)).collect();
            json!({ "#tup": pair })
        }
        other => of("", other),
    }
}
