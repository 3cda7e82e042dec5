//! What `--driver kafkajs` takes, and what it has no use for.

use std::path::PathBuf;

use clap::Args;
use fencepost_spec::diagnostic::Problem;

use super::super::{Compared, ReplayArguments};
use crate::exploring::EngineName;

/// What `--driver kafkajs` takes beside the rest.
#[derive(Args, Clone, Debug, Default)]
pub struct KafkaJsArguments {
    /// For `--driver kafkajs`: only this version of the package (may be repeated)
    #[arg(long = "package", value_name = "VERSION")]
    pub packages: Vec<String>,
    /// For `--driver kafkajs`: only this level (may be repeated): 1 is the class OffsetManager, 2 the whole Consumer; 3 is that over
    /// TCP, and goes alone [default: 1 and 2]
    #[arg(long = "level", value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(1..=3))]
    pub levels: Vec<u8>,
    /// For `--level 3`: how often each schedule is run [default: 2]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..))]
    pub runs: Option<u8>,
    /// For `--driver kafkajs`: known deviations are differences like others, and are told at length
    #[arg(long)]
    pub strict: bool,
    /// For `--driver kafkajs`: replay each version in the contract that is its own, in which it has to agree
    #[arg(long, conflicts_with_all = ["strict", "contracts"])]
    pub own: bool,
    /// For `--driver kafkajs`: write a program for each clause that is broken to this folder, which anybody can run alone
    #[arg(long, value_name = "FOLDER")]
    pub scripts: Option<PathBuf>,
    /// For `--driver kafkajs`: write the page of results to this file; every version is then replayed in its own contract, too. With
    /// `--level 3` it is the page of that level
    #[arg(long, value_name = "FILE", conflicts_with_all = ["own", "strict", "packages", "views", "contracts", "cover"])]
    pub results: Option<PathBuf>,
}

impl KafkaJsArguments {
    /// The first of these arguments that was given, for drivers that have no use for it.
    pub(in crate::replay) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--package", !self.packages.is_empty()),
            ("--level", !self.levels.is_empty()),
            ("--runs", self.runs.is_some()),
            ("--strict", self.strict),
            ("--own", self.own),
            ("--scripts", self.scripts.is_some()),
            ("--results", self.results.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// What is wrong with these arguments without `--level 3`.
    pub(super) fn only_for_tcp(&self) -> Option<&'static str> {
        if self.runs.is_some() {
            return Some("`--runs` is for `--level 3`: at the other levels a run is like any other");
        }
        (self.results.is_some() && !self.levels.is_empty()).then_some("the page of results is about levels 1 and 2")
    }
}

/// Refuses what this driver has no use for: nothing that was asked for is left undone in silence.
pub(super) fn demand_use(arguments: &ReplayArguments) -> Result<(), Problem> {
    let ReplayArguments { exploring, .. } = arguments;
    let given = [
        ("--images", arguments.images.images.is_some()),
        ("--shard", arguments.shard.is_some()),
        ("--resume", arguments.resume.is_some()),
        ("--audit", arguments.audit.is_some()),
        ("--exact-codes", arguments.exact_codes),
        ("--compare", arguments.compare != Compared::Everything),
        ("--engine", exploring.engine != EngineName::Compiled),
        ("--max-states", exploring.max_states.is_some()),
        ("--max-time", exploring.max_time.is_some()),
        ("--max-memory", exploring.max_memory.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Problem::new(format!("`--driver kafkajs` has no use for `{name}`"))
            .with_help("it replays every way of its views; --package, --level and --view choose among them")),
    }
}
