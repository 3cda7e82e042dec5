//! Benchmarks of the engines of Fencepost against each other, against Stateright, and against TLC and Spin.
//!
//! Start with [`core_model`]: the one model that all contestants explore; `peers/core.tla` and `peers/core.pml` are
//! its twins. [`subject`] names what is explored, [`engine`] by whom, [`contestant`] runs one pair and measures it,
//! [`contest`] runs many in turn, each in a process of its own, and [`report`] makes tables of the result. [`agree`]
//! only compares counts.

pub mod agree;
pub mod command;
pub mod contest;
pub mod contestant;
pub mod core_model;
pub mod engine;
pub mod failure;
pub mod groups;
pub mod iggy;
pub mod in_process;
pub mod machine;
pub mod measurement;
pub mod paxos;
pub mod peers;
pub mod report;
pub mod subject;
pub mod two_phase;
