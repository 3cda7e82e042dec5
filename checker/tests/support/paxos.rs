//! The Paxos model of the benchmarks, with names for its actions.

#[path = "../../../benches/src/paxos.rs"]
mod model;

use fencepost_checker::named::Named;
use stateright::actor::ActorModelAction;
use stateright::actor::register::RegisterMsg;

pub use model::{PaxosModel, paxos_model};

/// Three servers and some clients, each of which writes once and reads once.
pub fn named(clients: usize) -> Named<PaxosModel> {
    Named::new(paxos_model(clients), ["client", "server", "answer"], |action| match action {
        ActorModelAction::Deliver { msg: RegisterMsg::Internal(_), .. } => "server".to_owned(),
        ActorModelAction::Deliver { msg: RegisterMsg::Put(..) | RegisterMsg::Get(_), .. } => "client".to_owned(),
        ActorModelAction::Deliver { .. } => "answer".to_owned(),
        _ => "unexpected".to_owned(),
    })
}
