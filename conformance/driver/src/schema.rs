//! The JSON Schema of the protocol, `conformance/driver/protocol.schema.json`: made from the types, and held against what they write.
//!
//! `FENCEPOST_WRITE=1 cargo test -p fencepost-driver schema` writes the file anew.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

use crate::message::{Question, Response};
use crate::{
    Answer, Call, Capabilities, Certainty, Client, Crash, CrashKind, Failure, Field, Fields, Observation, Park,
    ParkKind, Progress, Reply, Settings, Start, Status, Step, World,
};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol.schema.json");

/// The words of [`Call::kind`].
pub(crate) struct CallKind;

impl JsonSchema for CallKind {
    fn schema_name() -> Cow<'static, str> {
        "CallKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Call::KINDS, "description": "A kind of call." })
    }
}

impl JsonSchema for ParkKind {
    fn schema_name() -> Cow<'static, str> {
        "ParkKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = Self::ALL.iter().map(|kind| kind.word()).collect();
        json_schema!({ "type": "string", "enum": words, "description": "A kind of place where work waits." })
    }
}

impl JsonSchema for Park {
    fn schema_name() -> Cow<'static, str> {
        "Park".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = ParkKind::ALL.iter().map(|kind| kind.word()).collect();
        json_schema!({
            "type": "string",
            "pattern": format!("^({})(:[\\s\\S]*)?$", words.join("|")),
            "description": "A place where work waits: `kind:name`, or `kind` where there is nothing to name.",
        })
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let field = generator.subschema_for::<Field>();
        json_schema!({ "type": "array", "items": field, "description": "Fields of an observation." })
    }
}

/// A line of either side.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Line {
    /// A message of the runner.
    Question(Question),
    /// A message of the driver.
    Response(Response),
}

/// Descriptions come from the documentation of the code; what only makes sense there goes.
fn plain_words(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace("[`", "`").replace("`]", "`").replace("crate::", "").replace('\n', " ");
    }
    transform_subschemas(&mut plain_words, schema);
}

fn generated() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.transforms.push(Box::new(plain_words));
    let mut schema = settings.into_generator().into_root_schema_for::<Line>();
    schema.insert("title".to_owned(), json!(crate::PROTOCOL));
    schema.insert("$comment".to_owned(), json!("Generated from the types of the crate fencepost-driver."));
    schema.into()
}

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&generated()).expect("a schema")
}

fn world() -> World {
    World {
        settings: Settings {
            contract: "iggy-2026-08".to_owned(),
            choices: BTreeMap::from([("emptying".to_owned(), "purge".to_owned())]),
            fences: BTreeMap::from([("poll-member-at-dispatch".to_owned(), "sentinel".to_owned())]),
        },
        clients: vec![Client { name: "A".to_owned(), is_of_group: true, is_old: false }],
        members: vec!["A".to_owned()],
        partitions: 1,
        messages: vec!["m-1".to_owned()],
        bookmarks: BTreeMap::from([("group".to_owned(), u64::MAX)]),
        prepare_slots: Some(1),
        ..World::default()
    }
}

fn calls() -> Vec<Call> {
    let consumer = || "A".to_owned();
    let poll = |start| Call::Poll { consumer: consumer(), start, count: 1, automatic_commit: true, may_wait: false };
    let all = vec![
        poll(Start::Next),
        poll(Start::First),
        poll(Start::Last),
        poll(Start::Offset { offset: u64::MAX }),
        Call::Store { consumer: consumer(), offset: 0, batch_of: Some("A.1".to_owned()) },
        Call::Store { consumer: consumer(), offset: 0, batch_of: None },
        Call::Delete { consumer: consumer() },
        Call::Send { payloads: vec!["p".to_owned()] },
        Call::Empty {},
        Call::Recreate {},
        Call::Join { consumer: consumer() },
        Call::Leave { consumer: consumer() },
        Call::Disconnect { consumer: consumer() },
        Call::Expire { count: 1 },
    ];
    assert!(Call::KINDS.iter().all(|kind| all.iter().any(|call| call.kind() == *kind)), "every kind of call");
    all
}

fn questions() -> Vec<Question> {
    let mut all = vec![
        Question::Hello { id: 1, protocol: crate::PROTOCOL.to_owned() },
        Question::Reset { id: 2, world: Box::new(world()) },
        Question::Reset { id: 2, world: Box::default() },
        Question::Parked { id: 3 },
        Question::Observe { id: 4, fields: Fields::all() },
        Question::Bye { id: 5 },
    ];
    let mut step = |step: Step| {
        all.extend([Fields::NONE, Fields::all()].map(|observe| Question::of_step(6, &step, observe)));
    };
    for call in calls() {
        step(Step::Start { operation: "A.1".to_owned(), call });
    }
    for kind in ParkKind::ALL {
        for (park, answer) in [
            (Park::only(*kind), Answer::Proceed),
            (Park::new(*kind, "A.1"), Answer::Fail),
            (Park::new(*kind, "a:b"), Answer::TimeOut),
        ] {
            step(Step::Resume { park, answer });
        }
    }
    step(Step::Cancel { operation: "A.1".to_owned() });
    step(Step::Crash { crash: Crash::Process {} });
    step(Step::Crash { crash: Crash::Power { keep: vec![0, 2] } });
    step(Step::Restart {});
    all
}

fn observation() -> Observation {
    let offsets = BTreeMap::from([("group".to_owned(), 3)]);
    Observation {
        status: Some(Status::Fenced),
        start_offset: Some(0),
        next_offset: Some(u64::MAX),
        messages: Some(vec![(0, "m-1".to_owned())]),
        bookmarks: Some(offsets.clone()),
        bookmark_files: Some(offsets.clone()),
        last_polled: Some(offsets),
        purge_generation: Some(1),
        incarnation: Some(0),
        group_generation: Some(2),
        partition_owner: Some("A".to_owned()),
        mirrored_owner: Some(String::new()),
        prepared: Some(0),
        queued: Some(0),
        unsynced: Some(vec!["append".to_owned()]),
        parked: Some(vec![Park::only(ParkKind::Commit)]),
    }
}

fn responses() -> Vec<Response> {
    let capabilities = Capabilities {
        subject: "x".to_owned(),
        version: "1".to_owned(),
        calls: Call::KINDS.map(str::to_owned).to_vec(),
        parks: ParkKind::ALL.to_vec(),
        observables: Fields::all(),
        crashes: vec![CrashKind::Process, CrashKind::Power],
        is_deterministic: true,
    };
    let replies = [
        Reply::Batch { messages: vec![(0, "m-1".to_owned())] },
        Reply::Empty {},
        Reply::Sentinel {},
        Reply::Acknowledged {},
        Reply::Code { code: 4100 },
        Reply::Disconnected {},
    ];
    let mut all = vec![
        Response::ready(1, capabilities),
        Response::Parked { in_reply_to: 2, parked: Some(vec![Park::new(ParkKind::Reply, "A.1")]), observation: None },
        Response::of_progress(3, Progress::Parked, Some(observation())),
        Response::Done { in_reply_to: 4, reply: None, certainty: Certainty::Definite, observation: None },
        Response::of_progress(5, Progress::Refused { reason: "no".to_owned() }, None),
        Response::of_progress(6, Progress::Unsupported { reason: "no".to_owned() }, None),
        Response::Observation { in_reply_to: 7, state: Box::new(observation()) },
        Response::Observation { in_reply_to: 7, state: Box::default() },
        Response::error(None, Failure::failed("broken")),
        Response::error(Some(8), Failure::out_of_order("later")),
    ];
    for reply in replies {
        for certainty in [Certainty::Definite, Certainty::Indefinite] {
            all.push(Response::of_progress(9, Progress::Done { reply: reply.clone(), certainty }, None));
        }
    }
    all
}

fn written(message: &impl Serialize) -> Value {
    serde_json::to_value(message).expect("a message")
}

fn messages() -> Vec<Value> {
    questions().iter().map(written).chain(responses().iter().map(written)).collect()
}

/// The message with one more key in each of its objects in turn, except in those whose keys are free.
fn with_unknown_keys(message: &Value) -> Vec<Value> {
    const FREE: [&str; 5] = ["choices", "fences", "bookmarks", "bookmark_files", "last_polled"];
    let Value::Object(object) = message else { return Vec::new() };
    let mut all = vec![];
    let mut wider = object.clone();
    wider.insert("surplus".to_owned(), json!(1));
    all.push(Value::Object(wider));
    for (key, value) in object.iter().filter(|(key, _)| !FREE.contains(&key.as_str())) {
        for changed in with_unknown_keys(value) {
            let mut copy = object.clone();
            copy.insert(key.clone(), changed);
            all.push(Value::Object(copy));
        }
    }
    all
}

#[test]
fn given_the_types_when_their_schema_is_made_should_be_the_one_in_the_repository() {
    let text = serde_json::to_string_pretty(&generated()).expect("JSON") + "\n";
    if std::env::var_os("FENCEPOST_WRITE").is_some() {
        std::fs::write(FILE, &text).expect("the file can be written");
    }
    let shipped: Option<Value> = std::fs::read(FILE).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    assert!(
        shipped == Some(generated()),
        "protocol.schema.json is out of date: FENCEPOST_WRITE=1 cargo test -p fencepost-driver schema"
    );
}

#[test]
fn given_messages_of_every_kind_when_validated_should_be_accepted() {
    let validator = validator();
    for message in messages() {
        if let Err(error) = validator.validate(&message) {
            panic!("{message}\n{error}");
        }
    }
}

#[test]
fn given_messages_of_every_kind_when_written_and_read_should_be_the_same() {
    for question in questions() {
        assert_eq!(serde_json::from_value::<Question>(written(&question)).expect("a question"), question);
    }
    for response in responses() {
        assert_eq!(serde_json::from_value::<Response>(written(&response)).expect("an answer"), response);
    }
}

#[test]
fn given_an_unknown_key_anywhere_when_read_or_validated_should_be_refused() {
    let validator = validator();
    for message in messages() {
        for wider in with_unknown_keys(&message) {
            assert!(!validator.is_valid(&wider), "the schema accepts {wider}");
            assert!(serde_json::from_value::<Question>(wider.clone()).is_err(), "read as a question: {wider}");
            assert!(serde_json::from_value::<Response>(wider.clone()).is_err(), "read as an answer: {wider}");
        }
    }
}

#[test]
fn given_unknown_words_when_validated_should_be_refused() {
    let validator = validator();
    let lines = [
        json!({"type": "dance", "id": 1}),
        json!({"type": "start", "id": 1, "operation": "A.1", "call": {"kind": "sing"}}),
        json!({"type": "resume", "id": 1, "park": "nowhere:A.1"}),
        json!({"type": "resume", "id": 1, "park": "commit", "answer": "perhaps"}),
        json!({"type": "observe", "id": 1, "fields": ["mood"]}),
        json!({"type": "ready", "in_reply_to": 1, "protocol": "p", "subject": "s", "version": "1", "parks": ["nowhere"]}),
        json!({"type": "ready", "in_reply_to": 1, "protocol": "p", "subject": "s", "version": "1", "calls": ["sing"]}),
        json!({"type": "parked", "id": -1}),
    ];
    for line in lines {
        assert!(!validator.is_valid(&line), "the schema accepts {line}");
    }
}
