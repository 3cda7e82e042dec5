//! The growth of bounds as a report.

use std::fmt::Write;

use comfy_table::CellAlignment;
use serde::Serialize;

use crate::output::{self, Format, SCHEMA, counted, grouped, rounded, table, table_text};

use super::{Curve, Growth, Step};

const HEADING: &str =
    "Size 1 is quick, 2 ci and 3 deep in most views. A size in which a view is as in the one before is left out.\n";

/// The report, in the form that is wanted.
pub fn report(growths: &[Growth], format: Format) -> String {
    match format {
        Format::Text => text(growths),
        Format::Json => json(growths),
    }
}

/// The report for people.
fn text(growths: &[Growth]) -> String {
    let mut text = HEADING.to_owned();
    for growth in growths {
        write!(text, "\n{}\n{}{}\n", growth.contract, curves(growth), conclusion(growth)).ok();
        for (clause, view) in &growth.unexpected {
            writeln!(text, "NOT AS EXPECTED: {clause} is violated in {view}; the contract expects that it is not").ok();
        }
    }
    text
}

/// The table of all views.
fn curves(growth: &Growth) -> String {
    let mut table = table();
    table.set_header(["view", "size", "states", "growth", "depth", "seconds", "newly violated"]);
    for curve in &growth.curves {
        for (index, step) in curve.steps.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| curve.steps[before].states);
            table.add_row([
                if index == 0 { curve.view.to_owned() } else { String::new() },
                step.size.to_string(),
                grouped(step.states),
                factor(step, before),
                step.depth.to_string(),
                format!("{:.1}", step.seconds),
                end(step),
            ]);
        }
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        if (1..6).contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table_text(&table, 2)
}

/// How many times the states of the size before.
fn factor(step: &Step, before: Option<u64>) -> String {
    match before {
        Some(before) if step.stopped.is_none() && before > 0 => format!("{:.1} x", step.states as f64 / before as f64),
        _ => String::new(),
    }
}

/// What is new in a size, or why it is not whole.
fn end(step: &Step) -> String {
    let broken = step.newly_broken.iter().map(|(clause, steps)| format!("{clause} ({})", counted(*steps, "step")));
    broken.chain(step.stopped.map(|stop| format!("stopped ({stop})"))).collect::<Vec<_>>().join(", ")
}

fn conclusion(growth: &Growth) -> String {
    let size = |curve: &Curve| match (curve.exhaustive(), curve.is_full_grown) {
        (None, _) => format!("{} in none", curve.view),
        (Some(step), true) => format!("{} up to {} (it grows no more)", curve.view, step.size),
        (Some(step), false) => format!("{} up to {}", curve.view, step.size),
    };
    let sizes: Vec<String> = growth.curves.iter().map(size).collect();
    let views = output::wrapped(sizes.iter().map(String::as_str), ", ", 2);
    let exhaustive = match growth.size() {
        None => "No size has every verdict exhaustive".to_owned(),
        Some(u8::MAX) => "Every verdict is exhaustive in the largest size of every view".to_owned(),
        Some(size) => format!("Every verdict is exhaustive up to size {size}"),
    };
    format!("  {exhaustive}. By view:\n  {views}")
}

#[derive(Serialize)]
struct ReportJson {
    schema: &'static str,
    command: &'static str,
    grown: Vec<GrowthJson>,
}

#[derive(Serialize)]
struct GrowthJson {
    family: &'static str,
    contract: String,
    /// The largest size in which every verdict is exhaustive; 255 if no view grows any more.
    exhaustive_size: Option<u8>,
    views: Vec<CurveJson>,
    unexpected: Vec<UnexpectedJson>,
}

#[derive(Serialize)]
struct CurveJson {
    view: &'static str,
    exhaustive_size: Option<u8>,
    is_full_grown: bool,
    sizes: Vec<StepJson>,
}

#[derive(Serialize)]
struct StepJson {
    size: u8,
    states: u64,
    depth: u32,
    seconds: f64,
    stopped: Option<String>,
    newly_violated: Vec<&'static str>,
}

#[derive(Serialize)]
struct UnexpectedJson {
    clause: &'static str,
    view: &'static str,
}

/// The report for programs.
fn json(growths: &[Growth]) -> String {
    let step = |step: &Step| StepJson {
        size: step.size,
        states: step.states,
        depth: step.depth,
        seconds: rounded(step.seconds),
        stopped: step.stopped.map(|stop| stop.to_string()),
        newly_violated: step.newly_broken.iter().map(|(clause, _)| *clause).collect(),
    };
    let curve = |curve: &Curve| CurveJson {
        view: curve.view,
        exhaustive_size: curve.exhaustive().map(|step| step.size),
        is_full_grown: curve.is_full_grown,
        sizes: curve.steps.iter().map(step).collect(),
    };
    let growth = |growth: &Growth| GrowthJson {
        family: growth.family,
        contract: growth.contract.clone(),
        exhaustive_size: growth.size(),
        views: growth.curves.iter().map(curve).collect(),
        unexpected: growth.unexpected.iter().map(|(clause, view)| UnexpectedJson { clause, view }).collect(),
    };
    let grown = growths.iter().map(growth).collect();
    output::json(&ReportJson { schema: SCHEMA, command: "check", grown })
}
