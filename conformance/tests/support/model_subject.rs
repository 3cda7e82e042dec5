//! A subject that is the model itself: what is replayed on it has to agree, and the model of another contract has to diverge where the
//! two differ.

use fencepost_conformance::replay::position::Position;
use fencepost_conformance::replay::walker::Walker;
use fencepost_driver::{
    Answer, Call, Capabilities, Crash, CrashKind, Failure, Fields, Observation, Park, ParkKind, Progress, Step,
    Subject, World,
};

/// The model as a subject.
pub struct ModelSubject {
    walker: Walker,
    at: Position,
    crash: Option<Crash>,
}

impl ModelSubject {
    /// The model of a walker.
    pub fn new(walker: Walker) -> Self {
        let at = walker.start().remove(0);
        Self { walker, at, crash: None }
    }

    fn take(&mut self, steps: &[Step]) -> Progress {
        match self.walker.matching(&self.at, steps).into_iter().next() {
            Some((after, moved)) => {
                self.at = after;
                moved.progress
            }
            None => Progress::Refused { reason: format!("{steps:?} is not possible") },
        }
    }
}

impl Subject for ModelSubject {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            subject: "model".to_owned(),
            version: "1".to_owned(),
            calls: Call::KINDS.iter().map(|kind| (*kind).to_owned()).collect(),
            parks: ParkKind::ALL.to_vec(),
            observables: Fields::all(),
            crashes: vec![CrashKind::Process, CrashKind::Power],
            is_deterministic: true,
        }
    }

    fn reset(&mut self, _world: &World) -> Result<(), Failure> {
        self.at = self.walker.start().remove(0);
        self.crash = None;
        Ok(())
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        Ok(self.take(&[Step::Start { operation: operation.to_owned(), call: call.clone() }]))
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        Ok(self.take(&[Step::Resume { park: park.clone(), answer }]))
    }

    fn parked(&self) -> Vec<Park> {
        self.walker.look(&self.at, Fields::all()).parked.unwrap_or_default()
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        Ok(self.walker.look(&self.at, fields.and(self.walker.fields())))
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        Ok(self.take(&[Step::Cancel { operation: operation.to_owned() }]))
    }

    fn crash(&mut self, crash: &Crash) -> Result<Progress, Failure> {
        self.crash = Some(crash.clone());
        Ok(Progress::Parked)
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        let Some(crash) = self.crash.take() else { return Err(Failure::out_of_order("nothing crashed")) };
        Ok(self.take(&[Step::Crash { crash }, Step::Restart {}]))
    }
}
