//! Following a recording: the set of all model states that agree with everything seen so far.
//!
//! For each line the request enters every state of the set, all hidden steps are taken in every order, and the states that
//! disagree with the answer are dropped (the modules `partition`, `reads` and `server` know which steps a line names and which
//! are hidden). When none is left the recording leaves the contract there, and `clause` looks for the fence that forbids it.

mod belief;
mod clause;
mod compare;
mod observe;
mod partition;
mod reads;
mod server;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fencepost_checker::story::Story;
use fencepost_spec::clause::ClauseName;
use fencepost_spec::contract::{Choices, Contract};
use fencepost_spec::diagnostic::Problem;
use fencepost_spec::fence::Fence;

use crate::recording::{Line, Recording, Step};
use belief::{Belief, Beliefs};
use world::World;

/// The most states that may agree with a recording at one line.
pub const MOST_STATES: usize = 20_000;

fencepost_spec::words! {
    /// How a recording leaves a contract.
    pub enum DivergenceKind {
        /// No state gives this answer.
        AnswerDiffers = "answer-differs",
        /// No state looks like this.
        StateDiffers = "state-differs",
        /// The contract has no such step.
        StepNotInContract = "step-not-in-contract",
    }
}

/// How to follow.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether a differing code of the same kind is a divergence (else it is a note).
    pub exact_codes: bool,
    /// Set from outside (Ctrl-C) to stop.
    pub interrupt: Arc<AtomicBool>,
}

/// Something to know about a line that is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The line.
    pub line: usize,
    /// What is to be known.
    pub text: String,
}

/// Which clause forbids a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The clause of the smallest set of fences whose removal allows the line.
    Clause(ClauseName),
    /// No set of at most two fences.
    Unmodelled,
    /// The question does not arise: the contract has no such step.
    None,
}

impl Blame {
    /// The word for reports.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Clause(clause) => Some(clause.word()),
            Self::Unmodelled => Some("unmodelled"),
            Self::None => None,
        }
    }
}

/// Where and how a recording leaves a contract.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The line.
    pub line: usize,
    /// How.
    pub kind: DivergenceKind,
    /// What was seen.
    pub seen: String,
    /// What would have been allowed, each once.
    pub allowed: Vec<String>,
    /// The clause that forbids it.
    pub blame: Blame,
    /// The smallest set of fences whose removal allows the line.
    pub fences: Vec<Fence>,
    /// One of the stories that agree with everything before the line.
    pub story: Story,
}

impl Divergence {
    /// The divergence in one sentence.
    pub fn reason(&self) -> String {
        if self.kind == DivergenceKind::StepNotInContract {
            return self.seen.clone();
        }
        let allowed = if self.allowed.is_empty() { "nothing".to_owned() } else { self.allowed.join("; or ") };
        format!("seen: {}; allowed: {allowed}", self.seen)
    }
}

/// What came of following a recording.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The contract.
    pub contract: String,
    /// How many lines with a request there are.
    pub lines: usize,
    /// Where it leaves the contract, if it does.
    pub divergence: Option<Divergence>,
    /// Why following ended early, if it did.
    pub stopped: Option<String>,
    /// What is to be known about lines that are allowed.
    pub notes: Vec<Note>,
    /// Fields that were recorded and not compared, with their number.
    pub ignored: BTreeMap<&'static str, u64>,
    /// Fields that were not recorded, and so allow everything, with their number.
    pub unconstrained: BTreeMap<&'static str, u64>,
    /// The most states that agreed at one line.
    pub most_states: usize,
}

impl Followed {
    fn new(contract: &str, recording: &Recording) -> Self {
        Self {
            contract: contract.to_owned(),
            lines: recording.lines.len(),
            divergence: None,
            stopped: None,
            notes: Vec::new(),
            ignored: BTreeMap::new(),
            unconstrained: BTreeMap::new(),
            most_states: 0,
        }
    }

    /// Whether an implementation that obeys the contract could have answered like this.
    pub fn is_allowed(&self) -> bool {
        self.divergence.is_none() && self.stopped.is_none()
    }
}

/// Fields counted by name.
#[derive(Clone, Debug, Default)]
struct Counts {
    ignored: BTreeMap<&'static str, u64>,
    unconstrained: BTreeMap<&'static str, u64>,
}

impl Counts {
    fn ignore(&mut self, field: &'static str, is_there: bool) {
        if is_there {
            *self.ignored.entry(field).or_default() += 1;
        }
    }

    fn constrain(&mut self, field: &'static str, is_there: bool) {
        if !is_there {
            *self.unconstrained.entry(field).or_default() += 1;
        }
    }
}

/// A state after a line, and how it disagrees with what was seen.
struct Candidate {
    belief: Belief,
    differs: Option<Difference>,
    /// The code that the model gives, if another of the same kind was recorded.
    other_code: Option<String>,
}

/// How a state disagrees with what was seen.
struct Difference {
    kind: DivergenceKind,
    /// In how many things.
    size: usize,
    seen: String,
    allowed: String,
}

/// What a line leads to.
enum Outcome {
    Candidates(Vec<Candidate>),
    /// The contract has no such step, for this reason.
    NotInContract(String),
    /// Too many states, or interrupted.
    Stopped(String),
}

/// A walk along a recording.
struct Walk<'a> {
    recording: &'a Recording,
    world: World,
    exact_codes: bool,
    counts: Counts,
    /// The number of the history that payloads name, and how many messages were sent in it.
    history: (u64, u64),
}

/// How a walk ended.
enum Ending {
    Allowed,
    /// With the last line at which each fence refused something.
    Diverged(Box<Divergence>, BTreeMap<Fence, usize>),
    Stopped(String),
}

/// Follows a recording under a contract.
///
/// # Errors
/// A [`Problem`] with the line that cannot be followed, for example because it names a read that there is not.
pub fn follow(recording: &Recording, contract: &Contract, options: &Options) -> Result<Followed, Problem> {
    let mut followed = Followed::new(&contract.name, recording);
    let ending = walk(recording, &contract.choices, options, usize::MAX, &mut followed)?;
    match ending {
        Ending::Allowed => {}
        Ending::Stopped(reason) => followed.stopped = Some(reason),
        Ending::Diverged(mut divergence, refusals) => {
            if divergence.kind != DivergenceKind::StepNotInContract {
                let found = clause::fences(recording, &contract.choices, options, divergence.line, &refusals)?;
                let clause = found.first().map(|fence| fence.description().clause);
                divergence.blame = clause.map_or(Blame::Unmodelled, Blame::Clause);
                divergence.fences = found;
            }
            followed.divergence = Some(*divergence);
        }
    }
    Ok(followed)
}

/// Walks along the lines up to one.
fn walk(
    recording: &Recording,
    choices: &Choices,
    options: &Options,
    last_line: usize,
    followed: &mut Followed,
) -> Result<Ending, Problem> {
    let mut walk = Walk::new(recording, choices, options);
    let mut beliefs = walk.world.start();
    let mut ending = Ending::Allowed;
    for (index, line) in recording.lines.iter().enumerate().filter(|(_, line)| line.number <= last_line) {
        let outcome = match options.interrupt.load(Ordering::Relaxed) {
            true => Outcome::Stopped("interrupted".to_owned()),
            false => walk.line(index, line, &beliefs)?,
        };
        match outcome {
            Outcome::Stopped(reason) => {
                ending = Ending::Stopped(reason);
                break;
            }
            Outcome::NotInContract(reason) => {
                ending = Ending::Diverged(Box::new(not_in_contract(line, &beliefs, reason)), BTreeMap::new());
                break;
            }
            Outcome::Candidates(candidates) => match walk.prune(candidates) {
                Ok((kept, note)) => {
                    followed.notes.extend(note.map(|text| Note { line: line.number, text }));
                    beliefs = kept;
                }
                Err(differences) => {
                    let refusals = walk.world.refusals.take();
                    ending = Ending::Diverged(Box::new(divergence(line, &beliefs, &differences)), refusals);
                    break;
                }
            },
        }
        followed.most_states = followed.most_states.max(beliefs.len());
        if beliefs.len() > MOST_STATES {
            ending = Ending::Stopped(format!("more than {MOST_STATES} states agree with line {}", line.number));
            break;
        }
    }
    followed.ignored = walk.counts.ignored;
    followed.unconstrained = walk.counts.unconstrained;
    Ok(ending)
}

impl<'a> Walk<'a> {
    fn new(recording: &'a Recording, choices: &Choices, options: &Options) -> Self {
        Self {
            recording,
            world: World::new(recording, choices),
            exact_codes: options.exact_codes,
            counts: Counts::default(),
            history: (1, 0),
        }
    }

    fn line(&mut self, index: usize, line: &Line, beliefs: &[Belief]) -> Result<Outcome, Problem> {
        match &line.step {
            Step::Partition(step) => self.partition_line(index, line, step, beliefs),
            Step::Server(step) => self.server_line(index, line, step, beliefs),
        }
    }

    /// The number of the request of a line. Numbers are used again when the first ones are long answered.
    fn number(index: usize) -> u8 {
        u8::try_from(index % 250 + 1).unwrap_or(1)
    }

    /// The distinct states that agree, and a note on a differing code; or all the differences, if no state agrees.
    fn prune(&self, candidates: Vec<Candidate>) -> Result<(Vec<Belief>, Option<String>), Vec<Difference>> {
        let mut kept = Beliefs::default();
        let mut differences = Vec::new();
        let mut has_exact = false;
        let mut codes = BTreeSet::new();
        for candidate in candidates {
            match candidate.differs {
                Some(difference) => differences.push(difference),
                None => {
                    has_exact |= candidate.other_code.is_none();
                    codes.extend(candidate.other_code);
                    let mut belief = candidate.belief;
                    belief.forget_notes(self.world.clients.len(), self.world.carries_identities());
                    kept.add(belief);
                }
            }
        }
        if kept.len() == 0 {
            return Err(differences);
        }
        let note = (!has_exact).then(|| codes.into_iter().collect::<Vec<_>>().join("; "));
        Ok((kept.into_all(), note))
    }

    /// A problem with a line.
    fn problem(&self, line: &Line, message: impl Into<String>) -> Problem {
        Problem::at(&self.recording.file, &self.recording.text, line.span.clone(), message)
    }
}

fn divergence(line: &Line, before: &[Belief], differences: &[Difference]) -> Divergence {
    let least = differences.iter().map(|difference| difference.size).min().unwrap_or(0);
    let nearest: Vec<&Difference> = differences.iter().filter(|difference| difference.size == least).collect();
    let mut allowed = Vec::new();
    for difference in &nearest {
        if !allowed.contains(&difference.allowed) {
            allowed.push(difference.allowed.clone());
        }
    }
    let first = nearest.first();
    let kind = first.map_or(DivergenceKind::AnswerDiffers, |difference| difference.kind);
    let seen = first.map_or_else(|| line.answer.clone(), |difference| difference.seen.clone());
    let fences = Vec::new();
    let story = story(line, before, &seen);
    Divergence { line: line.number, kind, seen, allowed, blame: Blame::None, fences, story }
}

fn not_in_contract(line: &Line, before: &[Belief], reason: String) -> Divergence {
    let story = story(line, before, &reason);
    let kind = DivergenceKind::StepNotInContract;
    let (allowed, fences) = (Vec::new(), Vec::new());
    Divergence { line: line.number, kind, seen: reason, allowed, blame: Blame::None, fences, story }
}

fn story(line: &Line, before: &[Belief], seen: &str) -> Story {
    let ending = format!("then line {}: {seen}", line.number);
    match before.first() {
        Some(belief) => belief.story("one way to everything before", &ending),
        None => Story { title: String::new(), lines: Vec::new(), loop_start: None, ending },
    }
}
