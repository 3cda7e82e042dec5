/// owner-installed: clause no-stale-batch is left (forbidden-reply) by reference 0.1.0 in view purge-with-pending-polls
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_purge_with_pending_polls_when_7_steps_are_done_should_keep_no_stale_batch() {
    use fencepost_driver::{Progress, Reply, Step, Subject, World};

    let world = r#"{
          "settings":{
            "contract":"reset-with-generation",
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
          {"verb":"start","operation":"operator.1","call":{"kind":"empty"}},
          {"verb":"resume","park":"propose:operator.1","answer":"proceed"},
          {"verb":"resume","park":"apply:owner","answer":"proceed"},
          {"verb":"resume","park":"complete:A.1","answer":"proceed"},
          {"verb":"resume","park":"reply:A.1","answer":"proceed"}
        ]"#;
    let world: World = serde_json::from_str(world).expect("a world");
    let steps: Vec<Step> = serde_json::from_str(steps).expect("steps");
    let mut subject = subject();
    subject.reset(&world).expect("a fresh world");
    let mut last = Progress::Parked;
    for step in &steps {
        last = subject.perform(step).expect("the driver does the step");
    }
    let answer = match last {
        Progress::Done { reply, .. } => Some(reply),
        Progress::Parked => None,
        other => panic!("the last step is not done: {other:?}"),
    };
    // No answer is `null`.
    let allowed: Vec<Option<Reply>> = serde_json::from_str(r#"[
          {"kind":"code","code":87},
          {"kind":"empty"}
        ]"#)
        .expect("answers");
    assert!(allowed.contains(&answer), "the last answer is not allowed: {answer:?}");
}
