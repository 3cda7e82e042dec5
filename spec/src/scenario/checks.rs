//! What a scenario may not say although each word of it is known.

use std::ops::Range;

use toml::Spanned;

use super::file::{Known, Reader, StepFile};
use super::{Doer, ExpectedAnswer, From, MOST_MESSAGES, MOST_OFFSETS, MOST_STEPS, Start, Verb};
use crate::diagnostic::{Problem, nearest};

/// Names that mean somebody else than a consumer.
const RESERVED: &[&str] = &["producer", "operator", "environment", "group", "metadata", "gateway", "owner"];

impl Verb {
    /// The keys that a step with this verb may have beside `id`, `who`, `does` and what it comes after.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Poll => &["from", "offset", "count", "automatic_commit", "may_wait", "answer", "offsets"],
            Self::Store | Self::StorePosition => &["offset", "answer"],
            Self::DeleteBookmark => &["answer"],
            Self::Send => &["count", "answer"],
            Self::ExpireMessages => &["count"],
            Self::GiveUp | Self::GatewayGivesUp => &["of"],
            Self::LosePower => &["survivors"],
            Self::EmptyTheTopic
            | Self::ReCreateTheTopic
            | Self::Join
            | Self::Leave
            | Self::Disconnect
            | Self::Restart
            | Self::FailToSyncPartition
            | Self::FailToSyncBookmarks
            | Self::FailToUnlinkBookmarks
            | Self::RevocationTimesOut => &[],
        }
    }

    /// The answers that such a step can get.
    fn answers(self) -> &'static [ExpectedAnswer] {
        use ExpectedAnswer as Answer;
        match self {
            Self::Poll => &[Answer::Any, Answer::Messages, Answer::Nothing, Answer::Refused, Answer::Lost],
            _ => &[Answer::Any, Answer::Done, Answer::Refused, Answer::Lost],
        }
    }
}

impl Reader<'_> {
    /// The place of a key of `[start]`, or of a word in its value.
    fn place_in_start(&self, header: Range<usize>, key: &str, word: Option<&str>) -> Range<usize> {
        let end = self.text[header.end..].find("\n[").map_or(self.text.len(), |length| header.end + length);
        let section = &self.text[header.end..end];
        let lines = section.match_indices(key).filter(|(at, _)| section[..*at].trim_end_matches(' ').ends_with('\n'));
        let Some((at, _)) = lines.clone().next() else { return header };
        let at = header.end + at;
        let value = word.and_then(|word| Some((self.text[at + key.len()..end].find(word)?, word.len())));
        match value {
            Some((offset, length)) => at + key.len() + offset..at + key.len() + offset + length,
            None => at..at + key.len(),
        }
    }

    /// Checks the world at the start.
    pub(super) fn check_start(&self, start: &Spanned<Start>) -> Result<(), Problem> {
        let world = start.get_ref();
        let bad = |key: &str, word: Option<&str>, message: String| {
            Err(self.problem(self.place_in_start(start.span(), key, word), message))
        };
        if world.messages > MOST_MESSAGES {
            let message = format!("a scenario starts with at most {MOST_MESSAGES} messages, not {}", world.messages);
            return bad("messages", None, message);
        }
        self.check_names(start)?;
        if world.partitions.is_some_and(|partitions| !(1..=2).contains(&partitions)) {
            return bad("partitions", None, "a topic has 1 or 2 partitions".to_owned());
        }
        if world.queue_slots.is_some() && world.prepare_slots.is_none() {
            return bad("queue_slots", None, "`queue_slots` needs `prepare_slots`".to_owned());
        }
        for (key, slots) in [("prepare_slots", world.prepare_slots), ("read_slots", world.read_slots)] {
            if slots == Some(0) {
                return bad(key, None, format!("`{key}` is at least 1"));
            }
        }
        match world.bookmarks.iter().find(|(_, offset)| **offset >= MOST_OFFSETS) {
            Some((name, _)) => bad("bookmarks", Some(name), format!("an offset is below {MOST_OFFSETS}")),
            None => Ok(()),
        }
    }

    fn check_names(&self, start: &Spanned<Start>) -> Result<(), Problem> {
        let world = start.get_ref();
        let all: Vec<&String> = world.consumers.iter().chain(&world.group).collect();
        let bad = |key: &str, word: &str, message: String| {
            Err(self.problem(self.place_in_start(start.span(), key, Some(word)), message))
        };
        if all.len() > 4 {
            let key = if world.group.is_empty() { "consumers" } else { "group" };
            return bad(key, "", "a scenario has at most 4 consumers".to_owned());
        }
        for (key, names) in [("consumers", &world.consumers), ("group", &world.group)] {
            if let Some(name) = names.iter().find(|name| name.is_empty() || RESERVED.contains(&name.as_str())) {
                return bad(key, name, format!("`{name}` cannot be the name of a consumer"));
            }
            if let Some(name) = names.iter().find(|name| all.iter().filter(|other| *other == name).count() > 1) {
                return bad(key, name, format!("there are two consumers `{name}`"));
            }
        }
        self.check_references(start)
    }

    /// Checks that members, old clients and owners of bookmarks are consumers.
    fn check_references(&self, start: &Spanned<Start>) -> Result<(), Problem> {
        let world = start.get_ref();
        let group: Vec<&str> = world.group.iter().map(String::as_str).collect();
        let anybody: Vec<&str> = world.consumers.iter().chain(&world.group).map(String::as_str).collect();
        let mut with_progress: Vec<&str> = world.consumers.iter().map(String::as_str).collect();
        with_progress.extend((!group.is_empty()).then_some("group"));
        let bookmarks: Vec<String> = world.bookmarks.keys().cloned().collect();
        for (key, names, known) in [
            ("members", &world.members, group),
            ("old_clients", &world.old_clients, anybody),
            ("bookmarks", &bookmarks, with_progress),
        ] {
            if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
                let place = self.place_in_start(start.span(), key, Some(name));
                let problem = self.problem(place, format!("`{name}` cannot be in `{key}`"));
                return Err(with_nearest(problem, name, &known));
            }
            if let Some(name) = names.iter().find(|name| names.iter().filter(|other| other == name).count() > 1) {
                let place = self.place_in_start(start.span(), key, Some(name));
                return Err(self.problem(place, format!("`{name}` stands twice in `{key}`")));
            }
        }
        Ok(())
    }

    /// Checks the number and names of the steps, and how many messages they send.
    pub(super) fn check_steps(&self, steps: &[Spanned<StepFile>], start: &Start) -> Result<(), Problem> {
        if steps.is_empty() || steps.len() > MOST_STEPS {
            let place = steps.get(MOST_STEPS).map_or(0..0, |step| step.get_ref().id.span());
            return Err(self.problem(place, format!("a scenario has 1 to {MOST_STEPS} steps, not {}", steps.len())));
        }
        let mut messages = start.messages;
        for (index, step) in steps.iter().enumerate() {
            let step = step.get_ref();
            let id = step.id.get_ref();
            if steps[..index].iter().any(|other| other.get_ref().id.get_ref() == id) {
                return Err(self.problem(step.id.span(), format!("there are two steps `{id}`")));
            }
            if id.is_empty() || id.contains(':') {
                let message = "the name of a step is not empty and has no colon".to_owned();
                return Err(self.problem(step.id.span(), message));
            }
            let sent = step.count.as_ref().filter(|_| *step.does.get_ref() == Verb::Send);
            messages = messages.saturating_add(sent.map_or(0, |count| *count.get_ref()));
            if messages > MOST_OFFSETS {
                let message = format!("a scenario has at most {MOST_OFFSETS} messages, these are more");
                return Err(self.problem(step.id.span(), message));
            }
        }
        Ok(())
    }

    /// Checks that somebody does what he can.
    pub(super) fn check_doer(&self, step: &StepFile, start: &Start) -> Result<(), Problem> {
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
        Err(with_nearest(self.problem(step.who.span(), format!("`{who}` cannot `{does}`")), who, &known))
    }

    /// Checks that a step has no key that means nothing there, and those that it needs.
    pub(super) fn check_keys(&self, step: &StepFile) -> Result<(), Problem> {
        let does = *step.does.get_ref();
        let given = [
            ("from", step.from.as_ref().map(Spanned::span)),
            ("offset", step.offset.as_ref().map(Spanned::span)),
            ("count", step.count.as_ref().map(Spanned::span)),
            ("automatic_commit", step.automatic_commit.as_ref().map(Spanned::span)),
            ("may_wait", step.may_wait.as_ref().map(Spanned::span)),
            ("of", step.of.as_ref().map(Spanned::span)),
            ("survivors", step.survivors.as_ref().map(Spanned::span)),
            ("answer", step.answer.as_ref().map(Spanned::span)),
            ("offsets", step.offsets.as_ref().map(Spanned::span)),
        ];
        for (key, span) in given {
            let Some(span) = span.filter(|_| !does.keys().contains(&key)) else { continue };
            let help = match does.keys() {
                [] => "it has no keys of its own".to_owned(),
                keys => format!("it may have: {}", keys.join(", ")),
            };
            return Err(self.problem(span, format!("`{does}` has no `{key}`")).with_help(help));
        }
        self.check_needed_keys(step)
    }

    /// Checks that a step has the keys that it needs.
    fn check_needed_keys(&self, step: &StepFile) -> Result<(), Problem> {
        let does = *step.does.get_ref();
        let from_offset = step.from.as_ref().is_some_and(|from| *from.get_ref() == From::Offset);
        let needed = match does {
            Verb::Store | Verb::StorePosition => Some(("offset", step.offset.is_some())),
            Verb::Poll if from_offset => Some(("offset", step.offset.is_some())),
            Verb::Send | Verb::ExpireMessages => Some(("count", step.count.is_some())),
            Verb::GiveUp | Verb::GatewayGivesUp => Some(("of", step.of.is_some())),
            _ => None,
        };
        if let Some((key, false)) = needed {
            return Err(self.problem(step.does.span(), format!("`{does}` needs `{key}` here")));
        }
        match step.offset.as_ref().filter(|_| does == Verb::Poll && !from_offset) {
            Some(offset) => {
                let problem = self.problem(offset.span(), "this poll does not start at an offset".to_owned());
                Err(problem.with_help("add `from = \"offset\"`, or demand the offsets of the batch with `offsets`"))
            }
            None => Ok(()),
        }
    }

    /// Checks numbers, and that the demanded answer is one that the step can get.
    pub(super) fn check_values(&self, step: &StepFile) -> Result<(), Problem> {
        let does = *step.does.get_ref();
        if let Some(count) = step.count.as_ref().filter(|count| !(1..=MOST_MESSAGES).contains(count.get_ref())) {
            return Err(self.problem(count.span(), format!("`count` is 1 to {MOST_MESSAGES}")));
        }
        if let Some(offset) = step.offset.as_ref().filter(|offset| *offset.get_ref() >= MOST_OFFSETS) {
            return Err(self.problem(offset.span(), format!("an offset is below {MOST_OFFSETS}")));
        }
        if let Some(answer) = step.answer.as_ref().filter(|answer| !does.answers().contains(answer.get_ref())) {
            let known: Vec<&str> = does.answers().iter().map(|answer| answer.word()).collect();
            let problem = self.problem(answer.span(), format!("`{does}` is never answered like this"));
            return Err(problem.with_help(format!("accepted: {}", known.join(", "))));
        }
        let Some(offsets) = &step.offsets else { return Ok(()) };
        if offsets.get_ref().0 > offsets.get_ref().1 {
            return Err(self.problem(offsets.span(), "`offsets` are the first and the last of a batch".to_owned()));
        }
        let answer = step.answer.as_ref().map(|answer| *answer.get_ref());
        match answer {
            None | Some(ExpectedAnswer::Any | ExpectedAnswer::Messages) => Ok(()),
            Some(other) => {
                let message = format!("`offsets` demand messages, and `answer` demands `{other}`");
                Err(self.problem(offsets.span(), message))
            }
        }
    }

    /// The step that is given up: a request of the same client, or a poll that the gateway waits for.
    pub(super) fn given_up(&self, step: &StepFile, of: &Spanned<String>, known: &Known) -> Result<usize, Problem> {
        let index = self.step_index(of, of.get_ref(), known)?;
        let (verb, does) = (known.verbs[index], *step.does.get_ref());
        let fits = match does {
            Verb::GatewayGivesUp => verb == Verb::Poll,
            _ => {
                let is_request = matches!(verb, Verb::Poll | Verb::Store | Verb::StorePosition | Verb::DeleteBookmark);
                is_request && known.doers[index] == *step.who.get_ref()
            }
        };
        if fits {
            return Ok(index);
        }
        let help = match does {
            Verb::GatewayGivesUp => "the gateway gives up polls only",
            _ => "a consumer gives up its own polls and commits",
        };
        Err(self.problem(of.span(), format!("`{}` cannot be given up here", of.get_ref())).with_help(help))
    }
}

fn with_nearest(problem: Problem, word: &str, known: &[&str]) -> Problem {
    match nearest(word, known.iter().copied()) {
        Some(near) => problem.with_help(format!("did you mean `{near}`?")),
        None if known.is_empty() => problem.with_help("there is nobody who could be meant"),
        None => problem.with_help(format!("accepted: {}", known.join(", "))),
    }
}
