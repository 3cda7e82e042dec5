use fencepost_conformance::kafkajs::{child::Target, session::Session};
use fencepost_models::family::*;
use fencepost_spec::kafkajs::KafkaJs;
use fencepost_spec::library;
use std::sync::atomic::AtomicBool;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let c = library::contract_of::<KafkaJs>(&a[1]).unwrap();
    let mut choices = c.choices.clone();
    for w in &a[4..] {
        if let Some((k, v)) = w.split_once('=') { choices = choices.changed_to(k, v).unwrap(); } else { choices.fences.remove(&w.parse().unwrap()); }
    }
    let target = Target { package: a[2].clone(), level: a[3].parse().unwrap() };
    let flag = AtomicBool::new(false);
    for view in KafkaJs::views(BoundsSet::Quick, &c.choices) {
        if target.level == 2 && view.name == "overlapping-rounds" { continue; }
        if std::env::var("VIEW").is_ok_and(|v| v != view.name) { continue; }
        let t = std::time::Instant::now();
        let s = Session { program: "conformance/drivers/kafkajs/driver.js", target: &target, options: &Default::default(), threads: 2, cover: std::env::var("COVER").unwrap_or("abstract".into()).parse().unwrap(), interrupt: &flag, progress: &|_, _| {} };
        match s.replay(&choices, &view) {
            Err(e) => println!("{}: {e}", view.name),
            Ok(r) => {
                println!("{} reactions {} traces {} steps {} {:.1}s of {:.1}s diverged {}", r.view, r.reactions, r.traces, r.steps, r.seconds, t.elapsed().as_secs_f64(), r.diverged);
                for d in r.divergences.iter().take(8) {
                    println!("   step {} {} allowed {} seen {}", d.step, d.difference.kind, d.difference.allowed, d.difference.seen);
                    for e in d.explanations.iter().take(3) { println!("      {}", e.iter().map(|c| fencepost_conformance::kafkajs::change::words(*c)).collect::<Vec<_>>().join(" + ")); }
                    if d.explanations.is_empty() { for t in &d.trace.steps[..=d.step] { println!("        {} => {}", t.json, serde_json::to_string(&t.allowed).unwrap()); } }
                }
            }
        }
    }
}
