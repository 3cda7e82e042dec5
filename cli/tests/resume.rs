//! `fencepost check --resume`: ended anyhow and given again, a command reports as if it had not been ended.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{check, command, output_of, text_of, timeless};

/// Two contracts, so that one may be done while the other is not.
const WHAT: [&str; 6] = ["fenced-commits", "kafkajs-guard", "--story", "no-skip", "--format", "json"];

/// A view that is explored in a moment.
const SMALL: [&str; 3] = ["fenced-commits", "--view", "polls-with-reassignment"];

fn arguments<'a>(what: &[&'a str], folder: &'a Path, threads: &'a str) -> Vec<&'a str> {
    [what, &["--resume", folder.to_str().expect("a name in UTF-8"), "--threads", threads]].concat()
}

/// All files of levels in a folder and those below it.
fn levels(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.append(&mut levels(&path));
        } else if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("level-")) {
            found.push(path);
        }
    }
    found
}

/// Starts a command and sends it a signal after a while.
fn ended_by(signal: &str, arguments: &[&str], after: Duration) {
    let mut child = command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a child");
    std::thread::sleep(after);
    // It may have come to its end before.
    let _ = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    child.wait().expect("an end");
}

#[test]
fn given_a_check_that_is_killed_again_and_again_when_given_again_should_report_as_if_it_had_not_been() {
    let started = Instant::now();
    let expected = timeless(&output_of(check(&WHAT)).stdout);
    let time = started.elapsed();
    let folder = tempfile::tempdir().expect("a folder");
    let mut known = Vec::new();
    for (moment, threads) in (1..).zip(["1", "2", "2", "1", "4", "2"]) {
        ended_by("-KILL", &arguments(&WHAT, folder.path(), threads), time * moment / 12);
        known.push(levels(folder.path()).len());
    }
    assert!(known[0] < known[5], "levels after each kill: {known:?}");
    let resumed = output_of(check(&arguments(&WHAT, folder.path(), "2")));
    assert_eq!(resumed.status.code(), Some(0), "{}", text_of(&resumed.stderr));
    assert_eq!(timeless(&resumed.stdout), expected);
    let all = levels(folder.path()).len();
    let again = output_of(check(&arguments(&WHAT, folder.path(), "1")));
    assert_eq!(timeless(&again.stdout), expected, "all of it was kept");
    assert_eq!(levels(folder.path()).len(), all);
}

#[test]
fn given_a_check_that_was_interrupted_and_one_that_was_limited_when_given_again_should_report_everything() {
    let expected = timeless(&output_of(check(&WHAT)).stdout);
    let folder = tempfile::tempdir().expect("a folder");
    ended_by("-INT", &arguments(&WHAT, folder.path(), "2"), Duration::from_millis(300));
    let limited = [&arguments(&WHAT, folder.path(), "2")[..], &["--max-states", "3000"]].concat();
    assert_eq!(output_of(check(&limited)).status.code(), Some(3));
    assert!(!levels(folder.path()).is_empty());
    let resumed = output_of(check(&arguments(&WHAT, folder.path(), "1")));
    assert_eq!(timeless(&resumed.stdout), expected);
}

#[test]
fn given_levels_that_are_damaged_when_resumed_should_be_explored_again() {
    let what = [&SMALL[..], &["--format", "json"]].concat();
    let folder = tempfile::tempdir().expect("a folder");
    let expected = output_of(check(&arguments(&what, folder.path(), "1")));
    assert_eq!(expected.status.code(), Some(0), "{}", text_of(&expected.stderr));
    let mut levels = levels(folder.path());
    levels.sort();
    let damaged = &levels[levels.len() / 2];
    fs::write(damaged, "torn").expect("written");
    let resumed = output_of(check(&arguments(&what, folder.path(), "2")));
    assert_eq!(timeless(&resumed.stdout), timeless(&expected.stdout));
    assert!(fs::metadata(damaged).expect("a file").len() > 4);
}

/// Demands that a command is refused with these texts.
fn demand_refusal(arguments: &[&str], texts: &[&str]) {
    let output = output_of(check(arguments));
    let complaint = text_of(&output.stderr);
    assert_eq!((output.status.code(), text_of(&output.stdout).as_str()), (Some(2), ""), "{complaint}");
    for text in texts {
        assert!(complaint.contains(text), "`{text}` is not in:\n{complaint}");
    }
}

#[test]
fn given_the_folder_of_another_contract_when_resumed_should_be_refused_and_say_what_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = arguments(&SMALL, folder.path(), "1");
    assert_eq!(output_of(check(&arguments)).status.code(), Some(0));
    let before = levels(folder.path()).len();
    let changed = [&arguments[..], &["--without", "commit-assignment-on-arrival"]].concat();
    let place = "iggy/fenced-commits/quick/polls-with-reassignment`";
    demand_refusal(
        &changed,
        &[place, "holds another exploration", "there: fence commit-assignment-on-arrival", "another folder"],
    );
    assert_eq!(levels(folder.path()).len(), before);
    let output = output_of(check(&arguments));
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
}

#[test]
fn given_an_engine_or_an_option_that_keeps_nothing_when_resumed_should_be_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = arguments(&SMALL, folder.path(), "1");
    demand_refusal(&[&arguments[..], &["--engine", "plain"]].concat(), &["plain cannot be resumed", "compiled"]);
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let file = file.display().to_string();
    demand_refusal(&[&SMALL[..], &["--resume", &file]].concat(), &["cannot be made", &file]);
    demand_refusal(&["fenced-commits", "--margins", "--resume", &file], &["--margins", "--resume"]);
}

#[test]
fn given_files_that_cannot_be_written_when_resumed_should_say_which_and_keep_what_there_is() {
    let what = [&SMALL[..], &["--format", "json"]].concat();
    let folder = tempfile::tempdir().expect("a folder");
    // No file may be larger than a few kilobytes: as on a full disk, writing fails in the middle.
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" check \"$@\"";
    let mut limited = Command::new("sh");
    limited.args(["-c", script, env!("CARGO_BIN_EXE_fencepost")]).args(arguments(&what, folder.path(), "1"));
    let output = limited.output().expect("a shell");
    let complaint = text_of(&output.stderr);
    assert_eq!((output.status.code(), text_of(&output.stdout).as_str()), (Some(3), ""), "{complaint}");
    assert!(complaint.starts_with("error: `") && complaint.contains("/polls-with-reassignment/level-"), "{complaint}");
    assert!(!levels(folder.path()).is_empty());
    let resumed = output_of(check(&arguments(&what, folder.path(), "1")));
    assert_eq!(timeless(&resumed.stdout), timeless(&output_of(check(&what)).stdout));
}
