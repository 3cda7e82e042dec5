//! The promises of Fencepost, without any engine: what a broker promises about polls and consumer offsets.
//!
//! Read in this order:
//!
//! 1. [`identity`]: which identities establish that a request is valid, and what invalidates them.
//! 2. [`clause`]: the promises, one sentence each.
//! 3. [`fence`]: the checks that keep them, one function each.
//! 4. [`contract`]: a set of choices: which fences exist, what is on the wire, what is durable when.
//! 5. [`reply`]: what the answers mean to a client.
//! 6. [`event`] and [`scenario`]: the vocabulary of stories, bug reports and open questions.

pub mod clause;
pub mod contract;
pub mod diagnostic;
pub mod event;
pub mod family;
pub mod fence;
pub mod identity;
pub mod kafkajs;
pub mod library;
pub mod reply;
pub mod scenario;
pub mod words;
