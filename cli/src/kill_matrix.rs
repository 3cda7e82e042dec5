//! `fencepost kill-matrix`: every fault that can be planted in the reference partition, and the trace that catches it.
//!
//! A suite of traces that agrees with an implementation proves little unless it is known to notice something. So each fault is planted,
//! one at a time, and the traces of the explored models are tried on it: `stock` writes the traces of a view down, `hunt` tries them
//! and asks which clause is left, `gates` shrinks what was seen and makes sure that it was the fault which was noticed. `narrow` and
//! `variants` have views and contracts for faults that the shipped ones hide. `survivors` says what is proved of a fault that no trace
//! shows. `power` loses power at every moment, with each sync made to do nothing.

mod alternatives;
mod form;
mod gates;
mod hunt;
mod json;
mod narrow;
mod power;
mod stock;
mod survivors;
mod threads;
mod variants;
mod weakest;
mod words;

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use fencepost_conformance::replay::atlas::CoverKind;
use fencepost_conformance::replay::page::Page;
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_reference::Fault;
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::{Problem, nearest};
use fencepost_spec::library;

use crate::exit::ExitStatus;
use crate::exploring::Budget;
use crate::output::{self, Format};
use crate::whole_file;

use gates::Caught;
use hunt::Quarry;
use stock::{Choice, Stock};
use survivors::Proof;

/// The arguments of `fencepost kill-matrix`.
#[derive(Args, Clone, Debug)]
pub struct KillMatrixArguments {
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "docs/results/kill-matrix.md")]
    pub output: PathBuf,
    /// Write nothing; compare the file with what would be written; with `--fault`, only the row
    #[arg(long)]
    pub check: bool,
    /// Only this fault, or these with commas between: the whole page of each is printed, and nothing is written
    #[arg(long, value_name = "WORD")]
    pub fault: Option<String>,
    /// How large the views are: quick, ci or deep
    #[arg(long, value_name = "SIZE", default_value = "quick")]
    pub bounds: BoundsSet,
    /// Worker threads; the result does not depend on them [default: as many as the machine has]
    #[arg(long, value_name = "NUMBER")]
    pub threads: Option<NonZeroUsize>,
    /// The form of what is printed; the file is always a page
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// What became of a fault.
enum Outcome {
    /// A trace shows it.
    Caught(Box<Caught>),
    /// No trace shows it.
    Survives(Proof),
}

/// One fault.
struct Row {
    fault: Fault,
    outcome: Outcome,
    steps: u64,
    traces: u64,
}

/// All rows.
struct Matrix {
    bounds: BoundsSet,
    rows: Vec<Row>,
    /// Traces that were written down, and those on which the reference does not agree although nothing is wrong with it.
    stocked: usize,
    left_out: usize,
    /// What a power loss leaves; only if all faults are tried.
    power: Vec<power::Images>,
}

/// What the rows come to.
struct Totals {
    rows: usize,
    caught: usize,
    partly: Vec<String>,
    proved: Vec<String>,
    unexplained: Vec<String>,
    steps: u64,
    traces: u64,
}

/// Runs the command.
///
/// # Errors
/// A [`Problem`] with the input.
pub fn run(arguments: &KillMatrixArguments) -> Result<ExitStatus, Problem> {
    let faults = match &arguments.fault {
        Some(words) => words.split(',').map(fault).collect::<Result<_, _>>()?,
        None => Fault::all(),
    };
    let present = if arguments.check { Some(read(&arguments.output)?) } else { None };
    let matrix = matrix(&faults, arguments)?;
    let status = if matrix.is_as_expected() { ExitStatus::AsExpected } else { ExitStatus::NotAsExpected };
    let page = form::page(&matrix);
    let told = match (arguments.format, &present) {
        (Format::Json, _) => output::print(&output::json(&json::report(&matrix))),
        (Format::Text, None) if arguments.fault.is_some() => output::print(&pages(&matrix)),
        (Format::Text, _) => output::print(&summary(&matrix)),
    };
    let kept = match &present {
        Some(present) if arguments.fault.is_some() => compare_rows(present, &matrix, &arguments.output),
        Some(present) => compare(present, &page, &arguments.output),
        None if arguments.fault.is_some() => ExitStatus::AsExpected,
        None => write(&page, &arguments.output),
    };
    Ok(status.max(told).max(kept))
}

fn fault(word: &str) -> Result<Fault, Problem> {
    word.parse().map_err(|_: String| {
        let known: Vec<String> = Fault::all().iter().map(ToString::to_string).collect();
        let help = match nearest(word, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", known.join(", ")),
        };
        Problem::new(format!("the reference partition has no fault `{word}`")).with_help(help)
    })
}

/// Which views.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Views {
    /// The shipped ones, in the size that was asked for.
    Small,
    /// Those of this command.
    Narrow,
    /// Those of changed contracts.
    Changed,
    /// The shipped ones, in the next size.
    Large,
}

/// Which traces are tried, in this order, on faults that are not caught yet.
const ORDER: &[(Views, Choice, &str)] = &[
    (Views::Small, Choice::Cover(CoverKind::Abstract), "--cover abstract"),
    (Views::Narrow, Choice::Random(1), "--cover random --seed 1"),
    (Views::Narrow, Choice::Cover(CoverKind::Transitions), "--cover transitions"),
    (Views::Changed, Choice::Cover(CoverKind::Abstract), "--cover abstract"),
    (Views::Changed, Choice::Cover(CoverKind::LabelPairs), "--cover label-pairs"),
    (Views::Changed, Choice::Random(1), "--cover random --seed 1"),
    (Views::Small, Choice::Cover(CoverKind::LabelPairs), "--cover label-pairs"),
    (Views::Large, Choice::Cover(CoverKind::Abstract), "--cover abstract"),
    (Views::Small, Choice::Random(1), "--cover random --seed 1"),
];

fn matrix(faults: &[Fault], arguments: &KillMatrixArguments) -> Result<Matrix, Problem> {
    let contracts = library::contracts()?;
    let with = |all: &dyn Fn(&Contract) -> Vec<View>| -> Vec<(&Contract, View)> {
        contracts.iter().flat_map(|contract| all(contract).into_iter().map(move |view| (contract, view))).collect()
    };
    let large_bounds = larger(arguments.bounds);
    let small = with(&|contract| views(arguments.bounds, &contract.choices));
    let large = with(&|contract| views(large_bounds, &contract.choices));
    let narrow = with(&|_| narrow::views());
    let changed = variants::contracts(arguments.bounds)?;
    let changed: Vec<(&Contract, View)> = changed.iter().map(|(contract, view)| (contract, view.clone())).collect();
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let mut quarries: Vec<Quarry<'_>> = faults.iter().map(|fault| Quarry::new(*fault)).collect();
    let mut matrix = Matrix { bounds: arguments.bounds, rows: Vec::new(), stocked: 0, left_out: 0, power: Vec::new() };
    for (which, choice, cover) in ORDER {
        let (views, bounds) = match which {
            Views::Small => (&small, arguments.bounds),
            Views::Narrow => (&narrow, arguments.bounds),
            Views::Changed => (&changed, arguments.bounds),
            Views::Large => (&large, large_bounds),
        };
        for (contract, view) in views {
            let is_wanted = |quarry: &Quarry<'_>| quarry.is_open() && quarry.matters_in(contract, view);
            if !quarries.iter().any(is_wanted) {
                continue;
            }
            let stock = Stock::new(contract, view, *choice, &Budget::default(), threads);
            matrix.stocked += stock.traces.len() + stock.left_out;
            matrix.left_out += stock.left_out;
            hunt::hunt(&stock, &mut quarries, bounds, cover, threads);
            note(&stock, cover, &quarries);
        }
        quarries.iter_mut().for_each(Quarry::settle);
    }
    matrix.rows = rows(&quarries, &contracts, arguments.bounds, threads);
    if arguments.fault.is_none() {
        matrix.power = power::images(&small, arguments.bounds, threads)?;
    }
    Ok(matrix)
}

/// What is left, on a terminal.
fn note(stock: &Stock<'_>, cover: &str, quarries: &[Quarry<'_>]) {
    if std::io::stderr().is_terminal() {
        let open = quarries.iter().filter(|quarry| quarry.is_open()).count();
        eprintln!(
            "{cover} {} {}: {} traces, {} left out; {open} faults are open",
            stock.contract.name,
            stock.view.name,
            stock.traces.len(),
            stock.left_out
        );
    }
}

fn larger(bounds: BoundsSet) -> BoundsSet {
    match bounds {
        BoundsSet::Quick => BoundsSet::Ci,
        BoundsSet::Ci | BoundsSet::Deep => BoundsSet::Deep,
    }
}

/// The rows, in the order of the faults; each is finished by one thread.
fn rows(quarries: &[Quarry<'_>], contracts: &[Contract], bounds: BoundsSet, threads: usize) -> Vec<Row> {
    let caught = threads::each(quarries, threads, |quarry| {
        quarry.best.as_ref().map(|best| Outcome::Caught(Box::new(gates::caught(quarry.fault, best))))
    });
    let row = |(quarry, caught): (&Quarry<'_>, Option<Outcome>)| {
        let Quarry { fault, steps, traces, landed, .. } = *quarry;
        // A proof takes all threads.
        let outcome =
            caught.unwrap_or_else(|| Outcome::Survives(survivors::proof(fault, landed, contracts, bounds, threads)));
        Row { fault, outcome, steps, traces }
    };
    quarries.iter().zip(caught).map(row).collect()
}

impl Matrix {
    /// Whether every fault is caught with all gates, or it is explained why it cannot show, and the partition as it is agrees with every
    /// trace and recovers nothing that is forbidden.
    fn is_as_expected(&self) -> bool {
        let totals = self.totals();
        let mut healthy = self.power.iter().filter(|images| images.deaf.is_none());
        totals.partly.is_empty()
            && totals.unexplained.is_empty()
            && self.left_out == 0
            && healthy.all(|images| images.forbidden_moments == 0)
    }

    fn totals(&self) -> Totals {
        let named = |is: &dyn Fn(&Outcome) -> bool| -> Vec<String> {
            self.rows.iter().filter(|row| is(&row.outcome)).map(|row| format!("`{}`", row.fault)).collect()
        };
        let is_caught = |outcome: &Outcome| matches!(outcome, Outcome::Caught(caught) if caught.gates.all());
        Totals {
            rows: self.rows.len(),
            caught: self.rows.iter().filter(|row| is_caught(&row.outcome)).count(),
            partly: named(&|outcome| matches!(outcome, Outcome::Caught(caught) if !caught.gates.all())),
            proved: named(&|outcome| matches!(outcome, Outcome::Survives(proof) if proof.holds)),
            unexplained: named(&|outcome| matches!(outcome, Outcome::Survives(proof) if !proof.holds)),
            steps: self.rows.iter().map(|row| row.steps).sum(),
            traces: self.rows.iter().map(|row| row.traces).sum(),
        }
    }
}

/// The whole page of every row.
fn pages(matrix: &Matrix) -> String {
    let page = |row: &Row| match &row.outcome {
        Outcome::Caught(caught) => {
            let by = caught.symptom.map(|reason| {
                format!("\nNo change of the contract explains it; the clause is named by what was seen: {reason}.\n")
            });
            let gates = caught.gates;
            format!(
                "{}: {}\n\n{}\n{}\nlanded {}, built {}, ran {}, failed {}, expected clause ({}) {}; found by {}, sees {}\n",
                row.fault,
                row.fault.sentence(),
                Page::of(&caught.divergence).text(),
                by.unwrap_or_default(),
                gates.landed,
                gates.built,
                gates.ran,
                gates.failed,
                row.fault.expected(),
                gates.expected_clause,
                caught.cover,
                caught.weakest,
            )
        }
        Outcome::Survives(proof) => {
            let word = if proof.holds { "cannot show" } else { "survives" };
            format!("{}: {}\n{word}: {}\n", row.fault, row.fault.sentence(), proof.text)
        }
    };
    matrix.rows.iter().map(page).collect::<Vec<_>>().join("\n\n")
}

fn summary(matrix: &Matrix) -> String {
    let totals = matrix.totals();
    format!(
        "{} faults: {} caught with all gates, {} with some, {} cannot show, {} not explained; {} traces, {} steps\n",
        totals.rows,
        totals.caught,
        totals.partly.len(),
        totals.proved.len(),
        totals.unexplained.len(),
        output::grouped(totals.traces),
        output::grouped(totals.steps),
    )
}

fn read(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|error| {
        Problem::new(format!("`{}` cannot be read: {error}", path.display()))
            .with_help("leave out --check to write it, or name it with --output")
    })
}

fn write(page: &str, path: &Path) -> ExitStatus {
    match whole_file::replace(path, page) {
        Ok(()) => output::print(&format!("{} is written\n", path.display())),
        Err(error) => {
            eprintln!("error: {} cannot be written: {error}", path.display());
            ExitStatus::Stopped
        }
    }
}

/// Compares the rows of some faults.
fn compare_rows(present: &str, matrix: &Matrix, path: &Path) -> ExitStatus {
    for row in &matrix.rows {
        let line = form::line(row);
        let start = format!("| `{}` |", row.fault);
        let is = present.lines().find(|line| line.starts_with(&start)).unwrap_or("(no such row)");
        if is != line.trim_end() {
            return stale(path, is, line.trim_end());
        }
    }
    output::print(&format!("the rows in {} are up to date\n", path.display()))
}

fn stale(path: &Path, is: &str, should_be: &str) -> ExitStatus {
    let told = output::print(&format!(
        "{} is stale; the first line that differs\n  is        {is}\n  should be {should_be}\n",
        path.display(),
    ));
    ExitStatus::NotAsExpected.max(told)
}

/// Compares, and tells the first line that differs.
fn compare(present: &str, page: &str, path: &Path) -> ExitStatus {
    if present == page {
        return output::print(&format!("{} is up to date\n", path.display()));
    }
    let (mut old, mut new) = (present.lines(), page.lines());
    loop {
        match (old.next(), new.next()) {
            (old, new) if old == new && old.is_some() => {}
            (old, new) => {
                return stale(path, old.unwrap_or("(the end)"), new.unwrap_or("(the end)"));
            }
        }
    }
}
