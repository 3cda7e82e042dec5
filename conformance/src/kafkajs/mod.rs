//! Replaying the explored model on the real npm package `kafkajs`.
//!
//! `graph` explores a view, `ways` chooses ways through it, `trace` writes a way down as the driver takes it, with what `simulation`
//! says is to be seen; `child` asks the driver, `session` compares, `blame` names the clause.

pub mod abstraction;
pub mod blame;
pub mod change;
pub mod child;
pub mod compare;
pub mod deviations;
pub mod evidence;
pub mod graph;
mod raw_step;
pub mod recording;
pub mod script;
pub mod session;
pub mod simulation;
pub mod step;
pub mod tcp;
pub mod trace;
pub mod ways;
