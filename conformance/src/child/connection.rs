//! Questions and answers, in order.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fencepost_driver::message::{Question, Response};
use fencepost_driver::{Capabilities, Failure, MOST_LINE_BYTES, PROTOCOL, ParkKind, UnknownPark};

use super::command::{ChildCommand, ChildOptions};
use super::pipes::{Arrived, Pipes};
use super::problem::{ChildProblem, FirstProblem, quoted};
use super::process::Group;

/// How often it is looked whether Ctrl-C came or the process has ended, while nothing arrives.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the last words of a dead child are waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long the end of a child is waited for that has closed its standard output.
const END_AFTER_OUTPUT: Duration = Duration::from_secs(1);

/// How a child took its leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Farewell {
    /// How it ended; none: it did not, and was killed.
    pub status: Option<ExitStatus>,
    /// Whether processes that it had started lived on. They do not any more.
    pub left_processes: bool,
    /// How long it took.
    pub took: Duration,
}

/// A child process, and what it was asked and has not answered yet.
///
/// After the first [`ChildProblem`] (except [`ChildProblem::Error`]) the process is ended, and every further call gives the same problem.
pub struct Connection {
    pipes: Pipes,
    group: Group,
    options: ChildOptions,
    next_id: u64,
    /// Number and word of the questions that are not answered yet.
    due: VecDeque<(u64, &'static str)>,
    /// The word of the question that was answered last.
    question: &'static str,
    first_problem: FirstProblem,
}

impl Connection {
    /// Starts a command. Nothing is said yet.
    ///
    /// # Errors
    /// [`ChildProblem::NotStarted`].
    pub fn start(command: &ChildCommand, options: &ChildOptions) -> Result<Self, ChildProblem> {
        let not_started = |error: std::io::Error| ChildProblem::NotStarted {
            program: command.program.clone(),
            error: error.to_string(),
        };
        let (group, ends) = Group::start(command).map_err(not_started)?;
        Ok(Self {
            pipes: Pipes::new(ends).map_err(not_started)?,
            group,
            options: options.clone(),
            next_id: 0,
            due: VecDeque::new(),
            question: "nothing",
            first_problem: FirstProblem::default(),
        })
    }

    /// Greets the driver.
    ///
    /// # Errors
    /// Any [`ChildProblem`]; [`ChildProblem::WrongVersion`] if it speaks another version.
    pub fn hello(&mut self) -> Result<Capabilities, ChildProblem> {
        self.send(|id| Question::Hello { id, protocol: PROTOCOL.to_owned() });
        match self.receive_within(self.options.hello_limit)? {
            Response::Ready { protocol, .. } if protocol != PROTOCOL => {
                Err(self.fail(ChildProblem::WrongVersion { got: quoted(&protocol) }))
            }
            Response::Ready { subject, version, calls, parks, observables, crashes, deterministic, .. } => {
                let parks: Result<Vec<ParkKind>, UnknownPark> = parks.iter().map(|word| word.parse()).collect();
                let parks = parks.map_err(|unknown| self.wrong_answer(unknown.0.clone(), unknown.to_string()))?;
                Ok(Capabilities {
                    subject,
                    version,
                    calls,
                    parks,
                    observables,
                    crashes,
                    is_deterministic: deterministic,
                })
            }
            other => Err(self.unexpected(&other)),
        }
    }

    /// Puts a question on its way; it is written by the time an answer is waited for.
    pub fn send(&mut self, question: impl FnOnce(u64) -> Question) {
        self.next_id += 1;
        let question = question(self.next_id);
        self.due.push_back((self.next_id, word(&question)));
        let outgoing = self.pipes.outgoing();
        if let Err(error) = serde_json::to_writer(&mut *outgoing, &question) {
            unreachable!("questions have text keys only, and a list of bytes takes all that is written: {error}");
        }
        outgoing.push(b'\n');
    }

    /// Puts any line on its way, as it is, for who wants to see how a driver takes it. One answer will be due.
    pub fn send_line(&mut self, line: &str) {
        self.next_id += 1;
        self.due.push_back((self.next_id, "a line that is no question"));
        self.put(line);
    }

    fn put(&mut self, line: &str) {
        self.pipes.outgoing().extend_from_slice(line.as_bytes());
        self.pipes.outgoing().push(b'\n');
    }

    /// Asks with a line of another protocol, and waits for the line that answers it.
    ///
    /// # Errors
    /// Any [`ChildProblem`] of the process.
    ///
    /// # Panics
    /// If other answers are due.
    pub fn ask_line(&mut self, line: &str, limit: Duration) -> Result<Vec<u8>, ChildProblem> {
        assert!(self.due.is_empty(), "the answers to earlier questions come first");
        if let Some(problem) = self.first_problem.get() {
            return Err(problem.clone());
        }
        self.put(line);
        self.next_line(limit, "a line")
    }

    /// The number that the next question will have.
    pub fn next_id(&self) -> u64 {
        self.next_id + 1
    }

    /// Whether the process has ended, and everything that it started.
    pub fn is_over(&self) -> bool {
        self.group.status().is_some()
    }

    /// How many questions are not answered yet.
    pub fn due(&self) -> usize {
        self.due.len()
    }

    /// Waits for the answer to the oldest question that is not answered yet.
    ///
    /// # Errors
    /// Any [`ChildProblem`].
    ///
    /// # Panics
    /// If no answer is due.
    pub fn receive(&mut self) -> Result<Response, ChildProblem> {
        self.receive_within(self.options.step_limit)
    }

    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// Any [`ChildProblem`].
    ///
    /// # Panics
    /// If other answers are due.
    pub fn ask(&mut self, question: impl FnOnce(u64) -> Question) -> Result<Response, ChildProblem> {
        assert!(self.due.is_empty(), "the answers to earlier questions come first");
        self.send(question);
        self.receive()
    }

    /// Waits for all answers that are due and drops them; whichever problem there is shows at the next question.
    pub fn drop_due(&mut self) {
        while !self.due.is_empty() && self.first_problem.get().is_none() {
            let _ = self.receive();
        }
    }

    /// Says `bye` and waits for the end.
    ///
    /// # Errors
    /// Any [`ChildProblem`]. That it does not end after its answer is none: it is killed, and the [`Farewell`] tells.
    pub fn say_bye(&mut self) -> Result<Farewell, ChildProblem> {
        self.drop_due();
        match self.ask(|id| Question::Bye { id })? {
            Response::Done { .. } => Ok(self.leave()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Ends the driver's input without a word, as it would see it if the runner died, and waits for its end.
    pub fn close(&mut self) -> Farewell {
        self.leave()
    }

    /// The first problem that ended the child, as long as the handle is kept.
    pub fn first_problem(&self) -> FirstProblem {
        Arc::clone(&self.first_problem)
    }

    /// The last lines that the child wrote to standard error.
    pub fn last_errors(&self) -> Vec<String> {
        self.pipes.last_errors()
    }

    /// An answer that is none to what was asked: a problem, which ends the child.
    pub fn unexpected(&mut self, answer: &Response) -> ChildProblem {
        let text = serde_json::to_string(answer).unwrap_or_else(|error| error.to_string());
        self.wrong_answer(text, "that is no answer to it".to_owned())
    }

    /// The same, with what is wrong.
    pub fn wrong_answer(&mut self, answer: String, why: String) -> ChildProblem {
        let question = self.question;
        self.fail(ChildProblem::WrongAnswer { question, answer: quoted(&answer), why })
    }

    fn leave(&mut self) -> Farewell {
        let begun = Instant::now();
        self.pipes.close_input();
        let has_ended = self.group.ends_within(self.options.farewell_limit, &self.options);
        let took = begun.elapsed();
        self.listen_to_last_words();
        let left_processes = has_ended && self.group.collect(LAST_WORDS);
        self.group.end();
        Farewell { status: self.group.status().filter(|_| has_ended), left_processes, took }
    }

    fn receive_within(&mut self, limit: Duration) -> Result<Response, ChildProblem> {
        if let Some(problem) = self.first_problem.get() {
            return Err(problem.clone());
        }
        let Some((id, question)) = self.due.pop_front() else { unreachable!("no answer is due") };
        self.question = question;
        let line = self.next_line(limit, question)?;
        let response: Response = match serde_json::from_slice(&line) {
            Ok(response) => response,
            Err(error) => return Err(self.not_understood(&line, question, &error)),
        };
        match response {
            Response::Error { in_reply_to, code, text, definite } if in_reply_to.is_none_or(|it| it == id) => {
                Err(ChildProblem::Error(Failure { code, text, is_definite: definite }))
            }
            other if other.in_reply_to() == Some(id) => Ok(other),
            other => {
                let got = other.in_reply_to().unwrap_or_default();
                Err(self.fail(ChildProblem::OutOfOrder { expected: id, got }))
            }
        }
    }

    fn next_line(&mut self, limit: Duration, question: &'static str) -> Result<Vec<u8>, ChildProblem> {
        let begun = Instant::now();
        loop {
            match self.pipes.take_line() {
                Arrived::Line(line) => return Ok(line),
                Arrived::TooLong(line) => {
                    let begins = quoted(&String::from_utf8_lossy(&line[..line.len().min(MOST_LINE_BYTES)]));
                    return Err(self.fail(ChildProblem::LineTooLong { begins }));
                }
                Arrived::End(rest) => return Err(self.ended(question, &rest)),
                Arrived::Nothing => {}
            }
            let waited = begun.elapsed();
            if self.options.is_interrupted() {
                return Err(self.fail(ChildProblem::Interrupted));
            }
            if waited >= limit {
                let last_errors = self.pipes.last_errors();
                return Err(self.fail(ChildProblem::NoAnswer { limit, question, last_errors }));
            }
            // Looked at before reading: whatever a dead process has written is there by now.
            let is_dead = waited >= LOOK_EVERY && self.group.has_ended();
            let served = self.pipes.serve(LOOK_EVERY.min(limit - waited));
            served.map_err(|error| self.broken(question, &error))?;
            if is_dead && !self.pipes.has_line() {
                return Err(self.ended(question, &[]));
            }
        }
    }

    fn broken(&mut self, question: &'static str, error: &std::io::Error) -> ChildProblem {
        let last_errors = self.pipes.last_errors();
        self.fail(ChildProblem::Ended { how: format!("its pipes are broken: {error}"), question, last_errors })
    }

    fn ended(&mut self, question: &'static str, rest: &[u8]) -> ChildProblem {
        let has_ended = self.group.ends_within(END_AFTER_OUTPUT, &self.options);
        self.listen_to_last_words();
        self.group.end();
        let mut how = match self.group.status() {
            Some(status) if has_ended => status.to_string(),
            _ => "it closed its standard output and went on".to_owned(),
        };
        if !rest.is_empty() {
            how = format!("{how}, in the middle of the line `{}`", quoted(&String::from_utf8_lossy(rest)));
        }
        let last_errors = self.pipes.last_errors();
        self.fail(ChildProblem::Ended { how, question, last_errors })
    }

    fn listen_to_last_words(&mut self) {
        let begun = Instant::now();
        while !self.pipes.has_no_errors_left() && begun.elapsed() < LAST_WORDS {
            if self.pipes.serve(Duration::from_millis(10)).is_err() {
                return;
            }
        }
    }

    fn not_understood(&mut self, line: &[u8], question: &'static str, error: &serde_json::Error) -> ChildProblem {
        // Another version may greet in another form; what it calls itself says more than what is wrong with the form.
        let version = serde_json::from_slice::<serde_json::Value>(line).ok();
        let version = version.and_then(|value| value.get("protocol")?.as_str().map(str::to_owned));
        match version {
            Some(version) if question == "hello" && version != PROTOCOL => {
                self.fail(ChildProblem::WrongVersion { got: quoted(&version) })
            }
            _ => {
                let line = quoted(&String::from_utf8_lossy(line));
                self.fail(ChildProblem::NoProtocolLine { line, why: error.to_string() })
            }
        }
    }

    fn fail(&mut self, problem: ChildProblem) -> ChildProblem {
        self.group.end();
        self.due.clear();
        self.first_problem.get_or_init(|| problem).clone()
    }
}

fn word(question: &Question) -> &'static str {
    match question {
        Question::Hello { .. } => "hello",
        Question::Reset { .. } => "reset",
        Question::Start { .. } => "start",
        Question::Resume { .. } => "resume",
        Question::Cancel { .. } => "cancel",
        Question::Crash { .. } => "crash",
        Question::Restart { .. } => "restart",
        Question::Parked { .. } => "parked",
        Question::Observe { .. } => "observe",
        Question::Bye { .. } => "bye",
    }
}
