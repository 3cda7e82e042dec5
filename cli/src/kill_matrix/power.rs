//! Power loss: the images that the reference partition leaves, and how many of its syncs can be left out unnoticed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fencepost_conformance::replay::atlas::CoverKind;
use fencepost_conformance::replay::images::{Counts, ImagePolicy};
use fencepost_conformance::replay::session::Way;
use fencepost_models::iggy::views::{BoundsSet, View};
use fencepost_reference::{Fault, Site};
use fencepost_spec::contract::Contract;
use fencepost_spec::diagnostic::Problem;
use serde::Serialize;

use super::stock::{self, Choice};
use super::threads;
use crate::exploring::Budget;
use crate::replay::images::{Taking, take_images};

/// The policy that lets a power loss leave the most.
const POLICY: &[ImagePolicy] = &[ImagePolicy::PosixWeak];

/// The images of the reference partition, as it is or with one sync made to do nothing, over all contracts and their views that lose power.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Images {
    /// The sync that does nothing.
    pub(super) deaf: Option<String>,
    /// Moments at which power was lost.
    pub(super) moments: u64,
    /// Distinct images of each moment, all moments together.
    pub(super) images: u64,
    /// The same of a second power loss while an image is recovered.
    pub(super) second_images: u64,
    /// Distinct states that were recovered.
    pub(super) recovered_states: usize,
    /// Moments at which something is recovered that the contract forbids.
    pub(super) forbidden_moments: u64,
}

/// A view that loses power.
struct Losing<'a> {
    contract: &'a Contract,
    view: &'a View,
    ways: Vec<Way>,
}

/// Takes all images: of the partition as it is, and with every sync made to do nothing.
///
/// # Errors
/// A [`Problem`] with the partition.
pub(super) fn images(views: &[(&Contract, View)], bounds: BoundsSet, threads: usize) -> Result<Vec<Images>, Problem> {
    let losing = views.iter().filter(|(_, view)| view.bounds.power_losses > 0);
    let losing: Vec<Losing<'_>> = losing
        .map(|(contract, view)| {
            let ways = stock::ways(contract, view, Choice::Cover(CoverKind::Abstract), &Budget::default(), threads);
            Losing { contract, view, ways }
        })
        .collect();
    let deaf = Site::ALL.iter().map(|site| Some(Fault::Deaf(*site)));
    let faults: Vec<Option<Fault>> = std::iter::once(None).chain(deaf).collect();
    threads::each(&faults, threads, |fault| of_fault(&losing, *fault, bounds)).into_iter().collect()
}

fn of_fault(losing: &[Losing<'_>], deaf: Option<Fault>, bounds: BoundsSet) -> Result<Images, Problem> {
    let mut recovered = BTreeSet::new();
    let mut all = Counts::default();
    for Losing { contract, view, ways } in losing {
        let taking = Taking {
            contract,
            view,
            bounds,
            ways,
            fault: deaf,
            policies: POLICY,
            is_over_when_found: false,
            interrupt: Arc::new(AtomicBool::new(false)),
        };
        for imaged in take_images(&taking)? {
            recovered.extend(imaged.recovered);
            all.points += imaged.counts.points;
            all.images += imaged.counts.images;
            all.second_images += imaged.counts.second_images;
            all.forbidden_points += imaged.counts.forbidden_points;
        }
    }
    Ok(Images {
        deaf: deaf.map(|fault| fault.to_string()),
        moments: all.points,
        images: all.images,
        second_images: all.second_images,
        recovered_states: recovered.len(),
        forbidden_moments: all.forbidden_points,
    })
}
