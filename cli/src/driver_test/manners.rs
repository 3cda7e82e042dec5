//! Whether a driver keeps to the rules of the conversation.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use fencepost_conformance::child::{ChildProblem, Farewell};
use fencepost_driver::message::{Question, Response};
use fencepost_driver::{Call, Crash, CrashKind, Fields, PROTOCOL, Progress, Step};

use super::Fault;
use super::script;
use super::session::{Bench, Session};
use super::tour::{Order, Tour};
use crate::output;

/// Questions that are sent at once.
const AT_ONCE: usize = 40;
/// For how long the speed is measured.
const MEASURED: Duration = Duration::from_millis(500);

/// What the driver says of itself makes sense.
pub(super) fn capabilities(bench: &Bench<'_>) -> Result<String, Fault> {
    let capabilities = &bench.capabilities;
    let demand = |is_so: bool, text: String| if is_so { Ok(()) } else { Err(Fault::new("capabilities", text)) };
    demand(!capabilities.subject.is_empty(), "it has no name".to_owned())?;
    demand(!capabilities.version.is_empty(), "it has no version".to_owned())?;
    demand(!capabilities.calls.is_empty(), "it can make no call".to_owned())?;
    let unknown = capabilities.calls.iter().find(|call| !Call::KINDS.contains(&call.as_str()));
    if let Some(unknown) = unknown {
        demand(false, format!("`{unknown}` is no call; known are {}", Call::KINDS.join(", ")))?;
    }
    demand(is_set(&capabilities.calls), "it names a call twice".to_owned())?;
    demand(is_set(&capabilities.parks), "it names a kind of park twice".to_owned())?;
    demand(!capabilities.parks.is_empty(), "it can hold nothing at any park, so nothing could be ordered".to_owned())?;
    let crashes: Vec<String> = capabilities.crashes.iter().map(|crash| format!("{crash:?}")).collect();
    demand(is_set(&crashes), "it names a kind of crash twice".to_owned())?;
    let fields: Vec<fencepost_driver::Field> = capabilities.observables.into();
    let end = if fields.is_empty() { "; it can see nothing, so only replies will be compared" } else { "" };
    Ok(format!("{} fields can be seen{end}", fields.len()))
}

fn is_set<T: Ord + Debug>(items: &[T]) -> bool {
    items.iter().collect::<BTreeSet<_>>().len() == items.len()
}

/// Many questions at once are answered in their order, each with an answer that fits.
pub(super) fn order(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut connection = bench.connection()?;
    let world = script::plain_world(&bench.settings);
    let questions: [fn(u64) -> Question; 3] = [
        |id| Question::Parked { id },
        |id| Question::Observe { id, fields: Fields::NONE },
        |id| Question::Cancel { id, operation: "nobody.99".to_owned(), observe: Fields::NONE },
    ];
    connection.send(|id| Question::Reset { id, world: Box::new(world) });
    for index in 0..AT_ONCE {
        connection.send(questions[index % questions.len()]);
    }
    let response = connection.receive()?;
    if !matches!(response, Response::Done { .. }) {
        return Err(connection.unexpected(&response).into());
    }
    for index in 0..AT_ONCE {
        let response = connection.receive();
        let fits = match index % questions.len() {
            0 => matches!(response, Ok(Response::Parked { parked: Some(_), .. })),
            1 => matches!(response, Ok(Response::Observation { .. })),
            // Whether somebody who never asked can give up is left to the driver.
            _ => true,
        };
        match response {
            Err(problem) if !fits || problem.kind().word() != "driver-error" => return Err(problem.into()),
            Ok(response) if !fits => return Err(connection.unexpected(&response).into()),
            _ => {}
        }
    }
    Ok(format!("{} questions at once are answered in their order", AT_ONCE + 1))
}

/// A declared crash can be recovered from; one that is not declared is not played.
pub(super) fn crash(bench: &Bench<'_>) -> Result<String, Fault> {
    let declared = &bench.capabilities.crashes;
    for (kind, crash) in
        [(CrashKind::Process, Crash::Process {}), (CrashKind::Power, Crash::Power { keep: Vec::new() })]
    {
        let mut session = bench.session()?;
        let mut world = script::plain_world(&bench.settings);
        world.loses_power = kind == CrashKind::Power && declared.contains(&kind);
        session.reset(&world)?;
        let is_possible = matches!(session.perform(&Step::Crash { crash })?, Progress::Parked);
        if is_possible != declared.contains(&kind) {
            let word = if is_possible { "not declared, and done" } else { "declared, and not done" };
            return Err(Fault::new("incomplete", format!("a crash of kind {kind:?} is {word}").to_lowercase()));
        }
        if is_possible {
            recover(&mut session)?;
        }
    }
    match declared.len() {
        0 => Ok("none is declared, and none is played".to_owned()),
        count => Ok(format!("{count} declared, and recovered from")),
    }
}

fn recover(session: &mut Session) -> Result<(), Fault> {
    match session.perform(&Step::Restart {})? {
        Progress::Parked | Progress::Done { .. } => session.look().map(|_| ()),
        Progress::Refused { reason } | Progress::Unsupported { reason } => {
            Err(Fault::new("incomplete", format!("after a crash it does not start again: {reason}")))
        }
    }
}

/// What is no message is answered with `error`, and the driver lives on.
pub(super) fn strictness(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut connection = bench.connection()?;
    let world = script::plain_world(&bench.settings);
    connection.ask(|id| Question::Reset { id, world: Box::new(world) })?;
    let lines = [
        ("a line that is no JSON", "nonsense".to_owned()),
        ("an unknown message", format!(r#"{{"type":"dance","id":{}}}"#, connection.next_id() + 1)),
        ("an unknown key", format!(r#"{{"type":"parked","id":{},"colour":"red"}}"#, connection.next_id() + 2)),
        ("a missing key", format!(r#"{{"type":"cancel","id":{}}}"#, connection.next_id() + 3)),
        (
            "an unknown call",
            format!(
                r#"{{"type":"start","id":{},"operation":"A.1","call":{{"kind":"sing"}}}}"#,
                connection.next_id() + 4
            ),
        ),
        (
            "an unknown kind of park",
            format!(r#"{{"type":"resume","id":{},"park":"nowhere:A.1"}}"#, connection.next_id() + 5),
        ),
        ("an unknown field", format!(r#"{{"type":"observe","id":{},"fields":["mood"]}}"#, connection.next_id() + 6)),
        ("a second hello", format!(r#"{{"type":"hello","id":{},"protocol":"{PROTOCOL}"}}"#, connection.next_id() + 7)),
    ];
    let count = lines.len();
    for (what, line) in lines {
        connection.send_line(&line);
        match connection.receive() {
            Err(ChildProblem::Error(_)) => {}
            Err(problem) => return Err(problem.into()),
            Ok(_) => return Err(Fault::new("not-strict", format!("{what} is not answered with `error`"))),
        }
    }
    match connection.ask(|id| Question::Parked { id })? {
        Response::Parked { parked: Some(parked), .. } if parked.is_empty() => {
            Ok(format!("{count} lines that are no messages are answered with `error`, and it lives on"))
        }
        _ => Err(Fault::new("not-strict", "after lines that are no messages something waits")),
    }
}

/// After `bye` the driver ends, and nothing of it is left.
pub(super) fn bye(bench: &Bench<'_>) -> Result<String, Fault> {
    let farewell = bench.connection()?.say_bye()?;
    if let Some(status) = farewell.status.filter(|status| !status.success()) {
        return Err(Fault::new("farewell", format!("after `bye` it ends with {status}")));
    }
    gone(&farewell, "`bye`")
}

/// When its input ends, as it does if the runner dies, the driver ends, too.
pub(super) fn end_of_input(bench: &Bench<'_>) -> Result<String, Fault> {
    gone(&bench.connection()?.close(), "the end of its input")
}

fn gone(farewell: &Farewell, after: &str) -> Result<String, Fault> {
    if farewell.status.is_none() {
        return Err(Fault::new("farewell", format!("after {after} it did not end in time, and was killed")));
    }
    if farewell.left_processes {
        return Err(Fault::new(
            "farewell",
            format!("after {after} it ended and left processes behind; they were killed"),
        ));
    }
    Ok(format!("after {after} it ends, and no process is left"))
}

/// How fast it is. That is told, and no ground for failure.
pub(super) fn speed(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut session = bench.session()?;
    let world = script::worlds(&bench.settings, &bench.capabilities).swap_remove(0);
    let tour = Tour::find(bench, &mut session, &world, Order::OneByOne)?;
    let begun = Instant::now();
    let mut steps = 0;
    while begun.elapsed() < MEASURED {
        session.reset(&tour.world)?;
        steps += session.walk(&tour.steps, session.fields)?.len();
    }
    let rate = steps as f64 / begun.elapsed().as_secs_f64();
    let limit = script::limit(bench.options);
    Ok(format!("{} steps a second, each with a look; no answer took more than {limit}", output::grouped(rate as u64)))
}
