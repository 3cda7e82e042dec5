//! Drivers that misbehave, as shell scripts: each is told apart, and nothing of it lives on.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fencepost_driver::{Crash, Field, Fields, Observation, Park, ParkKind, Progress, Seen, Step, Subject, World};
use rustix::process::{Pid, test_kill_process};

use super::{ChildCommand, ChildOptions, ChildProblem, ChildSubject, ProblemKind};

/// The answer to `hello`, as a line of a shell script.
const READY: &str = r#"read -r hello; echo '{"type":"ready","in_reply_to":1,"protocol":"fencepost-driver/1","subject":"sh","version":"1","deterministic":true}'"#;
/// Answers every further question with `parked` and the number of the question as the next offset.
const COUNT: &str = r#"i=1; while read -r line; do i=$((i + 1)); case $line in
  *'"bye"'*) echo "{\"type\":\"done\",\"in_reply_to\":$i}"; exit 0;;
  *'"observe"'*) echo "{\"type\":\"parked\",\"in_reply_to\":$i,\"observation\":{\"next_offset\":$i}}";;
  *) echo "{\"type\":\"done\",\"in_reply_to\":$i}";;
esac; done"#;

fn script(lines: &[&str]) -> ChildCommand {
    ChildCommand::new("sh", ["-c".to_owned(), lines.join("\n")])
}

fn quick() -> ChildOptions {
    let limit = Duration::from_millis(400);
    ChildOptions { hello_limit: limit, step_limit: limit, farewell_limit: limit, ..ChildOptions::default() }
}

/// The problem with which a script does not even start.
fn problem_at_hello(lines: &[&str]) -> ChildProblem {
    match ChildSubject::start(&script(lines), &quick()) {
        Ok(_) => panic!("it started"),
        Err(problem) => problem,
    }
}

/// The problem of a script at its first step after a good start.
fn problem_at_first_step(lines: &[&str]) -> ChildProblem {
    let lines: Vec<&str> = [READY].into_iter().chain(lines.iter().copied()).collect();
    let mut subject = ChildSubject::start(&script(&lines), &quick()).expect("a good start");
    let first = subject.first_problem();
    let failure = subject.restart().expect_err("a problem");
    let problem = first.get().cloned().unwrap_or(ChildProblem::Error(failure));
    assert!(!problem.to_string().contains('\n'), "one line: {problem}");
    problem
}

/// The process that a script named on standard error is gone.
fn assert_gone(named: &str) {
    let number = named.trim().parse().ok().and_then(Pid::from_raw).expect("a number of a process");
    let begun = Instant::now();
    // Who was killed is listed until its parent has taken notice.
    while test_kill_process(number).is_ok() && !is_zombie(named.trim()) {
        assert!(begun.elapsed() < Duration::from_secs(2), "process {named} lives on");
        std::thread::yield_now();
    }
}

fn is_zombie(number: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{number}/stat")).is_ok_and(|text| text.contains(") Z "))
}

#[test]
fn given_no_such_program_when_started_should_say_so() {
    let command = ChildCommand::new("/there/is/no/such/program", ["x"]);
    let problem = ChildSubject::start(&command, &quick()).err().expect("a problem");
    assert_eq!(problem.kind(), ProblemKind::NotStarted);
    assert!(problem.to_string().starts_with("`/there/is/no/such/program` could not be started: "));
}

#[test]
fn given_a_driver_that_ends_when_asked_should_tell_its_status_and_last_words() {
    let problem = problem_at_first_step(&["read -r line; echo out of memory >&2; exit 3"]);
    assert_eq!(problem.kind(), ProblemKind::PanicOrExit);
    let text = "the driver ended (exit status: 3) instead of answering `restart`; its last words: out of memory";
    assert_eq!(problem.to_string(), text);
}

#[test]
fn given_a_driver_that_is_killed_when_asked_should_tell_the_signal() {
    let text = problem_at_first_step(&["read -r line; kill -9 $$"]).to_string();
    assert!(text.contains("signal: 9"), "{text}");
}

#[test]
fn given_a_driver_that_ends_in_the_middle_of_a_line_when_asked_should_quote_it() {
    let text = problem_at_first_step(&[r#"read -r line; printf '{"type":"par'"#]).to_string();
    assert!(text.contains("(exit status: 0, in the middle of the line `{\"type\":\"par`)"), "{text}");
}

#[test]
fn given_a_chattering_driver_when_asked_should_quote_the_line() {
    let problem = problem_at_hello(&["echo Starting the server; sleep 100"]);
    assert_eq!(problem.kind(), ProblemKind::Protocol);
    let text = problem.to_string();
    assert!(text.starts_with("the driver printed `Starting the server`, which is no line of the protocol"), "{text}");
}

#[test]
fn given_a_key_that_nobody_knows_when_answered_should_be_no_line_of_the_protocol() {
    let problem = problem_at_first_step(&[r#"read -r line; echo '{"type":"parked","in_reply_to":2,"colour":1}'"#]);
    assert!(matches!(problem, ChildProblem::NoProtocolLine { .. }), "{problem:?}");
}

#[test]
fn given_answers_out_of_order_when_received_should_name_both_numbers() {
    let problem = problem_at_first_step(&[r#"read -r line; echo '{"type":"parked","in_reply_to":7}'; sleep 100"#]);
    assert_eq!(problem, ChildProblem::OutOfOrder { expected: 2, got: 7 });
}

#[test]
fn given_an_answer_to_something_else_when_received_should_be_a_wrong_answer() {
    let problem = problem_at_first_step(&[r#"read -r line; echo '{"type":"observation","in_reply_to":2,"state":{}}'"#]);
    assert!(matches!(problem, ChildProblem::WrongAnswer { question: "restart", .. }), "{problem:?}");
}

#[test]
fn given_a_silent_driver_when_the_time_is_over_should_be_ended_with_its_whole_group() {
    let problem = problem_at_first_step(&["sleep 100 & echo $! >&2; wait"]);
    let ChildProblem::NoAnswer { question: "restart", ref last_errors, .. } = problem else { panic!("{problem:?}") };
    assert!(problem.to_string().starts_with("the driver did not answer `restart` within 0.4 s"), "{problem}");
    assert_gone(&last_errors[0]);
}

#[test]
fn given_a_driver_that_does_not_read_when_much_is_sent_should_be_a_hang_and_not_stop_the_runner() {
    let mut subject = ChildSubject::start(&script(&[READY, "sleep 100"]), &quick()).expect("a good start");
    let world = World { messages: vec!["x".repeat(900_000)], ..World::default() };
    subject.reset(&world).expect_err("a hang");
    assert_eq!(subject.first_problem().get().map(ChildProblem::kind), Some(ProblemKind::Hang));
}

#[test]
fn given_a_dead_driver_whose_child_holds_the_pipe_when_asked_should_be_an_end_and_no_hang() {
    let options = ChildOptions { step_limit: Duration::from_secs(60), ..quick() };
    let command = script(&[READY, "read -r line; sleep 100 & echo $! >&2; exit 4"]);
    let mut subject = ChildSubject::start(&command, &options).expect("a good start");
    let text = subject.restart().expect_err("an end").text;
    assert!(text.contains("exit status: 4"), "{text}");
    assert_gone(&subject.last_errors()[0]);
}

#[test]
fn given_a_driver_that_closes_its_output_when_asked_should_say_so() {
    let text = problem_at_first_step(&["exec >&-; sleep 100"]).to_string();
    assert!(text.contains("it closed its standard output and went on"), "{text}");
}

#[test]
fn given_another_version_when_greeted_should_name_it() {
    let lines = [
        r#"{"type":"ready","in_reply_to":1,"protocol":"fencepost-driver/2","subject":"sh","version":"1"}"#,
        r#"{"type":"welcome","protocol":"fencepost-driver/2"}"#,
    ];
    for line in lines {
        let problem = problem_at_hello(&[&format!("read -r line; echo '{line}'")]);
        assert_eq!(problem, ChildProblem::WrongVersion { got: "fencepost-driver/2".to_owned() });
    }
}

#[test]
fn given_a_line_without_end_when_received_should_be_too_long() {
    let problem = problem_at_first_step(&["read -r line; while :; do printf %01000d 0; done"]);
    assert!(matches!(problem, ChildProblem::LineTooLong { .. }), "{problem:?}");
}

#[test]
fn given_an_error_when_answered_should_be_passed_on_and_the_driver_lives() {
    let error = r#"{"type":"error","in_reply_to":2,"code":"unreachable","text":"no server","definite":true}"#;
    let lines = [READY, &format!("read -r line; echo '{error}'"), "i=2", &COUNT[4..]];
    let mut subject = ChildSubject::start(&script(&lines), &quick()).expect("a good start");
    let failure = subject.restart().expect_err("an error");
    assert_eq!((failure.text.as_str(), failure.is_definite), ("no server", true));
    assert_eq!(subject.first_problem().get(), None);
    assert_eq!(subject.restart(), Ok(Progress::Parked));
    let farewell = subject.finish().expect("a farewell");
    assert_eq!((farewell.status.and_then(|it| it.code()), farewell.left_processes), (Some(0), false));
}

#[test]
fn given_a_long_walk_when_pipelined_should_answer_each_step_in_order() {
    let mut subject = ChildSubject::start(&script(&[READY, COUNT]), &ChildOptions::default()).expect("a good start");
    let resume = Step::Resume { park: Park::new(ParkKind::Request, "A.1"), answer: Default::default() };
    let mut steps = vec![resume; 500];
    steps[100] = Step::Crash { crash: Crash::Process {} };
    let mut seen = Vec::new();
    subject.walk(&steps, Fields::NONE.with(Field::NextOffset), &mut seen).expect("a walk");
    assert_eq!(seen.len(), 500);
    for (index, step) in (0..).zip(&seen) {
        let looked = Observation { next_offset: Some(index + 2), ..Observation::default() };
        let observation = if index == 100 { Observation::default() } else { looked };
        assert_eq!(*step, Seen { progress: Progress::Parked, observation });
    }
}

#[test]
fn given_a_field_that_nobody_asked_for_when_seen_should_be_a_wrong_answer() {
    let mut subject = ChildSubject::start(&script(&[READY, COUNT]), &quick()).expect("a good start");
    let steps = [Step::Restart {}];
    let failure = subject.walk(&steps, Fields::NONE.with(Field::Queued), &mut Vec::new()).expect_err("a problem");
    assert!(failure.text.contains("nobody asked for the field `next_offset`"), "{failure}");
}

#[test]
fn given_a_failure_in_a_walk_when_it_comes_should_keep_what_was_seen_before() {
    let two = r#"for i in 2 3; do read -r line; echo "{\"type\":\"parked\",\"in_reply_to\":$i}"; done; exit 5"#;
    let mut subject = ChildSubject::start(&script(&[READY, two]), &quick()).expect("a good start");
    let mut seen = Vec::new();
    let failure = subject.walk(&vec![Step::Restart {}; 100], Fields::NONE, &mut seen).expect_err("an end");
    assert_eq!(seen.len(), 2);
    assert!(failure.text.contains("exit status: 5"), "{failure}");
}

#[test]
fn given_ctrl_c_when_waiting_should_end_the_driver_at_once() {
    let options = ChildOptions { step_limit: Duration::from_secs(60), ..quick() };
    let command = script(&[READY, "read -r line; echo $$ >&2; sleep 100"]);
    let mut subject = ChildSubject::start(&command, &options).expect("a good start");
    options.interrupt.store(true, Ordering::Relaxed);
    subject.restart().expect_err("an interruption");
    assert_eq!(subject.first_problem().get(), Some(&ChildProblem::Interrupted));
}

#[test]
fn given_a_driver_that_leaves_somebody_behind_when_it_takes_leave_should_be_noticed_and_cleared_away() {
    let bye = r#"read -r line; sleep 100 & echo $! >&2; echo '{"type":"done","in_reply_to":2}'"#;
    let mut connection = super::Connection::start(&script(&[READY, bye]), &quick()).expect("a start");
    connection.hello().expect("a good start");
    assert!(connection.say_bye().expect("a farewell").left_processes);
    assert_gone(&connection.last_errors()[0]);
}

#[test]
fn given_a_driver_that_stays_after_bye_when_the_time_is_over_should_be_killed() {
    let bye = r#"read -r line; echo $$ >&2; echo '{"type":"done","in_reply_to":2}'; trap '' TERM; while :; do sleep 0.1; done"#;
    let mut connection = super::Connection::start(&script(&[READY, bye]), &quick()).expect("a start");
    connection.hello().expect("a good start");
    assert_eq!(connection.say_bye().expect("a farewell").status, None);
    assert_gone(&connection.last_errors()[0]);
}
