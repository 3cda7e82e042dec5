//! A contract explored, view after view.

use std::convert::Infallible;
use std::time::Instant;

use fencepost_checker::compiled::distributed::{Cluster, Distributed};
use fencepost_checker::describe::Described;
use fencepost_checker::engine::{Breach, Exploration, Finding, Progress, Stop, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::story::{Story, tidy};
use fencepost_checker::verdict::Verdict;
use fencepost_models::family::{BoundsSet, ModelledFamily, View};
use fencepost_spec::contract::Contract;
use fencepost_spec::family::Iggy;
use fencepost_spec::words::Word;
use stateright::Model;

use crate::exploring::{Budget, EngineName};
use crate::reduced::{self, Reduction};

/// A step of the models of a family.
pub type Action<F = Iggy> = <<F as ModelledFamily>::Model as Model>::Action;

/// Makes the progress of one exploration, given the names of contract and view.
pub type ProgressMaker<'a> = dyn Fn(&str, &str) -> Box<dyn Progress> + 'a;

/// The exploration of a view that is to be done.
pub type TaskOf<'a, F> = Task<'a, <F as ModelledFamily>::Model, Unguided>;

/// Explores a view of a contract.
pub type Explorer<'a, F, E> = dyn Fn(
        &Contract<F>,
        &View<<F as ModelledFamily>::Bounds>,
        &TaskOf<'_, F>,
    ) -> Result<Exploration<<F as ModelledFamily>::Model, Unguided>, E>
    + 'a;

/// How contracts are explored.
pub struct RunOptions<'a> {
    /// How large the views are.
    pub bounds: BoundsSet,
    /// Names of the views to explore, if not all.
    pub views: Option<&'a [&'static str]>,
    /// Worker threads.
    pub threads: usize,
    /// The engine.
    pub engine: EngineName,
    /// The processes that explore together, if several do.
    pub cluster: Option<&'a Cluster>,
    /// Whether to explore with `--symmetry`, which takes the compiled engine.
    pub symmetry: bool,
    /// When to stop.
    pub budget: &'a Budget,
    /// Who is told about the progress.
    pub progress: &'a ProgressMaker<'a>,
}

/// What was found out about a contract.
pub struct ContractResult<F: ModelledFamily = Iggy> {
    /// The contract, as it was explored.
    pub contract: Contract<F>,
    /// How large the views were.
    pub bounds: BoundsSet,
    /// Name of the engine.
    pub engine: &'static str,
    /// How long it took.
    pub seconds: f64,
    /// Whether all views of the family were explored.
    pub explores_all_views: bool,
    /// The views that were explored, in the order of the family.
    pub views: Vec<ViewResult<F>>,
}

/// What was found out in one view.
pub struct ViewResult<F: ModelledFamily = Iggy> {
    /// The view.
    pub view: View<F::Bounds>,
    /// Whether the contract answers for it; if not, it is beyond its question and counts for no summary.
    pub answered_for: bool,
    /// Distinct states.
    pub states: u64,
    /// Executed transitions.
    pub transitions: u64,
    /// The last level that had states.
    pub depth: u32,
    /// What became of it under `--symmetry`, if that was given.
    pub reduction: Option<Reduction>,
    /// Why it ended early, if it did.
    pub stopped: Option<Stop>,
    /// How long it took.
    pub seconds: f64,
    /// The clauses that are judged in this view.
    pub clauses: Vec<ClauseResult<F>>,
    /// Executed transitions of each term of the vocabulary.
    pub terms: Vec<(String, u64)>,
    /// The model, with which traces are told.
    pub model: F::Model,
}

/// What was found out about one clause in one view.
pub struct ClauseResult<F: ModelledFamily = Iggy> {
    /// The clause.
    pub clause: F::Clause,
    /// The verdict.
    pub verdict: Verdict,
    /// How often it was exercised, the witness, and the shortest breach.
    pub finding: Finding<Action<F>>,
}

/// The verdict on a clause over the views that a contract answers for.
pub struct Summary<'a, F: ModelledFamily = Iggy> {
    /// The clause.
    pub clause: F::Clause,
    /// The verdict.
    pub verdict: Verdict,
    /// The shortest breach among those views, and where it is.
    pub breach: Option<(&'a ViewResult<F>, &'a Breach<Action<F>>)>,
}

impl RunOptions<'_> {
    /// Explores with the chosen engine, in all processes that explore together.
    fn explore<F: ModelledFamily>(&self, task: &TaskOf<'_, F>) -> Exploration<F::Model, Unguided> {
        match self.cluster {
            Some(cluster) => Distributed { cluster, is_unbounded: true }.explore(task),
            None => self.engine.explore(task),
        }
    }
}

/// Explores a contract.
pub fn run_contract<F: ModelledFamily>(contract: Contract<F>, options: &RunOptions<'_>) -> ContractResult<F> {
    let explore = |_: &Contract<F>, _: &View<F::Bounds>, task: &TaskOf<'_, F>| Ok(options.explore::<F>(task));
    let Ok(result) = run_contract_with::<F, Infallible>(contract, options, &explore);
    result
}

/// Explores a contract, each view in the way that is given.
///
/// # Errors
/// That of the first view that cannot be explored.
pub fn run_contract_with<F: ModelledFamily, E>(
    contract: Contract<F>,
    options: &RunOptions<'_>,
    explore: &Explorer<'_, F, E>,
) -> Result<ContractResult<F>, E> {
    let started = Instant::now();
    let is_wanted = |view: &View<F::Bounds>| options.views.is_none_or(|views| views.contains(&view.name));
    let all = F::views(options.bounds, &contract.choices);
    let explores_all_views = all.iter().all(is_wanted);
    let named = |view: &View<F::Bounds>| options.views.is_some() && is_wanted(view);
    let for_scale = F::scale_views(options.bounds, &contract.choices).into_iter().filter(named);
    let wanted = all.into_iter().filter(is_wanted).chain(for_scale);
    let results = wanted.map(|view| run_view_with(&contract, view, options, explore)).collect::<Result<_, E>>()?;
    let engine = options.engine.word();
    let seconds = started.elapsed().as_secs_f64();
    Ok(ContractResult { contract, bounds: options.bounds, engine, seconds, explores_all_views, views: results })
}

/// Explores a contract in one view.
pub fn run_view<F: ModelledFamily>(
    contract: &Contract<F>,
    view: View<F::Bounds>,
    options: &RunOptions<'_>,
) -> ViewResult<F> {
    let explore = |_: &Contract<F>, _: &View<F::Bounds>, task: &TaskOf<'_, F>| Ok(options.explore::<F>(task));
    let Ok(result) = run_view_with::<F, Infallible>(contract, view, options, &explore);
    result
}

fn run_view_with<F: ModelledFamily, E>(
    contract: &Contract<F>,
    view: View<F::Bounds>,
    options: &RunOptions<'_>,
    explore: &Explorer<'_, F, E>,
) -> Result<ViewResult<F>, E> {
    let started = Instant::now();
    let model = F::model(&contract.choices, &view.bounds);
    let safety = F::safety(&model);
    let liveness = if view.liveness { F::liveness(&model) } else { Vec::new() };
    let progress = (options.progress)(&contract.name, view.name);
    let task = Task {
        model: &model,
        guide: &Unguided,
        clauses: &safety,
        liveness: &liveness,
        limits: &options.budget.limits(),
        threads: options.threads,
        progress: &*progress,
    };
    let (exploration, reduction) = if options.symmetry {
        let (exploration, reduction) = reduced::explore::<F>(&task);
        (exploration, Some(reduction))
    } else {
        (explore(contract, &view, &task)?, None)
    };
    let terms = model.vocabulary().into_iter().zip(exploration.term_counts.iter().copied()).collect();
    Ok(ViewResult {
        answered_for: contract.answers_for.iter().any(|name| name == view.name),
        states: exploration.states,
        transitions: exploration.transitions,
        depth: exploration.depth,
        reduction,
        stopped: exploration.stopped,
        seconds: started.elapsed().as_secs_f64(),
        clauses: judged(exploration, safety.len()),
        terms,
        view,
        model,
    })
}

fn judged<F: ModelledFamily>(
    exploration: Exploration<F::Model, Unguided>,
    safety_clauses: usize,
) -> Vec<ClauseResult<F>> {
    let verdicts = Verdict::of_all(&exploration, safety_clauses);
    let result = |(finding, verdict): (Finding<Action<F>>, Verdict)| match finding.clause.parse() {
        Ok(clause) => ClauseResult { clause, verdict, finding },
        Err(error) => unreachable!("a model judges the clauses of the specification: {error}"),
    };
    exploration.findings.into_iter().zip(verdicts).map(result).collect()
}

impl<F: ModelledFamily> ContractResult<F> {
    /// States of all views.
    pub fn states(&self) -> u64 {
        self.views.iter().map(|view| view.states).sum()
    }

    /// The depth of the deepest view.
    pub fn depth(&self) -> u32 {
        self.views.iter().map(|view| view.depth).max().unwrap_or(0)
    }

    /// Why the first view that ended early did so.
    pub fn stopped(&self) -> Option<Stop> {
        self.views.iter().find_map(|view| view.stopped)
    }

    /// Whether every view that the contract answers for was explored (even if it ended early).
    pub fn covers_its_question(&self) -> bool {
        self.contract.answers_for.iter().all(|name| self.view(name).is_some())
    }

    /// Whether all views of the family were explored to their end.
    pub fn is_exhaustive(&self) -> bool {
        self.explores_all_views && self.stopped().is_none()
    }

    /// The view with a name, if it was explored.
    pub fn view(&self, name: &str) -> Option<&ViewResult<F>> {
        self.views.iter().find(|view| view.view.name == name)
    }

    /// The verdicts on all clauses over the views that the contract answers for.
    pub fn summaries(&self) -> Vec<Summary<'_, F>> {
        F::Clause::ALL.iter().map(|clause| self.summary(*clause)).collect()
    }

    /// The verdict on a clause over the views that the contract answers for.
    pub fn summary(&self, clause: F::Clause) -> Summary<'_, F> {
        let answered = self.views.iter().filter(|view| view.answered_for);
        let verdicts: Vec<Verdict> =
            answered.clone().filter_map(|view| view.clause(clause)).map(|it| it.verdict).collect();
        Summary { clause, verdict: Verdict::summary(&verdicts), breach: shortest_breach(answered, clause) }
    }
}

/// The shortest breach of a clause in some views; of equals the first.
pub fn shortest_breach<'a, F: ModelledFamily>(
    views: impl Iterator<Item = &'a ViewResult<F>>,
    clause: F::Clause,
) -> Option<(&'a ViewResult<F>, &'a Breach<Action<F>>)> {
    views
        .filter_map(|view| Some((view, view.clause(clause)?.finding.broken.as_ref()?)))
        .min_by_key(|(_, breach)| breach.trace.actions.len())
}

impl<F: ModelledFamily> ViewResult<F> {
    /// What was found out about a clause, if it is judged here.
    pub fn clause(&self, clause: F::Clause) -> Option<&ClauseResult<F>> {
        self.clauses.iter().find(|result| result.clause == clause)
    }

    /// Whether something of the vocabulary happened here.
    pub fn happened(&self, term: &str) -> bool {
        self.terms.iter().any(|(name, count)| name == term && *count > 0)
    }

    /// The verdict on a clause.
    pub fn verdict(&self, clause: F::Clause) -> Verdict {
        self.clause(clause).map_or(Verdict::NotChecked, |result| result.verdict)
    }

    /// Tells the breach of a clause, tidied; if it was not broken, its witness; if there is none, nothing.
    pub fn story(&self, clause: F::Clause, title: &str) -> Option<Story> {
        let finding = &self.clause(clause)?.finding;
        let (trace, ending) = match (&finding.broken, &finding.witness) {
            (Some(breach), _) => (&breach.trace, format!("{clause} is violated: {}", breach.reason)),
            (None, Some(witness)) => (witness, format!("{clause} is exercised by the last step, and upheld")),
            (None, None) => return None,
        };
        let told = tidy(&self.model, trace).and_then(|trace| Story::of(&self.model, title, &trace, ending));
        match told {
            Ok(story) => Some(story),
            Err(error) => unreachable!("a trace of a model can be told by it: {error}"),
        }
    }
}

impl<F: ModelledFamily> ClauseResult<F> {
    /// Steps of the shortest way to a breach.
    pub fn story_steps(&self) -> Option<usize> {
        self.finding.broken.as_ref().map(|breach| breach.trace.actions.len())
    }
}
