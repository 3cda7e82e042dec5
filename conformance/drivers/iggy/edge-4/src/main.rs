//! The driver for servers that the client `iggy` 0.11.0-edge.4 speaks to.

#[path = "../../shared/mod.rs"]
mod shared;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    shared::run::run::<wire::Edge4>()
}
