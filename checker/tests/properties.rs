//! The properties that a model itself has, as clauses.

mod support;

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::{Engine, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use fencepost_checker::plain::Plain;
use fencepost_checker::verdict::Verdict;
use stateright::Expectation;
use support::paxos::{PaxosModel, paxos_model};

fn verdicts<E: Engine<Named<PaxosModel>>>(engine: &E, model: PaxosModel) -> (Vec<String>, Vec<&'static str>) {
    let model = Named::actors(model);
    let (clauses, others) = model.properties();
    let exploration = engine.explore(&Task {
        model: &model,
        guide: &Unguided,
        clauses: &clauses,
        liveness: &[],
        limits: &Limits::default(),
        threads: 2,
        progress: &Quiet,
    });
    (Verdict::of_all(&exploration, clauses.len()).iter().map(ToString::to_string).collect(), others)
}

#[test]
fn given_properties_of_a_model_when_explored_should_be_judged_alike_by_both_engines() {
    let model = || {
        paxos_model(1)
            .property(Expectation::Sometimes, "two messages wait", |_, state| state.network.len() == 2)
            .property(Expectation::Sometimes, "a thousand messages wait", |_, state| state.network.len() == 1_000)
            .property(Expectation::Always, "no message waits", |_, state| state.network.len() == 0)
            .property(Expectation::Eventually, "all is said", |_, state| state.network.len() == 0)
    };
    let expected = ["holds (exhaustive)", "holds (exhaustive)", "vacuous", "violated"].map(String::from).to_vec();
    assert_eq!(verdicts(&Plain, model()), (expected.clone(), vec!["all is said"]));
    assert_eq!(verdicts(&Compiled::default(), model()), (expected, vec!["all is said"]));
}
