//! Whether a driver does what it says, and says what it sees.

use std::collections::BTreeSet;

use fencepost_driver::{
    Answer, Call, Certainty, Field, Fields, Observation, Park, ParkKind, Progress, Reply, Seen, Start, Step, World,
};

use super::Fault;
use super::script;
use super::session::{Bench, Session};
use super::tour::{self, Tour};

/// Most steps in which one operation that is alone comes to its end.
const MOST_STEPS: usize = 40;

/// The same world looks the same after a reset, and like what was asked for.
pub(super) fn reset(bench: &Bench<'_>) -> Result<String, Fault> {
    let tour = some_tour(bench)?;
    let mut session = bench.session()?;
    session.reset(&tour.world)?;
    let first = (session.look()?, tour::parked(bench, &mut session)?);
    demand_world(&tour.world, &first.0, &first.1)?;
    session.walk(&tour.steps, Fields::NONE)?;
    session.reset(&tour.world)?;
    let second = (session.look()?, tour::parked(bench, &mut session)?);
    if let Some(difference) = difference(&first.0, &second.0) {
        return Err(Fault::new(
            "not-fresh",
            format!("after a second reset the same world looks different: {difference}"),
        ));
    }
    Ok("the same world looks the same each time".to_owned())
}

fn demand_world(world: &World, look: &Observation, parked: &[Park]) -> Result<(), Fault> {
    let not_fresh = |text: String| Err(Fault::new("not-fresh", text));
    if let Some(park) = parked.first() {
        return not_fresh(format!("after a reset something waits at `{park}`"));
    }
    let wanted = Observation {
        messages: Some((0..).zip(world.messages.iter().cloned()).collect()),
        bookmarks: Some(world.bookmarks.clone()),
        ..Observation::default()
    };
    match wanted.first_difference(look) {
        Some((field, wanted, seen)) => not_fresh(format!(
            "the world that was asked for has {} {wanted}, after the reset it is {seen}",
            field.key()
        )),
        None => Ok(()),
    }
}

/// Every declared call can be made and every listed park resumed.
pub(super) fn calls(bench: &Bench<'_>) -> Result<String, Fault> {
    let tours = tour::tours(bench)?;
    let steps: usize = tours.iter().map(|tour| tour.steps.len()).sum();
    let met: BTreeSet<ParkKind> = tours.iter().flat_map(|tour| tour.kinds.iter().copied()).collect();
    let timers = [ParkKind::GatewayTimeOut, ParkKind::RevocationTimeOut, ParkKind::Inner];
    let declared = bench.capabilities.parks.iter().filter(|kind| !timers.contains(kind));
    let missed: Vec<&str> = declared.filter(|kind| !met.contains(kind)).map(|kind| kind.word()).collect();
    let end = if missed.is_empty() { String::new() } else { format!("; not met: {}", missed.join(", ")) };
    Ok(format!("{} tours of {steps} steps met {} kinds of parks{end}", tours.len(), met.len()))
}

/// Where several things wait, each of them can go on next.
pub(super) fn parks(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut tried = 0;
    let mut session = bench.session()?;
    for tour in tour::tours(bench)? {
        let (length, parked) = &tour.fork;
        for park in parked {
            session.reset(&tour.world)?;
            session.walk(&tour.steps[..*length], Fields::NONE)?;
            let resume = Step::Resume { park: park.clone(), answer: Answer::Proceed };
            if let Progress::Refused { reason } | Progress::Unsupported { reason } = session.perform(&resume)? {
                return Err(Fault::new(
                    "parks",
                    format!("something waits at `{park}`, and cannot go on next: {reason}"),
                ));
            }
            tour::parked(bench, &mut session)?;
            tried += 1;
        }
    }
    Ok(format!("sorted, and each of {tried} that were listed could go on next"))
}

/// What waits nowhere is refused, and nothing happens.
pub(super) fn unknown_park(bench: &Bench<'_>) -> Result<String, Fault> {
    let Some(kind) = bench.capabilities.parks.first() else { return Ok("no park is declared".to_owned()) };
    let mut session = bench.session()?;
    session.reset(&script::plain_world(&bench.settings))?;
    let before = session.look()?;
    let park = Park::new(*kind, "nobody.99");
    let progress = session.perform(&Step::Resume { park: park.clone(), answer: Answer::Proceed })?;
    if !matches!(progress, Progress::Refused { .. }) {
        let text =
            format!("nothing waits at `{park}`, and to resume it is answered with {}, not `refused`", told(&progress));
        return Err(Fault::new("parks", text));
    }
    if let Some(difference) = difference(&before, &session.look()?) {
        return Err(Fault::new("contradiction", format!("it refuses to resume `{park}`, and changes: {difference}")));
    }
    Ok(format!("`{park}` is refused, and nothing changes"))
}

/// Two looks show the same, each field alone shows it, too, and every declared field is there.
pub(super) fn observe(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut session = bench.session()?;
    session.reset(&script::plain_world(&bench.settings))?;
    let looks = demand_steady(&mut session, false)?;
    Ok(format!("{looks} looks show the same"))
}

/// Looking changes nothing while work is under way, and the same steps come to the same end with looks and without.
pub(super) fn inert(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut looks = 0;
    let mut session = bench.session()?;
    for tour in tour::tours(bench)? {
        session.reset(&tour.world)?;
        session.walk(&tour.steps[..tour.fork.0], Fields::NONE)?;
        looks += demand_steady(&mut session, tour.world.loses_power)?;
        if bench.capabilities.is_deterministic {
            demand_unmoved(&mut session, &tour)?;
        }
    }
    Ok(format!("{looks} looks changed nothing"))
}

/// How many looks showed the same.
fn demand_steady(session: &mut Session, loses_power: bool) -> Result<usize, Fault> {
    let first = session.look()?;
    let declared: Vec<Field> = session.fields.into();
    demand_same(&first, &session.look()?)?;
    for field in &declared {
        let alone = session.observe(Fields::NONE.with(*field))?;
        // Without power losses nobody has to know what is synced.
        if !alone.fields().has(*field) && (*field != Field::Unsynced || loses_power) {
            let text = format!("it declares the field `{}` and does not show it", field.key());
            return Err(Fault::new("incomplete", text));
        }
        demand_same(&first, &alone)?;
    }
    demand_same(&first, &session.look()?)?;
    Ok(declared.len() + 3)
}

fn demand_same(first: &Observation, second: &Observation) -> Result<(), Fault> {
    match difference(first, second) {
        None => Ok(()),
        Some(difference) => {
            Err(Fault::new("contradiction", format!("two looks one after the other differ: {difference}")))
        }
    }
}

/// The same steps without a look come to the same end.
fn demand_unmoved(session: &mut Session, tour: &Tour) -> Result<(), Fault> {
    session.reset(&tour.world)?;
    let unseen = session.walk(&tour.steps, Fields::NONE)?;
    let looked = "with a look after each step";
    for (index, (mine, seen)) in tour.progress.iter().zip(&unseen).enumerate() {
        if *mine != seen.progress {
            let (step, mine, other) = (name(&tour.steps[index]), told(mine), told(&seen.progress));
            return Err(Fault::new("contradiction", format!("{looked} `{step}` gives {mine}, without looks {other}")));
        }
    }
    let last = tour.looks.last().cloned().unwrap_or_default();
    match difference(&last, &session.look()?) {
        None => Ok(()),
        Some(difference) => Err(Fault::new(
            "contradiction",
            format!("{looked} the same steps end otherwise than without: {difference}"),
        )),
    }
}

/// What clients are told agrees with what a look shows, the second time, too.
pub(super) fn replies(bench: &Bench<'_>) -> Result<String, Fault> {
    let mut session = bench.session()?;
    session.reset(&script::plain_world(&bench.settings))?;
    let mut compared = 0;
    let store = |offset| Call::Store { consumer: "A".to_owned(), offset, batch_of: None };
    let all = [
        script::poll("A", Start::First, false, false),
        script::poll("A", Start::First, false, false),
        store(1),
        store(0),
        store(0),
        script::poll("A", Start::Next, true, false),
        Call::Send { payloads: vec!["p-9".to_owned()] },
        script::poll("A", Start::Last, false, false),
        script::poll("A", Start::Last, false, false),
    ];
    for (index, call) in all.into_iter().enumerate() {
        if !bench.capabilities.calls.iter().any(|kind| kind == call.kind()) {
            continue;
        }
        let client = if call.kind() == "send" { "producer" } else { "A" };
        let operation = format!("{client}.{}", index + 1);
        if let Some(reply) = alone(&mut session, &operation, &call)? {
            compared += usize::from(demand_agreement(&call, &reply, &session.look()?)?);
        }
    }
    Ok(format!("{compared} replies agree with what a look shows"))
}

/// The reply to a call while nothing else is under way; none, if it says nothing for certain.
fn alone(session: &mut Session, operation: &str, call: &Call) -> Result<Option<Reply>, Fault> {
    let mut step = Step::Start { operation: operation.to_owned(), call: call.clone() };
    let mut answered = None;
    for _ in 0..MOST_STEPS {
        if let Progress::Done { reply, certainty: Certainty::Definite } = session.perform(&step)? {
            answered = Some(reply);
        }
        let Some(park) = session.parked()?.into_iter().next() else { break };
        step = Step::Resume { park, answer: Answer::Proceed };
    }
    Ok(answered)
}

/// Whether there was something to compare.
fn demand_agreement(call: &Call, reply: &Reply, look: &Observation) -> Result<bool, Fault> {
    let contradiction = |text: String| Err(Fault::new("contradiction", text));
    match (call, reply) {
        (Call::Poll { .. }, Reply::Batch { messages }) => {
            let Some(shown) = &look.messages else { return Ok(false) };
            match messages.iter().find(|message| !shown.contains(message)) {
                Some((offset, payload)) => contradiction(format!(
                    "a poll gives `{payload}` at {offset}, which a look at the messages does not show"
                )),
                None if messages.is_empty() => {
                    contradiction("a batch has no messages: that is the reply `empty`".to_owned())
                }
                None => Ok(true),
            }
        }
        (Call::Store { consumer, offset, .. }, Reply::Acknowledged {}) => {
            let Some(shown) = &look.bookmarks else { return Ok(false) };
            match shown.get(consumer) {
                Some(stored) if stored == offset => Ok(true),
                other => {
                    let shown = other.map_or_else(|| "none".to_owned(), u64::to_string);
                    contradiction(format!(
                        "a store of {offset} is acknowledged, and the bookmark of {consumer} is {shown}"
                    ))
                }
            }
        }
        (Call::Send { payloads }, Reply::Acknowledged {}) => {
            let Some(shown) = &look.messages else { return Ok(false) };
            let is_shown = |payload: &&String| shown.iter().any(|(_, it)| it == *payload);
            match payloads.iter().find(|payload| !is_shown(payload)) {
                Some(payload) => {
                    contradiction(format!("the send of `{payload}` is acknowledged, and a look does not show it"))
                }
                None => Ok(true),
            }
        }
        _ => Ok(false),
    }
}

/// The same steps give the same, in the same process and in another one.
pub(super) fn determinism(bench: &Bench<'_>) -> Result<String, Fault> {
    let found = (|| {
        let tours = tour::tours(bench)?;
        let mut steps = 0;
        let mut session = bench.session()?;
        for place in ["a second time", "a third time"] {
            for tour in &tours {
                session.reset(&tour.world)?;
                let again = session.walk(&tour.steps, session.fields)?;
                demand_repeated(tour, &again, place)?;
                steps += again.len();
            }
        }
        Ok(format!("{steps} steps again, in another process and once more, gave the same"))
    })();
    match found {
        Err(Fault { kind: "nondeterministic", text }) if !bench.capabilities.is_deterministic => {
            Ok(format!("it does not promise it, and rightly so: {text}"))
        }
        other => other,
    }
}

fn demand_repeated(tour: &Tour, again: &[Seen], place: &str) -> Result<(), Fault> {
    for (index, seen) in again.iter().enumerate() {
        let step = name(&tour.steps[index]);
        let nondeterministic = |text: String| Err(Fault::new("nondeterministic", text));
        if seen.progress != tour.progress[index] {
            let (first, then) = (told(&tour.progress[index]), told(&seen.progress));
            return nondeterministic(format!("`{step}` (step {}) gave {first}, {place} {then}", index + 1));
        }
        if let Some(difference) = difference(&tour.looks[index], &seen.observation) {
            return nondeterministic(format!("after `{step}` (step {}) {place}: {difference}", index + 1));
        }
    }
    Ok(())
}

fn some_tour(bench: &Bench<'_>) -> Result<Tour, Fault> {
    let world = script::worlds(&bench.settings, &bench.capabilities).swap_remove(0);
    Tour::find(bench, &mut bench.session()?, &world, tour::Order::LastFirst)
}

fn difference(first: &Observation, second: &Observation) -> Option<String> {
    let (field, first, second) = first.first_difference(second)?;
    Some(format!("`{}` was {first} and is {second}", field.key()))
}

fn name(step: &Step) -> String {
    match step {
        Step::Start { operation, call } => format!("start {operation} ({})", call.kind()),
        Step::Resume { park, .. } => format!("resume {park}"),
        Step::Cancel { operation } => format!("cancel {operation}"),
        Step::Crash { .. } => "crash".to_owned(),
        Step::Restart {} => "restart".to_owned(),
    }
}

fn told(progress: &Progress) -> String {
    match progress {
        Progress::Parked => "`parked`".to_owned(),
        Progress::Done { reply, .. } => {
            format!("`done` with {}", serde_json::to_string(reply).unwrap_or_else(|error| error.to_string()))
        }
        Progress::Refused { .. } => "`refused`".to_owned(),
        Progress::Unsupported { .. } => "`unsupported`".to_owned(),
    }
}
