//! One step in words: who acts, on whom, and what comes of it as far as it was seen.

use fencepost_driver::{Answer as How, Certainty, Crash, Observation, Park, ParkKind, Progress, Reply, Seen, Step};

use super::calls::{Operations, asks};
use crate::replay::tracker::reply_text;

/// Participants of a story.
const GATEWAY: &str = "gateway";
const OWNER: &str = "owner";
const METADATA: &str = "metadata";

/// A step told.
pub(super) struct Told {
    /// Who acts.
    pub(super) actor: String,
    /// Whom it concerns; the same as `actor` for an inner step.
    pub(super) towards: String,
    /// In words.
    pub(super) text: String,
}

fn told(actor: impl Into<String>, towards: impl Into<String>, text: String) -> Told {
    Told { actor: actor.into(), towards: towards.into(), text }
}

/// Where an operation is after a step.
enum Place {
    /// That was not seen.
    Unknown,
    /// It waits at no place.
    Nowhere,
    /// It waits there.
    At(ParkKind),
}

/// Tells steps.
pub(super) struct Teller<'a> {
    /// What operations ask for.
    pub(super) operations: &'a Operations<'a>,
    /// The writes that power could lose before the step.
    pub(super) unsynced: Vec<String>,
    /// What was seen after the step.
    pub(super) seen: &'a Seen,
}

impl Teller<'_> {
    /// Tells a step that stands alone.
    pub(super) fn step(&self, step: &Step) -> Told {
        match step {
            Step::Start { operation, call } => {
                let towards = match self.place(operation) {
                    Place::At(ParkKind::Propose) => METADATA,
                    Place::At(ParkKind::Arrival) => OWNER,
                    _ => GATEWAY,
                };
                let text = format!("{} ({operation}){}", asks(call), self.answer(", and gets "));
                told(self.operations.caller(operation), towards, text)
            }
            Step::Resume { park, answer } => self.resume(park, *answer, &self.operations.noun(&park.name)),
            Step::Cancel { operation } => {
                let client = self.operations.caller(operation);
                let text = format!("{client} gives up waiting for {}", self.operations.noun(operation));
                told(client, GATEWAY, text)
            }
            Step::Crash { crash } => told(OWNER, OWNER, self.crash(crash)),
            Step::Restart {} => told(OWNER, OWNER, "the process starts again and recovers".to_owned()),
        }
    }

    /// Tells a request that is sent as soon as it is begun.
    pub(super) fn sent(&self, operation: &str, call: &fencepost_driver::Call, park: &Park, how: How) -> Told {
        let then = self.resume(park, how, "it");
        let text = format!("{operation}: {}, and {}", asks(call), then.text);
        let towards = if then.actor == self.operations.caller(operation) { then.towards } else { then.actor };
        told(self.operations.caller(operation), towards, text)
    }

    fn resume(&self, park: &Park, how: How, what: &str) -> Told {
        let name = park.name.as_str();
        match park.kind {
            ParkKind::Request | ParkKind::Gather | ParkKind::Gathered | ParkKind::Propose => self.way(park, what),
            ParkKind::Arrival => self.arrival(name, what),
            ParkKind::Open => told(OWNER, OWNER, opened(how, what)),
            ParkKind::Complete => self.completed(name, format!("the owner completes {what}")),
            ParkKind::Wait if how == How::TimeOut => self.completed(name, format!("the wait of {what} is over")),
            ParkKind::Wait => self.completed(name, format!("the owner wakes {what}")),
            ParkKind::Reply => self.reply(name),
            ParkKind::Apply => told(METADATA, name, format!("the {name} applies what metadata decided next")),
            ParkKind::Commit => told(OWNER, OWNER, "the oldest prepared operation commits".to_owned()),
            ParkKind::Purge if how == How::Fail => {
                told(OWNER, OWNER, "the sync or unlink of the next step of the purge fails".to_owned())
            }
            ParkKind::Purge => told(OWNER, OWNER, "the purge makes its next step".to_owned()),
            ParkKind::FinishPurge => {
                told(OWNER, OWNER, "the owner begins the purge again that recovery found unfinished".to_owned())
            }
            ParkKind::ReportDrained => {
                told(OWNER, METADATA, "the owner reports that the revoked partition is drained".to_owned())
            }
            ParkKind::Drained => told(
                OWNER,
                METADATA,
                format!("metadata hears that the partition is drained (group generation {name}), and hands it over"),
            ),
            ParkKind::Applied => {
                told(OWNER, METADATA, format!("metadata hears that emptying {name} is applied, and acknowledges it"))
            }
            ParkKind::GatewayTimeOut => {
                told(GATEWAY, GATEWAY, format!("the gateway gives up waiting for {what}, and answers it itself"))
            }
            ParkKind::RevocationTimeOut => told(
                METADATA,
                METADATA,
                "the revocation times out: metadata hands the partition over, drained or not".to_owned(),
            ),
            ParkKind::Inner => told(OWNER, OWNER, format!("`{name}` goes on, inside of the implementation")),
        }
    }

    /// Requests and commands on their way to gateway and metadata.
    fn way(&self, park: &Park, what: &str) -> Told {
        let name = park.name.as_str();
        let client = self.operations.caller(name);
        match (park.kind, self.place(name)) {
            (ParkKind::Request, Place::At(ParkKind::Arrival)) => {
                told(GATEWAY, OWNER, format!("the gateway lets {what} pass"))
            }
            (ParkKind::Request, Place::At(ParkKind::Gather)) => {
                told(GATEWAY, OWNER, format!("the gateway asks the owner, for {what}, whether batches are under way"))
            }
            (ParkKind::Request, Place::At(ParkKind::Propose)) => {
                told(GATEWAY, METADATA, format!("the gateway proposes {what}"))
            }
            (ParkKind::Request, Place::At(ParkKind::Reply)) => {
                told(GATEWAY, GATEWAY, format!("the gateway refuses {what}"))
            }
            (ParkKind::Request, _) => {
                let text = format!("{what} reaches the gateway{}", self.answer(", and is answered: "));
                told(client, GATEWAY, text)
            }
            (ParkKind::Gather, _) => {
                told(OWNER, GATEWAY, format!("the owner says, for {what}, whether batches are under way"))
            }
            (ParkKind::Gathered, _) => told(GATEWAY, METADATA, format!("the gateway proposes {what}")),
            (_, Place::At(ParkKind::Reply)) => {
                told(METADATA, METADATA, format!("metadata decides {what} and acknowledges it"))
            }
            _ => {
                let text = format!("metadata decides {what}{}", self.answer("; the answer: "));
                told(METADATA, METADATA, text)
            }
        }
    }

    fn arrival(&self, name: &str, what: &str) -> Told {
        let outcome = match self.place(name) {
            Place::At(ParkKind::Open) => " and plans its read",
            Place::At(ParkKind::Complete) => " and plans its read, for which it needs no file",
            Place::At(ParkKind::Wait) => "; nothing is there for it, and it waits",
            Place::At(ParkKind::Reply) => " and answers it",
            Place::Nowhere => " and gives it its place in the order, or in the queue",
            _ => "",
        };
        told(OWNER, OWNER, format!("the owner takes up {what}{outcome}"))
    }

    fn completed(&self, name: &str, text: String) -> Told {
        let outcome = match self.place(name) {
            Place::At(ParkKind::Reply) => ": its answer is on its way",
            Place::At(ParkKind::Open) => ": its read is planned",
            Place::Nowhere => ", and answers nobody",
            _ => "",
        };
        told(OWNER, OWNER, text + outcome)
    }

    fn reply(&self, name: &str) -> Told {
        let client = self.operations.caller(name);
        let who = self.operations.caller_in_words(name);
        let what = self.operations.noun(name);
        let text = match &self.seen.progress {
            Progress::Done { reply, certainty } => {
                format!("{who} gets the answer to {what}: {}", read(reply, *certainty))
            }
            Progress::Parked => format!("the answer to {what} comes, and {who} does not wait for it any more"),
            _ => format!("the answer to {what} comes to {who}"),
        };
        told(if client == "operator" { METADATA } else { GATEWAY }, client, text)
    }

    /// The answer that came in the same step, if there was one.
    fn answer(&self, before: &str) -> String {
        match &self.seen.progress {
            Progress::Done { reply, certainty } => format!("{before}{}", read(reply, *certainty)),
            _ => String::new(),
        }
    }

    fn crash(&self, crash: &Crash) -> String {
        let then = "; the process starts again and recovers";
        match crash {
            Crash::Process {} => format!("the process dies{then}"),
            Crash::Power { .. } if self.unsynced.is_empty() => format!("power is lost, with no unsynced writes{then}"),
            Crash::Power { keep } => {
                let listed = self.unsynced.join(", ");
                format!(
                    "power is lost; of the unsynced writes [{listed}] {}{then}",
                    survivors(keep, self.unsynced.len())
                )
            }
        }
    }

    fn place(&self, operation: &str) -> Place {
        let Observation { parked: Some(parked), .. } = &self.seen.observation else { return Place::Unknown };
        let at = parked.iter().find(|park| park.name == operation && park.kind != ParkKind::Inner);
        at.map_or(Place::Nowhere, |park| Place::At(park.kind))
    }
}

fn opened(how: How, what: &str) -> String {
    match how {
        How::Fail => format!("the file that {what} was planned on is gone: its read finds nothing"),
        _ => format!("the file for {what} is opened and read"),
    }
}

fn read(reply: &Reply, certainty: Certainty) -> String {
    let doubt = match certainty {
        Certainty::Definite => "",
        Certainty::Indefinite => " (not definite: it may have had its effect or not)",
    };
    format!("{}{doubt}", reply_text(reply))
}

/// Which of some writes survive: all, none, or by number.
fn survivors(keep: &[usize], count: usize) -> String {
    const ORDINALS: [&str; 8] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
    let ordinal =
        |index: &usize| ORDINALS.get(*index).map_or_else(|| format!("number {}", index + 1), |word| (*word).to_owned());
    match keep {
        [] => "none survives".to_owned(),
        all if all.len() == count => if count == 1 { "it survives" } else { "all survive" }.to_owned(),
        [one] => format!("the {} survives", ordinal(one)),
        several => {
            let listed: Vec<String> = several.iter().map(ordinal).collect();
            format!("the {} survive", listed.join(" and the "))
        }
    }
}
