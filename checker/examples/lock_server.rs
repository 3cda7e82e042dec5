//! A model that is no broker: a server lends a lock for a while, and clients that are slow believe too long that they have it.
//!
//! `cargo run --release -p fencepost-checker --example lock_server` explores it with both engines and tells the shortest way in
//! which two clients hold the lock at once. With `-- fenced` each grant carries a number, and the store that both write to
//! refuses the older one: then all that can happen is harmless.

use std::borrow::Cow;
use std::time::Duration;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use fencepost_checker::plain::Plain;
use fencepost_checker::story::Story;
use fencepost_checker::verdict::Verdict;
use stateright::actor::{Actor, ActorModel, Id, Network, Out};

const SERVER: usize = 0;
const STORE: usize = 1;
const CLIENTS: [usize; 2] = [2, 3];

/// What actors say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    /// A client asks for the lock.
    Acquire,
    /// The server lends it, for the time being, with the number of this grant.
    Granted(u8),
    /// A client writes to the store under a grant.
    Write(u8),
}

/// What an actor knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// The server: how many grants there were, and whether the last of them still counts.
    Server { grants: u8, is_lent: bool },
    /// The store: the number of the grant under which it was written last, and whether an older one came after it.
    Store { latest: u8, went_back: bool },
    /// A client.
    Client,
}

#[derive(Clone)]
struct Node {
    is_fenced: bool,
}

impl Actor for Node {
    type Msg = Message;
    /// The time for which the lock is lent is over.
    type Timer = ();
    type State = State;
    type Storage = ();
    type Random = ();

    fn on_start(&self, id: Id, _storage: &Option<()>, out: &mut Out<Self>) -> State {
        match usize::from(id) {
            SERVER => State::Server { grants: 0, is_lent: false },
            STORE => State::Store { latest: 0, went_back: false },
            _ => {
                out.send(Id::from(SERVER), Message::Acquire);
                State::Client
            }
        }
    }

    fn on_msg(&self, _id: Id, state: &mut Cow<'_, State>, from: Id, message: Message, out: &mut Out<Self>) {
        match (**state, message) {
            (State::Server { grants, is_lent: false }, Message::Acquire) => {
                *state.to_mut() = State::Server { grants: grants + 1, is_lent: true };
                out.set_timer((), Duration::ZERO..Duration::ZERO);
                out.send(from, Message::Granted(grants + 1));
            }
            (State::Client, Message::Granted(grant)) => out.send(Id::from(STORE), Message::Write(grant)),
            (State::Store { latest, went_back }, Message::Write(grant)) if !self.is_fenced || grant > latest => {
                *state.to_mut() = State::Store { latest: grant, went_back: went_back || grant < latest };
            }
            _ => {}
        }
    }

    fn on_timeout(&self, _id: Id, state: &mut Cow<'_, State>, _timer: &(), _out: &mut Out<Self>) {
        if let State::Server { grants, .. } = **state {
            *state.to_mut() = State::Server { grants, is_lent: false };
        }
    }
}

type LockServer = Named<ActorModel<Node>>;

fn lock_server(is_fenced: bool) -> LockServer {
    let nodes = (0..2 + CLIENTS.len()).map(|_| Node { is_fenced });
    Named::actors(ActorModel::new((), ()).actors(nodes).init_network(Network::new_unordered_nonduplicating([])))
}

/// A write under an older grant must not follow one under a newer grant.
fn never_goes_back() -> Clause<LockServer> {
    Clause::on_actor("never-goes-back", STORE, |state| match state {
        State::Store { went_back: true, .. } => Judgement::Broken("an older grant overwrites a newer one".to_owned()),
        State::Store { latest: 1.., .. } => Judgement::Upheld,
        _ => Judgement::Silent,
    })
}

fn explore<E: Engine<LockServer>>(engine: &E, model: &LockServer) -> Exploration<LockServer, Unguided> {
    engine.explore(&Task {
        model,
        guide: &Unguided,
        clauses: &[never_goes_back()],
        liveness: &[],
        limits: &Limits::default(),
        threads: 1,
        progress: &Quiet,
    })
}

fn main() {
    let model = lock_server(std::env::args().any(|argument| argument == "fenced"));
    let (compiled, plain) = (explore(&Compiled { is_unbounded: true }, &model), explore(&Plain, &model));
    assert_eq!(compiled.states_per_level, plain.states_per_level, "the engines agree");
    println!("{} states, {} transitions, both engines", compiled.states, compiled.transitions);
    for (finding, verdict) in compiled.findings.iter().zip(Verdict::of_all(&compiled, 1)) {
        println!("{}: {verdict}", finding.clause);
        if let Some(breach) = &finding.broken {
            match Story::of(&model, "The store goes back", &breach.trace, breach.reason.clone()) {
                Ok(story) => println!("{}", story.to_text()),
                Err(error) => println!("{error}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Compiled, Plain, explore, lock_server};

    #[test]
    fn given_a_lock_without_numbers_when_explored_should_show_the_late_write_in_both_engines() {
        let model = lock_server(false);
        for exploration in [explore(&Compiled::default(), &model), explore(&Plain, &model)] {
            let breach = exploration.findings[0].broken.as_ref().expect("the store goes back");
            assert_eq!((exploration.states, breach.trace.actions.len()), (49, 7));
        }
    }

    #[test]
    fn given_a_store_that_compares_numbers_when_explored_should_never_go_back() {
        let model = lock_server(true);
        for exploration in [explore(&Compiled::default(), &model), explore(&Plain, &model)] {
            assert!(exploration.findings[0].broken.is_none() && exploration.findings[0].exercised > 0);
        }
    }
}
