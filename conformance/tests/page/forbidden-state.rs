/// owner-installed: clause commit-under-reading-assignment is left (forbidden-state) by reference 0.1.0 in view
/// commits-with-reassignment
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_commits_with_reassignment_when_11_steps_are_done_should_keep_commit_under_reading_assignment() {
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
          "prepare_slots":null,
          "queue_slots":0,
          "read_slots":2,
          "is_resident":false,
          "purges_in_steps":false,
          "loses_power":false,
          "holds_inner_steps":false
        }"#;
    let steps = r#"[
          {
            "verb":"start",
            "operation":"A.1",
            "call":{
              "kind":"poll",
              "consumer":"A",
              "start":{"from":"next"},
              "count":3,
              "automatic_commit":false,
              "may_wait":false
            }
          },
          {"verb":"resume","park":"request:A.1","answer":"proceed"},
          {"verb":"resume","park":"arrival:A.1","answer":"proceed"},
          {"verb":"resume","park":"open:A.1","answer":"proceed"},
          {"verb":"resume","park":"complete:A.1","answer":"proceed"},
          {"verb":"resume","park":"reply:A.1","answer":"proceed"},
          {"verb":"start","operation":"A.2","call":{"kind":"store","consumer":"A","offset":1,"batch_of":"A.1"}},
          {"verb":"resume","park":"request:A.2","answer":"proceed"},
          {"verb":"start","operation":"operator.1","call":{"kind":"leave","consumer":"A"}},
          {"verb":"resume","park":"propose:operator.1","answer":"proceed"},
          {"verb":"start","operation":"operator.2","call":{"kind":"join","consumer":"A"}},
          {"verb":"resume","park":"propose:operator.2","answer":"proceed"},
          {"verb":"resume","park":"apply:owner","answer":"proceed"},
          {"verb":"resume","park":"apply:owner","answer":"proceed"},
          {"verb":"resume","park":"arrival:A.2","answer":"proceed"}
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
    let fields: Fields = serde_json::from_str(r#"["bookmarks"]"#).expect("fields");
    let seen = subject.observe(fields).expect("a look");
    let allowed: Vec<Observation> = serde_json::from_str(r#"[
          {"bookmarks":{}}
        ]"#)
        .expect("observations");
    let agrees = |allowed: &Observation| seen.clone().only(allowed.fields()) == *allowed;
    assert!(allowed.iter().any(agrees), "what is seen after the last step is not allowed: {seen:?}");
}
