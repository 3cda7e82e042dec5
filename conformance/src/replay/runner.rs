//! Moves a subject along a trace and compares.

use std::collections::BTreeMap;

use fencepost_driver::{
    Answer as How, Call, Capabilities, CrashKind, ErrorCode, Failure, Fields, Observation, Park, ParkKind, Progress,
    Seen, Step, Subject, World,
};

use super::audit::{Audit, Order};
use super::divergence::{Difference, DivergenceKind};
use super::fused::fused;
use super::position::Position;
use super::trace::{Trace, TraceStep};
use super::tracker::{Grip, Tracked, Tracker};
use super::walker::Walker;

/// One step that was done, and what was seen after it.
pub type Done = (Vec<Step>, Seen);

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// The fields, as far as the driver sees them.
    pub fields: Fields,
    /// Whether a differing code is a difference, even if it says the same to a client.
    pub exact_codes: bool,
}

/// Where a subject left the contract on a trace.
#[derive(Clone, Debug)]
pub struct Found {
    /// Everything that was done, the step that diverged last.
    pub transcript: Vec<Done>,
    /// The differences to what was allowed there; never none.
    pub differences: Vec<Difference>,
}

impl Found {
    /// The first difference.
    pub fn first(&self) -> &Difference {
        &self.differences[0]
    }
}

/// How a trace ended.
#[derive(Debug)]
pub enum Walked {
    /// Everything seen is allowed.
    Agreed,
    /// Something is not allowed.
    Diverged(Box<Found>),
    /// It was left before its end, for this reason: the driver cannot do a step, or went another way that is allowed, too.
    Left(String),
    /// The driver failed: no more can be tried with it.
    Failed(Failure, Vec<Done>),
}

/// The result of one trace.
#[derive(Debug)]
pub struct Walk {
    /// How it ended.
    pub walked: Walked,
    /// Steps that the driver did.
    pub steps: u64,
    /// The most positions that agreed at one step.
    pub most_positions: usize,
}

/// Moves subjects along traces of one model.
pub struct Runner<'a> {
    walker: &'a Walker,
    capabilities: Capabilities,
    grip: Grip,
    world: World,
    audit: Option<Audit>,
}

impl<'a> Runner<'a> {
    /// A runner for a driver with these capabilities. `world` may be configured by another contract than the walker's.
    pub fn new(
        walker: &'a Walker,
        capabilities: Capabilities,
        wanted: Compared,
        mut world: World,
        audit: Option<Audit>,
    ) -> Self {
        world.holds_inner_steps = audit.is_some();
        let grip = Grip::new(&capabilities, wanted.fields, wanted.exact_codes);
        Self { walker, capabilities, grip, world, audit }
    }

    /// What the driver holds back, and what is compared.
    pub fn grip(&self) -> &Grip {
        &self.grip
    }

    /// The model.
    pub fn walker(&self) -> &'a Walker {
        self.walker
    }

    /// The world at the start of every trace.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Name and version of the implementation.
    pub fn subject(&self) -> String {
        format!("{} {}", self.capabilities.subject, self.capabilities.version)
    }

    /// Why the driver cannot do a step; `None` if it can.
    pub fn cannot(&self, step: &Step) -> Option<String> {
        let crash_kind = |crash: &fencepost_driver::Crash| match crash {
            fencepost_driver::Crash::Process {} => CrashKind::Process,
            fencepost_driver::Crash::Power { .. } => CrashKind::Power,
        };
        match step {
            Step::Start { call, .. } if !self.capabilities.calls.iter().any(|known| known == call.kind()) => {
                Some(format!("the call `{}`", call.kind()))
            }
            Step::Crash { crash } if !self.capabilities.crashes.contains(&crash_kind(crash)) => {
                Some("ending the process".to_owned())
            }
            Step::Resume { park, answer: How::Fail } if park.kind == ParkKind::Purge && !self.grip.holds(step) => {
                Some("a failing sync".to_owned())
            }
            Step::Resume { park, .. }
                if matches!(park.kind, ParkKind::GatewayTimeOut | ParkKind::RevocationTimeOut)
                    && !self.grip.holds(step) =>
            {
                Some(format!("the timer `{}`", park.kind))
            }
            _ => None,
        }
    }

    /// Moves a subject along a trace.
    pub fn walk(&self, subject: &mut dyn Subject, trace: &Trace) -> Walk {
        if self.grip.is_complete() && self.audit.is_none() {
            self.walk_fast(subject, trace)
        } else {
            self.walk_tracking(subject, &trace.steps)
        }
    }

    /// Along what is allowed at each step, as the trace has it: nothing happens by itself, so there is one position only.
    fn walk_fast(&self, subject: &mut dyn Subject, trace: &Trace) -> Walk {
        let flat: Vec<Step> = trace.steps.iter().flat_map(|step| step.steps.iter().cloned()).collect();
        let can = flat.iter().position(|step| self.cannot(step).is_some()).unwrap_or(flat.len());
        let mut seen = Vec::with_capacity(can);
        let failure =
            subject.reset(&self.world).and_then(|()| subject.walk(&flat[..can], self.grip.fields, &mut seen)).err();
        let steps = seen.len() as u64;
        let mut seen = seen.into_iter();
        let mut transcript: Vec<Done> = Vec::new();
        for step in &trace.steps {
            let mut last = None;
            for _ in &step.steps {
                match seen.next() {
                    Some(one) => last = Some(one),
                    None => last = None,
                }
            }
            let Some(last) = last else { break };
            let difference = difference(step, &last);
            let is_unsupported = matches!(last.progress, Progress::Unsupported { .. });
            transcript.push((step.steps.clone(), last));
            if is_unsupported {
                return walk_of(Walked::Left("a step that the driver does not support".to_owned()), steps, 1);
            }
            if let Some(difference) = difference {
                if difference.kind == DivergenceKind::ForbiddenReply && !self.grip.exact_codes {
                    // Perhaps only the code differs, and says the same.
                    return self.walk_tracking(subject, &trace.steps);
                }
                let found = Found { transcript, differences: vec![difference] };
                return walk_of(Walked::Diverged(Box::new(found)), steps, 1);
            }
        }
        let walked = match failure {
            Some(failure) => {
                let at = trace.steps.get(transcript.len());
                failed(failure, transcript, at.map(|step| step.steps.clone()))
            }
            None if can < flat.len() => Walked::Left(self.cannot(&flat[can]).unwrap_or_default()),
            None => Walked::Agreed,
        };
        walk_of(walked, steps, 1)
    }

    /// With the set of all positions that agree with what was seen. Steps that the driver does not hold back are left out, and names
    /// are adapted: of a trace that was shortened, only the order of its steps is taken.
    pub fn walk_tracking(&self, subject: &mut dyn Subject, planned: &[TraceStep]) -> Walk {
        let tracker = Tracker::new(self.walker, &self.grip);
        let mut course =
            Course { positions: tracker.start(), transcript: Vec::new(), names: BTreeMap::new(), steps: 0, most: 1 };
        if let Err(failure) = subject.reset(&self.world) {
            return walk_of(Walked::Failed(failure, Vec::new()), 0, 1);
        }
        let mut order = self.audit.as_ref().map(Audit::order);
        let planned = if self.grip.is_complete() { planned.to_vec() } else { fused(planned, &self.grip) };
        for step in &planned {
            if let Some(reason) = step.steps.iter().find_map(|step| self.cannot(step)) {
                return course.end(Walked::Left(reason));
            }
            let Some(steps) = course.adapted(&tracker, &step.steps) else { continue };
            match self.one(subject, &tracker, &mut course, steps, order.as_mut()) {
                None => {}
                Some(walked) => return course.end(walked),
            }
        }
        if let Some(order) = order.as_mut()
            && let Some(walked) = self.finish_inner(subject, &tracker, &mut course, order)
        {
            return course.end(walked);
        }
        course.end(Walked::Agreed)
    }

    /// Does one step of the model; `None` to go on.
    fn one(
        &self,
        subject: &mut dyn Subject,
        tracker: &Tracker<'_>,
        course: &mut Course,
        steps: Vec<Step>,
        order: Option<&mut Order>,
    ) -> Option<Walked> {
        let mut order = order;
        if let Some(order) = order.as_mut()
            && let Err(failure) = order.before(subject, &steps)
        {
            return Some(failed(failure, course.transcript.clone(), Some(steps)));
        }
        let mut last = None;
        for step in &steps {
            match subject.perform(step) {
                Ok(progress) => last = Some(progress),
                Err(failure) => return Some(failed(failure, course.transcript.clone(), Some(steps.clone()))),
            }
            course.steps += 1;
        }
        let progress = last?;
        if let Progress::Unsupported { reason } = progress {
            return Some(Walked::Left(reason));
        }
        let looks = match order.as_mut() {
            None => Ok(true),
            Some(order) => order.after(subject),
        };
        let observation = match looks {
            Ok(true) => subject.observe(self.grip.fields),
            Ok(false) => Ok(Observation::default()),
            Err(failure) => Err(failure),
        };
        match observation {
            Ok(observation) => course.take(tracker, steps, Seen { progress, observation }),
            Err(failure) => Some(failed(failure, course.transcript.clone(), Some(steps))),
        }
    }

    /// Lets everything inside of the last steps go on, and looks once more.
    fn finish_inner(
        &self,
        subject: &mut dyn Subject,
        tracker: &Tracker<'_>,
        course: &mut Course,
        order: &mut Order,
    ) -> Option<Walked> {
        let looked = order.finish(subject).and_then(|()| subject.observe(self.grip.fields));
        match looked {
            Ok(observation) => course.look(tracker, observation),
            Err(failure) => Some(failed(failure, course.transcript.clone(), None)),
        }
    }
}

fn walk_of(walked: Walked, steps: u64, most_positions: usize) -> Walk {
    Walk { walked, steps, most_positions }
}

/// A walk with tracking, under way.
struct Course {
    positions: Vec<Position>,
    transcript: Vec<Done>,
    /// What the operations of the plan are called on this walk.
    names: BTreeMap<String, String>,
    steps: u64,
    most: usize,
}

impl Course {
    fn end(self, walked: Walked) -> Walk {
        walk_of(walked, self.steps, self.most)
    }

    /// The steps of the plan as they are called here; `None` if they are not possible.
    fn adapted(&mut self, tracker: &Tracker<'_>, planned: &[Step]) -> Option<Vec<Step>> {
        let renamed: Vec<Step> = planned.iter().map(|step| self.renamed(step)).collect();
        if let [Step::Start { operation: planned, .. }] = planned
            && let [Step::Start { call, .. }] = renamed.as_slice()
        {
            let started = tracker.starts(&self.positions).into_iter().filter_map(|step| match step {
                Step::Start { operation, call: possible } if is_like(&possible, call) => Some((operation, possible)),
                _ => None,
            });
            let exact = |(operation, possible): &(String, Call)| operation == planned && possible == call;
            let all: Vec<_> = started.collect();
            if let Some((operation, call)) = all.iter().find(|one| exact(one)).or(all.first()).cloned() {
                self.names.insert(planned.clone(), operation.clone());
                return Some(vec![Step::Start { operation, call }]);
            }
        }
        tracker.is_possible(&self.positions, &renamed).then_some(renamed)
    }

    fn renamed(&self, step: &Step) -> Step {
        let name = |name: &String| self.names.get(name).unwrap_or(name).clone();
        match step {
            Step::Start { operation, call: Call::Store { consumer, offset, batch_of } } => {
                let call =
                    Call::Store { consumer: consumer.clone(), offset: *offset, batch_of: batch_of.as_ref().map(name) };
                Step::Start { operation: operation.clone(), call }
            }
            Step::Resume { park, answer } => {
                Step::Resume { park: Park::new(park.kind, name(&park.name)), answer: *answer }
            }
            Step::Cancel { operation } => Step::Cancel { operation: name(operation) },
            other => other.clone(),
        }
    }

    /// Takes what was seen into account; `None` to go on.
    fn take(&mut self, tracker: &Tracker<'_>, steps: Vec<Step>, seen: Seen) -> Option<Walked> {
        let tracked = tracker.after(&self.positions, &steps, &seen);
        self.transcript.push((steps, seen));
        match tracked {
            Tracked::Agree(positions) => {
                self.most = self.most.max(positions.len());
                self.positions = positions;
                None
            }
            Tracked::Diverged(differences) => {
                let transcript = std::mem::take(&mut self.transcript);
                Some(Walked::Diverged(Box::new(Found { transcript, differences })))
            }
            Tracked::NotPossible => Some(Walked::Left("the driver went another way that is allowed, too".to_owned())),
            Tracked::TooMany => Some(Walked::Left("too many positions agree".to_owned())),
        }
    }

    fn look(&mut self, tracker: &Tracker<'_>, observation: Observation) -> Option<Walked> {
        let differences = tracker.look(&self.positions, &observation)?;
        let seen = Seen { progress: Progress::Parked, observation };
        self.transcript.push((Vec::new(), seen));
        let transcript = std::mem::take(&mut self.transcript);
        Some(Walked::Diverged(Box::new(Found { transcript, differences })))
    }
}

/// Whether a call does the same as the one of the plan, but for numbers that depend on what came before.
fn is_like(possible: &Call, planned: &Call) -> bool {
    match (possible, planned) {
        (Call::Send { payloads }, Call::Send { payloads: planned }) => payloads.len() == planned.len(),
        (
            Call::Store { consumer, offset, batch_of },
            Call::Store { consumer: planned_consumer, offset: planned_offset, batch_of: planned_batch },
        ) => {
            consumer == planned_consumer
                && batch_of == planned_batch
                && (batch_of.is_some() || offset == planned_offset)
        }
        (possible, planned) => possible == planned,
    }
}

/// How what was seen differs from what a trace allows.
fn difference(step: &TraceStep, seen: &Seen) -> Option<Difference> {
    if let Progress::Refused { reason } = &seen.progress {
        let seen = format!("the step is refused: {reason}");
        let allowed = "the step is done".to_owned();
        return Some(Difference { kind: DivergenceKind::MissingStep, field: None, seen, allowed });
    }
    if seen.progress != step.allowed.progress && !matches!(seen.progress, Progress::Unsupported { .. }) {
        let text = |progress: &Progress| match progress {
            Progress::Done { reply, .. } => super::tracker::reply_text(reply),
            _ => "no answer".to_owned(),
        };
        let (seen, allowed) = (text(&seen.progress), text(&step.allowed.progress));
        return Some(Difference { kind: DivergenceKind::ForbiddenReply, field: None, seen, allowed });
    }
    let (field, allowed, seen) = step.allowed.observation.first_difference(&seen.observation)?;
    let kind = DivergenceKind::of_field(field, &seen);
    Some(Difference { kind, field: Some(field), seen: format!("{} {seen}", field.key()), allowed })
}

/// A failure of the driver: some say something about the implementation.
fn failed(failure: Failure, mut transcript: Vec<Done>, at: Option<Vec<Step>>) -> Walked {
    let kind = match failure.code {
        ErrorCode::Hang => DivergenceKind::Hang,
        ErrorCode::Ended => DivergenceKind::PanicOrExit,
        ErrorCode::Protocol => DivergenceKind::Protocol,
        _ => return Walked::Failed(failure, transcript),
    };
    if let Some(steps) = at {
        let seen = Seen { progress: Progress::Parked, observation: Observation::default() };
        transcript.push((steps, seen));
    }
    let allowed = "the step is done".to_owned();
    let difference = Difference { kind, field: None, seen: failure.text, allowed };
    Walked::Diverged(Box::new(Found { transcript, differences: vec![difference] }))
}
