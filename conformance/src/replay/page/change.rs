//! The change of the contract that would allow a divergence, in words.

use fencepost_driver::World;
use serde::Serialize;

use crate::replay::blame::Different;

/// The smallest change of the contract under which everything that was seen is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangeOfContract {
    /// Fences that would have to be missing.
    pub without: Vec<String>,
    /// Fences that would have to be there.
    pub with: Vec<String>,
    /// The choice that would have to be made differently: its key and the other value.
    pub choice: Option<(String, String)>,
    /// The same in a sentence.
    pub text: String,
}

impl ChangeOfContract {
    /// Tells a change of a contract.
    pub(super) fn of(different: &Different, contract: &str, world: &World) -> Self {
        let (mut without, mut with, mut choice) = (Vec::new(), Vec::new(), None);
        let text = match different {
            Different::Without(fences) => {
                without = fences.iter().map(ToString::to_string).collect();
                let told: Vec<String> = fences
                    .iter()
                    .map(|fence| format!("the fence `{fence}` (it protects {})", fence.description().protects))
                    .collect();
                format!("It would be allowed without {}.", told.join(" and "))
            }
            Different::Chosen(key, value) => {
                choice = Some((key.clone(), value.clone()));
                // The world may be configured by another contract than the one that is followed.
                let own = (world.settings.contract == contract).then(|| world.settings.choices.get(key)).flatten();
                let own = own.map(|own| format!(" (in {contract} it is {own})")).unwrap_or_default();
                format!("It would be allowed if `{key}` were {value}{own}.")
            }
            Different::With(fence) => {
                with = vec![fence.to_string()];
                let protects = fence.description().protects;
                format!(
                    "It would be allowed if {contract} had the fence `{fence}` (it protects {protects}), which it does \
                     not have."
                )
            }
        };
        Self { without, with, choice, text }
    }
}

#[cfg(test)]
mod tests {
    use fencepost_spec::fence::Fence;

    use super::*;

    #[test]
    fn given_each_kind_of_change_when_told_should_say_what_would_have_to_be_different() {
        let mut world = World::default();
        world.settings.contract = "deferred-poll".to_owned();
        world.settings.choices.insert("full_queue".to_owned(), "refuse".to_owned());
        let told = |different: Different, contract: &str| ChangeOfContract::of(&different, contract, &world).text;
        let (first, second) = (Fence::PollHistoryAtCompletion, Fence::CommitAssignmentOnArrival);
        let both = told(Different::Without(vec![first, second]), "deferred-poll");
        assert!(
            both.starts_with("It would be allowed without the fence `poll-history-at-completion` (it protects "),
            "{both}"
        );
        assert!(both.contains(") and the fence `commit-assignment-on-arrival` (it protects "), "{both}");
        let chosen = || Different::Chosen("full_queue".to_owned(), "wait".to_owned());
        let own = told(chosen(), "deferred-poll");
        assert_eq!(own, "It would be allowed if `full_queue` were wait (in deferred-poll it is refuse).");
        // The implementation is configured by another contract: what that chooses says nothing about this one.
        assert_eq!(told(chosen(), "owner-installed"), "It would be allowed if `full_queue` were wait.");
        let more = told(Different::With(first), "deferred-poll");
        assert!(
            more.starts_with("It would be allowed if deferred-poll had the fence `poll-history-at-completion`"),
            "{more}"
        );
    }
}
