//! The recordings that are known: what they show, and where they come from.
//!
//! A recording is recognised by the SHA-256 of its bytes, never by its path.

use fencepost_spec::diagnostic::{Problem, nearest, parse_toml};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use toml::Spanned;

use crate::recording::{Boundary, RecordingFormat};

/// The `format` of a manifest.
pub const MANIFEST_FORMAT: &str = "fencepost-manifest/1";

/// The manifest of the shipped recordings.
const SHIPPED: &str = include_str!("../recordings/manifest.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestFile {
    format: Spanned<String>,
    recording: Vec<Spanned<EntryFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFile {
    path: String,
    format: RecordingFormat,
    boundary: Boundary,
    contract: Spanned<String>,
    lines: usize,
    sha256: Spanned<String>,
    shows: String,
    hazard: Option<String>,
}

/// One known recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it lies, relative to the manifest.
    pub path: String,
    /// Its format.
    pub format: RecordingFormat,
    /// Where its requests enter.
    pub boundary: Boundary,
    /// The contract of the implementation that was recorded.
    pub contract: String,
    /// Number of lines.
    pub lines: usize,
    /// SHA-256 of the bytes, in hexadecimal digits.
    pub sha256: String,
    /// What it shows, in words.
    pub shows: String,
    /// The hazard of the research notes that it demonstrates, if it does.
    pub hazard: Option<String>,
}

/// The entries of the shipped manifest.
///
/// # Errors
/// A [`Problem`], if the shipped manifest is broken; a test excludes that.
pub fn shipped() -> Result<Vec<Entry>, Problem> {
    parse("conformance/recordings/manifest.toml", SHIPPED)
}

/// The entry of a recording with these bytes, if they are known.
///
/// # Errors
/// A [`Problem`], if the shipped manifest is broken.
pub fn entry_of(bytes: &[u8]) -> Result<Option<Entry>, Problem> {
    let digest = digest(bytes);
    Ok(shipped()?.into_iter().find(|entry| entry.sha256 == digest))
}

/// SHA-256 in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a manifest strictly.
///
/// # Errors
/// A [`Problem`] with file, line, column and the nearest word that would be accepted.
pub fn parse(file: &str, text: &str) -> Result<Vec<Entry>, Problem> {
    let parsed: ManifestFile = parse_toml(file, text)?;
    if parsed.format.get_ref() != MANIFEST_FORMAT {
        let message = format!("unknown format `{}`", parsed.format.get_ref());
        return Err(
            Problem::at(file, text, parsed.format.span(), message).with_help(format!("accepted: {MANIFEST_FORMAT}"))
        );
    }
    let mut entries: Vec<Entry> = Vec::new();
    for entry in parsed.recording {
        entries.push(checked(file, text, entry, &entries)?);
    }
    Ok(entries)
}

fn checked(file: &str, text: &str, entry: Spanned<EntryFile>, before: &[Entry]) -> Result<Entry, Problem> {
    let entry = entry.into_inner();
    let contract = entry.contract.get_ref().as_str();
    let known = fencepost_spec::library::CONTRACTS.iter().map(|(name, _)| *name);
    if !known.clone().any(|name| name == contract) {
        let problem = Problem::at(file, text, entry.contract.span(), format!("there is no contract `{contract}`"));
        return Err(match nearest(contract, known.clone()) {
            Some(word) => problem.with_help(format!("did you mean `{word}`?")),
            None => problem.with_help(format!("accepted: {}", known.collect::<Vec<_>>().join(", "))),
        });
    }
    let digest = entry.sha256.get_ref();
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_digest {
        return Err(Problem::at(file, text, entry.sha256.span(), "this is no SHA-256")
            .with_help("accepted: 64 hexadecimal digits, small letters"));
    }
    if let Some(other) = before.iter().find(|other| other.sha256 == *digest) {
        let message = format!("the bytes of `{}` are listed already", other.path);
        return Err(Problem::at(file, text, entry.sha256.span(), message));
    }
    Ok(Entry {
        path: entry.path,
        format: entry.format,
        boundary: entry.boundary,
        contract: entry.contract.into_inner(),
        lines: entry.lines,
        sha256: entry.sha256.into_inner(),
        shows: entry.shows,
        hazard: entry.hazard,
    })
}
