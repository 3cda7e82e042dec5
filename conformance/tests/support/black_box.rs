//! Any subject as a server behind a network: requests are held back until they are sent, everything else happens by itself.

use fencepost_driver::{
    Answer, Call, Capabilities, Crash, Failure, Field, Fields, Observation, Park, ParkKind, Progress, Subject, World,
};

/// A server behind a network.
pub struct BlackBox<S> {
    inner: S,
    /// Whether what the operator decided is applied before the next request is sent, or only when nothing else can go on.
    is_prompt: bool,
}

/// The most steps that happen by themselves at once.
const MOST_STEPS: usize = 100;

impl<S: Subject> BlackBox<S> {
    pub fn new(inner: S, is_prompt: bool) -> Self {
        Self { inner, is_prompt }
    }

    /// What goes on by itself: of the parks one that is not held back and is no answer.
    fn next(&self, applies: bool) -> Option<Park> {
        let goes_on = |park: &Park| match park.kind {
            ParkKind::Request | ParkKind::Propose | ParkKind::Reply | ParkKind::Wait => false,
            ParkKind::Apply => applies,
            _ => true,
        };
        self.inner.parked().into_iter().find(goes_on)
    }

    fn run(&mut self, applies: bool) -> Result<(), Failure> {
        for _ in 0..MOST_STEPS {
            let Some(park) = self.next(applies) else { return Ok(()) };
            self.inner.resume(&park, Answer::Proceed)?;
        }
        Ok(())
    }
}

impl<S: Subject> Subject for BlackBox<S> {
    fn capabilities(&self) -> Capabilities {
        let inner = self.inner.capabilities();
        Capabilities {
            parks: vec![ParkKind::Request, ParkKind::Propose],
            observables: Fields::NONE.with(Field::Bookmarks).and(inner.observables),
            crashes: Vec::new(),
            calls: ["poll", "store", "delete", "send", "empty", "join", "leave"].map(str::to_owned).to_vec(),
            ..inner
        }
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        self.inner.reset(world)
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        self.inner.start(operation, call)
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        let reply = Park::new(ParkKind::Reply, park.name.clone());
        self.inner.resume(park, answer)?;
        self.run(false)?;
        if !self.inner.parked().contains(&reply) {
            self.run(true)?;
        }
        let progress = self.inner.resume(&reply, Answer::Proceed)?;
        self.run(self.is_prompt)?;
        Ok(progress)
    }

    fn parked(&self) -> Vec<Park> {
        let held = |park: &Park| matches!(park.kind, ParkKind::Request | ParkKind::Propose);
        self.inner.parked().into_iter().filter(held).collect()
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        self.inner.observe(fields)
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        self.inner.cancel(operation)
    }

    fn crash(&mut self, _crash: &Crash) -> Result<Progress, Failure> {
        Ok(Progress::Unsupported { reason: "a server behind a network".to_owned() })
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        Ok(Progress::Unsupported { reason: "a server behind a network".to_owned() })
    }
}
