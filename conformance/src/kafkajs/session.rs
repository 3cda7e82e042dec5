//! Many ways replayed on one implementation, on several threads; each thread has a driver of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fencepost_checker::story::Story;
use fencepost_models::kafkajs::system;

use super::blame::explanations;
use super::change::KafkaJsChange;
use super::child::{Driver, DriverProblem, Seen, Target};
use super::compare::{Difference, difference};
use super::step::{Observation, Step};
use super::trace::Trace;
use super::ways::{Way, Ways};
use crate::child::ChildOptions;

/// How long a driver may take for one trace.
const TRACE_LIMIT: Duration = Duration::from_secs(10);

/// Where an implementation leaves the contract.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The trace.
    pub trace: Trace,
    /// The step after which something else is seen.
    pub step: usize,
    /// What differs first.
    pub difference: Difference,
    /// The smallest sets of changes of the contract that would allow it; empty: it is not modelled.
    pub explanations: Vec<Vec<KafkaJsChange>>,
    /// What was seen after each step, up to that one.
    pub seen: Vec<Observation>,
}

impl Divergence {
    /// The story up to the step in which something else is seen. `outcome` is its last line.
    pub fn story(&self, title: String, outcome: String) -> Story {
        let last = self.trace.steps[self.step].action.map_or(0, |action| action + 1);
        let actions = self.trace.way[..last].to_vec();
        let model = system::model(&self.trace.setup.choices, &self.trace.setup.bounds);
        let way = fencepost_checker::engine::Trace { initial: 0, actions, loop_start: None };
        match Story::of(&model, title, &way, outcome) {
            Ok(story) => story,
            Err(error) => unreachable!("a way of the model can be told by it: {error}"),
        }
    }
}

/// What came out of one view.
pub struct ViewReplay {
    /// The view.
    pub view: &'static str,
    /// Its states.
    pub states: usize,
    /// The reactions of the consumer that the ways come by.
    pub reactions: usize,
    /// Those that were seen on the implementation, before a trace diverged.
    pub covered: usize,
    /// Traces that were replayed.
    pub traces: usize,
    /// Steps that were taken.
    pub steps: usize,
    /// How long replaying took.
    pub seconds: f64,
    /// How many traces diverged.
    pub diverged: usize,
    /// The divergence with the fewest steps of each explanation.
    pub divergences: Vec<Divergence>,
    /// Whether it was ended before all ways were done.
    pub interrupted: bool,
}

/// What is replayed on what.
pub struct Session<'a> {
    /// The program of the driver.
    pub program: &'a str,
    /// The implementation.
    pub target: &'a Target,
    /// Time limits, and what ends the waiting.
    pub options: &'a ChildOptions,
    /// How many threads.
    pub threads: usize,
    /// Ends everything.
    pub interrupt: &'a AtomicBool,
    /// Is told how many ways of how many are done.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Session<'_> {
    /// Replays ways of a view.
    ///
    /// # Errors
    /// A [`DriverProblem`].
    pub fn replay(&self, view: &'static str, chosen: &Ways) -> Result<ViewReplay, DriverProblem> {
        let started = Instant::now();
        let done = AtomicUsize::new(0);
        let total = chosen.ways.len();
        let chunks = deal(&chosen.ways, self.threads);
        let setup = &chosen.setup;
        let parts = std::thread::scope(|scope| {
            let threads: Vec<_> = chunks
                .into_iter()
                .map(|ways| {
                    scope.spawn(|| {
                        self.part(setup, ways, &|| (self.progress)(1 + done.fetch_add(1, Ordering::Relaxed), total))
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
        });
        let mut result = ViewReplay {
            view,
            states: chosen.states,
            reactions: chosen.reactions,
            covered: 0,
            traces: 0,
            steps: 0,
            seconds: 0.0,
            diverged: 0,
            divergences: Vec::new(),
            interrupted: false,
        };
        let mut covered = BTreeSet::new();
        let mut divergences = Vec::new();
        for part in parts {
            let part = part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            result.traces += part.traces;
            result.steps += part.steps;
            result.diverged += part.diverged;
            result.interrupted |= part.interrupted;
            covered.extend(part.covered);
            divergences.extend(part.divergences);
        }
        result.covered = covered.len();
        result.seconds = started.elapsed().as_secs_f64();
        result.divergences = fewest_steps(divergences);
        Ok(result)
    }

    fn part(
        &self,
        setup: &Arc<system::Setup>,
        ways: Vec<(usize, &Way)>,
        done: &dyn Fn(),
    ) -> Result<Part, DriverProblem> {
        let mut part = Part::default();
        let mut driver = match Driver::start(self.program, self.target, self.options) {
            Err(problem) if problem.is_interruption() => return Ok(Part { interrupted: true, ..part }),
            other => other?,
        };
        for (place, way) in ways {
            if self.interrupt.load(Ordering::Relaxed) {
                part.interrupted = true;
                break;
            }
            let trace = Trace::of(setup, way.actions.clone());
            let (steps, divergence) = match run(&mut driver, trace, &mut part.explained) {
                Err(problem) if problem.is_interruption() => {
                    part.interrupted = true;
                    break;
                }
                other => other?,
            };
            part.traces += 1;
            part.steps += steps;
            // The first step sets the stage, and the last one of a trace that diverges is no reaction of the model.
            let agreed = steps - 1 - usize::from(divergence.is_some());
            part.covered.extend(way.reactions.iter().take(agreed));
            if let Some(divergence) = divergence {
                part.diverged += 1;
                part.keep(place, divergence);
            }
            done();
        }
        Ok(part)
    }
}

/// Replays one trace: the number of steps that were taken, and where it diverged.
///
/// # Errors
/// A [`DriverProblem`].
pub fn run(
    driver: &mut Driver,
    trace: Trace,
    explained: &mut Explained,
) -> Result<(usize, Option<Divergence>), DriverProblem> {
    let Seen { observations: seen, obstacle } = driver.run(&trace.steps, TRACE_LIMIT)?;
    for (step, (taken, observed)) in trace.steps.iter().zip(&seen).enumerate() {
        if let Some(difference) = difference(&taken.allowed, observed) {
            let explanations = explained.explanations(&trace, &seen[..=step]);
            let seen = seen[..=step].to_vec();
            return Ok((step + 1, Some(Divergence { trace, step, difference, explanations, seen })));
        }
    }
    if seen.len() == trace.steps.len() {
        return Ok((seen.len(), None));
    }
    let (step, allowed) = (seen.len(), "the step can be taken".to_owned());
    let instead = obstacle.unwrap_or_else(|| "it has ended".to_owned());
    let difference = Difference { kind: "step-cannot-be-taken", allowed, seen: instead };
    Ok((step + 1, Some(Divergence { trace, step, difference, explanations: Vec::new(), seen })))
}

/// Explanations that were looked for before: many ways begin alike.
#[derive(Default)]
pub struct Explained(HashMap<(Vec<Step>, String), Vec<Vec<KafkaJsChange>>>);

impl Explained {
    fn explanations(&mut self, trace: &Trace, seen: &[Observation]) -> Vec<Vec<KafkaJsChange>> {
        let steps = trace.steps.iter().take(seen.len()).map(|taken| taken.step.clone()).collect();
        let key = (steps, format!("{:?}", seen.last()));
        self.0.entry(key).or_insert_with(|| explanations(trace, seen)).clone()
    }
}

#[derive(Default)]
struct Part {
    explained: Explained,
    covered: BTreeSet<usize>,
    traces: usize,
    steps: usize,
    diverged: usize,
    interrupted: bool,
    /// By explanation and kind, the one with the fewest steps; of equals the one whose way comes first.
    divergences: BTreeMap<Cause, (usize, Divergence)>,
}

/// What makes divergences the same: the sets of changes that would allow them, and, where there is none, what differs.
type Cause = (String, &'static str);

fn cause(divergence: &Divergence) -> Cause {
    let kind = if divergence.explanations.is_empty() { divergence.difference.kind } else { "" };
    (format!("{:?}", divergence.explanations), kind)
}

impl Part {
    fn keep(&mut self, place: usize, divergence: Divergence) {
        let cause = cause(&divergence);
        let is_better = self
            .divergences
            .get(&cause)
            .is_none_or(|(known_place, known)| (divergence.step, place) < (known.step, *known_place));
        if is_better {
            self.divergences.insert(cause, (place, divergence));
        }
    }
}

fn fewest_steps(found: Vec<(Cause, (usize, Divergence))>) -> Vec<Divergence> {
    let mut part = Part::default();
    for (_, (place, divergence)) in found {
        part.keep(place, divergence);
    }
    let mut divergences: Vec<(usize, Divergence)> = part.divergences.into_values().collect();
    divergences.sort_by_key(|(place, divergence)| (divergence.step, *place));
    divergences.into_iter().map(|(_, divergence)| divergence).collect()
}

/// Deals the ways out among threads, each with its number.
fn deal(ways: &[Way], threads: usize) -> Vec<Vec<(usize, &Way)>> {
    let mut hands: Vec<Vec<(usize, &Way)>> = (0..threads.max(1)).map(|_| Vec::new()).collect();
    let count = hands.len();
    for (place, way) in ways.iter().enumerate() {
        hands[place % count].push((place, way));
    }
    hands
}
