//! Conformance: could an implementation that obeys a contract have answered like this?
//!
//! [`recording`] reads transcripts of implementations (strictly, with limits), [`manifest`] knows the ones that are shipped,
//! and [`follow`] walks through a transcript with the set of all model states that agree with everything seen so far.

pub mod child;
pub mod follow;
pub mod kafkajs;
pub mod manifest;
pub mod recording;
pub mod replay;
