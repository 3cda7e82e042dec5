//! A bench for hand-written traces: short words for steps, and a clear failure where a step is not taken.
#![allow(dead_code)]

use fencepost_driver::{
    Answer, Call, Client, Crash, Fields, Observation, Park, Progress, Reply, Start, Subject, World,
};
use fencepost_reference::{Backing, Fault, Reference, settings_of};
use fencepost_spec::library::contract;

/// A world under a contract: individual consumers C and D, group members A and B, of whom `members` are members.
pub fn world(name: &str, messages: usize, members: &[&str]) -> World {
    let choices = contract(name).expect("a built-in contract").choices;
    let client = |name: &str, is_of_group: bool| Client { name: name.to_owned(), is_of_group, is_old: false };
    World {
        settings: settings_of(name, &choices),
        clients: vec![client("A", true), client("B", true), client("C", false), client("D", false)],
        members: members.iter().map(|member| (*member).to_owned()).collect(),
        partitions: 1,
        messages: (0..messages).map(|number| format!("old-{number}")).collect(),
        queue_slots: 0,
        read_slots: 3,
        ..World::default()
    }
}

/// A subject in a world.
pub struct Bench {
    pub subject: Reference,
}

impl Bench {
    pub fn new(world: &World) -> Self {
        Self::with(world, None)
    }

    pub fn with(world: &World, fault: Option<Fault>) -> Self {
        let mut subject = Reference::new(Backing::memory(), fault);
        subject.reset(world).expect("a fresh world");
        Self { subject }
    }

    /// Begins a call.
    pub fn start(&mut self, operation: &str, call: Call) {
        let progress = self.subject.start(operation, &call).expect("no failure");
        assert_eq!(progress, Progress::Parked, "{operation} begins");
    }

    /// Lets work go on, at each of these parks.
    pub fn go(&mut self, parks: &[&str]) {
        for park in parks {
            self.resume(park, Answer::Proceed);
        }
    }

    pub fn resume(&mut self, park: &str, answer: Answer) -> Progress {
        let parsed: Park = park.parse().expect("a park");
        let progress = self.subject.resume(&parsed, answer).expect("no failure");
        let parked = self.parked();
        assert!(!matches!(progress, Progress::Refused { .. }), "{park}: {progress:?}; parked are {parked:?}");
        progress
    }

    /// The answer that waits for a client or the operator.
    pub fn reply(&mut self, operation: &str) -> Reply {
        match self.resume(&format!("reply:{operation}"), Answer::Proceed) {
            Progress::Done { reply, .. } => reply,
            other => panic!("{operation}: {other:?}"),
        }
    }

    /// Lets a request go on at every park where it waits, until it is answered.
    pub fn ask(&mut self, operation: &str, call: Call) -> Reply {
        self.start(operation, call);
        for _ in 0..10 {
            let waits =
                self.parked().into_iter().find(|park| park.split_once(':').is_some_and(|(_, name)| name == operation));
            let park = waits.unwrap_or_else(|| panic!("{operation} waits nowhere; parked are {:?}", self.parked()));
            if let Progress::Done { reply, .. } = self.resume(&park, Answer::Proceed) {
                return reply;
            }
        }
        panic!("{operation} is never answered")
    }

    /// A command of the operator, decided, mirrored and applied.
    pub fn command(&mut self, operation: &str, call: Call) {
        self.start(operation, call);
        self.go(&[&format!("propose:{operation}"), "apply:gateway", "apply:owner"]);
    }

    pub fn parked(&self) -> Vec<String> {
        self.subject.parked().iter().map(ToString::to_string).collect()
    }

    pub fn look(&mut self) -> Observation {
        self.subject.observe(Fields::all()).expect("a look")
    }

    pub fn bookmark(&mut self, key: &str) -> Option<u64> {
        self.look().bookmarks.expect("bookmarks").get(key).copied()
    }

    pub fn restart(&mut self, crash: Crash) {
        self.subject.crash(&crash).expect("a crash");
        self.subject.restart().expect("a restart");
    }
}

pub fn poll(consumer: &str, automatic_commit: bool) -> Call {
    poll_of(consumer, Start::Next, 8, automatic_commit)
}

pub fn poll_of(consumer: &str, start: Start, count: u64, automatic_commit: bool) -> Call {
    Call::Poll { consumer: consumer.to_owned(), start, count, automatic_commit, may_wait: false }
}

pub fn store(consumer: &str, offset: u64, batch_of: &str) -> Call {
    let batch_of = (!batch_of.is_empty()).then(|| batch_of.to_owned());
    Call::Store { consumer: consumer.to_owned(), offset, batch_of }
}

pub fn send(payloads: &[&str]) -> Call {
    Call::Send { payloads: payloads.iter().map(|payload| (*payload).to_owned()).collect() }
}

pub fn join(consumer: &str) -> Call {
    Call::Join { consumer: consumer.to_owned() }
}

pub fn leave(consumer: &str) -> Call {
    Call::Leave { consumer: consumer.to_owned() }
}

/// The offsets of a batch.
pub fn offsets(reply: &Reply) -> Vec<u64> {
    match reply {
        Reply::Batch { messages } => messages.iter().map(|(offset, _)| *offset).collect(),
        other => panic!("no batch but {other:?}"),
    }
}

pub fn code(code: u16) -> Reply {
    Reply::Code { code }
}

pub const ALL: [&str; 8] = [
    "iggy-2026-08",
    "iggy-poll-completion",
    "kept-numbering",
    "reset-with-generation",
    "deferred-poll",
    "fenced-commits",
    "owner-installed",
    "owner-installed-bare-offsets",
];
