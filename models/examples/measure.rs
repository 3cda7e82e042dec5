use fencepost_checker::engine::*;
use fencepost_checker::guide::Unguided;
use fencepost_checker::plain::Plain;
use fencepost_models::iggy::{clauses, system, views};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let set: views::BoundsSet = args.get(3).map_or(views::BoundsSet::Quick, |s| s.parse().unwrap());
    for contract in fencepost_spec::library::contracts().unwrap() {
        if args.get(1).is_some_and(|a| a != "all" && *a != contract.name) { continue; }
        for view in views::views(set, &contract.choices) {
            if args.get(2).is_some_and(|a| a != "all" && a != view.name) { continue; }
            let model = system::model(&contract.choices, &view.bounds);
            let safety = clauses::safety(&model.cfg);
            let live = if view.liveness { clauses::liveness(&model.cfg) } else { vec![] };
            let t = std::time::Instant::now();
            let limits = Limits { max_states: Some(1_000_000), ..Limits::default() };
            let r = Plain.explore(&Task { model: &model, guide: &Unguided, clauses: &safety, liveness: &live, limits: &limits, threads: 2, progress: &Quiet });
            println!("{} {} states {} edges {} depth {} {:.1}s {:?}", contract.name, view.name, r.states, r.transitions, r.depth, t.elapsed().as_secs_f32(), r.stopped);
            for f in &r.findings {
                match &f.broken { Some(b) => { println!("    BROKEN {} in {} ({}) ", f.clause, b.trace.actions.len(), b.reason); if args.get(4).is_some_and(|a| *a == f.clause) { println!("{}", fencepost_checker::story::Story::of(&model, f.clause.clone(), &fencepost_checker::story::tidy(&model, &b.trace).unwrap(), b.reason.clone()).unwrap().to_text()); } }, None if f.exercised > 0 => println!("    holds {} ({})", f.clause, f.exercised), None => {} }
            }
        }
    }
}
