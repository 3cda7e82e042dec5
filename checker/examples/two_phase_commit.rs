//! Measures the plain engine against Stateright's own engines on two-phase commit.
//!
//! `cargo run --release --example two_phase_commit -- [plain|bfs|dfs] [managers] [threads]`

#[path = "../tests/support/two_phase.rs"]
mod two_phase;

use std::time::Instant;

use fencepost_checker::engine::{Engine, Limits, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::memory::resident_bytes;
use fencepost_checker::plain::Plain;
use fencepost_checker::progress::TerminalProgress;
use stateright::{Checker, Model};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let engine = arguments.first().map_or("plain", String::as_str);
    let number = |index: usize, default| arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (managers, threads) = (number(1, 7), number(2, 1));
    let started = Instant::now();
    let states = explore(engine, managers, threads);
    let seconds = started.elapsed().as_secs_f64();
    let megabytes = resident_bytes().unwrap_or(0) >> 20;
    let rate = states as f64 / seconds;
    println!(
        "{engine} managers={managers} threads={threads}: {states} states, {seconds:.2} s, {rate:.0}/s, {megabytes} MB at the end"
    );
}

/// Explores with the given engine and tells how many distinct states there are.
fn explore(engine: &str, managers: usize, threads: usize) -> u64 {
    let model = two_phase::TwoPhaseCommit { managers };
    let checker = model.clone().checker().threads(threads);
    match engine {
        "bfs" => checker.spawn_bfs().join().unique_state_count() as u64,
        "dfs" => checker.spawn_dfs().join().unique_state_count() as u64,
        _ => {
            let task = Task {
                model: &model,
                guide: &Unguided,
                clauses: &[two_phase::consistency()],
                liveness: &[],
                limits: &Limits::default(),
                threads,
                progress: &TerminalProgress::labelled("two-phase commit"),
            };
            let exploration = Plain.explore(&task);
            assert!(exploration.findings[0].broken.is_none(), "two-phase commit is consistent");
            exploration.states
        }
    }
}
