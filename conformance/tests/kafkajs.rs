//! The simulation, the ways and the recordings of the KafkaJS family, without any driver.

use std::collections::HashSet;

use fencepost_conformance::kafkajs::abstraction::abstracted;
use fencepost_conformance::kafkajs::blame::explanations;
use fencepost_conformance::kafkajs::change::words;
use fencepost_conformance::kafkajs::child::Target;
use fencepost_conformance::kafkajs::compare::difference;
use fencepost_conformance::kafkajs::graph::{Graph, consumer_message};
use fencepost_conformance::kafkajs::recording::{self, Recording};
use fencepost_conformance::kafkajs::step::{Handler, Observation, Request};
use fencepost_conformance::kafkajs::trace::Trace;
use fencepost_conformance::kafkajs::ways::{Cover, Ways, choose};
use fencepost_models::family::{BoundsSet, ModelledFamily, View};
use fencepost_models::kafkajs::bounds::Bounds;
use fencepost_models::kafkajs::system::consumer_of;
use fencepost_spec::kafkajs::{Choices, ClauseName, KafkaJs};
use fencepost_spec::library;
use stateright::Model;

fn choices(contract: &str) -> Choices {
    library::contract_of::<KafkaJs>(contract).unwrap_or_else(|problem| panic!("{problem}")).choices
}

fn view(name: &str) -> View<Bounds> {
    let views = KafkaJs::views(BoundsSet::Quick, &choices("kafkajs-guard"));
    views.into_iter().find(|view| view.name == name).unwrap_or_else(|| panic!("no view {name}"))
}

fn ways(contract: &str, view_name: &str) -> Ways {
    let model = KafkaJs::model(&choices(contract), &view(view_name).bounds);
    choose(&model, &Graph::explore(&model), Cover::Abstract)
}

fn traces(contract: &str, view_name: &str) -> Vec<Trace> {
    let ways = ways(contract, view_name);
    ways.ways.iter().map(|way| Trace::of(&ways.setup, way.actions.clone())).collect()
}

const TARGET: fn() -> Target = || Target { package: "2.2.4".to_owned(), level: 1 };

#[test]
fn given_the_ways_of_a_view_when_walked_should_come_by_every_abstract_reaction() {
    let model = KafkaJs::model(&choices("kafkajs-guard"), &view("lost-and-regained").bounds);
    let graph = Graph::explore(&model);
    let mut reachable = HashSet::new();
    for index in 0..graph.len() {
        for (action, _) in graph.successors(&model, index) {
            let state = graph.state(index);
            reachable.extend(consumer_message(&action).map(|message| abstracted(consumer_of(state), &message)));
        }
    }
    let ways = choose(&model, &graph, Cover::Abstract);
    let mut covered = HashSet::new();
    for way in &ways.ways {
        let mut state = model.init_states().remove(0);
        for action in &way.actions {
            covered.extend(consumer_message(action).map(|message| abstracted(consumer_of(&state), &message)));
            state = model.next_state(&state, action.clone()).expect("a step of the model");
        }
    }
    assert_eq!(ways.reactions, reachable.len());
    assert!(reachable.is_subset(&covered), "{} of {}", covered.len(), reachable.len());
}

#[test]
fn given_a_trace_when_recorded_and_read_should_be_allowed_by_its_own_contract() {
    for view_name in ["lost-and-regained", "reordered-answers", "pause-and-manual-commits", "overlapping-rounds"] {
        for (index, trace) in traces("kafkajs-guard", view_name).iter().enumerate() {
            let seen: Vec<Observation> = trace.steps.iter().map(|taken| taken.allowed.clone()).collect();
            let text = recording::write(&TARGET(), &trace.steps, &seen);
            assert!(recording::is_one(text.as_bytes()));
            let read = Recording::read("a recording", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"));
            assert_eq!(read.len(), trace.steps.len());
            let refused =
                recording::follow(&read, &choices("kafkajs-guard")).unwrap_or_else(|problem| panic!("{problem}"));
            assert!(refused.is_none(), "{view_name} {index}: line {}", refused.map_or(0, |refused| refused.line));
        }
    }
}

#[test]
fn given_what_the_guard_allows_when_followed_under_the_partition_version_should_name_clause_and_change() {
    let mut named = HashSet::new();
    for trace in traces("kafkajs-guard", "lost-and-regained") {
        let seen: Vec<Observation> = trace.steps.iter().map(|taken| taken.allowed.clone()).collect();
        let text = recording::write(&TARGET(), &trace.steps, &seen);
        let read = Recording::read("a recording", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"));
        let refused = recording::follow(&read, &choices("kafkajs-partition-version"));
        if let Some(refused) = refused.unwrap_or_else(|problem| panic!("{problem}")) {
            named.extend(refused.clause());
            named.iter().for_each(|clause: &ClauseName| assert_ne!(*clause, ClauseName::NoNeedlessRefusal));
        }
    }
    assert!(named.contains(&ClauseName::CommitUnderReadingAssignment), "{named:?}");
    assert!(named.contains(&ClauseName::SeekIsHonoured), "{named:?}");
}

#[test]
fn given_each_field_when_something_else_is_seen_should_differ_in_that_field() {
    let trace = traces("kafkajs-guard", "lost-and-regained").remove(0);
    let allowed = trace.steps.last().expect("a step").allowed.clone();
    let change = |change: &dyn Fn(&mut Observation)| {
        let mut seen = allowed.clone();
        change(&mut seen);
        difference(&allowed, &seen).map(|difference| difference.kind)
    };
    let one = || [("0".to_owned(), Some("9".to_owned()))].into();
    assert_eq!(change(&|_| {}), None);
    assert_eq!(change(&|seen| seen.idle.push(9)), Some("idle-fetchers-differ"));
    assert_eq!(change(&|seen| seen.requests.push(Request::Join { id: 99 })), Some("requests-differ"));
    let handler = Handler { partition: 0, first: "7".to_owned(), last: "8".to_owned() };
    assert_eq!(change(&|seen| seen.handlers.push(handler.clone())), Some("handlers-differ"));
    let other = || [("0".to_owned(), "9".to_owned())].into();
    assert_eq!(change(&|seen| seen.next_offsets = Some(other())), Some("next-offsets-differ"));
    assert_eq!(change(&|seen| seen.committed = Some(one())), Some("committed-offsets-differ"));
    assert_eq!(change(&|seen| seen.resolved = Some(one())), Some("resolved-offsets-differ"));
    assert_eq!(change(&|seen| seen.ended = Some("TypeError: x".to_owned())), Some("ends-unexpectedly"));
    assert_eq!(change(&|seen| seen.committed = None), None, "what a driver does not see is not compared");
}

#[test]
fn given_an_observation_that_no_contract_allows_when_explained_should_find_nothing() {
    let trace = traces("kafkajs-partition-version", "kept-partition").remove(0);
    let mut seen: Vec<Observation> = trace.steps[..3].iter().map(|taken| taken.allowed.clone()).collect();
    seen[2].idle = vec![7];
    assert!(explanations(&trace, &seen).is_empty());
}

#[test]
fn given_the_answer_to_a_lost_partition_when_it_is_processed_should_blame_the_version_at_the_fetch_answer() {
    let found = traces("kafkajs-guard", "lost-and-regained").into_iter().find_map(|trace| {
        let seen: Vec<Observation> = trace.steps.iter().map(|taken| taken.allowed.clone()).collect();
        let strict = Trace::of(
            &std::sync::Arc::new(fencepost_models::kafkajs::system::Setup {
                choices: choices("kafkajs-partition-version"),
                bounds: trace.setup.bounds.clone(),
            }),
            Vec::new(),
        );
        let strict = Trace { steps: trace.steps.clone(), ..strict };
        let step = (0..seen.len()).find(|step| {
            let handlers = |index: usize| seen[index].handlers.len();
            *step > 0 && handlers(*step) > handlers(step - 1) && explanations(&strict, &seen[..=*step]).len() == 1
        })?;
        explanations(&strict, &seen[..=step]).pop()
    });
    let found: Vec<String> = found.unwrap_or_default().into_iter().map(words).collect();
    assert_eq!(found, ["without version-at-fetch-answer"]);
}

#[test]
fn given_recordings_that_are_broken_when_read_should_name_the_place() {
    let header = "{\"format\":\"fencepost-recording/1\",\"family\":\"kafkajs\",\"package\":\"2.2.4\",\"level\":1}\n";
    let seen = "{\"requests\":[],\"handlers\":[],\"idle\":[0,1],\"ended\":null}";
    let begin = format!("{{\"step\":{{\"do\":\"begin\"}},\"seen\":{seen}}}\n");
    let cases = [
        (header.to_owned(), "no step `begin`"),
        (format!("{header}{begin}{{\"step\":"), "cut"),
        (format!("{header}{begin}{{\"stp\":1}}\n"), "unknown field `stp`"),
        (header.replace("/1", "/9"), "unknown format"),
    ];
    for (text, expected) in cases {
        match Recording::read("a recording", text.as_bytes()) {
            Ok(_) => panic!("read: {text}"),
            Err(problem) => assert!(problem.to_string().contains(expected), "{problem}"),
        }
    }
    let text = format!("{header}{begin}{{\"step\":{{\"do\":\"rund\",\"node\":0}},\"seen\":{seen}}}\n");
    let read = Recording::read("a recording", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"));
    match recording::follow(&read, &choices("kafkajs-guard")) {
        Ok(_) => panic!("followed"),
        Err(problem) => {
            assert!(problem.to_string().contains("line 3") && problem.to_string().contains("round"), "{problem}")
        }
    }
}
