//! A partition in memory as a driver: `cargo run -p fencepost-driver --example worked_example` serves it on standard input and output.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_driver::{
    Answer, Call, Capabilities, Crash, Failure, Field, Fields, Observation, Park, ParkKind, Progress, Reply, Start,
    Subject, World, serve_stdio,
};

/// The broker that is tried. Nothing in it knows of the driver.
#[derive(Default)]
struct Partition {
    messages: Vec<String>,
    bookmarks: BTreeMap<String, u64>,
}

impl Partition {
    fn head(&self) -> u64 {
        self.messages.len() as u64
    }

    fn poll(&mut self, key: &str, start: Start, count: u64, automatic_commit: bool) -> Reply {
        let first = match start {
            Start::Next => self.bookmarks.get(key).map_or(0, |offset| offset + 1),
            Start::First => 0,
            Start::Last => self.head().saturating_sub(count),
            Start::Offset { offset } => offset,
        };
        let end = self.head().min(first.saturating_add(count));
        let messages: Vec<(u64, String)> =
            (first..end).zip(self.messages.iter().skip(first as usize).cloned()).collect();
        let Some((last, _)) = messages.last() else { return Reply::Empty {} };
        if automatic_commit {
            self.bookmarks.insert(key.to_owned(), *last);
        }
        Reply::Batch { messages }
    }

    fn store(&mut self, key: &str, offset: u64) -> Reply {
        if offset >= self.head() {
            return Reply::Code { code: 4100 };
        }
        self.bookmarks.insert(key.to_owned(), offset);
        Reply::Acknowledged {}
    }

    fn send(&mut self, payloads: Vec<String>) -> Reply {
        self.messages.extend(payloads);
        Reply::Acknowledged {}
    }
}

/// What waits at a park: a request on its way, or an answer on its way.
enum Waiting {
    Request(Call),
    Reply(Reply),
}

/// The driver: it holds work at its parks, and lets it go on when it is told to.
#[derive(Default)]
struct Driver {
    partition: Partition,
    members: BTreeSet<String>,
    parks: BTreeMap<Park, Waiting>,
    cancelled: BTreeSet<String>,
}

impl Driver {
    fn key(&self, consumer: String) -> String {
        if self.members.contains(&consumer) { "group".to_owned() } else { consumer }
    }

    /// The request arrives at the partition, which answers at once.
    fn arrive(&mut self, call: Call) -> Reply {
        match call {
            Call::Poll { consumer, start, count, automatic_commit, .. } => {
                self.partition.poll(&self.key(consumer), start, count, automatic_commit)
            }
            Call::Store { consumer, offset, .. } => self.partition.store(&self.key(consumer), offset),
            Call::Send { payloads } => self.partition.send(payloads),
            other => unreachable!("`start` takes no {}", other.kind()),
        }
    }

    fn park(&mut self, kind: ParkKind, operation: &str, waiting: Waiting) -> Result<Progress, Failure> {
        self.parks.insert(Park::new(kind, operation), waiting);
        Ok(Progress::Parked)
    }
}

impl Subject for Driver {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            subject: "worked-example".to_owned(),
            version: "1".to_owned(),
            calls: ["poll", "store", "send"].map(str::to_owned).to_vec(),
            parks: vec![ParkKind::Request, ParkKind::Arrival, ParkKind::Reply],
            observables: vec![Field::StartOffset, Field::NextOffset, Field::Messages, Field::Bookmarks, Field::Parked]
                .into(),
            crashes: Vec::new(),
            is_deterministic: true,
        }
    }

    fn reset(&mut self, world: &World) -> Result<(), Failure> {
        let partition = Partition { messages: world.messages.clone(), bookmarks: world.bookmarks.clone() };
        let members = world.clients.iter().filter(|client| client.is_of_group);
        let members = members.map(|client| client.name.clone()).collect();
        *self = Self { partition, members, ..Self::default() };
        Ok(())
    }

    fn start(&mut self, operation: &str, call: &Call) -> Result<Progress, Failure> {
        if !matches!(call, Call::Poll { .. } | Call::Store { .. } | Call::Send { .. }) {
            return Ok(Progress::Unsupported { reason: format!("there is no {} here", call.kind()) });
        }
        self.park(ParkKind::Request, operation, Waiting::Request(call.clone()))
    }

    fn resume(&mut self, park: &Park, answer: Answer) -> Result<Progress, Failure> {
        if answer != Answer::Proceed {
            return Ok(Progress::Unsupported { reason: "nothing here can fail or time out".to_owned() });
        }
        let operation = park.name.as_str();
        match (park.kind, self.parks.remove(park)) {
            (ParkKind::Request, Some(waiting)) => self.park(ParkKind::Arrival, operation, waiting),
            (_, Some(Waiting::Request(call))) => {
                let reply = self.arrive(call);
                self.park(ParkKind::Reply, operation, Waiting::Reply(reply))
            }
            (_, Some(Waiting::Reply(_))) if self.cancelled.contains(operation) => Ok(Progress::Parked),
            (_, Some(Waiting::Reply(reply))) => Ok(Progress::done(reply)),
            (_, None) => Ok(Progress::Refused { reason: format!("nothing waits at {park}") }),
        }
    }

    fn parked(&self) -> Vec<Park> {
        self.parks.keys().cloned().collect()
    }

    fn observe(&mut self, fields: Fields) -> Result<Observation, Failure> {
        let messages = (0..).zip(self.partition.messages.iter().cloned()).collect();
        let all = Observation {
            start_offset: Some(0),
            next_offset: Some(self.partition.head()),
            messages: Some(messages),
            bookmarks: Some(self.partition.bookmarks.clone()),
            parked: Some(self.parked()),
            ..Observation::default()
        };
        Ok(all.only(fields))
    }

    fn cancel(&mut self, operation: &str) -> Result<Progress, Failure> {
        self.cancelled.insert(operation.to_owned());
        Ok(Progress::Parked)
    }

    fn crash(&mut self, _: &Crash) -> Result<Progress, Failure> {
        Ok(Progress::Unsupported { reason: "there are no files that could survive".to_owned() })
    }

    fn restart(&mut self) -> Result<Progress, Failure> {
        Ok(Progress::Unsupported { reason: "there are no files to recover from".to_owned() })
    }
}

pub(crate) fn driver() -> impl Subject {
    Driver::default()
}

fn main() -> std::io::Result<()> {
    serve_stdio(&mut driver())
}
