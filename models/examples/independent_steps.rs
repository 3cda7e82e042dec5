//! How much a reduction by partial order could save at best: in how many states of the quick views of a contract there is an actor whose steps
//! could be taken first, those of all others put off, how many states would be left, and what would become of verdicts and stories.
//!
//! What is asked of the steps of such an actor is necessary, not sufficient: that no clause has anything to say about them, that they change no
//! history, and that each commutes with each step that another actor can take now, none of which sends the actor anything. So what is left
//! is an estimate, and no exploration that anybody may rely on. Usage: `independent_steps [CONTRACT]`.

use std::collections::{BTreeMap, HashSet, VecDeque};

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::{Described, Transition, delivery};
use fencepost_models::family::{BoundsSet, ModelledFamily};
use fencepost_models::iggy::system::{IggyModel, IggyState};
use fencepost_spec::family::Iggy;
use fencepost_spec::library;
use stateright::Model;

type Action = <IggyModel as Model>::Action;

/// A step that can be taken: who acts, the action, and the state afterwards.
struct Step {
    actor: usize,
    action: Action,
    after: IggyState,
}

fn steps(model: &IggyModel, state: &IggyState) -> Vec<Step> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let step = |action: Action| {
        let after = model.next_state(state, action.clone())?;
        Some(Step { actor: usize::from(delivery(&action).0), action, after })
    };
    actions.into_iter().filter_map(step).collect()
}

/// What each clause says of a step.
fn judgements(model: &IggyModel, clauses: &[Clause<IggyModel>], before: &IggyState, step: &Step) -> Vec<Judgement> {
    let Step { action, after, .. } = step;
    let facts = model.facts(before, action, after);
    let transition = Transition { before, action, after, facts: &facts };
    clauses.iter().map(|clause| clause.judge(&transition)).collect()
}

/// Whether no clause says anything of a step, and the history stays.
fn is_invisible(model: &IggyModel, clauses: &[Clause<IggyModel>], before: &IggyState, step: &Step) -> bool {
    let is_silent = |judgement: &Judgement| *judgement == Judgement::Silent;
    before.history == step.after.history && judgements(model, clauses, before, step).iter().all(is_silent)
}

/// Whether two steps lead to the same state in either order.
fn commute(model: &IggyModel, one: &Step, other: &Step) -> bool {
    let then = |first: &Step, second: &Step| {
        let mut possible = Vec::new();
        model.actions(&first.after, &mut possible);
        possible.contains(&second.action).then(|| model.next_state(&first.after, second.action.clone())).flatten()
    };
    let after = then(one, other);
    after.is_some() && after == then(other, one)
}

/// Whether a step of another actor sends something to an actor.
fn reaches(model: &IggyModel, step: &Step, actor: usize, known: &[&Step]) -> bool {
    let now = steps(model, &step.after);
    now.iter().filter(|next| next.actor == actor).any(|next| known.iter().all(|step| step.action != next.action))
}

/// An actor, but not the only one that can act, that could go first.
fn first_actor(model: &IggyModel, clauses: &[Clause<IggyModel>], state: &IggyState, steps: &[Step]) -> Option<usize> {
    let mut by_actor: BTreeMap<usize, Vec<&Step>> = BTreeMap::new();
    for step in steps {
        by_actor.entry(step.actor).or_default().push(step);
    }
    let could = |(actor, own): &(&usize, &Vec<&Step>)| {
        let others = || steps.iter().filter(|step| step.actor != **actor);
        own.iter().all(|step| is_invisible(model, clauses, state, step))
            && own.iter().all(|one| others().all(|other| commute(model, one, other)))
            && others().all(|other| !reaches(model, other, **actor, own))
    };
    if by_actor.len() > 1 { by_actor.iter().find(could).map(|(actor, _)| *actor) } else { None }
}

/// What an exploration counted.
#[derive(Default)]
struct Counts {
    states: usize,
    /// States in which some actor could go first.
    with_first: usize,
    transitions: usize,
    /// Transitions that nobody sees.
    invisible: usize,
    /// By clause: whether it was exercised, and the steps of the shortest story that breaks it.
    verdicts: Vec<(bool, Option<u32>)>,
}

/// Explores a model; with `puts_off`, where an actor could go first, its steps only.
fn explore(model: &IggyModel, clauses: &[Clause<IggyModel>], puts_off: bool) -> Counts {
    let mut open: VecDeque<(IggyState, u32)> = model.init_states().into_iter().map(|state| (state, 0)).collect();
    let mut known: HashSet<IggyState> = open.iter().map(|(state, _)| state.clone()).collect();
    let mut counts = Counts { verdicts: vec![(false, None); clauses.len()], ..Counts::default() };
    while let Some((state, depth)) = open.pop_front() {
        let mut steps = steps(model, &state);
        let first = first_actor(model, clauses, &state, &steps);
        if puts_off {
            steps.retain(|step| first.is_none_or(|first| step.actor == first));
        }
        counts.with_first += usize::from(first.is_some());
        counts.transitions += steps.len();
        for step in steps {
            counts.invisible += usize::from(is_invisible(model, clauses, &state, &step));
            for (verdict, judgement) in counts.verdicts.iter_mut().zip(judgements(model, clauses, &state, &step)) {
                verdict.0 |= judgement != Judgement::Silent;
                if matches!(judgement, Judgement::Broken(_)) {
                    verdict.1.get_or_insert(depth + 1);
                }
            }
            if known.insert(step.after.clone()) {
                open.push_back((step.after, depth + 1));
            }
        }
    }
    counts.states = known.len();
    counts
}

fn main() {
    let contract = std::env::args().nth(1).unwrap_or_else(|| "owner-installed".to_owned());
    let choices = library::contract(&contract).expect("a built-in contract").choices;
    println!("| View | States | Could go first | Transitions unseen | States left | Verdicts lost | Stories longer |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for view in Iggy::views(BoundsSet::Quick, &choices) {
        let model = Iggy::model(&choices, &view.bounds);
        let clauses = Iggy::safety(&model);
        let (all, left) = (explore(&model, &clauses, false), explore(&model, &clauses, true));
        let pairs = || all.verdicts.iter().zip(&left.verdicts);
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        println!(
            "| `{}` | {} | {:.0}% | {:.0}% | {} | {} | {} of {} |",
            view.name,
            all.states,
            share(all.with_first, all.states),
            share(all.invisible, all.transitions),
            left.states,
            pairs()
                .filter(|(of_all, of_left)| of_all.0 != of_left.0 || of_all.1.is_some() != of_left.1.is_some())
                .count(),
            pairs().filter(|(of_all, of_left)| of_left.1 > of_all.1).count(),
            pairs().filter(|(of_all, _)| of_all.1.is_some()).count(),
        );
    }
}
