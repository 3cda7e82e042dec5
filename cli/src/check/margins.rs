//! The section of `--margins`.

use comfy_table::{Cell, CellAlignment, Color};
use fencepost_models::family::ModelledFamily;
use fencepost_spec::family::Family;
use fencepost_spec::words::Word;
use serde::Serialize;

use crate::margins::{FEWEST_STEPS, Hardest, MEANING, Margin, MutantName, Outcome};
use crate::output::{counted, table, table_text, wrapped};

use super::Report;

/// Columns before the last cell of a row, and the indent of its lines after the first.
const INDENT_COLUMNS: usize = 64;

/// A margin in a JSON report.
#[derive(Serialize)]
pub(super) struct MarginJson {
    clause: &'static str,
    contract: String,
    /// The mutant with the longest shortest story, or the one that was not caught.
    mutant: Option<String>,
    view: Option<&'static str>,
    bound_steps: u32,
    story_steps: Option<usize>,
    margin_steps: Option<i64>,
    warning: bool,
    /// `null` if an exploration ended early.
    caught: Option<bool>,
    /// How many mutants break the clause.
    mutants: usize,
    uses_up: Vec<String>,
}

/// The margins, ready to be serialised.
pub(super) fn json<F: Family>(margin: &Margin<F>) -> MarginJson {
    let hardest = hardest(margin);
    MarginJson {
        clause: margin.clause.word(),
        contract: margin.contract.clone(),
        mutant: match &margin.outcome {
            Outcome::Caught(Hardest { mutant, .. }) | Outcome::NotCaught(mutant) => Some(mutant.to_string()),
            Outcome::Stopped(_) => None,
        },
        view: hardest.map(|hardest| hardest.view),
        bound_steps: margin.bound_steps,
        story_steps: hardest.map(|hardest| hardest.story_steps),
        margin_steps: hardest.map(|hardest| hardest.judged.margin_steps),
        warning: margin.is_warning(),
        caught: margin.stopped().is_none().then_some(hardest.is_some()),
        mutants: margin.mutants,
        uses_up: hardest.map(|hardest| hardest.uses_up.clone()).unwrap_or_default(),
    }
}

fn hardest<F: Family>(margin: &Margin<F>) -> Option<&Hardest<F>> {
    match &margin.outcome {
        Outcome::Caught(hardest) => Some(hardest),
        _ => None,
    }
}

/// The margins, what they tell, and the warnings; nothing if they are not wanted.
pub(super) fn section<F: ModelledFamily>(report: &Report<F>) -> String {
    let Some(margins) = &report.margins else { return String::new() };
    let title =
        "MARGINS, how far the views go beyond the longest of the shortest stories of the mutants of each clause";
    if margins.is_empty() {
        return format!("{title}\nno clause has its mutants in the checked contracts\n");
    }
    let meaning = wrapped(MEANING.split(' '), " ", 0);
    let warnings: String = margins.iter().filter_map(warning).collect();
    format!("{title}\n{}{meaning}\n{warnings}", margin_table(margins))
}

fn margin_table<F: Family>(margins: &[Margin<F>]) -> String {
    let mut table = table();
    table.set_header(["clause", "bound", "story", "margin", "mutant with the longest story, and where"]);
    for margin in margins {
        let (story, steps, mutant) = match &margin.outcome {
            Outcome::Caught(hardest) => {
                (hardest.story_steps.to_string(), hardest.judged.margin_steps.to_string(), told(margin, hardest))
            }
            Outcome::NotCaught(mutant) => {
                let told = format!("not caught: {}\n  {}", lines(*mutant), margin.contract);
                ("-".to_owned(), "-".to_owned(), told)
            }
            Outcome::Stopped(stop) => ("-".to_owned(), "-".to_owned(), format!("stopped ({stop})")),
        };
        let mark = if margin.is_warning() { " !" } else { "" };
        let cell = Cell::new(steps + mark);
        let is_bad = margin.is_warning() || margin.is_failure();
        let cell = if is_bad { cell.fg(Color::Yellow) } else { cell };
        table.add_row([
            Cell::new(margin.clause),
            Cell::new(margin.bound_steps),
            Cell::new(story),
            cell,
            Cell::new(mutant),
        ]);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if (1..4).contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table_text(&table, 0)
}

/// The hardest mutant, where it is caught, and what its story uses up.
fn told<F: Family>(margin: &Margin<F>, hardest: &Hardest<F>) -> String {
    let mut remarks = Vec::new();
    if margin.mutants > 1 {
        remarks.push(format!("of {}", counted(margin.mutants, "mutant")));
    }
    remarks.extend(hardest.uses_up.iter().enumerate().map(|(index, budget)| match index {
        0 => format!("uses up {budget}"),
        _ => budget.clone(),
    }));
    let mut text = format!("{}\n  {}@{}", lines(hardest.mutant), margin.contract, hardest.view);
    let remarks = wrapped(remarks.iter().map(String::as_str), ", ", INDENT_COLUMNS);
    if !remarks.is_empty() {
        // The cell begins where the table puts it, so its own lines are indented by two.
        text.push_str(&format!("\n  {}", remarks.replace(&format!("\n{}", " ".repeat(INDENT_COLUMNS)), "\n  ")));
    }
    text
}

/// A mutant; what comes after a repair has a line of its own.
fn lines<F: Family>(mutant: MutantName<F>) -> String {
    mutant.to_string().replace(", then ", ",\n  then ")
}

fn warning<F: Family>(margin: &Margin<F>) -> Option<String> {
    let hardest = hardest(margin).filter(|_| margin.is_warning())?;
    Some(format!(
        "WARNING  {}: the margin of {} is under {FEWEST_STEPS}; larger bounds are called for\n",
        margin.clause,
        signed_steps(hardest.judged.margin_steps)
    ))
}

fn signed_steps(steps: i64) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}

#[cfg(test)]
mod tests {
    use fencepost_spec::clause::{Change, ClauseName};
    use fencepost_spec::family::Iggy;

    use super::*;
    use crate::margins::judge;

    fn report(outcome: Outcome) -> Report<Iggy> {
        let contract = "owner-installed".to_owned();
        let margin = Margin { clause: ClauseName::NoSkip, contract, bound_steps: 12, mutants: 1, outcome };
        let nothing = || (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (results, removed, remarks, stories) = nothing();
        Report { results, removed, remarks, stories, margins: Some(vec![margin]) }
    }

    const MUTANT: MutantName = MutantName { repair: None, change: Change::Choose("full_queue", "dropped") };

    fn caught(story_steps: usize) -> Outcome {
        Outcome::Caught(Hardest {
            mutant: MUTANT,
            view: "restart",
            story_steps,
            judged: judge(12, story_steps),
            uses_up: vec![],
        })
    }

    #[test]
    fn given_a_margin_below_two_when_told_should_warn_and_not_fail() {
        let report = report(caught(11));
        let text = section(&report);
        assert!(text.contains("1 !"), "{text}");
        assert!(text.contains("WARNING  no-skip: the margin of 1 step is under 2"), "{text}");
        assert_eq!(report.tally().status(), crate::exit::ExitStatus::AsExpected);
        let json = serde_json::to_value(report.margins.iter().flatten().map(json).collect::<Vec<_>>());
        assert_eq!(json.expect("a value")[0]["warning"], true);
    }

    #[test]
    fn given_a_margin_of_two_when_told_should_not_warn() {
        let text = section(&report(caught(10)));
        assert!(!text.contains("WARNING") && !text.contains('!'), "{text}");
    }

    #[test]
    fn given_a_mutant_that_no_view_catches_when_told_should_say_so_and_fail() {
        let report = report(Outcome::NotCaught(MUTANT));
        let text = section(&report);
        assert!(text.contains("not caught: full_queue = dropped"), "{text}");
        assert_eq!(report.tally().status(), crate::exit::ExitStatus::NotAsExpected);
    }
}
