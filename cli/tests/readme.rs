//! What the README shows is what the commands print.

mod support;

use support::{check, output_of, text_of};

const README: &str = include_str!("../../README.md");

/// The lines of the README from one that begins like this to before one that begins like that.
fn excerpt(begin: &str, end: &str) -> Vec<&'static str> {
    let lines = README.lines().skip_while(|line| !line.starts_with(begin));
    lines.take_while(|line| !line.starts_with(end)).collect()
}

/// Demands that a command prints all of some lines, in this order.
fn demand_printed(arguments: &[&str], lines: &[&str]) {
    let printed = text_of(&output_of(check(arguments)).stdout);
    let mut rest = printed.lines();
    for line in lines {
        assert!(rest.any(|other| other == *line), "`check {}` does not print\n{line}", arguments.join(" "));
    }
}

#[test]
fn given_the_tables_of_verdicts_when_checked_should_be_printed_so() {
    let iggy = excerpt("15 clauses, 8 contracts", "contract  ");
    assert!(iggy.len() > 20, "the table of Iggy is there");
    demand_printed(&[], &iggy);
    let command = excerpt("$ fencepost check kafkajs", "10 clauses");
    let contracts: Vec<&str> = command[0].split(' ').skip(3).collect();
    let kafkajs = excerpt("10 clauses, 6 contracts", "```");
    assert!(kafkajs.len() > 14, "the table of KafkaJS is there");
    demand_printed(&contracts, &kafkajs);
}

#[test]
fn given_the_sizes_of_contracts_when_checked_should_be_those() {
    let printed = text_of(&output_of(check(&[])).stdout);
    let sizes = excerpt("contract    ", "```");
    let without_seconds = |line: &str| line.rsplit_once(' ').map(|(start, _)| start.trim_end().to_owned());
    let printed: Vec<_> = printed.lines().map(without_seconds).collect();
    let rows: Vec<_> = sizes.iter().filter(|line| line.contains(" 10 ")).collect();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let size = without_seconds(row);
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let wanted = size.as_deref().map(words);
        assert!(printed.iter().any(|line| line.as_deref().map(words) == wanted), "{row}");
    }
}

#[test]
fn given_the_story_when_asked_for_should_be_told_so() {
    let story = excerpt("no-skip in iggy-2026-08@purge-with-pending-polls", "```");
    assert!(story.len() > 17);
    demand_printed(&["iggy-2026-08", "--story", "no-skip@purge-with-pending-polls"], &story);
}
