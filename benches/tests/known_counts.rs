//! The other models at small sizes: all engines in this process find the documented numbers of states.

use fencepost_benches::contestant::Contestant;
use fencepost_benches::engine::{EngineName, Goal};
use fencepost_benches::failure::Failure;
use fencepost_benches::subject::{Scale, Subject};

fn demand(subject: Subject, states: u64, transitions: u64) {
    for engine in [EngineName::Plain, EngineName::StaterightBfs, EngineName::StaterightDfs] {
        let contestant = Contestant::new(subject, engine);
        let measurement = contestant.run().expect("the exploration ends");
        assert_eq!((measurement.states, measurement.transitions), (states, transitions), "{}", contestant.title());
        assert_eq!(measurement.story_steps, None, "{}", contestant.title());
    }
    assert_eq!(subject.known_states(), Some(states));
}

#[test]
fn given_paxos_with_two_clients_when_explored_should_have_the_16668_states_that_stateright_documents() {
    demand(Subject::Paxos(2), 16_668, 32_970);
}

#[test]
fn given_two_phase_commit_with_five_managers_when_explored_should_have_the_8832_states_that_are_known() {
    demand(Subject::TwoPhase(5), 8_832, 58_145);
}

#[test]
fn given_two_phase_commit_of_actors_when_explored_should_have_10255_states_for_four_managers() {
    demand(Subject::TwoPhaseActors(4), 10_255, 37_023);
}

#[test]
fn given_the_core_without_fences_when_the_first_breach_is_looked_for_should_stop_there() {
    for engine in [EngineName::Plain, EngineName::StaterightBfs] {
        let contestant = Contestant::new(Subject::Core(Scale::Small, false), engine).with_goal(Goal::FirstBreach);
        let measurement = contestant.run().expect("there is one");
        assert_eq!(measurement.story_steps, Some(5), "{}", contestant.title());
        assert!(measurement.states < 10_000, "{} went on: {measurement:?}", contestant.title());
    }
}

#[test]
fn given_a_model_without_breach_when_the_first_one_is_looked_for_should_say_so() {
    let contestant = Contestant::new(Subject::TwoPhase(2), EngineName::Plain).with_goal(Goal::FirstBreach);
    assert!(matches!(contestant.run(), Err(Failure::Wrong(text)) if text.contains("no counterexample")));
}

#[test]
fn given_a_model_without_a_twin_when_another_tool_is_asked_should_say_so() {
    let contestant = Contestant::new(Subject::Paxos(2), EngineName::Spin);
    assert!(matches!(contestant.run(), Err(Failure::Wrong(text)) if text.contains("no twin")));
}
