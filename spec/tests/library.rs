//! The built-in data is complete and consistent.

use fencepost_spec::clause::{CLAUSES, ClauseName};
use fencepost_spec::fence::{Fence, table::DESCRIPTIONS};
use fencepost_spec::kafkajs::{self, KafkaJs};
use fencepost_spec::library;

#[test]
fn given_the_built_in_contracts_when_loaded_should_all_parse() {
    let contracts = library::contracts().unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(contracts.len(), 8);
}

#[test]
fn given_the_tables_when_compared_with_their_enumerations_should_be_in_the_same_order() {
    let clauses: Vec<ClauseName> = CLAUSES.iter().map(|clause| clause.name).collect();
    assert_eq!(clauses, ClauseName::ALL);
    let fences: Vec<Fence> = DESCRIPTIONS.iter().map(|row| row.fence).collect();
    assert_eq!(fences, Fence::ALL);
}

#[test]
fn given_the_built_in_scenarios_when_loaded_should_all_parse_under_their_own_name() {
    for (name, _) in library::SCENARIOS {
        let scenario = library::scenario(name).unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(scenario.name, *name);
    }
}

#[test]
fn given_the_contracts_of_kafkajs_when_loaded_should_all_parse() {
    let contracts = library::contracts_of::<KafkaJs>().unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(contracts.len(), 8);
}

#[test]
fn given_the_tables_of_kafkajs_when_compared_with_their_enumerations_should_be_in_the_same_order() {
    let clauses: Vec<kafkajs::ClauseName> = kafkajs::CLAUSES.iter().map(|clause| clause.name).collect();
    assert_eq!(clauses, kafkajs::ClauseName::ALL);
    let fences: Vec<kafkajs::Fence> = kafkajs::DESCRIPTIONS.iter().map(|row| row.fence).collect();
    assert_eq!(fences, kafkajs::Fence::ALL);
}
