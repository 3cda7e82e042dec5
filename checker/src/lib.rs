//! Engines that explore a Stateright model exactly, judge named clauses, and tell the shortest story of each breach.
//!
//! This crate knows no broker. See [`describe`] for what a model must say about itself, [`clause`] for what is judged,
//! [`guide`] for restricted explorations, [`engine`] for what goes in and comes out. [`compiled`] is the engine to use for
//! [actor systems](actor_system), [`plain`] the one to trust, for any model; they give the same results. [`verdict`] says
//! what may be concluded, [`story`] how a trace is told, [`cover`] which traces show all that was seen, and [`named`] is the
//! way to try any Stateright model.
//!
//! # Check an actor model of your own
//!
//! Any [`ActorModel`](stateright::actor::ActorModel) will do: wrap it in [`Named`](named::Named), say what must hold, explore.
//!
//! ```
//! use std::borrow::Cow;
//!
//! use fencepost_checker::clause::{Clause, Judgement};
//! use fencepost_checker::compiled::Compiled;
//! use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
//! use fencepost_checker::guide::Unguided;
//! use fencepost_checker::named::Named;
//! use fencepost_checker::story::Story;
//! use stateright::actor::{Actor, ActorModel, Id, Network, Out};
//!
//! // A counter that somebody increments once too often.
//! struct Counter;
//!
//! impl Actor for Counter {
//!     type Msg = ();
//!     type State = u8;
//!     type Timer = ();
//!     type Random = ();
//!     type Storage = ();
//!
//!     fn on_start(&self, id: Id, _storage: &Option<()>, out: &mut Out<Self>) -> u8 {
//!         out.send(Id::from(0), ());
//!         0
//!     }
//!
//!     fn on_msg(&self, _id: Id, count: &mut Cow<u8>, _from: Id, _message: (), _out: &mut Out<Self>) {
//!         *count.to_mut() += 1;
//!     }
//! }
//!
//! let network = Network::new_unordered_nonduplicating([]);
//! let model = Named::actors(ActorModel::new((), ()).actors([Counter, Counter, Counter]).init_network(network));
//! let small = Clause::on_actor("stays-small", 0, |count| match count {
//!     3.. => Judgement::Broken(format!("it is {count}")),
//!     _ => Judgement::Upheld,
//! });
//! // All states lie within the boundary of this model, since it has none.
//! let exploration = Compiled { is_unbounded: true }.explore(&Task {
//!     model: &model,
//!     guide: &Unguided,
//!     clauses: &[small],
//!     liveness: &[],
//!     limits: &Limits::default(),
//!     threads: 2,
//!     progress: &Quiet,
//! });
//! assert_eq!(exploration.states, 8, "each of three messages is delivered or not");
//! let breach = exploration.findings[0].broken.as_ref().expect("three are too many");
//! let story = Story::of(&model, "Counting", &breach.trace, breach.reason.clone()).expect("a trace of this model");
//! assert_eq!(story.to_text().lines().count(), 5, "a title, three steps, the reason");
//! ```
//!
//! The properties that the model itself has come as clauses from [`Named::properties`](named::Named::properties). A clause
//! [about an actor](clause::Clause::on_actor), [about the history](clause::Clause::on_history) or
//! [about a step](clause::Clause::on_step) is judged once for each value that it reads; one
//! [about whole states](clause::Clause::on_state) is judged at every transition, which takes longer than all the rest.
//! `examples/lock_server.rs` is a whole program.

// What the tests of this crate share with each other calls it by its name.
#[cfg(test)]
extern crate self as fencepost_checker;

pub mod actor_system;
pub mod archive;
pub mod clause;
pub mod compiled;
mod course;
pub mod cover;
pub mod describe;
pub mod engine;
pub mod guide;
pub mod liveness;
pub mod memory;
pub mod named;
pub mod plain;
pub mod portable;
pub mod progress;
pub mod story;
pub mod symmetry;
pub mod verdict;
