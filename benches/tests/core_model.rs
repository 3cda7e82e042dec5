//! The core: exact numbers of states, and the rules that let other tools describe the same transition system.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fencepost_benches::core_model::{
    CoreModel, Message, NO_FOREIGN_BOOKMARK, OWNER, core_model, core_model_without_verdict, is_bookmark_own,
};
use fencepost_benches::subject::{Scale, Subject};
use fencepost_checker::clause::{Clause, Judgement};
use fencepost_checker::describe::Transition;
use fencepost_checker::engine::{Engine, Exploration, Limits, Quiet, Task};
use fencepost_checker::guide::Unguided;
use fencepost_checker::named::Named;
use fencepost_checker::plain::Plain;
use stateright::actor::Network;
use stateright::{Checker, Model};

type Step<'a> = Transition<'a, Named<CoreModel>>;

fn named(is_fenced: bool) -> Named<CoreModel> {
    Named::from_debug(core_model(Scale::Tiny.size(is_fenced)), ["Deliver"])
}

fn explore(
    model: &Named<CoreModel>,
    clauses: &[Clause<Named<CoreModel>>],
    threads: usize,
) -> Exploration<Named<CoreModel>, Unguided> {
    let limits = Limits::default();
    Plain.explore(&Task { model, guide: &Unguided, clauses, liveness: &[], limits: &limits, threads, progress: &Quiet })
}

fn no_foreign_bookmark() -> Clause<Named<CoreModel>> {
    Clause::on_actor(NO_FOREIGN_BOOKMARK, OWNER, |state| {
        if is_bookmark_own(state) { Judgement::Upheld } else { Judgement::Broken("foreign".to_owned()) }
    })
}

#[test]
fn given_the_tiny_core_with_fences_when_explored_should_have_5065_states_and_no_foreign_bookmark() {
    let exploration = explore(&named(true), &[no_foreign_bookmark()], 2);
    assert_eq!((exploration.states, exploration.transitions, exploration.depth), (5_065, 12_896, 20));
    assert!(exploration.findings[0].broken.is_none());
    let reference = core_model(Scale::Tiny.size(true)).checker().spawn_dfs().join();
    assert_eq!(reference.unique_state_count(), 5_065);
    reference.assert_properties();
}

#[test]
fn given_the_tiny_core_without_fences_when_explored_should_have_6925_states_and_a_story_of_five_steps() {
    let exploration = explore(&named(false), &[no_foreign_bookmark()], 1);
    assert_eq!((exploration.states, exploration.transitions, exploration.depth), (6_925, 17_160, 20));
    let broken = exploration.findings[0].broken.as_ref().expect("a foreign bookmark is reachable");
    assert_eq!(broken.trace.actions.len(), 5, "poll, purge, plan, empty, complete");
    let reference = core_model_without_verdict(Scale::Tiny.size(false)).checker().spawn_dfs().join();
    assert_eq!(reference.unique_state_count(), 6_925);
    let verdict = core_model(Scale::Tiny.size(false)).checker().spawn_dfs().join();
    assert!(verdict.discovery(NO_FOREIGN_BOOKMARK).is_some());
}

#[test]
fn given_any_state_when_its_network_is_looked_at_should_hold_each_envelope_once() {
    for is_fenced in [true, false] {
        let once = Clause::on_state("once", |transition: &Step<'_>| match &transition.after.network {
            Network::UnorderedNonDuplicating(envelopes) if envelopes.values().all(|count| *count == 1) => {
                Judgement::Upheld
            }
            network => Judgement::Broken(format!("{network:?}")),
        });
        let exploration = explore(&named(is_fenced), &[once], 1);
        assert!(exploration.findings[0].broken.is_none(), "so that the network is a set");
    }
}

#[test]
fn given_any_state_when_messages_are_delivered_should_have_no_effect_for_tokens_only() {
    let is_token =
        |message: &Message| matches!(message, Message::MayPoll { .. } | Message::MayCommit | Message::MayPurge);
    let refused = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&refused);
    let model = core_model(Scale::Tiny.size(true));
    let tokens = model.init_network.len();
    let rule = Clause::on_state("only tokens are refused", move |transition: &Step<'_>| {
        let state = transition.after;
        let mut present = 0;
        for envelope in state.network.iter_deliverable() {
            present += usize::from(is_token(envelope.msg));
            let (src, dst, msg) = (envelope.src, envelope.dst, *envelope.msg);
            let action = stateright::actor::ActorModelAction::Deliver { src, dst, msg };
            if model.next_state(state, action).is_none() {
                counted.fetch_add(1, Ordering::Relaxed);
                if !is_token(&msg) {
                    return Judgement::Broken(format!("{msg:?} has no effect"));
                }
            }
        }
        if present == tokens { Judgement::Upheld } else { Judgement::Broken("a token is missing".to_owned()) }
    });
    let exploration = explore(&named(true), &[rule], 1);
    assert!(exploration.findings[0].broken.is_none(), "{:?}", exploration.findings[0].broken);
    assert!(refused.load(Ordering::Relaxed) > 0, "some tokens have no effect");
}

#[test]
fn given_the_names_of_sizes_when_looked_up_should_tell_the_counts_of_the_tests() {
    assert_eq!(Subject::Core(Scale::Tiny, true).known_states(), Some(5_065));
    assert_eq!(Subject::Core(Scale::Tiny, false).known_states(), Some(6_925));
}
