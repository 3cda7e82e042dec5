//! Bad input ends with exit code 2, the place, and the nearest name.

mod support;

use support::{check, output_of, text_of};

/// A contract file in a folder of its own, with one change.
fn changed_file(from: &str, to: &str) -> (tempfile::TempDir, String) {
    let original = concat!(env!("CARGO_MANIFEST_DIR"), "/../spec/contracts/owner-installed-bare-offsets.toml");
    let text = std::fs::read_to_string(original).expect("the contract");
    assert!(text.contains(from), "{from} is not in {original}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml");
    std::fs::write(&path, text.replacen(from, to, 1)).expect("a file");
    let path = path.display().to_string();
    (folder, path)
}

/// Demands exit code 2, nothing on standard output, and these texts on standard error.
fn demand_refusal(arguments: &[&str], texts: &[&str]) {
    let output = output_of(check(arguments));
    let complaint = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert_eq!(text_of(&output.stdout), "");
    for text in texts {
        assert!(complaint.contains(text), "`{text}` is not in:\n{complaint}");
    }
}

/// Line and column of a text in a file, as in a message.
fn place(path: &str, text: &str) -> String {
    let content = std::fs::read_to_string(path).expect("the file");
    let start = content.find(text).expect("the text");
    let line = content[..start].matches('\n').count() + 1;
    let column = start - content[..start].rfind('\n').map_or(0, |end| end + 1) + 1;
    format!("{path}:{line}:{column}")
}

#[test]
fn given_a_misspelt_contract_when_checked_should_name_the_nearest() {
    demand_refusal(&["kept-numbring"], &["there is no contract `kept-numbring`", "did you mean `kept-numbering`?"]);
}

#[test]
fn given_a_misspelt_clause_when_a_story_is_wanted_should_name_the_nearest() {
    demand_refusal(&["--story", "no-skp"], &["there is no clause `no-skp`", "did you mean `no-skip`?"]);
}

#[test]
fn given_a_misspelt_view_when_checked_should_name_the_nearest() {
    demand_refusal(&["--view", "restrat"], &["there is no view `restrat`", "did you mean `restart`?"]);
    demand_refusal(&["--story", "no-skip@restrat"], &["there is no view `restrat`", "did you mean `restart`?"]);
}

#[test]
fn given_a_story_of_a_view_that_is_not_explored_when_checked_should_be_refused() {
    demand_refusal(&["--view", "liveness", "--story", "no-skip@restart"], &["`restart`", "--view restart"]);
}

#[test]
fn given_a_misspelt_fence_when_removed_should_name_the_nearest() {
    let texts = ["there is no fence `poll-history-on-completion`", "did you mean `poll-history-at-completion`?"];
    demand_refusal(&["--without", "poll-history-on-completion"], &texts);
}

#[test]
fn given_a_fence_that_no_contract_has_when_removed_should_be_refused() {
    let arguments = ["iggy-2026-08", "--without", "poll-history-at-completion"];
    demand_refusal(&arguments, &["none of the checked contracts has the fence", "poll-member-at-dispatch"]);
}

#[test]
fn given_a_misspelt_size_when_checked_should_name_the_nearest() {
    demand_refusal(&["--bounds", "quik"], &["quik", "did you mean `quick`?"]);
    demand_refusal(&["--max-memory", "2Gb"], &["2GiB"]);
    demand_refusal(&["--threads", "0"], &["--threads"]);
}

#[test]
fn given_a_misspelt_key_in_a_file_when_checked_should_name_place_and_nearest() {
    let (_folder, path) = changed_file("answers_for", "answer_for");
    demand_refusal(
        &[&path],
        &["unknown field `answer_for`", &place(&path, "answer_for"), "did you mean `answers_for`?"],
    );
}

#[test]
fn given_a_misspelt_clause_in_a_file_when_checked_should_name_place_and_nearest() {
    let (_folder, path) = changed_file("[expected.no-skip]", "[expected.no-skpi]");
    demand_refusal(&[&path], &["no-skpi", &place(&path, "no-skpi"), "did you mean `no-skip`?"]);
}

#[test]
fn given_a_wrong_type_in_a_file_when_checked_should_name_the_place() {
    let (_folder, path) = changed_file("family = \"iggy\"", "family = 7");
    demand_refusal(&[&path], &["invalid type", &place(&path, "7")]);
}

#[test]
fn given_a_misspelt_impossibility_in_a_file_when_checked_should_name_place_and_nearest() {
    let impossible = "[[impossible]]\nwhat = \"parked-poll-expire\"\nbecause = \"a test\"\n\n[expected.no-skip]";
    let (_folder, path) = changed_file("[expected.no-skip]", impossible);
    let place = place(&path, "\"parked-poll-expire\"");
    demand_refusal(&[&path], &["`parked-poll-expire`", &place, "did you mean `parked-poll-expires`?"]);
}

#[test]
fn given_a_missing_file_when_checked_should_say_so() {
    demand_refusal(&["./no-such-contract.toml"], &["cannot read `./no-such-contract.toml`", "No such file"]);
}

#[test]
fn given_a_file_that_is_too_large_when_checked_should_say_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.toml").display().to_string();
    std::fs::write(&path, "#".repeat((1 << 20) + 1)).expect("a file");
    demand_refusal(&[&path], &["more than 1 MiB"]);
}
