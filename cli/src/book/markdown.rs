//! Markdown as GitHub shows it: headings with known anchors, links, tables, and names that become links.

/// Repository of Apache Iggy.
const UPSTREAM: &str = "https://github.com/apache/iggy";

/// The anchor that GitHub gives to a heading.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|character| if character == ' ' { '-' } else { character }).collect()
}

/// A heading of a level, with the blank line after it.
pub(super) fn heading(level: usize, text: &str) -> String {
    format!("{} {text}\n\n", "#".repeat(level))
}

/// A link to a heading of the same document.
pub(super) fn to_heading(text: &str, heading: &str) -> String {
    format!("[{text}](#{})", anchor(heading))
}

/// Code within a line.
pub(super) fn code(text: &str) -> String {
    format!("`{text}`")
}

/// A paragraph with the blank line after it.
pub(super) fn paragraph(text: &str) -> String {
    format!("{text}\n\n")
}

/// A list with the blank line after it; nothing if it is empty.
pub(super) fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: String = items.into_iter().map(|item| format!("- {item}\n")).collect();
    if items.is_empty() { items } else { items + "\n" }
}

/// A command to run, as a block.
pub(super) fn command(line: &str) -> String {
    format!("```sh\n{line}\n```\n\n")
}

/// A text as a sentence: with a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = crate::output::capitalised(text);
    if text.ends_with(['.', '?', '!']) { text } else { text + "." }
}

/// A table with the blank line after it. Cells must not have line ends; bars are escaped.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let escaped = |cell: &String| cell.replace('|', "\\|");
    let mut text = line(header.iter().map(|cell| (*cell).to_owned()).collect());
    text.push_str(&line(vec!["---".to_owned(); header.len()]));
    for row in rows {
        text.push_str(&line(row.iter().map(escaped).collect()));
    }
    text + "\n"
}

/// Several lines in a cell.
pub(super) fn cell_lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().collect::<Vec<_>>().join("<br>")
}

/// A kebab-case word as plain words, which a table can break.
pub(super) fn plain(word: &str) -> String {
    word.replace(['-', '_'], " ").replace("re creation", "re-creation")
}

/// Contracts as links, for a sentence: all, all but a few, or a list.
pub(super) fn contracts(names: &[&str], all: &[&str]) -> String {
    let links = |names: &mut dyn Iterator<Item = &str>| names.map(contract).collect::<Vec<_>>().join(", ");
    let missing = all.len() - names.len();
    match missing {
        0 => "every contract".to_owned(),
        1 | 2 if names.len() > 2 * missing => {
            format!("every contract but {}", links(&mut all.iter().copied().filter(|name| !names.contains(name))))
        }
        _ => links(&mut names.iter().copied()),
    }
}

/// The numbers of issues in a document as links, except where they are linked already, in headings, and in blocks of code.
pub(super) fn with_numbers_linked(text: &str) -> String {
    let mut linked = String::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        match in_code || line.starts_with('#') {
            true => linked.push_str(line),
            false => linked.push_str(&line_with_numbers_linked(line)),
        }
        linked.push('\n');
    }
    linked
}

fn line_with_numbers_linked(line: &str) -> String {
    let mut parts = line.split('#');
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        let is_linked = linked.ends_with(['[', '`', '/']);
        if (3..=5).contains(&digits) && !is_linked {
            let (number, rest) = part.split_at(digits);
            linked.push_str(&format!("[#{number}]({UPSTREAM}/issues/{number}){rest}"));
        } else {
            linked.push('#');
            linked.push_str(part);
        }
    }
    linked
}

/// The heading of a clause.
pub(super) fn clause_heading(clause: &str) -> String {
    format!("Clause `{clause}`")
}

/// A clause as a link to its section.
pub(super) fn clause(name: impl std::fmt::Display) -> String {
    let name = name.to_string();
    to_heading(&code(&name), &clause_heading(&name))
}

/// The heading of a contract.
pub(super) fn contract_heading(contract: &str) -> String {
    format!("Contract `{contract}`")
}

/// A contract as a link to its section.
pub(super) fn contract(name: &str) -> String {
    to_heading(&code(name), &contract_heading(name))
}

/// The heading of a fence.
pub(super) fn fence_heading(fence: &str) -> String {
    format!("Fence `{fence}`")
}

/// A fence as a link to its section.
pub(super) fn fence(name: impl std::fmt::Display) -> String {
    let name = name.to_string();
    to_heading(&code(&name), &fence_heading(&name))
}

/// The heading of a scenario.
pub(super) fn scenario_heading(scenario: &str) -> String {
    format!("Scenario `{scenario}`")
}

/// A scenario as a link to its section.
pub(super) fn scenario(name: &str) -> String {
    to_heading(&code(name), &scenario_heading(name))
}

/// Where something comes from: addresses, files of this repository, recordings and scenarios become links.
pub(super) fn source(text: &str) -> String {
    let mut linked = Vec::new();
    let mut previous = "";
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches([',', ':', ';', ')']);
        let (bare, rest) = word.split_at(bare.len());
        linked.push(source_word(previous, bare) + rest);
        previous = word;
    }
    linked.join(" ")
}

fn source_word(previous: &str, word: &str) -> String {
    let number = word.strip_prefix(UPSTREAM).and_then(|path| path.rsplit('/').next());
    match number {
        Some(number) => format!("[#{number}]({word})"),
        _ if word.starts_with("https://") => format!("<{word}>"),
        _ if word.starts_with("docs/") => format!("[{word}]({})", word.trim_start_matches("docs/")),
        _ if word == "conformance/recordings" => format!("[{word}](../{word})"),
        _ if previous == "recording" => to_heading(&code(word), super::recordings::HEADING),
        _ if previous == "scenario" => scenario(word),
        _ if is_test_name(word) => code(word),
        _ => word.to_owned(),
    }
}

/// Whether a word looks like the name of a test or of another thing in code.
pub(super) fn is_test_name(word: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
    word.matches('_').count() > 1 && word.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_headings_when_anchored_should_be_as_on_github() {
        assert_eq!(anchor("4. Fences: where, and what"), "4-fences-where-and-what");
        assert_eq!(anchor("Clause `no-skip`"), "clause-no-skip");
        assert_eq!(anchor("What may a client conclude?"), "what-may-a-client-conclude");
    }

    #[test]
    fn given_bars_in_cells_when_in_a_table_should_be_escaped() {
        let text = table(&["a", "b"], &[vec!["x|y".to_owned(), "z".to_owned()]]);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| x\\|y | z |\n\n");
    }

    #[test]
    fn given_sources_when_shown_should_be_links() {
        assert_eq!(
            source("https://github.com/apache/iggy/pull/4119"),
            "[#4119](https://github.com/apache/iggy/pull/4119)"
        );
        assert_eq!(source("docs/decisions/revocation.md"), "[docs/decisions/revocation.md](decisions/revocation.md)");
        assert_eq!(source("scenario not-an-owner"), "scenario [`not-an-owner`](#scenario-not-an-owner)");
        assert_eq!(source("on_request_delete_replies"), "`on_request_delete_replies`");
        assert_eq!(source("recording e8"), "recording [`e8`](#recordings-of-real-code)");
        assert_eq!(source("plain words: code 87"), "plain words: code 87");
    }

    #[test]
    fn given_numbers_of_issues_when_linked_should_be_linked_once() {
        let text =
            "## About #4117\n\nFixed (#4117) by [#4119](https://x/4119), see [here](#story).\n```text\n#4128\n```\n";
        let linked = "## About #4117\n\nFixed ([#4117](https://github.com/apache/iggy/issues/4117)) by \
                      [#4119](https://x/4119), see [here](#story).\n```text\n#4128\n```\n";
        assert_eq!(with_numbers_linked(text), linked);
    }

    #[test]
    fn given_contracts_when_most_are_named_should_name_the_others() {
        let all = ["a", "b", "c", "d"];
        assert_eq!(contracts(&all, &all), "every contract");
        assert_eq!(contracts(&["a", "b", "d"], &all), "every contract but [`c`](#contract-c)");
        assert_eq!(contracts(&["a", "b"], &all), "[`a`](#contract-a), [`b`](#contract-b)");
    }

    #[test]
    fn given_words_when_made_a_sentence_should_start_and_end_as_one() {
        assert_eq!(sentence("it holds"), "It holds.");
        assert_eq!(sentence("Does it?"), "Does it?");
    }
}
