//! `fencepost follow`: could an implementation that obeys a contract have been recorded like this?

mod json;
mod kafkajs;
mod text;

use std::fs::File;
use std::io::Read;

use clap::Args;
use fencepost_conformance::follow::{Followed, Options, follow};
use fencepost_conformance::kafkajs::recording;
use fencepost_conformance::recording::{Boundary, Declared, MOST_BYTES, Recording, RecordingFormat};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;
use crate::interrupt;
use crate::output::{self, Format};
use crate::select::{self, Chosen};

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
    /// Recordings of the KafkaJS family.
    kafkajs: Vec<kafkajs::Followed>,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &FollowArguments) -> Result<ExitStatus, Problem> {
    let declared = Declared { format: arguments.recording_format, boundary: arguments.boundary };
    let named = if arguments.contracts.is_empty() { Chosen::default() } else { select::chosen(&arguments.contracts)? };
    let (mut recordings, mut of_kafkajs) = (Vec::new(), Vec::new());
    for file in &arguments.files {
        let bytes = bytes(file)?;
        if recording::is_one(&bytes) {
            of_kafkajs.push(kafkajs::Followed::of(file, &bytes, &named.kafkajs)?);
        } else {
            recordings.push(Recording::read(file, &bytes, declared)?);
        }
    }
    demand_use(&named, recordings.is_empty(), of_kafkajs.is_empty())?;
    let named = named.iggy;
    let options = Options { exact_codes: arguments.exact_codes, interrupt: interrupt::flag()? };
    let mut report = Report { recordings: Vec::new(), kafkajs: of_kafkajs };
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

/// A contract of a family of which there is no recording would be of no use.
fn demand_use(named: &Chosen, no_iggy: bool, no_kafkajs: bool) -> Result<(), Problem> {
    let iggy = named.iggy.first().filter(|_| no_iggy).map(|contract| (&contract.name, "iggy"));
    let kafkajs = named.kafkajs.first().filter(|_| no_kafkajs).map(|contract| (&contract.name, "kafkajs"));
    match iggy.or(kafkajs) {
        None => Ok(()),
        Some((name, family)) => {
            let message = format!("`{name}` is a contract of the family {family}, of which no recording is named");
            Err(Problem::new(message).with_help("name contracts of the family that was recorded"))
        }
    }
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
        let of_kafkajs = self.kafkajs.iter().flat_map(kafkajs::Followed::allowed);
        let of_kafkajs =
            of_kafkajs.map(|allowed| if allowed { ExitStatus::AsExpected } else { ExitStatus::NotAsExpected });
        self.results().map(status).chain(of_kafkajs).max().unwrap_or(ExitStatus::AsExpected)
    }
}
