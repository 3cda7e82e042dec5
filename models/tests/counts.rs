//! Exact sizes of the quick views: a change of the model that nobody meant shows here first.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_models::iggy::system;
use fencepost_models::iggy::views::{BoundsSet, views};
use fencepost_spec::library;

/// Most states of a quick view: all of them together are to be explored in seconds.
const MOST_STATES: u64 = 300_000;

/// View, states, transitions, depth.
type Row = (&'static str, u64, u64, u32);

fn count(contract_name: &str) -> Vec<(String, u64, u64, u32)> {
    let contract = library::contract(contract_name).expect("a built-in contract");
    let explore = |view: &fencepost_models::iggy::views::View| {
        let model = system::model(&contract.choices, &view.bounds);
        let limits = Limits::default();
        let task = Task {
            model: &model,
            guide: &Unguided,
            clauses: &[],
            liveness: &[],
            limits: &limits,
            threads: 2,
            progress: &Quiet,
        };
        let exploration = Compiled { is_unbounded: true }.explore(&task);
        (view.name.to_owned(), exploration.states, exploration.transitions, exploration.depth)
    };
    views(BoundsSet::Quick, &contract.choices).iter().map(explore).collect()
}

fn assert_counts(contract: &str, expected: &[Row]) {
    let counted = count(contract);
    assert!(counted.iter().all(|(_, states, ..)| *states <= MOST_STATES), "a quick view is too large: {counted:?}");
    let expected: Vec<_> = expected.iter().map(|row| (row.0.to_owned(), row.1, row.2, row.3)).collect();
    assert_eq!(counted, expected);
}

#[test]
fn given_iggy_2026_08_when_its_quick_views_are_explored_should_have_exactly_these_sizes() {
    assert_counts(
        "iggy-2026-08",
        &[
            ("purge-with-pending-polls", 142270, 482528, 31),
            ("queued-operations-with-purge", 44043, 156854, 21),
            ("polls-with-reassignment", 73552, 301956, 28),
            ("commits-with-reassignment", 27449, 95663, 38),
            ("join-with-drain", 37490, 156706, 30),
            ("power-loss-during-purge", 134788, 559034, 25),
            ("restart", 76404, 281668, 22),
            ("delete-and-recreate", 44505, 141628, 26),
            ("three-aspects", 243732, 1157324, 30),
            ("liveness", 13714, 55280, 32),
        ],
    );
}

#[test]
fn given_kept_numbering_when_its_quick_views_are_explored_should_have_exactly_these_sizes() {
    assert_counts(
        "kept-numbering",
        &[
            ("purge-with-pending-polls", 149098, 499674, 31),
            ("queued-operations-with-purge", 40008, 140370, 21),
            ("polls-with-reassignment", 75412, 310282, 28),
            ("commits-with-reassignment", 27449, 95663, 38),
            ("join-with-drain", 37490, 156706, 30),
            ("power-loss-during-purge", 5134, 19497, 17),
            ("restart", 32524, 110856, 22),
            ("delete-and-recreate", 34539, 115329, 26),
            ("three-aspects", 284128, 1307858, 30),
            ("liveness", 9948, 40315, 33),
        ],
    );
}

#[test]
fn given_fenced_commits_when_its_quick_views_are_explored_should_have_exactly_these_sizes() {
    assert_counts(
        "fenced-commits",
        &[
            ("purge-with-pending-polls", 99626, 350532, 30),
            ("queued-operations-with-purge", 33989, 125551, 20),
            ("polls-with-reassignment", 83946, 337561, 28),
            ("commits-with-reassignment", 33600, 113968, 38),
            ("join-with-drain", 36668, 153663, 30),
            ("power-loss-during-purge", 55139, 214325, 23),
            ("restart", 32524, 110856, 22),
            ("delete-and-recreate", 34539, 115329, 26),
            ("three-aspects", 249586, 1176799, 30),
            ("liveness", 11132, 45801, 33),
        ],
    );
}

#[test]
fn given_owner_installed_when_its_quick_views_are_explored_should_have_exactly_these_sizes() {
    assert_counts(
        "owner-installed",
        &[
            ("purge-with-pending-polls", 73372, 255532, 32),
            ("queued-operations-with-purge", 24190, 86856, 21),
            ("polls-with-reassignment", 37788, 155334, 28),
            ("commits-with-reassignment", 18840, 67238, 38),
            ("join-with-drain", 40420, 165857, 30),
            ("power-loss-during-purge", 2224, 7792, 16),
            ("restart", 15904, 54216, 22),
            ("delete-and-recreate", 16618, 55921, 27),
            ("three-aspects", 255956, 1187838, 31),
            ("liveness", 20545, 85631, 39),
        ],
    );
}
