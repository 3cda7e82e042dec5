//! Contestants that are other tools: TLC and Spin, on the twins of the core in the folder `peers`.

mod child;
mod spin;
mod tlc;
mod tools;

use crate::contestant::Contestant;
use crate::engine::{EngineName, Goal};
use crate::failure::Failure;
use crate::measurement::Measurement;
use crate::subject::{Scale, Subject};

pub use tools::{spin_version, tlc_version};

/// Explores a subject by another tool, in a temporary folder.
pub fn run(contestant: &Contestant) -> Result<Measurement, Failure> {
    let Subject::Core(scale, is_fenced) = contestant.subject else {
        return Err(Failure::wrong(format!("{} has no twin of {}", contestant.engine.name(), contestant.subject)));
    };
    let task = PeerTask { scale, is_fenced, is_judged: is_fenced || contestant.goal == Goal::FirstBreach };
    match contestant.engine {
        EngineName::Tlc => tlc::run(&task, contestant.threads),
        engine if contestant.threads == 1 => spin::run(&task, engine),
        engine => Err(Failure::wrong(format!("{} runs on one thread here", engine.name()))),
    }
}

/// What another tool is to do.
struct PeerTask {
    /// The size.
    scale: Scale,
    /// Whether the fences are there.
    is_fenced: bool,
    /// Whether a foreign bookmark ends the exploration.
    is_judged: bool,
}
