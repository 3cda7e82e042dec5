//! Recordings: JSON Lines, one `{"request": ..., "answer": ...}` a line, read strictly and with limits.
//!
//! [`partition`] and [`server`] are the two vocabularies, [`mod@line`] turns text into one of their lines.

pub mod answers;
pub mod line;
pub mod partition;
pub mod server;

use fencepost_spec::diagnostic::Problem;
use serde::Deserialize;

use crate::manifest::{self, Entry};

pub use line::{Line, Step};

/// The most bytes of a recording.
pub const MOST_BYTES: usize = 16 << 20;
/// The most lines of a recording.
pub const MOST_LINES: usize = 10_000;
/// Offsets must be less than this: the models note which of them were served in a word of 64 bits.
pub const OFFSETS: u64 = 60;
/// The most messages that a recording may send altogether.
pub const MOST_MESSAGES: u64 = 200;
/// The most purges, joins and leaves of a recording.
pub const MOST_COMMANDS: usize = 200;
/// The most clients (consumers and members) of a recording.
pub const MOST_CLIENTS: usize = 16;

fencepost_spec::words! {
    /// The format of a recording.
    pub enum RecordingFormat {
        /// Transcripts of the partition code itself.
        IggyPartition = "iggy-partition/1",
        /// Transcripts of a running server.
        IggyServer = "iggy-server/1",
        /// The neutral format: a first line that names format and boundary, then lines of that boundary's vocabulary.
        Fencepost = "fencepost-recording/1",
    }
}

fencepost_spec::words! {
    /// Where the requests of a recording enter.
    pub enum Boundary {
        /// At the owner of the partition, behind the gateway.
        Partition = "partition",
        /// At the gateway.
        Server = "server",
    }
}

/// What the user says about a recording that the manifest does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The format.
    pub format: Option<RecordingFormat>,
    /// The boundary.
    pub boundary: Option<Boundary>,
}

/// A recording that was read.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name of the file, as the user gave it.
    pub file: String,
    /// The text.
    pub text: String,
    /// The format.
    pub format: RecordingFormat,
    /// Where its requests enter.
    pub boundary: Boundary,
    /// The lines with a request, numbered as in the file.
    pub lines: Vec<Line>,
    /// SHA-256 of the bytes.
    pub sha256: String,
    /// What the manifest knows; without an entry it is not known whether the recording is complete.
    pub entry: Option<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    boundary: String,
}

impl Recording {
    /// Reads a recording.
    ///
    /// # Errors
    /// A [`Problem`] with file, line and column: the recording is empty, cut, too large, of unknown format, or has a line
    /// that is not understood; or neither the manifest nor `declared` says what it is.
    pub fn read(file: &str, bytes: &[u8], declared: Declared) -> Result<Self, Problem> {
        if bytes.len() > MOST_BYTES {
            return Err(Problem::new(format!("`{file}` has more than {} MiB", MOST_BYTES >> 20)));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Problem::new(format!("`{file}` is no text in UTF-8 (byte {})", error.valid_up_to() + 1))
        })?;
        let rows = rows(file, text)?;
        let entry = manifest::entry_of(bytes)?;
        let (format, boundary, first) = kind(file, text, &rows, entry.as_ref(), declared)?;
        let parsed = rows[first..].iter().map(|row| line::parse(file, text, row, boundary));
        let lines = parsed.collect::<Result<Vec<_>, _>>()?;
        if lines.is_empty() {
            return Err(Problem::new(format!("`{file}` has no line with a request")));
        }
        line::demand_limits(file, text, &lines)?;
        let sha256 = manifest::digest(bytes);
        Ok(Self { file: file.to_owned(), text: text.to_owned(), format, boundary, lines, sha256, entry })
    }

    /// The bytes of a line, for messages.
    pub fn place_of(&self, line: usize) -> std::ops::Range<usize> {
        self.lines.iter().find(|other| other.number == line).map_or(0..0, |line| line.span.clone())
    }
}

/// One line of text: its number from 1, and where it is.
pub(crate) struct Row {
    pub(crate) number: usize,
    pub(crate) span: std::ops::Range<usize>,
}

fn rows(file: &str, text: &str) -> Result<Vec<Row>, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::at(file, text, 0..0, "the recording is empty"));
    }
    let mut rows = Vec::new();
    let mut start = 0;
    for (index, row) in text.split_inclusive('\n').enumerate() {
        let end = start + row.trim_end_matches(['\n', '\r']).len();
        if index >= MOST_LINES {
            return Err(Problem::at(file, text, start..end, format!("the recording has more than {MOST_LINES} lines")));
        }
        if !row.ends_with('\n') {
            return Err(Problem::at(file, text, start..end, "the recording is cut: its last line has no end")
                .with_help("every line of a complete recording ends with a line end"));
        }
        rows.push(Row { number: index + 1, span: start..end });
        start += row.len();
    }
    Ok(rows)
}

/// Format, boundary, and the number of header lines.
fn kind(
    file: &str,
    text: &str,
    rows: &[Row],
    entry: Option<&Entry>,
    declared: Declared,
) -> Result<(RecordingFormat, Boundary, usize), Problem> {
    if let Some(entry) = entry {
        return Ok((entry.format, entry.boundary, usize::from(entry.format == RecordingFormat::Fencepost)));
    }
    let first = &rows[0];
    let has_header = line::value(file, text, first)?.get("format").is_some();
    if has_header || declared.format == Some(RecordingFormat::Fencepost) {
        let boundary = header(file, text, first)?;
        if let Some(other) = declared.boundary.filter(|other| *other != boundary) {
            let message = format!("the boundary is `{boundary}` here, and `{other}` on the command line");
            return Err(Problem::at(file, text, first.span.clone(), message));
        }
        if let Some(other) = declared.format.filter(|other| *other != RecordingFormat::Fencepost) {
            let message = format!("this is no recording in the format `{other}`: it has a line that names its format");
            return Err(Problem::at(file, text, first.span.clone(), message));
        }
        return Ok((RecordingFormat::Fencepost, boundary, 1));
    }
    match (declared.format, declared.boundary) {
        (Some(format), Some(boundary)) => {
            let natural = match format {
                RecordingFormat::IggyPartition => Boundary::Partition,
                _ => Boundary::Server,
            };
            if natural != boundary {
                return Err(Problem::new(format!("recordings in the format `{format}` have the boundary `{natural}`")));
            }
            Ok((format, boundary, 0))
        }
        _ => Err(Problem::new(format!("`{file}` is not in the manifest, so its format and boundary are not known"))
            .with_help(format!(
                "say --recording-format ({}) and --boundary ({}), or begin the file with a line like {}",
                RecordingFormat::ALL.iter().map(|word| word.word()).collect::<Vec<_>>().join(", "),
                Boundary::ALL.iter().map(|word| word.word()).collect::<Vec<_>>().join(", "),
                r#"{"format":"fencepost-recording/1","boundary":"partition"}"#,
            ))),
    }
}

fn header(file: &str, text: &str, row: &Row) -> Result<Boundary, Problem> {
    let header: Header = line::typed(file, text, row, line::value(file, text, row)?)?;
    if header.format != RecordingFormat::Fencepost.word() {
        let message = format!("unknown format `{}`", header.format);
        return Err(line::problem(file, text, row, &header.format, message)
            .with_help(format!("accepted: {}", RecordingFormat::Fencepost)));
    }
    header.boundary.parse().map_err(|message: String| line::problem(file, text, row, &header.boundary, message))
}
