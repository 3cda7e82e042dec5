//! A child as a subject.

use std::cell::RefCell;

use fencepost_driver::message::{Question, Response};
use fencepost_driver::{
    Answer, Call, Capabilities, Crash, Failure, Fields, Observation, Park, Progress, Seen, Step, Subject, World,
};

use super::command::{ChildCommand, ChildOptions};
use super::connection::{Connection, Farewell};
use super::problem::{ChildProblem, FirstProblem};

/// Most steps that are under way at once in a walk. Far less than a pipe holds, and enough that neither side waits for the other.
const MOST_UNDER_WAY: usize = 48;

/// An implementation in a process of its own.
///
/// When it is dropped, it takes leave; a driver that does not end then is killed with everything that it started. After a problem it is
/// killed at once, and every further call fails with the same problem. A crash of kind `process` is the driver's to play: its process
/// lives on.
pub struct ChildSubject {
    /// In a cell, because [`Subject::parked`] only looks, and asking needs more.
    connection: RefCell<Connection>,
    capabilities: Capabilities,
}

impl ChildSubject {
    /// Starts a command and greets it.
    ///
    /// # Errors
    /// Any [`ChildProblem`].
    pub fn start(command: &ChildCommand, options: &ChildOptions) -> Result<Self, ChildProblem> {
        let mut connection = Connection::start(command, options)?;
        let capabilities = connection.hello()?;
        Ok(Self { connection: RefCell::new(connection), capabilities })
    }

    /// A handle on the first problem that ended the child: keep it to tell hang, end and disobedience apart after a call has failed.
    pub fn first_problem(&self) -> FirstProblem {
        self.connection.borrow().first_problem()
    }

    /// The last lines that the child wrote to standard error.
    pub fn last_errors(&self) -> Vec<String> {
        self.connection.borrow().last_errors()
    }

    /// Takes leave and waits for the end.
    ///
    /// # Errors
    /// Any [`ChildProblem`].
    pub fn finish(self) -> Result<Farewell, ChildProblem> {
        self.connection.borrow_mut().say_bye()
    }

    fn step(&mut self, question: impl FnOnce(u64) -> Question) -> Result<Progress, Failure> {
        let connection = self.connection.get_mut();
        connection.send(question);
        Ok(seen(connection, Ending::Reply, Fields::NONE)?.progress)
    }

    fn quiet_step(&mut self, question: impl FnOnce(u64) -> Question) -> Result<Progress, Failure> {
        let connection = self.connection.get_mut();
        connection.send(question);
        Ok(seen(connection, Ending::MayBeSilent, Fields::NONE)?.progress)
    }
}

/// What `done` says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// That somebody has an answer, which has to be there.
    Reply,
    /// Nothing more than that it is done, perhaps.
    MayBeSilent,
}

impl Ending {
    fn of(step: &Step) -> Self {
        match step {
            Step::Crash { .. } | Step::Restart {} => Self::MayBeSilent,
            _ => Self::Reply,
        }
    }
}

/// Waits for the answer to a step.
fn seen(connection: &mut Connection, ending: Ending, fields: Fields) -> Result<Seen, ChildProblem> {
    let response = connection.receive()?;
    let (progress, observation) = match response {
        Response::Parked { parked: None, observation, .. } => (Progress::Parked, observation),
        Response::Done { reply: Some(reply), certainty, observation, .. } => {
            (Progress::Done { reply, certainty }, observation)
        }
        Response::Done { reply: None, observation, .. } if ending == Ending::MayBeSilent => {
            (Progress::Parked, observation)
        }
        Response::Refused { reason, .. } => return Ok(unseen(Progress::Refused { reason })),
        Response::Unsupported { reason, .. } => return Ok(unseen(Progress::Unsupported { reason })),
        other => return Err(connection.unexpected(&other)),
    };
    let observation = observation.map_or_else(Observation::default, |boxed| *boxed);
    if let Some(surplus) = surplus(&observation, fields) {
        let why = format!("nobody asked for the field `{surplus}`");
        return Err(connection.wrong_answer(words(&observation), why));
    }
    Ok(Seen { progress, observation })
}

fn unseen(progress: Progress) -> Seen {
    Seen { progress, observation: Observation::default() }
}

/// A field that was seen although nobody asked for it.
fn surplus(observation: &Observation, fields: Fields) -> Option<&'static str> {
    let seen: Vec<fencepost_driver::Field> = observation.fields().into();
    seen.into_iter().find(|field| !fields.has(*field)).map(fencepost_driver::Field::key)
}

fn words(observation: &Observation) -> String {
    serde_json::to_string(observation).unwrap_or_else(|error| error.to_string())
}

impl Subject for ChildSubject {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        let connection = self.connection.get_mut();
        match connection.ask(|id| Question::Reset { id, world: Box::new(world.clone()) })? {
            Response::Done { .. } => Ok(()),
            other => Err(connection.unexpected(&other).into()),
        }
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        let (operation, call) = (operation.to_owned(), call.clone());
        self.step(|id| Question::Start { id, operation, call, observe: Fields::NONE })
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        let park = park.clone();
        self.step(|id| Question::Resume { id, park, answer, observe: Fields::NONE })
    }

    /// Everything that waits for the runner; nothing, if the child cannot say so any more: then the next call fails.
    fn parked(&self) -> Vec<Park> {
        let mut connection = self.connection.borrow_mut();
        match connection.ask(|id| Question::Parked { id }) {
            Ok(Response::Parked { parked: Some(parked), .. }) => parked,
            Ok(other) => {
                connection.unexpected(&other);
                Vec::new()
            }
            Err(_) => Vec::new(),
        }
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        let connection = self.connection.get_mut();
        match connection.ask(|id| Question::Observe { id, fields })? {
            Response::Observation { state, .. } => match surplus(&state, fields) {
                None => Ok(*state),
                Some(field) => {
                    let why = format!("nobody asked for the field `{field}`");
                    Err(connection.wrong_answer(words(&state), why).into())
                }
            },
            other => Err(connection.unexpected(&other).into()),
        }
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        let operation = operation.to_owned();
        self.step(|id| Question::Cancel { id, operation, observe: Fields::NONE })
    }

    fn crash(&mut self, crash: &Crash) -> Result<Progress, Failure> {
        let crash = crash.clone();
        self.quiet_step(|id| Question::Crash { id, crash })
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        self.quiet_step(|id| Question::Restart { id, observe: Fields::NONE })
    }

    /// Sends some dozen steps before it waits for the first answer. If one of them fails, the driver has done those after it, too;
    /// only a reset makes sense then.
    fn walk(&mut self, steps: &[Step], fields: Fields, seen_steps: &mut Vec<Seen>) -> Result<(), Failure> {
        let connection = self.connection.get_mut();
        let mut asked = 0;
        for (answered, step) in steps.iter().enumerate() {
            if asked - answered <= MOST_UNDER_WAY / 2 {
                for next in steps.iter().take(answered + MOST_UNDER_WAY).skip(asked) {
                    connection.send(|id| Question::of_step(id, next, fields));
                    asked += 1;
                }
            }
            let wanted = if matches!(step, Step::Crash { .. }) { Fields::NONE } else { fields };
            match seen(connection, Ending::of(step), wanted) {
                Ok(seen) => seen_steps.push(seen),
                Err(problem) => {
                    connection.drop_due();
                    return Err(problem.into());
                }
            }
        }
        Ok(())
    }
}

impl Drop for ChildSubject {
    fn drop(&mut self) {
        let connection = self.connection.get_mut();
        if !connection.is_over() {
            // Whatever is wrong now is nobody's concern any more; the connection ends the process in any case.
            let _ = connection.say_bye();
        }
    }
}
