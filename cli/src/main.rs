//! The command `fencepost`: a thin door to the library of the same name.

use std::process::ExitCode;

use clap::Parser;
use fencepost::command::CommandLine;

fn main() -> ExitCode {
    let status = CommandLine::parse().run();
    ExitCode::from(status.code())
}
