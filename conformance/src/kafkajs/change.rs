//! A change of a contract as files name it: `without FENCE`, or `choice = value`.

use fencepost_spec::clause::Change;
use fencepost_spec::kafkajs::choices::{
    AcknowledgementWithoutTopic, AssignmentRaises, LockTimeOut, ResetRecorded, SeekWithoutAutomaticCommits,
    UnknownOffset,
};
use fencepost_spec::kafkajs::{Fence, KafkaJs};

/// One change of a contract of the KafkaJS family.
pub type KafkaJsChange = Change<KafkaJs>;

/// The values that each choice can have.
pub fn values() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("unknown_offset", UnknownOffset::ALL.iter().map(|it| it.word()).collect()),
        ("reset_recorded", ResetRecorded::ALL.iter().map(|it| it.word()).collect()),
        ("lock_time_out", LockTimeOut::ALL.iter().map(|it| it.word()).collect()),
        ("assignment_raises", AssignmentRaises::ALL.iter().map(|it| it.word()).collect()),
        ("seek_without_automatic_commits", SeekWithoutAutomaticCommits::ALL.iter().map(|it| it.word()).collect()),
        ("acknowledgement_without_topic", AcknowledgementWithoutTopic::ALL.iter().map(|it| it.word()).collect()),
    ]
}

/// A change in words.
pub fn words(change: KafkaJsChange) -> String {
    match change {
        Change::Without(fence) => format!("without {fence}"),
        Change::Choose(key, value) => format!("{key} = {value}"),
    }
}

/// Several changes in words.
pub fn all_words(changes: &[KafkaJsChange]) -> String {
    changes.iter().map(|change| words(*change)).collect::<Vec<_>>().join(" and ")
}

/// Reads a change.
///
/// # Errors
/// What would be accepted.
pub fn parse(text: &str) -> Result<KafkaJsChange, String> {
    if let Some(fence) = text.strip_prefix("without ") {
        return fence.trim().parse::<Fence>().map(Change::Without);
    }
    let Some((key, value)) = text.split_once('=') else {
        return Err("accepted: `without FENCE`, or `choice = value`".to_owned());
    };
    let all = values();
    let keys = all.iter().map(|(key, _)| *key);
    let Some((key, values)) = all.iter().find(|(known, _)| *known == key.trim()) else {
        return Err(fencepost_spec::diagnostic::unknown_word(key.trim(), keys));
    };
    match values.iter().find(|known| **known == value.trim()) {
        Some(value) => Ok(Change::Choose(key, value)),
        None => Err(fencepost_spec::diagnostic::unknown_word(value.trim(), values.iter().copied())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_spec::family::Family;
    use fencepost_spec::library;

    #[test]
    fn given_every_choice_of_a_contract_when_named_as_a_change_should_be_read_back() {
        for (name, _) in KafkaJs::CONTRACTS {
            let contract = library::contract_of::<KafkaJs>(name).expect("a built-in contract");
            for (key, value) in contract.choices.words() {
                let change = parse(&format!("{key} = {value}")).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(words(change), format!("{key} = {value}"));
            }
        }
    }

    #[test]
    fn given_a_misspelt_change_when_read_should_name_the_nearest_word() {
        for (text, near) in [
            ("without known-ofset-before-fetch", "known-offset-before-fetch"),
            ("unknown_offest = zero", "unknown_offset"),
            ("unknown_offset = zera", "zero"),
            ("guard", "without FENCE"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(near), "{text}: {error}");
        }
    }
}
