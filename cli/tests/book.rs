//! `fencepost book`: the process, and the committed document itself.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use support::text_of;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// `fencepost book` with arguments, at the root of the repository.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.current_dir(root()).arg("book").args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the command runs")
}

fn committed() -> String {
    std::fs::read_to_string(root().join("docs/specification.md")).expect("the committed document")
}

/// The lines outside blocks of code, with their numbers.
fn lines_of_prose(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            lines.push((number, line));
        }
    }
    lines
}

/// The anchors of the headings as GitHub gives them, the same one again with a number.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let headings = lines_of_prose(text).into_iter().filter(|(_, line)| line.starts_with('#'));
    let anchor = |(_, line): (usize, &str)| {
        let title = line.trim_start_matches('#').trim();
        let kept = title.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
        let anchor: String = kept.flat_map(char::to_lowercase).map(|it| if it == ' ' { '-' } else { it }).collect();
        let count = counts.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings.map(anchor).collect()
}

/// The targets of all links, with the number of their line.
fn link_targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    for (number, line) in lines_of_prose(text) {
        for rest in line.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            targets.push((number, target.to_owned()));
        }
    }
    targets
}

#[test]
fn given_the_committed_document_when_its_links_are_followed_should_lead_somewhere() {
    let text = committed();
    let anchors = anchors(&text);
    let targets = link_targets(&text);
    assert!(targets.len() > 500, "{} links", targets.len());
    for (line, target) in targets {
        match target.strip_prefix('#') {
            Some(anchor) => assert!(anchors.contains(anchor), "line {line}: there is no heading for #{anchor}"),
            None if target.starts_with("https://") => {}
            None => assert!(root().join("docs").join(&target).exists(), "line {line}: there is no file {target}"),
        }
    }
}

#[test]
fn given_the_committed_document_when_headings_are_compared_should_be_unique() {
    let text = committed();
    let headings = lines_of_prose(&text).into_iter().filter(|(_, line)| line.starts_with('#')).count();
    let plain: BTreeSet<String> = anchors(&text);
    assert_eq!(plain.len(), headings);
    assert!(!text.contains("hazard E-"), "numbers of notes that a reader does not have");
}

#[test]
fn given_the_committed_document_when_its_diagrams_are_read_should_be_well_formed() {
    let text = committed();
    let blocks: Vec<&str> = text.split("```mermaid\n").skip(1).collect();
    assert!(blocks.len() > 10, "{} diagrams", blocks.len());
    for block in blocks {
        let (diagram, _) = block.split_once("```").expect("an end of the block");
        assert!(diagram.starts_with("sequenceDiagram\n"), "{diagram}");
        let lines: Vec<&str> = diagram.lines().map(str::trim).collect();
        let opened = lines.iter().filter(|line| line.starts_with("loop ")).count();
        let closed = lines.iter().filter(|line| **line == "end").count();
        assert_eq!(opened, closed, "{diagram}");
        assert!(lines.iter().any(|line| line.contains("is violated") || line.contains("breaks in line")), "{diagram}");
    }
}

#[test]
fn given_the_committed_document_when_its_tables_are_read_should_have_rows_of_equal_length() {
    let mut columns = None;
    for (number, line) in lines_of_prose(&committed()) {
        if !line.starts_with('|') {
            columns = None;
            continue;
        }
        let count = line.replace("\\|", "").matches('|').count();
        assert_eq!(count, *columns.get_or_insert(count), "line {number}");
    }
}

#[test]
fn given_no_file_when_checked_should_end_with_2() {
    let output = run(&["--check", "--output", "docs/no-such-book.md"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("cannot read `docs/no-such-book.md`"), "{}", text_of(&output.stderr));
}

#[test]
fn given_no_folder_when_written_should_end_with_2() {
    let output = run(&["--output", "no-such-folder/book.md"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("there is no folder `no-such-folder`"), "{}", text_of(&output.stderr));
}

#[test]
fn given_no_recordings_when_written_should_end_with_2_and_say_where_to_run_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.md");
    let output = run(&["--output", book.to_str().expect("a path"), "--recordings", "no-such-folder"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("--recordings"), "{}", text_of(&output.stderr));
    assert!(!book.exists());
}

#[test]
fn given_a_limit_when_reached_should_leave_the_file_alone_and_end_with_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.md");
    std::fs::write(&book, "as it was").expect("a file");
    let output = run(&["--output", book.to_str().expect("a path"), "--max-states", "10"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text_of(&output.stdout).contains("stopped (states)"), "{}", text_of(&output.stdout));
    assert_eq!(std::fs::read_to_string(&book).expect("the file"), "as it was");
}

#[cfg(unix)]
#[test]
fn given_ctrl_c_when_writing_should_leave_the_file_alone_and_end_with_3() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.md");
    std::fs::write(&book, "as it was").expect("a file");
    // The time-out is for the case that the signal gets lost.
    let mut command = command(&["--output", book.to_str().expect("a path"), "--bounds", "deep", "--max-time", "60"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child");
    std::thread::sleep(Duration::from_millis(1500));
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let output = child.wait_with_output().expect("an end");
    assert!(text_of(&output.stdout).contains("stopped (interrupted)"), "{}", text_of(&output.stdout));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(std::fs::read_to_string(&book).expect("the file"), "as it was");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
}

#[test]
fn given_a_stale_last_line_when_checked_should_name_it_and_so_prove_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let book = folder.path().join("book.md");
    let text = committed();
    let last = text.lines().count();
    let stale = format!("{} Stale.\n", text.trim_end());
    std::fs::write(&book, &stale).expect("a file");
    let output = run(&["--check", "--output", book.to_str().expect("a path")]);
    let report = text_of(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}{}", text_of(&output.stderr));
    assert!(report.contains(&format!("is line {last}:")), "the committed document is stale: {report}");
    assert_eq!(std::fs::read_to_string(&book).expect("the file"), stale, "a check writes nothing");
}
