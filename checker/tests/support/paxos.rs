//! Single-decree Paxos with clients that write and read, an actor model whose number of states Stateright documents.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use fencepost_checker::named::Named;
use stateright::Expectation;
use stateright::actor::register::{RegisterActor, RegisterMsg};
use stateright::actor::{Actor, ActorModel, ActorModelAction, Id, Network, Out, majority, model_peers};
use stateright::semantics::LinearizabilityTester;
use stateright::semantics::register::Register;

type Ballot = (u32, Id);
/// Request, client and value.
type Proposal = (u64, Id, char);
type Vote = (Ballot, Proposal);
type Message = RegisterMsg<u64, char, Internal>;

/// What servers say among themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Internal {
    Prepare(Ballot),
    Prepared(Ballot, Option<Vote>),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

/// What a server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ServerState {
    ballot: Ballot,
    proposal: Option<Proposal>,
    promises: BTreeMap<Id, Option<Vote>>,
    supporters: BTreeSet<Id>,
    vote: Option<Vote>,
    is_decided: bool,
}

/// A server.
#[derive(Clone)]
pub struct Server {
    peers: Vec<Id>,
}

impl Server {
    fn is_majority(&self, count: usize) -> bool {
        count == majority(self.peers.len() + 1)
    }

    fn tell_peers(&self, message: Internal, out: &mut Out<Self>) {
        out.broadcast(&self.peers, &RegisterMsg::Internal(message));
    }

    /// A client asks: start a new ballot, with a promise to oneself.
    fn propose(&self, id: Id, state: &mut ServerState, proposal: Proposal, out: &mut Out<Self>) {
        state.proposal = Some(proposal);
        state.ballot = (state.ballot.0 + 1, id);
        state.supporters.clear();
        state.promises = BTreeMap::from([(id, state.vote)]);
        self.tell_peers(Internal::Prepare(state.ballot), out);
    }

    /// A peer promised: with a majority, put the latest vote among the promises, or else the own proposal, to the vote.
    fn count_promise(&self, id: Id, state: &mut ServerState, from: Id, vote: Option<Vote>, out: &mut Out<Self>) {
        state.promises.insert(from, vote);
        if self.is_majority(state.promises.len()) {
            let latest = state.promises.values().max().copied().flatten().map(|(_, proposal)| proposal);
            let proposal = latest.or(state.proposal).expect("a promise answers a proposal");
            state.proposal = Some(proposal);
            state.vote = Some((state.ballot, proposal));
            state.supporters.insert(id);
            self.tell_peers(Internal::Accept(state.ballot, proposal), out);
        }
    }

    /// A peer voted: with a majority, the proposal is decided.
    fn count_vote(&self, state: &mut ServerState, from: Id, out: &mut Out<Self>) {
        state.supporters.insert(from);
        if self.is_majority(state.supporters.len()) {
            let proposal = state.proposal.expect("a vote answers a proposal");
            state.is_decided = true;
            self.tell_peers(Internal::Decided(state.ballot, proposal), out);
            out.send(proposal.1, RegisterMsg::PutOk(proposal.0));
        }
    }

    fn on_internal(&self, id: Id, state: &mut Cow<ServerState>, from: Id, message: Internal, out: &mut Out<Self>) {
        match message {
            Internal::Prepare(ballot) if state.ballot < ballot => {
                state.to_mut().ballot = ballot;
                out.send(from, RegisterMsg::Internal(Internal::Prepared(ballot, state.vote)));
            }
            Internal::Prepared(ballot, vote) if ballot == state.ballot => {
                self.count_promise(id, state.to_mut(), from, vote, out);
            }
            Internal::Accept(ballot, proposal) if state.ballot <= ballot => {
                let state = state.to_mut();
                (state.ballot, state.vote) = (ballot, Some((ballot, proposal)));
                out.send(from, RegisterMsg::Internal(Internal::Accepted(ballot)));
            }
            Internal::Accepted(ballot) if ballot == state.ballot => self.count_vote(state.to_mut(), from, out),
            Internal::Decided(ballot, proposal) => {
                let state = state.to_mut();
                (state.ballot, state.vote, state.is_decided) = (ballot, Some((ballot, proposal)), true);
            }
            _ => {}
        }
    }
}

impl Actor for Server {
    type Msg = Message;
    type State = ServerState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, _id: Id, _storage: &Option<()>, _out: &mut Out<Self>) -> ServerState {
        ServerState {
            ballot: (0, Id::from(0)),
            proposal: None,
            promises: BTreeMap::new(),
            supporters: BTreeSet::new(),
            vote: None,
            is_decided: false,
        }
    }

    fn on_msg(&self, id: Id, state: &mut Cow<ServerState>, from: Id, message: Message, out: &mut Out<Self>) {
        match (message, state.vote) {
            (RegisterMsg::Get(request), Some((_, (_, _, value)))) if state.is_decided => {
                out.send(from, RegisterMsg::GetOk(request, value));
            }
            _ if state.is_decided => {}
            (RegisterMsg::Put(request, value), _) if state.proposal.is_none() => {
                self.propose(id, state.to_mut(), (request, from, value), out);
            }
            (RegisterMsg::Internal(message), _) => self.on_internal(id, state, from, message, out),
            _ => {}
        }
    }
}

/// Paxos with register clients.
pub type Paxos = ActorModel<RegisterActor<Server>, (), LinearizabilityTester<Id, Register<char>>>;

/// Paxos among some servers, each client of which writes once and reads once.
pub fn paxos(servers: usize, clients: usize) -> Paxos {
    ActorModel::new((), LinearizabilityTester::new(Register(char::default())))
        .actors((0..servers).map(|index| RegisterActor::Server(Server { peers: model_peers(index, servers) })))
        .actors((0..clients).map(|_| RegisterActor::Client { put_count: 1, server_count: servers }))
        .init_network(Network::new_unordered_nonduplicating([]))
        .property(Expectation::Always, "linearizable", |_, state| state.history.serialized_history().is_some())
        .record_msg_in(RegisterMsg::record_returns)
        .record_msg_out(RegisterMsg::record_invocations)
}

/// The same with names for its actions.
pub fn named(servers: usize, clients: usize) -> Named<Paxos> {
    Named::new(paxos(servers, clients), ["client", "server", "answer"], |action| match action {
        ActorModelAction::Deliver { msg: RegisterMsg::Internal(_), .. } => "server".to_owned(),
        ActorModelAction::Deliver { msg: RegisterMsg::Put(..) | RegisterMsg::Get(_), .. } => "client".to_owned(),
        ActorModelAction::Deliver { .. } => "answer".to_owned(),
        _ => "unexpected".to_owned(),
    })
}
