//! The contract as the partition keeps it: its choices, and what is wrong on purpose. It counts how often that mattered, so that a
//! suite of traces which notices nothing can be told from one that never came by.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

use fencepost_spec::contract::Choices;
use fencepost_spec::fence::Fence;

use crate::fault::{Fault, Planted};

/// The choices of a contract, with a fault.
pub(crate) struct Rules {
    choices: Choices,
    fault: Option<Fault>,
    /// The fence that the contract has and the fault leaves out.
    missing: Option<Fence>,
    landed: Rc<Cell<u64>>,
}

impl Rules {
    /// The rules of a contract; a fence that the fault leaves out is not there.
    pub(crate) fn new(mut choices: Choices, fault: Option<Fault>, landed: Rc<Cell<u64>>) -> Self {
        let missing = match fault {
            Some(Fault::Without(fence)) => choices.fences.remove(&fence).map(|_| fence),
            _ => None,
        };
        Self { choices, fault, missing, landed }
    }

    /// What is wrong on purpose.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Whether this defect is planted; if so, it lands.
    pub(crate) fn planted(&self, planted: Planted) -> bool {
        let is_planted = self.fault == Some(Fault::Planted(planted));
        if is_planted {
            self.land();
        }
        is_planted
    }

    /// A fence was asked: one that is missing lands.
    pub(crate) fn asked<T>(&self, fence: Fence, outcome: T) -> T {
        if self.missing == Some(fence) {
            self.land();
        }
        outcome
    }

    fn land(&self) {
        self.landed.set(self.landed.get() + 1);
    }
}

impl Deref for Rules {
    type Target = Choices;

    fn deref(&self) -> &Choices {
        &self.choices
    }
}
