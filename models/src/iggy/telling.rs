//! How a step reads in a story.

use fencepost_checker::describe::{Telling, Transition};
use fencepost_spec::event::EventKind;
use fencepost_spec::fence::Fence;
use fencepost_spec::identity::History;
use stateright::actor::Id;

use super::disk::BookmarkFile;
use super::marks::Mark;
use super::messages::{
    Act, Answer, Batch, Command, Commit, CommitAction, Decree, Envelope, Inner, Key, Placed, Poll, RequestId, Strategy,
};
use super::owner::{Owner, Status, purge::Step};
use super::system::{Address, IggyModel, Setup, metadata_of, owner_of};

/// The name of a participant.
pub fn name(setup: &Setup, address: Address) -> String {
    match address {
        Address::Metadata => "metadata".to_owned(),
        Address::Gateway => "gateway".to_owned(),
        Address::Owner => "owner".to_owned(),
        Address::Producer => "producer".to_owned(),
        Address::Operator => "operator".to_owned(),
        Address::Consumer(index) => consumer_name(setup, index),
    }
}

/// The name of a consumer.
pub fn consumer_name(setup: &Setup, index: u8) -> String {
    setup.bounds.consumers.get(usize::from(index)).map_or_else(|| format!("consumer {index}"), |one| one.name.clone())
}

fn client_name(setup: &Setup, id: RequestId) -> String {
    name(setup, super::producer::address(id))
}

/// Tells one step.
pub fn tell(
    model: &IggyModel,
    receiver: Id,
    source: Id,
    message: &Envelope,
    transition: &Transition<'_, IggyModel>,
) -> Telling {
    let setup = &*model.cfg;
    let actor = Address::of(receiver);
    let towards = match message {
        Envelope::Reply(..) | Envelope::Acknowledged(..) => Address::of(source),
        Envelope::Act(_, Act::GiveUpPoll | Act::GiveUpCommit) => actor,
        Envelope::Act(..) | Envelope::Send(..) => Address::Gateway,
        Envelope::Next(_) | Envelope::Once(..) => Address::Metadata,
        Envelope::Poll(poll) if actor == Address::Gateway => forwarded(transition, super::producer::address(poll.id)),
        Envelope::Commit(commit) if actor == Address::Gateway => {
            forwarded(transition, super::producer::address(commit.id))
        }
        Envelope::Produce(_) if actor == Address::Gateway => Address::Owner,
        _ => actor,
    };
    let text = text(setup, actor, message, transition);
    let changes = changes(setup, transition);
    // An answer travels from the broker to the client; the story shows it in that direction.
    let (from, to) = match message {
        Envelope::Reply(..) | Envelope::Acknowledged(..) => (towards, actor),
        _ => (actor, towards),
    };
    Telling { actor: name(setup, from), towards: name(setup, to), text, changes }
}

/// A dispatched request goes on to the owner; a refused one goes back to its client.
fn forwarded(transition: &Transition<'_, IggyModel>, client: Address) -> Address {
    let refused = transition.facts.iter().any(|mark| matches!(mark, Mark::Denied(_)));
    if refused { client } else { Address::Owner }
}

fn text(setup: &Setup, actor: Address, message: &Envelope, transition: &Transition<'_, IggyModel>) -> String {
    let owner = owner_of(transition.before);
    match message {
        Envelope::Act(_, act) => act_text(act, actor, transition),
        Envelope::Send(_, count) => {
            let begun = usize::from(super::system::producer_of(transition.before).begun);
            let count = setup.bounds.sends.get(begun).copied().filter(|_| *count == 0).unwrap_or(*count);
            format!("sends {count} message{}", plural(count))
        }
        Envelope::Next(_) | Envelope::Once(..) => command_text(setup, message, transition),
        Envelope::Reply(_, answer) => format!("answers: {}", answer_text(answer)),
        Envelope::Acknowledged(..) => "acknowledges the command".to_owned(),
        Envelope::Poll(poll) => poll_text(setup, poll, transition),
        Envelope::Commit(commit) => commit_text(setup, commit, transition),
        Envelope::Produce(produce) => {
            format!("{} {} message{}", arrival(transition), produce.count, plural(produce.count))
        }
        Envelope::Apply(decree) => apply_text(setup, decree, owner, transition),
        Envelope::Command { command, in_flight, .. } => decide_text(setup, *command, *in_flight),
        Envelope::Gather(..) => "looks whether batches are under way, for a join".to_owned(),
        Envelope::Gathered(_, command, in_flight) => {
            let under_way = if *in_flight { "batches are under way" } else { "no batches are under way" };
            format!("proposes: {} ({under_way})", command_words(setup, *command))
        }
        Envelope::Applied(_) => "hears that the owner has applied the emptying, and acknowledges it".to_owned(),
        Envelope::Drained(_) => "completes the revocation".to_owned(),
        Envelope::RevocationTimesOut => "the revocation times out; the partition moves".to_owned(),
        Envelope::Inner(inner) => inner_text(setup, *inner, owner, transition),
    }
}

fn plural(count: u8) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A message that this step sent from an actor.
fn sent_by<T>(
    transition: &Transition<'_, IggyModel>,
    actor: Address,
    pick: impl Fn(&Envelope) -> Option<T>,
) -> Option<T> {
    let was_there = |message: &Envelope| {
        transition
            .before
            .network
            .iter_deliverable()
            .any(|envelope| envelope.src == actor.id() && envelope.msg == message)
    };
    transition
        .after
        .network
        .iter_deliverable()
        .filter(|envelope| envelope.src == actor.id() && !was_there(envelope.msg))
        .find_map(|envelope| pick(envelope.msg))
}

fn act_text(act: &Act, actor: Address, transition: &Transition<'_, IggyModel>) -> String {
    let stored = sent_by(transition, actor, |message| match message {
        Envelope::Commit(Commit { action: CommitAction::Store(offset), .. }) => Some(*offset),
        _ => None,
    });
    match act {
        Act::Poll { strategy, count, automatic, may_wait } => {
            let commits = if *automatic { " with automatic commit" } else { "" };
            let waits = if *may_wait { ", willing to wait" } else { "" };
            format!("polls {}{commits}, up to {count}{waits}", strategy_text(*strategy))
        }
        Act::StoreLast => match stored {
            Some(offset) => format!("stores offset {offset}, the last that it read"),
            None => "stores the last offset that it read".to_owned(),
        },
        Act::Store(offset) => format!("stores offset {offset}"),
        Act::Seek(offset) => format!("stores offset {offset}, a position of its own choice"),
        Act::Delete => "deletes its bookmark".to_owned(),
        Act::GiveUpPoll => "gives up waiting for its poll".to_owned(),
        Act::GiveUpCommit => "gives up waiting for its commit".to_owned(),
    }
}

fn strategy_text(strategy: Strategy) -> String {
    match strategy {
        Strategy::Next => "Next".to_owned(),
        Strategy::First => "First".to_owned(),
        Strategy::Last => "Last".to_owned(),
        Strategy::Offset(offset) => format!("from offset {offset}"),
    }
}

fn command_words(setup: &Setup, command: Command) -> String {
    match command {
        Command::Empty => "empty the topic".to_owned(),
        Command::Recreate => "delete and re-create the topic".to_owned(),
        Command::Join(member) => format!("{} joins the group", consumer_name(setup, member)),
        Command::Leave(member) => format!("{} leaves the group", consumer_name(setup, member)),
        Command::Disconnect(member) => format!("the session of {} ends", consumer_name(setup, member)),
        Command::Retain(count) => format!("the {count} oldest message{} expire", plural(count)),
    }
}

fn command_text(setup: &Setup, message: &Envelope, transition: &Transition<'_, IggyModel>) -> String {
    let command = match message {
        Envelope::Once(_, command) => Some(*command),
        _ => sent_by(transition, Address::Operator, |message| match message {
            Envelope::Command { command, .. } => Some(*command),
            _ => None,
        }),
    };
    command.map_or_else(|| "commands".to_owned(), |command| command_words(setup, command))
}

fn decide_text(setup: &Setup, command: Command, in_flight: bool) -> String {
    let waits = if in_flight { "; the partition is to be drained first" } else { "" };
    match command {
        Command::Empty | Command::Recreate => "commits the emptying; owners will apply it later".to_owned(),
        Command::Retain(_) => command_words(setup, command),
        _ => format!("commits: {}{waits}", command_words(setup, command)),
    }
}

fn refused_by(transition: &Transition<'_, IggyModel>) -> Option<Fence> {
    transition.facts.iter().find_map(|mark| match mark {
        Mark::Refused { refusal, request: Some(_), .. } => Some(refusal.fence),
        _ => None,
    })
}

fn arrival(transition: &Transition<'_, IggyModel>) -> &'static str {
    let dispatched = transition.facts.iter().any(|mark| matches!(mark, Mark::Event(EventKind::Dispatched, _)));
    if dispatched { "dispatches" } else { "takes up" }
}

fn poll_text(setup: &Setup, poll: &Poll, transition: &Transition<'_, IggyModel>) -> String {
    let whose = client_name(setup, poll.id);
    if let Some(fence) = refused_by(transition) {
        return format!("refuses the poll of {whose} (fence {fence})");
    }
    if arrival(transition) == "dispatches" {
        return format!("dispatches the poll of {whose}");
    }
    let read = owner_of(transition.after).reads.iter().find(|read| read.id == poll.id);
    match read {
        Some(read) if read.phase == super::owner::Phase::Parked => format!("parks the poll of {whose}"),
        Some(read) => format!("plans the read of {whose}: offsets {} to {}", read.cursor, read.ceiling),
        None => format!("takes up the poll of {whose}: {}", granted_text(transition)),
    }
}

fn granted_text(transition: &Transition<'_, IggyModel>) -> String {
    transition
        .facts
        .iter()
        .find_map(|mark| match mark {
            Mark::Granted(granted) if granted.batch.is_empty() => Some("grants an empty batch".to_owned()),
            Mark::Granted(granted) => Some(format!("grants {}", batch_text(&granted.batch))),
            _ => None,
        })
        .unwrap_or_else(|| "discards it".to_owned())
}

fn commit_text(setup: &Setup, commit: &Commit, transition: &Transition<'_, IggyModel>) -> String {
    let whose = client_name(setup, commit.id);
    let what = match commit.action {
        CommitAction::Store(offset) => format!("store({offset})"),
        CommitAction::Delete => "delete".to_owned(),
    };
    match refused_by(transition) {
        Some(fence) => format!("refuses {what} of {whose} (fence {fence})"),
        None => format!("{} {what} of {whose}", arrival(transition)),
    }
}

fn apply_text(setup: &Setup, decree: &Decree, owner: &Owner, transition: &Transition<'_, IggyModel>) -> String {
    let at_owner = owner_of(transition.after).applied != owner.applied;
    if !at_owner {
        return "the mirror follows the metadata".to_owned();
    }
    if decree.incarnation != owner.applied.incarnation {
        return "applies the deletion and re-creation".to_owned();
    }
    if decree.purge_generation != owner.applied.purge_generation {
        return if setup.bounds.purge_in_steps {
            "begins to apply the purge".to_owned()
        } else {
            "applies the purge".to_owned()
        };
    }
    match decree.group.owners.first().copied().flatten() {
        Some(member) => format!("applies the membership: the partition belongs to {}", consumer_name(setup, member)),
        None => "applies the membership: nobody owns the partition".to_owned(),
    }
}

fn inner_text(setup: &Setup, inner: Inner, owner: &Owner, transition: &Transition<'_, IggyModel>) -> String {
    let whose = |slot: u8| {
        let read = super::owner::polls::read_in(setup, owner, slot).map(|index| &owner.reads[index]);
        read.map_or_else(|| "nobody".to_owned(), |read| client_name(setup, read.id))
    };
    match inner {
        Inner::Open(slot) => format!("the read of {} opens its file", whose(slot)),
        Inner::OpenNewBytes(slot) => format!("the read of {} opens the file that replaced its own", whose(slot)),
        Inner::Complete(slot) => match refused_by(transition) {
            Some(fence) => format!("the read of {} completes and is refused (fence {fence})", whose(slot)),
            None => format!("the read of {} completes: {}", whose(slot), granted_text(transition)),
        },
        Inner::Expire(slot) => format!("the wait of {} is over", whose(slot)),
        Inner::GatewayGivesUp(slot) => format!("the gateway gives up waiting for the read of {}", whose(slot)),
        Inner::CommitOldest => "the oldest prepared operation commits".to_owned(),
        Inner::PurgeStep { fails } => purge_step_text(owner, fails),
        Inner::ResumePurge => "begins the unfinished purge again".to_owned(),
        Inner::Restart => "the process dies, and recovers from its files".to_owned(),
        Inner::PowerLoss(survivors) => {
            let lost = (0..owner.disk.unsynced.len()).filter(|index| survivors >> index & 1 == 0).count();
            format!(
                "power is lost ({lost} of {} unsynced operations with it), and the owner recovers",
                owner.disk.unsynced.len()
            )
        }
        Inner::ReportDrained => "finds the revoked partition drained, and reports it".to_owned(),
        Inner::ResurrectBookmarks => "the saved bookmarks are put back on disk".to_owned(),
    }
}

fn purge_step_text(owner: &Owner, fails: bool) -> String {
    let Status::Purging(step) = owner.status else { return "goes on with the purge".to_owned() };
    let what = match step {
        Step::RecordStart => "records the new start",
        Step::ReplaceSegment => "unlinks the old segment and plants an empty one",
        Step::SyncPartition if fails => "fails to sync the partition directory",
        Step::SyncPartition => "syncs the partition directory",
        Step::RemoveBookmarks if fails => "fails to unlink the bookmarks",
        Step::RemoveBookmarks => "unlinks the bookmarks",
        Step::SyncBookmarks if fails => "fails to sync the directory of bookmarks",
        Step::SyncBookmarks => "syncs the directory of bookmarks",
        Step::WriteMarker => "records the purge as done",
    };
    format!("purge: {what}")
}

/// An answer in words.
pub fn answer_text(answer: &Answer) -> String {
    match answer {
        Answer::Batch(Batch { messages, .. }) => batch_text(messages),
        Answer::Empty => "no messages".to_owned(),
        Answer::Sentinel => "no messages, not your partition (sentinel)".to_owned(),
        Answer::Done => "done".to_owned(),
        Answer::Code(code) => code.to_string(),
        Answer::Disconnected => "the connection ended".to_owned(),
    }
}

/// A batch in words: offsets, and the history they belong to.
pub fn batch_text(messages: &[Placed]) -> String {
    let (Some(first), Some(last)) = (messages.first(), messages.last()) else { return "no messages".to_owned() };
    let history = history_text(first.message.history);
    if first.offset == last.offset {
        format!("offset {} of {history}", first.offset)
    } else {
        format!("offsets {} to {} of {history}", first.offset, last.offset)
    }
}

fn history_text(history: History) -> String {
    history.to_string()
}

fn bookmark_text(bookmark: Option<&BookmarkFile>) -> String {
    bookmark.map_or_else(|| "none".to_owned(), |bookmark| bookmark.offset.to_string())
}

fn changes(setup: &Setup, transition: &Transition<'_, IggyModel>) -> Vec<String> {
    let (before, after) = (owner_of(transition.before), owner_of(transition.after));
    let mut changes = Vec::new();
    if before.history != after.history {
        changes.push(format!("{} begins", history_text(after.history)));
    }
    if before.log != after.log {
        changes.push(log_text(after));
    }
    let keys = before.bookmarks.keys().chain(after.bookmarks.keys());
    let mut keys: Vec<Key> = keys.copied().collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let (was, is) = (before.bookmarks.get(&key), after.bookmarks.get(&key));
        if was.map(|one| one.offset) != is.map(|one| one.offset) {
            let whose = match key {
                Key::Consumer(index) => consumer_name(setup, index),
                Key::Group => "the group".to_owned(),
            };
            changes.push(format!("bookmark of {whose}: {} -> {}", bookmark_text(was), bookmark_text(is)));
        }
    }
    if before.last_polled != after.last_polled {
        let text =
            |value: Option<(u8, History)>| value.map_or_else(|| "none".to_owned(), |(offset, _)| offset.to_string());
        changes.push(format!("last polled: {} -> {}", text(before.last_polled), text(after.last_polled)));
    }
    if before.status != after.status && after.status == Status::Fenced {
        changes.push("the partition is fenced until it recovers".to_owned());
    }
    let (was, is) = (&metadata_of(transition.before).decree.group, &metadata_of(transition.after).decree.group);
    if was.owners != is.owners {
        let owner = is.owners.first().copied().flatten();
        let owner = owner.map_or_else(|| "nobody".to_owned(), |member| consumer_name(setup, member));
        changes.push(format!("by metadata the partition belongs to {owner}"));
    }
    changes
}

fn log_text(owner: &Owner) -> String {
    match owner.log.last_offset() {
        None if owner.log.start == 0 => "the log is empty".to_owned(),
        None => format!("the log is empty and goes on at offset {}", owner.log.start),
        Some(last) => format!("the log holds offsets {} to {last} of {}", owner.log.start, history_text(owner.history)),
    }
}
