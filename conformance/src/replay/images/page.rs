//! The page of a forbidden state after a power loss.

use fencepost_driver::{Observation, Park, World};
use serde::Serialize;

use super::run::json;
use super::{ImagePolicy, RecoveredState};
use crate::replay::blame::Blame;
use crate::replay::divergence::{Difference, Divergence, DivergenceKind};
use crate::replay::page::{Line, Page};
use crate::replay::runner::{Done, Found};

/// Where power was lost.
pub(super) struct Where<'a> {
    pub(super) contract: &'a str,
    pub(super) view: &'a str,
    pub(super) policy: ImagePolicy,
    pub(super) world: &'a World,
    /// What was done so far.
    pub(super) transcript: &'a [Done],
    /// The storage call before which power was lost, if it was inside of the last step.
    pub(super) inside: Option<&'a Park>,
    pub(super) command: &'a str,
}

/// A state that was recovered and is not allowed, told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImagePage {
    /// How the implementation leaves the contract: a forbidden state.
    pub kind: DivergenceKind,
    /// The contract.
    pub contract: String,
    /// The view in whose bounds it was found.
    pub view: String,
    /// The policy that allows the image.
    pub policy: String,
    /// Everything above in one sentence.
    pub title: String,
    /// The world at the start, in words.
    pub start: String,
    /// What happened before.
    pub story: Vec<Line>,
    /// How many things happen until power is lost.
    pub steps: usize,
    /// When power is lost, in words.
    pub moment: String,
    /// The files that are found then, in words.
    pub image: String,
    /// What a second power loss during the recovery leaves, in words, if there is one.
    pub interrupted: Option<String>,
    /// What was recovered, as JSON.
    pub recovered: String,
    /// What would have been allowed, as JSON.
    pub allowed: Vec<String>,
    /// By allowed state: the first field in which it differs, with what is allowed and what was seen.
    pub differences: Vec<String>,
    /// The command that finds it again.
    pub command: String,
}

impl ImagePage {
    pub(super) fn of(place: &Where<'_>, state: &RecoveredState, allowed: &[&Observation]) -> Self {
        let kind = DivergenceKind::ForbiddenState;
        let told = told(place);
        let differences = allowed.iter().filter_map(|allowed| {
            let (field, allowed, seen) = allowed.first_difference(&state.observation)?;
            Some(format!("{}: {seen} was recovered, {allowed} is allowed", field.key()))
        });
        let (contract, view, policy) = (place.contract.to_owned(), place.view.to_owned(), place.policy.to_string());
        Self {
            kind,
            title: format!("{contract}: the contract is left ({kind}) after a power loss ({policy}) in view {view}"),
            contract,
            view,
            policy,
            start: told.start,
            story: told.story,
            steps: place.transcript.len(),
            moment: match place.inside {
                Some(park) => format!("Power is lost inside of the last step, before `{}`.", park.name),
                None => "Power is lost after the last step.".to_owned(),
            },
            image: state.image.clone(),
            interrupted: state.interrupted.clone(),
            recovered: json(&state.observation),
            allowed: allowed.iter().map(|allowed| json(allowed)).collect(),
            differences: differences.collect(),
            command: place.command.to_owned(),
        }
    }

    /// The page for a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n  At the start: {}.\n", self.title, self.start);
        for line in &self.story {
            text += &format!("  {:>2}. {}\n", line.number, line.text);
        }
        text += &format!("  {}\n\nThe files that are found: {}\n", self.moment, self.image);
        if let Some(second) = &self.interrupted {
            text += &format!("Power is lost again during the recovery; the files that are found then: {second}\n");
        }
        text += &format!("\nRecovered: {}\n", self.recovered);
        for (index, allowed) in self.allowed.iter().enumerate() {
            text += &format!("{}{allowed}\n", if index == 0 { "Allowed:   " } else { "       or: " });
        }
        for difference in &self.differences {
            text += &format!("  {difference}\n");
        }
        text + &format!("\nFind it again:\n  {}\n", self.command)
    }
}

/// The story up to the power loss, as the page of a replay tells it.
fn told(place: &Where<'_>) -> Page {
    let difference =
        Difference { kind: DivergenceKind::ForbiddenState, field: None, seen: String::new(), allowed: String::new() };
    Page::of(&Divergence {
        contract: place.contract.to_owned(),
        view: place.view.to_owned(),
        subject: String::new(),
        world: place.world.clone(),
        found: Found { transcript: place.transcript.to_vec(), differences: vec![difference] },
        blame: Blame { clause: None, different: None },
        steps_before_shrinking: place.transcript.len(),
        command: String::new(),
        known: None,
    })
}
