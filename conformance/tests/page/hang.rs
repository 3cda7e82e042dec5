/// owner-installed: the contract is left (hang) by reference 0.1.0 in view purge-with-pending-polls
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_purge_with_pending_polls_when_3_steps_are_done_should_keep_to_owner_installed() {
    use fencepost_driver::{Progress, Step, Subject, World};

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
          {"verb":"resume","park":"open:A.1","answer":"proceed"}
        ]"#;
    let world: World = serde_json::from_str(world).expect("a world");
    let steps: Vec<Step> = serde_json::from_str(steps).expect("steps");
    let mut subject = subject();
    subject.reset(&world).expect("a fresh world");
    let mut last = Progress::Parked;
    for step in &steps {
        last = subject.perform(step).expect("the driver does the step");
    }
    let _ = last;
}
