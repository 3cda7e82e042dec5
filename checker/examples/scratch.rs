#![allow(missing_docs)]
use std::time::Instant;
use fencepost_checker::compiled::Compiled;
use fencepost_checker::plain::Plain;
use fencepost_checker::engine::*;
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use fencepost_checker::memory::resident_bytes;
#[allow(dead_code)]
#[path = "../tests/support/paxos.rs"]
mod paxos_test;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let clients: usize = args[2].parse().unwrap();
    let threads: usize = args[3].parse().unwrap();
    let model = paxos_test::named(3, clients);
    let limits = Limits::default();
    let task = Task { model: &model, guide: &Unguided, clauses: &[], liveness: &[], limits: &limits, threads, progress: &Quiet };
    let t = Instant::now();
    let e = if args[1] == "plain" { Engine::explore(&Plain, &task) } else { Engine::explore(&Compiled { is_unbounded: true }, &task) };
    println!("{} states {} transitions {} depth {} {:.3}s {} MB", args[1], e.states, e.transitions, e.depth, t.elapsed().as_secs_f64(), resident_bytes().unwrap_or(0) >> 20);
    let _ = Named::<paxos_test::Paxos>::inner;
}
