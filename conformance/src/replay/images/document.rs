//! The document `docs/results/power-loss.md`.

use super::ImagePolicy;
use super::run::{Counts, Imaged};

/// What came of a contract, by view and policy.
#[derive(Clone, Debug)]
pub struct ContractImages {
    /// The contract.
    pub contract: String,
    /// The views that lose power, each with what came of the policies, in their order.
    pub views: Vec<(String, Vec<Imaged>)>,
}

/// Which policies find that a sync does nothing.
#[derive(Clone, Debug)]
pub struct SiteImages {
    /// The place of the sync.
    pub site: String,
    /// The contracts under which it was found, with view and steps, by policy in their order.
    pub found: Vec<Vec<Catch>>,
}

/// A sync that does nothing, found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catch {
    /// The contract.
    pub contract: String,
    /// The view.
    pub view: String,
    /// How many things happen until power is lost.
    pub steps: usize,
}

impl SiteImages {
    /// Nothing found yet, under so many policies.
    pub fn new(site: impl Into<String>, policies: usize) -> Self {
        Self { site: site.into(), found: vec![Vec::new(); policies] }
    }

    /// Adds what came of a view.
    pub fn add(&mut self, contract: &str, view: &str, imaged: &[Imaged]) {
        for (found, imaged) in self.found.iter_mut().zip(imaged) {
            if let Some(page) = &imaged.divergence
                && found.iter().all(|catch| catch.contract != contract)
            {
                found.push(Catch { contract: contract.to_owned(), view: view.to_owned(), steps: page.steps });
            }
        }
    }
}

/// All that the document shows.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// The policies, in the order of all results.
    pub policies: &'a [ImagePolicy],
    /// The size of the views.
    pub bounds: String,
    /// The contracts.
    pub contracts: &'a [ContractImages],
    /// The syncs, each made to do nothing.
    pub sites: &'a [SiteImages],
    /// The command that writes the document.
    pub command: &'a str,
}

/// Writes the document. It depends on nothing but what was found.
pub fn document(document: &Document<'_>) -> String {
    let mut text = format!(
        "# Power loss at every moment\n\n\
         Written by `{}`; do not edit.\n\n\
         The reference partition is moved along the traces of every view that loses power (bounds `{}`). After each step of the \
         owner, and before each storage call inside of one, its files are taken as a power loss may leave them, and recovered by \
         its own recovery code, which sees nothing but these files and what metadata says. That recovery is cut off by a second power \
         loss before each of its own storage calls, and what is left then is recovered, too. Every state that is recovered has to be \
         one that the model allows after a power loss there.\n\n\
         Images of one moment are distinct; so are the recovered states of one row. Capped moments are those with more subsets of \
         unsynced operations than are looked at one by one. Unjudged moments are those with more unsynced operations than the model \
         chooses among.\n\n",
        document.command, document.bounds
    );
    text += &contracts(document);
    text += &sites(document);
    text
}

fn contracts(document: &Document<'_>) -> String {
    let mut text = String::from(
        "## Contracts\n\n\
         | Contract | View | Policy | Moments | Subsets | Images | Second images | Recovered states | Allowed subsets | Capped | \
         Unjudged | Verdict |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    for contract in document.contracts {
        for (view, imaged) in &contract.views {
            for (policy, imaged) in document.policies.iter().zip(imaged) {
                let Counts { points, subsets, images, second_images, capped_points, unjudged_points, .. } =
                    imaged.counts;
                let (allowed, states) = (imaged.counts.allowed_subsets, imaged.recovered.len());
                text += &format!(
                    "| {} | {view} | {policy} | {points} | {subsets} | {images} | {second_images} | {states} | {allowed} | \
                     {capped_points} | {unjudged_points} | {} |\n",
                    contract.contract,
                    verdict(&imaged.counts),
                );
            }
        }
    }
    text
}

fn verdict(counts: &Counts) -> String {
    match (counts.forbidden_points, counts.left_ways) {
        (0, 0) => "all allowed".to_owned(),
        (0, left) => format!("all allowed, but {left} ways were left"),
        (forbidden, _) => format!("**forbidden** at {forbidden} moments"),
    }
}

fn sites(document: &Document<'_>) -> String {
    let names = document.policies.iter().map(ImagePolicy::to_string).collect::<Vec<_>>().join(" | ");
    let line = "| --- ".repeat(document.policies.len() + 1);
    let mut text = format!(
        "\n## Every sync made to do nothing\n\n\
         Which policy finds a forbidden state, under which contracts, and after how many steps of the shortest trace that was \
         chosen. A trace is left where the partition shows something forbidden without a power loss of this test, so that nothing \
         counts twice.\n\n\
         | Sync | {names} |\n{line}|\n"
    );
    for site in document.sites {
        let cells = site.found.iter().map(|found| cell(found)).collect::<Vec<_>>().join(" | ");
        text += &format!("| {} | {cells} |\n", site.site);
    }
    text
}

fn cell(found: &[Catch]) -> String {
    if found.is_empty() {
        return "-".to_owned();
    }
    let one = |catch: &Catch| format!("{} ({})", catch.contract, catch.steps);
    found.iter().map(one).collect::<Vec<_>>().join(", ")
}
