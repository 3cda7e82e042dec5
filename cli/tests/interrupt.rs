//! Ctrl-C.
#![cfg(unix)]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use support::text_of;

#[test]
fn given_a_long_check_when_interrupted_should_print_the_partial_table_and_end_with_3() {
    // The time-out is for the case that the signal gets lost: then the report says `stopped (time)`.
    let arguments = [
        "iggy-2026-08",
        "--bounds",
        "deep",
        "--view",
        "three-aspects",
        "--view",
        "queued-operations-with-purge",
        "--max-time",
        "60",
    ];
    let child = support::command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    std::thread::sleep(Duration::from_millis(1500));
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let output = child.wait_with_output().expect("an end");
    let text = text_of(&output.stdout);
    assert!(text.contains("stopped (interrupted)"), "{text}");
    assert!(text.contains("live-messages-are-served"), "{text}");
    assert_eq!(output.status.code(), Some(3), "{text}");
}
