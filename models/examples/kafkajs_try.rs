use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::story::{Story, tidy};
use fencepost_checker::verdict::Verdict;
use fencepost_checker::describe::Described;
use fencepost_models::family::{BoundsSet, ModelledFamily};
use fencepost_spec::kafkajs::{ClauseName, KafkaJs};
use fencepost_spec::library;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let want = args.first().cloned();
    let story = args.get(1).cloned();
    let set: BoundsSet = std::env::var("BOUNDS").unwrap_or("quick".into()).parse().unwrap();
    for (name, _) in library::KAFKAJS_CONTRACTS {
        if want.as_deref().is_some_and(|w| w != *name && w != "all") { continue; }
        let contract = library::contract_of::<KafkaJs>(name).unwrap();
        let mut choices = contract.choices.clone();
        if let Ok(f) = std::env::var("WITHOUT") { choices.fences.remove(&f.parse().unwrap()); }
        println!("{name}");
        for view in KafkaJs::views(set, &contract.choices) {
            let model = KafkaJs::model(&choices, &view.bounds);
            let safety = KafkaJs::safety(&model);
            let limits = Limits { max_states: Some(3_000_000), ..Limits::default() };
            let t = std::time::Instant::now();
            let ex = Compiled { is_unbounded: true }.explore(&Task { model: &model, guide: &Unguided, clauses: &safety, liveness: &[], limits: &limits, threads: 2, progress: &Quiet });
            let verdicts = Verdict::of_all(&ex, safety.len());
            let bad: Vec<String> = ex.findings.iter().zip(&verdicts).filter_map(|(f, v)| match v { Verdict::Violated => Some(format!("{} {}", f.clause, f.broken.as_ref().unwrap().trace.actions.len())), Verdict::Vacuous => Some(format!("({})", f.clause)), _ => None }).collect();
            println!("  {:<26} {:>9} states depth {:>2} {:.1}s {:?} {}", view.name, ex.states, ex.depth, t.elapsed().as_secs_f64(), ex.stopped, bad.join(", "));
            if std::env::var("JSON").is_ok() { for (f, v) in ex.findings.iter().zip(&verdicts) { println!("V {name} {} {} {v}", view.name, f.clause); } for (n, c) in model.vocabulary().iter().zip(&ex.term_counts) { println!("T {name} {} {c} {n}", view.name); } }
            if std::env::var("TERMS").is_ok() { for (n, c) in model.vocabulary().iter().zip(&ex.term_counts) { if *c == 0 { print!(" !{n}"); } } println!(); }
            if let Some(s) = &story { for f in &ex.findings { if f.clause == *s { if let Some(b) = &f.broken {
                let tr = tidy(&model, &b.trace).unwrap();
                println!("{}", Story::of(&model, "t", &tr, b.reason.clone()).unwrap().to_text());
            } } } }
        }
    }
    let _ = ClauseName::ALL;
}
