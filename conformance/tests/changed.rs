//! One answer of a recording changed: the line is refused. And what is not recorded allows everything.

mod support;

use support::{changed, divergence, partition, server};

/// Demands that a shipped recording with one change is refused at a line of `iggy-2026-08`.
fn demand(name: &str, line: usize, from: &str, to: &str, kind: &str) {
    let text = changed(name, line, from, to);
    let recording = if name.starts_with("tcp/") { server(&text) } else { partition(&text) };
    let found = divergence(&recording, "iggy-2026-08");
    let found = found.map(|(line, kind, _)| (line, kind));
    assert_eq!(found, Some((line, kind.to_owned())), "{name} line {line}: {from} -> {to}");
}

#[test]
fn given_another_payload_when_followed_should_be_refused_at_that_line() {
    demand("in-process/e1_disk_steps", 13, "h2-3", "h1-3", "answer-differs");
    demand("in-process/restart_purge", 20, "h2-4", "h2-5", "answer-differs");
    demand("in-process/e2_group", 11, "h2-0", "h2-1", "answer-differs");
    demand("tcp/manual_commit_after_purge", 7, "new3", "old3", "answer-differs");
    demand("tcp/delayed_commit_after_regain", 8, "m2", "m1", "answer-differs");
}

#[test]
fn given_another_offset_or_a_missing_message_when_followed_should_be_refused_at_that_line() {
    demand("in-process/e1_resident", 10, "[3, \"h2-3\"], ", "", "answer-differs");
    demand("in-process/e5_queued_store", 14, "\"messages\": []", "\"messages\": [[0, \"h2-0\"]]", "answer-differs");
    demand("in-process/e1_disk_unstarted", 6, "\"messages\": []", "\"messages\": [[0, \"h1-0\"]]", "answer-differs");
    demand("tcp/delayed_commit_after_regain", 3, "[0, \"m0\"], ", "", "answer-differs");
}

#[test]
fn given_another_bookmark_when_followed_should_be_refused_at_that_line() {
    demand("in-process/e1_resident", 8, "\"file\": 2", "\"file\": null", "state-differs");
    demand("in-process/e1_then_restart", 7, "\"stored\": 2", "\"stored\": null", "state-differs");
    demand("in-process/e1_then_restart", 12, "\"stored\": null", "\"stored\": 2", "state-differs");
    demand("in-process/e2_group", 8, "\"last_polled\": 2", "\"last_polled\": null", "state-differs");
    demand("in-process/e10_powerloss", 9, "\"stored\": 2", "\"stored\": 1", "state-differs");
    demand("in-process/restart_purge", 12, "\"stored\": null", "\"stored\": 2", "state-differs");
    demand("tcp/manual_commit_after_purge", 6, "\"stored_offset\": 2", "\"stored_offset\": 1", "state-differs");
    demand("tcp/delayed_commit_after_regain", 13, "\"stored_offset\": 1", "\"stored_offset\": 3", "state-differs");
}

#[test]
fn given_another_status_when_followed_should_be_refused_at_that_line() {
    demand("in-process/e7_manual", 6, "4100", "0", "answer-differs");
    demand("in-process/e7_manual", 9, "\"status\": 0", "\"status\": 4100", "answer-differs");
    demand("in-process/e7_manual", 6, "4100", "58", "answer-differs");
    demand("in-process/pipelined_store", 5, "[2, 0]", "[2, 4100]", "answer-differs");
    demand("in-process/e5_queued_store", 11, "[3, 0], ", "", "answer-differs");
    demand("in-process/e5_queued_store", 4, "\"reply\": null", "\"reply\": {\"status\": 0}", "answer-differs");
    demand("tcp/delayed_commit_after_regain", 7, "\"code\": 20", "\"code\": 58", "answer-differs");
    demand("tcp/manual_commit_after_purge", 5, "\"ok\": true", "\"code\": 58", "answer-differs");
    demand("tcp/manual_commit_after_purge", 8, "\"code\": 4100", "\"ok\": true, \"code\": 0", "answer-differs");
}

#[test]
fn given_a_refusal_that_an_early_purge_explains_when_followed_should_be_refused_at_the_first_line_that_excludes_it() {
    // 4100 can be: the purge removed the five new messages, too. Then the current offset cannot be 4.
    let text = changed("tcp/manual_commit_after_purge", 5, "\"ok\": true", "\"code\": 4100");
    let found = divergence(&server(&text), "iggy-2026-08").map(|(line, kind, _)| (line, kind));
    assert_eq!(found, Some((6, "state-differs".to_owned())));
}

#[test]
fn given_other_lengths_generations_or_offsets_when_followed_should_be_refused_at_that_line() {
    demand("in-process/e5_queued_store", 5, "\"queued\": 1", "\"queued\": 0", "state-differs");
    demand("in-process/e5_queued_store", 8, "\"pipeline\": 1", "\"pipeline\": 0", "state-differs");
    demand("in-process/e5_queued_store", 5, "\"write_offset\": 1", "\"write_offset\": 0", "state-differs");
    demand("in-process/e8_unapplied", 6, "\"commit_offset\": 3", "\"commit_offset\": 2", "state-differs");
    demand("in-process/e8_unapplied", 6, "\"applied_generation\": 0", "\"applied_generation\": 1", "state-differs");
    demand(
        "in-process/e8_unapplied",
        3,
        "\"committed_generation\": 1",
        "\"committed_generation\": 0",
        "answer-differs",
    );
    demand("in-process/e8_unapplied", 7, "\"applied\": true", "\"applied\": false", "answer-differs");
    demand("in-process/restart_purge", 13, "\"applied\": false", "\"applied\": true", "answer-differs");
    demand("in-process/e8_unapplied", 8, "\"empty\": true", "\"empty\": false", "state-differs");
}

#[test]
fn given_fields_that_are_not_recorded_when_followed_should_allow_everything_there() {
    let text = changed("in-process/e1_then_restart", 7, "{\"file\": null, \"stored\": 2}", "{}");
    let recording = partition(&text);
    assert_eq!(divergence(&recording, "iggy-2026-08"), None);
    let followed = support::followed(&recording, "iggy-2026-08");
    assert_eq!(followed.unconstrained.get("bookmark.file"), Some(&1));
}

#[test]
fn given_a_read_that_finds_the_new_bytes_when_followed_should_be_allowed() {
    let text = changed(
        "in-process/e1_disk_unstarted",
        6,
        "\"messages\": []",
        "\"messages\": [[0, \"h2-0\"], [1, \"h2-1\"], [2, \"h2-2\"]]",
    );
    let text =
        text.replacen("\"auto_commit\": null, \"commit_offset\": 2", "\"auto_commit\": 2, \"commit_offset\": 2", 1);
    let found = divergence(&partition(&text), "iggy-2026-08");
    // The read itself is allowed; then its automatic store moved the bookmark, which line 7 does not show.
    assert_eq!(found.map(|(line, kind, _)| (line, kind)), Some((7, "state-differs".to_owned())));
}

#[test]
fn given_two_reads_of_one_consumer_at_once_when_followed_should_be_told_apart() {
    let text = concat!(
        "{\"format\":\"fencepost-recording/1\",\"boundary\":\"partition\"}\n",
        "{\"request\":{\"op\":\"open\",\"save_every\":1},\"answer\":{\"ok\":true}}\n",
        "{\"request\":{\"op\":\"produce\",\"count\":1},\"answer\":{\"ok\":true,\"reply\":{\"status\":0}}}\n",
        "{\"request\":{\"op\":\"begin_poll\",\"consumer\":\"a\",\"strategy\":\"next\",\"auto_commit\":true,\"as\":\"x\"},\"answer\":{\"ok\":true}}\n",
        "{\"request\":{\"op\":\"produce\",\"count\":1},\"answer\":{\"ok\":true,\"reply\":{\"status\":0}}}\n",
        "{\"request\":{\"op\":\"begin_poll\",\"consumer\":\"a\",\"strategy\":\"next\",\"auto_commit\":true,\"as\":\"y\"},\"answer\":{\"ok\":true}}\n",
        "{\"request\":{\"op\":\"finish_poll\",\"poll\":\"y\"},\"answer\":{\"ok\":true,\"messages\":[[0,\"h1-0\"],[1,\"h1-1\"]]}}\n",
        "{\"request\":{\"op\":\"finish_poll\",\"poll\":\"x\"},\"answer\":{\"ok\":true,\"messages\":[[0,\"h1-0\"]]}}\n",
        "{\"request\":{\"op\":\"observe\"},\"answer\":{\"ok\":true,\"bookmarks\":{\"a\":{\"stored\":1,\"file\":1}}}}\n",
    );
    let declared = fencepost_conformance::recording::Declared::default();
    let read = |text: &str| fencepost_conformance::recording::Recording::read("own.jsonl", text.as_bytes(), declared);
    for (contract, _) in fencepost_spec::library::CONTRACTS {
        assert_eq!(divergence(&read(text).expect("a recording"), contract), None, "{contract}");
    }
    let back = text.replace("\"stored\":1,\"file\":1", "\"stored\":0,\"file\":0");
    let found = divergence(&read(&back).expect("a recording"), "iggy-2026-08");
    assert_eq!(found, Some((9, "state-differs".to_owned(), Some("automatic-progress-monotone"))));
}
