//! The documents say what the code does: every line in `docs/driver-protocol.md` can be read, its example session is what the worked
//! example answers, and `docs/adapters.md` shows that example as it is.

use std::path::Path;

use fencepost_driver::message::{Question, Response};
use fencepost_driver::{Call, Field, ParkKind, serve};

#[allow(dead_code, reason = "its `main` is not used here")]
#[path = "../examples/worked_example.rs"]
mod worked_example;

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(path).expect("a document")
}

/// The lines of all blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}");
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line {
            "```" => inside = false,
            _ if line == begin => inside = true,
            _ if inside => lines.push(line.to_owned()),
            _ => {}
        }
    }
    lines
}

#[test]
fn given_the_example_lines_when_read_should_be_messages_of_every_kind() {
    let text = document("driver-protocol.md");
    let lines = blocks(&text, "jsonl");
    for line in &lines {
        let is_question = serde_json::from_str::<Question>(line).is_ok();
        let is_answer = serde_json::from_str::<Response>(line).is_ok();
        assert!(is_question != is_answer, "{line}");
    }
    let all = lines.join("\n");
    let questions = ["hello", "reset", "start", "resume", "cancel", "crash", "restart", "parked", "observe", "bye"];
    let answers = ["ready", "done", "refused", "unsupported", "observation", "error"];
    for word in questions.iter().chain(&answers) {
        assert!(all.contains(&format!(r#"{{"type":"{word}""#)), "no example of `{word}`");
    }
    for kind in Call::KINDS {
        assert!(all.contains(&format!(r#""call":{{"kind":"{kind}""#)), "no example of the call `{kind}`");
    }
}

#[test]
fn given_the_document_when_searched_should_name_every_park_and_field() {
    let text = document("driver-protocol.md");
    for kind in ParkKind::ALL {
        let word = kind.word();
        assert!(text.contains(&format!("`{word}`")) || text.contains(&format!("`{word}:")), "park `{word}`");
    }
    for field in Field::ALL {
        assert!(text.contains(&format!("`{}`", field.key())), "field `{}`", field.key());
    }
}

#[test]
fn given_the_order_of_parks_in_the_document_when_compared_should_be_the_order_of_the_code() {
    let text = document("driver-protocol.md");
    let words: Vec<String> = ParkKind::ALL
        .iter()
        .filter(|kind| !matches!(kind, ParkKind::GatewayTimeOut | ParkKind::RevocationTimeOut))
        .map(|kind| format!("`{}`", kind.word()))
        .collect();
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains(&words.join(", ")), "{}", words.join(", "));
}

#[test]
fn given_the_example_session_when_served_should_be_answered_as_the_document_says() {
    let lines = blocks(&document("driver-protocol.md"), "text");
    let side = |mark: &str| lines.iter().filter_map(|line| line.strip_prefix(mark)).collect::<Vec<_>>();
    let (questions, answers) = (side("> "), side("< "));
    assert!(questions.len() > 10 && questions.len() + answers.len() == lines.len());
    let input = questions.join("\n") + "\n";
    let mut output = Vec::new();
    serve(&mut worked_example::driver(), input.as_bytes(), &mut output).expect("a session");
    let output = String::from_utf8(output).expect("text");
    assert_eq!(output.lines().collect::<Vec<_>>(), answers);
}

#[test]
fn given_the_guide_when_compared_should_show_the_worked_example_as_it_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/worked_example.rs");
    let file = std::fs::read_to_string(path).expect("the example");
    assert_eq!(blocks(&document("adapters.md"), "rust"), file.lines().collect::<Vec<_>>());
}
