//! Which clause was left, judged by what was seen: for bugs of an implementation that no change of the contract explains.
//!
//! A change of the contract says more, so this is asked only where [`Blame::different`](super::blame::Blame::different) is none. Each
//! rule looks at the first difference and at what was seen before it. The rules are asked in the order of `RULES`; the first that
//! fits names the clause.

use std::collections::BTreeMap;

use fencepost_driver::{Call, Field, Observation, ParkKind, Progress, Reply, Status, Step, World};
use fencepost_spec::clause::ClauseName;

use super::divergence::Difference;
use super::runner::Found;

/// A clause, named by what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symptom {
    /// The clause.
    pub clause: ClauseName,
    /// What was seen that says so, a sentence without a full stop.
    pub reason: &'static str,
}

/// The clause by the first rule that fits; `None` if none does.
pub fn judge(world: &World, found: &Found) -> Option<Symptom> {
    let story = Story::of(world, found)?;
    RULES.iter().find_map(|rule| rule(&story))
}

/// A rule: what it says of a story, if it fits.
type Rule = fn(&Story<'_>) -> Option<Symptom>;

/// All rules, in the order in which they are asked.
const RULES: &[Rule] = &[
    no_answer,
    batch_of_another_history,
    batch_of_what_is_not_committed,
    batch_instead_of_a_refusal,
    batch_further_on,
    slot_is_lost,
    read_without_room,
    early_acknowledgement,
    queue_stands_still,
    operations_of_another_history,
    lost_after_an_acknowledged_emptying,
    mixture_after_recovery,
    done_before_it_is_done,
    not_durable,
    lost_after_recovery,
    progress_of_another_history,
    progress_after_a_refusal,
    served_again,
    messages_missing,
    revocation_outlives_its_group,
    number_stands_still,
];

/// What the rules look at.
struct Story<'a> {
    world: &'a World,
    found: &'a Found,
    difference: &'a Difference,
    /// The steps that diverge.
    steps: &'a [Step],
    progress: &'a Progress,
    before: Option<&'a Observation>,
    after: &'a Observation,
}

impl<'a> Story<'a> {
    fn of(world: &'a World, found: &'a Found) -> Option<Self> {
        let ((steps, last), earlier) = found.transcript.split_last()?;
        let before = earlier.last().map(|(_, seen)| &seen.observation);
        let difference = found.first();
        Some(Self { world, found, difference, steps, progress: &last.progress, before, after: &last.observation })
    }

    fn is_field(&self, fields: &[Field]) -> bool {
        self.difference.field.is_some_and(|field| fields.contains(&field))
    }

    fn reply(&self) -> Option<&Reply> {
        match self.progress {
            Progress::Done { reply, .. } => Some(reply),
            _ => None,
        }
    }

    fn all_steps(&self) -> impl DoubleEndedIterator<Item = &'a Step> {
        self.found.transcript.iter().flat_map(|(steps, _)| steps)
    }

    /// Whether the topic was emptied, or that was at least asked for.
    fn is_emptied(&self) -> bool {
        let empties = |step: &Step| matches!(step, Step::Start { call: Call::Empty {} | Call::Recreate {}, .. });
        self.all_steps().any(empties)
    }

    /// Whether an emptying was acknowledged, and its operation.
    fn acknowledged_emptying(&self) -> bool {
        self.found.transcript.iter().any(|(steps, seen)| {
            let is_answer = matches!(seen.progress, Progress::Done { reply: Reply::Acknowledged {}, .. });
            let is_operators = |step: &Step| matches!(step, Step::Resume { park, .. } if park.kind == ParkKind::Reply && park.name.starts_with("operator."));
            is_answer && steps.iter().any(is_operators)
        }) && self.is_emptied()
    }

    fn is_crash(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Crash { .. } | Step::Restart {}))
    }

    /// Whether work of this kind goes on in the steps that diverge.
    fn goes_on_at(&self, kinds: &[ParkKind]) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Resume { park, .. } if kinds.contains(&park.kind)))
    }

    /// Whether a step of this kind was done before, or diverges.
    fn came_by(&self, kind: ParkKind) -> bool {
        self.all_steps().any(|step| matches!(step, Step::Resume { park, .. } if park.kind == kind))
    }

    /// The places at which work may wait that differ: those that are allowed, and those that are seen.
    fn parks(&self) -> Option<(Vec<String>, Vec<String>)> {
        if self.difference.field != Some(Field::Parked) {
            return None;
        }
        let allowed = serde_json::from_str(&self.difference.allowed).ok()?;
        let seen = self.after.parked.iter().flatten().map(ToString::to_string).collect();
        Some((allowed, seen))
    }

    /// Whether something should wait at a place with this beginning, and does not.
    fn allows_park(&self, beginning: &str) -> bool {
        self.parks().is_some_and(|(allowed, seen)| {
            allowed.iter().any(|park| park.starts_with(beginning) && !seen.contains(park))
        })
    }

    /// Whether something waits at a place with this beginning, and should not.
    fn has_extra_park(&self, beginning: &str) -> bool {
        self.parks().is_some_and(|(allowed, seen)| {
            seen.iter().any(|park| park.starts_with(beginning) && !allowed.contains(park))
        })
    }

    /// Whether a part of a text is in what was seen, and not in what was allowed.
    fn is_only_seen(&self, part: &str) -> bool {
        self.difference.seen.contains(part) && !self.difference.allowed.contains(part)
    }

    /// The bookmarks that were allowed, if they differ.
    fn allowed_progress(&self) -> Option<BTreeMap<String, u64>> {
        serde_json::from_str(&self.difference.allowed).ok()
    }

    fn seen_progress(&self) -> Option<&BTreeMap<String, u64>> {
        match self.difference.field? {
            Field::Bookmarks => self.after.bookmarks.as_ref(),
            Field::BookmarkFiles => self.after.bookmark_files.as_ref(),
            Field::LastPolled => self.after.last_polled.as_ref(),
            _ => None,
        }
    }

    /// Progress that is there or further on than allowed.
    fn has_too_much_progress(&self) -> bool {
        let (Some(allowed), Some(seen)) = (self.allowed_progress(), self.seen_progress()) else { return false };
        seen.iter().any(|(key, offset)| allowed.get(key).is_none_or(|allowed| offset > allowed))
    }
}

const PROGRESS: &[Field] = &[Field::Bookmarks, Field::BookmarkFiles, Field::LastPolled];

fn symptom(clause: ClauseName, reason: &'static str) -> Option<Symptom> {
    Some(Symptom { clause, reason })
}

/// An answer should be under way, and is not: who asked waits for ever.
fn no_answer(story: &Story<'_>) -> Option<Symptom> {
    let lacks = story.allows_park("reply:") && !story.has_extra_park("");
    lacks.then(|| symptom(ClauseName::EveryRequestIsAnswered, "an answer that should be under way is missing"))?
}

fn batch<'a>(story: &'a Story<'_>) -> Option<&'a [(u64, String)]> {
    match story.reply()? {
        Reply::Batch { messages } => Some(messages),
        _ => None,
    }
}

/// A batch holds messages that were in the log once and are not any more.
fn batch_of_another_history(story: &Story<'_>) -> Option<Symptom> {
    let messages = batch(story)?;
    let known = |payload: &String| {
        story.world.messages.contains(payload)
            || story.found.transcript.iter().any(|(_, seen)| holds(&seen.observation, payload))
    };
    let is_gone = |payload: &String| known(payload) && story.before.is_some_and(|before| !holds(before, payload));
    messages
        .iter()
        .any(|(_, payload)| is_gone(payload))
        .then(|| symptom(ClauseName::NoStaleBatch, "a batch holds messages that are not in the log any more"))?
}

fn holds(observation: &Observation, payload: &String) -> bool {
    observation.messages.as_ref().is_some_and(|messages| messages.iter().any(|(_, known)| known == payload))
}

/// A batch holds messages that have never been in the log: what follows from it may pass what comes to their place.
fn batch_of_what_is_not_committed(story: &Story<'_>) -> Option<Symptom> {
    let messages = batch(story)?;
    let before = story.before?;
    messages.iter().any(|(_, payload)| !holds(before, payload)).then(|| {
        symptom(
            ClauseName::NoSkip,
            "a batch holds messages that are not committed, and progress may pass what takes their place",
        )
    })?
}

/// A poll should be refused, and gets something that is no refusal.
fn batch_instead_of_a_refusal(story: &Story<'_>) -> Option<Symptom> {
    let refused = ["the code ", "no messages, from the sentinel"];
    let should = refused.iter().any(|words| story.difference.allowed.starts_with(words));
    let gets = matches!(story.reply()?, Reply::Batch { .. } | Reply::Empty {});
    (should && gets && story.difference.field.is_none()).then(|| {
        symptom(
            ClauseName::StalePollIsRetryable,
            "a poll that should be refused is answered as if there were no more messages",
        )
    })?
}

/// A batch begins further on than it should, or nothing is served where there is something.
fn batch_further_on(story: &Story<'_>) -> Option<Symptom> {
    let allowed = story.difference.allowed.strip_prefix("a batch [")?;
    let first_allowed: u64 = allowed.split(':').next()?.parse().ok()?;
    let is_further = match story.reply()? {
        Reply::Batch { messages } => messages.first().is_some_and(|(first, _)| *first > first_allowed),
        Reply::Empty {} => true,
        _ => false,
    };
    is_further.then(|| symptom(ClauseName::NoSkip, "a live message is passed that was not served"))?
}

/// A read is turned away for lack of a place although none is under way: places are lost one by one, until no poll is served.
fn slot_is_lost(story: &Story<'_>) -> Option<Symptom> {
    let lacks = story.allows_park("open:") && story.has_extra_park("reply:");
    lacks.then(|| {
        symptom(ClauseName::LiveMessagesAreServed, "a poll is turned away although there is room for its read")
    })?
}

/// A read is begun although every place for its completion is taken: who asked may wait for a result that has nowhere to go.
fn read_without_room(story: &Story<'_>) -> Option<Symptom> {
    let is_begun = story.allows_park("reply:") && story.has_extra_park("open:");
    let reads = |kind: &ParkKind| matches!(kind, ParkKind::Open | ParkKind::Complete);
    let parked = story.before?.parked.iter().flatten().filter(|park| reads(&park.kind)).count();
    let is_full = u64::try_from(parked).unwrap_or(u64::MAX) >= story.world.read_slots;
    (is_begun && is_full).then(|| {
        symptom(ClauseName::EveryRequestIsAnswered, "a read is begun although every place for its completion is taken")
    })?
}

/// Success is under way to a client before anything is written.
fn early_acknowledgement(story: &Story<'_>) -> Option<Symptom> {
    let is_early = story.has_extra_park("reply:") && story.goes_on_at(&[ParkKind::Arrival]);
    let is_prepared = story.after.prepared.zip(story.before.and_then(|before| before.prepared));
    let waits = is_prepared.is_some_and(|(after, before)| after > before)
        || story.after.queued > story.before.and_then(|before| before.queued);
    (is_early && waits).then(|| {
        symptom(ClauseName::AcknowledgedCommitStands, "a commit is answered while it only waits to be written")
    })?
}

/// A place is free, and what waits for one does not get it.
fn queue_stands_still(story: &Story<'_>) -> Option<Symptom> {
    let differs = story.is_field(&[Field::Prepared, Field::Queued]);
    let waits = story.after.queued.is_some_and(|queued| queued > 0);
    let is_free = story.after.prepared.zip(story.world.prepare_slots).is_some_and(|(taken, all)| taken < all);
    (differs && waits && is_free && story.goes_on_at(&[ParkKind::Commit]))
        .then(|| symptom(ClauseName::EveryRequestIsAnswered, "an operation waits for a place although one is free"))?
}

/// Operations from before an emptying are still there after it.
fn operations_of_another_history(story: &Story<'_>) -> Option<Symptom> {
    let differs = story.is_field(&[Field::Prepared, Field::Queued]);
    (differs && story.is_emptied() && story.goes_on_at(&[ParkKind::Apply, ParkKind::Purge]))
        .then(|| symptom(ClauseName::NoForeignProgress, "operations from before the emptying still stand after it"))?
}

/// What was sent after an emptying was acknowledged is gone after a restart.
fn lost_after_an_acknowledged_emptying(story: &Story<'_>) -> Option<Symptom> {
    let differs = story.is_field(&[Field::NextOffset, Field::Messages, Field::StartOffset]);
    let count = |observation: &Observation| observation.messages.as_ref().map_or(0, Vec::len);
    let fewer = story.before.is_some_and(|before| count(before) > count(story.after));
    (differs && fewer && story.is_crash() && story.acknowledged_emptying() && !story.world.loses_power).then(|| {
        symptom(
            ClauseName::AcknowledgedPurgeIsFinal,
            "messages sent after the emptying was acknowledged are gone after a restart",
        )
    })?
}

/// After a restart something is there that belongs to another history.
fn mixture_after_recovery(story: &Story<'_>) -> Option<Symptom> {
    let recovers = story.is_crash() || story.goes_on_at(&[ParkKind::FinishPurge]);
    let log = story.is_field(&[Field::NextOffset, Field::Messages, Field::StartOffset, Field::PurgeGeneration]);
    let progress = story.is_field(PROGRESS);
    (recovers && story.is_emptied() && (log || progress)).then(|| {
        symptom(
            ClauseName::OneHistoryAfterRecovery,
            "after a restart messages, bookmarks and purge generation are not of one history",
        )
    })?
}

/// A purge is recorded as done while it is under way: a crash now leaves the record of one history with the files of another.
fn done_before_it_is_done(story: &Story<'_>) -> Option<Symptom> {
    let is_under_way = story.after.status.as_ref().is_some_and(|status| *status != Status::Serving);
    let differs = story.is_field(&[Field::PurgeGeneration]) || story.is_field(&[Field::Status]);
    (differs && (is_under_way || story.came_by(ParkKind::Purge)) && story.is_emptied())
        .then(|| symptom(ClauseName::OneHistoryAfterRecovery, "a purge counts as done before all of it is"))?
}

/// Something can be lost with the power that must not be lost any more.
fn not_durable(story: &Story<'_>) -> Option<Symptom> {
    if !story.is_field(&[Field::Unsynced]) {
        return None;
    }
    if story.goes_on_at(&[ParkKind::Purge, ParkKind::Apply, ParkKind::FinishPurge]) || story.is_only_seen("-segment") {
        return symptom(ClauseName::OneHistoryAfterRecovery, "what a purge removed can come back when power is lost");
    }
    if story.difference.seen.contains("bookmark:") {
        return symptom(ClauseName::AcknowledgedCommitStands, "an acknowledged commit can be lost with the power");
    }
    symptom(
        ClauseName::NoSkip,
        "a message that was served can be lost with the power, and its offset given to another one",
    )
}

/// A restart loses what must not be lost.
fn lost_after_recovery(story: &Story<'_>) -> Option<Symptom> {
    if !story.is_crash() {
        return None;
    }
    if story.is_field(PROGRESS) {
        return if story.has_too_much_progress() {
            symptom(ClauseName::NoSkip, "after a restart a bookmark is further on than it was")
        } else {
            symptom(ClauseName::AcknowledgedCommitStands, "after a restart an acknowledged commit is gone")
        };
    }
    let log = story.is_field(&[Field::NextOffset, Field::Messages, Field::StartOffset]);
    log.then(|| symptom(ClauseName::NoSkip, "after a restart messages are gone whose offsets others will get"))?
}

/// A bookmark or last polled from before an emptying is there after it.
fn progress_of_another_history(story: &Story<'_>) -> Option<Symptom> {
    (story.is_field(PROGRESS) && story.is_emptied() && story.has_too_much_progress())
        .then(|| symptom(ClauseName::NoForeignProgress, "progress from before the emptying counts after it"))?
}

/// Progress moves although the request is refused.
fn progress_after_a_refusal(story: &Story<'_>) -> Option<Symptom> {
    (story.is_field(PROGRESS) && story.has_too_much_progress())
        .then(|| symptom(ClauseName::RejectionIsInert, "progress moves where the request has no effect"))?
}

/// A bookmark stays behind what was served: the same messages are served again and again.
fn served_again(story: &Story<'_>) -> Option<Symptom> {
    story.is_field(PROGRESS).then(|| {
        symptom(ClauseName::LiveMessagesAreServed, "progress stays behind what was served, which is served again")
    })?
}

/// A send was carried out, and its messages are not there.
fn messages_missing(story: &Story<'_>) -> Option<Symptom> {
    let log = story.is_field(&[Field::NextOffset, Field::Messages]);
    let sends = story.goes_on_at(&[ParkKind::Commit, ParkKind::Arrival]);
    (log && sends).then(|| {
        symptom(
            ClauseName::LiveMessagesAreServed,
            "messages whose send was accepted are not in the log, and are never served",
        )
    })?
}

/// A partition moves by a revocation that ended with the group it was for.
fn revocation_outlives_its_group(story: &Story<'_>) -> Option<Symptom> {
    let group = story.is_field(&[Field::GroupGeneration, Field::PartitionOwner, Field::MirroredOwner, Field::Parked]);
    let joins = story.all_steps().any(|step| matches!(step, Step::Start { call: Call::Join { .. }, .. }));
    let leaves = story
        .all_steps()
        .any(|step| matches!(step, Step::Start { call: Call::Leave { .. } | Call::Disconnect { .. }, .. }));
    let revokes = story.goes_on_at(&[ParkKind::RevocationTimeOut, ParkKind::Drained, ParkKind::ReportDrained])
        || story.has_extra_park("report-drained");
    let by_time = story.came_by(ParkKind::RevocationTimeOut);
    (group && joins && leaves && (revokes || by_time)).then(|| {
        symptom(ClauseName::RevocationDrainsOrTimesOut, "a revocation is completed that ended when a member left")
    })?
}

/// The group changes, and the number that names the assignment does not.
fn number_stands_still(story: &Story<'_>) -> Option<Symptom> {
    story.is_field(&[Field::GroupGeneration]).then(|| {
        symptom(
            ClauseName::CommitUnderReadingAssignment,
            "the group changes without its generation, so an old commit looks current",
        )
    })?
}

#[cfg(test)]
mod tests {
    use fencepost_driver::{Park, Seen};

    use super::*;
    use crate::replay::divergence::DivergenceKind;

    /// A trace whose last step diverges in what waits: `allowed` should, `seen` does.
    fn parked(before: &[&str], step: Step, seen: &[&str], allowed: &[&str]) -> Found {
        let parks = |names: &[&str]| Some(names.iter().map(|name| name.parse::<Park>().expect("a park")).collect());
        let look = |names: &[&str]| Observation { parked: parks(names), ..Observation::default() };
        let done = |steps, names| (steps, Seen { progress: Progress::Parked, observation: look(names) });
        let text = |names: &[&str]| serde_json::to_string(names).expect("JSON");
        let difference = Difference {
            kind: DivergenceKind::ForbiddenState,
            field: Some(Field::Parked),
            seen: format!("parked {}", text(seen)),
            allowed: text(allowed),
        };
        Found { transcript: vec![done(Vec::new(), before), done(vec![step], seen)], differences: vec![difference] }
    }

    fn resume(park: &str) -> Step {
        Step::Resume { park: park.parse().expect("a park"), answer: fencepost_driver::Answer::Proceed }
    }

    #[test]
    fn given_an_answer_that_is_missing_when_judged_should_be_that_every_request_is_answered() {
        let found = parked(&["wait:A.1"], resume("wait:A.1"), &["apply:gateway"], &["reply:A.1", "apply:gateway"]);
        let symptom = judge(&World::default(), &found).expect("a clause");
        assert_eq!(symptom.clause, ClauseName::EveryRequestIsAnswered);
    }

    #[test]
    fn given_a_poll_turned_away_or_begun_against_the_slots_when_judged_should_be_told_apart() {
        let world = World { read_slots: 1, ..World::default() };
        let lost = parked(&["arrival:A.2"], resume("arrival:A.2"), &["reply:A.2"], &["open:A.2"]);
        assert_eq!(judge(&world, &lost).map(|symptom| symptom.clause), Some(ClauseName::LiveMessagesAreServed));
        let before = ["open:A.1", "arrival:A.2"];
        let begun = parked(&before, resume("arrival:A.2"), &["open:A.1", "open:A.2"], &["open:A.1", "reply:A.2"]);
        assert_eq!(judge(&world, &begun).map(|symptom| symptom.clause), Some(ClauseName::EveryRequestIsAnswered));
    }

    #[test]
    fn given_nothing_that_a_rule_knows_when_judged_should_name_no_clause() {
        let found = parked(&[], resume("reply:A.1"), &["apply:gateway"], &[]);
        assert_eq!(judge(&World::default(), &found), None);
    }
}
