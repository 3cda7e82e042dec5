//! The driver for servers that the client `iggy` 0.11.1-edge.9 speaks to.

#[path = "../../shared/mod.rs"]
mod shared;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    shared::run::run::<wire::Edge9>()
}
