//! The report as a page of the documentation.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::report::{Kind, Report};

const INTRODUCTION: &str = "\
# Every contract against every other

The reference partition is configured by one contract and followed in the model of another, by nothing but what its clients are
answered. It leaves the other contract exactly where `fencepost ask` says that the answers differ: the test that compares the two writes this page.
How it compares them is told in `conformance/src/replay/pairs.rs`.

A course is what the clients of a scenario are answered together, each such set of answers once, with one way to it.
";

impl Report {
    /// The page, as Markdown.
    pub fn page(&self) -> String {
        let mut page = format!("{INTRODUCTION}\n");
        self.numbers(&mut page);
        page.push_str("\n## Scenarios that differ\n\n");
        page.push_str(
            "How many scenarios have a course of the contract on the left that the contract above does not allow.\n\n",
        );
        page.push_str(&self.table());
        self.kinds(&mut page);
        self.clauses(&mut page);
        self.by_scenario(&mut page);
        page
    }

    fn numbers(&self, page: &mut String) {
        let all = self.contracts.len() * self.contracts.len();
        let rows = [
            ("scenarios", self.scenarios.len()),
            ("ordered pairs of contracts, each contract with itself included", all),
            ("pairs in all scenarios", all * self.scenarios.len()),
            ("of these, with a scenario that is possible under the first contract", self.pairs),
            ("courses along which the partition was driven", self.courses),
            ("most courses of one scenario under one contract", self.most_courses),
            ("steps of the model along them", self.steps),
            ("courses followed in a contract", self.followed),
            ("of these, not allowed by that contract", self.differ.len()),
            ("where `ask` says something else than the follower", self.unlike.len()),
            ("where the partition leaves the contract that it is configured by", self.off.len()),
        ];
        page.push_str("| What | How many |\n| --- | ---: |\n");
        for (what, count) in rows {
            line(page, &format!("| {what} | {count} |"));
        }
    }

    /// How many scenarios differ, by the contract that the implementation is configured by and that in which it is followed, as a
    /// table in Markdown.
    pub fn table(&self) -> String {
        let mut table = String::new();
        let page = &mut table;
        line(page, &format!("| | {} |", self.contracts.join(" | ")));
        line(page, &format!("| --- |{}", " ---: |".repeat(self.contracts.len())));
        for configured in &self.contracts {
            let counts = self.contracts.iter().map(|followed| {
                let count = self.scenarios_that_differ(configured, followed).len();
                if configured == followed && count == 0 { "-".to_owned() } else { count.to_string() }
            });
            line(page, &format!("| {configured} | {} |", counts.collect::<Vec<_>>().join(" | ")));
        }
        table
    }

    fn kinds(&self, page: &mut String) {
        page.push_str("\n## How they differ\n\n| Kind | Courses | What it is |\n| --- | ---: | --- |\n");
        let counts = self.by_kind();
        for kind in Kind::ALL {
            let count = counts.get(kind).copied().unwrap_or(0);
            line(page, &format!("| `{kind}` | {count} | {} |", kind.meaning()));
        }
    }

    fn clauses(&self, page: &mut String) {
        page.push_str("\n## What the difference concerns\n\n");
        page.push_str("The clause of the single change towards the contract of the partition under which the answers are allowed.\n\n");
        page.push_str("| Clause | Courses |\n| --- | ---: |\n");
        for (clause, count) in self.by_clause() {
            let clause = clause
                .map_or_else(|| "(no single change allows the answers)".to_owned(), |clause| format!("`{clause}`"));
            line(page, &format!("| {clause} | {count} |"));
        }
    }

    fn by_scenario(&self, page: &mut String) {
        page.push_str("\n## By scenario\n\n");
        page.push_str(
            "Ordered pairs of contracts that differ, and the steps whose answers are the first to differ.\n\n",
        );
        page.push_str("| Scenario | Pairs | First different answers |\n| --- | ---: | --- |\n");
        for scenario in &self.scenarios {
            let differ = || self.differ.iter().filter(|differ| differ.scenario == *scenario);
            let pairs: BTreeSet<_> = differ().map(|it| (&it.configured, &it.followed)).collect();
            let answered = differ().filter(|it| matches!(it.kind, Kind::ForbiddenReply | Kind::MissingReply));
            let steps: BTreeSet<&str> = answered.map(|it| it.step.as_deref().unwrap_or("an answer too few")).collect();
            let steps = steps.into_iter().collect::<Vec<_>>().join(", ");
            line(page, &format!("| {scenario} | {} | {steps} |", pairs.len()));
        }
    }
}

impl Kind {
    /// The kind in a sentence.
    fn meaning(self) -> &'static str {
        match self {
            Self::ForbiddenReply => {
                "an answer with which no course of the other contract agrees, given the answers before it"
            }
            Self::MissingReply => "all answers agree, but every such course of the other contract has one more",
            Self::NotPossible => "the scenario demands an answer that is never given under the other contract",
            Self::StepNotInContract => "the other contract has nothing for a step of the scenario",
        }
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to a text does not fail.
    let _ = writeln!(page, "{text}");
}
