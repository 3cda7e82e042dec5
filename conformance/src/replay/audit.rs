//! The atomicity audit: an implementation has more places at which it can wait than the model has steps. If a step of the model is
//! atomic in the code, it makes no difference when the work goes on at those inner places.

use fencepost_driver::{Answer as How, Failure, Park, ParkKind, Progress, Step, Subject};

fencepost_spec::words! {
    /// When work goes on at inner places.
    pub enum Audit {
        /// At once.
        Eager = "eager",
        /// As late as possible: before the next step that needs the owner or the work itself.
        Lazy = "lazy",
        /// Now or later, as a fixed sequence of random numbers says.
        Random = "random",
    }
}

/// The most inner places that one step may have.
const MOST_INNER: usize = 10_000;

impl Audit {
    /// The order of one trace.
    pub(super) fn order(&self) -> Order {
        Order { audit: *self, random: 0x9E37_79B9_7F4A_7C15 }
    }
}

/// When inner work goes on, along one trace.
pub(super) struct Order {
    audit: Audit,
    random: u64,
}

impl Order {
    /// Before a step: what it needs is done first.
    pub(super) fn before(&mut self, subject: &mut dyn Subject, steps: &[Step]) -> Result<(), Failure> {
        if steps.iter().all(|step| is_elsewhere(subject, step)) { Ok(()) } else { self.finish(subject) }
    }

    /// After a step; `true` if nothing is left inside of it, so that a look means something.
    pub(super) fn after(&mut self, subject: &mut dyn Subject) -> Result<bool, Failure> {
        match self.audit {
            Audit::Eager => self.finish(subject)?,
            Audit::Lazy => {}
            Audit::Random => {
                while let Some(park) = inner(subject) {
                    if !self.heads() {
                        break;
                    }
                    go_on(subject, &park)?;
                }
            }
        }
        Ok(inner(subject).is_none())
    }

    /// Lets all inner work go on.
    pub(super) fn finish(&mut self, subject: &mut dyn Subject) -> Result<(), Failure> {
        for _ in 0..MOST_INNER {
            let Some(park) = inner(subject) else { return Ok(()) };
            go_on(subject, &park)?;
        }
        Err(Failure::failed(format!("a step has more than {MOST_INNER} inner places")))
    }

    /// A number of Marsaglia's xorshift sequence, as a coin.
    fn heads(&mut self) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random & 1 == 1
    }
}

fn inner(subject: &dyn Subject) -> Option<Park> {
    subject.parked().into_iter().find(|park| park.kind == ParkKind::Inner)
}

fn go_on(subject: &mut dyn Subject, park: &Park) -> Result<(), Failure> {
    match subject.resume(park, How::Proceed)? {
        Progress::Refused { reason } => Err(Failure::failed(format!("{park} does not go on: {reason}"))),
        _ => Ok(()),
    }
}

/// Whether a step needs neither the owner nor anything that inner work has yet to bring about.
fn is_elsewhere(subject: &dyn Subject, step: &Step) -> bool {
    match step {
        Step::Start { .. } | Step::Cancel { .. } => true,
        Step::Resume { park, .. } => {
            let is_beside =
                matches!(park.kind, ParkKind::Request | ParkKind::Reply | ParkKind::Propose | ParkKind::Gathered)
                    || *park == Park::new(ParkKind::Apply, "gateway");
            is_beside && subject.parked().contains(park)
        }
        Step::Crash { .. } | Step::Restart {} => false,
    }
}
