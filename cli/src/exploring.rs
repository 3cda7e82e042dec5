//! The options that every command which explores has in common.

use std::io::IsTerminal;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use fencepost_checker::actor_system::ActorSystem;
use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Exploration, Limits, Progress, Quiet, Task};
use fencepost_checker::guide::Guide;
use fencepost_checker::plain::Plain;
use fencepost_checker::progress::TerminalProgress;
use fencepost_models::family::BoundsSet;

/// How to explore, and when to stop.
#[derive(Args, Clone, Debug)]
pub struct ExploringArguments {
    /// How large the views are: quick (seconds), ci (a minute or two) or deep (a night)
    #[arg(long, value_name = "SIZE", default_value = "quick")]
    pub bounds: BoundsSet,
    /// Worker threads; the result does not depend on them [default: as many as the machine has]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<NonZeroUsize>,
    /// The engine; all give the same results
    #[arg(long, value_enum, default_value_t = EngineName::Compiled)]
    pub engine: EngineName,
    /// Stop each exploration after this many states
    #[arg(long, value_name = "NUMBER")]
    pub max_states: Option<NonZeroU64>,
    /// Stop the whole command after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub max_time: Option<NonZeroU64>,
    /// Stop when the process holds this much memory, for example 2GiB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub max_memory: Option<u64>,
}

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// Exact, by look-ups: reactions are computed once and remembered
    Compiled,
    /// Exact, over whole states: slower, and simple enough to be the referee
    Plain,
}

impl EngineName {
    /// The name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Compiled => "compiled",
            Self::Plain => "plain",
        }
    }

    /// Explores with this engine.
    pub fn explore<M: ActorSystem, G: Guide<M>>(self, task: &Task<'_, M, G>) -> Exploration<M, G> {
        match self {
            Self::Compiled => COMPILED.explore(task),
            Self::Plain => Plain.explore(task),
        }
    }
}

/// The compiled engine; the models have no boundary, only budgets.
pub(crate) const COMPILED: Compiled = Compiled { is_unbounded: true };

impl ExploringArguments {
    /// The number of threads to use.
    pub fn threads(&self) -> usize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// The limits, counted from now.
    pub fn budget(&self, interrupt: Arc<AtomicBool>) -> Budget {
        let limits = Limits {
            max_states: self.max_states.map(NonZeroU64::get),
            max_memory_bytes: self.max_memory,
            interrupt,
            ..Limits::default()
        };
        let deadline = self.max_time.and_then(|time| Instant::now().checked_add(Duration::from_secs(time.get())));
        Budget { limits, deadline }
    }
}

/// Limits for several explorations that share one deadline.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    limits: Limits,
    deadline: Option<Instant>,
}

impl Budget {
    /// The limits of an exploration that starts now.
    pub fn limits(&self) -> Limits {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Limits { max_time: self.deadline.map(left), ..self.limits.clone() }
    }
}

/// The units of a size, longer ones first where one ends like another.
const UNITS: &[(&str, u64)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// Reads a size such as `512MiB` or `2GB`, in bytes.
///
/// # Errors
/// What would be accepted.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let unit = UNITS.iter().find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, *bytes)));
    let (number, bytes) = unit.unwrap_or((text, 1));
    let parsed = number.trim_end().parse::<u64>().ok().and_then(|number| number.checked_mul(bytes));
    parsed.filter(|size| *size > 0).ok_or_else(|| {
        "accepted: a whole number above zero, in bytes or with KiB, MiB, GiB, TiB, KB, MB, GB or TB, such as 2GiB"
            .to_owned()
    })
}

/// Progress of one exploration on a terminal, named by its contract and its view or scenario; quiet in a pipe.
pub fn terminal_progress(contract: &str, of: &str) -> Box<dyn Progress> {
    if std::io::stderr().is_terminal() {
        Box::new(TerminalProgress::labelled(&format!("{contract} {of}")))
    } else {
        Box::new(Quiet)
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn given_sizes_when_read_should_be_bytes() {
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert_eq!(parse_size("3 MB"), Ok(3_000_000));
        assert_eq!(parse_size("17"), Ok(17));
    }

    #[test]
    fn given_no_sizes_when_read_should_be_refused() {
        for text in ["", "GiB", "2Gb", "-1", "1.5GiB", "0", "99999999999TiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
