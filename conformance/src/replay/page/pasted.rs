//! A Rust test to paste, written against the trait `Subject` only.

use fencepost_driver::{Observation, Reply, Step};
use serde::Serialize;

use super::WIDTH_COLUMNS;
use super::answers::answer_of;
use super::wrap::{json, wrapped};
use crate::replay::divergence::{Difference, Divergence, DivergenceKind};
use crate::replay::runner::Done;

/// Blanks before JSON text in the test.
const INDENT: usize = 8;

/// The test: it does the steps of the story and asserts that what comes last is one of the things that were allowed.
pub(super) fn test(divergence: &Divergence, title: &str) -> String {
    let differences = &divergence.found.differences;
    let kind = divergence.found.first().kind;
    let body = match kind {
        DivergenceKind::Nondeterministic => twice(),
        DivergenceKind::Hang | DivergenceKind::PanicOrExit | DivergenceKind::Protocol => {
            format!("{}{}", once(divergence), "    let _ = last;\n")
        }
        DivergenceKind::MissingStep => format!("{}{}", once(divergence), is_done()),
        DivergenceKind::ForbiddenReply => format!("{}{}", once(divergence), is_answer(differences)),
        DivergenceKind::ForbiddenState | DivergenceKind::UnknownYield => {
            format!("{}{}", once(divergence), is_state(differences))
        }
    };
    let rounds = rounds(divergence);
    let steps_type = if rounds.1 { "Vec<Vec<Step>>" } else { "Vec<Step>" };
    format!(
        "{doc}///\n/// Write `fn subject() -> impl Subject` beside it: it makes your implementation.\n#[test]\nfn {name}() {{\n    \
         use fencepost_driver::{{{imports}}};\n\n    let world = {world};\n    let steps = {steps};\n    let world: World = \
         serde_json::from_str(world).expect(\"a world\");\n    let steps: {steps_type} = serde_json::from_str(steps).expect(\
         \"steps\");\n    let mut subject = subject();\n{body}}}\n",
        doc = wrapped("/// ", title, WIDTH_COLUMNS).replace("\n    ", "\n/// "),
        name = function_name(divergence),
        imports = imports(kind, rounds.1),
        world = raw(&json(&text(&divergence.world), INDENT, WIDTH_COLUMNS)),
        steps = raw(&rounds.0),
    )
}

fn imports(kind: DivergenceKind, has_rounds: bool) -> String {
    let mut names = vec!["Step", "Subject", "World"];
    match kind {
        DivergenceKind::Nondeterministic => names.push("Fields"),
        DivergenceKind::ForbiddenReply => names.extend(["Progress", "Reply"]),
        DivergenceKind::ForbiddenState | DivergenceKind::UnknownYield => {
            names.extend(["Fields", "Observation", "Progress"])
        }
        _ => names.push("Progress"),
    }
    if has_rounds && kind != DivergenceKind::Nondeterministic {
        names.extend(["Answer", "ParkKind"]);
    }
    names.sort_unstable();
    names.join(", ")
}

/// The steps as JSON text, one a line. If the implementation waits at places of its own, they are grouped: after each group it was
/// looked at, and for that everything inside goes on.
fn rounds(divergence: &Divergence) -> (String, bool) {
    let transcript = &divergence.found.transcript;
    if !divergence.world.holds_inner_steps || divergence.found.first().kind == DivergenceKind::Nondeterministic {
        let steps: Vec<&Step> = transcript.iter().flat_map(|(steps, _)| steps).collect();
        return (lines(&steps), false);
    }
    let mut rounds: Vec<Vec<&Step>> = Vec::new();
    let mut round: Vec<&Step> = Vec::new();
    let was_looked_at = |done: &Done| done.1.observation != Observation::default();
    for done in transcript {
        round.extend(&done.0);
        if was_looked_at(done) && !round.is_empty() {
            rounds.push(std::mem::take(&mut round));
        }
    }
    if !round.is_empty() {
        rounds.push(round);
    }
    (lines(&rounds), true)
}

/// JSON text of a list, with one element a line.
fn lines<T: Serialize>(elements: &[T]) -> String {
    let blanks = " ".repeat(INDENT + 2);
    let element = |element: &T| format!("{blanks}{}", json(&text(element), INDENT + 2, WIDTH_COLUMNS));
    let elements: Vec<String> = elements.iter().map(element).collect();
    format!("[\n{}\n{}]", elements.join(",\n"), " ".repeat(INDENT))
}

/// Does the steps once; `last` is how far the last of them got.
fn once(divergence: &Divergence) -> String {
    let (_, has_rounds) = rounds(divergence);
    let perform = "last = subject.perform(step).expect(\"the driver does the step\");";
    let reset = "    subject.reset(&world).expect(\"a fresh world\");\n    let mut last = Progress::Parked;\n";
    if !has_rounds {
        return format!("{reset}    for step in &steps {{\n        {perform}\n    }}\n");
    }
    format!(
        "{reset}    for steps in &steps {{\n        for step in steps {{\n            {perform}\n        }}\n        // What is inside \
         of these steps goes on to its end.\n        while let Some(park) = subject.parked().into_iter().find(|park| park.kind \
         == ParkKind::Inner) {{\n            subject.resume(&park, Answer::Proceed).expect(\"what is inside goes on\");\n        \
         }}\n    }}\n"
    )
}

fn twice() -> String {
    "    let mut once = || {\n        let mut seen = Vec::new();\n        subject.reset(&world).expect(\"a fresh world\");\n        \
     subject.walk(&steps, Fields::all(), &mut seen).expect(\"the driver does the steps\");\n        seen\n    };\n    \
     assert_eq!(once(), once(), \"the same steps are answered differently the second time\");\n"
        .to_owned()
}

fn is_done() -> String {
    "    assert!(!matches!(last, Progress::Refused { .. }), \"the last step is refused: {last:?}\");\n".to_owned()
}

/// Asserts that the last answer is one of those that were allowed; if they cannot be told from their words, that it is not the
/// one that was seen.
fn is_answer(differences: &[Difference]) -> String {
    let allowed: Option<Vec<Option<Reply>>> =
        differences.iter().map(|difference| answer_of(&difference.allowed)).collect();
    let take = "    let answer = match last {\n        Progress::Done { reply, .. } => Some(reply),\n        Progress::Parked => \
                None,\n        other => panic!(\"the last step is not done: {other:?}\"),\n    };\n";
    let (replies, negation, what, words) = match allowed {
        Some(allowed) => (allowed, "", "allowed", "is not allowed"),
        None => {
            let seen = differences.iter().filter_map(|difference| answer_of(&difference.seen)).take(1).collect();
            (seen, "!", "forbidden", "is not allowed")
        }
    };
    format!(
        "{take}    // No answer is `null`.\n    let {what}: Vec<Option<Reply>> = serde_json::from_str({list})\n        \
         .expect(\"answers\");\n    assert!({negation}{what}.contains(&answer), \"the last answer {words}: {{answer:?}}\");\n",
        list = raw(&lines(&replies)),
    )
}

/// Asserts that what is seen after the last step is, in one of the fields that differed, one of the things that were allowed.
fn is_state(differences: &[Difference]) -> String {
    let mut keys: Vec<&str> = differences.iter().filter_map(|one| one.field).map(|field| field.key()).collect();
    keys.dedup();
    let mut allowed: Vec<serde_json::Value> = Vec::new();
    for difference in differences {
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        let Some(field) = difference.field else { continue };
        let one = serde_json::json!({ field.key(): value(&difference.allowed) });
        if !allowed.contains(&one) {
            allowed.push(one);
        }
    }
    format!(
        "    assert!(!matches!(last, Progress::Refused {{ .. }}), \"the last step is refused: {{last:?}}\");\n    let fields: Fields = \
         serde_json::from_str(r#\"{keys}\"#).expect(\"fields\");\n    let seen = subject.observe(fields).expect(\"a look\");\n    let \
         allowed: Vec<Observation> = serde_json::from_str({list})\n        .expect(\"observations\");\n    let agrees = |allowed: \
         &Observation| seen.clone().only(allowed.fields()) == *allowed;\n    assert!(allowed.iter().any(agrees), \"what is seen after \
         the last step is not allowed: {{seen:?}}\");\n",
        keys = text(&keys),
        list = raw(&lines(&allowed)),
    )
}

/// The name of the test.
fn function_name(divergence: &Divergence) -> String {
    let keeps = match divergence.blame.clause {
        Some(clause) => format!("keep {clause}"),
        None => format!("keep to {}", divergence.contract),
    };
    let count = match divergence.steps() {
        1 => "1 step is".to_owned(),
        count => format!("{count} steps are"),
    };
    let name = format!("given {} when {count} done should {keeps}", divergence.view).to_lowercase();
    name.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' }).collect()
}

fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("\"{error}\""))
}

/// A raw string of Rust.
fn raw(text: &str) -> String {
    let mut marks = "#".to_owned();
    while text.contains(&format!("\"{marks}")) {
        marks.push('#');
    }
    format!("r{marks}\"{text}\"{marks}")
}
