//! The page of a divergence: one hand-made divergence of each kind, in all forms.

#[path = "page/made.rs"]
mod made;

use fencepost_conformance::replay::divergence::{Divergence, DivergenceKind};
use fencepost_conformance::replay::page::{Page, WIDTH_COLUMNS};

/// One divergence of each kind.
fn all() -> Vec<(DivergenceKind, Divergence)> {
    DivergenceKind::ALL.iter().map(|kind| (*kind, made::divergence(*kind))).collect()
}

#[test]
fn given_a_divergence_of_each_kind_when_told_in_text_should_be_understood_at_first_reading() {
    for (kind, divergence) in all() {
        let text = Page::of(&divergence).text();
        insta::assert_snapshot!(format!("text-{kind}"), text);
    }
}

#[test]
fn given_a_divergence_of_each_kind_when_told_in_markdown_should_have_a_diagram() {
    for (kind, divergence) in all() {
        let page = Page::of(&divergence);
        let markdown = page.markdown();
        assert!(markdown.contains("```mermaid\nsequenceDiagram\n"), "{kind}: no diagram");
        assert!(markdown.contains(&format!("```rust\n{}```", page.test)), "{kind}: no test");
        if matches!(kind, DivergenceKind::ForbiddenState | DivergenceKind::MissingStep) {
            insta::assert_snapshot!(format!("markdown-{kind}"), markdown);
        }
    }
}

#[test]
fn given_a_divergence_of_each_kind_when_serialized_should_have_the_keys_that_reports_promise() {
    for (kind, divergence) in all() {
        let page = serde_json::to_value(Page::of(&divergence)).expect("a page as JSON");
        assert_eq!(page["kind"], kind.word());
        assert_eq!(page["steps"], divergence.steps());
        assert_eq!(page["known"], divergence.known.is_some());
        assert_eq!(page["clause"].as_str(), divergence.blame.clause.map(|clause| clause.word()));
        if kind == DivergenceKind::ForbiddenReply {
            insta::assert_snapshot!("json-forbidden-reply", format!("{page:#}"));
        }
    }
}

#[test]
fn given_a_page_in_text_when_measured_should_keep_its_width_and_one_line_a_step() {
    for (kind, divergence) in all() {
        let page = Page::of(&divergence);
        for line in page.text().lines() {
            assert!(line.chars().count() <= WIDTH_COLUMNS, "{kind}: {line}");
            assert_eq!(line.trim_end(), line, "{kind}: blanks at the end");
        }
        assert_eq!(page.story.len(), divergence.steps(), "{kind}: a line a step");
        assert!(page.story.iter().enumerate().all(|(index, line)| line.number == index + 1));
    }
}

/// If this fails after a wanted change, run it with `FENCEPOST_WRITE_PASTED=1` and read the difference.
#[test]
fn given_a_divergence_of_each_kind_when_its_test_is_generated_should_be_the_one_that_is_compiled() {
    for (kind, divergence) in all().into_iter().chain([(DivergenceKind::ForbiddenState, made::with_inner_places())]) {
        let inner = if divergence.world.holds_inner_steps { "-inner" } else { "" };
        let path = format!("{}/tests/page/{kind}{inner}.rs", env!("CARGO_MANIFEST_DIR"));
        let generated = Page::of(&divergence).test;
        if std::env::var_os("FENCEPOST_WRITE_PASTED").is_some() {
            std::fs::write(&path, &generated).expect("a file that can be written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(committed, generated, "{path} is not what is generated for {kind}");
    }
}

#[test]
fn given_words_that_no_answer_has_when_the_test_is_generated_should_forbid_what_was_seen() {
    let mut divergence = made::divergence(DivergenceKind::ForbiddenReply);
    for difference in &mut divergence.found.differences {
        difference.allowed = "something new".to_owned();
    }
    let test = Page::of(&divergence).test;
    assert!(test.contains("assert!(!forbidden.contains(&answer)"), "{test}");
}
