//! Single-decree Paxos: an actor model whose number of states Stateright documents.

mod support;

use fencepost_checker::describe::Described;
use fencepost_checker::engine::Limits;
use fencepost_checker::named::Named;
use stateright::{Checker, Model};
use support::explore_with;
use support::paxos::{named, paxos_model};

#[test]
fn given_two_clients_and_three_servers_when_explored_should_find_the_documented_16668_states() {
    let exploration = explore_with(&named(2), &[], &[], &Limits::default(), 2);
    assert_eq!(exploration.states, 16_668);
    assert_eq!(exploration.term_counts[3], 0, "there are only deliveries");
    let reference = paxos_model(2).checker().spawn_dfs().join();
    assert_eq!(reference.unique_state_count(), 16_668, "Stateright documents this number for its own example");
    reference.assert_properties();
}

#[test]
fn given_a_model_without_names_when_discovered_should_name_the_kinds_of_its_actions() {
    let model = Named::discover(paxos_model(1), &Limits::default());
    assert_eq!(model.vocabulary(), ["Deliver", "other"]);
    assert!(!model.with_unfair(&["Deliver"]).is_fair(0));
}
