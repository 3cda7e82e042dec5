//! The five gates: a row counts as caught only if the fault was really there, and is what was noticed.

use fencepost_conformance::replay::divergence::Divergence;
use fencepost_conformance::replay::runner::{Found, Walked};
use fencepost_conformance::replay::shrink::Shrinker;
use fencepost_conformance::replay::trace::TraceStep;
use fencepost_reference::Fault;
use serde::Serialize;

use super::hunt::{Fit, Sighting, clause};
use super::stock::{EVERYTHING, reference, runner, walker};

/// What was asked of a trace that shows a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Gates {
    /// The code of the fault ran on it.
    pub(crate) landed: bool,
    /// The same reference without the fault agrees on it.
    pub(crate) built: bool,
    /// Steps were done.
    pub(crate) ran: bool,
    /// It diverges.
    pub(crate) failed: bool,
    /// The expected clause is left, or one that is listed as an alternative.
    pub(crate) expected_clause: bool,
}

impl Gates {
    /// Whether all are passed.
    pub(crate) fn all(self) -> bool {
        self.landed && self.built && self.ran && self.failed && self.expected_clause
    }
}

/// A fault that was caught.
pub(crate) struct Caught {
    pub(crate) divergence: Divergence,
    pub(crate) gates: Gates,
    pub(crate) symptom: Option<&'static str>,
    pub(crate) weakest: &'static str,
    /// Which traces had to be tried for it.
    pub(crate) cover: String,
}

/// The steps of what was seen, as a plan.
pub(super) fn plan(found: &Found) -> Vec<TraceStep> {
    let taken = found.transcript.iter().filter(|(steps, _)| !steps.is_empty());
    taken.map(|(steps, seen)| TraceStep { steps: steps.clone(), allowed: seen.clone() }).collect()
}

/// Shrinks what was seen, and asks the gates.
pub(super) fn caught(fault: Fault, sighting: &Sighting<'_>) -> Caught {
    let walker = walker(sighting.contract, &sighting.view);
    let runner = runner(&walker, EVERYTHING());
    let shrinker = Shrinker { runner: &runner, choices: &sighting.contract.choices, bounds: &sighting.view.bounds };
    let mut faulty = reference(Some(fault));
    let shrunk = shrinker.shrink(&mut faulty, &plan(&sighting.found), &sighting.found, &sighting.blame);
    // Where no change of the contract explains it, fewer steps may show something else: then all steps stay.
    let same = sighting.blame.different.is_some() || {
        let blame = shrinker.blame(&shrunk);
        blame.different.is_none() && clause(&blame, &shrunk, &walker.world).0 == sighting.clause
    };
    let found = if same { shrunk } else { sighting.found.clone() };
    let steps = plan(&found);
    let before = faulty.landed();
    let walk = runner.walk_tracking(&mut faulty, &steps);
    let healthy = runner.walk_tracking(&mut reference(None), &steps);
    let gates = Gates {
        landed: faulty.landed() > before,
        built: matches!(healthy.walked, Walked::Agreed),
        ran: walk.steps > 0,
        failed: matches!(&walk.walked, Walked::Diverged(again) if again.first() == found.first()),
        expected_clause: sighting.fit != Fit::Other,
    };
    let is_shipped = fencepost_spec::library::VIEWS.contains(&sighting.view.name)
        && !super::variants::is_changed(&sighting.contract.name);
    let command = if !is_shipped {
        format!("fencepost kill-matrix --fault {fault}")
    } else {
        format!(
            "fencepost replay --driver 'builtin:reference+{fault}' --contract {} --view {} --bounds {} {}",
            sighting.contract.name, sighting.view.name, sighting.bounds, sighting.cover
        )
    };
    let mut blame = sighting.blame.clone();
    blame.clause = sighting.clause;
    let divergence = Divergence {
        contract: sighting.contract.name.clone(),
        view: sighting.view.name.to_owned(),
        subject: format!("{}, with the fault {fault}", runner.subject()),
        world: walker.world.clone(),
        steps_before_shrinking: sighting.found.transcript.len(),
        found,
        blame,
        command: command.trim_end().to_owned(),
        known: None,
    };
    Caught { divergence, gates, symptom: sighting.symptom, weakest: sighting.weakest, cover: sighting.cover.clone() }
}

#[cfg(test)]
mod tests {
    use fencepost_conformance::replay::atlas::CoverKind;
    use fencepost_models::iggy::views::{BoundsSet, views};
    use fencepost_spec::library;

    use super::super::hunt::{Quarry, hunt};
    use super::super::stock::{Choice, Stock};
    use super::caught;
    use crate::exploring::Budget;

    #[test]
    fn given_a_trace_that_another_fault_shows_when_asked_should_pass_neither_landed_nor_failed() {
        let contract = library::contract("fenced-commits").expect("a built-in contract");
        let all = views(BoundsSet::Quick, &contract.choices);
        let view = all.iter().find(|view| view.name == "purge-with-pending-polls").expect("a view");
        let stock = Stock::new(&contract, view, Choice::Cover(CoverKind::Abstract), &Budget::default(), 1);
        let shown = "next-skips-one".parse().expect("a fault");
        let mut quarries = [Quarry::new(shown)];
        hunt(&stock, &mut quarries, BoundsSet::Quick, "", 1);
        let sighting = quarries[0].best.as_ref().expect("a trace that shows it");
        assert!(caught(shown, sighting).gates.all());
        // A contract without kept numbering never comes by the code of this one, so the trace says nothing about it.
        let elsewhere = caught("segments-dropped-first".parse().expect("a fault"), sighting).gates;
        assert!(!elsewhere.landed && !elsewhere.failed && !elsewhere.all(), "{elsewhere:?}");
    }
}
