//! Shipped recordings, and changed ones.
#![allow(dead_code, reason = "not every test file uses everything")]

use fencepost_conformance::follow::{Followed, Options, follow};
use fencepost_conformance::recording::{Boundary, Declared, Recording, RecordingFormat};
use fencepost_spec::library;

/// The text of a shipped recording, by its path without the ending.
pub fn text(name: &str) -> String {
    let path = format!("{}/recordings/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a shipped recording")
}

/// A shipped recording.
pub fn shipped(name: &str) -> Recording {
    Recording::read(name, text(name).as_bytes(), Declared::default()).expect("a readable recording")
}

/// A recording that the manifest does not know.
pub fn partition(text: &str) -> Recording {
    let declared = Declared { format: Some(RecordingFormat::IggyPartition), boundary: Some(Boundary::Partition) };
    Recording::read("changed.jsonl", text.as_bytes(), declared).expect("a readable recording")
}

/// The same at the boundary `server`.
pub fn server(text: &str) -> Recording {
    let declared = Declared { format: Some(RecordingFormat::IggyServer), boundary: Some(Boundary::Server) };
    Recording::read("changed.jsonl", text.as_bytes(), declared).expect("a readable recording")
}

/// Follows a recording under a built-in contract.
pub fn followed(recording: &Recording, contract: &str) -> Followed {
    let contract = library::contract(contract).expect("a contract");
    follow(recording, &contract, &Options::default()).expect("a recording that can be followed")
}

/// Line, kind and clause of a divergence, or `None` if the recording is allowed.
pub fn divergence(recording: &Recording, contract: &str) -> Option<(usize, String, Option<&'static str>)> {
    let followed = followed(recording, contract);
    assert_eq!(followed.stopped, None);
    followed.divergence.map(|it| (it.line, it.kind.to_string(), it.blame.word()))
}

/// A shipped recording with one change in one line.
pub fn changed(name: &str, line: usize, from: &str, to: &str) -> String {
    let text = text(name);
    let change = |(index, row): (usize, &str)| {
        if index + 1 != line {
            return format!("{row}\n");
        }
        assert!(row.contains(from), "{from} is not in line {line} of {name}: {row}");
        format!("{}\n", row.replacen(from, to, 1))
    };
    text.lines().enumerate().map(change).collect()
}
