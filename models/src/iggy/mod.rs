//! The Iggy family: one partition, its owner, the gateway, the metadata, and the clients around them.
//!
//! One actor is one file. [`system`] puts them together, [`clauses`] holds the predicate of every clause.

pub mod abstraction;
pub mod bounds;

pub mod clauses;
pub mod consumer;
pub mod disk;
pub mod gateway;
pub mod ledger;
pub mod log;
pub mod marks;
pub mod messages;
pub mod metadata;
pub mod operator;
pub mod owner;
pub mod producer;
pub mod scenario;
pub mod start;
pub mod symmetry;
pub mod system;
pub mod telling;
pub mod views;
pub mod vocabulary;
