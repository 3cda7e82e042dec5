//! `fencepost traces`: the traces of a replay as files, for other tools and for drivers that read them.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fencepost_conformance::replay::file::{Header, TraceWriter, itf};
use fencepost_conformance::replay::trace::{Scribe, Trace};
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::Fields;
use fencepost_models::iggy::views::{View, views};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;

use crate::exit::ExitStatus;
use crate::exploring::ExploringArguments;
use crate::output::{self, grouped};
use crate::replay::ENDINGS;
use crate::replay::choose::{Choice, Wanted, choose};
use crate::{interrupt, select, whole_file};

/// The form of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// JSON Lines, `fencepost-trace/1`: one file a view
    Jsonl,
    /// The Informal Trace Format: one file a trace
    Itf,
}

/// The arguments of `fencepost traces`.
#[derive(Args, Clone, Debug)]
pub struct TracesArguments {
    /// The folder to write to; it is made if it is not there
    #[arg(long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// The contract, by name or file (may be repeated) [default: all that are built in]
    #[arg(long = "contract", value_name = "CONTRACT|FILE.toml")]
    pub contracts: Vec<String>,
    /// Only this view (may be repeated)
    #[arg(long = "view", value_name = "VIEW")]
    pub views: Vec<String>,
    /// Which traces: abstract, labels, label-pairs, transitions, orders or random
    #[arg(long, value_name = "COVER", default_value_t = Choice::Abstract)]
    pub cover: Choice,
    /// For `--cover random`: where the sequence of random numbers starts
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// For `--cover orders` and `random`: how many ways of each view
    #[arg(long, value_name = "NUMBER", default_value_t = 300)]
    pub ways: usize,
    /// The form of the files
    #[arg(long, value_enum, default_value_t = TraceFormat::Jsonl)]
    pub format: TraceFormat,
    /// How to explore
    #[command(flatten)]
    pub exploring: ExploringArguments,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input, or with a file that cannot be written.
pub fn run(arguments: &TracesArguments) -> Result<ExitStatus, Problem> {
    let contracts = select::contracts(&arguments.contracts, "traces")?;
    let wanted = arguments.views.iter().map(|name| select::view(name)).collect::<Result<Vec<_>, _>>()?;
    let budget = arguments.exploring.budget(interrupt::flag()?);
    fs::create_dir_all(&arguments.output).map_err(|error| unwritable(&arguments.output, &error))?;
    let mut text = String::new();
    for contract in &contracts {
        let mut shown = HashSet::new();
        let all = views(arguments.exploring.bounds, &contract.choices);
        for view in all.iter().filter(|view| wanted.is_empty() || wanted.contains(&view.name)) {
            let chosen = Wanted {
                cover: arguments.cover,
                seed: arguments.seed,
                ways: arguments.ways,
                threads: arguments.exploring.threads(),
                limits: budget.limits(),
            };
            let ways = choose(contract, view, &chosen, &mut shown).ways;
            let walker = Walker::new(&contract.name, &contract.choices, &view.bounds);
            let scribe = Scribe::new(&walker, Fields::all(), true);
            let traces =
                ways.iter().flat_map(|(initial, way)| scribe.traces(*initial, way, ENDINGS).unwrap_or_default());
            let traces = write(arguments, contract, view, &walker, traces)?;
            text += &format!("{}@{}: {} traces\n", contract.name, view.name, grouped(traces));
        }
    }
    Ok(output::print(&text))
}

/// Writes the traces of a view; how many they are.
fn write(
    arguments: &TracesArguments,
    contract: &Contract,
    view: &View,
    walker: &Walker,
    traces: impl Iterator<Item = Trace>,
) -> Result<u64, Problem> {
    let bounds = arguments.exploring.bounds.to_string();
    let cover = arguments.cover.to_string();
    let header = Header::new(&contract.name, view.name, &bounds, &cover, walker.world.clone());
    let path = |ending: &str| arguments.output.join(format!("{}@{}{ending}", contract.name, view.name));
    let mut count = 0;
    match arguments.format {
        TraceFormat::Jsonl => {
            let path = path(".trace.jsonl");
            let file = File::create(&path).map_err(|error| unwritable(&path, &error))?;
            let failed = |error: &dyn std::fmt::Display| unwritable(&path, error);
            let mut writer = TraceWriter::new(BufWriter::new(file), &header).map_err(|error| failed(&error))?;
            for trace in traces {
                writer.write(&trace).map_err(|error| failed(&error))?;
                count += 1;
            }
            let mut file = writer.finish().map_err(|error| failed(&error))?;
            file.flush().map_err(|error| failed(&error))?;
        }
        TraceFormat::Itf => {
            for trace in traces {
                count += 1;
                let path = path(&format!("-{count:05}.itf.json"));
                let number = usize::try_from(count).unwrap_or(usize::MAX);
                let text = itf(&header, &trace, number).map_err(|error| unwritable(&path, &error))?;
                whole_file::replace(&path, &text).map_err(|error| unwritable(&path, &error))?;
            }
        }
    }
    Ok(count)
}

fn unwritable(path: &Path, error: &dyn std::fmt::Display) -> Problem {
    Problem::new(format!("cannot write `{}`: {error}", path.display()))
}
