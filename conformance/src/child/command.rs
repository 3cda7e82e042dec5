//! What is started, and how long it is waited for.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A program and its arguments. No shell reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildCommand {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl ChildCommand {
    /// A program with arguments.
    pub fn new<Argument: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = Argument>,
    ) -> Self {
        Self { program: program.into(), arguments: arguments.into_iter().map(Into::into).collect() }
    }

    /// The command of a list of words, the first of which is the program; `None` if there is no word.
    pub fn of_words(words: &[String]) -> Option<Self> {
        let (program, arguments) = words.split_first()?;
        Some(Self { program: program.clone(), arguments: arguments.to_vec() })
    }
}

impl fmt::Display for ChildCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(formatter, " {argument}"))
    }
}

/// How long a child is waited for, and what ends the waiting.
#[derive(Clone, Debug)]
pub struct ChildOptions {
    /// For the answer to `hello`.
    pub hello_limit: Duration,
    /// For every other answer.
    pub step_limit: Duration,
    /// For its end after `bye`, or after its input has ended.
    pub farewell_limit: Duration,
    /// Set by Ctrl-C: the waiting ends at once, and the child with it.
    pub interrupt: Arc<AtomicBool>,
}

impl Default for ChildOptions {
    fn default() -> Self {
        Self {
            hello_limit: Duration::from_secs(10),
            step_limit: Duration::from_secs(5),
            farewell_limit: Duration::from_secs(5),
            interrupt: Arc::new(AtomicBool::new(false)),
        }
    }
}

impl ChildOptions {
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
