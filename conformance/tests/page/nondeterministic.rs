/// owner-installed: the contract is left (nondeterministic) by reference 0.1.0 in view restart
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_restart_when_2_steps_are_done_should_keep_to_owner_installed() {
    use fencepost_driver::{Fields, Step, Subject, World};

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
          {"verb":"start","operation":"producer.1","call":{"kind":"send","payloads":["producer.1/0"]}},
          {"verb":"resume","park":"request:producer.1","answer":"proceed"},
          {"verb":"resume","park":"arrival:producer.1","answer":"proceed"}
        ]"#;
    let world: World = serde_json::from_str(world).expect("a world");
    let steps: Vec<Step> = serde_json::from_str(steps).expect("steps");
    let mut subject = subject();
    let mut once = || {
        let mut seen = Vec::new();
        subject.reset(&world).expect("a fresh world");
        subject.walk(&steps, Fields::all(), &mut seen).expect("the driver does the steps");
        seen
    };
    assert_eq!(once(), once(), "the same steps are answered differently the second time");
}
