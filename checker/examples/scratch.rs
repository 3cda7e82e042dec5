#![allow(missing_docs, dead_code)]
use std::time::Instant;
use fencepost_checker::compiled::Compiled;
use fencepost_checker::actor_system::ActorSystem;
use fencepost_checker::plain::Plain;
use fencepost_checker::engine::*;
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use stateright::{Checker, Model};
#[path = "../tests/support/paxos.rs"]
mod paxos_test;
#[path = "/tmp/me/benches_copy/src/core_model.rs"]
mod core_model;
#[path = "/tmp/me/benches_copy/src/two_phase/mod.rs"]
mod two_phase;
fn hwm() -> u64 {
    let s = std::fs::read_to_string("/proc/self/status").unwrap();
    s.lines().find(|l| l.starts_with("VmHWM")).unwrap().split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}
fn run<M: ActorSystem>(model: &M, name: &str, threads: usize) {
    let limits = Limits::default();
    let task = Task { model, guide: &Unguided, clauses: &[], liveness: &[], limits: &limits, threads, progress: &Quiet };
    let t = Instant::now();
    let e = if name == "plain" { Engine::explore(&Plain, &task) } else { Engine::explore(&Compiled { is_unbounded: true }, &task) };
    let s = t.elapsed().as_secs_f64();
    println!("{} {} states {} transitions depth {} {:.3}s {:.0} states/s {:.0} tr/s peak {} MB", name, e.states, e.transitions, e.depth, s, e.states as f64 / s, e.transitions as f64 / s, hwm());
}
fn sr<M: Model + Send + Sync + 'static>(model: M, name: &str, threads: usize) where M::State: Clone + std::hash::Hash + Send + Sync + std::fmt::Debug + PartialEq, M::Action: Send + Sync + std::fmt::Debug + Clone + PartialEq {
    let t = Instant::now();
    let c = model.checker().threads(threads);
    let n = if name == "bfs" { c.spawn_bfs().join().unique_state_count() } else { c.spawn_dfs().join().unique_state_count() };
    let s = t.elapsed().as_secs_f64();
    println!("{} {} states {:.3}s {:.0} states/s peak {} MB", name, n, s, n as f64 / s, hwm());
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let size = &args[2];
    let threads: usize = args[3].parse().unwrap();
    let e = args[1].as_str();
    let is_sr = e == "bfs" || e == "dfs";
    if let Some(n) = size.strip_prefix("2pc") {
        let m = two_phase::actors::two_phase_model(n.parse().unwrap());
        if is_sr { sr(m, e, threads) } else { run(&Named::from_debug(m, ["Deliver"]), e, threads) }
    } else if let Some(n) = size.strip_prefix("core") {
        let n: Vec<u8> = n.split(',').map(|x| x.parse().unwrap()).collect();
        let m = core_model::core_model(core_model::CoreSize { consumers: n[0], polls: n[1], commits: n[2], purges: n[3], messages: n[4], is_fenced: true });
        if is_sr { sr(m, e, threads) } else { run(&Named::from_debug(m, ["Deliver"]), e, threads) }
    } else {
        let m = paxos_test::named(3, size.parse().unwrap());
        if is_sr { sr(paxos_test::paxos(3, size.parse().unwrap()), e, threads) } else { run(&m, e, threads) }
    }
}
