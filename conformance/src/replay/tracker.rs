//! The set of all positions of the model that agree with everything seen so far.
//!
//! Steps that a driver can hold back are taken when it takes them. Steps that it cannot hold back happen by themselves: before every
//! step, and after it, they are taken in every order, and a step that a client's answer ends is looked for behind them.

use fencepost_driver::{
    Answer as How, Capabilities, Certainty, Fields, Observation, Park, ParkKind, Progress, Reply, Seen, Step,
};

use fencepost_spec::reply::{Code, ReplyClass};

use super::divergence::{Difference, DivergenceKind};
use super::position::{Position, Positions};
use super::walker::{Move, Walker};

/// The most positions that may agree at one step.
pub const MOST_POSITIONS: usize = 20_000;

/// What a step did to the set of positions.
pub enum Tracked {
    /// These agree; never none.
    Agree(Vec<Position>),
    /// None agrees: the differences of those that come nearest.
    Diverged(Vec<Difference>),
    /// The step is no step of the model in any of the positions.
    NotPossible,
    /// More than [`MOST_POSITIONS`].
    TooMany,
}

/// Which steps a driver holds back, and what it sees.
#[derive(Clone, Debug)]
pub struct Grip {
    held: Vec<ParkKind>,
    /// Whether a differing code is a difference, even if it says the same to a client.
    pub exact_codes: bool,
    /// The fields that are compared.
    pub fields: Fields,
}

impl Grip {
    /// The grip of a driver, and of the fields it sees only those that are wanted.
    pub fn new(capabilities: &Capabilities, wanted: Fields, exact_codes: bool) -> Self {
        let held = capabilities.parks.iter().copied().filter(|kind| *kind != ParkKind::Inner).collect();
        Self { held, exact_codes, fields: capabilities.observables.and(wanted) }
    }

    /// Whether the driver holds every step back, so that nothing happens by itself.
    pub fn is_complete(&self) -> bool {
        ParkKind::ALL.iter().all(|kind| *kind == ParkKind::Inner || self.held.contains(kind))
    }

    /// Whether the driver holds work back at places of this kind.
    pub fn holds_kind(&self, kind: ParkKind) -> bool {
        self.held.contains(&kind)
    }

    /// Whether the driver decides when this step is taken.
    pub fn holds(&self, step: &Step) -> bool {
        match step {
            Step::Resume { park, .. } => self.held.contains(&park.kind),
            Step::Start { .. } | Step::Cancel { .. } | Step::Crash { .. } | Step::Restart {} => true,
        }
    }

    /// Whether this step may happen by itself. Timers and failures of a disk that the driver cannot cause do not happen.
    fn happens_by_itself(&self, moved: &Move) -> bool {
        let [Step::Resume { park, answer }] = moved.steps.as_slice() else { return false };
        let is_timer = matches!(park.kind, ParkKind::GatewayTimeOut | ParkKind::RevocationTimeOut);
        let is_failure = *answer == How::TimeOut || *answer == How::Fail && park.kind == ParkKind::Purge;
        !self.held.contains(&park.kind) && !is_timer && !is_failure
    }
}

/// Follows what a driver does in the model.
pub struct Tracker<'a> {
    walker: &'a Walker,
    grip: &'a Grip,
}

impl<'a> Tracker<'a> {
    /// A tracker in this model, of a driver with this grip.
    pub fn new(walker: &'a Walker, grip: &'a Grip) -> Self {
        Self { walker, grip }
    }

    /// The positions at the start.
    pub fn start(&self) -> Vec<Position> {
        self.walker.start()
    }

    /// Whether these steps can be taken in some of the positions.
    pub fn is_possible(&self, positions: &[Position], steps: &[Step]) -> bool {
        let Some(all) = self.settled(positions.to_vec()) else { return false };
        all.iter().any(|at| !self.walker.matching(at, steps).is_empty())
    }

    /// Everything that can be started in some of the positions.
    pub fn starts(&self, positions: &[Position]) -> Vec<Step> {
        let Some(all) = self.settled(positions.to_vec()) else { return Vec::new() };
        let mut starts = Vec::new();
        for (_, _, moved) in all.iter().flat_map(|at| self.walker.possible(at)) {
            if let [start @ Step::Start { .. }] = moved.steps.as_slice()
                && !starts.contains(start)
            {
                starts.push(start.clone());
            }
        }
        starts
    }

    /// The differences, if no position looks like this.
    pub fn look(&self, positions: &[Position], seen: &Observation) -> Option<Vec<Difference>> {
        let all = self.settled(positions.to_vec())?;
        let differences: Option<Vec<Difference>> = all.iter().map(|at| self.state_difference(at, seen)).collect();
        differences.map(nearest)
    }

    /// The positions after steps of which the last was seen to lead to this.
    pub fn after(&self, positions: &[Position], steps: &[Step], seen: &Seen) -> Tracked {
        let Some(before) = self.settled(positions.to_vec()) else { return Tracked::TooMany };
        let mut reached = Vec::new();
        for at in &before {
            let is_poll = operation_of(steps).is_some_and(|operation| self.walker.awaits_poll(at, &operation));
            let moves = self.walker.matching(at, steps).into_iter();
            reached.extend(moves.map(|(after, moved)| Reached { after, progress: moved.progress, is_poll }));
        }
        if reached.is_empty() {
            return Tracked::NotPossible;
        }
        match &seen.progress {
            Progress::Refused { reason } => {
                let allowed = "the step is done".to_owned();
                let seen = format!("the step is refused: {reason}");
                Tracked::Diverged(vec![Difference { kind: DivergenceKind::MissingStep, field: None, seen, allowed }])
            }
            Progress::Done { certainty: Certainty::Indefinite, .. } => self.given_up(steps, reached),
            Progress::Parked | Progress::Done { .. } | Progress::Unsupported { .. } => {
                self.agreeing(steps, reached, seen)
            }
        }
    }

    /// The answer is lost: the request may have had its effect, now or later, or not; its client waits no more.
    fn given_up(&self, steps: &[Step], reached: Vec<Reached>) -> Tracked {
        let operation = operation_of(steps);
        let mut kept = Positions::default();
        for Reached { mut after, .. } in reached {
            if let Some(operation) = &operation {
                self.walker.forget_waiting(&mut after, operation);
            }
            kept.add(after);
        }
        Tracked::Agree(kept.into_all())
    }

    fn agreeing(&self, steps: &[Step], reached: Vec<Reached>, seen: &Seen) -> Tracked {
        let answered = match &seen.progress {
            Progress::Done { reply, .. } => Some(reply),
            _ => None,
        };
        let mut differences = Vec::new();
        let mut candidates = Vec::new();
        for Reached { after, progress, is_poll } in reached {
            match (&progress, answered) {
                (Progress::Done { reply: allowed, .. }, Some(reply)) if self.is_allowed(allowed, reply, is_poll) => {
                    candidates.push(after);
                }
                (Progress::Parked, None) => candidates.push(after),
                (Progress::Parked, Some(reply)) if !self.grip.is_complete() => {
                    match self.answered(steps, after, reply, &mut differences) {
                        Some(afters) => candidates.extend(afters),
                        None => return Tracked::TooMany,
                    }
                }
                (allowed, _) => differences.push(reply_differs(answered, allowed)),
            }
        }
        let Some(candidates) = self.settled(candidates) else { return Tracked::TooMany };
        let mut kept = Vec::new();
        for candidate in candidates {
            match self.state_difference(&candidate, &seen.observation) {
                None => kept.push(candidate),
                Some(difference) => differences.push(difference),
            }
        }
        if kept.is_empty() { Tracked::Diverged(nearest(differences)) } else { Tracked::Agree(kept) }
    }

    /// The positions in which a request that went on by itself has been answered like this; `None` if there are too many.
    fn answered(
        &self,
        steps: &[Step],
        after: Position,
        reply: &Reply,
        differences: &mut Vec<Difference>,
    ) -> Option<Vec<Position>> {
        let Some(operation) = operation_of(steps) else { return Some(Vec::new()) };
        let is_poll = self.walker.awaits_poll(&after, &operation);
        let answer = [Step::Resume { park: Park::new(ParkKind::Reply, operation), answer: How::Proceed }];
        let mut found = Vec::new();
        for at in self.settled(vec![after])? {
            for (_, after, moved) in self.walker.possible(&at) {
                if moved.steps == answer {
                    match &moved.progress {
                        Progress::Done { reply: allowed, .. } if self.is_allowed(allowed, reply, is_poll) => {
                            found.push(after);
                        }
                        allowed => differences.push(reply_differs(Some(reply), allowed)),
                    }
                }
            }
        }
        Some(found)
    }

    fn is_allowed(&self, allowed: &Reply, seen: &Reply, is_poll: bool) -> bool {
        allowed == seen || !self.grip.exact_codes && is_same_refusal(allowed, seen, is_poll)
    }

    fn state_difference(&self, at: &Position, seen: &Observation) -> Option<Difference> {
        let fields = self.grip.fields.and(seen.fields());
        if fields.is_empty() {
            return None;
        }
        let allowed = self.walker.look(at, fields.and(self.walker.fields()));
        let (field, allowed, seen) = allowed.first_difference(seen)?;
        let kind = DivergenceKind::of_field(field, &seen);
        Some(Difference { kind, field: Some(field), seen: format!("{} {seen}", field.key()), allowed })
    }

    /// The positions with everything that may have happened by itself; `None` if there are too many.
    fn settled(&self, positions: Vec<Position>) -> Option<Vec<Position>> {
        if self.grip.is_complete() {
            return Some(positions);
        }
        let mut all = Positions::default();
        positions.into_iter().for_each(|position| all.add(position));
        let mut index = 0;
        while let Some(at) = all.get(index).cloned() {
            index += 1;
            for (_, after, moved) in self.walker.possible(&at) {
                let is_answer = matches!(moved.progress, Progress::Done { .. });
                if !is_answer && self.grip.happens_by_itself(&moved) {
                    all.add(after);
                }
            }
            if all.len() > MOST_POSITIONS {
                return None;
            }
        }
        Some(all.into_all())
    }
}

/// A position that a step leads to.
struct Reached {
    after: Position,
    progress: Progress,
    /// Whether the step answers a poll.
    is_poll: bool,
}

/// Whether two answers are refusals after which a client may conclude and do the same.
fn is_same_refusal(first: &Reply, second: &Reply, is_poll: bool) -> bool {
    let class = |reply: &Reply| match reply {
        Reply::Code { code } => Some(Code(*code).class(is_poll)),
        Reply::Sentinel {} => Some(ReplyClass::RefusedMayRetry),
        _ => None,
    };
    class(first).is_some_and(|first| class(second) == Some(first))
}

/// The operation that steps let go on.
fn operation_of(steps: &[Step]) -> Option<String> {
    match steps {
        [Step::Resume { park, .. }] => Some(park.name.clone()),
        [Step::Start { operation, .. }] => Some(operation.clone()),
        _ => None,
    }
}

fn reply_differs(seen: Option<&Reply>, allowed: &Progress) -> Difference {
    let seen = seen.map_or_else(|| "no answer".to_owned(), reply_text);
    let allowed = match allowed {
        Progress::Done { reply, .. } => reply_text(reply),
        _ => "no answer yet".to_owned(),
    };
    Difference { kind: DivergenceKind::ForbiddenReply, field: None, seen, allowed }
}

/// An answer in words.
pub fn reply_text(reply: &Reply) -> String {
    match reply {
        Reply::Batch { messages } => {
            let listed: Vec<String> = messages.iter().map(|(offset, payload)| format!("{offset}: {payload}")).collect();
            format!("a batch [{}]", listed.join(", "))
        }
        Reply::Empty {} => "no messages".to_owned(),
        Reply::Sentinel {} => "no messages, from the sentinel partition".to_owned(),
        Reply::Acknowledged {} => "success".to_owned(),
        Reply::Code { code } => format!("the code {}", Code(*code)),
        Reply::Disconnected {} => "the connection ended".to_owned(),
    }
}

/// The differences of the kind that comes nearest, each once: a state that differs comes after an answer that agrees.
fn nearest(mut differences: Vec<Difference>) -> Vec<Difference> {
    let best = differences.iter().map(|difference| difference.kind.distance()).min();
    differences.retain(|difference| Some(difference.kind.distance()) == best);
    differences.sort();
    differences.dedup();
    differences
}
