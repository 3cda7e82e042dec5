//! Many traces of one view, replayed on several threads.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use fencepost_driver::{Capabilities, CrashKind, Failure, Settings, Subject};
use fencepost_models::iggy::bounds::Bounds;
use fencepost_spec::contract::Choices;

use super::audit::Audit;
use super::blame::Blame;
use super::divergence::{Divergence, DivergenceKind};
use super::runner::{Compared, Found, Runner, Walked};
use super::shrink::Shrinker;
use super::trace::{Ending, Scribe, Trace};
use super::walker::{Action, Walker};

/// Of how many traces one is replayed a second time, to see whether the same is seen.
const DETERMINISM_SAMPLE: usize = 64;

/// A way through the model: the index of the initial state, and the actions.
pub type Way = (usize, Vec<Action>);

/// Makes a subject; called once a thread, and once more to see whether a fresh one does the same.
pub type SubjectMaker<'a> = dyn Fn() -> Result<Box<dyn Subject>, Failure> + Sync + 'a;

/// What is replayed, on what, and how.
pub struct Session<'a> {
    /// Name of the contract.
    pub contract: &'a str,
    /// Its choices.
    pub choices: &'a Choices,
    /// Name of the view.
    pub view: &'a str,
    /// Its bounds.
    pub bounds: &'a Bounds,
    /// Makes the subject.
    pub subject: &'a SubjectMaker<'a>,
    /// By which contract the subject is configured, if it is another one than that it is followed in.
    pub configured: Option<Settings>,
    /// What is compared.
    pub compared: Compared,
    /// What comes after each way.
    pub endings: &'a [Ending],
    /// Whether inner places are held, and how they go on.
    pub audit: Option<Audit>,
    /// Threads, at least 1, each with a subject of its own.
    pub threads: usize,
    /// After how many different divergences the session ends.
    pub most_divergences: usize,
    /// Set from outside (Ctrl-C) to stop.
    pub interrupt: Arc<AtomicBool>,
    /// The command that finds a divergence again.
    pub command: &'a str,
    /// Called after every way with the number of ways that are done.
    pub progress: &'a (dyn Fn(usize) + Sync),
}

/// What came of a session.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// Name and version of the implementation.
    pub subject: String,
    /// Places that the driver cannot hold apart.
    pub not_separated: Vec<String>,
    /// Fields that the driver cannot see.
    pub not_observed: Vec<String>,
    /// Ways, without those that were not begun.
    pub ways: usize,
    /// Which of them were replayed to the end of at least one of their traces, by position.
    pub walked: Vec<bool>,
    /// Which of them the driver can go, by position: none of their steps is beyond it.
    pub drivable: Vec<bool>,
    /// Traces: ways with endings.
    pub traces: u64,
    /// Steps that the driver did.
    pub steps: u64,
    /// How long it took.
    pub seconds: f64,
    /// Traces that were left before their end, by reason.
    pub left: BTreeMap<String, u64>,
    /// The divergences, each kind once.
    pub divergences: Vec<Divergence>,
    /// Traces that diverged.
    pub diverged: u64,
    /// Traces that were replayed a second time.
    pub repeated: u64,
    /// The most positions that agreed at one step.
    pub most_positions: usize,
    /// Why it ended early, if it did.
    pub stopped: Option<String>,
}

impl Session<'_> {
    /// Replays these ways.
    ///
    /// # Errors
    /// The [`Failure`] of a driver that cannot be used.
    pub fn run(&self, ways: &[Way]) -> Result<Replayed, Failure> {
        let started = Instant::now();
        let next = AtomicUsize::new(0);
        let shared = Mutex::new(Replayed {
            walked: vec![false; ways.len()],
            drivable: vec![false; ways.len()],
            ..Replayed::default()
        });
        let work = || self.work(ways, &next, &shared);
        let outcome = std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads.max(1)).map(|_| scope.spawn(work)).collect();
            let mine = work();
            let joined =
                others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.fold(mine, Result::and)
        });
        outcome?;
        let mut replayed = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        replayed.seconds = started.elapsed().as_secs_f64();
        Ok(replayed)
    }

    fn work(&self, ways: &[Way], next: &AtomicUsize, shared: &Mutex<Replayed>) -> Result<(), Failure> {
        let walker = Walker::new(self.contract, self.choices, self.bounds);
        let mut subject = (self.subject)()?;
        let capabilities = subject.capabilities();
        let mut world = walker.world.clone();
        if let Some(settings) = &self.configured {
            world.settings = settings.clone();
        }
        let crashes = capabilities.crashes.contains(&self.crash_kind());
        note_capabilities(&capabilities, shared);
        let runner = Runner::new(&walker, capabilities, self.compared, world, self.audit);
        let scribe = Scribe::new(&walker, runner.grip().fields, crashes);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((initial, actions)) = ways.get(index) else { return Ok(()) };
            let is_over = {
                let replayed = lock(shared);
                replayed.divergences.len() >= self.most_divergences || replayed.stopped.is_some()
            };
            if is_over || self.interrupt.load(Ordering::Relaxed) {
                let mut replayed = lock(shared);
                let reason = if is_over { "enough divergences" } else { "interrupted" };
                replayed.stopped.get_or_insert_with(|| reason.to_owned());
                return Ok(());
            }
            let way = scribe.traces(*initial, actions, &[Ending::Nothing]).unwrap_or_default();
            let cannot = |trace: &Trace| {
                trace.steps.iter().flat_map(|step| &step.steps).any(|step| runner.cannot(step).is_some())
            };
            lock(shared).drivable[index] = !way.iter().any(cannot);
            let traces = scribe.traces(*initial, actions, self.endings).unwrap_or_default();
            for trace in traces {
                if lock(shared).stopped.is_some() {
                    break;
                }
                let repeats = index.is_multiple_of(DETERMINISM_SAMPLE);
                self.one(&runner, &mut *subject, &trace, index, repeats, shared)?;
            }
            lock(shared).ways += 1;
            (self.progress)(index + 1);
        }
    }

    fn crash_kind(&self) -> CrashKind {
        if self.bounds.power_losses > 0 { CrashKind::Power } else { CrashKind::Process }
    }

    fn one(
        &self,
        runner: &Runner<'_>,
        subject: &mut dyn Subject,
        trace: &Trace,
        index: usize,
        repeats: bool,
        shared: &Mutex<Replayed>,
    ) -> Result<(), Failure> {
        let walk = runner.walk(subject, trace);
        {
            let mut replayed = lock(shared);
            replayed.traces += 1;
            replayed.steps += walk.steps;
            replayed.most_positions = replayed.most_positions.max(walk.most_positions);
        }
        match walk.walked {
            Walked::Agreed => {
                lock(shared).walked[index] = true;
                if repeats && runner.grip().is_complete() {
                    self.repeat(runner, subject, trace, shared);
                    if index == 0 {
                        self.repeat(runner, &mut *(self.subject)()?, trace, shared);
                    }
                }
            }
            Walked::Left(reason) => *lock(shared).left.entry(reason).or_default() += 1,
            Walked::Diverged(found) => self.diverged(runner, subject, trace, &found, shared),
            Walked::Failed(failure, _) => return Err(failure),
        }
        Ok(())
    }

    /// The same trace once more, by the same subject or a fresh one, which is a process of its own if it is a child: it agreed, so it has
    /// to agree again.
    fn repeat(&self, runner: &Runner<'_>, subject: &mut dyn Subject, trace: &Trace, shared: &Mutex<Replayed>) {
        lock(shared).repeated += 1;
        if let Walked::Diverged(mut found) = runner.walk(subject, trace).walked {
            if found.first().kind.is_of_the_driver() {
                return self.diverged(runner, subject, trace, &found, shared);
            }
            for difference in &mut found.differences {
                difference.kind = DivergenceKind::Nondeterministic;
            }
            let blame = Blame { clause: None, different: None };
            let steps = found.transcript.len();
            self.add(self.divergence(runner, *found, blame, steps), shared);
        }
    }

    fn diverged(
        &self,
        runner: &Runner<'_>,
        subject: &mut dyn Subject,
        trace: &Trace,
        found: &Found,
        shared: &Mutex<Replayed>,
    ) {
        lock(shared).diverged += 1;
        let shrinker = Shrinker { runner, choices: self.choices, bounds: self.bounds };
        if found.first().kind.is_of_the_driver() {
            // The process is gone: there is nobody to try fewer steps with.
            let blame = Blame { clause: None, different: None };
            self.add(self.divergence(runner, found.clone(), blame, found.transcript.len()), shared);
            lock(shared).stopped.get_or_insert_with(|| "the driver cannot go on".to_owned());
            return;
        }
        let blame = shrinker.blame(found);
        let is_known = |known: &Divergence| is_same(known, &blame, found.first().kind);
        if lock(shared).divergences.iter().any(is_known) {
            return;
        }
        let shrunk = shrinker.shrink(subject, &trace.steps, found, &blame);
        self.add(self.divergence(runner, shrunk, blame, found.transcript.len()), shared);
    }

    fn divergence(&self, runner: &Runner<'_>, found: Found, blame: Blame, steps_before_shrinking: usize) -> Divergence {
        Divergence {
            contract: self.contract.to_owned(),
            view: self.view.to_owned(),
            subject: runner.subject(),
            world: runner.world().clone(),
            found,
            blame,
            steps_before_shrinking,
            command: self.command.to_owned(),
            known: None,
        }
    }

    fn add(&self, divergence: Divergence, shared: &Mutex<Replayed>) {
        let mut replayed = lock(shared);
        let kind = divergence.found.first().kind;
        if !replayed.divergences.iter().any(|known| is_same(known, &divergence.blame, kind)) {
            replayed.divergences.push(divergence);
        }
    }
}

/// Whether a divergence is of the same cause: the same change of the contract explains both, or none explains either and they are of
/// the same kind.
fn is_same(known: &Divergence, blame: &Blame, kind: DivergenceKind) -> bool {
    known.blame == *blame && (blame.different.is_some() || known.found.first().kind == kind)
}

fn note_capabilities(capabilities: &Capabilities, shared: &Mutex<Replayed>) {
    let mut replayed = lock(shared);
    replayed.subject = format!("{} {}", capabilities.subject, capabilities.version);
    let kinds = fencepost_driver::ParkKind::ALL.iter().filter(|kind| **kind != fencepost_driver::ParkKind::Inner);
    replayed.not_separated = kinds.filter(|kind| !capabilities.parks.contains(kind)).map(ToString::to_string).collect();
    let fields = fencepost_driver::Field::ALL.iter().filter(|field| !capabilities.observables.has(**field));
    replayed.not_observed = fields.map(|field| field.key().to_owned()).collect();
}

fn lock(shared: &Mutex<Replayed>) -> std::sync::MutexGuard<'_, Replayed> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
