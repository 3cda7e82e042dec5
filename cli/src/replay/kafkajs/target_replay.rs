//! One version of the package, replayed: what the divergences are about, which are known, and how it is judged.

use fencepost_conformance::kafkajs::change::{KafkaJsChange, all_words};
use fencepost_conformance::kafkajs::child::{Greeting, Target};
use fencepost_conformance::kafkajs::deviations::{self, Deviation};
use fencepost_conformance::kafkajs::evidence::Gathered;
use fencepost_conformance::kafkajs::session::{Divergence, ViewReplay};

use crate::exit::ExitStatus;

/// One version at one level under one contract, replayed.
pub(super) struct TargetReplay {
    pub(super) target: Target,
    pub(super) greeting: Greeting,
    pub(super) contract: String,
    /// Changes of the contract, if it is replayed in the version's own.
    pub(super) changes: Vec<KafkaJsChange>,
    pub(super) views: Vec<ViewReplay>,
    /// The known deviations of this version under this contract.
    pub(super) deviations: Vec<Deviation>,
    /// Whether all its views were replayed, so that a known deviation that no trace took is one too many.
    pub(super) is_whole: bool,
    /// What the divergences come to.
    pub(super) gathered: Gathered,
    /// Whether the command was interrupted here: what would have come later is not there.
    pub(super) is_cut: bool,
}

impl TargetReplay {
    pub(super) fn divergences(&self) -> impl Iterator<Item = (&'static str, &Divergence)> {
        self.views.iter().flat_map(|view| view.divergences.iter().map(move |divergence| (view.view, divergence)))
    }

    /// The divergences with the fewest steps: one of each set of explanations, whatever the view.
    pub(super) fn causes(&self) -> Vec<(&'static str, &Divergence)> {
        let mut all: Vec<(&'static str, &Divergence)> = self.divergences().collect();
        all.sort_by_key(|(_, divergence)| divergence.step);
        let mut causes: Vec<(&'static str, &Divergence)> = Vec::new();
        for (view, divergence) in all {
            let is_same = |(_, known): &(&str, &Divergence)| self.about(known) == self.about(divergence);
            if !causes.iter().any(is_same) {
                causes.push((view, divergence));
            }
        }
        causes
    }

    /// What a divergence is about, in words with hyphens: what would allow it, or else what differs.
    pub(super) fn about(&self, divergence: &Divergence) -> String {
        let words = match self.explanation(divergence) {
            [] => divergence.difference.kind.to_owned(),
            changes => all_words(changes),
        };
        let hyphens = words.replace(" = ", "-").replace([' ', '_'], "-");
        hyphens.replace("-and-without-", "-and-")
    }

    /// The explanation of a divergence that consists of known deviations.
    pub(super) fn known<'a>(&self, divergence: &'a Divergence) -> Option<&'a [KafkaJsChange]> {
        let deviations: Vec<&Deviation> = self.deviations.iter().collect();
        deviations::known(&divergence.explanations, &deviations)
    }

    /// What a divergence is explained by: known deviations if that is possible, else the first explanation.
    pub(super) fn explanation<'a>(&self, divergence: &'a Divergence) -> &'a [KafkaJsChange] {
        let first = divergence.explanations.first().map_or(&[][..], Vec::as_slice);
        self.known(divergence).unwrap_or(first)
    }

    /// All changes that divergences are explained by, each once.
    pub(super) fn taken(&self) -> Vec<KafkaJsChange> {
        let mut taken: Vec<KafkaJsChange> = Vec::new();
        for (_, divergence) in self.divergences() {
            for change in self.explanation(divergence) {
                if !taken.contains(change) {
                    taken.push(*change);
                }
            }
        }
        taken
    }

    /// Divergences that are no known deviations.
    pub(super) fn unknown(&self) -> impl Iterator<Item = (&'static str, &Divergence)> {
        self.divergences().filter(|(_, divergence)| self.known(divergence).is_none())
    }

    /// Known deviations that no trace took, if all traces were taken.
    pub(super) fn unused(&self) -> Vec<&Deviation> {
        let taken = self.taken();
        let is_judged = self.is_whole && !self.is_interrupted();
        let is_unused = |deviation: &&Deviation| is_judged && !taken.contains(&deviation.change);
        self.deviations.iter().filter(is_unused).collect()
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.is_cut || self.views.iter().any(|view| view.interrupted)
    }

    pub(super) fn status(&self, strict: bool) -> ExitStatus {
        let has_debt = strict && self.divergences().next().is_some();
        if has_debt || self.unknown().next().is_some() || !self.unused().is_empty() {
            ExitStatus::NotAsExpected
        } else if self.is_interrupted() {
            ExitStatus::Stopped
        } else {
            ExitStatus::AsExpected
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NAME, targets, text};
    use super::*;

    fn replayed(is_whole: bool) -> TargetReplay {
        let target = Target { package: "2.2.4".to_owned(), level: 1 };
        let greeting = Greeting { driver: NAME.to_owned(), package: "2.2.4".to_owned(), node: "v20".to_owned() };
        let contract = "kafkajs-partition-version".to_owned();
        let known = targets::deviations().unwrap_or_else(|problem| panic!("{problem}"));
        TargetReplay {
            target,
            greeting,
            contract,
            changes: Vec::new(),
            views: Vec::new(),
            deviations: known.into_iter().take(1).collect(),
            is_whole,
            gathered: Gathered::default(),
            is_cut: false,
        }
    }

    #[test]
    fn given_a_known_deviation_that_no_trace_took_when_everything_was_replayed_should_fail() {
        let result = replayed(true);
        assert_eq!(result.unused().len(), 1);
        assert_eq!(result.status(false), ExitStatus::NotAsExpected);
        assert!(text::report(&[result], false).contains("NO TRACE TAKES the known deviation"));
    }

    #[test]
    fn given_a_known_deviation_that_no_trace_took_when_some_views_were_left_out_should_not_fail() {
        let result = replayed(false);
        assert!(result.unused().is_empty());
        assert_eq!(result.status(false), ExitStatus::AsExpected);
    }
}
