//! The implementation that is tried: built in, shipped, or any command that speaks the protocol.

use std::io::IsTerminal;
use std::time::Duration;

use super::choose::Choice;
use super::shipped;
use fencepost_conformance::child::{ChildCommand, ChildOptions, ChildSubject};
use fencepost_driver::{Failure, ParkKind, Subject};
use fencepost_reference::{Backing, Fault, Reference};
use fencepost_spec::diagnostic::{Problem, nearest};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How to get a subject.
pub(super) enum Driver {
    /// The reference partition, in this process.
    Reference(Option<Fault>),
    /// A child process.
    Child(ChildCommand, ChildOptions),
}

const REFERENCE: &str = "builtin:reference";

impl Driver {
    /// The driver with a name, or a command line.
    pub(super) fn named(text: &str, step_milliseconds: u64) -> Result<Self, Problem> {
        if let Some(rest) = text.strip_prefix("builtin:") {
            return reference(text, rest);
        }
        let mut words = words(text)?;
        if let Some(shipped) = words.first().and_then(|name| shipped::named(name)) {
            words[0] = shipped.program()?;
        }
        let Some(command) = ChildCommand::of_words(&words) else {
            return Err(
                Problem::new("the driver has no name").with_help(format!("say a command line, or one of {}", names()))
            );
        };
        let options = ChildOptions { step_limit: Duration::from_millis(step_milliseconds), ..ChildOptions::default() };
        Ok(Self::Child(command, options))
    }

    /// The fault of the reference partition, if it is the driver.
    pub(super) fn reference_fault(&self) -> Option<Option<Fault>> {
        match self {
            Self::Reference(fault) => Some(*fault),
            Self::Child(..) => None,
        }
    }

    /// Whether there is only one implementation behind all subjects, so that they cannot be used at the same time.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Child(..))
    }

    /// Which traces fit the driver: it is started once and asked what it can hold apart.
    pub(super) fn usual_cover(&self) -> Result<Choice, Failure> {
        let holds_reads = |subject: Box<dyn Subject>| subject.capabilities().parks.contains(&ParkKind::Arrival);
        let is_open = self.start().map(holds_reads)?;
        Ok(if is_open { Choice::Abstract } else { Choice::Orders })
    }

    /// A subject.
    pub(super) fn start(&self) -> Result<Box<dyn Subject>, Failure> {
        match self {
            Self::Reference(fault) => Ok(Box::new(Reference::new(Backing::memory(), *fault))),
            Self::Child(command, options) => match ChildSubject::start(command, options) {
                Ok(subject) => Ok(Box::new(subject)),
                Err(problem) => Err(Failure::failed(problem.to_string())),
            },
        }
    }
}

/// The contracts that a driver is followed in, if none is named: all that are built in for one that can be configured.
pub(super) fn usual_contracts(text: &str) -> Vec<String> {
    let name = text.split_whitespace().next().unwrap_or_default();
    shipped::named(name).map(|driver| driver.contract).into_iter().collect()
}

/// The names of the drivers that need no command line.
pub(super) fn names() -> String {
    let shipped = shipped::all().into_iter().map(|driver| format!("{} ({})", driver.name, driver.about));
    std::iter::once(REFERENCE.to_owned()).chain(shipped).collect::<Vec<_>>().join(", ")
}

fn reference(text: &str, rest: &str) -> Result<Driver, Problem> {
    let (name, fault) = rest.split_once('+').map_or((rest, None), |(name, fault)| (name, Some(fault)));
    if name != "reference" {
        return Err(Problem::new(format!("`{text}` is not built in")).with_help(format!("{REFERENCE} is")));
    }
    let Some(word) = fault else { return Ok(Driver::Reference(None)) };
    match word.parse::<Fault>() {
        Ok(fault) => Ok(Driver::Reference(Some(fault))),
        Err(_) => {
            let known: Vec<String> = Fault::all().iter().map(ToString::to_string).collect();
            let help = match nearest(word, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known are {}", known.join(", ")),
            };
            Err(Problem::new(format!("the reference partition has no fault `{word}`")).with_help(help))
        }
    }
}

/// The words of a command line, split as a shell splits them; nothing else of a shell applies.
fn words(text: &str) -> Result<Vec<String>, Problem> {
    shlex::split(text).ok_or_else(|| {
        Problem::new(format!("the command line `{text}` has an open quotation mark"))
            .with_help("quote the words of a command line as in a shell")
    })
}

/// A bar of the ways that are done, on a terminal.
pub(super) fn progress(contract: &str, view: &str, ways: usize) -> ProgressBar {
    let target =
        if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(ways as u64), target);
    let style = ProgressStyle::with_template("{msg}: replaying {pos} of {len} ways {bar:30} {elapsed}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.set_message(format!("{contract} {view}"));
    bar
}
