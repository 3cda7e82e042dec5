//! The tests that pages offer to be pasted, compiled and run: one of each kind of divergence, against a subject that obeys and against
//! one that does not. `tests/page.rs` compares these files with what is generated.

use std::cell::Cell;

use fencepost_driver::{
    Answer, Call, Capabilities, Crash, CrashKind, Failure, Fields, Observation, Park, ParkKind, Progress, Reply,
    Subject, World,
};

thread_local! {
    /// Whether the subjects of this thread leave the contract.
    static LEAVES: Cell<bool> = const { Cell::new(false) };
}

/// A subject that says the same after every step.
#[derive(Default)]
struct Fake {
    progress: Vec<Progress>,
    observation: Observation,
    failure: Option<Failure>,
    inner: usize,
    steps: usize,
}

impl Fake {
    fn answers(progress: Progress) -> Self {
        Self { progress: vec![progress], ..Self::default() }
    }

    fn shows(observation: Observation) -> Self {
        Self { observation, ..Self::default() }
    }

    fn next(&mut self) -> Result<Progress, Failure> {
        self.steps += 1;
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None if self.progress.is_empty() => Ok(Progress::Parked),
            None => Ok(self.progress[self.steps % self.progress.len()].clone()),
        }
    }
}

impl Subject for Fake {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            subject: "fake".to_owned(),
            version: "1".to_owned(),
            calls: Vec::new(),
            parks: Vec::new(),
            observables: Fields::all(),
            crashes: vec![CrashKind::Process],
            is_deterministic: true,
        }
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        assert!(!world.clients.is_empty(), "the world of the page has consumers");
        Ok(())
    }

    fn start(&mut self, _operation: &str, _call: &Call) -> Result<Progress, Failure> {
        self.next()
    }

    fn resume(&mut self, park: &Park, _answer: Answer) -> Result<Progress, Failure> {
        if park.kind == ParkKind::Inner {
            self.inner -= 1;
            return Ok(Progress::Parked);
        }
        self.inner = 2;
        self.next()
    }

    fn parked(&self) -> Vec<Park> {
        (0..self.inner).map(|number| Park::new(ParkKind::Inner, number.to_string())).collect()
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        Ok(self.observation.clone().only(fields))
    }

    fn cancel(&mut self, _operation: &str) -> Result<Progress, Failure> {
        self.next()
    }

    fn crash(&mut self, _crash: &Crash) -> Result<Progress, Failure> {
        self.next()
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        self.next()
    }
}

/// A generated test of one kind in a module of its own, and a test that the generated one fails for a subject that leaves the contract.
macro_rules! pasted {
    ($kind:ident, $file:literal, $name:ident, $obeys:expr, $leaves:expr) => {
        mod $kind {
            use super::*;

            fn subject() -> impl Subject {
                if LEAVES.get() { $leaves } else { $obeys }
            }

            include!($file);

            #[test]
            fn given_a_subject_that_leaves_the_contract_when_the_pasted_test_runs_should_fail() {
                LEAVES.set(true);
                let outcome = std::panic::catch_unwind($name);
                LEAVES.set(false);
                assert!(outcome.is_err(), "the pasted test passes although the contract is left");
            }
        }
    };
}

fn bookmark(offset: Option<u64>) -> Fake {
    let bookmarks = offset.map(|offset| ("group".to_owned(), offset)).into_iter().collect();
    Fake::shows(Observation { bookmarks: Some(bookmarks), next_offset: Some(2), ..Observation::default() })
}

fn parked(park: &str) -> Fake {
    let parked = vec![park.parse().expect("a park")];
    Fake::shows(Observation { parked: Some(parked), ..Observation::default() })
}

fn fails() -> Fake {
    Fake { failure: Some(Failure::failed("it does not come back")), ..Fake::default() }
}

fn refuses() -> Fake {
    Fake::answers(Progress::Refused { reason: "not now".to_owned() })
}

pasted!(
    forbidden_state,
    "page/forbidden-state.rs",
    given_commits_with_reassignment_when_11_steps_are_done_should_keep_commit_under_reading_assignment,
    bookmark(None),
    bookmark(Some(1))
);

pasted!(
    forbidden_state_with_inner_places,
    "page/forbidden-state-inner.rs",
    given_commits_with_reassignment_when_11_steps_are_done_should_keep_commit_under_reading_assignment,
    bookmark(None),
    bookmark(Some(1))
);

pasted!(
    forbidden_reply,
    "page/forbidden-reply.rs",
    given_purge_with_pending_polls_when_7_steps_are_done_should_keep_no_stale_batch,
    Fake::answers(Progress::done(Reply::Code { code: 87 })),
    Fake::answers(Progress::Parked)
);

pasted!(
    missing_step,
    "page/missing-step.rs",
    given_join_with_drain_when_1_step_is_done_should_keep_revocation_drains_or_times_out,
    Fake::default(),
    refuses()
);

pasted!(
    unknown_yield,
    "page/unknown-yield.rs",
    given_queued_operations_with_purge_when_3_steps_are_done_should_keep_to_owner_installed,
    parked("reply:producer.1"),
    parked("inner:flush")
);

pasted!(
    hang,
    "page/hang.rs",
    given_purge_with_pending_polls_when_3_steps_are_done_should_keep_to_owner_installed,
    Fake::default(),
    fails()
);

pasted!(
    panic_or_exit,
    "page/panic-or-exit.rs",
    given_power_loss_during_purge_when_4_steps_are_done_should_keep_to_owner_installed,
    Fake::default(),
    fails()
);

pasted!(
    nondeterministic,
    "page/nondeterministic.rs",
    given_restart_when_2_steps_are_done_should_keep_to_owner_installed,
    Fake::default(),
    Fake { progress: vec![Progress::Parked, Progress::done(Reply::Acknowledged {})], ..Fake::default() }
);

pasted!(
    protocol,
    "page/protocol.rs",
    given_purge_with_pending_polls_when_3_steps_are_done_should_keep_to_owner_installed,
    Fake::default(),
    fails()
);
