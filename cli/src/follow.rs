//! `fencepost follow`: could an implementation that obeys a contract have been recorded like this?

mod json;
mod text;

use std::fs::File;
use std::io::Read;

use clap::Args;
use fencepost_conformance::follow::{Followed, Options, follow};
use fencepost_conformance::recording::{Boundary, Declared, MOST_BYTES, Recording, RecordingFormat};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;
use crate::output::{self, Format};
use crate::{interrupt, select};

/// The arguments of `fencepost follow`.
#[derive(Args, Clone, Debug)]
pub struct FollowArguments {
    /// Recordings (JSON Lines)
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// The contract to follow under, by name or file [default: the one that the manifest names] (may be repeated)
    #[arg(long = "contract", value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// A differing code is not allowed, even if it says the same to a client
    #[arg(long)]
    pub exact_codes: bool,
    /// The format of recordings that are not in the manifest
    #[arg(long, value_name = "FORMAT")]
    pub recording_format: Option<RecordingFormat>,
    /// Where the requests of recordings that are not in the manifest enter: partition or server
    #[arg(long, value_name = "BOUNDARY")]
    pub boundary: Option<Boundary>,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// Everything that a report tells: each recording with what came of it under each contract.
struct Report {
    recordings: Vec<(Recording, Vec<Followed>)>,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &FollowArguments) -> Result<ExitStatus, Problem> {
    let declared = Declared { format: arguments.recording_format, boundary: arguments.boundary };
    let named = arguments.contracts.iter().map(|name| select::contract(name, "follow")).collect::<Result<Vec<_>, _>>()?;
    let read = |file: &String| Recording::read(file, &bytes(file)?, declared);
    let recordings = arguments.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let options = Options { exact_codes: arguments.exact_codes, interrupt: interrupt::flag()? };
    let mut report = Report { recordings: Vec::new() };
    for recording in recordings {
        let own = if named.is_empty() { vec![own_contract(&recording)?] } else { Vec::new() };
        let contracts = named.iter().chain(&own);
        let results =
            contracts.map(|contract| follow(&recording, contract, &options)).collect::<Result<Vec<_>, _>>()?;
        report.recordings.push((recording, results));
    }
    let printed = output::print(&match arguments.format {
        Format::Text => text::report(&report),
        Format::Json => output::json(&json::report(&report)),
    });
    Ok(report.status().max(printed))
}

/// The contract of the implementation that was recorded.
fn own_contract(recording: &Recording) -> Result<Contract, Problem> {
    match &recording.entry {
        Some(entry) => select::contract(&entry.contract, "follow"),
        None => Err(Problem::new(format!("`{}` is not in the manifest, so its contract is not known", recording.file))
            .with_help("say --contract NAME; `fencepost check` lists them")),
    }
}

/// The bytes of a file, as far as they may be too many.
fn bytes(path: &str) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| Problem::new(format!("cannot read `{path}`: {error}")))?;
    Ok(bytes)
}

impl Report {
    fn results(&self) -> impl Iterator<Item = &Followed> {
        self.recordings.iter().flat_map(|(_, results)| results)
    }

    fn status(&self) -> ExitStatus {
        let status = |followed: &Followed| match (&followed.divergence, &followed.stopped) {
            (Some(_), _) => ExitStatus::NotAsExpected,
            (None, Some(_)) => ExitStatus::Stopped,
            (None, None) => ExitStatus::AsExpected,
        };
        self.results().map(status).max().unwrap_or(ExitStatus::AsExpected)
    }
}
