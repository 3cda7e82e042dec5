//! Random walks in a world larger than the views: the reference partition is moved along them, and the set of all positions that agree
//! with what it says and shows is the oracle. A case that fails is made smaller twice: by `proptest`, over the list of choices, and then
//! by the shrinking of the replay, over the steps.
//!
//! `FENCEPOST_CASES` is the number of walks of each contract; the walks are the same in every run.

use fencepost_conformance::replay::divergence::Divergence;
use fencepost_conformance::replay::page::Page;
use fencepost_conformance::replay::runner::{Compared, Found, Runner, Walked};
use fencepost_conformance::replay::shrink::Shrinker;
use fencepost_conformance::replay::trace::{Ending, Scribe, TraceStep};
use fencepost_conformance::replay::walker::{Action, Walker};
use fencepost_driver::{Fields, Subject};
use fencepost_models::iggy::bounds::{Bounds, ConsumerBounds, Pipeline};
use fencepost_models::iggy::messages::{Act, Command, Strategy};
use fencepost_reference::{Backing, Fault, Planted, Reference};
use fencepost_spec::contract::{Choices, Contract};
use fencepost_spec::fence::Fence;
use fencepost_spec::library;
use proptest::collection::vec;
use proptest::num::u16;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Walks of each contract, unless the environment says otherwise.
const USUAL_CASES: u32 = 40;

/// The most steps of a walk.
const MOST_STEPS: usize = 80;

fn consumer(name: &str, member: bool, choices: &Choices) -> ConsumerBounds {
    let poll = |count, automatic, may_wait| Act::Poll { strategy: Strategy::Next, count, automatic, may_wait };
    ConsumerBounds {
        name: name.to_owned(),
        member,
        acts: vec![
            poll(2, true, choices.parked_polls),
            poll(1, false, false),
            Act::StoreLast,
            Act::Seek(0),
            Act::Delete,
            Act::GiveUpPoll,
            Act::GiveUpCommit,
        ],
        polls: Some(4),
        commits: Some(3),
        give_ups: 1,
        old_client: false,
    }
}

/// Three consumers, two of them members of the group, up to seven messages, three emptyings, a member that leaves and comes back, one
/// that joins, queues, deleted bookmarks, restarts and power losses.
fn large(choices: &Choices) -> Bounds {
    let consumer = |name, member| consumer(name, member, choices);
    Bounds {
        consumers: vec![consumer("A", true), consumer("B", true), consumer("C", false)],
        members: vec![0],
        initial_messages: 2,
        sends: vec![1, 2, 1, 1],
        concurrent_sends: 2,
        scripts: vec![
            vec![Command::Empty, Command::Empty, Command::Empty],
            vec![Command::Join(1), Command::Leave(0), Command::Join(0)],
        ],
        pipeline: Pipeline::Held { prepared: 2, queued: 2 },
        reads: 3,
        gateway_time_outs: 1,
        restarts: 2,
        power_losses: 2,
        unsynced_operations: 6,
        purge_in_steps: true,
        disk_failures: 1,
        revocation_time_outs: 1,
        ..Bounds::default()
    }
}

/// A contract in the large world, and an implementation.
struct Case<'a> {
    contract: &'a Contract,
    bounds: Bounds,
    walker: Walker,
    fault: Option<Fault>,
    /// What comes after a walk.
    ending: Ending,
}

impl<'a> Case<'a> {
    fn new(contract: &'a Contract, fault: Option<Fault>, ending: Ending) -> Self {
        let bounds = large(&contract.choices);
        let walker = Walker::new(&contract.name, &contract.choices, &bounds);
        Self { contract, bounds, walker, fault, ending }
    }

    fn subject(&self) -> Reference {
        Reference::new(Backing::memory(), self.fault)
    }

    fn runner(&self, subject: &Reference) -> Runner<'_> {
        let compared = Compared { fields: Fields::all(), exact_codes: false };
        Runner::new(&self.walker, subject.capabilities(), compared, self.walker.world.clone(), None)
    }

    /// The walk that these choices make: each takes one of the steps that are possible.
    fn actions(&self, choices: &[u16]) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some(mut at) = self.walker.start().into_iter().next() else { return actions };
        for choice in choices {
            let mut possible = self.walker.possible(&at);
            if possible.is_empty() {
                break;
            }
            let (action, after, _) = possible.swap_remove(usize::from(*choice) % possible.len());
            actions.push(action);
            at = after;
        }
        actions
    }

    fn steps(&self, choices: &[u16]) -> Vec<TraceStep> {
        let scribe = Scribe::new(&self.walker, Fields::all(), true);
        let traces = scribe.traces(0, &self.actions(choices), &[self.ending]);
        traces.and_then(|traces| traces.into_iter().next()).map(|trace| trace.steps).unwrap_or_default()
    }

    /// Where the implementation leaves the contract on this walk, if it does.
    fn found(&self, subject: &mut Reference, choices: &[u16]) -> Option<Found> {
        let walk = self.runner(subject).walk_tracking(subject, &self.steps(choices));
        match walk.walked {
            Walked::Agreed => None,
            Walked::Diverged(found) => Some(*found),
            other => panic!("{} was not walked to its end: {other:?}", self.contract.name),
        }
    }

    /// Tries so many walks; of one that fails, the fewest choices.
    fn search(&self, cases: u32) -> Option<Vec<u16>> {
        let config = Config { cases, failure_persistence: None, max_shrink_iters: 150, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let subject = std::cell::RefCell::new(self.subject());
        let result = runner.run(&vec(u16::ANY, 1..MOST_STEPS), |choices| {
            match self.found(&mut subject.borrow_mut(), &choices) {
                None => Ok(()),
                Some(found) => Err(TestCaseError::fail(format!("{:?}", found.first()))),
            }
        });
        match result {
            Ok(()) => None,
            Err(TestError::Fail(_, choices)) => Some(choices),
            Err(TestError::Abort(reason)) => panic!("the walks could not be tried: {reason}"),
        }
    }

    /// The divergence of a walk, with the fewest steps.
    fn shrunk(&self, choices: &[u16]) -> Divergence {
        let mut subject = self.subject();
        let found = self.found(&mut subject, choices).expect("the walk fails again");
        let runner = self.runner(&subject);
        let shrinker = Shrinker { runner: &runner, choices: &self.contract.choices, bounds: &self.bounds };
        let blame = shrinker.blame(&found);
        let steps = self.steps(choices);
        let shrunk = shrinker.shrink(&mut subject, &steps, &found, &blame);
        Divergence {
            contract: self.contract.name.clone(),
            view: "beyond the bounds".to_owned(),
            subject: runner.subject(),
            world: runner.world().clone(),
            steps_before_shrinking: found.transcript.len(),
            found: shrunk,
            blame,
            command: "cargo test -p fencepost-conformance --test beyond_bounds".to_owned(),
            known: None,
        }
    }
}

fn cases() -> u32 {
    std::env::var("FENCEPOST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(USUAL_CASES)
}

#[test]
fn given_every_contract_when_walked_beyond_the_bounds_should_agree() {
    for (name, _) in library::CONTRACTS {
        let contract = library::contract(name).expect("a shipped contract");
        let case = Case::new(&contract, None, Ending::FinishAndCrash);
        if let Some(choices) = case.search(cases()) {
            panic!("{}", Page::of(&case.shrunk(&choices)).text());
        }
    }
}

#[test]
fn given_a_read_with_an_effect_of_its_own_when_walked_should_be_found_and_shrunk_to_at_most_12_steps() {
    let contract = library::contract("iggy-poll-completion").expect("a shipped contract");
    let case = Case::new(&contract, Some(Fault::Planted(Planted::EffectInDetachedRead)), Ending::Nothing);
    let choices = case.search(500).expect("the fault is found");
    let divergence = case.shrunk(&choices);
    assert!(divergence.steps() <= 12, "{}", Page::of(&divergence).text());
}

/// The contracts that differ from a shipped one by one fence less: what maintainers try who ask whether a fence is needed.
///
/// Contracts with another choice are not among them: not every choice of one design makes sense beside those of another, and the partition
/// is not written for those that do not.
fn changed() -> Vec<Contract> {
    let shipped = library::contracts().expect("the shipped contracts");
    let without = |contract: &Contract, fence: Fence| {
        let mut changed = contract.clone();
        changed.name = format!("{} --without {fence}", contract.name);
        changed.choices.fences.remove(&fence);
        changed
    };
    let fences = |contract: &'_ Contract| contract.choices.fences.keys().copied().collect::<Vec<_>>();
    let all =
        shipped.iter().flat_map(|contract| fences(contract).into_iter().map(move |fence| without(contract, fence)));
    all.filter(|changed| changed.name != ONE_SEGMENT_IS_NOT_ENOUGH).collect()
}

/// Without the fence, a new segment can survive a power loss beside the old one. The disk of the model has one segment, the new one; the
/// partition finds both, and serves the old messages. Written down in `docs/decisions/model-choices.md`.
const ONE_SEGMENT_IS_NOT_ENOUGH: &str = "kept-numbering --without new-start-recorded-first";

#[test]
fn given_every_contract_without_one_fence_when_walked_beyond_the_bounds_should_agree() {
    for contract in changed() {
        let case = Case::new(&contract, None, Ending::FinishAndCrash);
        if let Some(choices) = case.search(cases() / 4) {
            panic!("{}", Page::of(&case.shrunk(&choices)).text());
        }
    }
}
