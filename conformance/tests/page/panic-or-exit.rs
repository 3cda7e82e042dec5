/// owner-installed: the contract is left (panic-or-exit) by reference 0.1.0 in view power-loss-during-purge
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_power_loss_during_purge_when_4_steps_are_done_should_keep_to_owner_installed() {
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
          "purges_in_steps":true,
          "loses_power":true,
          "holds_inner_steps":false
        }"#;
    let steps = r#"[
          {"verb":"start","operation":"operator.1","call":{"kind":"empty"}},
          {"verb":"resume","park":"propose:operator.1","answer":"proceed"},
          {"verb":"resume","park":"apply:owner","answer":"proceed"},
          {"verb":"resume","park":"purge","answer":"proceed"},
          {"verb":"crash","crash":{"kind":"power","keep":[1]}},
          {"verb":"restart"}
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
