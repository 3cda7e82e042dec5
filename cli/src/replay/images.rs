//! `fencepost replay --images`: power is lost at every moment, and what is recovered has to be allowed.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use fencepost_conformance::replay::images::{
    ContractImages, Counts, Document, ImagePage, ImagePolicy, ImageRun, Imaged, Images, MOST_SUBSETS, Recovered,
    RecoveredState, SiteImages, WithImages, document,
};
use fencepost_conformance::replay::session::Way;
use fencepost_driver::Failure;
use fencepost_models::iggy::views::{BoundsSet, View, views};
use fencepost_reference::{Backing, Fault, PowerImages, Reference, Site};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use serde::Serialize;

use super::choose::{Choice, Wanted, choose};
use super::{ReplayArguments, ReplayFormat};
use crate::exit::ExitStatus;
use crate::exploring::Budget;
use crate::output::{self, SCHEMA, grouped, table, table_text};
use crate::whole_file;

/// The arguments that ask for power-loss images.
#[derive(Args, Clone, Debug)]
pub struct ImageArguments {
    /// Lose power at every moment of the traces, and judge what is recovered: posix-weak, ext4-ordered, drop-all,
    /// keep-all or all; for builtin:reference only
    #[arg(long, value_name = "POLICY", value_parser = policies)]
    pub images: Option<Policies>,
    /// For `--images`: write the table to this file, with another one in which every sync is made to do nothing
    #[arg(long, value_name = "FILE", requires = "images")]
    pub write: Option<PathBuf>,
}

/// The policies that are wanted.
#[derive(Clone, Debug)]
pub struct Policies(Vec<ImagePolicy>);

fn policies(text: &str) -> Result<Policies, String> {
    match text {
        "all" => Ok(Policies(ImagePolicy::ALL.to_vec())),
        word => word.parse().map(|policy| Policies(vec![policy])),
    }
}

/// What is tried, and how.
pub(super) struct ImageCommand<'a> {
    pub(super) arguments: &'a ReplayArguments,
    pub(super) fault: Option<Fault>,
    pub(super) wanted: &'a [&'static str],
    pub(super) interrupt: Arc<AtomicBool>,
    pub(super) budget: &'a Budget,
}

/// The ways of a view.
struct ViewWays<'a> {
    contract: &'a Contract,
    view: View,
    ways: Vec<Way>,
}

impl ImageCommand<'_> {
    /// Runs the command under these policies.
    ///
    /// # Errors
    /// A [`Problem`] with the implementation or with the file to write.
    pub(super) fn run(&self, contracts: &[Contract], Policies(policies): &Policies) -> Result<ExitStatus, Problem> {
        let all: Vec<Vec<ViewWays<'_>>> = contracts.iter().map(|contract| self.ways(contract)).collect();
        let mut results = Vec::new();
        for (contract, views) in contracts.iter().zip(&all) {
            let mut images = ContractImages { contract: contract.name.clone(), views: Vec::new() };
            for view in views {
                images.views.push((view.view.name.to_owned(), self.view(view, self.fault, policies)?));
            }
            results.push(images);
        }
        let report = Report::of(policies, &results, self.interrupt.load(Ordering::Relaxed));
        if let Some(file) = &self.arguments.images.write {
            self.write(file, policies, &results, &all)?;
        }
        let printed = output::print(&match self.arguments.format {
            ReplayFormat::Text => report.text(),
            ReplayFormat::Markdown => format!("```text\n{}```\n", report.text()),
            ReplayFormat::Json => output::json(&report),
        });
        let status = match &report {
            report if !report.divergences.is_empty() => ExitStatus::NotAsExpected,
            report if report.is_stopped => ExitStatus::Stopped,
            _ => ExitStatus::AsExpected,
        };
        Ok(status.max(printed))
    }

    fn ways<'c>(&self, contract: &'c Contract) -> Vec<ViewWays<'c>> {
        let wanted = Wanted {
            cover: self.arguments.cover.unwrap_or(Choice::Abstract),
            seed: self.arguments.seed,
            ways: self.arguments.ways,
            threads: self.arguments.exploring.threads(),
            limits: self.budget.limits(),
        };
        let all = views(self.arguments.exploring.bounds, &contract.choices).into_iter();
        let losing = all.filter(|view| view.bounds.power_losses > 0);
        let named = losing.filter(|view| self.wanted.is_empty() || self.wanted.contains(&view.name));
        let chosen = named.map(|view| {
            // Every view by itself: what another one has shown it shows with other files.
            let ways = choose(contract, &view, &wanted, &mut HashSet::new()).ways;
            ViewWays { contract, view, ways }
        });
        chosen.collect()
    }

    fn view(&self, of: &ViewWays<'_>, fault: Option<Fault>, policies: &[ImagePolicy]) -> Result<Vec<Imaged>, Problem> {
        take_images(&Taking {
            contract: of.contract,
            view: &of.view,
            bounds: self.arguments.exploring.bounds,
            ways: &of.ways,
            fault,
            policies,
            is_over_when_found: fault.is_some(),
            interrupt: Arc::clone(&self.interrupt),
        })
    }

    /// Writes the document, with every sync made to do nothing.
    fn write(
        &self,
        file: &Path,
        policies: &[ImagePolicy],
        results: &[ContractImages],
        all: &[Vec<ViewWays<'_>>],
    ) -> Result<(), Problem> {
        let mut sites = Vec::new();
        for site in Site::ALL {
            let mut found = SiteImages::new(site.word(), policies.len());
            for view in all.iter().flatten() {
                let imaged = self.view(view, Some(Fault::Deaf(*site)), policies)?;
                found.add(&view.contract.name, view.view.name, &imaged);
            }
            sites.push(found);
        }
        let text = document(&Document {
            policies,
            bounds: self.arguments.exploring.bounds.to_string(),
            contracts: results,
            sites: &sites,
            command: "fencepost replay --driver builtin:reference --images all --write docs/results/power-loss.md",
        });
        whole_file::replace(file, &text)
            .map_err(|error| Problem::new(format!("`{}` cannot be written: {error}", file.display())))
    }
}

/// Power is lost everywhere on the ways of one view.
pub(crate) struct Taking<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) view: &'a View,
    pub(crate) bounds: BoundsSet,
    pub(crate) ways: &'a [Way],
    pub(crate) fault: Option<Fault>,
    pub(crate) policies: &'a [ImagePolicy],
    /// Whether it is over as soon as every policy but `keep-all` has found a forbidden state.
    pub(crate) is_over_when_found: bool,
    pub(crate) interrupt: Arc<AtomicBool>,
}

/// Takes the images of the reference partition in memory and judges them, by policy.
///
/// # Errors
/// A [`Problem`] with the implementation.
pub(crate) fn take_images(taking: &Taking<'_>) -> Result<Vec<Imaged>, Problem> {
    let driver = taking.fault.map_or_else(String::new, |fault| format!("+{fault}"));
    let policy = if let [policy] = taking.policies { policy.word() } else { "all" };
    let Taking { contract, view, bounds, .. } = taking;
    let run = ImageRun {
        contract: &contract.name,
        choices: &contract.choices,
        view: view.name,
        bounds: &view.bounds,
        policies: taking.policies,
        cap: MOST_SUBSETS,
        is_over_when_found: taking.is_over_when_found,
        interrupt: Arc::clone(&taking.interrupt),
        command: &format!(
            "fencepost replay --driver builtin:reference{driver} --contract {} --view {} --bounds {bounds} --images {policy}",
            contract.name, view.name,
        ),
    };
    let imaged = run.run(&mut reference(taking.fault), taking.ways);
    imaged.map_err(|failure| Problem::new(format!("no images can be taken: {failure}")))
}

/// The reference partition in memory, with its images.
fn reference(fault: Option<Fault>) -> impl Images {
    let mut images = PowerImages::default();
    WithImages::new(Reference::new(Backing::memory(), fault), move |reference, policy, cap| {
        take(&mut images, reference, policy, cap)
    })
}

fn take(images: &mut PowerImages, reference: &Reference, policy: ImagePolicy, cap: u64) -> Result<Recovered, Failure> {
    let policy = policy.word().parse().map_err(|error: String| Failure::failed(error))?;
    let loss = images.of(reference, policy, cap).ok_or_else(|| Failure::failed("there are no files in memory"))?;
    let states = loss.states.into_iter().map(|state| RecoveredState {
        observation: state.observation,
        image: state.image,
        interrupted: state.interrupted,
    });
    Ok(Recovered {
        subsets: loss.subsets,
        images: loss.images,
        second_images: loss.second_images,
        is_capped: loss.is_capped,
        states: states.collect(),
    })
}

/// The report.
#[derive(Serialize)]
struct Report {
    schema: &'static str,
    command: &'static str,
    is_stopped: bool,
    results: Vec<Row>,
    divergences: Vec<ImagePage>,
    /// Distinct recovered states of all rows.
    recovered_states: usize,
}

#[derive(Serialize)]
struct Row {
    contract: String,
    view: String,
    policy: ImagePolicy,
    #[serde(flatten)]
    counts: Counts,
    recovered_states: usize,
}

impl Report {
    fn of(policies: &[ImagePolicy], results: &[ContractImages], is_stopped: bool) -> Self {
        let (mut rows, mut divergences, mut distinct) = (Vec::new(), Vec::new(), BTreeSet::new());
        for contract in results {
            for (view, imaged) in &contract.views {
                for (policy, imaged) in policies.iter().zip(imaged) {
                    distinct.extend(&imaged.recovered);
                    divergences.extend(imaged.divergence.clone());
                    rows.push(Row {
                        contract: contract.contract.clone(),
                        view: view.clone(),
                        policy: *policy,
                        counts: imaged.counts.clone(),
                        recovered_states: imaged.recovered.len(),
                    });
                }
            }
        }
        let recovered_states = distinct.len();
        Self { schema: SCHEMA, command: "replay", is_stopped, results: rows, divergences, recovered_states }
    }

    fn text(&self) -> String {
        let mut rows = table();
        rows.set_header(["contract", "view", "policy", "moments", "images", "second", "recovered", "result"]);
        for row in &self.results {
            let counts = &row.counts;
            let mut result = match (counts.forbidden_points, counts.capped_points, counts.unjudged_points) {
                (0, 0, 0) => "all allowed".to_owned(),
                (0, capped, unjudged) => format!("all allowed ({capped} moments capped, {unjudged} not judged)"),
                (forbidden, ..) => format!("forbidden at {forbidden} moments"),
            };
            if counts.left_ways > 0 {
                result += &format!("; {} ways left, replay without images first", counts.left_ways);
            }
            rows.add_row([
                row.contract.clone(),
                row.view.clone(),
                row.policy.to_string(),
                grouped(counts.points),
                grouped(counts.images),
                grouped(counts.second_images),
                grouped(row.recovered_states as u64),
                result,
            ]);
        }
        let mut text = table_text(&rows, 2);
        for page in &self.divergences {
            text += &format!("\n{}\n", page.text());
        }
        let sum = |count: fn(&Counts) -> u64| self.results.iter().map(|row| count(&row.counts)).sum::<u64>();
        let policies = self.results.iter().map(|row| row.policy).collect::<BTreeSet<_>>().len().max(1);
        let verdict = match (self.divergences.len(), self.is_stopped) {
            (0, false) => "all allowed".to_owned(),
            (0, true) => "all allowed so far (stopped)".to_owned(),
            (..) => format!("forbidden at {} moments", grouped(sum(|counts| counts.forbidden_points))),
        };
        text + &format!(
            "\n{} images at {} moments, {} more of a second power loss, {} distinct recovered states: {verdict}\n",
            grouped(sum(|counts| counts.images)),
            grouped(sum(|counts| counts.points) / policies as u64),
            grouped(sum(|counts| counts.second_images)),
            grouped(self.recovered_states as u64),
        )
    }
}
