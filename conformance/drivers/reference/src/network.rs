//! What is on its way: a task for each request and command, from its caller through gateway and metadata to the owner and back.

use std::rc::Rc;

use fencepost_driver::{Call, ParkKind, Reply};
use fencepost_spec::contract::{Acknowledged, GatewayTimeOut};
use fencepost_spec::reply::OUTCOME_UNKNOWN;
use futures::channel::oneshot;
use futures::future::{Either, select};

use crate::cluster::Cluster;
use crate::executor::Home;
use crate::fault::Planted;
use crate::gates::Name;
use crate::gateway;
use crate::metadata::Command;
use crate::owner::Message;
use crate::request::{Answer, Ask, Request};

/// A call makes no sense in this world.
pub(crate) struct Senseless(pub(crate) String);

/// Begins a call; it waits at its first park.
///
/// # Errors
/// [`Senseless`], if it names a consumer that is not there.
pub(crate) fn begin(cluster: &Rc<Cluster>, operation: Name, call: &Call) -> Result<(), Senseless> {
    let here = Rc::clone(cluster);
    match call {
        Call::Poll { .. } | Call::Store { .. } | Call::Delete { .. } | Call::Send { .. } => {
            let request = request(cluster, Rc::clone(&operation), call)?;
            cluster.spawner.spawn(Home::Outside, make_request(here, request));
        }
        Call::Expire { count } => cluster.spawner.spawn(Home::Outside, expire(here, operation, *count)),
        Call::Empty {} => cluster.spawner.spawn(Home::Outside, propose(here, operation, Command::Empty)),
        Call::Recreate {} => cluster.spawner.spawn(Home::Outside, propose(here, operation, Command::Recreate)),
        Call::Join { consumer } => {
            let client = known(cluster, consumer)?;
            cluster.spawner.spawn(Home::Outside, join(here, operation, client));
        }
        Call::Leave { consumer } | Call::Disconnect { consumer } => {
            let client = known(cluster, consumer)?;
            cluster.spawner.spawn(Home::Outside, propose(here, operation, Command::Leave { client }));
        }
    }
    Ok(())
}

fn known(cluster: &Cluster, consumer: &str) -> Result<Name, Senseless> {
    let clients = cluster.clients.borrow();
    let client = clients.iter().find(|client| &*client.name == consumer);
    client.map(|client| Rc::clone(&client.name)).ok_or_else(|| Senseless(format!("there is no consumer `{consumer}`")))
}

/// The request that a client's library sends, with the identities that it knows when it sends it.
fn request(cluster: &Cluster, operation: Name, call: &Call) -> Result<Request, Senseless> {
    let (consumer, ask) = match call {
        Call::Poll { consumer, start, count, automatic_commit, may_wait } => {
            let (start, count) = (*start, *count);
            (consumer, Ask::Poll { start, count, automatic_commit: *automatic_commit, may_wait: *may_wait })
        }
        Call::Store { consumer, offset, .. } => (consumer, Ask::Store { offset: *offset }),
        Call::Delete { consumer } => (consumer, Ask::Delete),
        Call::Send { payloads } => {
            let payloads = payloads.iter().map(|payload| Name::from(payload.as_str())).collect();
            let key = Rc::clone(&cluster.names.nothing);
            let (ask, named) = (Ask::Send { payloads }, Default::default());
            return Ok(Request { operation, client: None, key, is_of_group: false, ask, named, assignment: None });
        }
        _ => return Err(Senseless(format!("`{}` is no request", call.kind()))),
    };
    let client_name = known(cluster, consumer)?;
    let clients = cluster.clients.borrow();
    let client = clients.iter().find(|client| client.name == client_name);
    let client = client.ok_or_else(|| Senseless(format!("there is no consumer `{consumer}`")))?;
    let named = match call {
        Call::Poll { .. } => client.stamp_poll(&cluster.choices),
        Call::Store { batch_of, .. } => {
            client.stamp_commit(&cluster.choices, batch_of.as_deref(), cluster.has(Planted::CommitStampedWhenSent))
        }
        _ => client.stamp_commit(&cluster.choices, None, false),
    };
    let (key, is_of_group) = (Rc::clone(&client.key), client.is_of_group);
    Ok(Request { operation, client: Some(client_name), key, is_of_group, ask, named, assignment: None })
}

/// The whole way of a request and its answer.
async fn make_request(cluster: Rc<Cluster>, mut request: Request) {
    let (operation, client) = (Rc::clone(&request.operation), request.client.clone());
    cluster.gates.wait(ParkKind::Request, &operation).await;
    let mirror = cluster.metadata.borrow().mirror.clone();
    let answer = match gateway::dispatch(&cluster.choices, &mirror, &mut request) {
        Err(refusal) => refusal,
        Ok(()) => forward(&cluster, request).await,
    };
    let Answer::Reply(reply, identities) = answer else { return };
    cluster.gates.wait(ParkKind::Reply, &operation).await;
    if cluster.has_given_up(&operation) {
        return;
    }
    if let Some(client) = client {
        let mut clients = cluster.clients.borrow_mut();
        if let Some(client) = clients.iter_mut().find(|other| other.name == client) {
            client.hear(&cluster.choices, &operation, &reply, identities);
        }
    }
    cluster.delivered.set(Some(reply));
}

/// The gateway forwards a request to the owner and waits for the answer; for the answer to a poll it waits a limited time only.
async fn forward(cluster: &Rc<Cluster>, request: Request) -> Answer {
    let (answering, answered) = oneshot::channel();
    let (operation, is_poll) = (Rc::clone(&request.operation), matches!(request.ask, Ask::Poll { .. }));
    let here = Rc::clone(cluster);
    cluster.spawner.spawn(Home::Outside, async move {
        here.gates.wait(ParkKind::Arrival, &request.operation).await;
        tell_owner(&here, Message::Request(request, answering));
    });
    let answer = if is_poll {
        match select(answered, cluster.gates.wait(ParkKind::GatewayTimeOut, &operation)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => return time_out(cluster),
        }
    } else {
        answered.await
    };
    answer.unwrap_or(Answer::Reply(Reply::Disconnected {}, None))
}

fn time_out(cluster: &Cluster) -> Answer {
    match cluster.choices.gateway_time_out {
        GatewayTimeOut::EmptyBatch => Answer::Reply(Reply::Empty {}, None),
        GatewayTimeOut::OutcomeUnknown => Answer::code(OUTCOME_UNKNOWN),
    }
}

/// Hands a message to the owner's process. If there is none, the message is lost with the connection.
fn tell_owner(cluster: &Cluster, message: Message) {
    if let Some(owner) = &*cluster.owner.borrow() {
        owner.tell(message);
    }
}

/// The oldest messages expire.
async fn expire(cluster: Rc<Cluster>, operation: Name, count: u64) {
    cluster.gates.wait(ParkKind::Arrival, &operation).await;
    let (answering, answered) = oneshot::channel();
    tell_owner(&cluster, Message::Expire(count, answering));
    let answer = answered.await.unwrap_or(Answer::Reply(Reply::Disconnected {}, None));
    report(&cluster, &operation, answer).await;
}

/// A join. In a topic with several partitions the owner is asked first whether batches are under way.
async fn join(cluster: Rc<Cluster>, operation: Name, client: Name) {
    let has_several = cluster.metadata.borrow().newest().group.partitions() > 1;
    let mut batches_under_way = false;
    if has_several {
        cluster.gates.wait(ParkKind::Request, &operation).await;
        cluster.gates.wait(ParkKind::Gather, &operation).await;
        let (answering, answered) = oneshot::channel();
        tell_owner(&cluster, Message::Gather(answering));
        // Who cannot say that nothing is under way is taken to be at work.
        batches_under_way = answered.await.unwrap_or(true);
        cluster.gates.wait(ParkKind::Gathered, &operation).await;
    }
    propose(cluster, operation, Command::Join { client, batches_under_way }).await;
}

/// A command on its way to metadata, and its acknowledgement.
async fn propose(cluster: Rc<Cluster>, operation: Name, command: Command) {
    cluster.gates.wait(ParkKind::Propose, &operation).await;
    let emptying = cluster.metadata.borrow_mut().decide(&cluster.choices, &command);
    let waits = cluster.choices.emptying_acknowledged == Acknowledged::WhenApplied
        && !cluster.has(Planted::EmptyingAcknowledgedWhenDecided);
    if let Some(emptying) = emptying.filter(|_| waits) {
        let applied = cluster.metadata.borrow_mut().when_applied(emptying);
        if applied.await.is_err() {
            return;
        }
    }
    report(&cluster, &operation, Answer::acknowledged()).await;
}

/// An answer on its way to the operator.
async fn report(cluster: &Cluster, operation: &Name, answer: Answer) {
    let Answer::Reply(reply, _) = answer else { return };
    cluster.gates.wait(ParkKind::Reply, operation).await;
    if !cluster.has_given_up(operation) {
        cluster.delivered.set(Some(reply));
    }
}

/// The gateway's mirror follows metadata, for ever.
pub(crate) async fn follow_at_gateway(cluster: Rc<Cluster>) {
    loop {
        cluster.gates.wait(ParkKind::Apply, &cluster.names.gateway).await;
        cluster.metadata.borrow_mut().apply_at_gateway();
    }
}

/// Pending revocations time out, for ever.
pub(crate) async fn time_out_revocations(cluster: Rc<Cluster>) {
    loop {
        cluster.gates.wait(ParkKind::RevocationTimeOut, &cluster.names.nothing).await;
        cluster.metadata.borrow_mut().complete_revocation(None);
    }
}

/// The owner's word that an emptying is applied travels to metadata.
pub(crate) async fn tell_applied(cluster: Rc<Cluster>, emptying: u64) {
    cluster.gates.wait(ParkKind::Applied, &emptying.to_string().into()).await;
    cluster.metadata.borrow_mut().emptying_is_applied(emptying);
}

/// The owner's report that a revoked partition is drained travels to metadata.
pub(crate) async fn tell_drained(cluster: Rc<Cluster>, generation: u64) {
    cluster.gates.wait(ParkKind::Drained, &generation.to_string().into()).await;
    cluster.metadata.borrow_mut().complete_revocation(Some(generation));
}
