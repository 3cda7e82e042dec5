//! Hand-made divergences.

use std::collections::BTreeMap;

use fencepost_conformance::replay::blame::{Blame, Different};
use fencepost_conformance::replay::divergence::{Difference, Divergence, DivergenceKind};
use fencepost_conformance::replay::runner::{Done, Found};
use fencepost_driver::{
    Answer, Call, Client, Crash, Field, Observation, Park, Progress, Reply, Seen, Settings, Start, Status, Step, World,
};
use fencepost_spec::clause::ClauseName;
use fencepost_spec::fence::Fence;

/// A transcript while it is made: what is seen after each step is what was seen before, but for what the step changes.
struct Making {
    done: Vec<Done>,
    seen: Observation,
}

impl Making {
    fn new(world: &World) -> Self {
        let seen = Observation {
            status: Some(Status::Serving),
            next_offset: Some(world.messages.len() as u64),
            messages: Some((0..).zip(world.messages.clone()).collect()),
            bookmarks: Some(world.bookmarks.clone()),
            bookmark_files: Some(world.bookmarks.clone()),
            last_polled: Some(BTreeMap::new()),
            purge_generation: Some(0),
            group_generation: Some(1),
            partition_owner: Some("A".to_owned()),
            mirrored_owner: Some("A".to_owned()),
            unsynced: world.loses_power.then(Vec::new),
            parked: Some(Vec::new()),
            ..Observation::default()
        };
        Self { done: Vec::new(), seen }
    }

    fn step(&mut self, steps: Vec<Step>, progress: Progress, parked: &str, change: impl FnOnce(&mut Observation)) {
        change(&mut self.seen);
        self.seen.parked = Some(parked.split_whitespace().map(park).collect());
        self.done.push((steps, Seen { progress, observation: self.seen.clone() }));
    }

    fn start(&mut self, operation: &str, call: Call, parked: &str) {
        self.step(vec![start(operation, call)], Progress::Parked, parked, |_| {});
    }

    fn resume(&mut self, at: &str, parked: &str, change: impl FnOnce(&mut Observation)) {
        self.step(vec![resume(at)], Progress::Parked, parked, change);
    }

    fn answered(&mut self, at: &str, reply: Reply, parked: &str) {
        self.step(vec![resume(at)], Progress::done(reply), parked, |_| {});
    }

    /// The last step failed: nothing was seen.
    fn failed(&mut self, steps: Vec<Step>) {
        self.done.push((steps, Seen { progress: Progress::Parked, observation: Observation::default() }));
    }
}

fn park(text: &str) -> Park {
    text.parse().expect("a park")
}

fn start(operation: &str, call: Call) -> Step {
    Step::Start { operation: operation.to_owned(), call }
}

fn resume(at: &str) -> Step {
    Step::Resume { park: park(at), answer: Answer::Proceed }
}

fn poll(consumer: &str) -> Call {
    let consumer = consumer.to_owned();
    Call::Poll { consumer, start: Start::Next, count: 3, automatic_commit: false, may_wait: false }
}

fn batch() -> Reply {
    Reply::Batch { messages: vec![(0, "initial/0".to_owned()), (1, "initial/1".to_owned())] }
}

fn world(contract: &str) -> World {
    let client = |name: &str| Client { name: name.to_owned(), is_of_group: true, is_old: false };
    let choices = [("join_takes_partition", "at-once"), ("numbering_at_purge", "restarts")];
    let owned = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    World {
        settings: Settings {
            contract: contract.to_owned(),
            choices: choices.into_iter().map(owned).collect(),
            fences: [("commit-assignment-on-arrival", "5009")].into_iter().map(owned).collect(),
        },
        clients: vec![client("A"), client("B")],
        members: vec!["A".to_owned()],
        partitions: 1,
        messages: vec!["initial/0".to_owned(), "initial/1".to_owned()],
        read_slots: 2,
        ..World::default()
    }
}

/// A polls and gets both messages.
fn polled(world: &World) -> Making {
    let mut making = Making::new(world);
    making.start("A.1", poll("A"), "request:A.1");
    making.resume("request:A.1", "arrival:A.1", |_| {});
    making.resume("arrival:A.1", "open:A.1", |_| {});
    making.resume("open:A.1", "complete:A.1", |_| {});
    making.resume("complete:A.1", "reply:A.1", |seen| {
        seen.last_polled = Some([("group".to_owned(), 1)].into());
    });
    making.answered("reply:A.1", batch(), "");
    making
}

/// What was seen in the last step, in one field.
fn in_field(kind: DivergenceKind, field: Field, seen: &str, allowed: &[&str]) -> Vec<Difference> {
    let seen = format!("{} {seen}", field.key());
    let one =
        |allowed: &&str| Difference { kind, field: Some(field), seen: seen.clone(), allowed: (*allowed).to_owned() };
    allowed.iter().map(one).collect()
}

fn elsewhere(kind: DivergenceKind, seen: &str, allowed: &[&str]) -> Vec<Difference> {
    let one = |allowed: &&str| Difference { kind, field: None, seen: seen.to_owned(), allowed: (*allowed).to_owned() };
    allowed.iter().map(one).collect()
}

fn page(world: World, making: Making, differences: Vec<Difference>, view: &str) -> Divergence {
    let contract = "owner-installed";
    let found = Found { transcript: making.done, differences };
    let command = format!("fencepost replay --driver builtin:reference --contract {contract} --view {view}");
    Divergence {
        contract: contract.to_owned(),
        view: view.to_owned(),
        subject: "reference 0.1.0".to_owned(),
        steps_before_shrinking: 41,
        world,
        found,
        blame: Blame { clause: None, different: None },
        command,
        known: None,
    }
}

fn blamed(mut divergence: Divergence, clause: ClauseName, different: Different) -> Divergence {
    divergence.blame = Blame { clause: Some(clause), different: Some(different) };
    divergence
}

/// A divergence of a kind.
pub fn divergence(kind: DivergenceKind) -> Divergence {
    match kind {
        DivergenceKind::ForbiddenReply => stale_batch(),
        DivergenceKind::ForbiddenState => commit_after_regaining(),
        DivergenceKind::MissingStep => refused_join(),
        DivergenceKind::UnknownYield => unknown_place(),
        DivergenceKind::Hang => hanging_read(),
        DivergenceKind::PanicOrExit => lost_in_recovery(),
        DivergenceKind::Nondeterministic => another_time(),
        DivergenceKind::Protocol => rubbish(),
    }
}

/// A commit is under way, the partition goes away and comes back, and the commit counts.
fn commit_after_regaining() -> Divergence {
    let world = world("owner-installed");
    let mut making = polled(&world);
    let store = Call::Store { consumer: "A".to_owned(), offset: 1, batch_of: Some("A.1".to_owned()) };
    making.start("A.2", store, "request:A.2");
    making.resume("request:A.2", "arrival:A.2", |_| {});
    let all = "arrival:A.2 reply:operator.1 apply:gateway apply:owner";
    making.start("operator.1", Call::Leave { consumer: "A".to_owned() }, "arrival:A.2 propose:operator.1");
    making.resume("propose:operator.1", all, |_| {});
    making.start("operator.2", Call::Join { consumer: "A".to_owned() }, &format!("{all} propose:operator.2"));
    making.resume("propose:operator.2", &format!("{all} reply:operator.2"), |_| {});
    making.resume("apply:owner", &format!("{all} reply:operator.2"), |seen| {
        seen.partition_owner = Some(String::new());
        seen.group_generation = Some(2);
    });
    making.resume("apply:owner", "arrival:A.2 reply:operator.1 reply:operator.2 apply:gateway", |seen| {
        seen.partition_owner = Some("A".to_owned());
        seen.group_generation = Some(3);
    });
    making.resume("arrival:A.2", "reply:A.2 reply:operator.1 reply:operator.2 apply:gateway", |seen| {
        seen.bookmarks = Some([("group".to_owned(), 1)].into());
        seen.bookmark_files = seen.bookmarks.clone();
    });
    let differences = in_field(DivergenceKind::ForbiddenState, Field::Bookmarks, r#"{"group":1}"#, &["{}"]);
    let page = page(world, making, differences, "commits-with-reassignment");
    let different = Different::Without(vec![Fence::CommitAssignmentOnArrival]);
    Divergence {
        known: Some("https://github.com/apache/iggy/issues/4128".to_owned()),
        ..blamed(page, ClauseName::CommitUnderReadingAssignment, different)
    }
}

/// A read is planned, the topic is purged, and the old messages are served all the same.
fn stale_batch() -> Divergence {
    let world = world("reset-with-generation");
    let mut making = Making::new(&world);
    making.start("A.1", poll("A"), "request:A.1");
    making.resume("request:A.1", "arrival:A.1", |_| {});
    making.resume("arrival:A.1", "open:A.1", |_| {});
    making.resume("open:A.1", "complete:A.1", |_| {});
    making.start("operator.1", Call::Empty {}, "complete:A.1 propose:operator.1");
    making.resume("propose:operator.1", "complete:A.1 apply:owner", |_| {});
    making.resume("apply:owner", "complete:A.1 applied:1", |seen| {
        seen.messages = Some(Vec::new());
        seen.next_offset = Some(0);
        seen.purge_generation = Some(1);
    });
    making.resume("complete:A.1", "applied:1 reply:A.1", |_| {});
    making.answered("reply:A.1", batch(), "applied:1");
    let seen = "a batch [0: initial/0, 1: initial/1]";
    let allowed = ["the code 87 HistoryUnavailable", "no messages"];
    let differences = elsewhere(DivergenceKind::ForbiddenReply, seen, &allowed);
    let page = page(world, making, differences, "purge-with-pending-polls");
    blamed(page, ClauseName::NoStaleBatch, Different::Without(vec![Fence::PollHistoryAtCompletion]))
}

/// B wants to join and is not let in.
fn refused_join() -> Divergence {
    let world = world("owner-installed");
    let mut making = Making::new(&world);
    making.start("operator.1", Call::Join { consumer: "B".to_owned() }, "propose:operator.1");
    let refused = Progress::Refused { reason: "nothing waits at propose:operator.1".to_owned() };
    making.step(vec![resume("propose:operator.1")], refused, "propose:operator.1", |_| {});
    let seen = "the step is refused: nothing waits at propose:operator.1";
    let differences = elsewhere(DivergenceKind::MissingStep, seen, &["the step is done"]);
    let page = page(world, making, differences, "join-with-drain");
    let different = Different::Chosen("join_takes_partition".to_owned(), "when-reported-drained".to_owned());
    blamed(page, ClauseName::RevocationDrainsOrTimesOut, different)
}

/// The commit waits in the middle.
fn unknown_place() -> Divergence {
    let mut world = world("owner-installed");
    world.prepare_slots = Some(1);
    let mut making = Making::new(&world);
    making.start("producer.1", Call::Send { payloads: vec!["producer.1/0".to_owned()] }, "request:producer.1");
    making.resume("request:producer.1", "arrival:producer.1", |_| {});
    making.resume("arrival:producer.1", "commit", |_| {});
    making.resume("commit", "inner:flush", |_| {});
    let differences =
        in_field(DivergenceKind::UnknownYield, Field::Parked, r#"["inner:flush"]"#, &[r#"["reply:producer.1"]"#]);
    page(world, making, differences, "queued-operations-with-purge")
}

/// A read that never comes back.
fn hanging_read() -> Divergence {
    let world = world("owner-installed");
    let mut making = Making::new(&world);
    making.start("A.1", poll("A"), "request:A.1");
    making.resume("request:A.1", "arrival:A.1", |_| {});
    making.resume("arrival:A.1", "open:A.1", |_| {});
    making.failed(vec![resume("open:A.1")]);
    let seen = "the driver did not answer `resume` within 10 seconds";
    let differences = elsewhere(DivergenceKind::Hang, seen, &["the step is done"]);
    page(world, making, differences, "purge-with-pending-polls")
}

/// Power is lost during a purge, and recovery panics.
fn lost_in_recovery() -> Divergence {
    let mut world = world("owner-installed");
    world.loses_power = true;
    world.purges_in_steps = true;
    let mut making = Making::new(&world);
    making.start("operator.1", Call::Empty {}, "propose:operator.1");
    making.resume("propose:operator.1", "apply:gateway apply:owner", |_| {});
    making.resume("apply:owner", "apply:gateway purge", |seen| seen.status = Some(Status::Purging));
    making.resume("purge", "apply:gateway purge", |seen| {
        seen.messages = Some(Vec::new());
        seen.next_offset = Some(0);
        seen.unsynced = Some(vec!["append".to_owned(), "remove-segment".to_owned()]);
    });
    making.failed(vec![Step::Crash { crash: Crash::Power { keep: vec![1] } }, Step::Restart {}]);
    let seen =
        "the driver ended with exit status 101; its last lines:\nthread 'main' panicked at src/owner.rs:88\nno segment";
    let differences = elsewhere(DivergenceKind::PanicOrExit, seen, &["the step is done"]);
    let mut page = page(world, making, differences, "power-loss-during-purge");
    page.command = "fencepost replay --driver './target/release/broker-driver --data-folder broker-data' --contract \
                    owner-installed --view power-loss-during-purge --cover transitions --shard 3/16"
        .to_owned();
    page
}

/// The same trace, and another offset the second time.
fn another_time() -> Divergence {
    let world = world("owner-installed");
    let mut making = Making::new(&world);
    making.start("producer.1", Call::Send { payloads: vec!["producer.1/0".to_owned()] }, "request:producer.1");
    making.resume("request:producer.1", "arrival:producer.1", |_| {});
    making.resume("arrival:producer.1", "reply:producer.1", |seen| {
        seen.next_offset = Some(4);
        seen.messages =
            Some(vec![(0, "initial/0".to_owned()), (1, "initial/1".to_owned()), (3, "producer.1/0".to_owned())]);
    });
    let differences = in_field(DivergenceKind::Nondeterministic, Field::NextOffset, "4", &["3"]);
    page(world, making, differences, "restart")
}

/// A driver that prints what is no answer.
fn rubbish() -> Divergence {
    let world = world("owner-installed");
    let mut making = Making::new(&world);
    making.start("A.1", poll("A"), "request:A.1");
    making.step(vec![Step::Cancel { operation: "A.1".to_owned() }], Progress::Parked, "request:A.1", |_| {});
    making.failed(vec![resume("request:A.1")]);
    let seen = "the line `segmentation fault` is no answer: expected value at line 1 column 1";
    let differences = elsewhere(DivergenceKind::Protocol, seen, &["the step is done"]);
    page(world, making, differences, "purge-with-pending-polls")
}

/// [`commit_after_regaining`] by an implementation that waits at places of its own: it was not looked at after each step.
pub fn with_inner_places() -> Divergence {
    let mut divergence = commit_after_regaining();
    divergence.world.holds_inner_steps = true;
    for (index, (_, seen)) in divergence.found.transcript.iter_mut().enumerate() {
        if index % 2 == 1 {
            seen.observation = Observation::default();
        }
    }
    let last = divergence.found.transcript.last().cloned();
    divergence.found.transcript.extend(last.map(|(_, seen)| (Vec::new(), seen)));
    divergence
}
