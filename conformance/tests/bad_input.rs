//! Bad input is answered with file, line and column, and with what would be accepted.

mod support;

use fencepost_conformance::follow::{Options, follow};
use fencepost_conformance::manifest;
use fencepost_conformance::recording::{Boundary, Declared, Recording, RecordingFormat};
use support::{changed, text};

const PARTITION: Declared =
    Declared { format: Some(RecordingFormat::IggyPartition), boundary: Some(Boundary::Partition) };

/// Demands that bytes are no recording, and that the problem says so with these texts.
fn demand(bytes: &[u8], declared: Declared, texts: &[&str]) {
    let problem = Recording::read("some.jsonl", bytes, declared).expect_err("a problem").to_string();
    for text in texts {
        assert!(problem.contains(text), "`{text}` is not in:\n{problem}");
    }
}

#[test]
fn given_no_bytes_when_read_should_say_that_it_is_empty() {
    demand(b"", PARTITION, &["the recording is empty", "some.jsonl"]);
    demand(b"\n\n", PARTITION, &["the recording is empty"]);
}

#[test]
fn given_a_cut_recording_when_read_should_name_the_line() {
    let text = text("in-process/e7_manual");
    let cut = &text[..text.len() - 40];
    demand(cut.as_bytes(), PARTITION, &["the recording is cut", "some.jsonl:12:1"]);
    let cut_and_ended = format!("{cut}\n");
    demand(cut_and_ended.as_bytes(), PARTITION, &["the line is cut", "some.jsonl:12:"]);
}

#[test]
fn given_no_json_when_read_should_name_line_and_column() {
    let text = changed("in-process/e7_manual", 3, "\"ok\": true", "\"ok\" true");
    demand(text.as_bytes(), PARTITION, &["this is no JSON", "some.jsonl:3:18"]);
}

#[test]
fn given_a_misspelt_op_when_read_should_name_the_nearest() {
    let text = changed("in-process/e7_manual", 5, "\"purge\"", "\"purje\"");
    demand(text.as_bytes(), PARTITION, &["`purje`", "some.jsonl:5:", "did you mean `purge`?"]);
}

#[test]
fn given_an_unknown_field_when_read_should_name_the_nearest() {
    let text = changed("in-process/e7_manual", 2, "\"count\"", "\"cuont\"");
    demand(text.as_bytes(), PARTITION, &["`cuont`", "some.jsonl:2:", "did you mean `count`?"]);
    let text = changed("in-process/e7_manual", 7, "\"queued\"", "\"queud\"");
    demand(text.as_bytes(), PARTITION, &["`queud`", "some.jsonl:7:", "did you mean `queued`?"]);
}

#[test]
fn given_a_recording_that_is_not_in_the_manifest_when_read_should_demand_format_and_boundary() {
    let text = changed("in-process/e7_manual", 2, "\"count\": 3", "\"count\": 4");
    demand(text.as_bytes(), Declared::default(), &["not in the manifest", "--recording-format", "--boundary"]);
}

#[test]
fn given_an_unknown_format_or_boundary_when_read_should_name_the_accepted_ones() {
    let declared = Declared::default();
    let format = "{\"format\":\"fencepost-recording/2\",\"boundary\":\"partition\"}\n{}\n";
    demand(format.as_bytes(), declared, &["unknown format", "some.jsonl:1:12", "fencepost-recording/1"]);
    let boundary = "{\"format\":\"fencepost-recording/1\",\"boundary\":\"partitoin\"}\n{}\n";
    demand(boundary.as_bytes(), declared, &["some.jsonl:1:", "did you mean `partition`?"]);
    let contradiction = Declared { boundary: Some(Boundary::Server), ..declared };
    let header = "{\"format\":\"fencepost-recording/1\",\"boundary\":\"partition\"}\n{}\n";
    demand(header.as_bytes(), contradiction, &["the boundary is `partition` here"]);
}

#[test]
fn given_too_much_when_read_should_name_the_limit() {
    let open = "{\"request\":{\"op\":\"open\"},\"answer\":{\"ok\":true}}\n";
    let observe = "{\"request\":{\"op\":\"observe\"},\"answer\":{\"ok\":true}}\n";
    let long = format!("{open}{}", observe.repeat(10_000));
    demand(long.as_bytes(), PARTITION, &["more than 10000 lines", "some.jsonl:10001:1"]);
    let text = changed("in-process/e7_manual", 4, "[2, \"h1-2\"]", "[60, \"h1-2\"]");
    demand(text.as_bytes(), PARTITION, &["offset 60 is too large", "some.jsonl:4:"]);
    let text = changed("in-process/e7_manual", 2, "\"count\": 3", "\"count\": 201");
    demand(text.as_bytes(), PARTITION, &["at most 200 messages", "some.jsonl:2:"]);
    demand(&vec![b' '; (16 << 20) + 1], PARTITION, &["more than 16 MiB"]);
}

#[test]
fn given_a_second_group_when_read_should_say_that_there_may_be_one() {
    let text = changed("in-process/e2_group", 10, "\"group\": \"g\"", "\"group\": \"other\"");
    demand(text.as_bytes(), PARTITION, &["second group", "some.jsonl:10:"]);
}

#[test]
fn given_a_step_that_is_not_supported_when_read_should_say_so() {
    let text = changed("in-process/e7_manual", 5, "\"purge\"", "\"purge_begin\"");
    demand(text.as_bytes(), PARTITION, &["a purge in steps is not supported", "some.jsonl:5:1"]);
}

#[test]
fn given_a_read_that_there_is_not_when_followed_should_name_the_nearest() {
    let text = changed("in-process/e7_manual", 4, "\"p1\"", "\"p2\"");
    let contract = fencepost_spec::library::contract("iggy-2026-08").expect("a contract");
    let problem = follow(&support::partition(&text), &contract, &Options::default()).expect_err("a problem");
    let problem = problem.to_string();
    assert!(problem.contains("no read named `p2`") && problem.contains("did you mean `p1`?"), "{problem}");
    assert!(problem.contains("changed.jsonl:4:1"), "{problem}");
}

#[test]
fn given_a_broken_manifest_when_parsed_should_name_place_and_nearest() {
    let entry = "format = \"fencepost-manifest/1\"\n[[recording]]\npath = \"a\"\nformat = \"iggy-partition/1\"\nboundary = \"partition\"\ncontract = \"iggy-2026-08\"\nlines = 1\nsha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"\nshows = \"x\"\n";
    assert_eq!(manifest::parse("m.toml", entry).expect("a manifest").len(), 1);
    let demand = |from: &str, to: &str, texts: &[&str]| {
        let problem = manifest::parse("m.toml", &entry.replacen(from, to, 1)).expect_err("a problem").to_string();
        for text in texts {
            assert!(problem.contains(text), "`{text}` is not in:\n{problem}");
        }
    };
    demand("boundary", "boundry", &["m.toml:5:1", "did you mean `boundary`?"]);
    demand("iggy-2026-08", "iggy-2026-80", &["m.toml:6:12", "did you mean `iggy-2026-08`?"]);
    demand("0000", "000", &["m.toml:8:10", "no SHA-256"]);
    demand("fencepost-manifest/1", "fencepost-manifest/2", &["m.toml:1:10", "fencepost-manifest/1"]);
}
