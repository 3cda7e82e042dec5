//! Changed contracts: under every built-in contract that has its place, another fence or choice hides the fault, so that it cannot show. It is
//! tried under a contract without what hides it, where it has to be caught.

use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_reference::Fault;
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::fence::Fence;
use fencepost_spec::library;

/// What is changed.
enum Change {
    /// A fence less.
    Without(Fence),
    /// Another choice.
    Chosen(&'static str, &'static str),
}

/// A fault and the contract under which it shows.
struct Variant {
    fault: &'static str,
    contract: &'static str,
    change: Change,
    view: &'static str,
}

/// The old files of bookmarks can come back only where their removal is not made durable.
const UNSYNCED_BOOKMARKS: Change = Change::Without(Fence::BookmarkDirectorySynced);

const ALL: &[Variant] = &[
    Variant {
        fault: "bookmark-generation-not-newer",
        contract: "reset-with-generation",
        change: UNSYNCED_BOOKMARKS,
        view: "power-loss-during-purge",
    },
    Variant {
        fault: "without-bookmark-generation-at-load",
        contract: "reset-with-generation",
        change: UNSYNCED_BOOKMARKS,
        view: "power-loss-during-purge",
    },
    // A batch is served although a purge came between plan and completion, so that the two generations differ.
    Variant {
        fault: "purge-generation-captured-at-completion",
        contract: "reset-with-generation",
        change: Change::Without(Fence::PollHistoryAtCompletion),
        view: "purge-with-pending-polls",
    },
    // A bookmark is above the head of an empty log, and the contract does not clamp it there.
    Variant {
        fault: "clamp-on-empty-log",
        contract: "iggy-2026-08",
        change: Change::Chosen("bookmark_above_head_at_boot", "absent"),
        view: "restart",
    },
];

impl Variant {
    /// The name of the changed contract.
    fn name(&self) -> String {
        match &self.change {
            Change::Without(fence) => format!("{} --without {fence}", self.contract),
            Change::Chosen(key, value) => format!("{} --with {key}={value}", self.contract),
        }
    }

    fn changed(&self) -> Result<Contract, Problem> {
        let mut contract = library::contract(self.contract)?;
        contract.name = self.name();
        match &self.change {
            Change::Without(fence) => drop(contract.choices.fences.remove(fence)),
            Change::Chosen(key, value) => {
                contract.choices = contract.choices.changed_to(key, value).map_err(Problem::new)?;
            }
        }
        Ok(contract)
    }
}

/// The changed contracts, each once, with the view in which their faults show.
///
/// # Errors
/// A [`Problem`] with a contract that is changed.
pub(super) fn contracts(bounds: BoundsSet) -> Result<Vec<(Contract, View)>, Problem> {
    let mut all: Vec<(Contract, View)> = Vec::new();
    for variant in ALL {
        if all.iter().all(|(contract, _)| contract.name != variant.name()) {
            let contract = variant.changed()?;
            let view = views(bounds, &contract.choices).into_iter().find(|view| view.name == variant.view);
            all.extend(view.map(|view| (contract, view)));
        }
    }
    Ok(all)
}

/// Whether a contract is one of these.
pub(super) fn is_changed(contract: &str) -> bool {
    ALL.iter().any(|variant| variant.name() == contract)
}

/// Whether a contract is tried on a fault: a changed one on its own faults only.
pub(super) fn is_for(contract: &str, fault: Fault) -> bool {
    let word = fault.to_string();
    !is_changed(contract) || ALL.iter().any(|variant| variant.name() == contract && variant.fault == word)
}
