//! What is known about the shipped recordings: which contract allows which of them, and where the others are left.

mod support;

use fencepost_conformance::follow::{Options, follow};
use fencepost_conformance::manifest;
use fencepost_spec::library;
use support::{divergence, followed, shipped, text};

/// Demands a divergence at a line, with kind and clause.
fn demand(name: &str, contract: &str, line: usize, kind: &str, clause: Option<&'static str>) {
    let found = divergence(&shipped(name), contract);
    assert_eq!(found, Some((line, kind.to_owned(), clause)), "{name} under {contract}");
}

/// Demands that a contract allows a recording.
fn demand_allowed(name: &str, contract: &str) {
    assert_eq!(divergence(&shipped(name), contract), None, "{name} under {contract}");
}

#[test]
fn given_the_manifest_when_compared_with_the_files_should_agree() {
    let entries = manifest::shipped().expect("the manifest");
    assert_eq!(entries.len(), 16);
    for entry in entries {
        let name = entry.path.trim_end_matches(".jsonl");
        let text = text(name);
        assert_eq!(manifest::digest(text.as_bytes()), entry.sha256, "{name}");
        assert_eq!(text.lines().count(), entry.lines, "{name}");
        assert_eq!(shipped(name).entry, Some(entry));
    }
}

#[test]
fn given_every_shipped_recording_when_followed_under_its_own_contract_should_be_allowed() {
    for entry in manifest::shipped().expect("the manifest") {
        demand_allowed(entry.path.trim_end_matches(".jsonl"), &entry.contract);
    }
}

#[test]
fn given_a_commit_after_regaining_when_followed_should_be_refused_where_commits_name_their_assignment() {
    let clause = Some("commit-under-reading-assignment");
    let name = "tcp/delayed_commit_after_regain";
    demand(name, "fenced-commits", 12, "answer-differs", clause);
    demand(name, "owner-installed", 12, "answer-differs", clause);
    demand_allowed(name, "owner-installed-bare-offsets");
    demand("tcp/replayed_commit_after_regaining", "fenced-commits", 11, "answer-differs", clause);
}

#[test]
fn given_a_commit_of_a_purged_history_when_followed_should_be_refused_where_commits_carry_a_generation() {
    let clause = Some("no-foreign-progress");
    demand("tcp/manual_commit_after_purge", "reset-with-generation", 6, "state-differs", clause);
    demand("in-process/e7_manual", "reset-with-generation", 9, "answer-differs", clause);
}

#[test]
fn given_a_read_that_a_purge_overtook_when_followed_should_be_refused_where_completion_is_checked() {
    let lines = [
        ("e1_resident", 7),
        ("e1_disk_opened_only", 7),
        ("e1_disk_steps", 10),
        ("e1_then_restart", 6),
        ("e2_group", 7),
    ];
    for (name, line) in lines {
        let name = format!("in-process/{name}");
        demand(&name, "iggy-poll-completion", line, "answer-differs", Some("no-stale-batch"));
    }
}

#[test]
fn given_bookmarks_that_come_back_when_followed_should_be_refused_where_they_carry_a_generation() {
    let clause = Some("one-history-after-recovery");
    demand("in-process/e10_powerloss", "reset-with-generation", 9, "state-differs", clause);
}

#[test]
fn given_a_store_prepared_before_a_purge_when_followed_should_be_allowed() {
    demand_allowed("in-process/pipelined_store", "iggy-2026-08");
    demand_allowed("in-process/pipelined_store", "reset-with-generation");
}

#[test]
fn given_a_contract_without_purge_when_a_purge_is_followed_should_be_no_step_of_it() {
    demand("in-process/e7_manual", "owner-installed", 5, "step-not-in-contract", None);
    demand("tcp/manual_commit_after_purge", "owner-installed", 3, "step-not-in-contract", None);
}

#[test]
fn given_a_differing_code_of_the_same_kind_when_followed_should_be_a_note_unless_codes_are_exact() {
    let recording = shipped("tcp/delayed_commit_after_regain");
    let lenient = followed(&recording, "iggy-poll-completion");
    assert!(lenient.is_allowed());
    assert_eq!(lenient.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [5, 7]);
    let contract = library::contract("iggy-poll-completion").expect("a contract");
    let options = Options { exact_codes: true, ..Options::default() };
    let exact = follow(&recording, &contract, &options).expect("a recording that can be followed");
    assert_eq!(exact.divergence.map(|divergence| divergence.line), Some(5));
}

#[test]
fn given_a_divergence_when_told_should_name_what_was_allowed_and_the_story_so_far() {
    let followed = followed(&shipped("in-process/e1_resident"), "iggy-poll-completion");
    let divergence = followed.divergence.expect("a divergence");
    assert_eq!(divergence.allowed, ["the code 58 TransientNotAccepted"]);
    assert!(divergence.reason().contains("0: h1-0"));
    let story = divergence.story.to_text();
    assert!(story.contains("applies the purge (line 5)"), "{story}");
}

#[test]
fn given_the_same_recording_when_followed_twice_should_give_the_same() {
    let recording = shipped("tcp/delayed_commit_after_regain");
    let text = || format!("{:?}", followed(&recording, "owner-installed"));
    assert_eq!(text(), text());
}

#[test]
fn given_what_is_not_compared_when_followed_should_be_counted() {
    let followed = followed(&shipped("in-process/e1_resident"), "iggy-2026-08");
    assert_eq!(followed.ignored.get("files"), Some(&2));
    assert_eq!(followed.ignored.get("tier"), Some(&2));
    assert!(followed.unconstrained.contains_key("identities of a request"));
}
