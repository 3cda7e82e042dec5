//! The reference partition: a partition as a broker would write it, for `fencepost replay` to be tried on.
//!
//! It is written from the words of the contract (`fencepost-spec`, `docs/specification.md`) and shares no code with the models, so
//! that a replay of traces of the model against it proves something. Every contract of the Iggy family is a configuration of it.
//!
//! *Driven*, that is real code that runs: the owner task with its inbox, detached reads, the order of operations with its pipeline
//! and queue, the log, bookmark and generation files, recovery from what is found in them, purge and re-creation, the gateway with
//! its mirror, metadata and the group, and the client library.
//!
//! *Fixed*, that is not implemented: there is a single node and no replication. A prepared operation commits when the runner says that
//! it does; metadata is one place that decides; the network loses nothing by itself; time does not pass.
//!
//! | Module | What it knows |
//! | --- | --- |
//! | `subject` | the steps and looks of the runner |
//! | `executor`, `gates` | tasks, and the named places at which they wait |
//! | `network`, `client`, `gateway` | a request on its way, what clients remember, where membership is checked |
//! | `metadata`, `group` | what is decided, in which order, and where it is applied |
//! | `owner` | the partition's owner: polls, completion, commits, order, purge, recovery |
//! | `disk`, `files`, `log`, `offsets`, `generation` | the files |
//! | `power` | what a power loss would leave, and what recovery makes of it |
//! | `fault`, `rules`, `fences` | what is wrong on purpose, and how often that mattered |

mod client;
mod cluster;
mod disk;
mod executor;
mod fault;
mod fences;
mod files;
mod gates;
mod gateway;
mod generation;
mod group;
mod identities;
mod log;
mod metadata;
mod network;
mod observe;
mod offsets;
mod owner;
mod power;
mod request;
mod rules;
mod settings;
mod subject;
mod unsynced;

pub use disk::{Backing, Site};
pub use fault::{Description, Fault, Planted};
pub use power::{PowerImages, PowerLoss, RecoveredState, Watched};
pub use settings::settings_of;
pub use subject::Reference;
