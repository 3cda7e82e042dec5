//! The views of the Iggy models: what the product itself explores, with all clauses.

use fencepost_checker::compiled::Compiled;
use fencepost_checker::engine::Limits;
use fencepost_checker::plain::Plain;
use fencepost_models::iggy::clauses;
use fencepost_models::iggy::system::{self, IggyModel};
use fencepost_models::iggy::views::{BoundsSet, views};
use fencepost_spec::library;
use stateright::{Checker, Expectation, Model};

use crate::contestant::Contestant;
use crate::engine::EngineName;
use crate::failure::Failure;
use crate::in_process::{measure, measure_stateright};
use crate::measurement::Measurement;

/// The contract whose views are explored: the oldest one, in which most is possible.
pub const CONTRACT: &str = "iggy-2026-08";

/// Explores a view of the contract, as large as for continuous integration.
pub fn explore(view: &str, contestant: &Contestant) -> Result<Measurement, Failure> {
    let model = model(view)?;
    let clauses = clauses::safety(&model.cfg);
    let limits = Limits::default();
    let checker = |model: IggyModel| {
        // Stateright stops at once if there is nothing to find out. It judges no clauses, so it has less to do.
        let model = model.property(Expectation::Always, "nothing is asked", |_, _| true);
        model.checker().threads(contestant.threads)
    };
    let measured = match contestant.engine {
        EngineName::Plain => measure(&Plain, &model, &clauses, &limits, contestant),
        EngineName::Compiled => measure(&Compiled { is_unbounded: true }, &model, &clauses, &limits, contestant),
        EngineName::StaterightBfs => measure_stateright(|| checker(model).spawn_bfs().join(), contestant),
        EngineName::StaterightDfs => measure_stateright(|| checker(model).spawn_dfs().join(), contestant),
        engine => Err(Failure::wrong(format!("{} cannot explore {}", engine.name(), contestant.subject))),
    };
    // Some clauses are broken here, as they are meant to be; how, is another question.
    measured.map(|measurement| Measurement { story_steps: None, ..measurement })
}

fn model(view: &str) -> Result<IggyModel, Failure> {
    let contract = library::contract(CONTRACT).map_err(|problem| Failure::wrong(problem.to_string()))?;
    let known = views(BoundsSet::Ci, &contract.choices).into_iter().find(|known| known.name == view);
    let view = known.ok_or_else(|| Failure::wrong(format!("there is no view {view}")))?;
    Ok(system::model(&contract.choices, &view.bounds))
}
