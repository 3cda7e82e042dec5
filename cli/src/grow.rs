//! `fencepost check --grow TIME`: how far the bounds can be raised in a given time, and what that costs.

mod report;

use fencepost_checker::engine::Stop;
use fencepost_models::family::{ModelledFamily, View};
use fencepost_spec::contract::{Contract, ExpectedVerdict};
use fencepost_spec::words::Word;

use crate::exit::ExitStatus;
use crate::run::{RunOptions, ViewResult, run_view};

pub use report::report;

/// The largest size that is tried: budgets are counted in bytes.
pub const MOST_SIZE: u8 = 40;

/// After so many sizes in which the bounds of a view, or its states, stay the same, it is not tried in larger ones.
const MOST_IDLE_SIZES: usize = 3;

/// A view in one size.
pub struct Step {
    /// The size; quick, ci and deep are three of them.
    pub size: u8,
    /// Distinct states.
    pub states: u64,
    /// The last level that had states.
    pub depth: u32,
    /// How long it took.
    pub seconds: f64,
    /// Why it ended early, if it did: then it counts for nothing.
    pub stopped: Option<Stop>,
    /// Clauses that are broken here and not in any smaller size, each with the steps of its story.
    pub newly_broken: Vec<(&'static str, usize)>,
}

/// How a view grew.
pub struct Curve {
    /// Name of the view.
    pub view: &'static str,
    /// Sizes in which its bounds are others than in the one before, in order.
    pub steps: Vec<Step>,
    /// The largest size that is known exhaustively: in sizes between two of the steps the view is the same.
    pub exhaustive_size: Option<u8>,
    /// Whether its bounds grow no more.
    pub is_full_grown: bool,
}

/// How the views of a contract grew.
pub struct Growth {
    /// Name of the family.
    pub family: &'static str,
    /// Name of the contract.
    pub contract: String,
    /// In the order of the family.
    pub curves: Vec<Curve>,
    /// Clauses that the contract expects to hold, and that are broken in a view that it answers for.
    pub unexpected: Vec<(&'static str, &'static str)>,
}

impl Growth {
    /// The largest size in which every view was explored exhaustively; a view that grows no more is no obstacle. [`MOST_SIZE`], if none does.
    pub fn size(&self) -> Option<u8> {
        self.curves.iter().map(|curve| curve.exhaustive_size).min().flatten()
    }
}

/// A view that may still grow.
struct Growing {
    /// Its contract and its place in it.
    place: (usize, usize),
    /// The next size to try.
    size: u8,
    /// What the size before took, in seconds.
    cost: f64,
}

/// Raises the bounds of the views of some contracts until the time is over: always of the view that took least in its last size, so that
/// none keeps the others from growing.
pub fn grow<F: ModelledFamily>(contracts: &[Contract<F>], options: &RunOptions<'_>) -> Vec<Growth> {
    let mut growths: Vec<Growth> = contracts.iter().map(|contract| seedling(contract, options)).collect();
    let places = growths.iter().enumerate().flat_map(|(contract, growth)| {
        (0..growth.curves.len()).map(move |view| Growing { place: (contract, view), size: 0, cost: 0.0 })
    });
    let mut growing: Vec<Growing> = places.collect();
    while let Some(Growing { place, size, .. }) = cheapest(&mut growing) {
        let contract = &contracts[place.0];
        let curve = &mut growths[place.0].curves[place.1];
        let Some((size, view)) = larger::<F>(contract, curve.view, size) else {
            // Beyond the largest size nothing is known of its growing.
            (curve.exhaustive_size, curve.is_full_grown) = (Some(MOST_SIZE), size <= MOST_SIZE);
            continue;
        };
        let result = run_view(contract, view, options);
        let (cost, stopped) = (result.seconds, result.stopped);
        if stopped.is_none() {
            let next = larger::<F>(contract, curve.view, size + 1);
            curve.exhaustive_size = Some(next.map_or(MOST_SIZE, |(next, _)| next - 1));
        }
        curve.steps.push(Step::of(&result, size, &curve.steps));
        growths[place.0].note_unexpected(contract, &result);
        match stopped {
            None if growths[place.0].curves[place.1].is_idle() => {}
            None => growing.push(Growing { place, size: size + 1, cost }),
            Some(Stop::Time | Stop::Interrupted | Stop::Lost) => break,
            // The others may have room yet.
            Some(Stop::States | Stop::Depth | Stop::Memory) => {}
        }
    }
    growths
}

/// How a command ends that raised bounds: that the time was over in one of them is what was asked for.
pub fn status(growths: &[Growth]) -> ExitStatus {
    let mut steps = growths.iter().flat_map(|growth| &growth.curves).flat_map(|curve| &curve.steps);
    if growths.iter().any(|growth| !growth.unexpected.is_empty()) {
        ExitStatus::NotAsExpected
    } else if steps.any(|step| matches!(step.stopped, Some(Stop::Interrupted | Stop::Lost))) {
        ExitStatus::Stopped
    } else {
        ExitStatus::AsExpected
    }
}

/// A contract whose views have not grown yet.
fn seedling<F: ModelledFamily>(contract: &Contract<F>, options: &RunOptions<'_>) -> Growth {
    let is_wanted = |view: &&'static str| match options.views {
        None => F::VIEWS.contains(view),
        Some(views) => views.contains(view),
    };
    let curve = |view| Curve { view, steps: Vec::new(), exhaustive_size: None, is_full_grown: false };
    Growth {
        family: F::NAME,
        contract: contract.name.clone(),
        curves: F::VIEWS.iter().chain(F::SCALE_VIEWS).copied().filter(is_wanted).map(curve).collect(),
        unexpected: Vec::new(),
    }
}

/// The view that took least; of equals the first.
fn cheapest(growing: &mut Vec<Growing>) -> Option<Growing> {
    let order = |(_, growing): &(usize, &Growing)| (growing.cost, growing.place);
    let least = growing.iter().enumerate().min_by(|one, other| {
        order(one).partial_cmp(&order(other)).unwrap_or_else(|| unreachable!("a duration is a number"))
    });
    let index = least?.0;
    Some(growing.swap_remove(index))
}

/// A view in the first size from `size` on in which its bounds are others than in the one before; nothing, if it grows no more.
fn larger<F: ModelledFamily>(contract: &Contract<F>, name: &str, size: u8) -> Option<(u8, View<F::Bounds>)> {
    let of = |size: u8| F::views_of_size(size, &contract.choices).into_iter().find(|view| view.name == name);
    let grows = |size: u8| match size.checked_sub(1).and_then(of) {
        None => true,
        Some(before) => of(size).is_some_and(|view| format!("{:?}", view.bounds) != format!("{:?}", before.bounds)),
    };
    let size = (size..=MOST_SIZE).take(MOST_IDLE_SIZES).find(|size| grows(*size))?;
    Some((size, of(size)?))
}

impl Curve {
    /// Whether the last sizes have the same states, though other bounds: something else limits the view.
    pub fn is_idle(&self) -> bool {
        let last = &self.steps[self.steps.len().saturating_sub(MOST_IDLE_SIZES)..];
        last.len() == MOST_IDLE_SIZES && last.iter().all(|step| step.stopped.is_none() && step.states == last[0].states)
    }
}

impl Step {
    fn of<F: ModelledFamily>(result: &ViewResult<F>, size: u8, before: &[Self]) -> Self {
        let is_new = |clause: &str| before.iter().all(|step| step.newly_broken.iter().all(|(name, _)| *name != clause));
        let broken = result.clauses.iter().filter_map(|clause| Some((clause.clause.word(), clause.story_steps()?)));
        Self {
            size,
            states: result.states,
            depth: result.depth,
            seconds: result.seconds,
            stopped: result.stopped,
            newly_broken: broken.filter(|(clause, _)| is_new(clause)).collect(),
        }
    }
}

impl Growth {
    /// Notes the clauses that are broken though the contract expects them not to be, in a view that it answers for.
    fn note_unexpected<F: ModelledFamily>(&mut self, contract: &Contract<F>, result: &ViewResult<F>) {
        for clause in result.clauses.iter().filter(|clause| result.answered_for && clause.finding.broken.is_some()) {
            let expected = contract.expected.get(&clause.clause);
            let found = (clause.clause.word(), result.view.name);
            if expected.is_some_and(|expected| expected.verdict != ExpectedVerdict::Violated)
                && !self.unexpected.contains(&found)
            {
                self.unexpected.push(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fencepost_spec::family::Iggy;
    use fencepost_spec::kafkajs::KafkaJs;
    use fencepost_spec::library::contracts_of;

    use super::*;

    /// Asks for every view of every contract, in every size that is tried, and puts its model together.
    fn demand_views<F: ModelledFamily>() {
        for contract in contracts_of::<F>().expect("the built-in contracts") {
            for size in 0..=MOST_SIZE {
                let views = F::views_of_size(size, &contract.choices);
                let names: Vec<&str> = views.iter().map(|view| view.name).collect();
                assert_eq!(names, [F::VIEWS, F::SCALE_VIEWS].concat(), "{} in size {size}", contract.name);
                views.iter().for_each(|view| drop(F::model(&contract.choices, &view.bounds)));
            }
        }
    }

    #[test]
    fn given_any_size_that_is_tried_when_views_are_asked_for_should_be_there() {
        demand_views::<Iggy>();
        demand_views::<KafkaJs>();
    }
}
