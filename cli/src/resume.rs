//! Explorations that are kept in a folder, so that the same command goes on where it was ended: by Ctrl-C, a limit, or `kill -9`.
//!
//! Each view of each contract has a folder of its own, with the identity of everything that its levels depend on: the program, byte
//! by byte, the engine, the choices of the contract, and the bounds of the view. Levels of another exploration are never mixed in.

use std::io;
use std::path::{Path, PathBuf};

use fencepost_checker::archive::{Archive, ArchiveError};
use fencepost_checker::compiled::distributed::{Cluster, Distributed};
use fencepost_checker::engine::Exploration;
use fencepost_checker::guide::Unguided;
use fencepost_models::family::{BoundsSet, ModelledFamily, View};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::family::Choosing;
use sha2::{Digest, Sha256};

use crate::exit::ExitStatus;
use crate::exploring::{COMPILED, EngineName, ExploringArguments};
use crate::run::{ContractResult, RunOptions, TaskOf, run_contract_with};

/// Characters of a line of an identity that are shown where it differs.
const MOST_SHOWN: usize = 100;

/// A folder of explorations.
pub struct Resume {
    folder: PathBuf,
    bounds: BoundsSet,
    /// What tells this program from others.
    program: String,
}

/// Why a command that keeps its explorations cannot go on.
pub enum NotKept {
    /// What the folder holds is not of these explorations, or somebody else uses it.
    Unusable(Problem),
    /// A level cannot be written or read, on a full disk for example. What was kept before is kept.
    Failed(String),
}

impl NotKept {
    /// How the command ends: with a problem of its input, or stopped, which is printed here.
    ///
    /// # Errors
    /// The problem.
    pub fn status(self) -> Result<ExitStatus, Problem> {
        match self {
            Self::Unusable(problem) => Err(problem),
            Self::Failed(message) => {
                eprintln!(
                    "error: {message}\n  = help: what was explored before is kept: the same command goes on from there"
                );
                Ok(ExitStatus::Stopped)
            }
        }
    }
}

impl Resume {
    /// A folder for the explorations of a command, which is made if it is missing.
    ///
    /// # Errors
    /// A [`Problem`], if the folder cannot be made, or the engine keeps nothing.
    pub fn new(folder: &Path, exploring: &ExploringArguments) -> Result<Self, Problem> {
        if exploring.engine == EngineName::Plain {
            let message = format!("the engine {} cannot be resumed", exploring.engine.word());
            return Err(Problem::new(message).with_help("with --resume, use --engine compiled or timely"));
        }
        std::fs::create_dir_all(folder)
            .map_err(|error| Problem::new(format!("the folder `{}` cannot be made: {error}", folder.display())))?;
        let program = program().map_err(|error| {
            Problem::new(format!("this program cannot be read, to tell it from others that explored: {error}"))
        })?;
        Ok(Self { folder: folder.to_owned(), bounds: exploring.bounds, program })
    }

    /// Explores a contract, each view from where its folder ends.
    ///
    /// # Errors
    /// That the folder of a view cannot be used.
    pub fn run_contract<F: ModelledFamily>(
        &self,
        contract: Contract<F>,
        options: &RunOptions<'_>,
    ) -> Result<ContractResult<F>, NotKept> {
        run_contract_with(contract, options, &|contract, view, task| {
            self.explore(contract, view, options.cluster, task)
        })
    }

    fn explore<F: ModelledFamily>(
        &self,
        contract: &Contract<F>,
        view: &View<F::Bounds>,
        cluster: Option<&Cluster>,
        task: &TaskOf<'_, F>,
    ) -> Result<Exploration<F::Model, Unguided>, NotKept> {
        let folder = [F::NAME, &contract.name, &self.bounds.to_string(), view.name].map(as_file_name);
        let mut folder = self.folder.join(folder.iter().collect::<PathBuf>());
        let mut identity = self.identity(contract, view);
        let explored = match cluster {
            None => {
                identity.push_str("engine: compiled\n");
                Archive::open(&folder, &identity).and_then(|archive| COMPILED.explore_archived(task, &archive))
            }
            Some(cluster) => {
                // Each process has what it found; of another number of processes it would be something else.
                let place = format!("process-{}-of-{}", cluster.process(), cluster.processes());
                identity.push_str(&format!("engine: {}, {place}\n", Distributed::NAME));
                folder.push(place);
                let engine = Distributed { cluster, is_unbounded: true };
                Archive::open(&folder, &identity).and_then(|archive| engine.explore_archived(task, &archive))
            }
        };
        explored.map_err(not_kept)
    }

    /// Everything that the levels of an exploration depend on, a line each.
    fn identity<F: ModelledFamily>(&self, contract: &Contract<F>, view: &View<F::Bounds>) -> String {
        let choices = contract.choices.words().into_iter().map(|(key, value)| format!("{key}: {value}"));
        let fences = contract.choices.fences().iter().map(|(fence, answer)| format!("fence {fence}: {answer}"));
        let lines =
            [format!("program: {}", self.program), format!("contract: {} of the family {}", contract.name, F::NAME)];
        let view = [
            format!("view: {} in the size {}", view.name, self.bounds),
            format!("liveness: {}", view.liveness),
            format!("bounds: {:?}", view.bounds),
        ];
        lines.into_iter().chain(choices).chain(fences).chain(view).map(|line| line + "\n").collect()
    }
}

/// What tells this program from others, even from one of the same version with a changed model.
///
/// # Errors
/// That its file cannot be read.
pub fn program() -> io::Result<String> {
    let digest = Sha256::digest(std::fs::read(std::env::current_exe()?)?);
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("fencepost {}, SHA-256 {sum}", env!("CARGO_PKG_VERSION")))
}

/// A name that is one file, wherever it comes from.
fn as_file_name(name: &str) -> String {
    name.chars().map(|it| if it.is_alphanumeric() || it == '-' || it == '_' { it } else { '_' }).collect()
}

fn not_kept(error: ArchiveError) -> NotKept {
    match error {
        ArchiveError::Other { folder, expected, found } => NotKept::Unusable(
            Problem::new(format!(
                "`{}` holds another exploration\n{}",
                folder.display(),
                differences(&found, &expected)
            ))
            .with_help("name another folder, or remove this one"),
        ),
        ArchiveError::InUse { .. } => NotKept::Unusable(Problem::new(error.to_string())),
        ArchiveError::Damaged { .. } => NotKept::Unusable(
            Problem::new(error.to_string()).with_help("remove its folder: it is explored from the start then"),
        ),
        ArchiveError::File { .. } => NotKept::Failed(error.to_string()),
    }
}

/// The lines that only one of two texts has.
fn differences(there: &str, now: &str) -> String {
    let only = |name: &str, text: &str, other: &str| {
        let lines = text.lines().filter(|line| other.lines().all(|another| another != *line));
        lines.map(|line| format!("  {name}: {}", shortened(line))).collect::<Vec<_>>()
    };
    [only("there", there, now), only("now", now, there)].concat().join("\n")
}

fn shortened(line: &str) -> String {
    let end = line.char_indices().nth(MOST_SHOWN).map_or(line.len(), |(end, _)| end);
    if end < line.len() { format!("{} ...", &line[..end]) } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{as_file_name, differences};

    #[test]
    fn given_two_identities_when_compared_should_show_what_only_one_has() {
        let there = "program: 1\nnumbering: restart\nview: a\n";
        let now = "program: 1\nnumbering: continue\nview: a\nfence x: silent\n";
        assert_eq!(
            differences(there, now),
            "  there: numbering: restart\n  now: numbering: continue\n  now: fence x: silent"
        );
    }

    #[test]
    fn given_a_name_with_separators_when_a_file_is_named_should_stay_in_its_folder() {
        assert_eq!(as_file_name("../a b/three-aspects"), "___a_b_three-aspects");
    }
}
