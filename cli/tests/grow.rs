//! `fencepost check --grow`: bounds are raised until the time is over.

mod support;

use support::{check, json, output_of, text_of};

#[test]
fn given_some_seconds_when_a_view_grows_should_tell_each_size_and_how_far_it_is_exhaustive() {
    let report = json(&["kafkajs-guard", "--view", "empty-assignment", "--grow", "3", "--format", "json"]);
    let grown = &report["results"][0];
    assert_eq!((&report["command"], &grown["contract"]), (&"check".into(), &"kafkajs-guard".into()));
    let sizes = grown["views"][0]["sizes"].as_array().expect("sizes");
    let states: Vec<u64> = sizes.iter().map(|size| size["states"].as_u64().expect("a number")).collect();
    let last = sizes.iter().rposition(|size| size["stopped"].is_null()).expect("a size that is whole");
    assert!(last > 1 && states[..=last].is_sorted(), "{states:?}");
    // The size `quick` is size 1, and known by its exact number of states.
    assert_eq!((&sizes[1]["size"], states[1]), (&1.into(), QUICK_STATES));
    assert_eq!(grown["exhaustive_size"], sizes[last]["size"]);
}

/// States of the view in the size `quick`.
const QUICK_STATES: u64 = 5_500;

#[test]
fn given_a_fixed_size_when_bounds_are_to_grow_should_be_refused() {
    let output = output_of(check(&["--grow", "3", "--bounds", "ci"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(text_of(&output.stderr).contains("--bounds"), "{}", text_of(&output.stderr));
}
