//! Contestants that explore our own Rust models in this process: the engines of Fencepost and of Stateright.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::compiled::Compiled;
use fencepost_checker::describe::Described;
use fencepost_checker::engine::{Engine, Limits, Quiet, Stop, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use fencepost_checker::plain::Plain;
use stateright::actor::{Actor, ActorModel};
use stateright::{Checker, Model};

use crate::contestant::Contestant;
use crate::core_model::{self, CoreModel, NO_FOREIGN_BOOKMARK, OWNER};
use crate::engine::{EngineName, Goal};
use crate::failure::Failure;
use crate::iggy;
use crate::measurement::{Measurement, peak_bytes_of};
use crate::paxos::{LINEARIZABLE, PaxosModel, is_linearizable_history, paxos_model};
use crate::subject::{Scale, Subject};
use crate::two_phase::NO_MIXED_DECISION;
use crate::two_phase::actors::{TwoPhaseModel, is_step_consistent, two_phase_model};
use crate::two_phase::plain::{TwoPhaseCommit, is_state_consistent};

/// A model with the same promise twice: as Stateright's property (in the model), and as a clause of ours.
struct Promised<M: Model>
where
    Named<M>: Described,
{
    model: M,
    clause: Clause<Named<M>>,
    /// Set at the first breach, if the exploration is to stop there.
    breached: Arc<AtomicBool>,
}

/// Turns a yes or no into a judgement, and remembers a no.
#[derive(Clone)]
struct Judge {
    breached: Arc<AtomicBool>,
}

impl Judge {
    fn new() -> Self {
        Self { breached: Arc::new(AtomicBool::new(false)) }
    }

    fn judge(&self, is_upheld: bool) -> Judgement {
        if is_upheld {
            return Judgement::Upheld;
        }
        self.breached.store(true, Ordering::Relaxed);
        Judgement::Broken("the promise of the model".to_owned())
    }
}

/// Explores a subject by an engine in this process.
pub fn run(contestant: &Contestant) -> Result<Measurement, Failure> {
    match contestant.subject {
        Subject::Core(scale, is_fenced) => explore_actors(core(scale, is_fenced, contestant.goal), contestant),
        Subject::Paxos(clients) => explore_actors(paxos(clients), contestant),
        Subject::TwoPhaseActors(managers) => explore_actors(two_phase_actors(managers), contestant),
        Subject::TwoPhase(managers) => explore(two_phase(managers), contestant),
        Subject::Iggy(view) => iggy::explore(view, contestant),
    }
}

fn core(scale: Scale, is_fenced: bool, goal: Goal) -> Promised<CoreModel> {
    let size = scale.size(is_fenced);
    // All states of a broken model can only be counted by Stateright if nobody asks for the verdict.
    let model = match goal {
        Goal::All if !is_fenced => core_model::core_model_without_verdict(size),
        _ => core_model::core_model(size),
    };
    let judge = Judge::new();
    let breached = Arc::clone(&judge.breached);
    // No other step changes the owner; a clause that says so lets an engine remember its judgements.
    let clause = Clause::on_step(NO_FOREIGN_BOOKMARK, move |step| match step.acting() {
        Some(OWNER) => judge.judge(core_model::is_bookmark_own(step.after(OWNER))),
        _ => Judgement::Silent,
    });
    Promised { model, clause, breached }
}

fn paxos(clients: usize) -> Promised<PaxosModel> {
    let judge = Judge::new();
    let breached = Arc::clone(&judge.breached);
    let clause = Clause::on_history(LINEARIZABLE, move |history| judge.judge(is_linearizable_history(history)));
    Promised { model: paxos_model(clients), clause, breached }
}

fn two_phase(managers: usize) -> Promised<TwoPhaseCommit> {
    let judge = Judge::new();
    let breached = Arc::clone(&judge.breached);
    let clause =
        Clause::on_state(NO_MIXED_DECISION, move |transition| judge.judge(is_state_consistent(transition.after)));
    Promised { model: TwoPhaseCommit { managers }, clause, breached }
}

fn two_phase_actors(managers: usize) -> Promised<TwoPhaseModel> {
    let judge = Judge::new();
    let breached = Arc::clone(&judge.breached);
    let clause = Clause::on_step(NO_MIXED_DECISION, move |step| {
        judge.judge(is_step_consistent(step.acting(), managers, |index| step.after(index)))
    });
    Promised { model: two_phase_model(managers), clause, breached }
}

/// Explores an actor model.
fn explore_actors<A, C, H>(
    promised: Promised<ActorModel<A, C, H>>,
    contestant: &Contestant,
) -> Result<Measurement, Failure>
where
    A: Actor<
            Msg: Ord + Send + Sync,
            Timer: Ord + Send + Sync,
            State: Send + Sync,
            Random: Send + Sync,
            Storage: Send + Sync,
        > + Send
        + Sync
        + 'static,
    C: Send + Sync + 'static,
    H: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
{
    match contestant.engine {
        // None of the models here has a boundary.
        EngineName::Compiled => measure_promised(&Compiled { is_unbounded: true }, promised, contestant),
        _ => explore(promised, contestant),
    }
}

/// Explores any model.
fn explore<M>(promised: Promised<M>, contestant: &Contestant) -> Result<Measurement, Failure>
where
    M: Model<State: Clone + Debug + Hash + PartialEq + Send + Sync, Action: Clone + Debug + PartialEq + Send + Sync>
        + Send
        + Sync
        + 'static,
{
    match contestant.engine {
        EngineName::Plain => measure_promised(&Plain, promised, contestant),
        EngineName::StaterightBfs => {
            measure_stateright(|| promised.model.checker().threads(contestant.threads).spawn_bfs().join(), contestant)
        }
        EngineName::StaterightDfs => {
            measure_stateright(|| promised.model.checker().threads(contestant.threads).spawn_dfs().join(), contestant)
        }
        engine => Err(Failure::wrong(format!("{} cannot explore {}", engine.name(), contestant.subject))),
    }
}

/// Explores by one of our engines.
fn measure_promised<M, E>(engine: &E, promised: Promised<M>, contestant: &Contestant) -> Result<Measurement, Failure>
where
    M: Model<State: Clone + Hash + PartialEq + Send + Sync, Action: Clone + Debug + Send + Sync> + Send + Sync,
    E: Engine<Named<M>>,
{
    let model = Named::new(promised.model, ["step"], |_| "step".to_owned());
    let mut limits = Limits::default();
    if contestant.goal == Goal::FirstBreach {
        limits.interrupt = promised.breached;
    }
    measure(engine, &model, &[promised.clause], &limits, contestant)
}

/// Explores by one of our engines.
pub fn measure<M: Described, E: Engine<M>>(
    engine: &E,
    model: &M,
    clauses: &[Clause<M>],
    limits: &Limits,
    contestant: &Contestant,
) -> Result<Measurement, Failure> {
    let task =
        Task { model, guide: &Unguided, clauses, liveness: &[], limits, threads: contestant.threads, progress: &Quiet };
    let started = Instant::now();
    let exploration = engine.explore(&task);
    let seconds = started.elapsed().as_secs_f64();
    match (exploration.stopped, contestant.goal) {
        (None, _) | (Some(Stop::Interrupted), Goal::FirstBreach) => {}
        (Some(stop), _) => return Err(Failure::wrong(format!("the exploration stopped early: {stop:?}"))),
    }
    let story = exploration.findings.iter().find_map(|finding| finding.broken.as_ref());
    Ok(Measurement {
        states: exploration.states,
        transitions: exploration.transitions,
        seconds,
        peak_bytes: peak_bytes_of("self"),
        story_steps: story.map(|breach| breach.trace.actions.len() as u64),
    })
}

/// Explores by one of Stateright's engines.
pub fn measure_stateright<M, K>(explore: impl FnOnce() -> K, contestant: &Contestant) -> Result<Measurement, Failure>
where
    M: Model<State: Clone + Debug + Hash + PartialEq, Action: Clone + PartialEq>,
    K: Checker<M>,
{
    let started = Instant::now();
    let checker = explore();
    let seconds = started.elapsed().as_secs_f64();
    if contestant.goal == Goal::All && !checker.is_done() {
        return Err(Failure::wrong("the exploration stopped early"));
    }
    // Before the paths of discoveries are rebuilt, which is no part of the exploration.
    let peak_bytes = peak_bytes_of("self");
    let story = checker.discoveries().into_values().map(|path| path.into_actions().len() as u64).next();
    Ok(Measurement {
        states: checker.unique_state_count() as u64,
        // Stateright counts the one initial state as generated.
        transitions: (checker.state_count() as u64).saturating_sub(1),
        seconds,
        peak_bytes,
        story_steps: story,
    })
}
