//! ITF files, read back by the library of the format.

use fencepost_conformance::replay::trace::{Trace, TraceStep};
use fencepost_driver::{Certainty, Observation, Progress, Reply, Seen, Step, World};
use itf::Value;
use serde::Deserialize;
use serde_json::{Map, Number, json};

/// A state of an exported trace.
#[derive(Deserialize)]
struct State {
    steps: Vec<Step>,
    progress: Allowed,
    observation: Observation,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Allowed {
    Parked {},
    Done {
        reply: Reply,
        #[serde(default)]
        certainty: Certainty,
    },
}

/// The trace of an exported text.
pub fn trace(text: &str) -> Trace {
    let read: itf::Trace<Value> = serde_json::from_str(text).expect("a text of the format");
    assert_eq!(read.meta.format.as_deref(), Some("ITF"));
    assert_eq!(read.vars, ["steps", "progress", "observation"]);
    let ending = read.meta.other["ending"].parse().expect("an ending");
    let step = |(index, state): (usize, itf::State<Value>)| {
        assert_eq!(state.meta.index, Some(index as u64));
        let state: State = serde_json::from_value(plain(state.value)).expect("a state");
        let progress = match state.progress {
            Allowed::Parked {} => Progress::Parked,
            Allowed::Done { reply, certainty } => Progress::Done { reply, certainty },
        };
        TraceStep { steps: state.steps, allowed: Seen { progress, observation: state.observation } }
    };
    Trace { ending, steps: read.states.into_iter().enumerate().map(step).collect() }
}

/// The world of an exported text.
pub fn world(text: &str) -> World {
    let read: itf::Trace<Value> = serde_json::from_str(text).expect("a text of the format");
    serde_json::from_str(&read.meta.other["world"]).expect("a world")
}

/// A value of the format as plain JSON.
fn plain(value: Value) -> serde_json::Value {
    match value {
        Value::Bool(truth) => json!(truth),
        Value::Number(number) => panic!("{number} may have 64 bits and is no #bigint"),
        Value::String(text) => json!(text),
        Value::BigInt(number) => {
            let number: u64 = number.to_string().parse().expect("a number of 64 bits");
            serde_json::Value::Number(Number::from(number))
        }
        Value::List(list) => list.into_iter().map(plain).collect(),
        Value::Tuple(tuple) => tuple.into_iter().map(plain).collect(),
        Value::Map(map) => {
            map.into_iter().map(|(key, value)| (text(plain(key)), plain(value))).collect::<Map<_, _>>().into()
        }
        Value::Record(record) => {
            record.into_iter().map(|(key, value)| (key, plain(value))).collect::<Map<_, _>>().into()
        }
        other => panic!("{other:?} is not used"),
    }
}

fn text(key: serde_json::Value) -> String {
    key.as_str().expect("a key that is a text").to_owned()
}
