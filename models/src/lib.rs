//! Stateright actor models that obey a contract of [`fencepost_spec`].

pub mod family;
pub mod iggy;
pub mod kafkajs;
pub mod reaction;
