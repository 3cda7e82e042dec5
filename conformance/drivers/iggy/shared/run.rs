//! The program: reads the command line, serves, and leaves nothing behind at the server.

use std::io;
use std::process::{self, ExitCode};

use clap::Parser;
use fencepost_driver::serve_stdio;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use super::options::{CommandLine, Options};
use super::stage::Litter;
use super::subject::IggySubject;
use super::wire::Wire;

/// Exit code for a wrong command line or environment.
const BAD_INPUT: u8 = 2;

/// Runs the driver of one published client.
pub fn run<W: Wire + 'static>() -> ExitCode {
    let options = match Options::of(&CommandLine::parse()) {
        Ok(options) => options,
        Err(text) => return ended(&text, BAD_INPUT),
    };
    match serve::<W>(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => ended(&text, 1),
    }
}

fn ended(text: &str, code: u8) -> ExitCode {
    eprintln!("{}: {text}", env!("CARGO_PKG_NAME"));
    ExitCode::from(code)
}

fn serve<W: Wire + 'static>(options: Options) -> Result<(), String> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let litter = Litter::default();
    clean_up_at_signals::<W>(&runtime, options.clone(), litter.clone()).map_err(|error| format!("signals: {error}"))?;
    let mut subject = IggySubject::<W>::new(runtime, options, litter);
    let served = serve_stdio(&mut subject);
    let cleaned = subject.clean_up();
    served.map_err(|error| format!("standard input or output: {error}"))?;
    cleaned.map_err(|failure| failure.text)
}

/// On the first termination signal the stream is deleted; then the process ends as the signal wants.
fn clean_up_at_signals<W: Wire + 'static>(runtime: &Runtime, options: Options, litter: Litter) -> io::Result<()> {
    let _inside = runtime.enter();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let handle = runtime.handle().clone();
    // A thread of its own, since the one that serves may wait for an answer, and requests of a `Wire` need not be `Send`.
    std::thread::spawn(move || {
        let number = handle.block_on(async {
            let number = tokio::select! {
                _ = terminate.recv() => SignalKind::terminate().as_raw_value(),
                _ = interrupt.recv() => SignalKind::interrupt().as_raw_value(),
            };
            litter.remove::<W>(&options).await;
            number
        });
        process::exit(128 + number);
    });
    Ok(())
}
