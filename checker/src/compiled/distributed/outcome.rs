//! What all processes found together, in the words of [`crate::engine`].

use serde::{Deserialize, Serialize};

use crate::engine::{Breach, Exploration, Finding, Stop, Trace};
use crate::guide::Unguided;
use crate::portable::PortableSystem;

use super::super::counts::Count;
use super::super::step::Kind;
use super::cluster::Lost;
use super::local::Local;
use super::paths::{Path, keep_earliest};
use super::post::Post;
use super::tell_all;

/// How often something happened, and the way to the first time, its step included.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Tally {
    transitions: u64,
    first: Option<Path>,
}

impl Tally {
    fn of(count: &Count, first: &Option<Path>) -> Self {
        Self { transitions: count.transitions, first: first.clone() }
    }

    fn add(&mut self, more: &Self) {
        self.transitions += more.transitions;
        keep_earliest(&mut self.first, more.first.as_ref());
    }
}

/// What was counted, in words that mean the same in every process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Outcome {
    transitions: u64,
    terms: Vec<u64>,
    /// By clause: what upheld it, and what broke it.
    clauses: Vec<[Tally; 2]>,
}

/// What this process counted.
pub(super) fn own<M: PortableSystem>(local: &Local<'_, M>) -> Outcome {
    let counts = &local.counts;
    let tallies = |(counts, firsts): (&[Count; 2], &[Option<Path>; 2])| {
        [Tally::of(&counts[0], &firsts[0]), Tally::of(&counts[1], &firsts[1])]
    };
    let mut own = Outcome {
        transitions: counts.transitions(),
        terms: vec![0; local.tables.terms],
        clauses: counts.seen.iter().zip(&local.firsts_seen).map(tallies).collect(),
    };
    let classes = local.tables.classes.read();
    for ((class, count), first) in classes.list().iter().zip(&counts.classes).zip(&local.firsts) {
        for term in &class.terms {
            own.terms[*term] += count.transitions;
        }
        for (tallies, kind) in own.clauses.iter_mut().zip(&class.kinds) {
            match kind {
                Kind::Silent | Kind::Depends => {}
                Kind::Upheld => tallies[0].add(&Tally::of(count, first)),
                Kind::Broken => tallies[1].add(&Tally::of(count, first)),
            }
        }
    }
    own
}

/// What all processes counted.
pub(super) fn gather<M: PortableSystem>(local: &Local<'_, M>, post: &mut Post<'_>) -> Result<Outcome, Lost> {
    let mut all = tell_all(post, &own(local))?.into_iter();
    let first = all.next().unwrap_or_default();
    Ok(all.fold(first, |mut sum, more| {
        sum.transitions += more.transitions;
        sum.terms.iter_mut().zip(&more.terms).for_each(|(count, more)| *count += more);
        for (tallies, more) in sum.clauses.iter_mut().zip(&more.clauses) {
            tallies.iter_mut().zip(more).for_each(|(tally, more)| tally.add(more));
        }
        sum
    }))
}

impl<M: PortableSystem> Local<'_, M> {
    /// Tells what was found.
    pub(super) fn into_exploration(
        mut self,
        outcome: Outcome,
        levels: Vec<u64>,
        stopped: Option<Stop>,
    ) -> Exploration<M, Unguided> {
        let findings = outcome.clauses.iter().enumerate().map(|(clause, tallies)| self.finding(clause, tallies));
        Exploration {
            findings: findings.collect(),
            states: levels.iter().sum(),
            transitions: outcome.transitions,
            depth: (levels.len() as u32).saturating_sub(1),
            states_per_level: levels,
            stopped,
            term_counts: outcome.terms,
            finished: None,
            finished_states: 0,
            furthest: (0, Vec::new(), None),
        }
    }

    fn finding(&mut self, clause: usize, [upheld, broken]: &[Tally; 2]) -> Finding<M::Action> {
        let breach =
            |local: &mut Self, way: &Path| Breach { reason: local.reason(clause, way), trace: local.trace(way) };
        Finding {
            clause: self.clause_name(clause),
            exercised: upheld.transitions + broken.transitions,
            witness: upheld.first.as_ref().map(|way| self.trace(way)),
            broken: broken.first.as_ref().map(|way| breach(self, way)),
        }
    }

    /// The actions of a way, from the initial state on.
    fn trace(&mut self, way: &[u16]) -> Trace<M::Action> {
        let rows = self.follow(way);
        let actions = rows.iter().map(|(event, _)| self.tables.action(*event)).collect();
        Trace { initial: 0, actions, loop_start: None }
    }

    /// The events of a way, with the rows before each.
    fn follow(&mut self, way: &[u16]) -> Vec<(u32, Vec<u32>)> {
        let mut row = self.initial().unwrap_or_else(|| unreachable!("a way starts somewhere"));
        let mut followed = Vec::new();
        for &place in way {
            let step = self.step(&row, place);
            let (event, after) = step.unwrap_or_else(|| unreachable!("a step that was taken can be taken again"));
            followed.push((event, std::mem::replace(&mut row, after)));
        }
        followed
    }

    /// Why the last step of a way breaks a clause.
    fn reason(&mut self, clause: usize, way: &[u16]) -> String {
        let Some((event, row)) = self.follow(way).pop() else { unreachable!("a step breaks a clause") };
        self.tables.reason(clause, &row, event)
    }

    fn clause_name(&self, clause: usize) -> String {
        self.tables.clauses[clause].name.clone()
    }
}
