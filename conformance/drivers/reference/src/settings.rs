//! The contract, as the runner words it.

use std::cell::Cell;
use std::rc::Rc;
use std::str::FromStr;

use fencepost_driver::{Failure, Settings};
use fencepost_spec::contract::{Choices, FenceAnswer};
use fencepost_spec::fence::Fence;
use fencepost_spec::reply::Code;

use crate::fault::Fault;
use crate::rules::Rules;

/// A contract that was read, kept as long as the runner words it alike.
pub(crate) struct Contract {
    worded: Settings,
    choices: Rc<Rules>,
}

impl Contract {
    /// Reads a contract; a fence that the fault leaves out is not there.
    ///
    /// # Errors
    /// A [`Failure`] that names the key which is missing or makes no sense.
    pub(crate) fn read(worded: &Settings, fault: Option<Fault>, landed: &Rc<Cell<u64>>) -> Result<Self, Failure> {
        let rules = Rules::new(choices(worded)?, fault, Rc::clone(landed));
        Ok(Self { worded: worded.clone(), choices: Rc::new(rules) })
    }

    /// Whether it was read from these words.
    pub(crate) fn is_worded(&self, settings: &Settings) -> bool {
        self.worded == *settings
    }

    /// The choices.
    pub(crate) fn choices(&self) -> Rc<Rules> {
        Rc::clone(&self.choices)
    }
}

fn choices(settings: &Settings) -> Result<Choices, Failure> {
    let mut fences = std::collections::BTreeMap::new();
    for (fence, answer) in &settings.fences {
        let fence: Fence = fence.parse().map_err(|error| problem("fences", error))?;
        fences.insert(fence, fence_answer(answer).map_err(|error| problem(fence.word(), error))?);
    }
    Ok(Choices {
        numbering_at_purge: choice(settings, "numbering_at_purge")?,
        emptying: choice(settings, "emptying")?,
        emptying_acknowledged: choice(settings, "emptying_acknowledged")?,
        effect_of_read: choice(settings, "effect_of_read")?,
        bookmark_of_automatic_store: choice(settings, "bookmark_of_automatic_store")?,
        poll_identity_on_wire: choice(settings, "poll_identity_on_wire")?,
        commit_identity_on_wire: choice(settings, "commit_identity_on_wire")?,
        batch_identity_captured: choice(settings, "batch_identity_captured")?,
        assignment_compared_by: choice(settings, "assignment_compared_by")?,
        commit_without_identity: choice(settings, "commit_without_identity")?,
        client_commits: choice(settings, "client_commits")?,
        route_after_refusal: choice(settings, "route_after_refusal")?,
        bookmark_carries: choice(settings, "bookmark_carries")?,
        bookmark_above_head_at_boot: choice(settings, "bookmark_above_head_at_boot")?,
        full_queue: choice(settings, "full_queue")?,
        gateway_time_out: choice(settings, "gateway_time_out")?,
        messages_survive_power_loss: choice(settings, "messages_survive_power_loss")?,
        commits_durable: choice(settings, "commits_durable")?,
        parked_polls: choice(settings, "parked_polls")?,
        join_takes_partition: choice(settings, "join_takes_partition")?,
        fences,
    })
}

fn choice<T: FromStr>(settings: &Settings, key: &str) -> Result<T, Failure>
where
    T::Err: std::fmt::Display,
{
    let word = settings.choices.get(key).ok_or_else(|| problem(key, "it is missing"))?;
    word.parse().map_err(|error| problem(key, error))
}

fn fence_answer(word: &str) -> Result<FenceAnswer, String> {
    match word {
        "sentinel" => Ok(FenceAnswer::Sentinel),
        "silent" => Ok(FenceAnswer::Silent),
        code => code.parse().map(|code| FenceAnswer::Code(Code(code))).map_err(|_| format!("`{code}` is no answer")),
    }
}

fn problem(key: &str, error: impl std::fmt::Display) -> Failure {
    Failure::failed(format!("the contract cannot be read: {key}: {error}"))
}

/// The words of a contract, for tests and for callers in process.
pub fn settings_of(name: &str, choices: &Choices) -> Settings {
    let worded = |answer: &FenceAnswer| match answer {
        FenceAnswer::Code(code) => code.0.to_string(),
        FenceAnswer::Sentinel => "sentinel".to_owned(),
        FenceAnswer::Silent => "silent".to_owned(),
    };
    Settings {
        contract: name.to_owned(),
        choices: choices.words().into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        fences: choices.fences.iter().map(|(fence, answer)| (fence.word().to_owned(), worded(answer))).collect(),
    }
}
