//! A long replay in parts: some of the ways only, and going on where a run was ended.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::str::FromStr;

use fencepost_conformance::replay::session::{Replayed, Way};
use fencepost_spec::diagnostic::Problem;
use serde::{Deserialize, Serialize};

use crate::{select, whole_file};

/// Name and version of the file.
const FORMAT: &str = "fencepost-resume/1";

/// One of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    part: usize,
    parts: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(part, parts)| (part.parse(), parts.parse()));
        match numbers {
            Some((Ok(part), Ok(parts))) if 1 <= part && part <= parts => Ok(Self { part, parts }),
            _ => Err("accepted: PART/PARTS, such as 1/4 for the first of four parts".to_owned()),
        }
    }
}

/// The ways that were replayed before, by view of a contract.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DoneWays {
    format: String,
    views: BTreeMap<String, DoneView>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DoneView {
    /// How many ways there are, and a hash of all of them: ways of another model are others.
    ways: usize,
    hash: u64,
    /// Positions of the ways that agreed.
    done: BTreeSet<usize>,
}

/// What is left of the ways of a view.
pub(super) struct Left {
    /// The ways.
    pub(super) ways: Vec<Way>,
    positions: Vec<usize>,
    all: usize,
    hash: u64,
    done: BTreeSet<usize>,
}

impl DoneWays {
    /// What a file says; without a file, or if there is none yet, nothing is done.
    pub(super) fn read(file: Option<&Path>) -> Result<Self, Problem> {
        let nothing = Self { format: FORMAT.to_owned(), views: BTreeMap::new() };
        let Some(file) = file.filter(|file| file.exists()) else { return Ok(nothing) };
        let name = file.display().to_string();
        let text = select::read_file(&name)?;
        let place = |error: &serde_json::Error| {
            let start = text.lines().take(error.line().saturating_sub(1)).map(|line| line.len() + 1).sum::<usize>();
            let at = (start + error.column().saturating_sub(1)).min(text.len().saturating_sub(1));
            at..at
        };
        let read: Self = serde_json::from_str(&text)
            .map_err(|error| Problem::at(&name, &text, place(&error), format!("no file of --resume: {error}")))?;
        if read.format != FORMAT {
            return Err(Problem::new(format!("`{name}` has the format `{}`", read.format))
                .with_help(format!("accepted: {FORMAT}")));
        }
        Ok(read)
    }

    /// Writes the file, whole or not at all.
    pub(super) fn write(&self, file: &Path) -> Result<(), Problem> {
        let unwritable =
            |error: &dyn std::fmt::Display| Problem::new(format!("cannot write `{}`: {error}", file.display()));
        let text = serde_json::to_string(self).map_err(|error| unwritable(&error))?;
        whole_file::replace(file, &(text + "\n")).map_err(|error| unwritable(&error))
    }

    /// What is left of these ways, in one part of several.
    pub(super) fn left(&self, view: &str, ways: &[Way], shard: Option<Shard>) -> Left {
        let hash = hash_of(ways);
        let known = self.views.get(view).filter(|known| known.hash == hash && known.ways == ways.len());
        let done = known.map(|known| known.done.clone()).unwrap_or_default();
        let is_mine = |index: usize| shard.is_none_or(|shard| index % shard.parts == shard.part - 1);
        let positions: Vec<usize> = (0..ways.len()).filter(|index| is_mine(*index) && !done.contains(index)).collect();
        let left = positions.iter().map(|index| ways[*index].clone()).collect();
        Left { ways: left, positions, all: ways.len(), hash, done }
    }

    /// Adds the ways that agreed.
    pub(super) fn add(&mut self, view: &str, left: &Left, walked: &[bool]) {
        let agreed = left.positions.iter().zip(walked).filter(|(_, walked)| **walked).map(|(position, _)| *position);
        let done = left.done.iter().copied().chain(agreed).collect();
        self.views.insert(view.to_owned(), DoneView { ways: left.all, hash: left.hash, done });
    }
}

impl Left {
    /// The result by positions of all ways; what was done before counts as done.
    pub(super) fn spread(&self, mut replayed: Replayed) -> Replayed {
        let spread = |of: &[bool]| {
            let mut all = vec![false; self.all];
            self.done.iter().for_each(|index| all[*index] = true);
            self.positions.iter().zip(of).for_each(|(position, value)| all[*position] = *value);
            all
        };
        (replayed.walked, replayed.drivable) = (spread(&replayed.walked), spread(&replayed.drivable));
        replayed
    }
}

fn hash_of(ways: &[Way]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (initial, actions) in ways {
        initial.hash(&mut hasher);
        format!("{actions:?}").hash(&mut hasher);
    }
    hasher.finish()
}
