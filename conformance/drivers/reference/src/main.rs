//! The reference partition as a child process that speaks `fencepost-driver/1` on standard input and output.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fencepost_driver::serve_stdio;
use fencepost_reference::{Backing, Fault, Reference};

/// The reference partition, driven over standard input and output.
#[derive(Debug, Parser)]
#[command(name = "fencepost-reference", version)]
struct Arguments {
    /// Where its files are: `memory`, or `disk:DIRECTORY`. The directory must be empty or not there; it is emptied by every reset.
    #[arg(long, default_value = "memory", value_parser = place)]
    backing: Place,
    /// What is wrong on purpose; see `--list-faults`.
    #[arg(long, value_name = "WORD", value_parser = |word: &str| word.parse::<Fault>())]
    fault: Option<Fault>,
    /// Lists the faults, one a line: word, clause that should catch it, source, and what is wrong.
    #[arg(long)]
    list_faults: bool,
}

#[derive(Clone, Debug)]
enum Place {
    Memory,
    Directory(PathBuf),
}

fn place(text: &str) -> Result<Place, String> {
    match text.split_once(':') {
        None if text == "memory" => Ok(Place::Memory),
        Some(("disk", directory)) if !directory.is_empty() => Ok(Place::Directory(directory.into())),
        _ => Err("use `memory` or `disk:DIRECTORY`".to_owned()),
    }
}

fn backing(place: &Place) -> Result<Backing, String> {
    let Place::Directory(directory) = place else {
        return Ok(Backing::memory());
    };
    let shown = directory.display();
    // Everything in it will be removed, so nothing of anybody else's may be there.
    let is_used = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
    if is_used {
        return Err(format!("the directory {shown} is not empty"));
    }
    Backing::directory(directory).map_err(|error| format!("the directory {shown} cannot be used: {error}"))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list_faults {
        for fault in Fault::all() {
            println!("{fault:<50} {:<40} {:<60} {}", fault.expected(), fault.source(), fault.sentence());
        }
        return ExitCode::SUCCESS;
    }
    let served = backing(&arguments.backing).and_then(|backing| {
        let mut subject = Reference::new(backing, arguments.fault);
        serve_stdio(&mut subject).map_err(|error| error.to_string())
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fencepost-reference: {error}");
            ExitCode::from(2)
        }
    }
}
