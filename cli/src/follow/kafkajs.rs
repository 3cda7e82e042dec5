//! Recordings of the KafkaJS driver, followed under contracts of their family.

use fencepost_conformance::kafkajs::change::{all_words, words};
use fencepost_conformance::kafkajs::recording::{self, Recording, Refused};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::kafkajs::KafkaJs;
use serde::Serialize;

use crate::output::counted;

/// A recording with what came of it under each contract.
pub(super) struct Followed {
    recording: Recording,
    results: Vec<(String, Option<Refused>)>,
}

impl Followed {
    /// Follows a recording.
    pub(super) fn of(file: &str, bytes: &[u8], contracts: &[Contract<KafkaJs>]) -> Result<Self, Problem> {
        let recording = Recording::read(file, bytes)?;
        if contracts.is_empty() {
            let message = format!("`{file}` is a recording of kafkajs, and no contract of that family is named");
            return Err(Problem::new(message).with_help("say --contract NAME, for example kafkajs-guard"));
        }
        let follow = |contract: &Contract<KafkaJs>| {
            Ok((contract.name.clone(), recording::follow(&recording, &contract.choices)?))
        };
        let results = contracts.iter().map(follow).collect::<Result<_, Problem>>()?;
        Ok(Self { recording, results })
    }

    /// Whether each contract allows it.
    pub(super) fn allowed(&self) -> impl Iterator<Item = bool> {
        self.results.iter().map(|(_, refused)| refused.is_none())
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let Recording { file, header, .. } = &self.recording;
        let steps = counted(self.recording.len(), "step");
        let mut text = format!("{file} (kafkajs {}, level {}, {steps})\n", header.package, header.level);
        for (contract, refused) in &self.results {
            match refused {
                None => text.push_str(&format!("  {contract}: allowed\n")),
                Some(refused) => text.push_str(&refused_text(contract, refused)),
            }
        }
        text + "\n"
    }

    /// For programs.
    pub(super) fn json(&self) -> impl Iterator<Item = FollowedJson> {
        self.results.iter().map(|(contract, refused)| FollowedJson {
            recording: self.recording.file.clone(),
            family: "kafkajs",
            contract: contract.clone(),
            allowed: refused.is_none(),
            line: refused.as_ref().map(|refused| refused.line),
            kind: refused.as_ref().map(kind),
            clause: refused.as_ref().and_then(Refused::clause).map(|clause| clause.word()),
            reason: refused
                .as_ref()
                .and_then(|refused| refused.difference.as_ref())
                .map(|difference| format!("allowed is {}, seen is {}", difference.allowed, difference.seen)),
            changes: refused.iter().flat_map(|refused| &refused.changes).map(|change| words(*change)).collect(),
        })
    }
}

fn kind(refused: &Refused) -> &'static str {
    refused.difference.as_ref().map_or("step-not-in-contract", |difference| difference.kind)
}

fn refused_text(contract: &str, refused: &Refused) -> String {
    let by = refused.clause().map_or_else(String::new, |clause| format!(", forbidden by {clause}"));
    let mut text = format!("  {contract}: not allowed at line {}: {}{by}\n", refused.line, kind(refused));
    if let Some(difference) = &refused.difference {
        text.push_str(&format!("    seen: {}\n    allowed: {}\n", difference.seen, difference.allowed));
    }
    if !refused.changes.is_empty() {
        text.push_str(&format!("    the contract would allow it {}\n", all_words(&refused.changes)));
    }
    text
}

/// One result, ready to be serialised.
#[derive(Serialize)]
pub(super) struct FollowedJson {
    recording: String,
    family: &'static str,
    contract: String,
    allowed: bool,
    line: Option<usize>,
    kind: Option<&'static str>,
    clause: Option<&'static str>,
    reason: Option<String>,
    changes: Vec<String>,
}
