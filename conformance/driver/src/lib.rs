//! What the author of an implementation needs to have it replayed, and nothing else.
//!
//! - [`Subject`]: one implementation of the contract, moved one step at a time. Implement it.
//! - [`serve_stdio`]: makes any subject a child process that speaks `fencepost-driver/1`, JSON lines on standard input and output.
//! - The other modules are the words of both: the [`World`] at the start of a trace, the [`Call`]s of clients and operators, the places
//!   ([`Park`]) where work waits until the runner lets it go on, the [`Reply`] that a client gets, and what can be looked at
//!   ([`Observation`]).
//!
//! A driver decides nothing: *which* work goes on next is the runner's choice, always. A driver states nothing that it does not see.
//! What it cannot hold apart or cannot look at it says in its [`Capabilities`]; the runner then takes every order of those steps as
//! possible, leaves those fields out of the comparison, and counts both in its report.
//!
//! `docs/driver-protocol.md` has the same in words and examples for other languages, `docs/adapters.md` a complete worked example.

mod call;
mod capabilities;
pub mod message;
mod observation;
mod park;
#[cfg(test)]
mod schema;
mod serve;
mod step;
mod subject;
mod world;

pub use call::{Call, Certainty, Reply, Start};
pub use capabilities::{Capabilities, CrashKind};
pub use observation::{Field, Fields, Observation, Status};
pub use park::{Park, ParkKind, UnknownPark};
pub use serve::{serve, serve_stdio};
pub use step::{Answer, Crash, Progress, Step};
pub use subject::{ErrorCode, Failure, Seen, Subject};
pub use world::{Client, Settings, World};

/// Name and version of the protocol, as in `hello` and `ready`.
pub const PROTOCOL: &str = "fencepost-driver/1";

/// Most bytes of one line of the protocol, its end included.
pub const MOST_LINE_BYTES: usize = 1 << 20;
