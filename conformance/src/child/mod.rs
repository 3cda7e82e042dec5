//! An implementation in a process of its own: the runner's side of `fencepost-driver/1`.
//!
//! [`ChildSubject`] is a [`fencepost_driver::Subject`] like any other. It starts a command, asks, waits no longer than it was told to,
//! and ends the process with everything that it started. What can go wrong is a [`ChildProblem`]: one clear sentence each, and
//! a kind that the report counts by. [`Connection`] is the layer below, for who wants to speak line by line.
//!
//! This needs Unix: a child gets a process group, which is ended by the number that this process was given when it started it.

mod command;
mod connection;
mod pipes;
mod problem;
mod process;
mod subject;
mod tail;
#[cfg(test)]
mod tests;

pub use command::{ChildCommand, ChildOptions};
pub use connection::{Connection, Farewell};
pub use problem::{ChildProblem, FirstProblem, ProblemKind};
pub use subject::ChildSubject;
