//! Which ways through the model of a view are taken.

use std::collections::HashSet;

use fencepost_checker::engine::Limits;
use fencepost_conformance::replay::atlas::{Atlas, CoverKind};
use fencepost_conformance::replay::orders;
use fencepost_conformance::replay::random::{Chance, way};
use fencepost_conformance::replay::session::Way;
use fencepost_conformance::replay::walker::Walker;
use fencepost_models::iggy::abstraction::selection::AbstractStep;
use fencepost_models::iggy::views::View;
use fencepost_spec::contract::Contract;

use crate::exploring::terminal_progress;

fencepost_spec::words! {
    /// Which traces are chosen.
    pub enum Choice {
        /// Every abstract transition: conditions of the clauses before and after, the action, the outcomes of its fences.
        Abstract = "abstract",
        /// Every action with the outcomes of its fences and what the clauses say of it.
        Labels = "labels",
        /// Every two of these that follow each other.
        LabelPairs = "label-pairs",
        /// Every transition between states of the actors, for a night: see `--shard` and `--resume`.
        Transitions = "transitions",
        /// Every order of the requests, at most one of them late: for drivers that hold back nothing but requests.
        Orders = "orders",
        /// Ways by chance, from a seed.
        Random = "random",
    }
}

/// What is wanted of a choice.
pub(crate) struct Wanted {
    /// Which traces.
    pub(crate) cover: Choice,
    /// Where the sequence of random numbers starts.
    pub(crate) seed: u64,
    /// How many ways, where the cover does not say it.
    pub(crate) ways: usize,
    /// Threads for the exploration.
    pub(crate) threads: usize,
    /// When the exploration ends early.
    pub(crate) limits: Limits,
}

/// What was chosen.
pub(crate) struct Chosen {
    /// The explored view, if it was explored.
    pub(crate) atlas: Option<Atlas>,
    /// The ways.
    pub(crate) ways: Vec<Way>,
}

/// The most steps of a way by chance.
const RANDOM_STEPS: usize = 60;

/// Chooses. What other views of the contract have `shown` needs no way here.
pub(crate) fn choose(contract: &Contract, view: &View, wanted: &Wanted, shown: &mut HashSet<AbstractStep>) -> Chosen {
    let covering = |kind, shown: &mut HashSet<AbstractStep>| {
        let progress = terminal_progress(&contract.name, view.name);
        let Wanted { limits, threads, .. } = wanted;
        let atlas = Atlas::explore(&contract.choices, &view.bounds, kind, limits, *threads, &*progress, shown);
        Chosen { ways: atlas.ways(), atlas: Some(atlas) }
    };
    let walker = || Walker::new(&contract.name, &contract.choices, &view.bounds);
    match wanted.cover {
        Choice::Abstract => covering(CoverKind::Abstract, shown),
        Choice::Labels => covering(CoverKind::Labels, shown),
        Choice::LabelPairs => covering(CoverKind::LabelPairs, shown),
        Choice::Transitions => covering(CoverKind::Transitions, shown),
        Choice::Orders => Chosen { atlas: None, ways: orders::ways(&walker(), wanted.ways) },
        Choice::Random => {
            let (walker, mut chance) = (walker(), Chance::new(wanted.seed));
            let ways = (0..wanted.ways).map(|_| way(&walker, &mut chance, RANDOM_STEPS)).collect();
            Chosen { atlas: None, ways }
        }
    }
}
