//! Scenario files that cannot be used end with exit code 2, the place, and the nearest name.

mod support;

use support::{output_of, text_of};

/// A scenario in which everything that can be wrong can be made wrong by one replacement.
const GOOD: &str = r#"format = "fencepost-scenario/1"
name = "mine"
family = "iggy"
title = "A title"
question = "A question?"

[start]
messages = 3
consumers = ["Carol"]
group = ["Alice", "Bob"]
members = ["Alice"]
old_clients = ["Carol"]
bookmarks = { Carol = 1 }

[[step]]
id = "read"
who = "Carol"
does = "poll"
completes_after = ["purge:applied"]

[[step]]
id = "purge"
who = "operator"
does = "empty the topic"
after = ["read:opened"]

[[step]]
id = "commit"
who = "Carol"
does = "store"
offset = 2
after = ["read"]
answer = "done"

[[step]]
id = "new"
who = "producer"
does = "send"
count = 2

[[step]]
id = "time-out"
who = "Carol"
does = "give up"
of = "commit"

[expect.kept-numbering]
possible = true
breaks = ["no-skip"]
"#;

fn ask(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("fencepost"));
    command.arg("ask").args(arguments);
    let output = output_of(assert_cmd::Command::from_std(command));
    (output.status.code(), text_of(&output.stdout), text_of(&output.stderr))
}

/// Demands that the scenario with one change is refused: at the line and column of `at` in the changed text, with `texts`.
#[track_caller]
fn demand_refusal(from: &str, to: &str, at: &str, texts: &[&str]) {
    assert!(GOOD.contains(from), "{from}");
    let changed = GOOD.replacen(from, to, 1);
    let start = changed.find(at).expect("the place");
    let line = changed[..start].matches('\n').count() + 1;
    let column = start - changed[..start].rfind('\n').map_or(0, |end| end + 1) + 1;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    std::fs::write(&path, changed).expect("a file");
    let (code, output, complaint) = ask(&[&path]);
    assert_eq!(code, Some(2), "{complaint}");
    assert_eq!(output, "");
    for text in [&format!("{path}:{line}:{column}") as &str].iter().chain(texts) {
        assert!(complaint.contains(text), "`{text}` is not in:\n{complaint}");
    }
}

#[test]
fn given_the_scenario_without_a_change_when_asked_should_be_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.toml").display().to_string();
    std::fs::write(&path, GOOD).expect("a file");
    let (code, _, complaint) = ask(&[&path, "--contract", "iggy-2026-08"]);
    assert_eq!((code, complaint.as_str()), (Some(0), ""));
}

#[test]
fn given_a_misspelt_key_when_read_should_name_place_and_nearest() {
    demand_refusal("completes_after", "complete_after", "complete_after", &["did you mean `completes_after`?"]);
    demand_refusal("messages = 3", "mesages = 3", "mesages", &["did you mean `messages`?"]);
    demand_refusal("question =", "qestion =", "qestion", &["did you mean `question`?"]);
    demand_refusal("possible =", "posible =", "posible", &["did you mean `possible`?"]);
}

#[test]
fn given_a_misspelt_word_when_read_should_name_place_and_nearest() {
    demand_refusal("\"store\"", "\"stoer\"", "\"stoer\"", &["did you mean `store`?"]);
    demand_refusal("\"done\"", "\"dne\"", "\"dne\"", &["did you mean `done`?"]);
    demand_refusal("[\"no-skip\"]", "[\"no-skp\"]", "\"no-skp\"", &["did you mean `no-skip`?"]);
    demand_refusal(
        "expect.kept-numbering",
        "expect.kept-numbring",
        "kept-numbring",
        &["did you mean `kept-numbering`?"],
    );
    demand_refusal("scenario/1", "scenario/7", "\"fencepost-scenario/7", &["did you mean `fencepost-scenario/1`?"]);
    demand_refusal("\"iggy\"", "\"igy\"", "\"igy\"", &["did you mean `iggy`?"]);
}

#[test]
fn given_a_misspelt_reference_when_read_should_name_place_and_nearest() {
    demand_refusal("[\"read\"]", "[\"reed\"]", "\"reed\"", &["there is no step `reed`", "did you mean `read`?"]);
    let texts = ["is never `openend`", "did you mean `read:opened`?"];
    demand_refusal("read:opened", "read:openend", "\"read:openend\"", &texts);
    demand_refusal("purge:applied", "purge:opened", "\"purge:opened\"", &["is never `opened`"]);
    demand_refusal("of = \"commit\"", "of = \"comit\"", "\"comit\"", &["did you mean `commit`?"]);
}

#[test]
fn given_a_misspelt_name_when_read_should_name_place_and_nearest() {
    demand_refusal("who = \"Carol\"", "who = \"Carl\"", "\"Carl\"", &["`Carl` cannot `poll`", "did you mean `Carol`?"]);
    demand_refusal("\"operator\"", "\"oprator\"", "\"oprator\"", &["did you mean `operator`?"]);
    demand_refusal("members = [\"Alice\"]", "members = [\"Alce\"]", "Alce", &["did you mean `Alice`?"]);
    demand_refusal("old_clients = [\"Carol\"]", "old_clients = [\"Carrol\"]", "Carrol", &["did you mean `Carol`?"]);
    demand_refusal("{ Carol = 1 }", "{ Karol = 1 }", "Karol", &["cannot be in `bookmarks`", "did you mean `Carol`?"]);
}

#[test]
fn given_a_wrong_type_when_read_should_name_the_place() {
    demand_refusal("messages = 3", "messages = \"three\"", "\"three\"", &["invalid type"]);
    demand_refusal("offset = 2", "offset = -2", "-2", &["invalid value"]);
    demand_refusal("after = [\"read\"]", "after = \"read\"", "\"read\"\nanswer", &["invalid type"]);
}

#[test]
fn given_an_impossible_value_when_read_should_name_the_place() {
    demand_refusal("messages = 3", "messages = 9", "messages", &["at most 8 messages, not 9"]);
    demand_refusal("messages = 3", "messages = 3\npartitions = 3", "partitions", &["1 or 2 partitions"]);
    demand_refusal("messages = 3", "messages = 3\nread_slots = 0", "read_slots", &["at least 1"]);
    demand_refusal("messages = 3", "messages = 3\nqueue_slots = 1", "queue_slots", &["needs `prepare_slots`"]);
    demand_refusal("count = 2", "count = 0", "0\n\n[[step]]\nid = \"time", &["`count` is 1 to 8"]);
    demand_refusal("offset = 2", "offset = 200", "200", &["an offset is below 60"]);
    demand_refusal("Bob", "Alice", "Alice", &["two consumers `Alice`"]);
    demand_refusal("consumers = [\"Carol\"]", "consumers = [\"group\"]", "group\"]", &["cannot be the name"]);
}

#[test]
fn given_a_key_that_means_nothing_or_is_missing_when_read_should_name_the_place() {
    demand_refusal("answer = \"done\"", "count = 3", "3\n\n[[step]]", &["`store` has no `count`", "offset, answer"]);
    demand_refusal(
        "after = [\"read:opened\"]",
        "answer = \"done\"",
        "\"done\"",
        &["`empty the topic` has no `answer`"],
    );
    demand_refusal("does = \"poll\"", "does = \"poll\"\noffset = 1", "1\ncompletes", &["does not start at an offset"]);
    demand_refusal("offset = 2\n", "", "\"store\"", &["`store` needs `offset` here"]);
    demand_refusal("count = 2\n", "", "\"send\"", &["`send` needs `count` here"]);
    demand_refusal("of = \"commit\"\n", "", "\"give up\"", &["`give up` needs `of` here"]);
    demand_refusal("of = \"commit\"", "of = \"purge\"", "\"purge\"\n\n[exp", &["its own polls and commits"]);
    demand_refusal("answer = \"done\"", "answer = \"nothing\"", "\"nothing\"", &["accepted: any, done, refused, lost"]);
    demand_refusal("answer = \"done\"", "opens_after = [\"new\"]", "\"new\"]", &["`store` is never opened"]);
}

#[test]
fn given_offsets_that_contradict_when_read_should_name_the_place() {
    let with = |more: &str| format!("does = \"poll\"\n{more}");
    demand_refusal("does = \"poll\"", &with("offsets = [2, 1]"), "[2, 1]", &["the first and the last"]);
    let both = with("answer = \"nothing\"\noffsets = [1, 2]");
    demand_refusal("does = \"poll\"", &both, "[1, 2]", &["`answer` demands `nothing`"]);
}

#[test]
fn given_steps_that_wait_in_a_circle_when_read_should_name_them() {
    let texts = ["the steps read, purge, commit wait for each other in a circle"];
    demand_refusal("completes_after = [\"purge:applied\"]", "after = [\"commit\"]", "\"read\"", &texts);
    demand_refusal("id = \"new\"", "id = \"purge\"", "\"purge\"\nwho = \"producer\"", &["there are two steps `purge`"]);
    demand_refusal("id = \"new\"", "id = \"new:one\"", "\"new:one\"", &["has no colon"]);
}

#[test]
fn given_a_misspelt_argument_when_asked_should_name_the_nearest() {
    for (arguments, texts) in [
        (vec!["not-an-owne"], ["there is no scenario `not-an-owne`", "did you mean `not-an-owner`?"]),
        (
            vec!["--contract", "kept-numbring"],
            ["there is no contract `kept-numbring`", "did you mean `kept-numbering`?"],
        ),
        (vec!["--without", "bookmarks-unlinkd"], ["there is no fence", "did you mean `bookmarks-unlinked`?"]),
        (vec!["./no-such-scenario.toml"], ["cannot read `./no-such-scenario.toml`", "No such file"]),
    ] {
        let (code, output, complaint) = ask(&arguments);
        assert_eq!((code, output.as_str()), (Some(2), ""), "{complaint}");
        for text in texts {
            assert!(complaint.contains(text), "`{text}` is not in:\n{complaint}");
        }
    }
}
