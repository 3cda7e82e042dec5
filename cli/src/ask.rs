//! `fencepost ask`: a scenario, and what each contract makes of it.

pub mod answer;
mod telling;
