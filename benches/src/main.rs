//! The command `benchmarks`: a thin door to the library.

use std::process::ExitCode;

use clap::Parser;
use fencepost_benches::command::CommandLine;

fn main() -> ExitCode {
    match CommandLine::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
