//! Single-decree Paxos with clients that write and read a register, an actor model with a rich history: a tester of
//! linearizability. Stateright documents the number of states of its own example with two clients, 16,668, which this
//! model shares.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use stateright::Expectation;
use stateright::actor::register::RegisterMsg;
use stateright::actor::{Actor, ActorModel, Id, Network, Out, majority, model_peers};
use stateright::semantics::LinearizabilityTester;
use stateright::semantics::register::Register;

/// Name of the model's property.
pub const LINEARIZABLE: &str = "linearizable";

/// Servers of every model here; they come first among the actors.
pub const SERVERS: usize = 3;

/// Number of a round, and the server that began it.
pub type Ballot = (u32, Id);
/// Request, client and value.
pub type Proposal = (u64, Id, char);
/// The ballot in which a proposal was accepted.
pub type Vote = (Ballot, Proposal);
/// Everything that is said.
pub type Message = RegisterMsg<u64, char, Internal>;
/// What the clients saw.
pub type History = LinearizabilityTester<Id, Register<char>>;
/// The actor model.
pub type PaxosModel = ActorModel<Node, (), History>;

/// What servers say among themselves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Internal {
    /// Promise to take part in no earlier ballot.
    Prepare(Ballot),
    /// Promised, and this was the last vote.
    Prepared(Ballot, Option<Vote>),
    /// Vote for this proposal.
    Accept(Ballot, Proposal),
    /// Voted.
    Accepted(Ballot),
    /// A majority voted.
    Decided(Ballot, Proposal),
}

/// What a server knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    /// The latest ballot that it takes part in.
    pub ballot: Ballot,
    /// What it wants to put to the vote.
    pub proposal: Option<Proposal>,
    /// Who promised to take part in its ballot, with their last votes.
    pub promises: BTreeMap<Id, Option<Vote>>,
    /// Who voted in its ballot.
    pub supporters: BTreeSet<Id>,
    /// Its own last vote.
    pub vote: Option<Vote>,
    /// Whether its vote is known to be decided.
    pub is_decided: bool,
}

/// What a client does: it writes once, and then reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client {
    /// The request that it waits for.
    pub awaits: Option<u64>,
    /// Requests begun so far.
    pub begun: u64,
}

/// The state of one actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeState {
    /// A server.
    Server(Box<Server>),
    /// A client.
    Client(Client),
}

/// One actor: a server if its index is below [`SERVERS`], otherwise a client.
#[derive(Clone, Debug)]
pub struct Node {
    /// For a server, the other servers.
    pub peers: Vec<Id>,
}

/// The server that serves request number `begun` (from 0) of this client.
fn server_for(client: Id, begun: u64) -> Id {
    Id::from((usize::from(client) + begun as usize) % SERVERS)
}

/// The name of request number `begun` (from 0) of this client.
fn request_name(client: Id, begun: u64) -> u64 {
    usize::from(client) as u64 * (begun + 1)
}

impl Node {
    fn is_majority(&self, count: usize) -> bool {
        count == majority(SERVERS)
    }

    fn tell_peers(&self, message: Internal, out: &mut Out<Self>) {
        out.broadcast(&self.peers, &RegisterMsg::Internal(message));
    }

    /// A client asks: begin a new ballot, with a promise to oneself.
    fn propose(&self, id: Id, server: &mut Server, proposal: Proposal, out: &mut Out<Self>) {
        server.proposal = Some(proposal);
        server.ballot = (server.ballot.0 + 1, id);
        server.supporters.clear();
        server.promises = BTreeMap::from([(id, server.vote)]);
        self.tell_peers(Internal::Prepare(server.ballot), out);
    }

    /// A peer promised: with a majority, put the latest vote among the promises, or else the own proposal, to the vote.
    fn count_promise(&self, id: Id, server: &mut Server, from: Id, vote: Option<Vote>, out: &mut Out<Self>) {
        server.promises.insert(from, vote);
        if !self.is_majority(server.promises.len()) {
            return;
        }
        let latest = server.promises.values().max().copied().flatten().map(|(_, proposal)| proposal);
        let Some(proposal) = latest.or(server.proposal) else { return };
        server.proposal = Some(proposal);
        server.vote = Some((server.ballot, proposal));
        server.supporters.insert(id);
        self.tell_peers(Internal::Accept(server.ballot, proposal), out);
    }

    /// A peer voted: with a majority, the proposal is decided.
    fn count_vote(&self, server: &mut Server, from: Id, out: &mut Out<Self>) {
        server.supporters.insert(from);
        if let (true, Some(proposal)) = (self.is_majority(server.supporters.len()), server.proposal) {
            server.is_decided = true;
            self.tell_peers(Internal::Decided(server.ballot, proposal), out);
            out.send(proposal.1, RegisterMsg::PutOk(proposal.0));
        }
    }

    /// The server after a message, if it changed. Answers alone change nothing.
    fn server_reacts(
        &self,
        id: Id,
        server: &Server,
        source: Id,
        message: Message,
        out: &mut Out<Self>,
    ) -> Option<Server> {
        let mut after = Cow::Borrowed(server);
        match (message, server.vote) {
            (RegisterMsg::Get(request), Some((_, (_, _, value)))) if server.is_decided => {
                out.send(source, RegisterMsg::GetOk(request, value));
            }
            _ if server.is_decided => {}
            (RegisterMsg::Put(request, value), _) if server.proposal.is_none() => {
                self.propose(id, after.to_mut(), (request, source, value), out);
            }
            (RegisterMsg::Internal(message), _) => self.on_internal(id, &mut after, source, message, out),
            _ => {}
        }
        match after {
            Cow::Owned(after) => Some(after),
            Cow::Borrowed(_) => None,
        }
    }

    fn on_internal(&self, id: Id, server: &mut Cow<Server>, from: Id, message: Internal, out: &mut Out<Self>) {
        match message {
            Internal::Prepare(ballot) if server.ballot < ballot => {
                server.to_mut().ballot = ballot;
                out.send(from, RegisterMsg::Internal(Internal::Prepared(ballot, server.vote)));
            }
            Internal::Prepared(ballot, vote) if ballot == server.ballot => {
                self.count_promise(id, server.to_mut(), from, vote, out);
            }
            Internal::Accept(ballot, proposal) if server.ballot <= ballot => {
                let server = server.to_mut();
                (server.ballot, server.vote) = (ballot, Some((ballot, proposal)));
                out.send(from, RegisterMsg::Internal(Internal::Accepted(ballot)));
            }
            Internal::Accepted(ballot) if ballot == server.ballot => self.count_vote(server.to_mut(), from, out),
            Internal::Decided(ballot, proposal) => {
                let server = server.to_mut();
                (server.ballot, server.vote, server.is_decided) = (ballot, Some((ballot, proposal)), true);
            }
            _ => {}
        }
    }

    /// The client after an answer, if it waited for it: it reads after it has written, and then is done.
    fn client_reacts(&self, id: Id, client: Client, message: Message, out: &mut Out<Self>) -> Option<Client> {
        let (answered, awaits) = match message {
            RegisterMsg::PutOk(request) => (request, Some(request_name(id, client.begun))),
            RegisterMsg::GetOk(request, _) => (request, None),
            _ => return None,
        };
        if client.awaits != Some(answered) {
            return None;
        }
        if let Some(request) = awaits {
            out.send(server_for(id, client.begun), RegisterMsg::Get(request));
        }
        Some(Client { awaits, begun: client.begun + 1 })
    }
}

impl Actor for Node {
    type Msg = Message;
    type State = NodeState;
    type Timer = ();
    type Random = ();
    type Storage = ();

    fn on_start(&self, id: Id, _storage: &Option<()>, out: &mut Out<Self>) -> NodeState {
        let Some(client) = usize::from(id).checked_sub(SERVERS) else {
            return NodeState::Server(Box::new(Server {
                ballot: (0, Id::from(0)),
                proposal: None,
                promises: BTreeMap::new(),
                supporters: BTreeSet::new(),
                vote: None,
                is_decided: false,
            }));
        };
        let value = char::from(b'A' + client as u8);
        let request = request_name(id, 0);
        out.send(server_for(id, 0), RegisterMsg::Put(request, value));
        NodeState::Client(Client { awaits: Some(request), begun: 1 })
    }

    fn on_msg(&self, id: Id, state: &mut Cow<NodeState>, source: Id, message: Message, out: &mut Out<Self>) {
        let after = match &**state {
            NodeState::Server(server) => {
                self.server_reacts(id, server, source, message, out).map(|server| NodeState::Server(Box::new(server)))
            }
            NodeState::Client(client) => self.client_reacts(id, *client, message, out).map(NodeState::Client),
        };
        if let Some(after) = after {
            *state = Cow::Owned(after);
        }
    }
}

/// Whether what the clients saw is linearizable.
pub fn is_linearizable_history(history: &History) -> bool {
    history.serialized_history().is_some()
}

/// The actor model with three servers and some clients, at most 26.
pub fn paxos_model(clients: usize) -> PaxosModel {
    ActorModel::new((), LinearizabilityTester::new(Register(char::default())))
        .actors((0..SERVERS).map(|index| Node { peers: model_peers(index, SERVERS) }))
        .actors((0..clients).map(|_| Node { peers: Vec::new() }))
        .init_network(Network::new_unordered_nonduplicating([]))
        .property(Expectation::Always, LINEARIZABLE, |_, state| is_linearizable_history(&state.history))
        .record_msg_in(RegisterMsg::record_returns)
        .record_msg_out(RegisterMsg::record_invocations)
}
