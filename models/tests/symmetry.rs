//! Consumers that can change places: the renaming keeps all laws, and a reduced exploration tells what a full one tells.

use std::collections::HashSet;

use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::compiled::Compiled;
use fencepost_checker::describe::{Described, Transition};
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task, Trace};
use fencepost_checker::guide::Unguided;
use fencepost_checker::story::replay;
use fencepost_checker::symmetry::{Symmetry, broken_law, renamed};
use fencepost_checker::verdict::Verdict;
use fencepost_models::family::{BoundsSet, ModelledFamily};
use fencepost_models::iggy::bounds::{Bounds, ConsumerBounds, Once, Pipeline};
use fencepost_models::iggy::messages::{Act, Command, Strategy as From};
use fencepost_models::iggy::symmetry::LikeConsumers;
use fencepost_models::iggy::system::{IggyModel, IggyState};
use fencepost_spec::family::{Family, Iggy};
use fencepost_spec::kafkajs::KafkaJs;
use fencepost_spec::library;
use proptest::prelude::*;
use stateright::Model;

type Action = <IggyModel as Model>::Action;

/// The model of a contract's view for scale in the size `quick`, with who can change places.
fn quick(contract: &str) -> (IggyModel, LikeConsumers) {
    let choices = library::contract(contract).expect("a built-in contract").choices;
    let view = Iggy::scale_views(BoundsSet::Quick, &choices).remove(0);
    let model = Iggy::model(&choices, &view.bounds);
    let symmetry = Iggy::symmetry(&model);
    (model, symmetry)
}

/// The states to which one step leads.
fn successors(model: &IggyModel, state: &IggyState) -> Vec<IggyState> {
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    actions.into_iter().filter_map(|action| model.next_state(state, action)).collect()
}

#[test]
fn given_the_built_in_views_when_asked_who_can_change_places_should_be_nobody() {
    for (contract, _) in Iggy::CONTRACTS {
        let choices = library::contract(contract).expect("a built-in contract").choices;
        for view in Iggy::views(BoundsSet::Quick, &choices) {
            let symmetry = Iggy::symmetry(&Iggy::model(&choices, &view.bounds));
            assert_eq!(symmetry.permutations().len(), 1, "{contract}@{}", view.name);
        }
        for view in Iggy::scale_views(BoundsSet::Quick, &choices) {
            let symmetry = Iggy::symmetry(&Iggy::model(&choices, &view.bounds));
            assert_eq!(symmetry.permutations().len(), 2, "{contract}@{}", view.name);
        }
    }
    assert_eq!(Iggy::SCALE_VIEWS.len(), 1);
    assert!(KafkaJs::SCALE_VIEWS.is_empty());
}

/// Two consumers that are alike but for their names, in a view with these scripts.
fn two(scripts: Vec<Vec<Command>>) -> Bounds {
    let consumer = |name: &str| ConsumerBounds {
        name: name.to_owned(),
        member: true,
        acts: Vec::new(),
        polls: Some(1),
        commits: Some(1),
        give_ups: 0,
        old_client: false,
    };
    Bounds { consumers: vec![consumer("A"), consumer("B")], members: vec![0, 1], scripts, ..Bounds::default() }
}

#[test]
fn given_consumers_that_something_tells_apart_when_asked_who_can_change_places_should_be_nobody() {
    let choices = library::contract("owner-installed").expect("a built-in contract").choices;
    let like = |bounds: Bounds| Iggy::symmetry(&Iggy::model(&choices, &bounds)).permutations().len();
    assert_eq!(like(two(vec![vec![Command::Empty]])), 2);
    for command in [Command::Join(1), Command::Leave(0), Command::Disconnect(1)] {
        assert_eq!(like(two(vec![vec![Command::Empty], vec![command]])), 1, "{command:?}");
    }
    assert_eq!(like(Bounds { power_losses: 1, ..two(Vec::new()) }), 1);
    let once = vec![Once::Producer { step: 1, count: 1 }];
    assert_eq!(like(Bounds { once, ..two(Vec::new()) }), 1);
    let mut bounds = two(Vec::new());
    bounds.consumers[1].give_ups = 1;
    assert_eq!(like(bounds), 1);
}

/// Tries the laws at every state of the view for scale.
fn demand_laws_everywhere(contract: &str, expected: usize) {
    let (model, symmetry) = quick(contract);
    let clauses = Iggy::safety(&model);
    let mut open = model.init_states();
    let mut known: HashSet<IggyState> = open.iter().cloned().collect();
    let swap = symmetry.permutations().remove(1);
    while let Some(state) = open.pop() {
        assert_eq!(broken_law(&model, &symmetry, &clauses, &state), None);
        for after in successors(&model, &state) {
            // The laws at a state say the same of its image.
            if !known.contains(&renamed(&symmetry, &swap, &after)) && known.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    assert_eq!(known.len(), expected);
}

#[test]
fn given_iggy_2026_08_when_consumers_change_places_in_any_state_should_keep_all_laws() {
    demand_laws_everywhere("iggy-2026-08", 45_360);
}

#[test]
fn given_owner_installed_when_consumers_change_places_in_any_state_should_keep_all_laws() {
    demand_laws_everywhere("owner-installed", 20_451);
}

/// What a consumer may do: whether its polls may wait, and whether it seeks, deletes, and stores an offset of its own choice.
fn acts_of([may_wait, seeks, deletes, stores]: [bool; 4]) -> Vec<Act> {
    let poll = |automatic| Act::Poll { strategy: From::Next, count: 1, automatic, may_wait };
    let mut acts = vec![poll(true), poll(false), Act::StoreLast, Act::GiveUpPoll, Act::GiveUpCommit];
    acts.extend(seeks.then_some(Act::Seek(0)));
    acts.extend(deletes.then_some(Act::Delete));
    acts.extend(stores.then_some(Act::Store(0)));
    acts
}

/// Budgets for two or three consumers of a kind, sometimes with another one, in which everything that names a consumer can happen.
fn like_bounds() -> impl Strategy<Value = Bounds> {
    let polls = prop::sample::select(vec![Some(1), Some(2), None]);
    let of_consumers = (2..=3_usize, any::<[bool; 2]>(), polls, 0..=2_u8, 0..=1_u8, any::<[bool; 4]>());
    let pipeline = prop::sample::select(vec![
        Pipeline::Immediate,
        Pipeline::Held { prepared: 1, queued: 0 },
        Pipeline::Held { prepared: 1, queued: 2 },
    ]);
    let of_world = (1..=2_u8, 0..=2_u8, pipeline, any::<[bool; 4]>(), 0..=1_u8, 0..=1_u8, 1..=2_u8, 0..=3_usize);
    (of_consumers, of_world).prop_map(|(of_consumers, of_world)| {
        let (count, [is_member, has_other], polls, commits, give_ups, acts) = of_consumers;
        let (partitions, initial_messages, pipeline, flags, time_outs, restarts, reads, script) = of_world;
        let all = acts_of(acts);
        let consumer = |name: usize| ConsumerBounds {
            name: format!("consumer {name}"),
            member: is_member,
            acts: all.clone(),
            polls,
            commits: Some(commits),
            give_ups,
            old_client: false,
        };
        let mut consumers: Vec<ConsumerBounds> = (0..count).map(consumer).collect();
        let other = ConsumerBounds { member: true, commits: Some(1), polls: Some(1), ..consumer(count) };
        consumers.extend(has_other.then_some(other));
        // The other one first: he owns the partition until he leaves.
        let (other, is_there) = (count as u8, |index: &u8| consumers[usize::from(*index)].member);
        let members = (0..consumers.len() as u8).rev().filter(is_there).collect();
        let mut scripts = vec![vec![Command::Empty], vec![Command::Recreate], vec![Command::Empty, Command::Recreate]];
        scripts.truncate(script);
        scripts.extend(has_other.then(|| vec![Command::Leave(other), Command::Join(other)]));
        let [disk_reads, new_bytes, hold_plans, purge_in_steps] = flags;
        Bounds {
            consumers,
            members,
            partitions,
            initial_messages,
            sends: vec![1, 1],
            scripts,
            pipeline,
            disk_reads,
            hold_plans,
            new_bytes,
            reads,
            gateway_time_outs: time_outs,
            restarts,
            purge_in_steps,
            ..Bounds::default()
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn given_any_like_consumers_when_they_change_places_on_a_walk_should_keep_all_laws(
        bounds in like_bounds(),
        contract in prop::sample::select(Iggy::CONTRACTS.to_vec()),
        picks in prop::collection::vec(0..9_999_usize, 60),
    ) {
        let choices = library::contract(contract.0).expect("a built-in contract").choices;
        let model = Iggy::model(&choices, &bounds);
        let (symmetry, clauses) = (Iggy::symmetry(&model), Iggy::safety(&model));
        prop_assert!(symmetry.permutations().len() > 1);
        let mut state = model.init_states().remove(0);
        for pick in picks {
            let broken = broken_law(&model, &symmetry, &clauses, &state);
            prop_assert!(broken.is_none(), "{}: {}", contract.0, broken.unwrap_or_default());
            let mut next = successors(&model, &state);
            if next.is_empty() {
                break;
            }
            state = next.swap_remove(pick % next.len());
        }
    }
}

/// Demands that a trace is an execution of the model, and that its last step is judged like this.
fn demand_ending(model: &IggyModel, clause: &Clause<IggyModel>, trace: &Trace<Action>, expected: &Judgement) {
    let states = replay(model, trace).expect("every story can be replayed");
    let [.., before, after] = &states[..] else { panic!("a story has a step") };
    let action = &trace.actions[trace.actions.len() - 1];
    let facts = model.facts(before, action, after);
    let judgement = clause.judge(&Transition { before, action, after, facts: &facts });
    assert_eq!(judgement, *expected, "{}", clause.name);
}

/// Verdict, and lengths of the shortest breach and witness, of each clause.
fn essence(told: &Exploration<IggyModel, Unguided>) -> Vec<(String, Verdict, Option<usize>, Option<usize>)> {
    let findings = told.findings.iter().zip(Verdict::of_all(told, told.findings.len()));
    let length = |trace: &Trace<Action>| trace.actions.len();
    let essence = findings.map(|(finding, verdict)| {
        let breach = finding.broken.as_ref().map(|breach| length(&breach.trace));
        (finding.clause.clone(), verdict, breach, finding.witness.as_ref().map(length))
    });
    essence.collect()
}

#[test]
fn given_any_contract_when_reduced_should_tell_the_same_verdicts_with_stories_as_short_that_replay() {
    let (limits, mut broken) = (Limits::default(), 0);
    for (contract, _) in Iggy::CONTRACTS {
        let (model, symmetry) = quick(contract);
        let clauses = Iggy::safety(&model);
        let task = |threads| Task {
            model: &model,
            guide: &Unguided,
            clauses: &clauses,
            liveness: &[],
            limits: &limits,
            threads,
            progress: &Quiet,
        };
        let engine = Compiled { is_unbounded: true };
        let full = engine.explore(&task(2));
        for threads in [1, 2] {
            let reduced = engine.explore_reduced(&task(threads), &symmetry);
            let told = &reduced.exploration;
            assert_eq!(reduced.permutations, 2);
            assert!(told.states * 20 < full.states * 11, "{contract}: {} of {} states", told.states, full.states);
            assert_eq!((told.depth, essence(told)), (full.depth, essence(&full)), "{contract}");
            for (clause, finding) in clauses.iter().zip(&told.findings) {
                if let Some(breach) = &finding.broken {
                    broken += 1;
                    demand_ending(&model, clause, &breach.trace, &Judgement::Broken(breach.reason.clone()));
                }
                if let Some(witness) = &finding.witness {
                    demand_ending(&model, clause, witness, &Judgement::Upheld);
                }
            }
        }
    }
    assert!(broken > 20, "{broken} stories were replayed");
}
