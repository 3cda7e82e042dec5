//! The two forms of a page that people read.

use fencepost_checker::describe::Telling;
use fencepost_checker::story::{Story, StoryLine};

use super::differences::Group;
use super::story::Line;
use super::wrap::wrapped;
use super::{Page, WIDTH_COLUMNS};
use crate::replay::divergence::DivergenceKind;

/// Where the contract is left.
const HERE: &str = "<- here the contract is left";

/// The page for a terminal.
pub(super) fn text(page: &Page) -> String {
    let mut text = wrapped("", &page.title, WIDTH_COLUMNS);
    if let Some(promise) = &page.promise {
        text += &format!("\n{}", wrapped("  ", &format!("The promise: {promise}"), WIDTH_COLUMNS));
    }
    text += &format!("\n{}\n", wrapped("  ", &format!("At the start: {}.", page.start), WIDTH_COLUMNS));
    let width = page.story.len().to_string().len();
    for line in &page.story {
        let number = format!("  {:>width$}. ", line.number);
        let here = if line.number == page.story.len() { format!(" {HERE}") } else { String::new() };
        text += &wrapped(&number, &format!("{}{here}", line.text), WIDTH_COLUMNS);
        for phrase in phrases(line) {
            text += &wrapped(&format!("{}- ", " ".repeat(width + 4)), &phrase, WIDTH_COLUMNS);
        }
    }
    text += &format!("\n{}\n{}", differences(&page.differences, WIDTH_COLUMNS), conclusion(page));
    text += &format!("\nFind it again; with `--format markdown`, also as a test to paste:\n{}", command(&page.command));
    text
}

/// The page for an issue.
pub(super) fn markdown(page: &Page) -> String {
    let mut text = format!("## {}\n", escaped(&page.title));
    if let Some(promise) = &page.promise {
        text += &format!("\n> {}\n", escaped(promise));
    }
    text += &format!("\n### Story\n\nAt the start: {}.\n\n", escaped(&page.start));
    for line in &page.story {
        let told = escaped(&line.text);
        let is_last = line.number == page.story.len();
        let told = if is_last { format!("**{told}** ← here the contract is left") } else { told };
        text += &format!("{}. {told}\n", line.number);
        for phrase in phrases(line) {
            text += &format!("    - {}\n", escaped(&phrase));
        }
    }
    text += &format!("\n### Seen and allowed\n\n{}", fenced("text", &differences(&page.differences, usize::MAX)));
    text += &format!("\n{}", conclusion(page));
    text += &format!("\n### Find it again\n\n{}", fenced("sh", &format!("{}\n", page.command)));
    text += &format!("\n### A test to paste\n\n{}", fenced("rust", &page.test));
    text += &format!("\n### The story as a diagram\n\n{}", fenced("mermaid", &diagram(page)));
    text
}

/// What changed in a line, in words.
fn phrases(line: &Line) -> Vec<String> {
    line.changes.iter().filter(|change| !change.text.is_empty()).map(|change| change.text.clone()).collect()
}

/// What was seen and what was allowed.
fn differences(groups: &[Group], width: usize) -> String {
    let mut text = String::new();
    for (index, group) in groups.iter().enumerate() {
        let (name, seen) = match group.field {
            Some(field) => (format!("`{}` ({})", field.key(), group.name), group.seen.clone()),
            None => (String::new(), group.seen.clone()),
        };
        if index > 0 {
            text += "or\n";
        }
        if !name.is_empty() {
            let first = if index == 0 { "The first field that differs: " } else { "The field that differs: " };
            text += &wrapped(first, &name, width);
        }
        text += &wrapped("Seen:    ", &spaced(&seen, group), width);
        for (index, allowed) in group.allowed.iter().enumerate() {
            let lead = if index == 0 { "Allowed: " } else { "     or: " };
            text += &wrapped(lead, &spaced(allowed, group), width);
        }
        for (lead, list) in [("Only seen:    ", &group.only_seen), ("Only allowed: ", &group.only_allowed)] {
            if !list.is_empty() {
                text += &wrapped(lead, &list.join(", "), width);
            }
        }
    }
    text
}

/// JSON text with blanks after commas, so that lines can end there.
fn spaced(value: &str, group: &Group) -> String {
    if group.field.is_some() { value.replace("\",\"", "\", \"").replace("],[", "], [") } else { value.to_owned() }
}

/// What would allow it, whether it is known, and how much was left out.
fn conclusion(page: &Page) -> String {
    let change = match (&page.change, page.kind) {
        (Some(change), _) => change.text.clone(),
        (None, DivergenceKind::Nondeterministic) => {
            "The first time, the same steps were answered as the contract allows.".to_owned()
        }
        (None, kind) if kind.is_of_the_driver() => "No contract allows that.".to_owned(),
        (None, _) => {
            "No single change of the contract that was tried, and no pair of fences less, would allow it.".to_owned()
        }
    };
    let known = match &page.known_link {
        Some(link) => format!("It is a known deviation: {link}"),
        None => "It is no known deviation.".to_owned(),
    };
    let shrunk = if page.steps_before_shrinking > page.steps {
        format!("\n\nShrunk from {} steps to {}.", page.steps_before_shrinking, page.steps)
    } else {
        String::new()
    };
    wrapped("", &format!("{change}\n\n{known}{shrunk}"), WIDTH_COLUMNS)
}

/// A command for a shell, with its options on lines of their own if it is long.
fn command(command: &str) -> String {
    let line = format!("  {command}");
    if line.chars().count() <= WIDTH_COLUMNS {
        return line + "\n";
    }
    let mut is_quoted = false;
    let mut text = String::new();
    for (index, character) in line.char_indices() {
        is_quoted ^= matches!(character, '\'' | '"');
        if character == ' ' && !is_quoted && line[index..].starts_with(" --") {
            text.push_str(" \\\n   ");
        }
        text.push(character);
    }
    text + "\n"
}

/// The story as a Mermaid sequence diagram.
fn diagram(page: &Page) -> String {
    let line = |line: &Line| StoryLine {
        number: line.number,
        telling: Telling {
            actor: line.actor.clone(),
            towards: line.towards.clone(),
            text: line.text.clone(),
            changes: phrases(line),
        },
    };
    let first = page.differences.first();
    let ending = first.map_or(String::new(), |group| {
        let name = group.field.map_or(String::new(), |field| format!("{} ", field.key()));
        format!("seen: {name}{}; allowed: {}", group.seen, group.allowed.join(", or "))
    });
    let lines = page.story.iter().map(line).collect::<Vec<_>>();
    let loop_start = Some(lines.len());
    Story { title: String::new(), lines, loop_start, ending }.to_mermaid()
}

/// A block of code; its fence is longer than any inside of it.
fn fenced(language: &str, code: &str) -> String {
    let mut fence = "```".to_owned();
    while code.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}{language}\n{code}{fence}\n")
}

/// Text in which nothing but words in back quotes has a meaning for Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index > 0 {
            escaped.push('`');
        }
        let is_code = index % 2 == 1;
        for character in part.chars() {
            if !is_code && matches!(character, '*' | '_' | '<' | '[' | ']') {
                escaped.push('\\');
            }
            escaped.push(character);
        }
    }
    escaped
}
