/// owner-installed: the contract is left (unknown-yield) by reference 0.1.0 in view queued-operations-with-purge
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_queued_operations_with_purge_when_3_steps_are_done_should_keep_to_owner_installed() {
    use fencepost_driver::{Fields, Observation, Progress, Step, Subject, World};

    let world = r#"{
          "settings":{
            "contract":"owner-installed",
            "choices":{"join_takes_partition":"at-once","numbering_at_purge":"restarts"},
            "fences":{"commit-assignment-on-arrival":"5009"}
          },
          "clients":[{"name":"A","is_of_group":true,"is_old":false},{"name":"B","is_of_group":true,"is_old":false}],
          "members":["A"],
          "partitions":1,
          "messages":["initial/0","initial/1"],
          "bookmarks":{},
          "prepare_slots":1,
          "queue_slots":0,
          "read_slots":2,
          "is_resident":false,
          "purges_in_steps":false,
          "loses_power":false,
          "holds_inner_steps":false
        }"#;
    let steps = r#"[
          {"verb":"start","operation":"producer.1","call":{"kind":"send","payloads":["producer.1/0"]}},
          {"verb":"resume","park":"request:producer.1","answer":"proceed"},
          {"verb":"resume","park":"arrival:producer.1","answer":"proceed"},
          {"verb":"resume","park":"commit","answer":"proceed"}
        ]"#;
    let world: World = serde_json::from_str(world).expect("a world");
    let steps: Vec<Step> = serde_json::from_str(steps).expect("steps");
    let mut subject = subject();
    subject.reset(&world).expect("a fresh world");
    let mut last = Progress::Parked;
    for step in &steps {
        last = subject.perform(step).expect("the driver does the step");
    }
    assert!(!matches!(last, Progress::Refused { .. }), "the last step is refused: {last:?}");
    let fields: Fields = serde_json::from_str(r#"["parked"]"#).expect("fields");
    let seen = subject.observe(fields).expect("a look");
    let allowed: Vec<Observation> = serde_json::from_str(r#"[
          {"parked":["reply:producer.1"]}
        ]"#)
        .expect("observations");
    let agrees = |allowed: &Observation| seen.clone().only(allowed.fields()) == *allowed;
    assert!(allowed.iter().any(agrees), "what is seen after the last step is not allowed: {seen:?}");
}
