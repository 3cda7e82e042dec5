//! Scenarios: a bug report or an open question as data. Steps, what comes after what, and what each contract makes of it.
//!
//! A scenario fixes what it names and nothing else: every step of the system that it does not mention may happen whenever
//! it can, in every order.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::clause::ClauseName;
use crate::diagnostic::{Problem, nearest, parse_toml};
use crate::event::EventKind;
use crate::library::{CONTRACTS, expect_word};

/// The `format` of a scenario file.
pub const SCENARIO_FORMAT: &str = "fencepost-scenario/1";
/// Most steps of a scenario.
pub const MOST_STEPS: usize = 32;
/// Most messages that a scenario may start with or send at once.
pub const MOST_MESSAGES: u8 = 8;

crate::words! {
    /// What somebody does in a step.
    pub enum Verb {
        /// A consumer polls.
        Poll = "poll",
        /// A consumer stores an offset that it read (or, if it did not read it, a position of its own choice).
        Store = "store",
        /// A consumer stores a position of its own choice, whatever it read.
        StorePosition = "store a position",
        /// A consumer deletes its bookmark.
        DeleteBookmark = "delete its bookmark",
        /// A consumer gives up waiting for the answer to another step.
        GiveUp = "give up",
        /// The producer sends messages.
        Send = "send",
        /// The operator empties the topic: a purge, or deletion and re-creation where there is no purge.
        EmptyTheTopic = "empty the topic",
        /// The operator deletes the topic and creates it again.
        ReCreateTheTopic = "delete and re-create the topic",
        /// A consumer joins the group.
        Join = "join",
        /// A member leaves the group.
        Leave = "leave",
        /// A member's session ends.
        Disconnect = "disconnect",
        /// The oldest messages expire.
        ExpireMessages = "expire messages",
        /// The owner's process dies and recovers; what the operating system holds survives.
        Restart = "restart",
        /// The machine loses its power, and the owner recovers.
        LosePower = "lose power",
        /// Syncing the partition directory fails during the purge.
        FailToSyncPartition = "fail to sync the partition",
        /// Syncing the directory of bookmarks fails during the purge.
        FailToSyncBookmarks = "fail to sync the bookmarks",
        /// Unlinking the bookmarks fails during the purge.
        FailToUnlinkBookmarks = "fail to unlink the bookmarks",
        /// The gateway gives up waiting for the poll of another step and answers in place of the owner.
        GatewayGivesUp = "let the gateway give up",
        /// A pending revocation times out.
        RevocationTimesOut = "let the revocation time out",
    }
}

crate::words! {
    /// Which unsynced operations survive a power loss.
    pub enum Survivors {
        /// Every subset is tried.
        Any = "any",
        /// None.
        None = "none",
        /// All.
        All = "all",
    }
}

crate::words! {
    /// Where a poll starts.
    pub enum From {
        /// After the bookmark.
        Next = "next",
        /// At the first message.
        First = "first",
        /// At the last messages.
        Last = "last",
        /// At `offset`.
        Offset = "offset",
    }
}

crate::words! {
    /// What a step is answered with, if the scenario demands something.
    pub enum ExpectedAnswer {
        /// Anything.
        Any = "any",
        /// A batch of messages.
        Messages = "messages",
        /// No messages, from the partition itself.
        Nothing = "nothing",
        /// A refusal, the sentinel reply included.
        Refused = "refused",
        /// The acknowledgement of a write.
        Done = "done",
        /// The client never gets the answer.
        Lost = "lost",
    }
}

/// How the world is when the scenario starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// Messages in the log.
    pub messages: u8,
    /// Individual consumers.
    pub consumers: Vec<String>,
    /// Consumers that are members of the group, or will be.
    pub group: Vec<String>,
    /// Those of them who are members at the start, in the order of their joining. The first owns the partition.
    pub members: Vec<String>,
    /// Partitions of the topic; the first has the log. A join moves it only if there are two.
    pub partitions: Option<u8>,
    /// Bookmark that an individual consumer (by its name) or the group (`group`) has at the start.
    pub bookmarks: BTreeMap<String, u8>,
    /// Clients that send no identities.
    pub old_clients: Vec<String>,
    /// Operations that may be prepared at once; without it every operation commits at once.
    pub prepare_slots: Option<u8>,
    /// Operations that may wait for a place; needs `prepare_slots`.
    pub queue_slots: Option<u8>,
    /// Reads that may run at once.
    pub read_slots: Option<u8>,
    /// Whether messages are in memory, so that no read needs a file.
    pub resident: bool,
}

/// A reference to an event of a step: `step` for its end, or `step:phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reference {
    /// Index of the step.
    pub step: usize,
    /// The event, or the step's end.
    pub phase: Option<EventKind>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub id: String,
    /// Who does it: a consumer, `producer`, `operator` or `environment`.
    pub who: String,
    /// What.
    pub does: Verb,
    /// Where a poll starts.
    pub from: From,
    /// Offset of a store or poll.
    pub offset: Option<u8>,
    /// How many messages.
    pub count: u8,
    /// Whether a poll commits automatically.
    pub automatic_commit: bool,
    /// Whether a poll may wait at the owner.
    pub may_wait: bool,
    /// The step that a give-up is about.
    pub of: Option<usize>,
    /// What survives a power loss.
    pub survivors: Survivors,
    /// The demanded answer.
    pub answer: ExpectedAnswer,
    /// The demanded offsets of a batch: the first and the last.
    pub offsets: Option<(u8, u8)>,
    /// What must have happened before an event of this step.
    pub conditions: BTreeMap<EventKind, Vec<Reference>>,
}

/// What a contract is expected to answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioExpectation {
    /// Whether the scenario is possible; absent: not applicable.
    pub possible: Option<bool>,
    /// The clauses that break in some course of it.
    #[serde(default)]
    pub breaks: Vec<ClauseName>,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Name, kebab-case.
    pub name: String,
    /// One line.
    pub title: String,
    /// The question it answers, in words.
    pub question: String,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// The world at the start.
    pub start: Start,
    /// The steps.
    pub steps: Vec<Step>,
    /// What is expected, by contract.
    pub expect: BTreeMap<String, ScenarioExpectation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioFile {
    format: Spanned<String>,
    name: String,
    family: Spanned<String>,
    title: String,
    question: String,
    #[serde(default)]
    sources: Vec<String>,
    start: Spanned<Start>,
    step: Vec<Spanned<StepFile>>,
    #[serde(default)]
    expect: BTreeMap<Spanned<String>, ScenarioExpectation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    id: Spanned<String>,
    who: Spanned<String>,
    does: Spanned<Verb>,
    from: Option<From>,
    offset: Option<u8>,
    count: Option<Spanned<u8>>,
    #[serde(default)]
    automatic_commit: bool,
    #[serde(default)]
    may_wait: bool,
    of: Option<Spanned<String>>,
    survivors: Option<Survivors>,
    answer: Option<ExpectedAnswer>,
    offsets: Option<(u8, u8)>,
    #[serde(default)]
    after: Vec<Spanned<String>>,
    #[serde(default)]
    dispatched_after: Vec<Spanned<String>>,
    #[serde(default)]
    arrives_after: Vec<Spanned<String>>,
    #[serde(default)]
    opens_after: Vec<Spanned<String>>,
    #[serde(default)]
    completes_after: Vec<Spanned<String>>,
    #[serde(default)]
    commits_after: Vec<Spanned<String>>,
    #[serde(default)]
    decided_after: Vec<Spanned<String>>,
    #[serde(default)]
    applied_after: Vec<Spanned<String>>,
    #[serde(default)]
    mirrored_after: Vec<Spanned<String>>,
    #[serde(default)]
    answered_after: Vec<Spanned<String>>,
}

impl Verb {
    /// Who may do it.
    fn doer(self) -> Doer {
        match self {
            Self::Poll | Self::Store | Self::StorePosition | Self::DeleteBookmark | Self::GiveUp => Doer::Consumer,
            Self::Join | Self::Leave | Self::Disconnect => Doer::Member,
            Self::Send => Doer::Named("producer"),
            Self::EmptyTheTopic | Self::ReCreateTheTopic => Doer::Named("operator"),
            Self::ExpireMessages
            | Self::Restart
            | Self::LosePower
            | Self::FailToSyncPartition
            | Self::FailToSyncBookmarks
            | Self::FailToUnlinkBookmarks
            | Self::GatewayGivesUp
            | Self::RevocationTimesOut => Doer::Named("environment"),
        }
    }

    /// The events that a step with this verb goes through, in order; the last one is its end.
    pub fn phases(self) -> &'static [EventKind] {
        use EventKind as Event;
        match self {
            Self::Poll => &[
                Event::Sent,
                Event::Dispatched,
                Event::Arrived,
                Event::Opened,
                Event::Completed,
                Event::GatewayGaveUp,
                Event::GivenUp,
                Event::Answered,
            ],
            Self::Store | Self::StorePosition | Self::DeleteBookmark => {
                &[Event::Sent, Event::Dispatched, Event::Arrived, Event::Committed, Event::GivenUp, Event::Answered]
            }
            Self::Send => &[Event::Sent, Event::Dispatched, Event::Arrived, Event::Committed, Event::Answered],
            Self::EmptyTheTopic | Self::ReCreateTheTopic | Self::Join | Self::Leave | Self::Disconnect => {
                &[Event::Sent, Event::Decided, Event::Mirrored, Event::Applied, Event::Answered]
            }
            Self::ExpireMessages => &[Event::Sent, Event::Retained, Event::Answered],
            Self::GiveUp
            | Self::Restart
            | Self::LosePower
            | Self::FailToSyncPartition
            | Self::FailToSyncBookmarks
            | Self::FailToUnlinkBookmarks
            | Self::GatewayGivesUp
            | Self::RevocationTimesOut => &[Event::Sent, Event::Answered],
        }
    }
}

enum Doer {
    Consumer,
    Member,
    Named(&'static str),
}

/// Reads a scenario file.
///
/// # Errors
/// A [`Problem`] with file, line, column, the offending text and what would be accepted.
pub fn parse_scenario(file: &str, text: &str) -> Result<Scenario, Problem> {
    let parsed: ScenarioFile = parse_toml(file, text)?;
    expect_word(file, text, &parsed.format, &[SCENARIO_FORMAT], "format")?;
    expect_word(file, text, &parsed.family, &["iggy"], "family")?;
    let reader = Reader { file, text };
    reader.check_start(&parsed.start)?;
    let start = parsed.start.into_inner();
    let mut ids: Vec<String> = Vec::new();
    for step in &parsed.step {
        let id = &step.get_ref().id;
        if ids.contains(id.get_ref()) {
            return Err(reader.problem(id.span(), format!("there are two steps `{}`", id.get_ref())));
        }
        ids.push(id.get_ref().clone());
    }
    if ids.is_empty() || ids.len() > MOST_STEPS {
        return Err(Problem::at(file, text, 0..0, format!("a scenario has 1 to {MOST_STEPS} steps, not {}", ids.len())));
    }
    let verbs: Vec<Verb> = parsed.step.iter().map(|step| *step.get_ref().does.get_ref()).collect();
    let mut steps = Vec::new();
    for step in parsed.step {
        steps.push(reader.step(step.into_inner(), &start, &ids, &verbs)?);
    }
    reader.refuse_cycles(&steps)?;
    let contracts: Vec<&str> = CONTRACTS.iter().map(|(name, _)| *name).collect();
    let mut expect = BTreeMap::new();
    for (name, expectation) in parsed.expect {
        expect_word(file, text, &name, &contracts, "contract")?;
        expect.insert(name.into_inner(), expectation);
    }
    Ok(Scenario {
        name: parsed.name,
        title: parsed.title,
        question: parsed.question,
        sources: parsed.sources,
        start,
        steps,
        expect,
    })
}

/// The event of a request without which another cannot be. An answer can come at any time: from the gateway, for example,
/// or from metadata before anything is applied.
fn earlier_event(kind: EventKind) -> Option<EventKind> {
    match kind {
        EventKind::Dispatched | EventKind::Decided | EventKind::Answered | EventKind::GivenUp | EventKind::Retained => {
            Some(EventKind::Sent)
        }
        EventKind::Arrived => Some(EventKind::Dispatched),
        EventKind::Opened | EventKind::Completed | EventKind::Committed | EventKind::GatewayGaveUp => {
            Some(EventKind::Arrived)
        }
        EventKind::Mirrored | EventKind::Applied => Some(EventKind::Decided),
        EventKind::Sent | EventKind::Crashed | EventKind::PowerLost | EventKind::Restarted => None,
    }
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn problem(&self, span: std::ops::Range<usize>, message: String) -> Problem {
        Problem::at(self.file, self.text, span, message)
    }

    fn check_start(&self, start: &Spanned<Start>) -> Result<(), Problem> {
        let span = start.span();
        let world = start.get_ref();
        let bad = |message: String| Err(self.problem(span.clone(), message));
        if world.messages > MOST_MESSAGES {
            return bad(format!("a scenario starts with at most {MOST_MESSAGES} messages, not {}", world.messages));
        }
        if let Some(name) = world.members.iter().find(|name| !world.group.contains(name)) {
            return bad(format!("the member `{name}` is not in `group`"));
        }
        let known = |name: &String| world.consumers.contains(name) || world.group.contains(name);
        if let Some(name) = world.old_clients.iter().find(|name| !known(name)) {
            return bad(format!("the old client `{name}` is neither in `consumers` nor in `group`"));
        }
        let has_progress = |name: &String| world.consumers.contains(name) || name == "group";
        if let Some(name) = world.bookmarks.keys().find(|name| !has_progress(name)) {
            return bad(format!("bookmarks belong to individual consumers and to `group`, not to `{name}`"));
        }
        if world.partitions.is_some_and(|partitions| !(1..=2).contains(&partitions)) {
            return bad("a topic has 1 or 2 partitions".to_owned());
        }
        if world.queue_slots.is_some() && world.prepare_slots.is_none() {
            return bad("`queue_slots` needs `prepare_slots`".to_owned());
        }
        if world.prepare_slots == Some(0) || world.read_slots == Some(0) {
            return bad("`prepare_slots` and `read_slots` are at least 1".to_owned());
        }
        if world.consumers.len() + world.group.len() > 4 {
            return bad("a scenario has at most 4 consumers".to_owned());
        }
        Ok(())
    }

    fn step(&self, step: StepFile, start: &Start, ids: &[String], verbs: &[Verb]) -> Result<Step, Problem> {
        let does = *step.does.get_ref();
        self.check_doer(&step, start)?;
        let of = match (&step.of, does) {
            (Some(of), Verb::GiveUp | Verb::GatewayGivesUp) => Some(self.step_index(of, of.get_ref(), ids)?),
            (None, Verb::GiveUp | Verb::GatewayGivesUp) => {
                return Err(self.problem(step.does.span(), format!("`{does}` needs `of`, the step that is given up")));
            }
            (Some(of), _) => return Err(self.problem(of.span(), format!("`{does}` has no `of`"))),
            (None, _) => None,
        };
        let needs_offset = does == Verb::Store || does == Verb::StorePosition || step.from == Some(From::Offset);
        if needs_offset && step.offset.is_none() {
            return Err(self.problem(step.does.span(), format!("`{does}` needs `offset` here")));
        }
        if let Some(count) = step.count.as_ref().filter(|count| !(1..=MOST_MESSAGES).contains(count.get_ref())) {
            return Err(self.problem(count.span(), format!("`count` is 1 to {MOST_MESSAGES}")));
        }
        let mut conditions = BTreeMap::new();
        for (phase, references) in [
            (EventKind::Sent, &step.after),
            (EventKind::Dispatched, &step.dispatched_after),
            (EventKind::Arrived, &step.arrives_after),
            (EventKind::Opened, &step.opens_after),
            (EventKind::Completed, &step.completes_after),
            (EventKind::Committed, &step.commits_after),
            (EventKind::Decided, &step.decided_after),
            (EventKind::Applied, &step.applied_after),
            (EventKind::Mirrored, &step.mirrored_after),
            (EventKind::Answered, &step.answered_after),
        ] {
            if let Some(first) = references.first().filter(|_| !does.phases().contains(&phase)) {
                return Err(self.problem(first.span(), format!("`{does}` is never {phase}")));
            }
            let resolved: Result<Vec<Reference>, Problem> =
                references.iter().map(|reference| self.reference(reference, ids, verbs)).collect();
            conditions.insert(phase, resolved?);
        }
        conditions.retain(|_, references| !references.is_empty());
        Ok(Step {
            id: step.id.into_inner(),
            who: step.who.into_inner(),
            does,
            from: step.from.unwrap_or(From::Next),
            offset: step.offset,
            count: step.count.map_or(MOST_MESSAGES, Spanned::into_inner),
            automatic_commit: step.automatic_commit,
            may_wait: step.may_wait,
            of,
            survivors: step.survivors.unwrap_or(Survivors::Any),
            answer: step.answer.unwrap_or(ExpectedAnswer::Any),
            offsets: step.offsets,
            conditions,
        })
    }

    fn check_doer(&self, step: &StepFile, start: &Start) -> Result<(), Problem> {
        let does = step.does.get_ref();
        let known: Vec<&str> = match does.doer() {
            Doer::Consumer => start.consumers.iter().chain(&start.group).map(String::as_str).collect(),
            Doer::Member => start.group.iter().map(String::as_str).collect(),
            Doer::Named(name) => vec![name],
        };
        let who = step.who.get_ref();
        if known.contains(&who.as_str()) {
            return Ok(());
        }
        let problem = self.problem(step.who.span(), format!("`{who}` cannot `{does}`"));
        Err(match nearest(who, known.iter().copied()) {
            Some(near) => problem.with_help(format!("did you mean `{near}`?")),
            None => problem.with_help(format!("it can be done by: {}", known.join(", "))),
        })
    }

    fn step_index(&self, place: &Spanned<String>, id: &str, ids: &[String]) -> Result<usize, Problem> {
        ids.iter().position(|known| known == id).ok_or_else(|| {
            let problem = self.problem(place.span(), format!("there is no step `{id}`"));
            match nearest(id, ids.iter().map(String::as_str)) {
                Some(near) => problem.with_help(format!("did you mean `{near}`?")),
                None => problem.with_help(format!("steps: {}", ids.join(", "))),
            }
        })
    }

    fn reference(&self, place: &Spanned<String>, ids: &[String], verbs: &[Verb]) -> Result<Reference, Problem> {
        let (id, phase) = match place.get_ref().split_once(':') {
            Some((id, phase)) => (id, Some(phase)),
            None => (place.get_ref().as_str(), None),
        };
        let step = self.step_index(place, id, ids)?;
        let Some(phase) = phase else { return Ok(Reference { step, phase: None }) };
        let possible = verbs[step].phases();
        match possible.iter().find(|kind| kind.word() == phase) {
            Some(kind) => Ok(Reference { step, phase: Some(*kind) }),
            None => {
                let words = possible.iter().map(|kind| kind.word());
                let problem = self.problem(place.span(), format!("the step `{id}` is never `{phase}`"));
                Err(match nearest(phase, words.clone()) {
                    Some(near) => problem.with_help(format!("did you mean `{id}:{near}`?")),
                    None => problem.with_help(format!("phases: {}", words.collect::<Vec<_>>().join(", "))),
                })
            }
        }
    }

    /// Every event waits for the event of its own step that comes before it and for its conditions; that must not go round
    /// in a circle.
    fn refuse_cycles(&self, steps: &[Step]) -> Result<(), Problem> {
        let mut done: Vec<(usize, EventKind)> = Vec::new();
        loop {
            let before = done.len();
            for (index, step) in steps.iter().enumerate() {
                for phase in step.does.phases() {
                    let earlier = earlier_event(*phase).is_none_or(|other| done.contains(&(index, other)));
                    let end = |other: usize| *steps[other].does.phases().last().unwrap_or(&EventKind::Answered);
                    let conditions = step.conditions.get(phase).into_iter().flatten();
                    let met = conditions
                        .map(|reference| (reference.step, reference.phase.unwrap_or(end(reference.step))))
                        .all(|event| done.contains(&event));
                    if earlier && met && !done.contains(&(index, *phase)) {
                        done.push((index, *phase));
                    }
                }
            }
            if done.len() == before {
                break;
            }
        }
        let stuck: Vec<&Step> = steps
            .iter()
            .enumerate()
            .filter(|(index, step)| step.does.phases().iter().any(|phase| !done.contains(&(*index, *phase))))
            .map(|(_, step)| step)
            .collect();
        let Some(first) = stuck.first() else { return Ok(()) };
        let names: Vec<&str> = stuck.iter().map(|step| step.id.as_str()).collect();
        let quoted = format!("\"{}\"", first.id);
        let at = self.text.find(&quoted).map_or(0..0, |start| start..start + quoted.len());
        Err(self
            .problem(at, format!("the steps {} wait for each other in a circle", names.join(", ")))
            .with_help("take one of them out of an `after` list"))
    }
}
