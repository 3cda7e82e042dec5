//! Progress for people who watch a terminal.

use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use crate::engine::Progress;
use crate::memory::resident_bytes;

/// Shows states, rate, level, frontier and memory on standard error, if that is a terminal, and wipes the line at the end.
pub struct TerminalProgress {
    bar: ProgressBar,
    started: Instant,
}

impl TerminalProgress {
    /// Progress that starts now and begins its line with a label; silent if standard error is no terminal.
    pub fn labelled(label: &str) -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {prefix}  {elapsed} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_prefix(label.to_owned());
        Self { bar, started: Instant::now() }
    }
}

impl Progress for TerminalProgress {
    fn update(&self, states: u64, transitions: u64, depth: u32, frontier: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let rate = (states as f64 / self.started.elapsed().as_secs_f64().max(0.001)) as u64;
        let memory = resident_bytes().map_or_else(String::new, |bytes| format!(", {}", HumanBytes(bytes)));
        self.bar.set_message(format!(
            "{} states ({}/s), {} transitions, level {depth} of {} states{memory}",
            HumanCount(states),
            HumanCount(rate),
            HumanCount(transitions),
            HumanCount(frontier),
        ));
        self.bar.tick();
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
