//! The reference partition with its power-loss images.

use fencepost_conformance::replay::images::{ImagePolicy, Images, Recovered, RecoveredState, WithImages};
use fencepost_driver::Failure;
use fencepost_reference::{Backing, Fault, PowerImages, Reference};

/// The reference partition in memory, with a fault if one is wanted.
pub fn reference(fault: Option<Fault>) -> impl Images {
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
