//! The lock that was proposed: whoever resolves offsets holds it until they are used, whoever resets one until it is cleared.

use fencepost_spec::kafkajs::fence::{self, Fence};

use super::super::marks::Mark;
use super::super::messages::PARTITIONS;
use super::{Consumer, Phase, Step, Wants};

impl Step<'_> {
    fn has_lock(&self) -> bool {
        self.setup.choices.has(Fence::LockFromResolveToUse)
    }

    /// Resolves, when the lock is granted.
    pub(super) fn resolve_under_lock(&mut self, node: u8, covered: [bool; PARTITIONS]) {
        if self.takes_lock(node, Wants::Resolve(covered)) {
            self.resolve(node, covered);
        }
    }

    /// Resets, when the lock is granted.
    pub(super) fn reset_under_lock(&mut self, node: u8, assignment: u8) {
        if self.takes_lock(node, Wants::Reset(assignment)) {
            self.reset(node, assignment);
        }
    }

    /// Whether the lock is granted at once, or there is none.
    fn takes_lock(&mut self, node: u8, wants: Wants) -> bool {
        if !self.has_lock() {
            return true;
        }
        if self.state().manager.locked_by.is_some() {
            self.state().fetchers[usize::from(node)] = Phase::WaitingForLock { wants, waited_steps: 0 };
            return false;
        }
        self.grant(node, 0);
        true
    }

    fn grant(&mut self, node: u8, waited_steps: u8) {
        self.reaction.mark(Mark::Passed(Fence::LockFromResolveToUse));
        self.reaction.mark(Mark::LockGranted(waited_steps));
        self.state().manager.locked_by = Some(node);
    }

    /// Gives the lock back; whoever waits gets it in the same step.
    pub(super) fn release_lock(&mut self, node: u8) {
        if self.state().manager.locked_by != Some(node) {
            return;
        }
        self.state().manager.locked_by = None;
        let waiting = |phase: &Phase| matches!(phase, Phase::WaitingForLock { .. });
        let Some(index) = self.state().fetchers.iter().position(waiting) else { return };
        let Phase::WaitingForLock { wants, waited_steps } = self.state().fetchers[index] else { return };
        let next = u8::try_from(index).unwrap_or(u8::MAX);
        self.grant(next, waited_steps + 1);
        match wants {
            Wants::Resolve(covered) => self.resolve(next, covered),
            Wants::Reset(assignment) => self.reset(next, assignment),
        }
    }

    /// Everybody who waited for the lock before this step, and still does, has waited one step more; perhaps too long.
    pub(super) fn pass_time(&mut self, before: &Consumer) {
        for index in 0..before.fetchers.len() {
            let (Phase::WaitingForLock { .. }, Phase::WaitingForLock { wants, waited_steps }) =
                (before.fetchers[index], self.state().fetchers[index])
            else {
                continue;
            };
            let waited_steps = waited_steps + 1;
            self.state().fetchers[index] = Phase::WaitingForLock { wants, waited_steps };
            let assigned = self.state().manager.assigned.iter().filter(|is_ours| **is_ours).count();
            let outcome = fence::lock_from_resolve_to_use(&self.setup.choices, waited_steps, assigned);
            if outcome.is_refused() {
                self.reaction.mark(Mark::Refused { fence: Fence::LockFromResolveToUse, needless: true });
                self.rest(u8::try_from(index).unwrap_or(u8::MAX));
            }
        }
    }
}
