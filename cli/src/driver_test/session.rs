//! A driver's process, asked step by step.

use std::time::Duration;

use fencepost_conformance::child::{ChildCommand, ChildOptions, ChildProblem, ChildSubject, Connection, FirstProblem};
use fencepost_driver::{
    Capabilities, Failure, Fields, Observation, Park, Progress, Seen, Settings, Step, Subject, World,
};

use super::Fault;

/// How long the end of a process is waited for, when that is not what is tried.
const FAREWELL: Duration = Duration::from_millis(200);

/// What all checks know.
pub(super) struct Bench<'a> {
    pub(super) command: &'a ChildCommand,
    pub(super) options: &'a ChildOptions,
    pub(super) settings: Settings,
    pub(super) capabilities: Capabilities,
}

impl Bench<'_> {
    /// A new process that has been greeted.
    pub(super) fn session(&self) -> Result<Session, Fault> {
        // Leaving well is a check of its own; who does not leave is not waited for each time.
        let options = ChildOptions { farewell_limit: FAREWELL, ..self.options.clone() };
        let subject = ChildSubject::start(self.command, &options)?;
        Ok(Session { first_problem: subject.first_problem(), subject, fields: self.capabilities.observables })
    }

    /// The same, to speak line by line.
    pub(super) fn connection(&self) -> Result<Connection, Fault> {
        let mut connection = Connection::start(self.command, self.options)?;
        connection.hello()?;
        Ok(connection)
    }
}

impl From<ChildProblem> for Fault {
    fn from(problem: ChildProblem) -> Self {
        Self::new(problem.kind().word(), problem.to_string())
    }
}

/// One process.
pub(super) struct Session {
    subject: ChildSubject,
    first_problem: FirstProblem,
    /// What the driver says it can see.
    pub(super) fields: Fields,
}

impl Session {
    fn fault(&self, failure: Failure) -> Fault {
        self.first_problem.get().cloned().unwrap_or(ChildProblem::Error(failure)).into()
    }

    pub(super) fn reset(&mut self, world: &World) -> Result<(), Fault> {
        self.subject.reset(world).map_err(|failure| self.fault(failure))
    }

    pub(super) fn perform(&mut self, step: &Step) -> Result<Progress, Fault> {
        self.subject.perform(step).map_err(|failure| self.fault(failure))
    }

    /// Everything that waits.
    pub(super) fn parked(&mut self) -> Result<Vec<Park>, Fault> {
        let parked = self.subject.parked();
        match self.first_problem.get() {
            Some(problem) => Err(problem.clone().into()),
            None => Ok(parked),
        }
    }

    pub(super) fn observe(&mut self, fields: Fields) -> Result<Observation, Fault> {
        self.subject.observe(fields).map_err(|failure| self.fault(failure))
    }

    /// Looks at everything.
    pub(super) fn look(&mut self) -> Result<Observation, Fault> {
        self.observe(self.fields)
    }

    /// All steps, sent at once, with a look after each or none.
    pub(super) fn walk(&mut self, steps: &[Step], fields: Fields) -> Result<Vec<Seen>, Fault> {
        let mut seen = Vec::with_capacity(steps.len());
        self.subject.walk(steps, fields, &mut seen).map_err(|failure| self.fault(failure))?;
        Ok(seen)
    }
}
