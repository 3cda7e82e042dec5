//! `fencepost check --engine timely`: several processes report what one does, and the loss of one is told.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{ask, check, command, output_of, text_of, timeless};

/// A contract of each family.
const WHAT: [&str; 4] = ["fenced-commits", "kafkajs-guard", "--format", "json"];

/// A view that takes some seconds.
const LONG: [&str; 7] = ["iggy-2026-08", "--bounds", "ci", "--view", "purge-with-pending-polls", "--format", "json"];

/// Longest time until the loss of a process must be told.
const SOON: Duration = Duration::from_secs(5);

fn start(arguments: &[&str]) -> Child {
    let mut child = command(arguments);
    child.stdout(Stdio::piped()).stderr(Stdio::piped());
    child.spawn().expect("a process")
}

/// The processes that a process started and that have not ended.
fn started_by(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("the processes of a Linux system");
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_child = |process: &u32| {
        let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
        // After the name, which is in brackets: the state, and the parent.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        fields[0] != "Z" && fields[1] == parent.to_string()
    };
    numbers.filter(is_child).collect()
}

fn kill(process: u32) {
    let killed = Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status();
    assert!(killed.expect("kill").success(), "process {process} is there");
}

/// Waits until a process has started some others; those.
fn await_children(parent: &Child, number: usize) -> Vec<u32> {
    let deadline = Instant::now() + SOON;
    loop {
        let children = started_by(parent.id());
        if children.len() == number {
            return children;
        }
        assert!(Instant::now() < deadline, "{} of {number} processes were started", children.len());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills one of three processes that explore, after a while; how the command ended.
fn end_of_a_loss(arguments: &[&str], victim: usize, after: Duration) -> Output {
    let parent = start(&[arguments, &["--engine", "timely", "--processes", "3"]].concat());
    let children = await_children(&parent, 2);
    std::thread::sleep(after);
    let killed = Instant::now();
    kill(children[victim]);
    let output = parent.wait_with_output().expect("an end");
    assert!(killed.elapsed() < SOON, "the loss was told after {:?}", killed.elapsed());
    for child in children {
        assert!(!Path::new(&format!("/proc/{child}")).exists(), "process {child} is left");
    }
    output
}

#[test]
fn given_a_contract_of_each_family_when_checked_by_several_processes_should_be_reported_alike() {
    let expected = timeless(&output_of(check(&WHAT)).stdout);
    for processes in ["1", "2", "3"] {
        let output = output_of(check(&[&WHAT[..], &["--engine", "timely", "--processes", processes]].concat()));
        assert_eq!(text_of(&output.stderr), "", "{processes} processes");
        assert_eq!(timeless(&output.stdout), expected, "{processes} processes");
    }
}

#[test]
fn given_a_limit_of_states_when_checked_by_several_processes_should_stop_at_the_same_state() {
    let limited = [&WHAT[..], &["--max-states", "5000"]].concat();
    let expected = output_of(check(&limited));
    let output = output_of(check(&[&limited[..], &["--engine", "timely", "--processes", "3"]].concat()));
    assert_eq!((timeless(&output.stdout), output.status.code()), (timeless(&expected.stdout), expected.status.code()));
}

#[test]
fn given_a_process_that_is_killed_when_exploring_should_be_told_soon_and_leave_no_process() {
    for victim in 0..2 {
        let output = end_of_a_loss(&LONG, victim, Duration::from_millis(400));
        let error = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{error}");
        assert!(error.starts_with("error: process ") && error.contains("of 3 is gone"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert_eq!(text_of(&output.stdout), "");
    }
}

#[test]
fn given_processes_that_are_killed_again_and_again_when_resumed_should_report_as_if_they_had_not() {
    let expected = timeless(&output_of(check(&LONG)).stdout);
    let folder = tempfile::tempdir().expect("a folder");
    let kept = [&LONG[..], &["--resume", folder.path().to_str().expect("a name in UTF-8")]].concat();
    // One of the others, and then all of them.
    assert_eq!(end_of_a_loss(&kept, 1, Duration::from_millis(700)).status.code(), Some(3));
    let distributed = [&kept[..], &["--engine", "timely", "--processes", "3"]].concat();
    let mut parent = start(&distributed);
    let children = await_children(&parent, 2);
    std::thread::sleep(Duration::from_millis(700));
    parent.kill().expect("a process");
    parent.wait().expect("an end");
    let deadline = Instant::now() + SOON;
    while children.iter().any(|child| Path::new(&format!("/proc/{child}")).exists()) {
        assert!(Instant::now() < deadline, "a process goes on without the one that started it");
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = output_of(check(&distributed));
    assert_eq!(text_of(&output.stderr), "");
    assert_eq!(timeless(&output.stdout), expected);
}

#[test]
fn given_a_process_whose_folder_is_another_exploration_when_resumed_should_be_told_and_nobody_wait_for_it() {
    for process in ["process-0-of-3", "process-2-of-3"] {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = ["--resume", folder.path().to_str().expect("a name in UTF-8")];
        let command = [&WHAT[..], &kept, &["--engine", "timely", "--processes", "3"]].concat();
        assert_eq!(output_of(check(&command)).status.code(), Some(0));
        let archive = folder.path().join("kafkajs/kafkajs-guard/quick/lost-and-regained").join(process);
        fs::write(archive.join("identity"), "another").expect("a file");
        let started = Instant::now();
        // The output ends when the last process does that has it.
        let output = output_of(check(&command));
        let error = text_of(&output.stderr);
        assert!(error.contains("holds another exploration"), "{error}");
        // The first process says what is wrong with its own folder; of another's it knows that it is gone.
        let expected = if process.starts_with("process-0") { 2 } else { 3 };
        assert_eq!((output.status.code(), text_of(&output.stdout).as_str()), (Some(expected), ""), "{error}");
        assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    }
}

#[test]
fn given_a_file_of_hosts_when_each_process_is_started_by_hand_should_report_alike_at_the_first() {
    let ports: Vec<TcpListener> = (0..2).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let lines = ports.iter().map(|port| format!("{}\n", port.local_addr().expect("an address")));
    let folder = tempfile::tempdir().expect("a folder");
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, lines.collect::<String>()).expect("a file");
    drop(ports);
    let hosts = hosts.to_str().expect("a name in UTF-8");
    let common = ["--engine", "timely", "--hosts", hosts, "--process"];
    let [first, second] = ["0", "1"].map(|process| start(&[&WHAT[..], &common, &[process]].concat()));
    let (first, second) = (first.wait_with_output().expect("an end"), second.wait_with_output().expect("an end"));
    assert_eq!(timeless(&first.stdout), timeless(&output_of(check(&WHAT)).stdout), "{}", text_of(&first.stderr));
    assert_eq!(
        (text_of(&second.stdout).as_str(), second.status.code()),
        ("", first.status.code()),
        "{}",
        text_of(&second.stderr)
    );
}

#[test]
fn given_options_without_effect_when_checked_should_say_what_is_accepted() {
    let refused: [(&[&str], &str); 5] = [
        (&["--engine", "timely", "--grow", "5"], "leave out `--grow`"),
        (&["--processes", "2"], "`--processes` has no effect without `--engine timely`"),
        (&["--engine", "timely", "--threads", "2"], "accepted: --processes NUMBER"),
        (&["--engine", "timely", "--hosts", "nowhere", "--process", "0"], "`nowhere` cannot be read"),
        (&["--engine", "timely", "--processes", "0"], "1..=256"),
    ];
    let refused = refused.map(|(arguments, expected)| (output_of(check(arguments)), expected));
    let asked = (ask(&["--engine", "timely"]), "accepted: compiled, plain");
    for (output, expected) in refused.into_iter().chain([asked]) {
        let error = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}
