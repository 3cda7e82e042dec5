//! Engines that explore a Stateright model exactly, judge named clauses, and tell the shortest story of each breach.
//!
//! This crate knows no broker. See [`describe`] for what a model must say about itself, [`clause`] for what is judged,
//! [`guide`] for restricted explorations, [`engine`] for what goes in and comes out. [`plain`] is the engine to trust,
//! [`verdict`] what may be concluded, [`story`] how a trace is told, and [`named`] the way to try any Stateright model.

pub mod actor_system;
pub mod clause;
pub mod compiled;
pub mod describe;
pub mod engine;
pub mod guide;
pub mod liveness;
pub mod memory;
pub mod named;
pub mod plain;
pub mod progress;
pub mod story;
pub mod verdict;
