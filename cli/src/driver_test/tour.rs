//! A way through a driver's calls and parks, found by asking what waits.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_driver::{Answer, Field, Observation, Park, ParkKind, Progress, Step, World};

use super::Fault;
use super::script;
use super::session::{Bench, Session};

/// How often one park is resumed while the others are empty: a poll that waits may go on waiting, and a purge has several steps.
const MOST_RESUMES: usize = 6;
/// Most steps of a tour.
const MOST_STEPS: usize = 400;

/// In which order work goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// One call after the other, each to its end.
    OneByOne,
    /// All calls are begun, then the last of what waits goes on first.
    LastFirst,
}

/// A way, and what was seen on it.
pub(super) struct Tour {
    pub(super) world: World,
    pub(super) steps: Vec<Step>,
    /// How far each step got.
    pub(super) progress: Vec<Progress>,
    /// What was seen after each step.
    pub(super) looks: Vec<Observation>,
    /// What waited after all calls were begun (in the order [`Order::LastFirst`]), and after how many steps that was.
    pub(super) fork: (usize, Vec<Park>),
    /// The kinds of parks that were met.
    pub(super) kinds: BTreeSet<ParkKind>,
}

/// Tours through both worlds in both orders.
pub(super) fn tours(bench: &Bench<'_>) -> Result<Vec<Tour>, Fault> {
    let mut tours = Vec::new();
    let mut session = bench.session()?;
    for world in script::worlds(&bench.settings, &bench.capabilities) {
        for order in [Order::OneByOne, Order::LastFirst] {
            tours.push(Tour::find(bench, &mut session, &world, order)?);
        }
    }
    Ok(tours)
}

impl Tour {
    /// Finds a way.
    pub(super) fn find(bench: &Bench<'_>, session: &mut Session, world: &World, order: Order) -> Result<Self, Fault> {
        session.reset(world)?;
        let mut tour = Self {
            world: world.clone(),
            steps: Vec::new(),
            progress: Vec::new(),
            looks: Vec::new(),
            fork: (0, Vec::new()),
            kinds: BTreeSet::new(),
        };
        for (operation, call) in script::calls(&bench.capabilities) {
            tour.take(session, Step::Start { operation, call })?;
            if order == Order::OneByOne {
                tour.drain(bench, session, order)?;
            }
        }
        tour.fork = (tour.steps.len(), session.parked()?);
        tour.drain(bench, session, order)?;
        Ok(tour)
    }

    /// Resumes what waits, until nothing does or what is left waits for something that does not come.
    fn drain(&mut self, bench: &Bench<'_>, session: &mut Session, order: Order) -> Result<(), Fault> {
        let mut resumed: BTreeMap<Park, usize> = BTreeMap::new();
        while self.steps.len() < MOST_STEPS {
            let parked = parked(bench, session)?;
            self.kinds.extend(parked.iter().map(|park| park.kind));
            let mut fresh =
                parked.into_iter().filter(|park| resumed.get(park).is_none_or(|count| *count < MOST_RESUMES));
            let next = if order == Order::OneByOne { fresh.next() } else { fresh.next_back() };
            let Some(park) = next else { break };
            *resumed.entry(park.clone()).or_default() += 1;
            self.take(session, Step::Resume { park, answer: Answer::Proceed })?;
        }
        Ok(())
    }

    fn take(&mut self, session: &mut Session, step: Step) -> Result<(), Fault> {
        let progress = session.perform(&step)?;
        self.looks.push(session.look()?);
        demand_done(&step, &progress)?;
        self.steps.push(step);
        self.progress.push(progress);
        Ok(())
    }
}

/// A step that the driver offers has to be possible.
fn demand_done(step: &Step, progress: &Progress) -> Result<(), Fault> {
    let reason = match progress {
        Progress::Parked | Progress::Done { .. } => return Ok(()),
        Progress::Refused { reason } => format!("refuses it: {reason}"),
        Progress::Unsupported { reason } => format!("does not support it: {reason}"),
    };
    Err(match step {
        Step::Start { call, .. } => {
            Fault::new("incomplete", format!("it declares the call `{}` and {reason}", call.kind()))
        }
        Step::Resume { park, .. } => {
            Fault::new("parks", format!("it says that something waits at `{park}` and {reason}"))
        }
        _ => Fault::new("incomplete", reason),
    })
}

/// What waits, if the list is as it should be.
pub(super) fn parked(bench: &Bench<'_>, session: &mut Session) -> Result<Vec<Park>, Fault> {
    let parked = session.parked()?;
    if let Some(pair) = parked.windows(2).find(|pair| pair[0] >= pair[1]) {
        let text = format!("the list of parks is not sorted, or names one twice: `{}` before `{}`", pair[0], pair[1]);
        return Err(Fault::new("parks", text));
    }
    let timers = [ParkKind::GatewayTimeOut, ParkKind::RevocationTimeOut];
    if let Some(park) = parked.iter().find(|park| timers.contains(&park.kind)) {
        return Err(Fault::new("parks", format!("`{park}` is a timer, and timers are not listed")));
    }
    let is_declared = |park: &&Park| bench.capabilities.parks.contains(&park.kind);
    if let Some(park) = parked.iter().find(|park| !is_declared(park)) {
        return Err(Fault::new("parks", format!("something waits at `{park}`, and that kind of park is not declared")));
    }
    if session.fields.has(Field::Parked) {
        let seen = session.observe(fencepost_driver::Fields::NONE.with(Field::Parked))?.parked;
        if seen.as_ref() != Some(&parked) {
            let text =
                format!("`parked` lists {}, and a look shows {}", words(&parked), words(&seen.unwrap_or_default()));
            return Err(Fault::new("contradiction", text));
        }
    }
    Ok(parked)
}

fn words(parks: &[Park]) -> String {
    let words: Vec<String> = parks.iter().map(|park| format!("`{park}`")).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
