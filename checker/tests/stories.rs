//! Stories as text and as Mermaid diagrams, and replay.

mod support;

use fencepost_checker::describe::{Telling, Transition};
use fencepost_checker::engine::Trace;
use fencepost_checker::guide::Guide;
use fencepost_checker::named::Named;
use fencepost_checker::story::{ReplayError, Story, StoryLine, replay, replay_under, tidy, tidy_under};
use stateright::Model;
use support::{Graph, arc, judge_liveness};

fn line(number: usize, actor: &str, towards: &str, text: &str, changes: &[&str]) -> StoryLine {
    let changes = changes.iter().map(|change| (*change).to_owned()).collect();
    let telling = Telling { actor: actor.to_owned(), towards: towards.to_owned(), text: text.to_owned(), changes };
    StoryLine { number, telling }
}

fn story(loop_start: Option<usize>) -> Story {
    let lines = vec![
        line(1, "consumer", "broker", "polls", &["position 0 -> 3"]),
        line(2, "broker", "broker", "evicts the consumer; epoch #2", &["epoch 1 -> 2", "owner: nobody"]),
    ];
    Story { title: "Lost commit".to_owned(), lines, loop_start, ending: "record 3 is never acknowledged".to_owned() }
}

#[test]
fn given_a_story_when_told_as_text_should_align_columns_and_indent_changes() {
    let expected = "\
Lost commit
  1  consumer -> broker  polls
                           · position 0 -> 3
  2  broker              evicts the consumer; epoch #2
                           · epoch 1 -> 2
                           · owner: nobody
record 3 is never acknowledged
";
    assert_eq!(story(None).to_text(), expected);
}

#[test]
fn given_a_lasso_when_told_as_text_should_tell_from_where_it_repeats() {
    let text = story(Some(1)).to_text();
    let place = text.find("from here the following repeats for ever:\n  2  broker");
    assert!(place.is_some(), "{text}");
    assert!(!story(Some(2)).to_text().contains("for ever"), "an empty loop repeats nothing");
}

#[test]
fn given_inner_steps_only_when_told_as_text_should_have_no_column_for_arrows() {
    let lines = vec![line(1, "broker", "broker", "rests", &[])];
    let story = Story { title: "T".to_owned(), lines, loop_start: None, ending: String::new() };
    assert_eq!(story.to_text(), "T\n  1  broker  rests\n");
}

#[test]
fn given_a_lasso_when_drawn_should_declare_participants_escape_text_and_close_the_loop() {
    let expected = "\
sequenceDiagram
    title Lost commit
    participant p0 as consumer
    participant p1 as broker
    p0->>p1: 1. polls
    Note over p1: position 0 -#62; 3
    loop for ever
    p1->>p1: 2. evicts the consumer#59; epoch #35;2
    Note over p1: epoch 1 -#62; 2
    Note over p1: owner: nobody
    end
    Note over p0,p1: record 3 is never acknowledged
";
    assert_eq!(story(Some(1)).to_mermaid(), expected);
}

#[test]
fn given_words_that_mermaid_would_obey_when_drawn_should_disguise_them() {
    let lines = vec![line(1, "the; end", "a\nb", "end", &[""])];
    let story = Story { title: String::new(), lines, loop_start: Some(1), ending: "x".to_owned() };
    let drawn = story.to_mermaid();
    assert!(drawn.contains("participant p0 as the#59; #101;nd\n"), "{drawn}");
    assert!(drawn.contains("participant p1 as a b\n"), "{drawn}");
    assert!(drawn.contains("p0->>p1: 1. #101;nd\n"), "{drawn}");
    assert!(drawn.contains("Note over p1: …\n"), "{drawn}");
    assert!(!drawn.contains("loop"), "{drawn}");
}

#[test]
fn given_no_steps_when_drawn_should_still_be_a_diagram() {
    let story =
        Story { title: "T".to_owned(), lines: vec![], loop_start: Some(0), ending: "nothing happens".to_owned() };
    let expected = "sequenceDiagram\n    title T\n    participant p0 as nobody\n    Note over p0: nothing happens\n";
    assert_eq!(story.to_mermaid(), expected);
}

fn cycle() -> Graph {
    Graph { initial: vec![0], arcs: vec![arc(0, 1, 0), arc(1, 2, 0), arc(2, 1, 0)], fair: vec![true] }
}

#[test]
fn given_a_lasso_of_an_engine_when_told_should_number_the_steps_and_keep_the_loop() {
    let exploration = judge_liveness(&cycle(), |state| *state > 0);
    let breach = exploration.findings[0].broken.as_ref().expect("1 and 2 wait for ever");
    let story = Story::of(&cycle(), "Starvation", &breach.trace, breach.reason.clone()).expect("it replays");
    let expected = "\
Starvation
  1  node 0 -> node 1  takes a
from here the following repeats for ever:
  2  node 1 -> node 2  takes a
  3  node 2 -> node 1  takes a
it waits for ever
";
    assert_eq!(story.to_text(), expected);
}

#[test]
fn given_traces_of_another_model_when_replayed_should_be_refused_with_the_reason() {
    let trace = |initial, tos: &[u8], loop_start| Trace {
        initial,
        actions: tos.iter().map(|to| arc(0, *to, 0)).collect(),
        loop_start,
    };
    assert_eq!(replay(&cycle(), &trace(1, &[], None)), Err(ReplayError::NoInitialState(1)));
    assert_eq!(replay(&cycle(), &trace(0, &[1, 2], Some(1))), Err(ReplayError::LoopIsOpen));
    assert_eq!(replay(&cycle(), &trace(0, &[1, 2], Some(9))), Err(ReplayError::LoopIsOpen));
    assert_eq!(replay(&cycle(), &trace(0, &[1, 2, 1], Some(1))), Ok(vec![0, 1, 2, 1]));
    assert_eq!(ReplayError::Impossible(1).to_string(), "step 2 of the trace is not possible in the model");
}

/// Two counters that know nothing of each other.
struct Counters;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    Left,
    Right,
}

impl Model for Counters {
    type State = (u8, u8);
    type Action = Count;

    fn init_states(&self) -> Vec<(u8, u8)> {
        vec![(0, 0)]
    }

    fn actions(&self, _state: &(u8, u8), actions: &mut Vec<Count>) {
        actions.extend([Count::Left, Count::Right]);
    }

    fn next_state(&self, (left, right): &(u8, u8), action: Count) -> Option<(u8, u8)> {
        Some(match action {
            Count::Left => (left + 1, *right),
            Count::Right => (*left, right + 1),
        })
    }
}

/// Allows a count on the right only when the left counter is ahead.
struct LeftFirst;

impl Guide<Named<Counters>> for LeftFirst {
    type State = ();

    fn start(&self) {}

    fn next(&self, _at: &(), transition: &Transition<'_, Named<Counters>>) -> Option<()> {
        (transition.after.0 >= transition.after.1).then_some(())
    }

    fn progress(&self, _at: &()) -> usize {
        0
    }

    fn is_finished(&self, _at: &()) -> bool {
        false
    }
}

#[test]
fn given_a_guide_when_a_trace_is_tidied_should_not_take_an_order_that_the_guide_forbids() {
    let model = Named::from_debug(Counters, ["Left", "Right"]);
    let trace = Trace { initial: 0, actions: vec![Count::Left, Count::Right, Count::Left], loop_start: None };
    let later = tidy(&model, &trace).expect("a trace of the model");
    assert_eq!(later.actions, [Count::Right, Count::Left, Count::Left]);
    let guided = tidy_under(&model, &LeftFirst, &trace).expect("a trace that the guide allows");
    assert_eq!(guided.actions, trace.actions);
    assert_eq!(replay_under(&model, &LeftFirst, &later).map(|_| ()), Err(ReplayError::Impossible(0)));
}
