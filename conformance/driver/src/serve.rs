//! A subject as a child process.

use std::io::{self, BufRead, BufWriter, Read, Write};

use crate::message::{Question, Response};
use crate::{ErrorCode, Failure, Fields, MOST_LINE_BYTES, Observation, PROTOCOL, Progress, Subject};

/// Serves a subject on standard input and output until `bye` or the end of the input. Standard output belongs to the protocol:
/// nothing else may be printed there. Standard error is free.
///
/// # Errors
/// What reading or writing fails with.
pub fn serve_stdio(subject: &mut dyn Subject) -> io::Result<()> {
    serve(subject, io::stdin().lock(), BufWriter::new(io::stdout().lock()))
}

/// Serves a subject on any pair of streams until `bye` or the end of the input.
///
/// # Errors
/// What reading or writing fails with.
pub fn serve(subject: &mut dyn Subject, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut greeted = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = u64::try_from(MOST_LINE_BYTES).unwrap_or(u64::MAX);
        if (&mut input).take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let (response, last) = match understand(&line, greeted) {
            Ok(question) => {
                greeted = true;
                let last = matches!(question, Question::Bye { .. });
                let id = question.id();
                (answer(subject, question).unwrap_or_else(|failure| Response::error(Some(id), failure)), last)
            }
            // Who is not understood at the first line will not be understood later.
            Err((id, failure)) => (Response::error(id, failure), !greeted),
        };
        serde_json::to_writer(&mut output, &response)?;
        output.write_all(b"\n")?;
        output.flush()?;
        if last {
            return Ok(());
        }
    }
}

fn understand(line: &[u8], greeted: bool) -> Result<Question, (Option<u64>, Failure)> {
    let malformed = |text: String| Failure { code: ErrorCode::Malformed, text, is_definite: true };
    if line.last() != Some(&b'\n') {
        return Err((None, malformed(format!("a line is cut, or has more than {MOST_LINE_BYTES} bytes"))));
    }
    let question: Question = serde_json::from_slice(line).map_err(|error| (None, malformed(error.to_string())))?;
    match &question {
        Question::Hello { id, protocol } if protocol != PROTOCOL => {
            Err((Some(*id), malformed(format!("this driver speaks {PROTOCOL}, not `{protocol}`"))))
        }
        Question::Hello { id, .. } if greeted => Err((Some(*id), Failure::out_of_order("there was a hello already"))),
        Question::Hello { .. } => Ok(question),
        other if !greeted => Err((Some(other.id()), Failure::out_of_order("the first line has to be a hello"))),
        _ => Ok(question),
    }
}

fn answer(subject: &mut dyn Subject, question: Question) -> Result<Response, Failure> {
    let id = question.id();
    let done = Response::Done { in_reply_to: id, reply: None, certainty: Default::default(), observation: None };
    match question {
        Question::Hello { .. } => Ok(Response::ready(id, subject.capabilities())),
        Question::Reset { world, .. } => subject.reset(&world).map(|()| done),
        Question::Start { operation, call, observe, .. } => {
            let progress = subject.start(&operation, &call)?;
            seen(subject, id, progress, observe)
        }
        Question::Resume { park, answer, observe, .. } => {
            let progress = subject.resume(&park, answer)?;
            seen(subject, id, progress, observe)
        }
        Question::Cancel { operation, observe, .. } => {
            let progress = subject.cancel(&operation)?;
            seen(subject, id, progress, observe)
        }
        Question::Crash { crash, .. } => {
            subject.crash(&crash).map(|progress| Response::of_progress(id, progress, None))
        }
        Question::Restart { observe, .. } => {
            let progress = subject.restart()?;
            seen(subject, id, progress, observe)
        }
        Question::Parked { .. } => {
            Ok(Response::Parked { in_reply_to: id, parked: Some(subject.parked()), observation: None })
        }
        Question::Observe { fields, .. } => {
            Ok(Response::Observation { in_reply_to: id, state: Box::new(subject.observe(fields)?) })
        }
        Question::Bye { .. } => Ok(done),
    }
}

fn seen(subject: &mut dyn Subject, id: u64, progress: Progress, fields: Fields) -> Result<Response, Failure> {
    let looks = !fields.is_empty() && matches!(progress, Progress::Parked | Progress::Done { .. });
    let observation: Option<Observation> = if looks { Some(subject.observe(fields)?) } else { None };
    Ok(Response::of_progress(id, progress, observation))
}
