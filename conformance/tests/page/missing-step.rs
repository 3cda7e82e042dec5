/// owner-installed: clause revocation-drains-or-times-out is left (missing-step) by reference 0.1.0 in view
/// join-with-drain
///
/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.
#[test]
fn given_join_with_drain_when_1_step_is_done_should_keep_revocation_drains_or_times_out() {
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
          {"verb":"start","operation":"operator.1","call":{"kind":"join","consumer":"B"}},
          {"verb":"resume","park":"propose:operator.1","answer":"proceed"}
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
}
