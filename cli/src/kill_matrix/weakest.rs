//! How much of an implementation one must see to notice a fault.

use fencepost_conformance::replay::divergence::DivergenceKind;
use fencepost_conformance::replay::runner::{Compared, Walked};
use fencepost_driver::{Field, Fields};
use fencepost_reference::Fault;

use super::stock::{Stock, reference, runner, walker};

/// The weakest of three ways to look under which some trace of a view shows the fault: only what clients are answered, also what is in
/// memory, or also what is in files.
pub(super) fn weakest(stock: &Stock<'_>, fault: Fault) -> &'static str {
    let files = [Field::BookmarkFiles, Field::Unsynced];
    let memory = Field::ALL.iter().filter(|field| !files.contains(field)).fold(Fields::NONE, |all, one| all.with(*one));
    match () {
        () if shows(stock, fault, Fields::NONE) => "answers",
        () if shows(stock, fault, memory) => "memory",
        () => "everything",
    }
}

fn shows(stock: &Stock<'_>, fault: Fault, fields: Fields) -> bool {
    let walker = walker(stock.contract, stock.view);
    let runner = runner(&walker, Compared { fields, exact_codes: false });
    let mut faulty = reference(Some(fault));
    // Who sees only answers does not see that a place is empty at which something should wait.
    let counts = |kind: DivergenceKind| !fields.is_empty() || kind == DivergenceKind::ForbiddenReply;
    stock.traces.iter().any(|trace| match runner.walk(&mut faulty, trace).walked {
        Walked::Diverged(found) => counts(found.first().kind),
        _ => false,
    })
}
