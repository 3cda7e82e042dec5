//! A walk through the model, written down in the words of the driver, with what the contract allows at each step.

use fencepost_driver::{Answer as How, Crash, Fields, ParkKind, Seen, Step};
use fencepost_models::iggy::messages::{Act, Envelope, Inner, Strategy};
use fencepost_models::iggy::system::Address;

use super::position::Position;
use super::walker::{Action, Walker};

/// The number of the first probing poll of a consumer; requests of traces have smaller ones.
pub const FIRST_PROBE: u8 = 200;

/// The most steps that an ending takes.
const MOST_ENDING_STEPS: usize = 200;

/// Most messages that a probing poll takes.
const PROBE_COUNT: u8 = 60;

fencepost_spec::words! {
    /// What comes after the last step of a trace, so that what it left behind can be seen.
    pub enum Ending {
        /// Nothing.
        Nothing = "nothing",
        /// The process dies at once, and everything that was not synced is lost if power can be lost.
        CrashNow = "crash-now",
        /// What goes on without clients goes on to its end, then the process dies.
        SettleAndCrash = "settle-and-crash",
        /// All reads, answers and everything else go on to their end, then the process dies.
        FinishAndCrash = "finish-and-crash",
    }
}

/// One step of a trace, with what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The steps of the driver: one, or a crash and the restart after it.
    pub steps: Vec<Step>,
    /// What is allowed to be seen after the last of them.
    pub allowed: Seen,
}

/// A walk through the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What comes after the part that was chosen.
    pub ending: Ending,
    /// The steps.
    pub steps: Vec<TraceStep>,
}

impl Trace {
    /// How many steps a driver takes.
    pub fn driver_steps(&self) -> usize {
        self.steps.iter().map(|step| step.steps.len()).sum()
    }
}

/// Writes traces down.
pub struct Scribe<'a> {
    walker: &'a Walker,
    /// The fields that are compared.
    fields: Fields,
    /// Whether the driver can end the process: the endings do without, if it cannot.
    crashes: bool,
}

/// A trace while it is written.
struct Draft {
    at: Position,
    steps: Vec<TraceStep>,
}

impl<'a> Scribe<'a> {
    /// Writes down what these fields show.
    pub fn new(walker: &'a Walker, fields: Fields, crashes: bool) -> Self {
        Self { walker, fields: fields.and(walker.fields()), crashes }
    }

    /// The trace of these actions from an initial state, and with each of some endings, one trace an ending; `None` if an action
    /// cannot be taken.
    pub fn traces(&self, initial: usize, actions: &[Action], endings: &[Ending]) -> Option<Vec<Trace>> {
        let mut draft = Draft { at: self.walker.start().into_iter().nth(initial)?, steps: Vec::new() };
        for action in actions {
            let (after, moved) = self.walker.take(&draft.at, action)?;
            self.add(&mut draft, after, moved.steps, moved.progress);
        }
        let written = |ending: &Ending| {
            let mut draft = Draft { at: draft.at.clone(), steps: draft.steps.clone() };
            self.end(&mut draft, *ending);
            Trace { ending: *ending, steps: draft.steps }
        };
        Some(endings.iter().map(written).collect())
    }

    fn add(&self, draft: &mut Draft, after: Position, steps: Vec<Step>, progress: fencepost_driver::Progress) {
        let observation = self.walker.look(&after, self.fields);
        draft.steps.push(TraceStep { steps, allowed: Seen { progress, observation } });
        draft.at = after;
    }

    fn end(&self, draft: &mut Draft, ending: Ending) {
        match ending {
            Ending::Nothing => return,
            Ending::CrashNow => {}
            Ending::SettleAndCrash => self.settle(draft, false),
            Ending::FinishAndCrash => self.settle(draft, true),
        }
        if self.crashes {
            let loses_power = self.walker.world.loses_power;
            let inner = if loses_power { Inner::PowerLoss(0) } else { Inner::Restart };
            self.force(draft, Address::Owner, Envelope::Inner(inner));
        }
        self.settle(draft, true);
        for index in 0..self.walker.bounds().consumers.len() {
            let index = u8::try_from(index).unwrap_or(u8::MAX);
            let act = Act::Poll { strategy: Strategy::Next, count: PROBE_COUNT, automatic: false, may_wait: false };
            let step = FIRST_PROBE.saturating_add(index);
            self.force(draft, Address::Consumer(index), Envelope::Act(Some(step), act));
            self.settle(draft, true);
        }
    }

    /// Lets everything go on that needs no new request: with `to_clients`, answers and reads, too.
    fn settle(&self, draft: &mut Draft, to_clients: bool) {
        for _ in 0..MOST_ENDING_STEPS {
            let possible = self.walker.possible(&draft.at);
            let next = possible.into_iter().find(|(_, _, moved)| goes_on(&moved.steps, to_clients));
            match next {
                Some((_, after, moved)) => self.add(draft, after, moved.steps, moved.progress),
                None if self.force(draft, Address::Owner, Envelope::Inner(Inner::ResumePurge)) => {}
                None => return,
            }
        }
    }

    /// Takes a step for which the bounds have no budget; `false` if it cannot be taken.
    fn force(&self, draft: &mut Draft, to: Address, message: Envelope) -> bool {
        match self.walker.force(&draft.at, to, message) {
            Some((after, moved)) => {
                self.add(draft, after, moved.steps, moved.progress);
                true
            }
            None => false,
        }
    }
}

/// Whether steps let something go on that was begun before, without a failure.
fn goes_on(steps: &[Step], to_clients: bool) -> bool {
    let [Step::Resume { park, answer: How::Proceed }] = steps else { return false };
    match park.kind {
        ParkKind::GatewayTimeOut | ParkKind::RevocationTimeOut => false,
        ParkKind::Reply | ParkKind::Open | ParkKind::Complete | ParkKind::Wait | ParkKind::Request => to_clients,
        _ => true,
    }
}

/// Whether a step ends the process.
pub fn is_crash(step: &Step) -> bool {
    matches!(step, Step::Crash { crash: Crash::Process {} | Crash::Power { .. } })
}
