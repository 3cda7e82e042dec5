//! The growth of bounds as a report.

use std::fmt::Write;

use comfy_table::CellAlignment;
use serde::Serialize;

use crate::output::{self, Format, Report, counted, grouped, rounded, table, table_text};

use super::{Curve, Growth, MOST_SIZE, Step};

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
        write!(text, "\n{}\n{}{}{}\n", growth.contract, curves(growth), news(growth), conclusion(growth)).ok();
        for (clause, view) in &growth.unexpected {
            writeln!(text, "NOT AS EXPECTED: {clause} is violated in {view}; the contract expects that it is not").ok();
        }
    }
    text
}

/// The table of all views.
fn curves(growth: &Growth) -> String {
    let mut table = table();
    table.set_header(["view", "size", "states", "growth", "depth", "seconds", "end"]);
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
                step.stopped.map_or_else(String::new, |stop| format!("stopped ({stop})")),
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

/// What larger sizes broke that smaller ones did not, a line each.
fn news(growth: &Growth) -> String {
    let mut text = String::new();
    for curve in &growth.curves {
        for step in curve.steps.iter().skip(1) {
            for (clause, steps) in &step.newly_broken {
                let size = step.size;
                writeln!(
                    text,
                    "  {clause} is violated in {} from size {size} on: {}",
                    curve.view,
                    counted(*steps, "step")
                )
                .ok();
            }
        }
    }
    text
}

fn conclusion(growth: &Growth) -> String {
    let size = |curve: &Curve| match (curve.exhaustive_size, curve.is_full_grown) {
        (None, _) => format!("{} in none", curve.view),
        (Some(_), true) => format!("{} in all, since it grows no more", curve.view),
        (Some(size), false) if curve.is_idle() => {
            format!("{} up to {size} (the last three have the same states)", curve.view)
        }
        (Some(size), false) => format!("{} up to {size}", curve.view),
    };
    let sizes: Vec<String> = growth.curves.iter().map(size).collect();
    let views = output::wrapped(sizes.iter().map(String::as_str), ", ", 2);
    let exhaustive = match growth.size() {
        None => "No size has every verdict exhaustive".to_owned(),
        Some(MOST_SIZE) => "Every verdict is exhaustive in every size".to_owned(),
        Some(size) => format!("Every verdict is exhaustive up to size {size}"),
    };
    format!("  {exhaustive}. By view:\n  {views}")
}

#[derive(Serialize)]
struct GrowthJson {
    family: &'static str,
    contract: String,
    /// The largest size in which every verdict is exhaustive; 40, the largest of all, if no view grows any more.
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
        exhaustive_size: curve.exhaustive_size,
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
    output::json(&Report::of("check", growths.iter().map(growth).collect()))
}
